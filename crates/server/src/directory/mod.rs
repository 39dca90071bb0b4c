//! What all shards of a node must agree on: which lobbies exist, and who has which seat.
//!
//! It is shared behind a lock. The lock is taken only when a stranger comes who may get a seat, somebody joins or leaves, or a
//! lobby begins or ends. It is never taken for a datagram of a known player, to refuse a stranger at a full node, or while a
//! game ticks. It holds no game and no session: those live on one shard each.

mod clock;
mod fullness;
mod invitations;
mod kicks;
mod lobby_index;
mod locks;
mod peers;
mod ports;
mod proofs;
mod provisional;
mod recent_map;
mod recent_peers;
mod restoring;
mod seats;
mod secrets;
mod yielding;

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicUsize},
    time::Duration,
};

use game::{GameState, Rules, SEATS, Seat, Stage};
use protocol::{Dialect, LISTED_MAX, LobbyId, LobbySummary, Member, Refusal, Time, Token};

pub(crate) use fullness::Vacancy;
pub(crate) use recent_peers::{DatagramHash, RecentDeparture};
pub(crate) use seats::{Asker, Assignment, SeatRequest};

use self::{
    clock::{DirectoryClock, OwnTime},
    fullness::Fullness,
    invitations::Invitations,
    kicks::{Kickers, Kicks},
    lobby_index::{LobbyIndex, MadeLobbies},
    locks::{LockedDirectory, PeerFilter, Shared},
    peers::Peers,
    ports::Ports,
    proofs::Proofs,
    provisional::ProvisionalSeats,
    recent_peers::RecentPeers,
    secrets::Secrets,
};
use crate::{
    address_group::address_group,
    guess_limit::GuessLimit,
    heartbeats::Heartbeats,
    limits::Shares,
    lobby::{LobbyIdentity, LobbyPlan},
    peer::{Endpoint, PeerKey, ShardId},
    remote::RemoteWish,
    router::Rates,
    settings::Settings,
};

/// How long a seat is kept for the player who made a lobby and has not sat down yet.
const KEPT_FOR_MAKER: Duration = Duration::from_secs(10);
/// A lobby opens on the shard that was asked for it, unless that one has this many more players than another.
const IMBALANCE_MAX: usize = 16;

/// The directory of a node.
pub(crate) struct Directory {
    settings: DirectorySettings,
    /// Whether no lobby is opened any more.
    pub is_draining: bool,
    secrets: Secrets,
    lobbies: HashMap<LobbyId, DirectoryEntry>,
    index: LobbyIndex,
    made: MadeLobbies,
    /// Lobbies that were closed to make room, until their shards have been told.
    evicted: Vec<(ShardId, LobbyId)>,
    provisional: ProvisionalSeats,
    clock: DirectoryClock,
    /// How many were ever opened.
    opened: u64,
    ports: Ports,
    /// Players and lobbies of each shard.
    loads: Vec<usize>,
    peers: Peers,
    /// Whose seat a token is for.
    tokens: HashMap<Token, PeerKey>,
    /// Who kicked somebody from a lobby of theirs lately.
    kickers: Kickers,
    recent_peers: Shared<RecentPeers>,
    proofs: Shared<Proofs>,
    /// Wrong codes of lobbies.
    guesses: GuessLimit,
}

/// What the settings of the node say about lobbies and seats.
struct DirectorySettings {
    stage: Arc<Stage>,
    rules: Rules,
    /// Whether games are played on another server: each player has a lobby alone.
    is_bridge: bool,
    lobbies_max: usize,
    /// What one address, network or door may have.
    shares: Shares,
}

struct DirectoryEntry {
    shard: ShardId,
    plan: LobbyPlan,
    seats: [bool; SEATS],
    /// How many of them there are.
    seats_max: usize,
    /// The lobby on the other server, where the game is played.
    remote: Option<LobbyId>,
    /// Players who are out of lives and whose seats are unused (ruling S10).
    watching: [Option<PeerKey>; SEATS],
    port: Option<u16>,
    /// Since when its maker, who asked for it at a desk, is awaited.
    maker_since: Option<OwnTime>,
    /// The address group that it was made from.
    maker: IpAddr,
    /// Whether it was asked for at a desk.
    is_from_desk: bool,
    /// How many of its players are here, rather than away while their seats are kept.
    present: usize,
    reported: ReportedLobby,
    kicks: Kicks,
    /// Who has named its code at a desk. A private one takes nobody else at its port.
    invited: Invitations,
    /// Whether its players are awaited since the node was started again. Others find it by its code only.
    is_awaiting: bool,
}

