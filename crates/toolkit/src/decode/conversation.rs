//! One session as a capture shows it: who is the client, in which lobby, how much each end says, what is lost, repeated and wrong, and how
//! long answers take.

use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    hash::{DefaultHasher, Hash, Hasher},
    net::SocketAddr,
    time::Duration,
};

use protocol::{
    Channel, Dialect,
    field_table::{Follower, MessageKey, Sender, Value, WalkMemory},
};

use super::explained::{Explained, Violation};

/// Requests that are remembered until they are answered. More, and all are forgotten.
const REQUESTS_MAX: usize = 16_384;
/// Round trips of a session that are remembered.
const ROUND_TRIPS_MAX: usize = 16_384;
/// Kinds of violations of a session that are told apart.
const VIOLATIONS_MAX: usize = 256;
/// Fields with the name of a lobby, and the one with its port.
const LOBBY_NAMES: [&str; 3] = ["created_lobby_id", "lobby_id", "code"];
const LOBBY_PORT: &str = "lobby_port";
/// Numbers and names of lobbies stand within this many values; a message may have thousands.
const HEAD_VALUES: usize = 16;

/// A session between two addresses.
pub struct Conversation {
    /// Counted from 1.
    pub number: usize,
    pub dialect: Dialect,
    pub client: SocketAddr,
    pub server: SocketAddr,
    /// How sure it is that this is the dialect; `None` if a port or the user says so.
    pub certainty: Option<f64>,
    /// The lobby's code, once it was said.
    pub lobby: Option<String>,
    memory: WalkMemory,
    follower: Option<Box<dyn Follower>>,
    pub from_client: SenderTotals,
    pub from_server: SenderTotals,
    /// When each request was made, by what tells it from others.
    requests: HashMap<u64, PendingRequest>,
    pub round_trips: Vec<Duration>,
    /// How often each was seen, by its reference and what it is.
    pub violations: BTreeMap<(String, String), u64>,
}

struct PendingRequest {
    time: Duration,
    sender: Sender,
    /// Whether it was answered already.
    is_answered: bool,
}

/// What one end said.
#[derive(Clone, Copy, Debug, Default)]
pub struct SenderTotals {
    pub messages: u64,
    pub bytes: u64,
    pub first: Option<Duration>,
    pub last: Duration,
    pub malformed: u64,
    lost: u64,
    pub repeated: u64,
    /// The number of the newest datagram, in a dialect that counts them.
    newest: Option<u16>,
}

/// A lobby that has a port of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LobbyDoor {
    pub port: u16,
    pub code: Option<String>,
}

impl Conversation {
    pub fn new(number: usize, dialect: Dialect, client: SocketAddr, server: SocketAddr) -> Conversation {
        Conversation {
            number,
            dialect,
            client,
            server,
            certainty: None,
            lobby: None,
            memory: WalkMemory::default(),
            follower: dialect.entry().fields.opaque.map(|opaque| (opaque.follow)()),
            from_client: SenderTotals::default(),
            from_server: SenderTotals::default(),
            requests: HashMap::new(),
            round_trips: Vec::new(),
            violations: BTreeMap::new(),
        }
    }

    /// Who speaks from that address.
    pub fn sender(&self, from: SocketAddr) -> Sender {
        if from == self.server { Sender::Server } else { Sender::Client }
    }

    pub fn said(&self, sender: Sender) -> &SenderTotals {
        match sender {
            Sender::Client => &self.from_client,
            Sender::Server => &self.from_server,
        }
    }

