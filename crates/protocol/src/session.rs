//! The two halves of a session, as everything outside `protocol` sees them: one narrow trait each.
//!
//! Both are machines: `receive`, `advance` and `publish` (or `press`) change them, `poll` takes out what they want
//! sent. Nothing here opens a socket: the program that drives a session moves its bytes.

use std::{
    ops::{Deref, DerefMut},
    time::Duration,
};

use game::{Frame, Input, Seat, stage::Terrain};

use crate::{LobbyId, LobbyNotice, LobbyRequest, Malformed, Scale, Scene, ServerFault, Time};

/// How bytes travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    Datagram,
    /// The next bytes of a stream, cut anywhere. No bytes: the other end closed it.
    Stream,
}

/// What [`ServerSession::poll`] and [`ClientSession::poll`] want done with the buffer that they filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    /// Send it as one datagram.
    Datagram,
    /// Send it down the stream.
    Stream,
    /// Close the stream, once what was sent before has left. The buffer is empty.
    CloseStream,
    /// From now on, send datagrams to this port of the server. The buffer is empty.
    DatagramsTo(u16),
}

/// How a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Not yet in the game.
    Opening,
    Playing,
    /// We said goodbye and wait for the answer, for two seconds at most. Keep the session until it has ended.
    Leaving,
    /// Over. Poll what is left to send, then drop it.
    Ended(End),
}

/// Why a session is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// The peer said goodbye, or we did.
    Left,
    /// Nothing was heard of the peer for too long.
    TimedOut,
    /// The peer's system says that nobody listens there, and the peer says nothing (ruling C6).
    Unreachable,
    /// The server does not want this client, or cannot give it what it asked for.
    Refused,
    /// There is no free seat.
    Full,
    /// Client and server speak different versions of the dialect.
    VersionDiffers,
    /// The server says that it heard nothing of us for too long, or that another client took our seat.
    Dropped,
    /// The lobby was closed.
    LobbyClosed,
    /// There is no lobby of that name.
    NoLobby,
    /// The lobby has no free seat.
    LobbyFull,
    /// No lobby was made for a stage that only the server can know: it does not have it, or it is full.
    NoStage,
    /// The node ended it: kicked.
    Closed,
    /// The node ends, and may be back soon.
    Restarting,
}

/// Something that a player asks of the lobby.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    /// Start the game.
    Start,
}

/// Something that a peer should not have said, but that its dialect tells us to carry out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Oddity {
    /// It named another player as itself (ruling S5).
    ForeignPlayer,
}

/// What became of well-formed bytes: they were used, and there may be something odd to count and to log.
pub type Received = Option<Oddity>;

/// Where a dialect stands in the numbers that its peers compare, such as Packet IDs (ruling S4). Only the dialect knows
/// what they mean; a node keeps them for as long as the peer may remember.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Numbers(u64);

impl Numbers {
    /// Those that [`Numbers::to_bits`] gave.
    pub const fn from_bits(bits: u64) -> Numbers {
        Numbers(bits)
    }

    /// As bits, to be kept.
    pub const fn to_bits(self) -> u64 {
        self.0
    }
}

/// The server's half of a session: one player of one dialect.
///
/// For each tick of the lobby: `receive` what has come, `advance`, take the `input`, step the game, `publish` the
/// scene, `poll` until there is nothing more.
pub trait ServerSession: Send {
    /// Takes bytes from the peer. Malformed ones are to be dropped and counted; they never end a session (C7) unless
    /// the dialect says so.
    fn receive(&mut self, now: Time, channel: Channel, bytes: &[u8]) -> Result<Received, Malformed>;

    /// Lets time pass: repeats, keeps alive, times out.
    fn advance(&mut self, now: Time);

    /// The node itself stood still for this long: that is nobody's silence (ruling C15).
    fn forgive(&mut self, lost: Duration);

    /// Shows the peer a new Frame.
    fn publish(&mut self, now: Time, scene: &Scene);

