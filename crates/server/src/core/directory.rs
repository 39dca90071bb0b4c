//! What all shards of a node must agree on: which lobbies there are and who sits where.
//!
//! It is shared behind a lock, which is taken only when a stranger comes, somebody joins or leaves, or a lobby begins or
//! ends; never for a datagram of a player who is known. It holds no game and no session: those live on one shard each.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicUsize},
    time::Duration,
};

use game::{Dice, GameState, Rules, SEATS, Seat, Stage};
use protocol::{LobbyId, LobbySummary, Refusal, Time, Token, amplification::is_local};
use rand_chacha::{
    ChaCha20Rng,
    rand_core::{RngCore, SeedableRng},
};

use super::{
    Endpoint, Settings, ShardId,
    lounge::token,
    peers::{Peer, Peers},
    recollection::Recollection,
};
use crate::household::household;

/// How long a seat is kept for who made a lobby and has not sat down yet.
const KEPT_FOR_MAKER: Duration = Duration::from_secs(10);
/// Lobbies in which nobody sits that were asked for from one address at desks. Local addresses, where a proxy may sit, are free
/// of it.
const UNUSED_PER_ADDRESS_MAX: usize = 16;
/// A lobby opens where somebody knocked, unless that shard has so many more players than another.
const IMBALANCE_MAX: usize = 16;

/// The directory of a node.
pub struct Directory {
    stage: Arc<Stage>,
    lobbies_max: usize,
    /// Whether no lobby is opened any more.
    pub(super) is_draining: bool,
    dice: Dice,
    lobbies: HashMap<LobbyId, Entry>,
    /// Those with a free seat, by age.
    open: BTreeMap<u64, LobbyId>,
    /// How many were ever opened.
    opened: u64,
    free_ports: BTreeSet<u16>,
    at_port: HashMap<u16, LobbyId>,
    /// Players and lobbies of each shard.
    loads: Vec<usize>,
    peers: Peers,
    /// Whose seat a token is for.
    tokens: HashMap<Token, (Endpoint, SocketAddr)>,
    secrets: ChaCha20Rng,
    rules: Rules,
    pub(super) recollection: Recollection,
    pub(super) unproved: Arc<AtomicUsize>,
}

/// A lobby.
struct Entry {
    shard: ShardId,
    birth: Birth,
    seats: [bool; SEATS],
    port: Option<u16>,
    /// Since when its maker, who asked for it at a desk, is awaited.
    maker_since: Option<Time>,
    /// From where it was asked for at a desk.
    made_from: Option<IpAddr>,
    state: GameState,
    stage_name: String,
}

/// All that a lobby begins with.
#[derive(Clone)]
pub(super) struct Birth {
    pub id: LobbyId,
    /// Its place among all lobbies of the node, by age.
    pub number: u64,
    pub stage: Arc<Stage>,
    pub seed: u64,
    pub rules: Rules,
    pub is_private: bool,
}

/// How somebody who chooses wants to be seated.
pub(super) enum Entrance {
    /// Anywhere.
    Any,
    /// In that lobby.
    Lobby(LobbyId),
    /// In a new one.
    New { stage: Arc<Stage>, rules: Rules, is_private: bool },
    /// Where they sat before.
    Seat(Token),
}

/// A seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub shard: ShardId,
    pub lobby: LobbyId,
    pub seat: Seat,
}

/// Where somebody who asks for a seat belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seating {
    /// They sit already, and this is their shard.
    Known(ShardId),
    /// The seat is theirs now.
    New(Place),
    /// There is none.
    Full,
}

/// A directory that shards share.
#[derive(Clone)]
pub struct SharedDirectory(Arc<Mutex<Directory>>);

