//! The half of the relay that carries datagrams: lanes at which clients arrive, and for each client a socket towards the
//! server, or another one after its NAT forgot it.

use std::{
    collections::BTreeMap,
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use mio::{Token, net::UdpSocket};
use network::Binding;
use socket2::SockRef;

use super::{
    relay_network::{PeerId, RelayNetwork, Relayed},
    sources::{SocketPurpose, Sources},
};

/// Clients at once. Datagrams of others are dropped and counted.
const CLIENTS_MAX: usize = 4096;
/// The ports of a server that are reached at once: its own and those of lobbies.
const LANES_MAX: usize = 512;
/// How long nothing may be heard of a client, nor anything for it, before it is forgotten.
const IDLE_MAX: Duration = Duration::from_secs(300);
/// Room for bursts in the system's queues, in bytes.
const SOCKET_BUFFER: usize = 4 << 20;
/// The largest datagram.
const DATAGRAM_MAX: usize = 65_536;
/// The bindings of a client whose sockets stay open: what comes to an older one is lost anyway.
const BINDINGS_KEPT: usize = 2;

/// All clients that send datagrams.
pub struct Datagrams {
    server: IpAddr,
    lanes: Vec<Lane>,
    clients: BTreeMap<PeerId, Client>,
    by_address: BTreeMap<(usize, SocketAddr), PeerId>,
    buffer: Box<[u8]>,
    /// Datagrams dropped because there were too many clients or no socket was left.
    pub dropped: u64,
}

/// A port at which clients arrive, for one port of the server.
struct Lane {
    socket: UdpSocket,
    port: u16,
    server_port: u16,
}

struct Client {
    lane: usize,
    address: SocketAddr,
    upstreams: Vec<Upstream>,
    /// The port from which its TCP connection reached the server: `aecs` expects its datagrams from there too.
    wanted_port: Option<u16>,
    last_active: Duration,
}

/// A socket at which the server sees a client.
struct Upstream {
    binding: Binding,
    socket: UdpSocket,
    token: Token,
}

impl Datagrams {
    /// Opens the first lane.
    pub fn open(listen: SocketAddr, server: SocketAddr, sources: &mut Sources) -> io::Result<Datagrams> {
        let mut datagrams = Datagrams {
            server: server.ip(),
            lanes: Vec::new(),
            clients: BTreeMap::new(),
            by_address: BTreeMap::new(),
            buffer: vec![0; DATAGRAM_MAX].into(),
            dropped: 0,
        };
        datagrams.add_lane(listen, server.port(), sources)?;
        Ok(datagrams)
    }

    pub fn clients(&self) -> usize {
        self.clients.len()
    }

    pub fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// The port at which clients reach that port of the server. Its number is the same if it is free here.
    pub fn lane_to(&mut self, listen: IpAddr, server_port: u16, sources: &mut Sources) -> io::Result<u16> {
        if let Some(lane) = self.lanes.iter().find(|lane| lane.server_port == server_port) {
            return Ok(lane.port);
        }
        if self.lanes.len() >= LANES_MAX {
            return Err(io::Error::other("too many lobbies at once"));
        }
        self.add_lane(SocketAddr::new(listen, server_port), server_port, sources)
            .or_else(|_| self.add_lane(SocketAddr::new(listen, 0), server_port, sources))
    }

    fn add_lane(&mut self, listen: SocketAddr, server_port: u16, sources: &mut Sources) -> io::Result<u16> {
        let mut socket = UdpSocket::bind(listen)?;
        enlarge_buffers(&socket);
        sources.watch(&mut socket, SocketPurpose::Lane(self.lanes.len()))?;
        let port = socket.local_addr()?.port();
        self.lanes.push(Lane { socket, port, server_port });
        Ok(port)
    }

    /// Takes in what clients sent to a lane. `port_of` says from which port a client's TCP connection reached the server.
    pub fn receive_from_clients(
        &mut self,
        lane: usize,
        network: &mut RelayNetwork,
        now: Duration,
        peers: &mut NewPeers<'_>,
    ) {
        while let Some((bytes, from)) = self.take(lane) {
            match self.client(lane, from, now, peers) {
                Some(client) => network.send_up(now, client, Relayed::Datagram(bytes)),
                None => self.dropped += 1,
            }
        }
    }

    /// Takes in what the server sent to a client.
    pub fn receive_from_server(&mut self, client: PeerId, binding: Binding, network: &mut RelayNetwork, now: Duration) {
        let Some(known) = self.clients.get_mut(&client) else { return };
        let Some(upstream) = known.upstreams.iter().find(|upstream| upstream.binding == binding) else { return };
        loop {
            match upstream.socket.recv(&mut self.buffer) {
                Ok(size) => {
                    known.last_active = now;
                    network.send_down(now, client, binding, Relayed::Datagram(self.buffer[..size].into()));
                }
                // Nobody listens there now: somebody may in a moment.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }

    /// A datagram of a client is due at the server.
    pub fn deliver_to_server(&mut self, client: PeerId, binding: Binding, bytes: &[u8], sources: &mut Sources) {
        let sent = match self.upstream(client, binding, sources) {
            Ok(upstream) => upstream.socket.send(bytes),
            Err(error) => Err(error),
        };
        self.dropped += u64::from(sent.is_err_and(|error| error.kind() != io::ErrorKind::ConnectionRefused));
    }

    /// A datagram of the server is due at a client.
    pub fn deliver_to_client(&mut self, client: PeerId, bytes: &[u8]) {
        let Some(known) = self.clients.get(&client) else { return };
        let sent = self.lanes[known.lane].socket.send_to(bytes, known.address);
        self.dropped += u64::from(sent.is_err());
    }

    /// Forgets clients that have gone.
    pub fn forget_idle(&mut self, now: Duration, network: &mut RelayNetwork, sources: &mut Sources) {
        let is_idle = |client: &Client| now.saturating_sub(client.last_active) > IDLE_MAX;
        for (id, client) in self.clients.extract_if(.., |_, client| is_idle(client)) {
            self.by_address.remove(&(client.lane, client.address));
            network.forget(id);
            for mut upstream in client.upstreams {
                sources.forget(&mut upstream.socket, upstream.token);
            }
        }
    }

    fn take(&mut self, lane: usize) -> Option<(Vec<u8>, SocketAddr)> {
        loop {
            match self.lanes[lane].socket.recv_from(&mut self.buffer) {
                Ok((size, from)) => return Some((self.buffer[..size].into(), from)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // An answer of ours found nobody: the next datagram may be somebody else's.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                Err(_) => return None,
            }
        }
    }

    fn client(&mut self, lane: usize, from: SocketAddr, now: Duration, peers: &mut NewPeers<'_>) -> Option<PeerId> {
        if let Some(&known) = self.by_address.get(&(lane, from)) {
            self.clients.get_mut(&known)?.last_active = now;
            return Some(known);
        }
        if self.clients.len() >= CLIENTS_MAX {
            return None;
        }
        let id = (peers.next_id)();
        let wanted_port = (peers.port_of)(from);
        let client = Client { lane, address: from, upstreams: Vec::new(), wanted_port, last_active: now };
        self.clients.insert(id, client);
        self.by_address.insert((lane, from), id);
        Some(id)
    }

    fn upstream(&mut self, id: PeerId, binding: Binding, sources: &mut Sources) -> io::Result<&Upstream> {
        let server = self.server;
        let gone = || io::Error::new(io::ErrorKind::NotFound, "the client has gone");
        let client = self.clients.get_mut(&id).ok_or_else(gone)?;
        if let Some(found) = client.upstreams.iter().position(|upstream| upstream.binding == binding) {
            return Ok(&client.upstreams[found]);
        }
        let port = self.lanes[client.lane].server_port;
        let mut socket = bind_towards(server, client.wanted_port.take())?;
        socket.connect(SocketAddr::new(server, port))?;
        enlarge_buffers(&socket);
        let token = sources.watch(&mut socket, SocketPurpose::Upstream(id, binding))?;
        if client.upstreams.len() >= BINDINGS_KEPT {
            let mut oldest = client.upstreams.remove(0);
            sources.forget(&mut oldest.socket, oldest.token);
        }
        client.upstreams.push(Upstream { binding, socket, token });
        client.upstreams.last().ok_or_else(gone)
    }
}

/// What the relay knows about clients that are new.
pub struct NewPeers<'a> {
    pub next_id: &'a mut dyn FnMut() -> PeerId,
    /// From which port the TCP connection of a client reached the server.
    pub port_of: &'a mut dyn FnMut(SocketAddr) -> Option<u16>,
}

/// A socket of the server's family, at that port if it is free.
fn bind_towards(server: IpAddr, port: Option<u16>) -> io::Result<UdpSocket> {
    let any: IpAddr = match server {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let wanted = port.map(|port| UdpSocket::bind(SocketAddr::new(any, port)));
    match wanted {
        Some(Ok(socket)) => Ok(socket),
        Some(Err(_)) | None => UdpSocket::bind(SocketAddr::new(any, 0)),
    }
}

/// As large as the system allows; it may allow less.
fn enlarge_buffers(socket: &UdpSocket) {
    let socket = SockRef::from(socket);
    let _ = socket.set_recv_buffer_size(SOCKET_BUFFER);
    let _ = socket.set_send_buffer_size(SOCKET_BUFFER);
}