    /// Takes out the next thing to send. `buffer` is emptied, then filled with its bytes.
    fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> Option<Output>;

    /// What the player holds, and pressed since this was last called.
    fn input(&mut self, now: Time) -> Input;

    /// What the player asks for; each is given out once.
    fn request(&mut self) -> Option<Request>;

    /// How it stands.
    fn status(&self) -> Status;

    /// Whether the peer's address echoed something that only we told it (ruling C5).
    fn is_proved(&self) -> bool;

    /// How often something was sent again because the peer had not confirmed it.
    fn retransmissions(&self) -> u64 {
        0
    }

    /// Where the numbers that the peer compares stand. The next session with the same peer is opened with them.
    fn numbers(&self) -> Numbers {
        Numbers::default()
    }

    /// Ends the session from our side, with a last word if the dialect has one.
    fn end(&mut self, now: Time, why: End);
}

/// The server's half of a session over a link, which is there before its player has chosen a lobby.
pub trait LinkSession: ServerSession {
    /// What the player asks of the node; each request is given out once.
    fn lobby_request(&mut self) -> Option<LobbyRequest>;

    /// Tells the player what came of a request, or what else is new in the lobby.
    fn notify(&mut self, now: Time, notice: &LobbyNotice);

    /// Whether a game that was paused can resume: what the player does next has come.
    fn can_resume(&self) -> bool;
}

/// The server's half of a session of any dialect, as a node keeps it.
pub enum AnyServerSession {
    /// It has had its seat from the beginning.
    Seated(Box<dyn ServerSession>),
    /// It chooses its lobby itself.
    Link(Box<dyn LinkSession>),
}

impl AnyServerSession {
    /// What only a link's session can do.
    pub fn link(&self) -> Option<&dyn LinkSession> {
        match self {
            AnyServerSession::Seated(_) => None,
            AnyServerSession::Link(session) => Some(&**session),
        }
    }

    /// What only a link's session can do.
    pub fn link_mut(&mut self) -> Option<&mut dyn LinkSession> {
        match self {
            AnyServerSession::Seated(_) => None,
            AnyServerSession::Link(session) => Some(&mut **session),
        }
    }
}

impl Deref for AnyServerSession {
    type Target = dyn ServerSession;
    fn deref(&self) -> &Self::Target {
        match self {
            AnyServerSession::Seated(session) => &**session,
            AnyServerSession::Link(session) => &**session,
        }
    }
}

impl DerefMut for AnyServerSession {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            AnyServerSession::Seated(session) => &mut **session,
            AnyServerSession::Link(session) => &mut **session,
        }
    }
}

/// The client's half of a session: connects, keeps alive, sends Inputs, rebuilds Frames.
pub trait ClientSession: Send {
    /// Takes bytes from the server.
    fn receive(&mut self, now: Time, channel: Channel, bytes: &[u8]) -> Result<(), Malformed>;

    /// Lets time pass: retries, keeps alive, times out.
    fn advance(&mut self, now: Time);

    /// What the player holds now and has pressed since the last call. To be called once a tick, even when nothing
    /// changed.
    fn press(&mut self, now: Time, input: Input);

    /// Takes out the next thing to send. `buffer` is emptied, then filled with its bytes.
    fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> Option<Output>;

    /// Copies the newest Frame out, with the events since this was last called, if it is newer than the last one
    /// copied. What the dialect does not say is left at its default.
    fn take_frame(&mut self, frame: &mut Frame) -> bool;

    /// The player's seat, once it is known.
    fn seat(&self) -> Option<Seat>;

    /// The terrain of the stage, where a dialect sends it at once. The others show walls in Frames (ruling C12).
    fn terrain(&self) -> Option<&Terrain> {
        None
    }

    /// How it stands.
    fn status(&self) -> Status;

