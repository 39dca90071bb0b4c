//! What a client is started with, and what its shell tells it besides keys and bytes.

use protocol::{Dialect, Scale};

/// What a client is started with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The dialect to speak. A list of lobbies, chat and prediction need our own.
    pub dialect: Dialect,
    /// The player's name; it overrides the one in the settings.
    pub name: Option<String>,
    /// How long what comes waits in the queue of a dialect that has one, in milliseconds; it overrides the settings.
    pub queue_ms: Option<u8>,
    /// Join the lobby of this code at once, without the title.
    pub lobby: Option<String>,
    /// Create a lobby of this stage at once, without the title.
    pub create: Option<String>,
    /// Join any game at once.
    pub quick: bool,
    /// The stage of a lobby that the dialect creates.
    pub stage: String,
    /// The scale of a foreign dialect's coordinates.
    pub scale: Scale,
    /// What the last [`Task::StoreSettings`](crate::Task::StoreSettings) gave out; empty at first.
    pub settings: String,
}

impl Options {
    /// Begin at the title, with default settings.
    pub fn new(dialect: Dialect) -> Options {
        Options {
            dialect,
            name: None,
            queue_ms: None,
            lobby: None,
            create: None,
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
    /// The players of the game; the shell joins their names.
    pub name: String,
    /// The score of the game.
    pub points: u32,
    /// The stage's name.
    pub stage: String,
}