/// What a lobby has reported of itself.
struct ReportedLobby {
    state: GameState,
    stage_name: String,
    /// The seat of its host.
    host: Option<Seat>,
    /// Who is in it. Bots have no seat in the directory: they give theirs up.
    members: Vec<Member>,
}

/// What is chosen for a new lobby.
#[derive(Clone)]
pub(crate) struct LobbyChoice {
    pub stage: Arc<Stage>,
    pub rules: Rules,
    pub is_private: bool,
    /// Whether a player makes it, who is its host.
    pub has_host: bool,
    /// What its player asked for, if its game is played on another server.
    pub wish: RemoteWish,
}

/// What is chosen for a new lobby at a desk.
pub(crate) struct DeskChoice {
    pub stage: Arc<Stage>,
    pub wish: RemoteWish,
}

/// A seat of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SeatKey {
    pub shard: ShardId,
    pub lobby: LobbyId,
    pub seat: Seat,
}

/// Where a lobby is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub shard: ShardId,
    pub port: Option<u16>,
}

/// What all shards of a node share. Clones share the same.
#[derive(Clone)]
pub struct SharedDirectory {
    directory: Arc<Mutex<Directory>>,
    fullness: Arc<Fullness>,
    /// Who may be known.
    known_peers: Arc<PeerFilter>,
    recent_peers: Shared<RecentPeers>,
    /// Which addresses are proved to lobby ports.
    proofs: Shared<Proofs>,
    /// What has come from every address lately. It needs no lock.
    rates: Arc<Rates>,
    /// When each shard last ran. Nor does this.
    heartbeats: Heartbeats,
    /// How many sessions there are whose address is not proved. Nor does this.
    unproved: Arc<AtomicUsize>,
}

impl SharedDirectory {
    /// The directory of an empty node with this many shards, at most [`ShardId::COUNT_MAX`].
    pub fn new(settings: &Settings, shards: usize) -> SharedDirectory {
        let directory = Directory::new(settings, shards);
        SharedDirectory {
            fullness: Arc::new(Fullness::of(&directory)),
            known_peers: directory.peers.filter(),
            recent_peers: directory.recent_peers.clone(),
            proofs: directory.proofs.clone(),
            rates: Arc::new(Rates::new(settings.limits, settings.limit_loopback)),
            heartbeats: Heartbeats::new(shards),
            unproved: Arc::default(),
            directory: Arc::new(Mutex::new(directory)),
        }
    }

    pub(crate) fn lock(&self) -> LockedDirectory<'_> {
        // Nothing panics between two changes that belong together.
        let directory = self.directory.lock().unwrap_or_else(PoisonError::into_inner);
        LockedDirectory::new(directory, &self.fullness)
    }

    /// What is kept in mind of peers that have gone or have no seat.
    pub(crate) fn recent_peers(&self) -> MutexGuard<'_, RecentPeers> {
        self.recent_peers.lock()
    }

    /// Which addresses are proved to lobby ports.
    pub(crate) fn proofs(&self) -> MutexGuard<'_, Proofs> {
        self.proofs.lock()
    }

    /// What there is for a peer that asks for a seat. It takes no lock, and may promise more than there is.
    pub(crate) fn room_for(&self, now: Time, peer: PeerKey) -> Vacancy {
        match peer.endpoint {
            Endpoint::Door(door) if !self.may_know(peer) => self.fullness.room_at(now, door),
            _ => Vacancy::Perhaps,
        }
    }

    /// Whether a peer may have a seat. It takes no lock: none has one if this is false.
    pub(crate) fn may_know(&self, peer: PeerKey) -> bool {
        self.known_peers.may_contain(peer)
    }

    /// How many sessions of all shards have an address that is not proved.
    pub(crate) fn unproved(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.unproved)
    }

    pub(crate) fn heartbeats(&self) -> &Heartbeats {
        &self.heartbeats
    }

    pub(crate) fn rates(&self) -> &Rates {
        &self.rates
    }
}

