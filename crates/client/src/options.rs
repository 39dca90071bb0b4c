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
    /// The address of the page that leads to the same server, such as `http://192.0.2.7:4240/`, for links to lobbies.
    pub page: Option<String>,
    /// Join any game at once.
    pub quick: bool,
    /// The server is the player's own, and nobody else comes to it: nothing speaks of connections, codes or pings.
    pub solo: bool,
    /// The player has a touch screen rather than a keyboard, as far as the shell knows.
    pub touch: bool,
    /// The stage of a lobby that the dialect creates.
    pub stage: String,
    /// The scale of a foreign dialect's coordinates.
    pub scale: Scale,
    /// The screen is small, as [`Client::small_screen`](crate::Client::small_screen) would tell.
    pub small_screen: bool,
    /// The language of the browser or the system, such as `fr-FR`: for as long as the player has chosen none.
    pub locale: String,
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
            page: None,
            quick: false,
            solo: false,
            touch: false,
            stage: "stage1".into(),
            scale: Scale::default(),
            small_screen: false,
            locale: String::new(),
            settings: String::new(),
        }
    }
}
