//! What a shard sends through: its sockets and the rings to other shards. It does what the core wants done.
//!
//! Datagrams are collected and leave together at the end of a round. A door has a queue of its own; lobby ports, of which
//! there may be hundreds, share one, because a lobby says all that it has to say in one go.

use std::{
    collections::BTreeMap,
    io,
    net::{IpAddr, UdpSocket},
    os::fd::AsRawFd,
};

use mio::{Interest, Registry, unix::SourceFd};
use protocol::{Dialect, LobbyId};

use super::{
    bind,
    clock::Clock,
    links::Links,
    readiness::ReadySource,
    rings::Rings,
    streams::{Accepted, Streams},
};
use crate::{
    archive::Archive,
    core::{Drop, Effect, Endpoint, Parcel, PeerKey, Record, RecordingPiece, ShardId, StreamId},
    mmsg::{DatagramAddresses, DatagramSender},
    recordings::Recordings,
    saves::Saves,
};

/// Datagrams that wait in one queue, and their bytes, before they are sent in the middle of a round.
const QUEUE_DATAGRAMS: usize = 256;
const QUEUE_BYTES: usize = 128 << 10;

/// All that a shard sends through.
pub(super) struct Senders {
    bind: IpAddr,
    registry: Registry,
    doors: [Option<Door>; Dialect::ALL.len()],
    are_doors_watched: bool,
    lobby_ports: BTreeMap<u16, LobbyPort>,
    /// For all lobby ports: what waits in it is from `sending`.
    lobby_sender: DatagramSender,
    sending: Option<(Dialect, u16)>,
    /// What was lost in sending, to be counted.
    lost: Vec<(Dialect, Drop, u64)>,
    pub streams: Streams,
    pub links: Links,
    pub rings: Rings,
    /// Where what became of games is kept, if anywhere.
    pub archive: Option<Archive>,
    /// Where recorded games are kept, if anywhere.
    pub recordings: Option<Recordings>,
    /// Where lobbies are saved, if anywhere, and the clock that they go by.
    pub saves: Option<(Saves, Clock)>,
}

/// Whether a lobby's port could be opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct PortResult {
    pub port: u16,
    pub is_open: bool,
}

struct Door {
    socket: UdpSocket,
    sender: DatagramSender,
}

struct LobbyPort {
    dialect: Dialect,
    socket: UdpSocket,
}

impl Senders {
    pub fn new(bind: IpAddr, registry: Registry, rings: Rings) -> Senders {
        Senders {
            bind,
            registry,
            doors: Default::default(),
            are_doors_watched: false,
            lobby_ports: BTreeMap::new(),
            lobby_sender: DatagramSender::new(QUEUE_DATAGRAMS, QUEUE_BYTES),
            sending: None,
            lost: Vec::new(),
            streams: Streams::default(),
            links: Links::default(),
            rings,
            archive: None,
            recordings: None,
            saves: None,
        }
    }

    pub fn add_door(&mut self, dialect: Dialect, socket: UdpSocket) -> io::Result<()> {
        if self.are_doors_watched {
            register(&self.registry, ReadySource::Door(dialect), &socket)?;
        }
        let sender = DatagramSender::new(QUEUE_DATAGRAMS, QUEUE_BYTES);
        self.doors[dialect as usize] = Some(Door { socket, sender });
        Ok(())
    }

    pub fn add_listener(&mut self, dialect: Dialect, listener: std::net::TcpListener) -> io::Result<()> {
        self.streams.listen(&self.registry, dialect, listener)
    }

    /// Lets the system say when something arrives at a door, or not. A shard that looks at its doors in each phase anyway
    /// is better off without: for a socket that is watched, every datagram that leaves costs the system a look as well.
    pub fn watch_doors(&mut self, are_watched: bool) -> io::Result<()> {
        if self.are_doors_watched == are_watched {
            return Ok(());
        }
        for (dialect, door) in Dialect::ALL.into_iter().zip(&self.doors) {
            match door {
                Some(door) if are_watched => register(&self.registry, ReadySource::Door(dialect), &door.socket)?,
                Some(door) => self.registry.deregister(&mut SourceFd(&door.socket.as_raw_fd()))?,
                None => {}
            }
        }
        self.are_doors_watched = are_watched;
        Ok(())
    }