impl Directory {
    fn new(settings: &Settings, shards: usize) -> Directory {
        Directory {
            settings: DirectorySettings::new(settings),
            is_draining: false,
            secrets: Secrets::new(settings),
            lobbies: HashMap::new(),
            index: LobbyIndex::default(),
            made: MadeLobbies::none(),
            evicted: Vec::new(),
            provisional: ProvisionalSeats::default(),
            clock: DirectoryClock::default(),
            opened: 0,
            ports: Ports::new(settings.lobby_ports.clone()),
            loads: vec![0; shards.clamp(1, ShardId::COUNT_MAX)],
            peers: Peers::default(),
            tokens: HashMap::new(),
            kickers: Kickers::new(),
            recent_peers: Shared::default(),
            proofs: Shared::default(),
            guesses: GuessLimit::of_codes(settings.limit_loopback),
        }
    }

    /// The lobbies that anybody may see, the oldest first, as many as fit into a list. A lobby whose players have all left or lost
    /// their connection is not among them: whoever joined it would find nobody. It is still found by its code, and by tokens.
    pub fn list(&self) -> Vec<LobbySummary> {
        let is_listed = |entry: &&DirectoryEntry| !entry.plan.identity.is_private && !entry.is_deserted();
        let mut entries: Vec<&DirectoryEntry> = self.lobbies.values().filter(is_listed).collect();
        entries.sort_by_key(|entry| entry.plan.identity.number);
        entries.into_iter().take(LISTED_MAX).map(DirectoryEntry::summary).collect()
    }

    /// How many players and tokens there are.
    pub fn sizes(&self) -> (usize, usize) {
        (self.peers.len(), self.tokens.len())
    }

    /// How the game of a lobby stands.
    pub fn note_game(&mut self, id: LobbyId, state: GameState, stage: &str) {
        if let Some(entry) = self.lobbies.get_mut(&id) {
            (entry.reported.state, entry.is_awaiting) = (state, false);
            stage.clone_into(&mut entry.reported.stage_name);
            self.note_openness(id);
        }
    }

    /// Who is in a lobby.
    pub fn note_members(&mut self, id: LobbyId, host: Option<Seat>, members: Vec<Member>) {
        if let Some(entry) = self.lobbies.get_mut(&id) {
            (entry.reported.host, entry.reported.members) = (host, members);
        }
    }

    /// What a player of a bridge who names a code is to be given: the lobby of that code on the other server, or the one over there
    /// whose code here it is.
    pub fn wish_for(&self, code: LobbyId) -> RemoteWish {
        let there = self.lobbies.get(&code).and_then(|entry| entry.remote);
        RemoteWish { lobby: Some(there.unwrap_or(code)), stage: None }
    }

    /// A lobby of a bridge plays in that lobby of the other server.
    pub fn note_remote_lobby(&mut self, id: LobbyId, there: LobbyId) {
        if let Some(entry) = self.lobbies.get_mut(&id) {
            entry.remote = Some(there);
        }
    }

    /// Where a lobby is found by a peer that names its code. The code of a private lobby is its key, so wrong ones are limited.
    pub fn find_by_code(&mut self, now: Time, from: IpAddr, id: LobbyId) -> Result<Found, Refusal> {
        let is_public = self.lobbies.get(&id).is_some_and(|entry| !entry.plan.identity.is_private);
        if !is_public && !self.guesses.allows(now, from) {
            return Err(Refusal::TooFast);
        }
        self.find(id).ok_or_else(|| {
            self.guesses.note_wrong(now, from);
            Refusal::NoLobby
        })
    }

    /// Where a lobby is found.
    pub fn find(&self, id: LobbyId) -> Option<Found> {
        self.lobbies.get(&id).map(|entry| Found { shard: entry.shard, port: entry.port })
    }

    /// What a lobby begins with, for the shard that it lives on.
    pub fn plan(&self, id: LobbyId, shard: ShardId) -> Option<LobbyPlan> {
        self.lobbies.get(&id).filter(|entry| entry.shard == shard).map(|entry| entry.plan.clone())
    }

    /// Opens a lobby for somebody, if there may be one more: on the shard that was asked, unless another has much less to do.
    fn open_lobby(&mut self, asked: ShardId, maker: IpAddr, choice: LobbyChoice) -> Option<LobbyId> {
        let maker = address_group(maker);
        if self.is_draining || !self.make_room_for_lobby(maker) {
            return None;
        }
        let LobbyChoice { stage, rules, is_private, has_host, wish } = choice;
        // Nobody is to be seated with somebody else.
        let (is_private, has_host) = (is_private || self.settings.is_bridge, has_host && !self.settings.is_bridge);
        let id = self.unused_id(is_private);
        let shard = self.shard_for_a_lobby(asked);
        let (number, seed) = (self.opened, self.secrets.seed());
        let identity = LobbyIdentity { id, number, seed, is_private, has_host, made_by: None };
        let plan = LobbyPlan { identity, stage, rules, wish };
        self.opened += 1;
        self.loads[shard.index()] += 1;
        let seats_max = if self.settings.is_bridge { 1 } else { SEATS };
        self.lobbies.insert(id, DirectoryEntry { seats_max, ..DirectoryEntry::new(shard, maker, plan) });
        self.note_openness(id);
        self.note_idleness(id);
        Some(id)
    }

