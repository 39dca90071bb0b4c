//! Bugs that can be switched on between a case and our own node or client, at the level of bytes: what a program does that
//! misreads, forgets or adds something. Each dialect has its own in a file.

pub mod aecs;
pub mod rfc2020;
pub mod rfc53952;
pub mod snapshot;
pub mod typeuh;

use std::collections::{BTreeMap, BTreeSet};

use protocol::{Dialect, Time};
use toolkit::conform::{suite::TestedSide, trial::TrialDirection, trial_network::Line};

/// One message on its way. `ToPeer` is what the case says to the program under test.
#[derive(Clone)]
pub struct Passing {
    pub direction: TrialDirection,
    pub line: Line,
    pub now: Time,
    pub bytes: Vec<u8>,
    pub is_stream: bool,
}

impl Passing {
    pub fn is_to_peer(&self) -> bool {
        self.direction == TrialDirection::ToPeer
    }

    /// Other bytes the other way.
    pub fn answer(&self, bytes: Vec<u8>) -> Passing {
        let direction = if self.is_to_peer() { TrialDirection::FromPeer } else { TrialDirection::ToPeer };
        Passing { direction, bytes, ..self.clone() }
    }

    /// Other bytes the same way.
    pub fn with(&self, bytes: Vec<u8>) -> Passing {
        Passing { bytes, ..self.clone() }
    }
}

/// What a bug makes of a message: nothing, itself, or others.
pub type Passage = Box<dyn FnMut(Passing, &mut Vec<Passing>)>;

/// A bug that can be switched on.
pub struct Bug {
    /// What the program does.
    pub name: &'static str,
    pub make: Box<dyn Fn() -> Passage + Sync + Send>,
}

type Test = fn(&[u8]) -> bool;
type Change = fn(&mut Vec<u8>);
type Make = fn(&[u8]) -> Option<Vec<u8>>;

/// Anything that needs a memory.
pub fn odd(name: &'static str, make: fn() -> Passage) -> Bug {
    Bug { name, make: Box::new(make) }
}

/// It says something else.
pub fn says(name: &'static str, change: Change) -> Bug {
    says_every(name, 1, |_| true, change)
}

/// One in this many of the messages that are meant is said otherwise.
pub fn says_every(name: &'static str, every: usize, is_meant: Test, change: Change) -> Bug {
    let make = move || -> Passage {
        let mut count = 0;
        Box::new(move |mut passing, passed| {
            if !passing.is_to_peer() && is_meant(&passing.bytes) {
                count += 1;
                if count % every == 0 {
                    change(&mut passing.bytes);
                }
            }
            passed.push(passing);
        })
    };
    Bug { name, make: Box::new(make) }
}

/// It never says something.
pub fn omits(name: &'static str, is_meant: Test) -> Bug {
    let make = move || -> Passage {
        Box::new(move |passing, passed| {
            if passing.is_to_peer() || !is_meant(&passing.bytes) {
                passed.push(passing);
            }
        })
    };
    Bug { name, make: Box::new(make) }
}

/// It never says something again that it has said to the same peer.
pub fn never_repeats(name: &'static str, is_meant: Test) -> Bug {
    let make = move || -> Passage {
        let mut said = BTreeSet::new();
        Box::new(move |passing, passed| {
            let is_repeat = |said: &mut BTreeSet<_>| !said.insert((passing.line, passing.bytes.clone()));
            if passing.is_to_peer() || !is_meant(&passing.bytes) || !is_repeat(&mut said) {
                passed.push(passing);
            }
        })
    };
    Bug { name, make: Box::new(make) }
}

/// It says something more after some of its messages.
pub fn adds(name: &'static str, every: usize, more: Make) -> Bug {
    let make = move || -> Passage {
        let mut count = 0;
        Box::new(move |passing, passed| {
            let added = if passing.is_to_peer() { None } else { more(&passing.bytes) };
            passed.push(passing.clone());
            if let Some(bytes) = added {
                count += 1;
                if count % every == 0 {
                    passed.push(passing.with(bytes));
                }
            }
        })
    };
    Bug { name, make: Box::new(make) }
}

