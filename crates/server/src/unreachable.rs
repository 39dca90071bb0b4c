//! Peers that are gone: ICMP errors that came back for what a socket sent (ruling C6).
//!
//! Linux keeps them in the socket's error queue, with the address that the lost datagram was for, the address that the error
//! came from, and what that quotes of the datagram. Other systems have no such queue; there, sessions end by time-out.

use std::net::{IpAddr, SocketAddr, UdpSocket};

use crate::session::UnreachableHint;

/// An ICMP error "port unreachable".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable {
    /// The address that the lost datagram was for.
    pub address: SocketAddr,
    /// The address of ours that it was sent from, if the system was asked to say so.
    pub local: Option<IpAddr>,
    /// What else the error says.
    pub hint: UnreachableHint,
}

/// Asks the system to keep ICMP errors for this socket. Where it cannot, sessions still end by time-out.
pub fn keep_errors(socket: &UdpSocket) {
    #[cfg(target_os = "linux")]
    linux::keep_errors(socket);
    #[cfg(not(target_os = "linux"))]
    let _ = socket;
}

/// The next error that came for what this socket sent: what it says, if it is a "port unreachable". None: there are no more.
pub fn next(socket: &UdpSocket) -> Option<Option<Unreachable>> {
    #[cfg(target_os = "linux")]
    return linux::next(socket);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = socket;
        None
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        io::IoSliceMut,
        net::{IpAddr, SocketAddr, UdpSocket},
        os::fd::AsRawFd,
    };

    use nix::{
        errno::Errno,
        sys::socket::{
            ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, setsockopt,
            sockopt::{Ipv4RecvErr, Ipv6RecvErr},
        },
    };

    use super::{Unreachable, UnreachableHint};

    /// What is read of the quoted datagram.
    const QUOTE_BYTES: usize = 64;
    /// Enough for a `sock_extended_err` with an address and for where it came in, which is all that is asked for.
    const CONTROL_BYTES: usize = 256;

    pub fn keep_errors(socket: &UdpSocket) {
        // A socket for both families needs both. An IPv4 socket refuses the second, which does no harm.
        let _ = setsockopt(socket, Ipv4RecvErr, &true);
        let _ = setsockopt(socket, Ipv6RecvErr, &true);
    }

    pub fn next(socket: &UdpSocket) -> Option<Option<Unreachable>> {
        let mut quote = [0; QUOTE_BYTES];
        let mut slices = [IoSliceMut::new(&mut quote)];
        let mut space = [0; CONTROL_BYTES];
        let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
        let message = recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut slices, Some(&mut space), flags).ok()?;
        let from = message.cmsgs().ok()?.find_map(|control| refusal_from(&control));
        let local = message.cmsgs().ok()?.find_map(|control| sent_to(&control));
        let (address, quoted) = (message.address.as_ref().and_then(address), message.bytes);
        let refusal = address.zip(from);
        Some(refusal.map(|(address, from)| {
            let hint = UnreachableHint::new(from, &quote[..quoted]);
            Unreachable { address, local, hint }
        }))
    }

    /// Where a "port unreachable" comes from, if this is one and the system says so.
    fn refusal_from(control: &ControlMessageOwned) -> Option<Option<IpAddr>> {
        let (error, from) = match control {
            ControlMessageOwned::Ipv4RecvErr(error, from) => {
                (error, from.map(|from| IpAddr::from(from.sin_addr.s_addr.to_ne_bytes())))
            }
            ControlMessageOwned::Ipv6RecvErr(error, from) => {
                (error, from.map(|from| IpAddr::from(from.sin6_addr.s6_addr)))
            }
            _ => return None,
        };
        (error.ee_errno == Errno::ECONNREFUSED as u32).then_some(from)
    }

    /// The address of ours that the error was sent to.
    fn sent_to(control: &ControlMessageOwned) -> Option<IpAddr> {
        match control {
            ControlMessageOwned::Ipv4PacketInfo(info) => Some(IpAddr::from(info.ipi_addr.s_addr.to_ne_bytes())),
            ControlMessageOwned::Ipv6PacketInfo(info) => Some(IpAddr::from(info.ipi6_addr.s6_addr)),
            _ => None,
        }
    }

    fn address(storage: &SockaddrStorage) -> Option<SocketAddr> {
        let v4 = storage.as_sockaddr_in().map(|address| SocketAddr::V4((*address).into()));
        v4.or_else(|| storage.as_sockaddr_in6().map(|address| SocketAddr::V6((*address).into())))
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    use std::{thread, time::Duration};

    #[cfg(target_os = "linux")]
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn c6_an_address_where_nobody_listens_is_reported_with_where_that_comes_from_and_what_it_quotes() {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        socket.set_nonblocking(true).expect("no blocking");
        keep_errors(&socket);
        let gone = UdpSocket::bind("127.0.0.1:0").expect("a socket").local_addr().expect("its address");
        assert_eq!(next(&socket), None);
        socket.send_to(b"anybody there?", gone).expect("it can be sent");
        let named = (0..100).find_map(|_| {
            thread::sleep(Duration::from_millis(10));
            next(&socket)
        });
        let hint = UnreachableHint::new(Some(gone.ip()), b"anybody there?");
        assert_eq!(named, Some(Some(Unreachable { address: gone, local: None, hint })));
    }
}
