//! `recvmmsg` and `sendmmsg`, and the only `unsafe` of the node.
//!
//! Headers are built on the stack for each call, so no pointer outlives the memory that it points to.
#![allow(unsafe_code, reason = "these system calls have no safe interface")]

use std::{
    io, mem,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6, UdpSocket},
    ops::Range,
    os::fd::AsRawFd,
    ptr,
};

use super::{BATCH, Batch, Calls, DatagramAddresses, LocalEnd, Queue, queue::Run};

/// The calls of Linux.
pub struct Linux {
    /// Whether the system cuts messages into segments. False for good once it has refused.
    pub(super) can_segment: bool,
}

impl Default for Linux {
    fn default() -> Linux {
        Linux { can_segment: true }
    }
}

/// A socket address of either family. `sockaddr_in` has the layout of the beginning of `sockaddr_in6`: its port is at the
/// same offset, and its address is where the other has its flow information.
type Name = libc::sockaddr_in6;

/// A control message that says how long a segment is, as `CMSG_FIRSTHDR` and `CMSG_DATA` would lay it out.
#[repr(C)]
#[derive(Clone, Copy)]
struct Segment {
    header: libc::cmsghdr,
    bytes: u16,
}

/// A control message that says which of our addresses a message leaves from, over IPv4 and over IPv6.
#[repr(C)]
#[derive(Clone, Copy)]
struct SourceV4 {
    header: libc::cmsghdr,
    info: libc::in_pktinfo,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct SourceV6 {
    header: libc::cmsghdr,
    info: libc::in6_pktinfo,
}

#[repr(C)]
#[derive(Clone, Copy)]
union SourceControl {
    v4: SourceV4,
    v6: SourceV6,
}

/// What goes along with a message that is sent: a control message of each kind, one behind the other. Either may be left out.
#[repr(C)]
#[derive(Clone, Copy)]
struct SentControl {
    segment: Segment,
    source: SourceControl,
}

/// Room for what the system says about a message that arrived: how long its datagrams are, and where it came in.
#[repr(C)]
#[derive(Clone, Copy)]
struct ReceivedControl {
    /// So that headers are where the system expects them.
    _alignment: [libc::cmsghdr; 0],
    bytes: [u8; RECEIVED_CONTROL_BYTES],
}

/// Three control messages of up to 48 bytes: nothing else is asked for.
const RECEIVED_CONTROL_BYTES: usize = 144;

impl Calls for Linux {
    fn receive(&mut self, socket: &UdpSocket, batch: &mut Batch) -> io::Result<()> {
        let mut names: [Name; BATCH] = zeroed();
        let mut slices: [libc::iovec; BATCH] = zeroed();
        let mut control: [ReceivedControl; BATCH] = zeroed();
        let mut headers: [libc::mmsghdr; BATCH] = zeroed();
        let places = names.iter_mut().zip(&mut slices).zip(&mut control).zip(batch.slots());
        for (header, (((name, slice), control), slot)) in headers.iter_mut().zip(places) {
            *slice = libc::iovec { iov_base: slot.as_mut_ptr().cast(), iov_len: slot.len() };
            let header = &mut header.msg_hdr;
            header.msg_name = ptr::from_mut(name).cast();
            header.msg_namelen = size_of::<Name>() as libc::socklen_t;
            header.msg_iov = slice;
            header.msg_iovlen = 1;
            header.msg_control = ptr::from_mut(control).cast();
            header.msg_controllen = RECEIVED_CONTROL_BYTES as _;
        }
        // SAFETY: `headers` has BATCH entries, each with room for a name, control messages and one slice of writable bytes,
        // and with their true sizes; all of them live, and are touched by nobody else, until the call returns.
        let count = unsafe {
            let headers = headers.as_mut_ptr();
            libc::recvmmsg(socket.as_raw_fd(), headers, BATCH as _, libc::MSG_DONTWAIT as _, ptr::null_mut())
        };
        let count = usize::try_from(count).map_err(|_| io::Error::last_os_error())?;
        for (header, name) in headers.iter().zip(&names).take(count) {
            let length = header.msg_len as usize;
            // SAFETY: the system has filled in this header, and what it points to is still there.
            let control = unsafe { control_data(&header.msg_hdr) };
            batch.note(address(name), control.local, (length, control.segment.unwrap_or(length)));
        }
        Ok(())
    }

