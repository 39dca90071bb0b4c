//! A stand-in for the node, for what the real one does not let a test do: reach a session and speak to it, put things into a
//! world, or play a dialect that is in no table yet. What the node itself decides (who meets whom, who is refused, who must
//! yield) is tested with the real one in `server/tests`.

use game::{Departure, Rules, SEATS, Seat, Stage, World};
use protocol::{
    AnyServerSession, Channel, Desk, DeskAnswer, DeskQuestion, DialectEntry, End, LinkSession, LobbyId, LobbyNotice,
    LobbyRequest, Malformed, Output, Refusal, Request, Scale, Scene, Status, StreamUse, Time, Token, Welcome,
    amplification::Allowance,
};

use super::{
    ClientId,
    network::{Network, Packet},
};

/// The UDP port of the first lobby.
const FIRST_LOBBY_PORT: u16 = 24_500;

/// A game and its players.
pub struct Lobby {
    pub world: World,
    pub scene: Scene,
    pub id: LobbyId,
    pub port: u16,
}

/// A session and where it belongs.
pub struct Peer {
    pub client: ClientId,
    pub port: u16,
    pub door: &'static DialectEntry,
    pub lobby: usize,
    pub seat: Seat,
    pub session: AnyServerSession,
    pub allowance: Allowance,
    /// A stream is open.
    pub has_stream: bool,
}

/// A session that has no seat yet.
pub struct Link {
    pub client: ClientId,
    door: &'static DialectEntry,
    pub session: Box<dyn LinkSession>,
    name: String,
}

/// Somebody who comes, and where they knocked.
struct Guest<'a> {
    client: ClientId,
    door: &'static DialectEntry,
    port: u16,
    name: &'a str,
}

/// A lobby and a seat in it.
type Place = (usize, Seat);

pub struct Node {
    pub lobbies: Vec<Lobby>,
    pub lobbies_max: usize,
    /// The stage of new lobbies.
    pub stage: String,
    pub peers: Vec<Peer>,
    /// Why sessions ended, in order.
    pub ended: Vec<(ClientId, End)>,
    /// What was dropped as malformed, in order.
    pub dropped: Vec<(ClientId, Malformed)>,
    /// Datagrams that the amplification rule held back.
    pub held_back: usize,
    desks: Vec<(ClientId, &'static DialectEntry, Box<dyn Desk>)>,
    /// Links that have no seat yet.
    links: Vec<Link>,
    /// Clients whose stream was opened, so that it is opened once.
    streams_seen: Vec<ClientId>,
    started: Time,
    seed: u64,
}

impl Node {
    pub fn new(started: Time, seed: u64) -> Node {
        Node {
            lobbies: Vec::new(),
            lobbies_max: 16,
            stage: "endless".into(),
            peers: Vec::new(),
            ended: Vec::new(),
            dropped: Vec::new(),
            held_back: 0,
            desks: Vec::new(),
            links: Vec::new(),
            streams_seen: Vec::new(),
            started,
            seed,
        }
    }

    pub fn lobby_of(&self, client: ClientId) -> Option<usize> {
        self.peers.iter().find(|peer| peer.client == client).map(|peer| peer.lobby)
    }

    pub fn peer(&mut self, client: ClientId) -> Option<&mut Peer> {
        self.peers.iter_mut().find(|peer| peer.client == client)
    }

    // ---- What arrives ----

    pub fn receive(&mut self, now: Time, packet: &Packet, network: &mut Network) {
        let result = match packet.channel {
            Channel::Stream => self.receive_stream(now, packet),
            Channel::Datagram => self.receive_datagram(now, packet, network),
        };
        if let Err(malformed) = result {
            self.dropped.push((packet.client, malformed));
        }
    }

