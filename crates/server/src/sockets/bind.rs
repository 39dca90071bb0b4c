//! Sockets as a node needs them: they never block, have room, and tell of peers that are gone.

use std::{
    io,
    net::{IpAddr, SocketAddr, TcpListener, UdpSocket},
};

use socket2::{Domain, Protocol, Socket, Type};

use crate::{mmsg, unreachable};

/// Room for what arrives while a shard is busy: the system's default holds only a few hundred small datagrams.
const RECEIVE_BUFFER_BYTES: usize = 4 << 20;
/// Connections that wait to be accepted.
const BACKLOG: i32 = 1024;

/// A UDP socket.
pub(super) fn bind(address: IpAddr, port: u16) -> io::Result<UdpSocket> {
    let socket = socket(address, Type::DGRAM, Protocol::UDP)?;
    finish(socket, address, port)
}

/// A UDP socket for each of so many shards, all at one port. On Linux the system spreads peers over them by their
/// addresses. Elsewhere the first one gets everything, and the others are good for sending.
pub(super) fn bind_for_all(address: IpAddr, port: u16, count: usize) -> io::Result<Vec<UdpSocket>> {
    // The first is bound alone, so that a port that another program has is found out.
    let first = bind(address, port)?;
    let port = first.local_addr()?.port();
    let mut sockets = vec![first];
    while sockets.len() < count {
        let next = bind_beside(&sockets[0], address, port)?;
        sockets.push(next);
    }
    Ok(sockets)
}

#[cfg(target_os = "linux")]
fn bind_beside(first: &UdpSocket, address: IpAddr, port: u16) -> io::Result<UdpSocket> {
    socket2::SockRef::from(first).set_reuse_port(true)?;
    let socket = socket(address, Type::DGRAM, Protocol::UDP)?;
    socket.set_reuse_port(true)?;
    finish(socket, address, port)
}

#[cfg(not(target_os = "linux"))]
fn bind_beside(first: &UdpSocket, _: IpAddr, _: u16) -> io::Result<UdpSocket> {
    first.try_clone()
}

fn finish(socket: Socket, address: IpAddr, port: u16) -> io::Result<UdpSocket> {
    // Less than wished for is no reason to fail.
    let _ = socket.set_recv_buffer_size(RECEIVE_BUFFER_BYTES);
    socket.bind(&SocketAddr::new(address, port).into())?;
    let socket = socket.into();
    unreachable::keep_errors(&socket);
    mmsg::gather(&socket);
    Ok(socket)
}

/// Whether everybody on a network is meant by an address of this machine's. A socket can be bound to it and hears
/// nobody; which addresses these are only the system knows, and says so when one is to be sent to. Nothing is sent.
pub(super) fn is_broadcast(address: IpAddr) -> bool {
    let Ok(socket) = UdpSocket::bind((address, 0)) else { return false };
    let ways_there = |is_allowed| socket.set_broadcast(is_allowed).and_then(|()| socket.connect((address, 9)));
    ways_there(false).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied) && ways_there(true).is_ok()
}

/// A TCP listener.
pub(super) fn listen(address: IpAddr, port: u16) -> io::Result<TcpListener> {
    let socket = socket(address, Type::STREAM, Protocol::TCP)?;
    socket.set_reuse_address(true)?;
    socket.bind(&SocketAddr::new(address, port).into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// A socket that never blocks; `::` takes IPv4 as well.
fn socket(address: IpAddr, kind: Type, protocol: Protocol) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(SocketAddr::new(address, 0)), kind, Some(protocol))?;
    if address.is_ipv6() {
        socket.set_only_v6(false)?;
    }
    socket.set_nonblocking(true)?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeSet,
        net::Ipv4Addr,
        time::{Duration, Instant},
    };

    use super::*;

    const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    #[test]
    fn a_port_that_another_node_has_is_refused_though_its_shards_share_it() {
        let sockets = bind_for_all(LOOPBACK, 0, 3).expect("three sockets");
        let ports: BTreeSet<u16> =
            sockets.iter().map(|socket| socket.local_addr().expect("an address").port()).collect();
        assert_eq!(ports.len(), 1);
        let port = *ports.first().expect("a port");
        assert!(bind_for_all(LOOPBACK, port, 3).is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn an_address_of_a_whole_network_is_told_from_one_of_a_machine() {
        let is_broadcast = |address: &str| is_broadcast(address.parse().expect("an address"));
        assert!(is_broadcast("127.255.255.255"));
        assert!(!["127.0.0.1", "127.0.0.5", "0.0.0.0", "::", "::1", "192.0.2.1"].into_iter().any(is_broadcast));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_spreads_peers_over_the_sockets_and_a_peer_keeps_its_socket() {
        let sockets = bind_for_all(LOOPBACK, 0, 4).expect("four sockets");
        let to = sockets[0].local_addr().expect("an address");
        let mut reached = BTreeSet::new();
        for _ in 0..64 {
            let peer = UdpSocket::bind((LOOPBACK, 0)).expect("a socket");
            (0..3).for_each(|_| assert!(peer.send_to(b"knock", to).is_ok()));
            let mut by_shard = [0; 4];
            let began = Instant::now();
            while by_shard.iter().sum::<usize>() < 3 && began.elapsed() < Duration::from_secs(20) {
                let arrived = |socket: &UdpSocket| usize::from(socket.recv(&mut [0; 9]).is_ok());
                by_shard.iter_mut().zip(&sockets).for_each(|(count, socket)| *count += arrived(socket));
            }
            let shard = by_shard.iter().position(|count| *count == 3);
            reached.insert(shard.unwrap_or_else(|| panic!("one socket gets all of a peer: {by_shard:?}")));
        }
        assert!(reached.len() > 1, "{reached:?}");
    }
}
