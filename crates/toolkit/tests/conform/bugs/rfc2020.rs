//! Bugs of servers of `rfc2020`; those of clients are in `rfc2020/client.rs`.

mod client;

use std::collections::{BTreeMap, BTreeSet};

use protocol::Time;

use super::{
    Bug, Passage, Passing, adds, answers, crashes, ignores, misreads, never_repeats, odd, omits, says, says_every,
};

pub use self::client::client;

const ASK_JOIN: u8 = 0;
const CREATE: u8 = 1;
const GAME_STATE: u8 = 2;
const POSITION: u8 = 3;
const MOVE: u8 = 4;
const SPAWN: u8 = 5;
const DESTROY: u8 = 6;
const GRAB: u8 = 7;
const DROP: u8 = 8;
const CHARGE: u8 = 9;
const SHOOT: u8 = 10;
const HIT: u8 = 11;
const JOIN: u8 = 12;
const LEAVE: u8 = 13;
const RESPONSE: u8 = 0x40;

fn is(bytes: &[u8], kind: u8) -> bool {
    bytes.len() >= 17 && bytes[0] == kind
}

fn message(kind: u8, timestamp: u64, body: &[u8]) -> Vec<u8> {
    [&[kind][..], &(body.len() as u64).to_be_bytes(), &timestamp.to_be_bytes(), body].concat()
}

fn stamp(bytes: &[u8]) -> u64 {
    u64::from_be_bytes(bytes[9..17].try_into().expect("eight bytes"))
}

fn set_stamp(bytes: &mut [u8], stamp: u64) {
    bytes[9..17].copy_from_slice(&stamp.to_be_bytes());
}

fn id(bytes: &[u8]) -> u64 {
    bytes.get(17..25).map_or(u64::MAX, |id| u64::from_be_bytes(id.try_into().expect("eight bytes")))
}

fn confirmation(bytes: &[u8]) -> Vec<u8> {
    message(RESPONSE | (bytes[0] & 0x3f), stamp(bytes), &[])
}

/// An answer over TCP that has a port.
fn has_port(bytes: &[u8], method: u8) -> bool {
    is(bytes, RESPONSE | method) && bytes.get(17..19).is_some_and(|port| port != [0, 0])
}

pub fn server() -> Vec<Bug> {
    [headers(), lobbies(), states(), play(), force()].into_iter().flatten().collect()
}

fn headers() -> Vec<Bug> {
    vec![
        adds("counts a byte too many in BODY_SIZE", 2, |bytes| {
            is(bytes, POSITION).then(|| {
                let mut wrong = bytes.to_vec();
                wrong[8] += 1;
                wrong
            })
        }),
        adds("sends a METHOD of its own", 10, |bytes| is(bytes, POSITION).then(|| message(40, stamp(bytes), &[]))),
        says_every(
            "dates every tenth POSITION back",
            10,
            |bytes| is(bytes, POSITION),
            |bytes| {
                let old = stamp(bytes) - 5_000_000;
                set_stamp(bytes, old);
            },
        ),
        says("counts milliseconds", |bytes| {
            if is(bytes, POSITION) {
                let millis = stamp(bytes) / 1_000;
                set_stamp(bytes, millis);
            }
        }),
        says("confirms with the time of now", |bytes| {
            if is(bytes, RESPONSE | MOVE) {
                let later = stamp(bytes) + 77;
                set_stamp(bytes, later);
            }
        }),
        misreads("does not compare BODY_SIZE", |bytes| {
            if is(bytes, MOVE) {
                *bytes = message(MOVE, stamp(bytes), &bytes[17..]);
            }
        }),
        answers("confirms an unknown METHOD", |bytes| {
            (is(bytes, 20) && bytes.len() == 27).then(|| confirmation(bytes))
        }),
        answers("confirms a TYPE of 2", |bytes| is(bytes, 0x80 | MOVE).then(|| confirmation(bytes))),
        omits("does not confirm MOVE", |bytes| is(bytes, RESPONSE | MOVE)),
        never_repeats("confirms a request once", |bytes| is(bytes, RESPONSE | MOVE)),
        odd("fires again for a repeated SHOOT", fires_again),
        ignores("does not hear confirmations of SPAWN", |bytes| is(bytes, RESPONSE | SPAWN)),
        adds("sends a datagram of 1,300 bytes", 20, |bytes| {
            is(bytes, POSITION).then(|| message(GAME_STATE, stamp(bytes), &[1; 1_283]))
        }),
        crashes("crashes at 16 bytes", |bytes| bytes.len() == 16),
        crashes("crashes at a BODY_SIZE beyond all bounds", |bytes| {
            bytes.len() >= 17 && bytes[0] >= 20 && bytes[1] > 100
        }),
        says_every(
            "joins two GAME_STATEs in every third datagram",
            3,
            |bytes| is(bytes, GAME_STATE),
            |bytes| bytes.extend_from_within(..),
        ),
        odd("answers the MOVE of strangers", || {
            let mut known = BTreeSet::new();
            Box::new(move |passing: Passing, passed| {
                if passing.is_to_peer() && is(&passing.bytes, JOIN) {
                    known.insert(passing.line);
                }
                let is_strange = !passing.is_stream && !known.contains(&passing.line);
                if passing.is_to_peer() && is_strange && is(&passing.bytes, MOVE) {
                    passed.push(passing.answer(confirmation(&passing.bytes)));
                }
                passed.push(passing);
            })
        }),
    ]
}