    /// The lobby that it is in, once its code is known, in a dialect that names lobbies.
    fn lobby(&self) -> Option<LobbyPlace<'_>> {
        None
    }

    /// What is wrong with the server, if the player should know.
    fn fault(&self) -> Option<&ServerFault> {
        None
    }

    /// Says something to everybody in the lobby, where a dialect has words for that.
    fn say(&mut self, _now: Time, _text: &str) {}

    /// The next thing that somebody said, for a program that needs nothing else: what came beside it is forgotten.
    fn take_chat_message(&mut self) -> Option<ChatMessage> {
        None
    }

    /// Asks for the game to be started, where a dialect has such a request.
    fn start(&mut self, now: Time);

    /// Leaves, with a goodbye if the dialect has one.
    fn leave(&mut self, now: Time);
}

/// A stream connection that asks for lobbies rather than for a seat.
pub trait Desk: Send {
    /// Takes the next bytes of the stream. Malformed ones close it.
    fn receive(&mut self, now: Time, bytes: &[u8]) -> Result<(), Malformed>;

    /// Lets time pass: one that asks for nothing is closed.
    fn advance(&mut self, now: Time);

    /// When time will close it if nothing more comes. None: it waits for an answer, or is closed.
    fn deadline(&self) -> Option<Time>;

    /// What the client asks; each question is given out once and wants one answer before the next.
    fn question(&mut self) -> Option<DeskQuestion>;

    /// Answers the question that was given out last.
    fn answer(&mut self, now: Time, answer: DeskAnswer);

    /// Takes out the next thing to send. `buffer` is emptied, then filled with its bytes.
    fn poll(&mut self, buffer: &mut Vec<u8>) -> Option<Output>;
}

/// What a client asks at a desk.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DeskQuestion {
    /// Where is this lobby?
    Find(LobbyId),
    /// Something that no lobby or stage can be called: the answer is nothing.
    Impossible,
    /// Make a lobby that plays this stage.
    Create {
        /// The name of the stage.
        stage: String,
    },
}

/// What a desk is told to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeskAnswer {
    /// The lobby is at this UDP port.
    Lobby { port: u16, id: LobbyId },
    /// There is no such lobby, no such stage, or no room.
    Nothing,
}

/// What a server session is opened with.
#[derive(Clone, Copy, Debug)]
pub struct Welcome {
    /// The seat that the player was given.
    pub seat: Seat,
    pub now: Time,
    /// When the node started.
    pub started: Time,
    /// The door's scale.
    pub scale: Scale,
    /// Where an earlier session with the same peer ended.
    pub numbers: Numbers,
}

/// Something that was said in a lobby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMessage {
    /// Who said it, if it was a player.
    pub seat: Option<Seat>,
    pub name: String,
    /// The words.
    pub text: String,
}

/// The lobby that a client is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LobbyPlace<'a> {
    pub code: LobbyId,
    /// The name of its stage; empty until it is known.
    pub stage: &'a str,
}

/// What a client session is opened with.
#[derive(Clone, Debug)]
pub struct Plan {
    pub now: Time,
    /// The player's name, for dialects that have one.
    pub name: String,
    /// The lobby to join, for dialects that have lobbies. None: make a new one.
    pub lobby: Option<String>,
    /// The stage of a new lobby.
    pub stage: String,
    /// The door's scale.
    pub scale: Scale,
    /// Whether a game that waits is started without being asked, in dialects whose players start it.
    pub starts_at_once: bool,
    /// How long changes wait before they are shown, in dialects whose clients queue them (ruling A7); none: as long as is usual
    /// in the dialect.
    pub queue: Option<Duration>,
}

impl Plan {
    /// The plan of a client that connects now, has no name, and takes what it is given.
    pub fn at(now: Time) -> Plan {
        Plan {
            now,
            name: String::new(),
            lobby: None,
            stage: "endless".into(),
            scale: Scale::default(),
            starts_at_once: true,
            queue: None,
        }
    }
}