    fn receive_stream(&mut self, now: Time, packet: &Packet) -> Result<(), Malformed> {
        if let Some((.., desk)) = self.desks.iter_mut().find(|(client, ..)| *client == packet.client) {
            return desk.receive(now, &packet.bytes);
        }
        if let Some(link) = self.links.iter_mut().find(|link| link.client == packet.client) {
            return link.session.receive(now, Channel::Stream, &packet.bytes).map(drop);
        }
        match self.peer(packet.client) {
            Some(peer) => peer.session.receive(now, Channel::Stream, &packet.bytes).map(drop),
            None => Ok(()),
        }
    }

    fn receive_datagram(&mut self, now: Time, packet: &Packet, network: &mut Network) -> Result<(), Malformed> {
        if let Some(peer) = self.peer(packet.client) {
            peer.allowance.received(now, packet.bytes.len());
            return peer.session.receive(now, Channel::Datagram, &packet.bytes).map(drop);
        }
        let Some((door, lobby)) = self.door_at(packet.port) else { return Ok(()) };
        if matches!(door.stream, StreamUse::OpensSession | StreamUse::Link(_)) {
            return Ok(());
        }
        let Some(request) = (door.read_join)(&packet.bytes)? else { return Ok(()) };
        match self.seat_for(lobby) {
            Some(place) => {
                self.open(
                    now,
                    Guest { client: packet.client, door, port: packet.port, name: &request.into_name() },
                    place,
                );
                let peer = self.peers.last_mut().expect("just opened");
                peer.allowance.received(now, packet.bytes.len());
                peer.session.receive(now, Channel::Datagram, &packet.bytes).map(drop)
            }
            None => {
                for refusal in (door.refuse)(
                    protocol::NodeTime { now, started: self.started },
                    &mut protocol::Numbers::default(),
                    &packet.bytes,
                ) {
                    network.send_to_client(now, packet.client, packet.port, Channel::Datagram, &refusal);
                }
                Ok(())
            }
        }
    }

    /// The door at a port: a dialect's own, or that of the dialect with lobby ports.
    fn door_at(&self, port: u16) -> Option<(&'static DialectEntry, Option<usize>)> {
        let mut doors = crate::ENTRIES.iter().copied();
        match self.lobbies.iter().position(|lobby| lobby.port == port) {
            Some(lobby) => {
                let with_lobbies = doors.find(|door| matches!(door.stream, StreamUse::Desk(_)))?;
                Some((with_lobbies, Some(lobby)))
            }
            None => doors.find(|door| door.port == port).map(|door| (door, None)),
        }
    }

    pub fn stream_opened(&mut self, now: Time, client: ClientId, door: &'static DialectEntry) {
        if self.streams_seen.contains(&client) {
            return;
        }
        self.streams_seen.push(client);
        match door.stream {
            StreamUse::None => {}
            StreamUse::Desk(open) => self.desks.push((client, door, open(now))),
            StreamUse::Link(open) => {
                self.links.push(Link { client, door, session: open(now), name: String::new() });
            }
            StreamUse::OpensSession => {
                // A node that is full closes the stream without a word.
                if let Some(place) = self.seat_for(None) {
                    self.open(now, Guest { client, door, port: door.port, name: "" }, place);
                    self.peers.last_mut().expect("just opened").has_stream = true;
                }
            }
        }
    }

    pub fn stream_closed(&mut self, client: ClientId) {
        self.desks.retain(|(other, ..)| *other != client);
    }

    // ---- Lobbies ----

    /// C1: the first lobby with a free seat, or a new one while there may be more; or a seat in that very lobby.
    fn seat_for(&mut self, lobby: Option<usize>) -> Option<Place> {
        let free = |lobby: &Lobby| Seat::ALL.into_iter().find(|&seat| !lobby.world.is_seated(seat));
        if let Some(index) = lobby {
            return free(&self.lobbies[index]).map(|seat| (index, seat));
        }
        let found = self.lobbies.iter().enumerate().find_map(|(index, lobby)| Some((index, free(lobby)?)));
        found.or_else(|| self.new_lobby(&self.stage.clone()).map(|index| (index, Seat::ALL[0])))
    }