fn fires_again() -> Passage {
    let mut seen = BTreeSet::new();
    let mut extra = 0;
    Box::new(move |mut passing, passed| {
        if passing.is_to_peer() && is(&passing.bytes, SHOOT) && !seen.insert(passing.bytes.clone()) {
            extra += 1;
            let later = stamp(&passing.bytes) + extra;
            set_stamp(&mut passing.bytes, later);
        }
        passed.push(passing);
    })
}

/// Does not close TCP after something was said over it; or, with None, if nothing was.
fn stays_open(after: Option<u8>) -> Passage {
    let mut said: BTreeMap<usize, u8> = BTreeMap::new();
    Box::new(move |passing, passed| {
        if passing.is_stream && !passing.is_to_peer() {
            if passing.bytes.is_empty() && said.get(&passing.line.0).copied() == after {
                return;
            }
            if let Some(kind) = passing.bytes.first() {
                said.insert(passing.line.0, *kind);
            }
        }
        passed.push(passing);
    })
}

fn lobbies() -> Vec<Bug> {
    vec![
        says("gives another port to those who ask", |bytes| {
            if has_port(bytes, ASK_JOIN) {
                bytes[18] ^= 1;
            }
        }),
        says("gives unknown lobbies a port", |bytes| {
            if is(bytes, RESPONSE | ASK_JOIN) && !has_port(bytes, ASK_JOIN) {
                bytes[18] = 9;
            }
        }),
        odd("leaves TCP open after ASK_JOIN", || stays_open(Some(RESPONSE | ASK_JOIN))),
        odd("hears one question only", || {
            let mut answered = BTreeSet::new();
            Box::new(move |passing: Passing, passed| {
                if passing.is_stream && !passing.is_to_peer() && !passing.bytes.is_empty() {
                    answered.insert(passing.line);
                }
                if !passing.is_stream || !passing.is_to_peer() || !answered.contains(&passing.line) {
                    passed.push(passing);
                }
            })
        }),
        misreads("knows no small letters", |bytes| {
            if is(bytes, ASK_JOIN) && bytes[17..].iter().any(u8::is_ascii_lowercase) {
                bytes[17..23].copy_from_slice(b"ZZZZZ9");
            }
        }),
        says("makes no lobby", |bytes| {
            if has_port(bytes, CREATE) {
                bytes[17..25].copy_from_slice(&[0; 8]);
            }
        }),
        odd("puts control characters into LOBBY_ID", || {
            let mut letter = None;
            Box::new(move |mut passing: Passing, passed| {
                if !passing.is_to_peer() && has_port(&passing.bytes, CREATE) {
                    letter = Some(std::mem::replace(&mut passing.bytes[20], 7));
                }
                if passing.is_to_peer() && is(&passing.bytes, ASK_JOIN) && passing.bytes[18] == 7 {
                    passing.bytes[18] = letter.expect("a lobby was made");
                }
                passed.push(passing);
            })
        }),
        odd("leaves TCP open after CREATE", || stays_open(Some(RESPONSE | CREATE))),
        says("gives an id without a lobby", |bytes| {
            if is(bytes, RESPONSE | CREATE) && !has_port(bytes, CREATE) {
                bytes[19..25].copy_from_slice(b"AAAAAA");
            }
        }),
        odd("gives a port although it has no room for a lobby", || {
            let mut asked: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
            Box::new(move |mut passing: Passing, passed| {
                if passing.is_to_peer() && is(&passing.bytes, CREATE) {
                    asked.insert(passing.line.0, passing.bytes[17..].to_vec());
                }
                let is_refusal = is(&passing.bytes, RESPONSE | CREATE) && !has_port(&passing.bytes, CREATE);
                let is_known_map = asked.get(&passing.line.0).is_some_and(|map| map == b"endless");
                if !passing.is_to_peer() && is_refusal && is_known_map {
                    passing.bytes[17..25].copy_from_slice(b"\x60\x00AAAAAA");
                }
                passed.push(passing);
            })
        }),
        odd("reads a message only whole", || {
            Box::new(|passing: Passing, passed| {
                if !passing.is_stream || !passing.is_to_peer() || passing.bytes.len() >= 17 {
                    passed.push(passing);
                }
            })
        }),
        odd("waits for any BODY_SIZE", || stays_open(None)),
    ]
}

