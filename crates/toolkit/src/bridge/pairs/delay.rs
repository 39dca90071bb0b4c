//! How long a bridge keeps what passes. Its ticks may fall anywhere between those of the server and of the client, so that every
//! quarter of a tick is tried.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use game::{Buttons, Input};
use protocol::{Dialect, Scene, Time};
use server::remote::{RemoteGame, RemoteJoin, RemoteNews, RemoteServer};

use crate::bridge::SharedBridgedServer;

/// The longest that a bridge has kept something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delay {
    /// What the server said, until it was read.
    pub down: Duration,
    /// A key of the player, from the client's datagram to the tick that sends it on.
    pub up: Duration,
}

impl Delay {
    pub(super) fn max(self, other: Delay) -> Delay {
        Delay { down: self.down.max(other.down), up: self.up.max(other.up) }
    }
}

/// When a key was pressed, and when the bridge got it for the other server. Clones share it.
#[derive(Clone, Default)]
pub(super) struct KeyWatch(Arc<Mutex<Watched>>);

#[derive(Default)]
struct Watched {
    held: Buttons,
    /// What is on its way, since when.
    pressed: Option<(Time, Buttons)>,
    longest: Duration,
    count: usize,
}

impl KeyWatch {
    /// The player's client is told that this is held.
    pub fn press(&self, now: Time, held: Buttons) {
        let mut watched = self.lock();
        if std::mem::replace(&mut watched.held, held) != held {
            watched.pressed = Some((now, held));
        }
    }

    /// The longest way of a key, if that many arrived.
    pub fn longest(&self, keys: usize) -> Option<Duration> {
        let watched = self.lock();
        (watched.count == keys).then_some(watched.longest)
    }

    fn arrive(&self, now: Time, held: Buttons) {
        let mut watched = self.lock();
        if let Some((since, _)) = watched.pressed.take_if(|(_, pressed)| *pressed == held) {
            watched.longest = watched.longest.max(now.since(since));
            watched.count += 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The other server, with keys that are watched.
pub(super) struct WatchedServer {
    pub remote: SharedBridgedServer,
    pub keys: KeyWatch,
}

impl RemoteServer for WatchedServer {
    fn dialect(&self) -> Dialect {
        self.remote.dialect()
    }

    fn join(&self, now: Time, join: RemoteJoin) -> Box<dyn RemoteGame> {
        Box::new(WatchedGame { game: self.remote.join(now, join), keys: self.keys.clone() })
    }
}

struct WatchedGame {
    game: Box<dyn RemoteGame>,
    keys: KeyWatch,
}

impl RemoteGame for WatchedGame {
    fn tick(&mut self, now: Time, input: Input, scene: &mut Scene) {
        self.keys.arrive(now, input.held);
        self.game.tick(now, input, scene);
    }

    fn start(&mut self, now: Time) {
        self.game.start(now);
    }

    fn say(&mut self, now: Time, text: &str) {
        self.game.say(now, text);
    }

    fn news(&mut self) -> Option<RemoteNews> {
        self.game.news()
    }

    fn leave(&mut self, now: Time) {
        self.game.leave(now);
    }
}