    fn send(&mut self, socket: &UdpSocket, queue: &Queue, first: usize) -> io::Result<usize> {
        let sent = send_runs(socket, queue, first..queue.len(), self.can_segment);
        let Err(error) = &sent else { return sent };
        // The error is about the first message. If that is a single datagram, it is not about segments.
        let count = queue.run(first, self.can_segment).map_or(0, |run| run.count);
        if count < 2 || !(cannot_segment(error) || is_too_large(error)) {
            return sent;
        }
        let cannot_segment = cannot_segment(error);
        let sent = send_runs(socket, queue, first..first + count, false);
        // What fails either way, such as an address that is not ours any more, says nothing about segments.
        self.can_segment = !(cannot_segment && sent.is_ok());
        sent
    }
}

/// What the system says about a message that arrived.
#[derive(Default)]
struct ControlData {
    /// The size of a datagram, if the message has several.
    segment: Option<usize>,
    local: LocalEnd,
}

/// Reads the control messages of a message that arrived.
///
/// # Safety
/// The system must have filled in the header, and what it points to must still be there.
unsafe fn control_data(header: &libc::msghdr) -> ControlData {
    let mut data = ControlData::default();
    // SAFETY: the caller's promise; these walk within the length that the system has set.
    let mut next = unsafe { libc::CMSG_FIRSTHDR(header) };
    while !next.is_null() {
        // SAFETY: `next` is a control message of the header, aligned as the buffer is, with as many bytes as it says.
        let (control, bytes) = unsafe {
            let control = next.read_unaligned();
            let length = (control.cmsg_len as usize).saturating_sub(libc::CMSG_LEN(0) as usize);
            (control, std::slice::from_raw_parts(libc::CMSG_DATA(next), length))
        };
        data.note(control.cmsg_level, control.cmsg_type, bytes);
        // SAFETY: as above.
        next = unsafe { libc::CMSG_NXTHDR(header, next) };
    }
    data
}

impl ControlData {
    fn note(&mut self, level: libc::c_int, kind: libc::c_int, bytes: &[u8]) {
        match (level, kind) {
            (libc::SOL_UDP, libc::UDP_GRO) => {
                let segment = bytes.first_chunk().map(|bytes| libc::c_int::from_ne_bytes(*bytes));
                self.segment = segment.and_then(|bytes| usize::try_from(bytes).ok()).filter(|&bytes| bytes > 0);
            }
            // `in_pktinfo`: the interface, the address of ours that answers come from, and the one that was sent to.
            (libc::IPPROTO_IP, libc::IP_PKTINFO) => {
                let [interface, answers, _] = words(bytes);
                self.local = local_end(Ipv4Addr::from(answers).into(), interface);
            }
            // `in6_pktinfo`: the address that was sent to, and the interface.
            (libc::IPPROTO_IPV6, libc::IPV6_PKTINFO) => {
                let [a, b, c, d, interface] = words(bytes);
                let ip: [u8; 16] = std::array::from_fn(|index| [a, b, c, d][index / 4][index % 4]);
                self.local = local_end(Ipv6Addr::from(ip).into(), interface);
            }
            _ => {}
        }
    }
}

/// The first words of these bytes; zeros where there are none.
fn words<const N: usize>(bytes: &[u8]) -> [[u8; 4]; N] {
    let mut words = bytes.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
    std::array::from_fn(|_| words.next().unwrap_or_default())
}

/// What was sent to everybody cannot be answered from there.
fn local_end(ip: IpAddr, interface: [u8; 4]) -> LocalEnd {
    let canonical = ip.to_canonical();
    let is_for_all = canonical.is_multicast() || canonical == IpAddr::V4(Ipv4Addr::BROADCAST);
    let ip = (!is_for_all && !ip.is_unspecified()).then_some(ip);
    let interface = u32::from_ne_bytes(interface);
    LocalEnd { ip, interface: (interface != 0).then_some(interface) }
}

/// Sends up to BATCH runs of these datagrams in one call; if they are not to be cut up by the system, one by one.
fn send_runs(socket: &UdpSocket, queue: &Queue, datagrams: Range<usize>, can_segment: bool) -> io::Result<usize> {
    let mut names: [Name; BATCH] = zeroed();
    let mut slices: [libc::iovec; BATCH] = zeroed();
    let mut accompaniments: [SentControl; BATCH] = zeroed();
    let mut headers: [libc::mmsghdr; BATCH] = zeroed();
    let mut counts = [0; BATCH];
    let mut runs = 0;
    let mut next = datagrams.start;
    while next < datagrams.end
        && runs < BATCH
        && let Some(run) = queue.run(next, can_segment)
    {
        let header = &mut headers[runs].msg_hdr;
        address_message(header, &mut names[runs], run.addresses.to);
        fill_message(header, &mut slices[runs], &run);
        accompaniments[runs].attach(header, &run);
        counts[runs] = run.count;
        next += run.count;
        runs += 1;
    }
    // SAFETY: the first `runs` of `headers` point to a name, a slice of bytes of `queue` and perhaps control
    // messages, each with its true length; the system only reads them, and all of them live until the call returns.
    let sent = unsafe { libc::sendmmsg(socket.as_raw_fd(), headers.as_mut_ptr(), runs as _, libc::MSG_DONTWAIT as _) };
    let sent = usize::try_from(sent).map_err(|_| io::Error::last_os_error())?;
    Ok(counts.iter().take(sent).sum())
}

fn address_message(header: &mut libc::msghdr, name: &mut Name, to: SocketAddr) {
    header.msg_namelen = write_address(name, to);
    header.msg_name = ptr::from_mut(name).cast();
}

fn fill_message(header: &mut libc::msghdr, slice: &mut libc::iovec, run: &Run) {
    *slice = libc::iovec { iov_base: run.bytes.as_ptr().cast_mut().cast(), iov_len: run.bytes.len() };
    header.msg_iov = slice;
    header.msg_iovlen = 1;
}

impl SentControl {
    /// Says what is to be said with a run, if anything is: how it is cut up, and where it leaves from.
    fn attach(&mut self, header: &mut libc::msghdr, run: &Run) {
        let segment_bytes = if run.count > 1 { self.segment.set(run.segment) } else { 0 };
        let source_bytes = self.source.set(run.addresses);
        if segment_bytes + source_bytes == 0 {
            return;
        }
        let begin = if segment_bytes > 0 { 0 } else { mem::offset_of!(SentControl, source) };
        header.msg_control = ptr::from_mut(self).cast::<u8>().wrapping_add(begin).cast();
        header.msg_controllen = (segment_bytes + source_bytes) as _;
    }
}

impl Segment {
    /// Returns how much room it takes: all of it, for another control message may follow.
    fn set(&mut self, bytes: usize) -> usize {
        self.header.cmsg_level = libc::SOL_UDP;
        self.header.cmsg_type = libc::UDP_SEGMENT;
        self.header.cmsg_len = (mem::offset_of!(Segment, bytes) + size_of::<u16>()) as _;
        self.bytes = bytes as u16;
        mem::offset_of!(SentControl, source)
    }
}

impl SourceControl {
    /// Returns how much room it takes: none if any of our addresses will do. A socket of IPv6 speaks IPv4 in the words of IPv6.
    fn set(&mut self, addresses: DatagramAddresses) -> usize {
        match (addresses.to, addresses.from) {
            (SocketAddr::V4(_), Some(IpAddr::V4(from))) => {
                let mut source: [SourceV4; 1] = zeroed();
                source[0].header.cmsg_level = libc::IPPROTO_IP;
                source[0].header.cmsg_type = libc::IP_PKTINFO;
                source[0].header.cmsg_len = (mem::offset_of!(SourceV4, info) + size_of::<libc::in_pktinfo>()) as _;
                source[0].info.ipi_spec_dst.s_addr = u32::from_ne_bytes(from.octets());
                self.v4 = source[0];
                size_of::<SourceV4>()
            }
            (SocketAddr::V6(_), Some(IpAddr::V6(from))) => {
                let mut source: [SourceV6; 1] = zeroed();
                source[0].header.cmsg_level = libc::IPPROTO_IPV6;
                source[0].header.cmsg_type = libc::IPV6_PKTINFO;
                source[0].header.cmsg_len = (mem::offset_of!(SourceV6, info) + size_of::<libc::in6_pktinfo>()) as _;
                source[0].info.ipi6_addr.s6_addr = from.octets();
                self.v6 = source[0];
                size_of::<SourceV6>()
            }
            _ => 0,
        }
    }
}

/// Whether a system or its network card cannot cut messages into segments.
fn cannot_segment(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EIO | libc::EOPNOTSUPP | libc::ENOPROTOOPT))
}

