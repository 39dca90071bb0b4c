//! What a player and a node say to each other outside the game: lobbies, chat, seats that are kept.
//!
//! A dialect whose link chooses its lobby returns a [`LobbyRequest`] for each thing that its player asks for, and is told what
//! came of it, and what else is new, by a [`LobbyNotice`]. The node knows these two and nothing of the dialect.

use std::fmt;

use game::{GameState, PlayerTally, Rules, Seat, ShipModel, Skill, Stage};

use crate::{Dialect, LobbyId};

/// The most bytes of a player's name.
pub const NAME_MAX_BYTES: usize = 32;
/// The most bytes of a stage's name.
pub const STAGE_MAX_BYTES: usize = 64;
/// The most bytes of one thing said.
pub const SAY_MAX_BYTES: usize = 200;

/// Lobbies in one list, at most.
pub const LISTED_MAX: usize = 64;

/// What proves that a seat is somebody's own: unguessable bytes that the node makes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token(pub [u8; 16]);

/// A secret is not printed.
impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("Token(..)")
    }
}

/// Something that a player asks of the node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LobbyRequest {
    /// Which lobbies are open?
    List,
    /// A seat in any open lobby.
    Quick,
    /// A new lobby, with a seat in it.
    Create {
        /// The name of the stage.
        stage: String,
        rules: Rules,
        /// Whether it is left out of lists and of quick seats.
        is_private: bool,
    },
    /// A seat in that lobby.
    Join { code: LobbyId },
    /// To see that lobby without a seat.
    Watch { code: LobbyId },
    /// The seat that was lost with a connection.
    Rejoin {
        /// What was given with the seat.
        token: Token,
    },
    /// To be called so from now on.
    Rename {
        /// The name, trimmed, without control characters.
        name: String,
    },
    /// To be ready, or not yet.
    Ready(bool),
    /// The game to start.
    Start,
    /// To say something to everybody in the lobby.
    Say { text: String },
    /// To hear no more, or again, of the player in that seat. The session carries this out itself.
    Mute {
        /// Whose words.
        seat: Seat,
        /// Whether they are kept away.
        on: bool,
    },
    /// To leave the lobby, but not the node.
    LeaveLobby,
    /// Time to pass so, whenever nobody else has a seat in the lobby.
    Pace(Pace),
    /// To fly this ship: at once, or from the next ship on if a game runs. It is kept from lobby to lobby.
    Ship(ShipModel),
    /// A bot in a free seat. Only the host of the lobby may ask for it.
    AddBot(Skill),
    /// The player or the bot in that seat to be gone. Only the host of the lobby may ask for it.
    Kick { seat: Seat },
    /// To make a gesture that everybody in the lobby sees at the player's ship.
    Emote(Emote),
}

/// A gesture that a player makes to the others. The numbers are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Emote {
    Hello = 0,
    Thanks = 1,
    WellDone = 2,
    Help = 3,
    Sorry = 4,
    FollowMe = 5,
}

impl Emote {
    /// All of them, by number.
    pub const ALL: [Emote; 6] =
        [Emote::Hello, Emote::Thanks, Emote::WellDone, Emote::Help, Emote::Sorry, Emote::FollowMe];

    pub fn from_number(number: u8) -> Option<Emote> {
        Emote::ALL.get(usize::from(number)).copied()
    }
}

/// How fast time passes in a lobby. The numbers are stable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Pace {
    /// 60 ticks a second.
    #[default]
    Full = 0,
    /// 45 ticks a second.
    Slow = 1,
    /// It stands still.
    Paused = 2,
}

impl Pace {
    pub const ALL: [Pace; 3] = [Pace::Full, Pace::Slow, Pace::Paused];

    /// How often a lobby ticks at this pace.
    pub const fn ticks_per_second(self) -> u32 {
        match self {
            Pace::Full => 60,
            Pace::Slow => 45,
            Pace::Paused => 0,
        }
    }

    pub fn from_number(number: u8) -> Option<Pace> {
        Pace::ALL.into_iter().find(|pace| *pace as u8 == number)
    }
}

