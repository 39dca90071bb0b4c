//! A lobby in which nobody has a seat. It is closed after a while; until then, the player who left last may come back to the game.

use std::{net::IpAddr, time::Duration};

use protocol::Time;

/// How long a lobby may be empty before it is closed.
const EMPTY_MAX: Duration = Duration::from_secs(30);

/// Whether and since when a lobby is empty, and whose game it was.
pub(super) struct Emptiness {
    since: Option<Time>,
    /// The address of the player who was the last to leave.
    left_by: Option<IpAddr>,
}

impl Emptiness {
    /// Of a lobby in which nobody has had a seat yet.
    pub fn new(now: Time) -> Emptiness {
        Emptiness { since: Some(now), left_by: None }
    }

    /// Of a lobby that is restored with its players.
    pub fn none() -> Emptiness {
        Emptiness { since: None, left_by: None }
    }

    pub fn begin(&mut self, now: Time, left_by: IpAddr) {
        *self = Emptiness { since: Some(now), left_by: Some(left_by) };
    }

    /// Somebody sits down. The address of the player who left the game, if one did.
    pub fn end(&mut self) -> Option<IpAddr> {
        std::mem::replace(self, Emptiness::none()).left_by
    }

    /// Whether it has lasted long enough for the lobby to be closed.
    pub fn is_too_long(&self, now: Time) -> bool {
        self.since.is_some_and(|since| now.since(since) >= EMPTY_MAX)
    }
}