    /// Reads a datagram or a whole message.
    pub fn read<'a>(&mut self, sender: Sender, channel: Channel, bytes: &'a [u8]) -> Explained<'a> {
        let mut explained = Explained::read(self.dialect, (sender, channel), bytes, &mut self.memory);
        if let (Some(follower), Channel::Datagram) = (&mut self.follower, channel)
            && let Ok(Some(lines)) = follower.read(sender, bytes)
        {
            explained.opaque = lines;
        }
        explained
    }

    /// Counts what was said, and finds what only the session shows to be wrong.
    pub fn note(&mut self, time: Duration, explained: &Explained) -> Vec<Violation> {
        let sender = explained.sender;
        let said = match sender {
            Sender::Client => &mut self.from_client,
            Sender::Server => &mut self.from_server,
        };
        said.messages += 1;
        said.bytes += explained.bytes.len() as u64;
        said.first.get_or_insert(time);
        said.last = time;
        said.malformed += u64::from(explained.fault.is_some());
        let oddity = said.count(explained, self.dialect.entry().fields.sequence);
        self.pair(time, explained);
        self.learn_lobby(explained);
        for violation in explained.violations().chain(oddity.clone()) {
            let key = (violation.reference(), violation.what);
            if self.violations.len() < VIOLATIONS_MAX || self.violations.contains_key(&key) {
                *self.violations.entry(key).or_default() += 1;
            }
        }
        oddity.into_iter().collect()
    }

    /// Matches answers with requests.
    fn pair(&mut self, time: Duration, explained: &Explained) {
        for (index, pairing) in self.dialect.entry().fields.pairings.iter().enumerate() {
            if let Some(key) = key(&pairing.answer, index, explained)
                && let Some(request) = self.requests.get_mut(&key)
                && request.sender != explained.sender
            {
                if !request.is_answered && self.round_trips.len() < ROUND_TRIPS_MAX {
                    self.round_trips.push(time.saturating_sub(request.time));
                }
                request.is_answered = true;
                return;
            }
            if let Some(key) = key(&pairing.request, index, explained) {
                self.ask(key, time, explained);
            }
        }
    }

    fn ask(&mut self, key: u64, time: Duration, explained: &Explained) {
        if self.requests.len() >= REQUESTS_MAX {
            self.requests.clear();
        }
        let sender = explained.sender;
        match self.requests.entry(key) {
            Entry::Vacant(place) => {
                place.insert(PendingRequest { time, sender, is_answered: false });
            }
            Entry::Occupied(mut known) if known.get().is_answered => {
                known.insert(PendingRequest { time, sender, is_answered: false });
            }
            // Asked again before an answer came.
            Entry::Occupied(_) => match sender {
                Sender::Client => self.from_client.repeated += 1,
                Sender::Server => self.from_server.repeated += 1,
            },
        }
    }

    fn learn_lobby(&mut self, explained: &Explained) {
        let named = explained.values().take(HEAD_VALUES).find(|told| LOBBY_NAMES.contains(&told.field.name));
        if let Some(Value::Text(code)) = named.map(|told| told.value) {
            self.lobby = Some(code.to_owned());
        }
    }

    /// The lobby's port, if the server says one here.
    pub fn lobby_door(&self, explained: &Explained) -> Option<LobbyDoor> {
        let port = explained.number(LOBBY_PORT).filter(|port| *port != 0 && explained.fault.is_none())?;
        Some(LobbyDoor { port: u16::try_from(port).ok()?, code: self.lobby.clone() })
    }
}

impl SenderTotals {
    /// How many datagrams are missing, if they are numbered.
    pub fn lost(&self) -> Option<u64> {
        self.newest.map(|_| self.lost)
    }

    /// Counts what is lost and repeated, in a dialect that numbers its datagrams.
    fn count(&mut self, explained: &Explained, sequence: &str) -> Option<Violation> {
        let number = explained.number(sequence).filter(|_| explained.fault.is_none())? as u16;
        let Some(newest) = self.newest else {
            self.newest = Some(number);
            return None;
        };
        match number.wrapping_sub(newest).cast_signed() {
            0 => self.repeated += 1,
            ahead @ 1.. => {
                self.lost += u64::from(ahead.unsigned_abs()) - 1;
                self.newest = Some(number);
            }
            // Late: it was counted as lost.
            _ => self.lost = self.lost.saturating_sub(1),
        }
        let told = explained.values().find(|told| told.field.name == sequence)?;
        (number == newest && !told.field.ruling.is_empty()).then(|| Violation {
            at: told.at,
            what: format!("{} {number} was used before", told.field.label),
            ruling: told.field.ruling,
            clause: told.field.clause,
            is_malformed: false,
        })
    }
}

/// What tells a message from others, if it is one of that kind.
fn key(of: &MessageKey, pairing: usize, explained: &Explained) -> Option<u64> {
    let is_value = explained.number(of.on)? == of.value;
    if is_value == of.is_other || explained.fault.is_some() {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    pairing.hash(&mut hasher);
    for name in of.fields {
        let last = explained.values().filter(|told| told.field.name == *name).last()?;
        match last.value {
            Value::Unsigned(number) => number.hash(&mut hasher),
            _ => return None,
        }
    }
    Some(hasher.finish())
}