/// What a session is told by the node.
#[derive(Clone, Copy, Debug)]
pub enum LobbyNotice<'a> {
    /// The open lobbies.
    Lobbies(&'a [LobbySummary]),
    Seated {
        code: LobbyId,
        seat: Seat,
        /// With this the seat can be had again within a minute of losing the connection.
        token: Token,
    },
    /// A place to watch from.
    Watching { code: LobbyId },
    /// The last request is refused.
    Refused(Refusal),
    /// Who is in the lobby. To be told when it changes.
    Lobby(&'a LobbyDetails),
    /// Somebody said something.
    Said {
        /// Who, if it is a player.
        seat: Option<Seat>,
        name: &'a str,
        text: &'a str,
    },
    /// What is played from now on. To be sent after a seat was given, and whenever the stage changes.
    Stage(&'a Stage),
    /// No longer in a lobby.
    LeftLobby,
    /// How time passes from now on. To be told when it changes, to everybody, and in answer to each request for it.
    Pace(Pace),
    /// What everybody did. To be told when a stage is won and when a game is lost.
    Tally(&'a Tally),
    /// A player made a gesture.
    Emote { seat: Seat, emote: Emote },
}

/// Why a request is refused. The numbers are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Refusal {
    /// The two ends speak different versions.
    Version = 1,
    /// There is no lobby of that code.
    NoLobby = 2,
    /// Every seat is taken.
    Full = 3,
    /// There is no stage of that name.
    NoStage = 4,
    /// The node opens no more lobbies.
    NodeFull = 5,
    /// That seat is no longer kept.
    TooLate = 6,
    /// Slower, please.
    TooFast = 7,
    /// It makes no sense now.
    NotNow = 8,
    /// Only the host of the lobby may ask for that.
    NotHost = 9,
    /// The host of that lobby has just kicked them.
    Kicked = 10,
    /// There is no free seat for a bot, or the node runs no more of them.
    NoBot = 11,
}

impl Refusal {
    pub const ALL: [Refusal; 11] = [
        Refusal::Version,
        Refusal::NoLobby,
        Refusal::Full,
        Refusal::NoStage,
        Refusal::NodeFull,
        Refusal::TooLate,
        Refusal::TooFast,
        Refusal::NotNow,
        Refusal::NotHost,
        Refusal::Kicked,
        Refusal::NoBot,
    ];

    /// The reason of that number.
    pub fn from_number(number: u8) -> Option<Refusal> {
        Refusal::ALL.into_iter().find(|refusal| *refusal as u8 == number)
    }
}

/// One lobby of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LobbySummary {
    pub code: LobbyId,
    /// The name of its stage.
    pub stage: String,
    pub state: GameState,
    /// Seats that are taken by people. A bot gives its seat up to whoever joins.
    pub players: u8,
    pub rules: Rules,
    /// The seat of the host, if there is one.
    pub host: Option<Seat>,
    /// The players and bots, by seat.
    pub members: Vec<Member>,
}

/// A lobby as those in it see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LobbyDetails {
    pub code: LobbyId,
    /// The name of its stage.
    pub stage: String,
    pub rules: Rules,
    /// Whether it is left out of lists.
    pub is_private: bool,
    /// How many watch.
    pub watchers: u8,
    /// The seat of the host, who starts the game, adds bots and kicks; none in a lobby that no player made.
    pub host: Option<Seat>,
    /// The players and bots, by seat.
    pub members: Vec<Member>,
}

/// Who plays in a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlayerKind {
    /// Somebody who speaks this dialect.
    Person(Dialect),
    /// A bot of the node.
    Bot(Skill),
}

impl PlayerKind {
    /// The name of what they speak; `bot` for a bot.
    pub fn name(self) -> &'static str {
        match self {
            PlayerKind::Person(dialect) => dialect.name(),
            PlayerKind::Bot(_) => "bot",
        }
    }

    /// What a person speaks; none for a bot.
    pub const fn dialect(self) -> Option<Dialect> {
        match self {
            PlayerKind::Person(dialect) => Some(dialect),
            PlayerKind::Bot(_) => None,
        }
    }

    /// How well a bot plays; none for a person.
    pub const fn bot(self) -> Option<Skill> {
        match self {
            PlayerKind::Person(_) => None,
            PlayerKind::Bot(skill) => Some(skill),
        }
    }
}

/// A player of a lobby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub seat: Seat,
    /// The name; empty if the dialect has none.
    pub name: String,
    pub kind: PlayerKind,
    /// Whether they said that they are ready.
    pub is_ready: bool,
    /// Whether the connection is lost, and the seat kept.
    pub is_away: bool,
    /// The ship that they chose.
    pub ship: ShipModel,
}

/// Names a recorded game, in the tally and in the tables of the API: 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GameId(pub u64);

impl fmt::Display for GameId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

/// What everybody did in a stage that was won, or in a game that was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The game, as the tables name it.
    pub game: GameId,
    /// Whether the stage was won.
    pub is_won: bool,
    /// Whether it goes into a table: not in practice, nor if time was slowed down.
    pub is_scored: bool,
    /// The score of all together.
    pub score: u32,
    /// The players, by seat.
    pub players: Vec<TallyLine>,
}

/// One player of a tally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TallyLine {
    /// The name; empty if the dialect has none.
    pub name: String,
    /// What they did.
    pub player: PlayerTally,
}

/// Text from a peer as others may see it: trimmed, without control characters, of a bounded length.
pub(crate) fn decent(text: &str, bytes_max: usize) -> Option<&str> {
    let text = text.trim();
    (text.len() <= bytes_max && !text.chars().any(char::is_control)).then_some(text)
}
