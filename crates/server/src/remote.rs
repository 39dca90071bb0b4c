//! Games that are played on another server. A node whose settings name some has lobbies of one seat, each with a game of its
//! own over there instead of a world: that is a bridge.
//!
//! Nothing here knows how the other server is reached: the two traits are all that a lobby sees of it.

use std::{fmt, sync::Arc};

use game::{Input, Seat, Stage};
use protocol::{Dialect, End, LobbyId, Scene, Time};

/// The other server.
pub trait RemoteServer: Send + Sync {
    /// What it speaks.
    fn dialect(&self) -> Dialect;

    /// Joins a game there, for one player.
    fn join(&self, now: Time, join: RemoteJoin) -> Box<dyn RemoteGame>;
}

/// Who joins, and what they asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteJoin {
    /// The seat in the lobby here, which is the player's own in what they are shown.
    pub seat: Seat,
    /// What the player speaks.
    pub dialect: Dialect,
    /// The player's name; empty if the dialect has none.
    pub name: String,
    pub wish: RemoteWish,
    /// Whether a game that waits is to start without being asked: in a dialect without lobbies nobody can ask.
    pub starts_at_once: bool,
}

/// Which game on the other server a player asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteWish {
    /// The lobby over there; none: any.
    pub lobby: Option<LobbyId>,
    /// The stage of a new one.
    pub stage: Option<String>,
}

/// One player's game on the other server.
pub trait RemoteGame: Send {
    /// Lets a tick pass: passes on what the player does, and puts what is seen over there into the scene, names included.
    fn tick(&mut self, now: Time, input: Input, scene: &mut Scene);

    /// The player wants the game to start.
    fn start(&mut self, now: Time);

    /// The player says something to the others.
    fn say(&mut self, now: Time, text: &str);

    /// What else is new over there; each is given out once.
    fn news(&mut self) -> Option<RemoteNews>;

    /// The player is gone. It is still ticked, until it says that it is over.
    fn leave(&mut self, now: Time);
}

/// Something that is new on the other server, beside what is seen.
#[derive(Clone, Debug)]
pub enum RemoteNews {
    /// Who plays has changed, or what they are called.
    Players,
    /// What is played, where that is known at once.
    Stage(Arc<Stage>),
    /// The lobby over there.
    Lobby(LobbyId),
    /// Somebody said something.
    Said { seat: Option<Seat>, name: String, text: String },
    /// It is over, and does not come back.
    Ended(End),
}

/// The other server, as settings name it. Clones share it.
#[derive(Clone)]
pub struct SharedRemoteServer(pub Arc<dyn RemoteServer>);

impl fmt::Debug for SharedRemoteServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SharedRemoteServer({})", self.0.dialect().name())
    }
}