/// Whether a segment does not fit into a packet of that way. Older systems say EINVAL.
fn is_too_large(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMSGSIZE | libc::EINVAL))
}

/// Lets a socket go by the MTU of its interface, whatever ICMP says about the way beyond it. Where the system cannot, what
/// does not fit is still sent, one by one.
pub(super) fn ignore_path_mtu(socket: &UdpSocket) {
    // A socket for both families needs both. An IPv4 socket refuses the second, which does no harm.
    set_option(socket, (libc::IPPROTO_IP, libc::IP_MTU_DISCOVER), libc::IP_PMTUDISC_INTERFACE);
    set_option(socket, (libc::IPPROTO_IPV6, libc::IPV6_MTU_DISCOVER), libc::IPV6_PMTUDISC_INTERFACE);
}

fn set_option(socket: &UdpSocket, (level, name): (libc::c_int, libc::c_int), value: libc::c_int) {
    let length = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: the system reads `length` bytes of `value`, which lives until the call returns.
    let _ = unsafe { libc::setsockopt(socket.as_raw_fd(), level, name, ptr::from_ref(&value).cast(), length) };
}

fn address(name: &Name) -> SocketAddr {
    let port = u16::from_be(name.sin6_port);
    if i32::from(name.sin6_family) == libc::AF_INET {
        return SocketAddr::new(Ipv4Addr::from(name.sin6_flowinfo.to_ne_bytes()).into(), port);
    }
    let ip = Ipv6Addr::from(name.sin6_addr.s6_addr);
    SocketAddrV6::new(ip, port, name.sin6_flowinfo, name.sin6_scope_id).into()
}

