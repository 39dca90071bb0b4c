//! The node as a pure machine. Start reading at [`Core`].
//!
//! What arrives is handed in with the time; what leaves goes to an [`Outbox`] that the caller passes along. There is no
//! socket, no clock and no thread here, so a whole node runs in a test, faster than real time.

mod counters;
mod desks;
mod lobby;
mod reception;
mod session;
mod ticks;
mod view;

use std::{
    collections::{BTreeMap, HashMap},
    net::{IpAddr, SocketAddr},
    ops::RangeInclusive,
    sync::Arc,
};

use game::{Dice, Rules, Stage};
use protocol::{Dialect, Scale, Time, amplification::Budget, rfc2020::LobbyId};

pub use counters::{Counters, DialectCounters, Drop};
pub use view::{LobbyView, PlayerView};

use desks::OpenDesk;
use lobby::Lobby;
use session::Session;

/// A place at which the node can be reached by datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Endpoint {
    /// The door of a dialect.
    Door(Dialect),
    /// The port of one lobby, in a dialect that has such ports.
    Lobby(Dialect, u16),
}

impl Endpoint {
    /// The dialect that is spoken there.
    pub fn dialect(self) -> Dialect {
        match self {
            Endpoint::Door(dialect) | Endpoint::Lobby(dialect, _) => dialect,
        }
    }
}

/// The name of a stream connection, given by who accepted it and never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u64);

/// The name of a link, given by who accepted it and never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u64);

/// Where what the node says goes.
pub trait Outbox {
    /// Sends a datagram. It may be lost.
    fn datagram(&mut self, from: Endpoint, to: SocketAddr, bytes: &[u8]);

    /// Sends bytes down a stream.
    fn stream(&mut self, stream: StreamId, bytes: &[u8]);

    /// Closes a stream once what was sent before has left.
    fn close(&mut self, stream: StreamId);

    /// Begins to listen for datagrams at a lobby's port. False if that cannot be done.
    fn listen(&mut self, dialect: Dialect, port: u16) -> bool;

    /// Ends listening at a lobby's port.
    fn unlisten(&mut self, port: u16);
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
}

/// A node.
pub struct Core {
    settings: Settings,
    started: Time,
    dice: Dice,
    lobbies: BTreeMap<LobbyId, Lobby>,
    /// The lobbies, the oldest first: the order in which free seats are looked for.
    by_age: Vec<LobbyId>,
    sessions: BTreeMap<SessionKey, Session>,
    next_session: u64,
    /// The only way from an address to a session.
    routes: HashMap<(Endpoint, SocketAddr), SessionKey>,
    /// Sessions with a stream of their own.
    streams: HashMap<StreamId, SessionKey>,
    /// Streams that ask for lobbies.
    desks: BTreeMap<StreamId, OpenDesk>,
    /// When each address last had an answer over a stream: what proves it to lobby ports.
    exchanges: HashMap<IpAddr, Time>,
    /// Players who have just gone, and whose hello or goodbye may come again.
    departed: HashMap<(Endpoint, SocketAddr), Departed>,
    budget: Budget,
    buffer: Vec<u8>,
    counters: Counters,
}

/// A player who has just gone.
struct Departed {
    since: Time,
    /// The datagram that opened the session; empty where a stream did.
    knock: Vec<u8>,
}

/// The name of a session, in order of opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SessionKey(u64);

impl Core {
    /// A node without lobbies.
    pub fn new(now: Time, settings: Settings) -> Core {
        Core {
            started: now,
            dice: Dice::new(settings.seed),
            lobbies: BTreeMap::new(),
            by_age: Vec::new(),
            sessions: BTreeMap::new(),
            next_session: 0,
            routes: HashMap::new(),
            streams: HashMap::new(),
            desks: BTreeMap::new(),
            exchanges: HashMap::new(),
            departed: HashMap::new(),
            budget: Budget::new(now, settings.unproved_bytes_per_second),
            buffer: Vec::with_capacity(2048),
            counters: Counters::default(),
            settings,
        }
    }

    /// What has been counted since the start.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }
}