/// Loses answers to JOIN from the second on, or changes them.
fn second_join(change: fn(&mut Vec<u8>)) -> Passage {
    let mut stamps: BTreeMap<usize, u64> = BTreeMap::new();
    Box::new(move |mut passing, passed| {
        if !passing.is_to_peer() && is(&passing.bytes, RESPONSE | JOIN) && id(&passing.bytes) <= 3 {
            let first = *stamps.entry(passing.line.0).or_insert(stamp(&passing.bytes));
            if first != stamp(&passing.bytes) {
                change(&mut passing.bytes);
            }
        }
        passed.push(passing);
    })
}

fn is_state(bytes: &[u8], state: u8) -> bool {
    is(bytes, GAME_STATE) && bytes.get(17) == Some(&state)
}

fn states() -> Vec<Bug> {
    vec![
        omits("does not answer JOIN", |bytes| is(bytes, RESPONSE | JOIN) && id(bytes) <= 3),
        says("names another map", |bytes| {
            if is(bytes, RESPONSE | JOIN) && id(bytes) <= 3 {
                *bytes = message(RESPONSE | JOIN, stamp(bytes), &[&bytes[17..41], b"stage9"].concat());
            }
        }),
        odd("gives another seat the second time", || second_join(|bytes| bytes[24] = (bytes[24] + 1) % 4)),
        omits("does not answer when the lobby is full", |bytes| is(bytes, RESPONSE | JOIN) && id(bytes) > 3),
        odd("shows the first player nobody else", || {
            let mut first = None;
            Box::new(move |passing: Passing, passed| {
                if !passing.is_to_peer() && is(&passing.bytes, RESPONSE | JOIN) {
                    first.get_or_insert(passing.line);
                }
                let is_other = is(&passing.bytes, SPAWN) && id(&passing.bytes) == 1;
                if passing.is_to_peer() || first != Some(passing.line) || !is_other {
                    passed.push(passing);
                }
            })
        }),
        omits("never sends the state", |bytes| is(bytes, GAME_STATE) && bytes.get(17) != Some(&4)),
        odd("sends each state once", || {
            let mut said: BTreeMap<(usize, u8), u64> = BTreeMap::new();
            Box::new(move |passing: Passing, passed| {
                if !passing.is_to_peer() && is(&passing.bytes, GAME_STATE) {
                    let stamp = stamp(&passing.bytes);
                    if *said.entry((passing.line.0, passing.bytes[17])).or_insert(stamp) != stamp {
                        return;
                    }
                }
                passed.push(passing);
            })
        }),
        omits("never says that the game runs", |bytes| is_state(bytes, 1)),
        answers("lets a client win", |bytes| is_state(bytes, 2).then(|| confirmation(bytes))),
        never_repeats("sends GAME_STATE once", |bytes| is(bytes, GAME_STATE)),
        omits("reports no time-outs", |bytes| is_state(bytes, 4)),
        odd("plays on without the client", || {
            let mut heard: BTreeMap<usize, Time> = BTreeMap::new();
            let mut last: BTreeMap<usize, Passing> = BTreeMap::new();
            Box::new(move |passing: Passing, passed| {
                if passing.is_to_peer() {
                    heard.insert(passing.line.0, passing.now);
                } else if is(&passing.bytes, GAME_STATE) {
                    last.insert(passing.line.0, passing.clone());
                    let silent = heard.get(&passing.line.0).map_or(0, |heard| passing.now.since(*heard).as_millis());
                    if is_state(&passing.bytes, 4) {
                        passed.push(passing);
                        return;
                    }
                    if silent > 4_200 {
                        // Whatever comes, it takes the client for alive, but says what it says to the silent.
                        passed.push(passing.answer(confirmation(&passing.bytes)));
                        passed.push(passing.with(message(GAME_STATE, stamp(&passing.bytes) + 1, &[4])));
                    }
                }
                passed.push(passing);
            })
        }),
        odd("ends a session after 1.5 s of silence", || {
            let mut heard: BTreeMap<usize, Time> = BTreeMap::new();
            let mut dead = BTreeSet::new();
            Box::new(move |passing: Passing, passed| {
                let line = passing.line.0;
                if heard.get(&line).is_some_and(|at| !passing.is_stream && passing.now.since(*at).as_millis() > 1_500) {
                    dead.insert(line);
                }
                if passing.is_to_peer() {
                    heard.insert(line, passing.now);
                }
                if !dead.contains(&line) || is_state(&passing.bytes, 4) {
                    passed.push(passing);
                }
            })
        }),
        omits("does not confirm LEAVE", |bytes| is(bytes, RESPONSE | LEAVE)),
        odd("sends on after the first player's LEAVE", || {
            let mut first = None;
            Box::new(move |passing: Passing, passed| {
                if passing.is_stream {
                    passed.push(passing);
                    return;
                }
                let is_first = *first.get_or_insert(passing.line) == passing.line;
                if passing.is_to_peer() && is_first && is(&passing.bytes, LEAVE) {
                    passed.push(passing.answer(confirmation(&passing.bytes)));
                } else {
                    passed.push(passing);
                }
            })
        }),
        omits("leaves ships of players who left", |bytes| is(bytes, DESTROY) && id(bytes) <= 3),
    ]
}

