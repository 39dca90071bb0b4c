//! A player of an earlier process of the node who has not been heard since (ruling C16). The seat is kept; nothing is said to them
//! but what they must answer, and the first thing that they say lets the session go on.

use std::time::Duration;

use protocol::{AnyServerSession, Numbers, Resumption, Time, Welcome};

use super::Session;
use crate::{outgoing::Context, peer::PeerKey};

/// What is known of such a player.
#[derive(Clone, Debug)]
pub(crate) struct Awaited {
    pub peer: PeerKey,
    pub name: String,
    /// What the session is opened with. Its time is when the seat was restored.
    pub welcome: Welcome,
    /// When the numbers stood as in the welcome.
    pub noted: Time,
}

impl Awaited {
    fn resumption(&self, now: Time) -> Resumption<'_> {
        let welcome = Welcome { now, ..self.welcome };
        Resumption { welcome, name: &self.name, unknown: now.since(self.noted) }
    }

    fn open(&self, now: Time) -> AnyServerSession {
        AnyServerSession::Seated(self.peer.dialect().resume(self.resumption(now)))
    }
}

/// Where the numbers stand that a peer compares, and since when the node started, as the peer was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownNumbers {
    pub numbers: Numbers,
    pub noted: Time,
    pub started: Time,
}

impl Session {
    /// The session of a player who is awaited.
    pub fn awaiting(cx: &mut Context, awaited: Awaited) -> Session {
        let session = Session::new(cx, awaited.peer, awaited.open(cx.now));
        Session { started: awaited.welcome.started, awaited: Some(Box::new(awaited)), ..session }
    }

    /// Whether the player has not been heard since the node was started again.
    pub fn is_awaited(&self) -> bool {
        self.awaited.is_some()
    }

    /// Whether the player is awaited, and has been for this long.
    pub fn is_awaited_for(&self, now: Time, duration: Duration) -> bool {
        self.awaited.as_ref().is_some_and(|awaited| now.since(awaited.welcome.now) >= duration)
    }

    /// The player may be back: the session begins now, so that none of the time before counts as silence.
    pub(super) fn begin_if_awaited(&mut self, now: Time) {
        if let Some(awaited) = &self.awaited {
            self.protocol = awaited.open(now);
        }
    }

    /// What the next process of the node must know to go on with the session.
    pub fn known_numbers(&self, now: Time) -> KnownNumbers {
        match self.awaited.as_deref() {
            Some(Awaited { welcome, noted, .. }) => {
                KnownNumbers { numbers: welcome.numbers, noted: *noted, started: welcome.started }
            }
            None => KnownNumbers { numbers: self.protocol.numbers(), noted: now, started: self.started },
        }
    }
}
