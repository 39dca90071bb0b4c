//! Opens sockets as a node needs them: they never block, have large buffers, and report peers that are gone.

use std::{
    io,
    net::{IpAddr, SocketAddr, TcpListener, UdpSocket},
};

use socket2::{Domain, Protocol, Socket, Type};

use crate::{mmsg, unreachable};

/// Room for what arrives while a shard is busy: the system's default holds only a few hundred small datagrams.
const RECEIVE_BUFFER_BYTES: usize = 4 << 20;
/// How many connections may wait to be accepted.
const BACKLOG: i32 = 1024;

pub(super) fn bind(address: IpAddr, port: u16) -> io::Result<UdpSocket> {
    let socket = socket(address, Type::DGRAM, Protocol::UDP)?;
    finish(socket, address, port)
}

/// A UDP socket for each of `count` shards, all at one port. Linux spreads peers over them by address. On other systems the
/// first one receives everything, and the others can only send.
pub(super) fn bind_for_all(address: IpAddr, port: u16, count: usize) -> io::Result<Vec<UdpSocket>> {
    // The first is bound without sharing, so that this fails if another program uses the port.
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
    // A smaller buffer is no reason to fail.
    let _ = socket.set_recv_buffer_size(RECEIVE_BUFFER_BYTES);
    socket.bind(&SocketAddr::new(address, port).into())?;
    let socket = socket.into();
    unreachable::keep_errors(&socket);
    mmsg::enable_gro(&socket);
    mmsg::ignore_path_mtu(&socket);
    // On loopback there is nothing to choose and nothing to find out.
    if !address.is_loopback() {
        mmsg::enable_local_end(&socket);
    }
    Ok(socket)
}

/// Whether this is a broadcast address of this machine. A socket can be bound to it, but nobody can connect. Only the
/// system knows these addresses: it lets a socket connect to one only if broadcasts are allowed. Nothing is sent.
pub(super) fn is_broadcast(address: IpAddr) -> bool {
    let Ok(socket) = UdpSocket::bind((address, 0)) else { return false };
    let connect = |is_allowed| socket.set_broadcast(is_allowed).and_then(|()| socket.connect((address, 9)));
    connect(false).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied) && connect(true).is_ok()
}

pub(super) fn listen(address: IpAddr, port: u16) -> io::Result<TcpListener> {
    let socket = socket(address, Type::STREAM, Protocol::TCP)?;
    socket.set_reuse_address(true)?;
    socket.bind(&SocketAddr::new(address, port).into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// A socket that never blocks; `::` includes IPv4.
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
    #[cfg(target_os = "linux")]
    use crate::mmsg::tests::narrow_way;

    const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    #[test]
    fn the_port_of_another_node_is_refused_although_its_shards_share_it() {
        let sockets = bind_for_all(LOOPBACK, 0, 3).expect("three sockets");
        let ports: BTreeSet<u16> =
            sockets.iter().map(|socket| socket.local_addr().expect("an address").port()).collect();
        assert_eq!(ports.len(), 1);
        let port = *ports.first().expect("a port");
        assert!(bind_for_all(LOOPBACK, port, 3).is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_icmp_says_about_the_way_to_a_peer_is_not_believed() {
        let test = "sockets::bind::tests::what_icmp_says_about_the_way_to_a_peer_is_not_believed";
        narrow_way::run(test, || {
            let (node, peer) = (bind(LOOPBACK, 0).expect("a socket"), bind(narrow_way::NARROW, 0));
            let to = peer.and_then(|peer| peer.local_addr()).expect("an address");
            let mut sender = mmsg::DatagramSender::<mmsg::System>::new(8, 1 << 16);
            assert!((0..8).all(|_| sender.push(mmsg::DatagramAddresses { to, from: None }, &[7; 1000])));
            sender.flush(&node);
            let counts = sender.take_counts();
            assert_eq!((counts.sent, counts.calls), (8, 1), "{counts:?}");
        });
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_broadcast_address_is_recognised() {
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
