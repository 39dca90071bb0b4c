//! `recvmmsg` and `sendmmsg`, and the only `unsafe` of the node.
//!
//! Headers are built on the stack for each call, so no pointer outlives the memory that it points to.
#![allow(unsafe_code, reason = "the two system calls have no safe interface")]

use std::{
    io, mem,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6, UdpSocket},
    os::fd::AsRawFd,
    ptr,
};

use super::{BATCH, Batch, Calls, Queue, queue::Run};

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

/// A control message that says how long the datagrams of a message are.
#[repr(C)]
#[derive(Clone, Copy)]
struct Gathered {
    header: libc::cmsghdr,
    bytes: libc::c_int,
}

impl Calls for Linux {
    fn receive(&mut self, socket: &UdpSocket, batch: &mut Batch) -> io::Result<()> {
        let mut names: [Name; BATCH] = zeroed();
        let mut slices: [libc::iovec; BATCH] = zeroed();
        let mut gathered: [Gathered; BATCH] = zeroed();
        let mut headers: [libc::mmsghdr; BATCH] = zeroed();
        let places = names.iter_mut().zip(&mut slices).zip(&mut gathered).zip(batch.slots());
        for (header, (((name, slice), control), slot)) in headers.iter_mut().zip(places) {
            *slice = libc::iovec { iov_base: slot.as_mut_ptr().cast(), iov_len: slot.len() };
            let header = &mut header.msg_hdr;
            header.msg_name = ptr::from_mut(name).cast();
            header.msg_namelen = size_of::<Name>() as libc::socklen_t;
            header.msg_iov = slice;
            header.msg_iovlen = 1;
            header.msg_control = ptr::from_mut(control).cast();
            header.msg_controllen = size_of::<Gathered>() as _;
        }
        // SAFETY: `headers` has BATCH entries, each with room for a name, a control message and one slice of writable bytes,
        // and with their true sizes; all of them live, and are touched by nobody else, until the call returns.
        let count = unsafe {
            let headers = headers.as_mut_ptr();
            libc::recvmmsg(socket.as_raw_fd(), headers, BATCH as _, libc::MSG_DONTWAIT as _, ptr::null_mut())
        };
        let count = usize::try_from(count).map_err(|_| io::Error::last_os_error())?;
        for ((header, name), control) in headers.iter().zip(&names).zip(&gathered).take(count) {
            let length = header.msg_len as usize;
            batch.note(address(name), length, control.segment().unwrap_or(length));
        }
        Ok(())
    }

    fn send(&mut self, socket: &UdpSocket, queue: &Queue, first: usize) -> io::Result<usize> {
        match self.send_runs(socket, queue, first) {
            // The error is about the first message. If that is a single datagram, it is not about segments.
            Err(error)
                if is_segmentation_error(&error)
                    && queue.run(first, self.can_segment).is_some_and(|run| run.count > 1) =>
            {
                self.can_segment = false;
                self.send_runs(socket, queue, first)
            }
            other => other,
        }
    }
}

impl Gathered {
    /// The size of a datagram, if the message has several. The system leaves zeroes if it sets nothing.
    fn segment(&self) -> Option<usize> {
        let is_set = self.header.cmsg_level == libc::SOL_UDP && self.header.cmsg_type == libc::UDP_GRO;
        usize::try_from(self.bytes).ok().filter(|&bytes| is_set && bytes > 0)
    }
}

impl Linux {
    /// Sends up to BATCH runs of datagrams in one call.
    fn send_runs(&self, socket: &UdpSocket, queue: &Queue, first: usize) -> io::Result<usize> {
        let mut names: [Name; BATCH] = zeroed();
        let mut slices: [libc::iovec; BATCH] = zeroed();
        let mut segments: [Segment; BATCH] = zeroed();
        let mut headers: [libc::mmsghdr; BATCH] = zeroed();
        let mut counts = [0; BATCH];
        let mut runs = 0;
        let mut next = first;
        while let Some(run) = queue.run(next, self.can_segment).filter(|_| runs < BATCH) {
            let header = &mut headers[runs].msg_hdr;
            address_message(header, &mut names[runs], run.to);
            fill_message(header, &mut slices[runs], &mut segments[runs], &run);
            counts[runs] = run.count;
            next += run.count;
            runs += 1;
        }
        // SAFETY: the first `runs` of `headers` point to a name, a slice of bytes of `queue` and perhaps a control
        // message, each with its true length; the system only reads them, and all of them live until the call returns.
        let sent =
            unsafe { libc::sendmmsg(socket.as_raw_fd(), headers.as_mut_ptr(), runs as _, libc::MSG_DONTWAIT as _) };
        let sent = usize::try_from(sent).map_err(|_| io::Error::last_os_error())?;
        Ok(counts.iter().take(sent).sum())
    }
}

fn address_message(header: &mut libc::msghdr, name: &mut Name, to: SocketAddr) {
    header.msg_namelen = write_address(name, to);
    header.msg_name = ptr::from_mut(name).cast();
}

fn fill_message(header: &mut libc::msghdr, slice: &mut libc::iovec, segment: &mut Segment, run: &Run) {
    *slice = libc::iovec { iov_base: run.bytes.as_ptr().cast_mut().cast(), iov_len: run.bytes.len() };
    header.msg_iov = slice;
    header.msg_iovlen = 1;
    if run.count > 1 {
        segment.header.cmsg_level = libc::SOL_UDP;
        segment.header.cmsg_type = libc::UDP_SEGMENT;
        segment.header.cmsg_len = (mem::offset_of!(Segment, bytes) + size_of::<u16>()) as _;
        segment.bytes = run.segment as u16;
        header.msg_control = ptr::from_mut(segment).cast();
        header.msg_controllen = size_of::<Segment>() as _;
    }
}

/// The error of a system that cannot cut messages into segments, or whose network card cannot.
fn is_segmentation_error(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EIO | libc::EINVAL | libc::EOPNOTSUPP | libc::ENOPROTOOPT))
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
impl Zero for Segment {}
impl Zero for Gathered {}

fn zeroed<T: Zero, const N: usize>() -> [T; N] {
    // SAFETY: these are integers, arrays of integers and pointers, for all of which zero is a valid value.
    unsafe { mem::zeroed() }
}