/// Turns the DIRECTION of a MOVE.
fn turn(bytes: &mut [u8], from: u8, to: u8) {
    if is(bytes, MOVE) && bytes.len() == 27 && bytes[25] == from {
        bytes[25] = to;
    }
}

fn play() -> Vec<Bug> {
    vec![
        adds("moves what it never spawned", 2, |bytes| {
            is(bytes, POSITION)
                .then(|| message(POSITION, stamp(bytes), &[&9_999u64.to_be_bytes(), &bytes[25..]].concat()))
        }),
        adds("sends coordinates of four bytes", 5, |bytes| {
            is(bytes, POSITION).then(|| message(POSITION, stamp(bytes), &bytes[17..33]))
        }),
        odd("sends positions five times a second", || {
            let mut told: BTreeMap<(usize, u64), Time> = BTreeMap::new();
            Box::new(move |passing: Passing, passed| {
                if !passing.is_to_peer() && is(&passing.bytes, POSITION) {
                    let key = (passing.line.0, id(&passing.bytes));
                    if told.get(&key).is_some_and(|at| passing.now.since(*at).as_millis() < 200) {
                        return;
                    }
                    told.insert(key, passing.now);
                }
                passed.push(passing);
            })
        }),
        misreads("takes up for down", |bytes| turn(bytes, 0, 2)),
        odd("does not know STATE 0", || {
            Box::new(|passing: Passing, passed| {
                let bytes = &passing.bytes;
                if passing.is_to_peer() && is(bytes, MOVE) && bytes.len() == 27 && bytes[25] == 3 && bytes[26] == 0 {
                    passed.push(passing.answer(confirmation(bytes)));
                } else {
                    passed.push(passing);
                }
            })
        }),
        misreads("believes any ENTITY_ID", |bytes| {
            if is(bytes, MOVE) && bytes.len() == 27 && id(bytes) == 1 {
                bytes[24] = 0;
            }
        }),
        answers("confirms an unknown DIRECTION", |bytes| {
            (is(bytes, MOVE) && bytes.len() == 27 && bytes[25] == 9).then(|| confirmation(bytes))
        }),
        says("leaves out the NUL of a shot's JSON", |bytes| {
            if is(bytes, SPAWN) && bytes.windows(6).any(|window| window == b"\"shot\"") {
                *bytes = message(SPAWN, stamp(bytes), &bytes[17..bytes.len() - 1]);
            }
        }),
        never_repeats("sends SPAWN once", |bytes| is(bytes, SPAWN)),
        odd("does not spawn one's own ship", || {
            let mut own: BTreeMap<usize, u64> = BTreeMap::new();
            Box::new(move |passing: Passing, passed| {
                if !passing.is_to_peer() && is(&passing.bytes, RESPONSE | JOIN) {
                    own.insert(passing.line.0, id(&passing.bytes));
                }
                let is_own = own.get(&passing.line.0) == Some(&id(&passing.bytes));
                if passing.is_to_peer() || !is(&passing.bytes, SPAWN) || !is_own {
                    passed.push(passing);
                }
            })
        }),
        odd("never destroys shots", || {
            let mut shots = BTreeSet::new();
            Box::new(move |passing: Passing, passed| {
                let is_shot = passing.bytes.windows(6).any(|window| window == b"\"shot\"");
                if !passing.is_to_peer() && is(&passing.bytes, SPAWN) && is_shot {
                    shots.insert(id(&passing.bytes));
                }
                let is_end = is(&passing.bytes, DESTROY) && shots.contains(&id(&passing.bytes));
                if passing.is_to_peer() || !is_end {
                    passed.push(passing);
                }
            })
        }),
        never_repeats("sends DESTROY once", |bytes| is(bytes, DESTROY)),
        omits("does not confirm CHARGE", |bytes| is(bytes, RESPONSE | CHARGE)),
        says("gives every shot ENTITY_ID 0", |bytes| {
            if is(bytes, RESPONSE | SHOOT) && bytes.len() == 26 && bytes[17] == 1 {
                bytes[18..26].copy_from_slice(&[0; 8]);
            }
        }),
        says("gives shots other ids than it spawns them with", |bytes| {
            if is(bytes, RESPONSE | SHOOT) && bytes.len() == 26 && bytes[17] == 1 {
                bytes[23] ^= 0x40;
            }
        }),
    ]
}

fn force() -> Vec<Bug> {
    vec![
        says("leaves DIRECTION out of GRAB", |bytes| {
            if is(bytes, GRAB) && bytes.len() == 34 {
                *bytes = message(GRAB, stamp(bytes), &bytes[17..33]);
            }
        }),
        odd("ignores every DROP", || {
            Box::new(|passing: Passing, passed| {
                if passing.is_to_peer() && is(&passing.bytes, DROP) {
                    passed.push(passing.answer(confirmation(&passing.bytes)));
                } else {
                    passed.push(passing);
                }
            })
        }),
        omits("passes no DROP on", |bytes| is(bytes, DROP)),
        omits("reports no hits", |bytes| is(bytes, HIT)),
    ]
}