/// It does not hear something.
pub fn ignores(name: &'static str, is_meant: Test) -> Bug {
    let make = move || -> Passage {
        Box::new(move |passing, passed| {
            if !passing.is_to_peer() || !is_meant(&passing.bytes) {
                passed.push(passing);
            }
        })
    };
    Bug { name, make: Box::new(make) }
}

/// It takes something for something else.
pub fn misreads(name: &'static str, change: Change) -> Bug {
    let make = move || -> Passage {
        Box::new(move |mut passing, passed| {
            if passing.is_to_peer() {
                change(&mut passing.bytes);
            }
            passed.push(passing);
        })
    };
    Bug { name, make: Box::new(make) }
}

/// It answers something that wants no answer, or another one.
pub fn answers(name: &'static str, answer: Make) -> Bug {
    let make = move || -> Passage {
        Box::new(move |passing, passed| {
            let answer = if passing.is_to_peer() { answer(&passing.bytes) } else { None };
            passed.push(passing.clone());
            passed.extend(answer.map(|bytes| passing.answer(bytes)));
        })
    };
    Bug { name, make: Box::new(make) }
}

/// It crashes when it reads something: from then on, nothing passes on that line or any other.
pub fn crashes(name: &'static str, is_meant: Test) -> Bug {
    let make = move || -> Passage {
        let mut is_dead = false;
        Box::new(move |passing, passed| {
            is_dead |= passing.is_to_peer() && is_meant(&passing.bytes);
            if !is_dead {
                passed.push(passing);
            }
        })
    };
    Bug { name, make: Box::new(make) }
}

/// While the case is silent for longer than `after_ms`, the program behaves as if it had heard `bytes`.
pub fn imagines(name: &'static str, after_ms: u64, bytes: fn(Time) -> Vec<u8>) -> Bug {
    let make = move || -> Passage {
        let mut heard: BTreeMap<Line, Time> = BTreeMap::new();
        Box::new(move |passing, passed| {
            if passing.is_to_peer() {
                heard.insert(passing.line, passing.now);
            } else if let Some(last) = heard.get_mut(&passing.line)
                && passing.now.since(*last).as_millis() as u64 > after_ms
            {
                *last = passing.now;
                passed.push(passing.answer(bytes(passing.now)));
            }
            passed.push(passing);
        })
    };
    Bug { name, make: Box::new(make) }
}

/// Some time after a key was pressed, the program behaves as if it had been released.
pub fn lets_go(name: &'static str, after_ms: u64, is_press: Test, release: fn() -> Vec<u8>) -> Bug {
    let make = move || -> Passage {
        let mut pressed: BTreeMap<Line, Time> = BTreeMap::new();
        Box::new(move |passing, passed| {
            if passing.is_to_peer() && is_press(&passing.bytes) {
                pressed.insert(passing.line, passing.now);
            } else if !passing.is_to_peer()
                && pressed.get(&passing.line).is_some_and(|at| passing.now.since(*at).as_millis() as u64 > after_ms)
            {
                pressed.remove(&passing.line);
                passed.push(passing.answer(release()));
            }
            passed.push(passing);
        })
    };
    Bug { name, make: Box::new(make) }
}

/// All bugs of a suite.
pub fn of(dialect: Dialect, side: TestedSide) -> Vec<Bug> {
    match (dialect, side) {
        (Dialect::Rfc53952, TestedSide::Server) => rfc53952::server(),
        (Dialect::Rfc53952, TestedSide::Client) => rfc53952::client(),
        (Dialect::Snapshot, TestedSide::Server) => snapshot::server(),
        (Dialect::Snapshot, TestedSide::Client) => snapshot::client(),
        (Dialect::Typeuh, TestedSide::Server) => typeuh::server(),
        (Dialect::Typeuh, TestedSide::Client) => typeuh::client(),
        (Dialect::Aecs, TestedSide::Server) => aecs::server(),
        (Dialect::Aecs, TestedSide::Client) => aecs::client(),
        (Dialect::Rfc2020, TestedSide::Server) => rfc2020::server(),
        (Dialect::Rfc2020, TestedSide::Client) => rfc2020::client(),
        (Dialect::Volley, _) => Vec::new(),
    }
}
