//! What can be wrong with a network. All of it can change while messages are under way: those keep their fate.

use std::time::Duration;

/// How probable something is, in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Chance(u32);

/// Everything that is wrong between a client and a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// On the way from the client to the node.
    pub up: Faults,
    /// On the way from the node to the client.
    pub down: Faults,
    /// Whether the client's NAT forgets it now and then.
    pub rebinding: Option<Rebinding>,
}

/// What is wrong in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// What every message takes at least.
    pub delay: Duration,
    /// What messages take beyond that, without overtaking each other.
    pub jitter: Jitter,
    /// How many datagrams are lost, each for itself.
    pub loss: Chance,
    /// Loss that comes in bursts, beside `loss`.
    pub bursts: Option<Bursts>,
    /// How many datagrams arrive twice.
    pub duplicate: Chance,
    /// Datagrams that are held back, so that later ones overtake them.
    pub reorder: Reorder,
    /// A slow line.
    pub rate: Option<Rate>,
    /// Times in which nothing passes.
    pub outages: Option<Outages>,
}

/// Delay that varies: mostly little, sometimes much. Its distribution is exponential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Jitter {
    /// The mean of the extra delay, and its standard deviation too. No message takes more than 36 times as much.
    pub mean: Duration,
    /// How long a delay lasts: two messages this far apart have latent states that are correlated by a half. With none,
    /// each message has a delay of its own.
    pub memory: Duration,
}

/// Loss after Gilbert and Elliott: a line that is good or bad, and changes from one datagram to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    /// That a burst begins with the next datagram.
    pub begin: Chance,
    /// That a burst ends with the next datagram.
    pub end: Chance,
    /// That a datagram in a burst is lost.
    pub loss: Chance,
}

/// Datagrams that are held back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reorder {
    /// How many.
    pub chance: Chance,
    /// For how long at most; any time up to it is as probable as any other.
    pub at_most: Duration,
}

/// A line that carries a limited amount, with a queue before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// What the line carries.
    pub bytes_per_second: u32,
    /// What may wait. A datagram that finds no room is lost; a stream waits.
    pub queue_bytes: u32,
}

/// Times in which nothing passes. They are the same in both directions if both have the same outages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outages {
    /// One outage begins at some moment of each such period.
    pub every: Duration,
    /// How long each one lasts.
    pub lasting: Duration,
}

/// A NAT that forgets a client and shows it at another address from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebinding {
    /// It happens once, at some moment, of each such period.
    pub every: Duration,
}

impl Chance {
    /// It never happens.
    pub const NEVER: Chance = Chance(0);
    /// It always happens.
    pub const ALWAYS: Chance = Chance(1_000_000);

    /// In a hundred; more than a hundred is always.
    pub const fn percent(percent: u32) -> Chance {
        Chance::millionths(percent.saturating_mul(10_000))
    }

    /// In a million; more than a million is always.
    pub const fn millionths(millionths: u32) -> Chance {
        if millionths > 1_000_000 { Chance::ALWAYS } else { Chance(millionths) }
    }

    /// In millionths.
    pub const fn in_millionths(self) -> u32 {
        self.0
    }
}

impl Faults {
    /// Nothing is wrong.
    pub const NONE: Faults = Faults {
        delay: Duration::ZERO,
        jitter: Jitter { mean: Duration::ZERO, memory: Duration::ZERO },
        loss: Chance::NEVER,
        bursts: None,
        duplicate: Chance::NEVER,
        reorder: Reorder { chance: Chance::NEVER, at_most: Duration::ZERO },
        rate: None,
        outages: None,
    };
}

/// The builders set both directions alike. For one direction, set the field of `up` or `down`.
impl Conditions {
    /// Everything arrives at once.
    pub const PERFECT: Conditions = Conditions { up: Faults::NONE, down: Faults::NONE, rebinding: None };
    /// Nothing but streams arrives.
    pub const SILENT: Conditions = Conditions::PERFECT.loss_percent(100);

    /// The same in both directions.
    pub const fn both(faults: Faults) -> Conditions {
        Conditions { up: faults, down: faults, rebinding: None }
    }

    /// Every message takes at least this long.
    #[must_use]
    pub const fn delay_ms(mut self, ms: u32) -> Conditions {
        self.up.delay = Duration::from_millis(ms as u64);
        self.down.delay = self.up.delay;
        self
    }

    /// And this much longer on average; the delay changes within tens of milliseconds.
    #[must_use]
    pub const fn jitter_ms(mut self, mean_ms: u32) -> Conditions {
        self.up.jitter = Jitter { mean: Duration::from_millis(mean_ms as u64), memory: Duration::from_millis(50) };
        self.down.jitter = self.up.jitter;
        self
    }

    /// The share of datagrams that are lost.
    #[must_use]
    pub const fn loss_percent(mut self, percent: u32) -> Conditions {
        self.up.loss = Chance::percent(percent);
        self.down.loss = self.up.loss;
        self
    }

    /// The share of datagrams that arrive twice.
    #[must_use]
    pub const fn duplicate_percent(mut self, percent: u32) -> Conditions {
        self.up.duplicate = Chance::percent(percent);
        self.down.duplicate = self.up.duplicate;
        self
    }

    /// Every datagram is held back for any time up to this, so that those within that time arrive in any order.
    #[must_use]
    pub const fn shuffle_ms(mut self, at_most_ms: u32) -> Conditions {
        self.up.reorder = Reorder { chance: Chance::ALWAYS, at_most: Duration::from_millis(at_most_ms as u64) };
        self.down.reorder = self.up.reorder;
        self
    }
}