    /// Whether the sockets are bound to no address in particular, so that it matters which one a peer speaks to.
    pub fn are_bound_to_all(&self) -> bool {
        self.bind.is_unspecified()
    }

    /// The doors there are.
    pub fn doors(&self) -> impl Iterator<Item = Endpoint> {
        let doors = Dialect::ALL.into_iter().zip(&self.doors);
        doors.filter(|(_, door)| door.is_some()).map(|(dialect, _)| Endpoint::Door(dialect))
    }

    pub fn lobby_endpoint(&self, port: u16) -> Option<Endpoint> {
        self.lobby_ports.get(&port).map(|lobby| Endpoint::Lobby(lobby.dialect, port))
    }

    pub fn socket(&self, endpoint: Endpoint) -> Option<&UdpSocket> {
        match endpoint {
            Endpoint::Door(dialect) => self.doors[dialect as usize].as_ref().map(|door| &door.socket),
            Endpoint::Lobby(_, port) => self.lobby_ports.get(&port).map(|lobby| &lobby.socket),
            Endpoint::Link(..) => None,
        }
    }

    /// Accepts the next stream that waits.
    pub fn accept(&mut self) -> Option<Accepted> {
        self.streams.accept(&self.registry)
    }

    /// Sends all that waits.
    pub fn flush(&mut self) {
        for (dialect, door) in Dialect::ALL.into_iter().zip(&mut self.doors) {
            if let Some(door) = door
                && !door.sender.is_empty()
            {
                door.sender.flush(&door.socket);
                note_lost(&mut self.lost, dialect, &mut door.sender);
            }
        }
        self.flush_lobby();
        self.links.flush();
    }

    /// What was lost in sending since this was last asked.
    pub fn lost(&mut self) -> impl Iterator<Item = (Dialect, Drop, u64)> {
        self.lost.drain(..)
    }

    fn flush_lobby(&mut self) {
        let Some((dialect, port)) = self.sending.take() else { return };
        if let Some(lobby) = self.lobby_ports.get(&port) {
            self.lobby_sender.flush(&lobby.socket);
            note_lost(&mut self.lost, dialect, &mut self.lobby_sender);
        }
    }
}

impl Senders {
    /// Does what the core wants done. For a lobby's port: whether it could be opened.
    pub fn perform(&mut self, effect: Effect) -> Option<PortResult> {
        match effect {
            Effect::SendDatagram { peer, bytes } => self.send(peer, bytes),
            Effect::SendStream { stream, bytes } => self.send_stream(stream, bytes),
            Effect::CloseStream(stream) => self.close_stream(stream),
            Effect::OpenPort { dialect, port } => {
                return Some(PortResult { port, is_open: self.open_port(dialect, port) });
            }
            Effect::ClosePort(port) => self.close_port(port),
            Effect::HandOver { to, parcel } => self.hand_over(to, parcel),
            Effect::BorrowLink(link) => self.links.borrow(link),
            Effect::ReturnLink(link) => self.links.give_back(link),
            Effect::Record(record) => self.record(*record),
            Effect::Recording(piece) => self.record_piece(*piece),
            Effect::Save(lobby, bytes) => self.save(lobby, bytes),
        }
        None
    }

    fn send(&mut self, peer: PeerKey, bytes: &[u8]) {
        let dialect = match peer.endpoint {
            Endpoint::Door(dialect) => dialect,
            Endpoint::Lobby(_, port) => return self.send_from_lobby(peer, port, bytes),
            Endpoint::Link(dialect, link) => return self.send_over_link(dialect, link, bytes),
        };
        let Some(door) = &mut self.doors[dialect as usize] else { return };
        if !door.sender.push(way(peer), bytes) {
            door.sender.flush(&door.socket);
            note_lost(&mut self.lost, dialect, &mut door.sender);
            if !door.sender.push(way(peer), bytes) {
                self.lost.push((dialect, Drop::Unsendable, 1));
            }
        }
    }

