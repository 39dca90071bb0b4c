//! Peers that are gone: ICMP errors that came back for what a socket sent (ruling C6).
//!
//! Linux keeps them in the socket's error queue, with the address that the lost datagram was for. Other systems have no
//! such queue; there, sessions end by time-out.

use std::net::{SocketAddr, UdpSocket};

/// Asks the system to keep ICMP errors for this socket. Where it cannot, sessions still end by time-out.
pub fn keep_errors(socket: &UdpSocket) {
    #[cfg(target_os = "linux")]
    linux::keep_errors(socket);
    #[cfg(not(target_os = "linux"))]
    let _ = socket;
}

/// The next address where nobody listens any more.
pub fn next(socket: &UdpSocket) -> Option<SocketAddr> {
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
        net::{SocketAddr, UdpSocket},
        os::fd::AsRawFd,
    };

    use nix::{
        errno::Errno,
        sys::socket::{
            ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, setsockopt,
            sockopt::{Ipv4RecvErr, Ipv6RecvErr},
        },
    };

    /// Enough for a `sock_extended_err` with an address, which is all that is asked for.
    const CONTROL_BYTES: usize = 256;

    pub fn keep_errors(socket: &UdpSocket) {
        // A socket for both families needs both. An IPv4 socket refuses the second, which does no harm.
        let _ = setsockopt(socket, Ipv4RecvErr, &true);
        let _ = setsockopt(socket, Ipv6RecvErr, &true);
    }

    pub fn next(socket: &UdpSocket) -> Option<SocketAddr> {
        loop {
            // The payload does not matter, only the address.
            let mut payload = [0; 1];
            let mut slices = [IoSliceMut::new(&mut payload)];
            let mut space = [0; CONTROL_BYTES];
            let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
            let message = recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut slices, Some(&mut space), flags).ok()?;
            let refused = message.cmsgs().ok()?.any(|control| is_refusal(&control));
            if let Some(address) = message.address.as_ref().and_then(address).filter(|_| refused) {
                return Some(address);
            }
        }
    }

    fn is_refusal(control: &ControlMessageOwned) -> bool {
        match control {
            ControlMessageOwned::Ipv4RecvErr(error, _) | ControlMessageOwned::Ipv6RecvErr(error, _) => {
                error.ee_errno == Errno::ECONNREFUSED as u32
            }
            _ => false,
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
    fn c6_an_address_where_nobody_listens_is_reported() {
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
        assert_eq!(named, Some(gone));
    }
}
