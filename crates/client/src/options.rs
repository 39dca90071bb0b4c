//! What a client is started with, and what its shell tells it besides keys and bytes.

use protocol::{Dialect, Scale};

/// What a client is started with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The dialect that the server is spoken to in. Lobbies, chat and prediction need our own.
    pub dialect: Dialect,
    /// The player's name, if the shell knows better than the settings.
    pub name: Option<String>,
    /// Straight into the lobby of this code, without a title.
    pub lobby: Option<String>,
    /// Straight into a game with whoever is there.
    pub quick: bool,
    /// The stage of a lobby that is made without asking.
    pub stage: String,
    /// The scale of a foreign dialect's coordinates.
    pub scale: Scale,
    /// What the last [`Action::Keep`](crate::Action::Keep) gave out; empty at first.
    pub settings: String,
}

impl Options {
    /// The title screen, in that dialect.
    pub fn new(dialect: Dialect) -> Options {
        Options {
            dialect,
            name: None,
            lobby: None,
            quick: false,
            stage: "endless".into(),
            scale: Scale::default(),
            settings: String::new(),
        }
    }
}

/// A line of the table of high scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// Who; several names of one game are joined by the node.
    pub name: String,
    /// Points.
    pub points: u32,
    /// The stage's name.
    pub stage: String,
}