    /// Opens a waiting lobby, if there may be one more.
    pub fn new_lobby(&mut self, stage: &str) -> Option<usize> {
        let index = self.lobbies.len();
        if index >= self.lobbies_max {
            return None;
        }
        let world = World::new(Stage::built_in(stage)?, Rules::default(), self.seed + index as u64);
        self.lobbies.push(Lobby {
            world,
            scene: Scene::new(stage),
            id: LobbyId::from_number(1000 + index as u32),
            port: FIRST_LOBBY_PORT + index as u16,
        });
        Some(index)
    }

    fn open(&mut self, now: Time, guest: Guest, place: Place) {
        let welcome = Welcome {
            seat: place.1,
            now,
            started: self.started,
            scale: Scale::default(),
            numbers: protocol::Numbers::default(),
        };
        let session = AnyServerSession::Seated((guest.door.accept)(welcome));
        self.seat(now, guest, place, session);
    }

    fn seat(&mut self, now: Time, guest: Guest, (lobby, seat): Place, session: AnyServerSession) {
        let Guest { client, door, port, name } = guest;
        let place = &mut self.lobbies[lobby];
        assert!(place.world.join(seat), "the seat was free");
        place.scene.seat_taken(seat, name);
        // C11: a player of a dialect without lobbies starts a waiting game.
        if !matches!(door.stream, StreamUse::Desk(_) | StreamUse::Link(_)) {
            place.world.start();
        }
        let allowance = Allowance::new(now, door.proof, true);
        let has_stream = matches!(door.stream, StreamUse::Link(_));
        self.peers.push(Peer { client, port, door, lobby, seat, session, allowance, has_stream });
    }

    // ---- A tick ----

    pub fn tick(&mut self, now: Time, network: &mut Network) {
        self.serve_desks(now, network);
        self.serve_links(now, network);
        self.end_sessions(now, network);
        for index in 0..self.lobbies.len() {
            self.tick_lobby(now, index);
        }
        self.send(now, network);
    }

    fn serve_desks(&mut self, now: Time, network: &mut Network) {
        let mut desks = std::mem::take(&mut self.desks);
        desks.retain_mut(|(client, door, desk)| {
            desk.advance(now);
            while let Some(question) = desk.question() {
                let answer = self.answer(&question);
                desk.answer(now, answer);
            }
            let mut buffer = Vec::new();
            while let Some(output) = desk.poll(&mut buffer) {
                match output {
                    Output::Stream => network.send_to_client(now, *client, door.port, Channel::Stream, &buffer),
                    Output::CloseStream => return false,
                    Output::Datagram | Output::DatagramsTo(_) => panic!("a desk has only its stream"),
                }
            }
            true
        });
        self.desks = desks;
    }

    /// Seats the links that ask for it, and lets the others go on.
    fn serve_links(&mut self, now: Time, network: &mut Network) {
        for mut link in std::mem::take(&mut self.links) {
            link.session.advance(now);
            let place = self.choose(now, &mut link);
            let mut buffer = Vec::new();
            while let Some(output) = link.session.poll(now, &mut buffer) {
                if output == Output::Stream {
                    network.send_to_client(now, link.client, link.door.port, Channel::Stream, &buffer);
                }
            }
            match (place, link.session.status()) {
                (Some(place), _) => {
                    let Link { client, door, session, name } = link;
                    self.seat(
                        now,
                        Guest { client, door, port: door.port, name: &name },
                        place,
                        AnyServerSession::Link(session),
                    );
                }
                (None, Status::Ended(_)) => {}
                (None, _) => self.links.push(link),
            }
        }
    }