    /// Opens a lobby for a peer that asks for one, if its address and its network have not made too many.
    pub fn make_lobby(&mut self, asked: ShardId, maker: PeerKey, choice: LobbyChoice) -> Option<LobbyId> {
        // One that nobody plays in gives way to the next of the same maker.
        if !self.made.allow(maker, &self.settings.shares) {
            self.evict(self.index.idle.oldest_of(address_group(maker.ip())));
        }
        if !self.made.allow(maker, &self.settings.shares) {
            return None;
        }
        let id = self.open_lobby(asked, maker.ip(), choice)?;
        let entry = self.lobbies.get_mut(&id)?;
        entry.plan.identity.made_by = Some(entry.maker);
        self.made.add(entry.maker);
        Some(id)
    }

    /// Whether a stranger at a door that proves no address may get a seat without asking twice: one that is free or unused, or in a
    /// lobby that can be opened.
    fn may_have_room_at(&self, door: Dialect) -> bool {
        let may_open =
            !self.is_draining && (self.lobbies.len() < self.settings.lobbies_max || !self.index.idle.is_empty());
        (may_open || !self.index.open.is_empty() || !self.index.unused.is_empty())
            && self.have_room_for_unproved_at(door)
    }

    /// Closes a lobby that nobody plays in if there are too many: one of the maker's own if those are too many, else one of
    /// whoever has the most. False: there are too many, and somebody plays in each.
    fn make_room_for_lobby(&mut self, maker: IpAddr) -> bool {
        if self.index.idle.count(maker) >= self.settings.shares.idle_lobbies {
            self.evict(self.index.idle.oldest_of(maker));
        }
        if self.lobbies.len() >= self.settings.lobbies_max {
            self.evict(self.index.idle.yields_to(maker));
        }
        self.lobbies.len() < self.settings.lobbies_max
    }

    fn evict(&mut self, idle: Option<LobbyId>) {
        let evicted = idle.and_then(|id| Some((self.lobbies.get(&id)?.shard, id)));
        if let Some((_, id)) = evicted {
            self.close(id);
            self.evicted.extend(evicted);
        }
    }

    /// Lobbies that were closed to make room. Their shards are to be told.
    pub fn take_evicted(&mut self) -> Vec<(ShardId, LobbyId)> {
        std::mem::take(&mut self.evicted)
    }

    /// Somebody has come to a lobby or gone: whether anybody plays in it may have changed.
    fn note_idleness(&mut self, id: LobbyId) {
        if let Some(entry) = self.lobbies.get(&id) {
            self.index.note_idleness(entry);
        }
    }

    /// A lobby's seats or its game have changed: whether anybody may be seated in it may have changed as well.
    fn note_openness(&mut self, id: LobbyId) {
        if let Some(entry) = self.lobbies.get(&id) {
            self.index.note_openness(entry);
        }
    }

    fn unused_id(&mut self, is_private: bool) -> LobbyId {
        loop {
            let id = self.secrets.code(is_private);
            if !self.lobbies.contains_key(&id) {
                return id;
            }
        }
    }

    fn shard_for_a_lobby(&self, asked: ShardId) -> ShardId {
        let loads = self.loads.iter().enumerate();
        let (idlest, least) = loads.min_by_key(|(_, load)| **load).map_or((0, 0), |(index, load)| (index, *load));
        let is_much_busier = self.loads[asked.index()] > least + IMBALANCE_MAX.max(least / 8);
        if is_much_busier { ShardId(idlest as u8) } else { asked }
    }

    /// Opens a lobby for a peer that asks at a desk.
    pub fn open_from_desk(&mut self, asked: ShardId, from: PeerKey, choice: DeskChoice) -> Option<LobbyId> {
        let DeskChoice { stage, wish } = choice;
        let rules = self.settings.rules.in_stage(&stage);
        let choice = LobbyChoice { stage, rules, is_private: false, has_host: false, wish };
        let id = self.make_lobby(asked, from, choice)?;
        if let Some(entry) = self.lobbies.get_mut(&id) {
            entry.is_from_desk = true;
        }
        Some(id)
    }

