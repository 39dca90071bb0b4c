//! A shard of the node as a pure machine. Start reading at [`Core`].
//!
//! What arrives is handed in with the time; what leaves goes to an [`Outbox`] that the caller passes along. There is no
//! socket, no clock and no thread here, so a whole node runs in a test, faster than real time: its shards one after the
//! other, with one [`SharedDirectory`] between them.

mod arrivals;
mod bans;
mod breakage;
mod counters;
mod desks;
mod directory;
mod histogram;
mod links;
mod lobby;
mod lounge;
mod orders;
mod pace;
mod parcels;
mod peers;
mod purse;
mod reception;
mod recollection;
mod records;
mod session;
mod streams;
mod ticks;
mod timetable;
mod view;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    net::SocketAddr,
    ops::RangeInclusive,
    sync::Arc,
    time::Duration,
};

use game::{Rules, Stage};
use protocol::{Dialect, LobbyId, Scale, Time};
use slab::Slab;

pub use bans::{BANS_MAX, Bans, NotARange, Range};
pub use counters::{Counters, DialectCounters, Drop};
pub use directory::SharedDirectory;
pub use histogram::Histogram;
pub use orders::Order;
pub use parcels::{Parcel, ShardId};
pub use records::{Outcome, Record, RecordedPlayer};
pub use view::{Census, LobbyView, PlayerView, SessionView};

use desks::OpenDesk;
use links::HomeLink;
use lobby::Lobby;
use purse::Purse;
use reception::Early;
use session::Session;
use streams::StreamEnd;
use timetable::Timetable;

/// A place at which the node can be reached by datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Endpoint {
    /// The door of a dialect.
    Door(Dialect),
    /// The port of one lobby, in a dialect that has such ports.
    Lobby(Dialect, u16),
    /// One link, in a dialect that has such.
    Link(Dialect, StreamId),
}

impl Endpoint {
    /// The dialect that is spoken there.
    pub fn dialect(self) -> Dialect {
        match self {
            Endpoint::Door(dialect) | Endpoint::Lobby(dialect, _) | Endpoint::Link(dialect, _) => dialect,
        }
    }
}

/// The name of a stream connection or of a link, given by who accepted it and never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u64);

/// Where what a shard says goes.
pub trait Outbox {
    /// Sends a datagram. It may be lost.
    fn datagram(&mut self, from: Endpoint, to: SocketAddr, bytes: &[u8]);

    /// Sends bytes down a stream, or that of a link.
    fn stream(&mut self, stream: StreamId, bytes: &[u8]);

    /// Closes a stream or a link once what was sent before has left.
    fn close(&mut self, stream: StreamId);

    /// Begins to listen for datagrams at a lobby's port. False if that cannot be done.
    fn listen(&mut self, dialect: Dialect, port: u16) -> bool;

    /// Ends listening at a lobby's port.
    fn unlisten(&mut self, port: u16);

    /// Hands something to another shard. False: it is lost, which may only happen to what [`Parcel::may_be_lost`].
    fn hand_over(&mut self, to: ShardId, parcel: Parcel) -> bool;

    /// From now on the shard sends over a link whose home is another one.
    fn borrow_link(&mut self, _link: StreamId) {}

    /// It does so no longer.
    fn return_link(&mut self, _link: StreamId) {}

    /// The time by now, by which the shard measures its own work.
    fn clock(&self) -> Time;

    /// Keeps what became of a game. Who keeps nothing forgets it.
    fn record(&mut self, _record: Record) {}
}

/// What an operator chooses.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The stage of lobbies that nobody chose one for.
    pub stage: Arc<Stage>,
    /// Every stage that a lobby may be created with.
    pub stages: Vec<Arc<Stage>>,
    /// The rules of new lobbies.
    pub rules: Rules,
    /// Lobbies at once, at most.
    pub lobbies_max: usize,
    /// The ports of lobbies, in the dialect that gives each its own.
    pub lobby_ports: RangeInclusive<u16>,
    /// Units of the wire for one pixel of the field.
    pub scale: Scale,
    /// Whether dialects that cannot prove an address serve public ones.
    pub open_unproved: bool,
    /// What all unproved public peers together are sent at most.
    pub unproved_bytes_per_second: u64,
    /// From which every chance of the node comes.
    pub seed: u64,
    /// From which come what nobody may guess: tokens, and the codes of private lobbies.
    pub secret: [u8; 32],
}

/// A shard: some of a node's lobbies, and the sessions of who plays in them.
pub struct Core {
    settings: Settings,
    started: Time,
    shard: ShardId,
    directory: SharedDirectory,
    lobbies: Slab<Lobby>,
    lobby_keys: HashMap<LobbyId, LobbyKey>,
    timetable: Timetable,
    sessions: Slab<Session>,
    next_serial: u64,
    /// The only way from an address to a session.
    routes: HashMap<(Endpoint, SocketAddr), Route>,
    /// Streams of sessions.
    streams: HashMap<StreamId, StreamEnd>,
    /// Streams whose peers have begun anew, until their earlier sessions have ended on other shards.
    knocking: BTreeSet<StreamId>,
    /// Streams that ask for lobbies.
    desks: BTreeMap<StreamId, OpenDesk>,
    /// Links whose home this is.
    links: HashMap<StreamId, HomeLink>,
    /// Sessions that are in no lobby, and when they were last looked after.
    lounge: BTreeSet<SessionKey>,
    lounge_seen: Time,
    /// Addresses that are not served.
    bans: Arc<Bans>,
    /// Datagrams that came before their streams.
    early: Vec<Early>,
    purse: Purse,
    buffer: Vec<u8>,
    counters: Counters,
}

/// The place of a session in the table of its shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SessionKey(usize);

/// The place of a lobby in the table of its shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LobbyKey(usize);

/// Where a known peer's datagrams belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    /// To a session of this shard.
    Here(SessionKey),
    /// To another shard.
    Shard(ShardId),
}

impl Core {
    /// A node of one shard, without lobbies.
    pub fn new(now: Time, settings: Settings) -> Core {
        let directory = SharedDirectory::new(&settings, 1);
        Core::shard(now, settings, ShardId(0), directory)
    }

    /// A shard of a node. All of them have the same settings and start at the same time.
    pub fn shard(now: Time, settings: Settings, shard: ShardId, directory: SharedDirectory) -> Core {
        let unproved = Arc::clone(&directory.lock().unproved);
        Core {
            started: now,
            shard,
            directory,
            lobbies: Slab::new(),
            lobby_keys: HashMap::new(),
            timetable: Timetable::new(now),
            sessions: Slab::new(),
            next_serial: 0,
            routes: HashMap::new(),
            streams: HashMap::new(),
            knocking: BTreeSet::new(),
            desks: BTreeMap::new(),
            links: HashMap::new(),
            lounge: BTreeSet::new(),
            lounge_seen: now,
            bans: Arc::default(),
            early: Vec::new(),
            purse: Purse::new(now, settings.unproved_bytes_per_second, unproved),
            buffer: Vec::with_capacity(2048),
            counters: Counters::default(),
            settings,
        }
    }

    /// What has been counted since the start.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Counts time that the shard was at work.
    pub fn note_busy(&mut self, busy: Duration) {
        self.counters.busy += busy;
    }

    /// Counts datagrams that were lost on the way out.
    pub fn note_lost(&mut self, dialect: Dialect, why: Drop, count: u64) {
        self.counters.drop_many(dialect, why, count);
    }
}