    fn choose(&mut self, now: Time, link: &mut Link) -> Option<Place> {
        while let Some(wish) = link.session.lobby_request() {
            let place = match wish {
                LobbyRequest::Rename { name } => {
                    link.name = name;
                    continue;
                }
                LobbyRequest::Quick => self.seat_for(None),
                LobbyRequest::Join { code } => {
                    let lobby = self.lobbies.iter().position(|lobby| lobby.id == code);
                    lobby.and_then(|lobby| self.seat_for(Some(lobby)))
                }
                _ => continue,
            };
            let Some((lobby, seat)) = place else {
                link.session.notify(now, &LobbyNotice::Refused(Refusal::Full));
                continue;
            };
            let code = self.lobbies[lobby].id;
            link.session.notify(now, &LobbyNotice::Seated { code, seat, token: Token([7; 16]) });
            link.session.notify(now, &LobbyNotice::Stage(self.lobbies[lobby].world.stage()));
            return Some((lobby, seat));
        }
        None
    }

    fn answer(&mut self, question: &DeskQuestion) -> DeskAnswer {
        let lobby = match question {
            DeskQuestion::Find(id) => self.lobbies.iter().position(|lobby| lobby.id == *id),
            DeskQuestion::Create { stage } => self.new_lobby(stage),
            DeskQuestion::Impossible => None,
        };
        match lobby {
            Some(index) => DeskAnswer::Lobby { port: self.lobbies[index].port, id: self.lobbies[index].id },
            None => DeskAnswer::Nothing,
        }
    }

    fn end_sessions(&mut self, now: Time, network: &mut Network) {
        let mut peers = std::mem::take(&mut self.peers);
        peers.retain_mut(|peer| {
            peer.session.advance(now);
            let Status::Ended(why) = peer.session.status() else { return true };
            self.held_back += flush(now, peer, network);
            let departure = if why == End::TimedOut { Departure::TimedOut } else { Departure::Left };
            let lobby = &mut self.lobbies[peer.lobby];
            lobby.world.leave(peer.seat, departure);
            lobby.scene.seat_left(peer.seat);
            self.ended.push((peer.client, why));
            false
        });
        self.peers = peers;
    }

    fn tick_lobby(&mut self, now: Time, index: usize) {
        let mut inputs = [game::Input::IDLE; SEATS];
        for peer in self.peers.iter_mut().filter(|peer| peer.lobby == index) {
            inputs[peer.seat.index()] = peer.session.input(now);
            while let Some(Request::Start) = peer.session.request() {
                self.lobbies[index].world.start();
            }
            while let Some(wish) = peer.session.link_mut().and_then(|link| link.lobby_request()) {
                if wish == LobbyRequest::Start {
                    self.lobbies[index].world.start();
                }
            }
        }
        let lobby = &mut self.lobbies[index];
        lobby.world.tick(&inputs);
        lobby.world.frame_into(&mut lobby.scene.frame);
        lobby.scene.update(now);
        for peer in self.peers.iter_mut().filter(|peer| peer.lobby == index) {
            peer.session.publish(now, &lobby.scene);
        }
    }

    fn send(&mut self, now: Time, network: &mut Network) {
        for peer in &mut self.peers {
            self.held_back += flush(now, peer, network);
        }
    }
}

/// Sends all that a session has to say; how many datagrams the amplification rule held back.
fn flush(now: Time, peer: &mut Peer, network: &mut Network) -> usize {
    let mut buffer = Vec::new();
    let mut held_back = 0;
    while let Some(output) = peer.session.poll(now, &mut buffer) {
        match output {
            Output::Datagram => {
                let is_proved = peer.session.is_proved();
                if peer.allowance.spend(now, buffer.len(), is_proved) {
                    network.send_to_client(now, peer.client, peer.port, Channel::Datagram, &buffer);
                } else {
                    held_back += 1;
                }
            }
            Output::Stream => {
                assert!(peer.has_stream, "only streams that are open");
                network.send_to_client(now, peer.client, peer.port, Channel::Stream, &buffer);
            }
            Output::CloseStream => peer.has_stream = false,
            Output::DatagramsTo(_) => panic!("a server does not redirect"),
        }
    }
    held_back
}