impl SharedDirectory {
    /// The directory of an empty node with so many shards, at most [`ShardId::COUNT_MAX`].
    pub fn new(settings: &Settings, shards: usize) -> SharedDirectory {
        SharedDirectory(Arc::new(Mutex::new(Directory::new(settings, shards))))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Directory> {
        // Nothing panics between two changes that belong together.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Directory {
    fn new(settings: &Settings, shards: usize) -> Directory {
        Directory {
            stage: settings.stage.clone(),
            lobbies_max: settings.lobbies_max,
            is_draining: false,
            dice: Dice::new(settings.seed),
            lobbies: HashMap::new(),
            open: BTreeMap::new(),
            opened: 0,
            free_ports: settings.lobby_ports.clone().collect(),
            at_port: HashMap::new(),
            loads: vec![0; shards.clamp(1, ShardId::COUNT_MAX)],
            peers: Peers::default(),
            tokens: HashMap::new(),
            secrets: ChaCha20Rng::from_seed(settings.secret),
            rules: settings.rules,
            recollection: Recollection::default(),
            unproved: Arc::default(),
        }
    }

    /// Finds a seat for who knocks at `shard`, or where they sit already. That shard knows the way from now on.
    pub(super) fn seat(&mut self, now: Time, shard: ShardId, at: Endpoint, from: SocketAddr) -> Seating {
        if let Some(shard) = self.find_peer(shard, at, from) {
            return Seating::Known(shard);
        }
        if !self.peers.have_room_for(from.ip()) {
            return Seating::Full;
        }
        let Some(lobby) = self.find_lobby(now, shard, at) else { return Seating::Full };
        let Some(entry) = self.lobbies.get(&lobby) else { return Seating::Full };
        let may_be_maker = matches!(at, Endpoint::Lobby(..)) && entry.made_from == Some(household(from.ip()));
        if !may_be_maker && !entry.has_room_for_anybody(now) {
            return Seating::Full;
        }
        let Some(place) = self.take_seat(lobby, may_be_maker) else { return Seating::Full };
        self.peers.insert((at, from), Peer { place, routes: shard.bit(), has_moved: false, token: None });
        Seating::New(place)
    }

    /// Seats somebody who chooses for themselves, with a token by which they can come back.
    pub(super) fn enter(
        &mut self,
        now: Time,
        shard: ShardId,
        at: Endpoint,
        from: SocketAddr,
        entrance: &Entrance,
    ) -> Result<(Place, Token), Refusal> {
        if self.recollection.is_kept_out(now, at, from) {
            return Err(Refusal::NotNow);
        }
        let lobby = match entrance {
            Entrance::Seat(token) => return self.come_back(shard, at, from, *token).ok_or(Refusal::TooLate),
            _ if !self.peers.have_room_for(from.ip()) => return Err(Refusal::NodeFull),
            Entrance::Any => self.find_lobby(now, shard, at).ok_or(Refusal::NodeFull)?,
            Entrance::Lobby(id) => {
                let entry = self.lobbies.get(id).ok_or(Refusal::NoLobby)?;
                entry.has_room_for_anybody(now).then_some(*id).ok_or(Refusal::Full)?
            }
            Entrance::New { stage, rules, is_private } => {
                self.open_lobby(shard, stage.clone(), *rules, *is_private).ok_or(Refusal::NodeFull)?
            }
        };
        let place = self.take_seat(lobby, false).ok_or(Refusal::Full)?;
        let token = token(&mut self.secrets);
        self.tokens.insert(token, (at, from));
        self.peers.insert((at, from), Peer { place, routes: shard.bit(), has_moved: false, token: Some(token) });
        Ok((place, token))
    }

    fn come_back(&mut self, shard: ShardId, at: Endpoint, from: SocketAddr, token: Token) -> Option<(Place, Token)> {
        let earlier = self.tokens.insert(token, (at, from));
        let peer = earlier.and_then(|earlier| self.peers.remove(&earlier));
        let Some(peer) = peer else {
            self.tokens.remove(&token);
            return None;
        };
        self.peers.insert((at, from), Peer { routes: shard.bit(), ..peer });
        Some((peer.place, token))
    }

    /// The shards that knew the way to a player whose seat is kept. They know it no longer.
    pub(super) fn take_routes(&mut self, at: Endpoint, from: SocketAddr) -> u64 {
        self.peers.get_mut(&(at, from)).map_or(0, |peer| std::mem::take(&mut peer.routes))
    }

    /// The lobbies that anybody may see, the oldest first.
    pub(super) fn list(&self) -> Vec<LobbySummary> {
        let mut entries: Vec<&Entry> = self.lobbies.values().filter(|entry| !entry.birth.is_private).collect();
        entries.sort_by_key(|entry| entry.birth.number);
        let line = |entry: &Entry| LobbySummary {
            code: entry.birth.id,
            stage: entry.stage_name.clone(),
            state: entry.state,
            players: entry.seats.iter().filter(|taken| **taken).count() as u8,
        };
        entries.into_iter().map(line).collect()
    }

    /// How many players and tokens there are.
    pub(super) fn keepings(&self) -> (usize, usize) {
        (self.peers.len(), self.tokens.len())
    }

    /// How the game of a lobby stands.
    pub(super) fn note_game(&mut self, id: LobbyId, state: GameState, stage: &str) {
        if let Some(entry) = self.lobbies.get_mut(&id) {
            entry.state = state;
            stage.clone_into(&mut entry.stage_name);
        }
    }

    /// The shard of a player, to which `shard` knows the way from now on.
    pub(super) fn find_peer(&mut self, shard: ShardId, at: Endpoint, from: SocketAddr) -> Option<ShardId> {
        let peer = self.peers.get_mut(&(at, from))?;
        peer.routes |= shard.bit();
        Some(peer.place.shard)
    }

    /// The shard of a player.
    pub(super) fn find_shard(&self, at: Endpoint, from: SocketAddr) -> Option<ShardId> {
        self.peers.get(&(at, from)).map(|peer| peer.place.shard)
    }

    /// Whether the player at that address has come to it from another one.
    pub(super) fn has_moved(&self, at: Endpoint, from: SocketAddr) -> bool {
        self.peers.get(&(at, from)).is_some_and(|peer| peer.has_moved)
    }

    /// Ruling C1: the first open lobby with a free seat, or a new one; at a lobby's port, that lobby.
    fn find_lobby(&mut self, now: Time, shard: ShardId, at: Endpoint) -> Option<LobbyId> {
        if let Endpoint::Lobby(_, port) = at {
            return self.at_port.get(&port).copied();
        }
        let has_room = |id: &&LobbyId| self.lobbies.get(*id).is_some_and(|entry| entry.has_room_for_anybody(now));
        let open = self.open.values().find(has_room).copied();
        open.or_else(|| self.open_lobby(shard, self.stage.clone(), self.rules, false))
    }

    fn take_seat(&mut self, lobby: LobbyId, may_be_maker: bool) -> Option<Place> {
        let entry = self.lobbies.get_mut(&lobby)?;
        let seat = Seat::ALL.into_iter().find(|seat| !entry.seats[seat.index()])?;
        entry.seats[seat.index()] = true;
        if may_be_maker {
            entry.maker_since = None;
        }
        if entry.seats.iter().all(|taken| *taken) {
            self.open.remove(&entry.birth.number);
        }
        self.loads[entry.shard.index()] += 1;
        Some(Place { shard: entry.shard, lobby, seat })
    }

    /// A player is gone. The shards that knew the way to them, a bit each.
    pub(super) fn leave(&mut self, at: Endpoint, from: SocketAddr) -> u64 {
        let Some(Peer { place, routes, token, .. }) = self.peers.remove(&(at, from)) else { return 0 };
        if let Some(token) = token {
            self.tokens.remove(&token);
        }
        if let Some(entry) = self.lobbies.get_mut(&place.lobby) {
            entry.seats[place.seat.index()] = false;
            if !entry.birth.is_private {
                self.open.insert(entry.birth.number, place.lobby);
            }
            self.loads[entry.shard.index()] -= 1;
        }
        routes
    }

    /// A player's address has changed. The shards that knew the way to the old one.
    pub(super) fn move_peer(
        &mut self,
        shard: ShardId,
        at: Endpoint,
        from: SocketAddr,
        to: SocketAddr,
    ) -> Option<(ShardId, u64)> {
        let Peer { place, routes, token, .. } = self.peers.remove(&(at, from))?;
        self.peers.insert((at, to), Peer { place, routes: shard.bit(), has_moved: true, token });
        Some((place.shard, routes))
    }

    /// Whether that seat is still that player's.
    pub(super) fn is_seated(&self, at: Endpoint, from: SocketAddr, place: Place) -> bool {
        self.peers.get(&(at, from)).is_some_and(|peer| peer.place == place)
    }

    /// Opens a lobby, if there may be one more: where somebody asked for it, unless another shard has much less to do.
    pub(super) fn open_lobby(
        &mut self,
        shard: ShardId,
        stage: Arc<Stage>,
        rules: Rules,
        is_private: bool,
    ) -> Option<LobbyId> {
        if self.is_draining || self.lobbies.len() >= self.lobbies_max {
            return None;
        }
        let id = loop {
            // The code of a private lobby is its key.
            let number = if is_private { self.secrets.next_u32() } else { self.dice.below(LobbyId::COUNT) };
            let id = LobbyId::from_number(number);
            if !self.lobbies.contains_key(&id) {
                break id;
            }
        };
        let shard = self.shard_for_a_lobby(shard);
        let birth = Birth { id, number: self.opened, stage, seed: self.dice.bits(), rules, is_private };
        self.opened += 1;
        self.loads[shard.index()] += 1;
        if !is_private {
            self.open.insert(birth.number, id);
        }
        let (state, stage_name) = (GameState::Waiting, birth.stage.name.clone());
        let entry = Entry {
            shard,
            birth,
            seats: [false; SEATS],
            port: None,
            maker_since: None,
            made_from: None,
            state,
            stage_name,
        };
        self.lobbies.insert(id, entry);
        Some(id)
    }

    fn shard_for_a_lobby(&self, asked: ShardId) -> ShardId {
        let loads = self.loads.iter().enumerate();
        let (idlest, least) = loads.min_by_key(|(_, load)| **load).map_or((0, 0), |(index, load)| (index, *load));
        let is_much_busier = self.loads[asked.index()] > least + IMBALANCE_MAX.max(least / 8);
        if is_much_busier { ShardId(idlest as u8) } else { asked }
    }

    /// Opens a lobby for who asks at a desk, unless others that they asked for are still empty.
    pub(super) fn open_from_desk(
        &mut self,
        shard: ShardId,
        stage: Arc<Stage>,
        rules: Rules,
        from: IpAddr,
    ) -> Option<LobbyId> {
        let from = household(from);
        let is_unused = |entry: &&Entry| entry.made_from == Some(from) && entry.seats.iter().all(|taken| !taken);
        if !is_local(from) && self.lobbies.values().filter(is_unused).count() >= UNUSED_PER_ADDRESS_MAX {
            return None;
        }
        let id = self.open_lobby(shard, stage, rules, false)?;
        if let Some(entry) = self.lobbies.get_mut(&id) {
            entry.made_from = Some(from);
        }
        Some(id)
    }

    /// Keeps a seat of a lobby for who made it.
    pub(super) fn await_maker(&mut self, now: Time, id: LobbyId) {
        if let Some(entry) = self.lobbies.get_mut(&id) {
            entry.maker_since = Some(now);
        }
    }

    /// Where a lobby lives, and its port if it has one.
    pub(super) fn find(&self, id: LobbyId) -> Option<(ShardId, Option<u16>)> {
        self.lobbies.get(&id).map(|entry| (entry.shard, entry.port))
    }

    /// What a lobby begins with, for the shard that it lives on.
    pub(super) fn birth(&self, id: LobbyId, shard: ShardId) -> Option<Birth> {
        self.lobbies.get(&id).filter(|entry| entry.shard == shard).map(|entry| entry.birth.clone())
    }

    /// Closes a lobby in which no seat is taken. False: somebody is on the way to it.
    pub(super) fn close_empty(&mut self, id: LobbyId) -> bool {
        let is_empty = self.lobbies.get(&id).is_none_or(|entry| entry.seats.iter().all(|taken| !taken));
        if is_empty {
            self.close(id);
        }
        is_empty
    }

    /// Closes a lobby. Who is on the way to it will not find it. Its port is to be given back once nobody listens there.
    pub(super) fn close(&mut self, id: LobbyId) {
        let Some(entry) = self.lobbies.remove(&id) else { return };
        if let Some(port) = entry.port {
            self.at_port.remove(&port);
        }
        self.open.remove(&entry.birth.number);
        let taken = entry.seats.iter().filter(|taken| **taken).count();
        self.loads[entry.shard.index()] -= 1 + taken;
        if taken > 0 {
            self.peers.clear(id);
            self.tokens.retain(|_, peer| self.peers.get(peer).is_some());
        }
    }

    /// The lowest free port above another one, which is then taken.
    pub(super) fn take_port(&mut self, above: Option<u16>) -> Option<u16> {
        let port = self.free_ports.range(above.map_or(0, |above| above.saturating_add(1))..).next().copied()?;
        self.free_ports.remove(&port);
        Some(port)
    }

    pub(super) fn give_port_back(&mut self, port: u16) {
        self.free_ports.insert(port);
    }

    /// A lobby listens at a port that was taken.
    pub(super) fn listens(&mut self, id: LobbyId, port: u16) {
        if let Some(entry) = self.lobbies.get_mut(&id) {
            entry.port = Some(port);
            self.at_port.insert(port, id);
        }
    }
}

impl Entry {
    /// Whether there is a seat for somebody who did not make it at a desk: its maker finds one in any case.
    fn has_room_for_anybody(&self, now: Time) -> bool {
        let is_kept = self.maker_since.is_some_and(|since| now.since(since) < KEPT_FOR_MAKER);
        let free = self.seats.iter().filter(|taken| !**taken).count();
        free > usize::from(is_kept)
    }
}