    fn send_from_lobby(&mut self, peer: PeerKey, port: u16, bytes: &[u8]) {
        let dialect = peer.dialect();
        if self.sending != Some((dialect, port)) {
            self.flush_lobby();
        }
        if !self.lobby_ports.contains_key(&port) {
            return;
        }
        if !self.lobby_sender.push(way(peer), bytes) {
            self.sending = Some((dialect, port));
            self.flush_lobby();
            if !self.lobby_sender.push(way(peer), bytes) {
                self.lost.push((dialect, Drop::Unsendable, 1));
            }
        }
        self.sending = Some((dialect, port));
    }

    fn send_over_link(&mut self, dialect: Dialect, link: StreamId, bytes: &[u8]) {
        if !self.links.datagram(link, bytes) {
            self.lost.push((dialect, Drop::CrowdedOut, 1));
        }
    }

    fn send_stream(&mut self, stream: StreamId, bytes: &[u8]) {
        if !self.links.stream(stream, bytes) {
            self.streams.send(stream, bytes);
        }
    }

    fn close_stream(&mut self, stream: StreamId) {
        if !self.links.close(stream) {
            self.streams.close(stream);
        }
    }

    fn open_port(&mut self, dialect: Dialect, port: u16) -> bool {
        let opened = bind::bind(self.bind, port).and_then(|socket| {
            register(&self.registry, ReadySource::Lobby(port), &socket)?;
            Ok(socket)
        });
        match opened {
            Ok(socket) => {
                self.lobby_ports.insert(port, LobbyPort { dialect, socket });
                true
            }
            Err(error) => {
                tracing::warn!(port, %error, "cannot open a lobby's port");
                false
            }
        }
    }

    fn close_port(&mut self, port: u16) {
        if self.sending.is_some_and(|(_, sending)| sending == port) {
            self.flush_lobby();
        }
        self.lobby_ports.remove(&port);
    }

    fn hand_over(&mut self, to: ShardId, parcel: Parcel) {
        let dialect = parcel.dialect();
        if !self.rings.put(to, parcel) {
            self.lost.extend(dialect.map(|dialect| (dialect, Drop::RingFull, 1)));
        }
    }

    fn save(&self, lobby: LobbyId, bytes: Option<Vec<u8>>) {
        match (&self.saves, bytes) {
            (Some((saves, clock)), Some(bytes)) => saves.put(clock.now(), lobby, bytes),
            (Some((saves, _)), None) => saves.forget(lobby),
            (None, _) => {}
        }
    }

    fn record_piece(&self, piece: RecordingPiece) {
        if let Some(recordings) = &self.recordings {
            recordings.offer(piece);
        }
    }

    fn record(&mut self, record: Record) {
        if let Some(archive) = &self.archive {
            archive.offer(record);
        }
    }
}

fn way(peer: PeerKey) -> DatagramAddresses {
    DatagramAddresses { to: peer.address, from: peer.local }
}

fn register(registry: &Registry, source: ReadySource, socket: &UdpSocket) -> io::Result<()> {
    registry.register(&mut SourceFd(&socket.as_raw_fd()), source.token(), Interest::READABLE)
}

/// Steady sending loses nothing, and then nothing is noted.
fn note_lost(lost: &mut Vec<(Dialect, Drop, u64)>, dialect: Dialect, sender: &mut DatagramSender) {
    let counts = sender.take_counts();
    let reasons = [(Drop::CrowdedOut, counts.crowded_out), (Drop::Unsendable, counts.failed)];
    lost.extend(reasons.into_iter().filter(|(_, count)| *count > 0).map(|(why, count)| (dialect, why, count)));
}