/// Writes an address, and returns how long it is.
fn write_address(name: &mut Name, address: SocketAddr) -> libc::socklen_t {
    name.sin6_port = address.port().to_be();
    let length = match address {
        SocketAddr::V4(v4) => {
            name.sin6_family = libc::AF_INET as libc::sa_family_t;
            name.sin6_flowinfo = u32::from_ne_bytes(v4.ip().octets());
            size_of::<libc::sockaddr_in>()
        }
        SocketAddr::V6(v6) => {
            name.sin6_family = libc::AF_INET6 as libc::sa_family_t;
            name.sin6_addr.s6_addr = v6.ip().octets();
            name.sin6_flowinfo = v6.flowinfo();
            name.sin6_scope_id = v6.scope_id();
            size_of::<Name>()
        }
    };
    length as libc::socklen_t
}

/// Structures of C that are valid when all their bytes are zero.
trait Zero {}
impl Zero for libc::sockaddr_in6 {}
impl Zero for libc::iovec {}
impl Zero for libc::mmsghdr {}
impl Zero for SentControl {}
impl Zero for SourceV4 {}
impl Zero for SourceV6 {}
impl Zero for ReceivedControl {}

fn zeroed<T: Zero, const N: usize>() -> [T; N] {
    // SAFETY: these are integers, arrays of integers and pointers, for all of which zero is a valid value.
    unsafe { mem::zeroed() }
}