    /// Keeps a seat of a lobby for its maker.
    pub fn await_maker(&mut self, now: Time, id: LobbyId) {
        if let Some(entry) = self.lobbies.get_mut(&id) {
            entry.maker_since = Some(self.clock.at(now));
        }
    }

    /// Closes a lobby in which no seat is taken. False: somebody is on the way to it.
    pub fn close_empty(&mut self, id: LobbyId) -> bool {
        let is_empty = self.lobbies.get(&id).is_none_or(DirectoryEntry::is_empty);
        if is_empty {
            self.close(id);
        }
        is_empty
    }

    /// Closes a lobby. Those on the way to it will not find it. Its port is to be given back once nobody listens there.
    pub fn close(&mut self, id: LobbyId) {
        let Some(entry) = self.lobbies.remove(&id) else { return };
        if let Some(port) = entry.port {
            self.ports.forget_lobby(port);
        }
        self.index.remove(&entry);
        if entry.plan.identity.made_by.is_some() {
            self.made.remove(entry.maker);
        }
        let taken = entry.taken();
        self.loads[entry.shard.index()] -= 1 + taken;
        if taken > 0 {
            self.provisional.remove_lobby(id);
            self.peers.clear(id);
            self.tokens.retain(|_, peer| self.peers.get(peer).is_some());
        }
    }
}

impl DirectorySettings {
    fn new(settings: &Settings) -> DirectorySettings {
        DirectorySettings {
            stage: settings.stage.clone(),
            rules: settings.rules.in_stage(&settings.stage),
            is_bridge: settings.remote.is_some(),
            lobbies_max: settings.lobbies_max,
            shares: settings.limits.shares(settings.lobbies_max),
        }
    }
}

impl ReportedLobby {
    /// Before the lobby has said anything.
    fn new(stage: &Stage) -> ReportedLobby {
        ReportedLobby { state: GameState::Waiting, stage_name: stage.name.clone(), host: None, members: Vec::new() }
    }
}

impl DirectoryEntry {
    fn new(shard: ShardId, maker: IpAddr, plan: LobbyPlan) -> DirectoryEntry {
        DirectoryEntry {
            shard,
            reported: ReportedLobby::new(&plan.stage),
            plan,
            seats: [false; SEATS],
            seats_max: SEATS,
            remote: None,
            watching: [None; SEATS],
            port: None,
            maker_since: None,
            maker,
            is_from_desk: false,
            present: 0,
            kicks: Kicks::default(),
            invited: Invitations::default(),
            is_awaiting: false,
        }
    }

    /// A seat that nobody has: rather one in which no bot plays.
    fn free_seat(&self) -> Option<Seat> {
        let has_bot =
            |seat: Seat| self.reported.members.iter().any(|member| member.seat == seat && member.kind.bot().is_some());
        let free = Seat::ALL.into_iter().take(self.seats_max).filter(|seat| !self.seats[seat.index()]);
        free.min_by_key(|seat| (has_bot(*seat), *seat))
    }

    fn taken(&self) -> usize {
        self.seats.iter().filter(|taken| **taken).count()
    }

    fn is_empty(&self) -> bool {
        self.taken() == 0
    }

    fn is_full(&self) -> bool {
        self.taken() >= self.seats_max
    }

    /// Whether nobody plays in it, and its maker, if it was made at a desk, is not awaited any more.
    fn is_deserted(&self) -> bool {
        self.present == 0 && self.maker_since.is_none()
    }

    /// Ruling C17: whether its game is over, so that nobody is seated in it. With nobody left in it, the next begins at once.
    fn is_over(&self) -> bool {
        matches!(self.reported.state, GameState::Won | GameState::Lost) && !self.is_empty()
    }

    /// Whether there is a seat for somebody who did not make it at a desk: its maker finds one in any case.
    fn has_room_for_anybody(&self, now: OwnTime) -> bool {
        let is_kept = self.maker_since.is_some_and(|since| now.since(since) < KEPT_FOR_MAKER);
        self.seats_max.saturating_sub(self.taken()) > usize::from(is_kept)
    }

    fn summary(&self) -> LobbySummary {
        LobbySummary {
            code: self.plan.identity.id,
            stage: self.reported.stage_name.clone(),
            state: self.reported.state,
            players: self.taken() as u8,
            rules: self.plan.rules,
            host: self.reported.host,
            members: self.reported.members.clone(),
        }
    }
}
