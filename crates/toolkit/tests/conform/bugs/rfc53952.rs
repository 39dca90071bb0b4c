//! Bugs of servers and clients of `rfc53952`.

use std::collections::{BTreeMap, BTreeSet};

use protocol::Time;

use super::{
    Bug, Passage, adds, answers, crashes, ignores, imagines, misreads, never_repeats, odd, omits, says, says_every,
};

fn packet(packet_type: u8, timestamp: u64, data: &[u8]) -> Vec<u8> {
    let (length, size) = ((15 + data.len()) as u32, data.len() as u16);
    [&length.to_le_bytes()[..], &[packet_type], &timestamp.to_le_bytes(), &size.to_le_bytes(), data].concat()
}

fn is(bytes: &[u8], packet_type: u8) -> bool {
    bytes.len() >= 15 && bytes[4] == packet_type
}

fn stamp(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[5..13].try_into().expect("eight bytes"))
}

fn id(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes[15..19].try_into().expect("four bytes"))
}

fn length(bytes: &[u8]) -> usize {
    u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize
}

fn validates(bytes: &[u8], packet_type: u8) -> bool {
    is(bytes, 10) && bytes.get(15) == Some(&packet_type)
}

fn validation(packet_type: u8, timestamp: u64) -> Vec<u8> {
    packet(10, timestamp, &[&[packet_type][..], &timestamp.to_le_bytes()].concat())
}

/// The prefab path of a CreateEntity.
fn path(bytes: &[u8]) -> Option<&[u8]> {
    if is(bytes, 5) { bytes.get(19..bytes.len() - 8) } else { None }
}

/// Another description behind the same first bytes of data.
fn describe(bytes: &mut Vec<u8>, kept: usize, text: &[u8]) {
    *bytes = packet(bytes[4], stamp(bytes), &[&bytes[15..15 + kept], text].concat());
}

/// Changes a description that begins so.
fn redescribe(bytes: &mut Vec<u8>, packet_type: u8, from: &[u8], to: &[u8]) {
    let kept = if packet_type == 9 { 1 } else { 4 };
    if is(bytes, packet_type) && bytes.len() >= 15 + kept && bytes[15 + kept..].starts_with(from) {
        let text = [to, &bytes[15 + kept + from.len()..]].concat();
        describe(bytes, kept, &text);
    }
}

/// Changes the description of a whole event.
fn change_event(bytes: &mut Vec<u8>, event: u8, from: &[u8], to: &[u8]) {
    if is(bytes, 9) && bytes.len() == 16 + from.len() && bytes[15] == event && &bytes[16..] == from {
        describe(bytes, 1, to);
    }
}

fn goodbye(now: Time) -> Vec<u8> {
    packet(3, now.seconds(), &[])
}

fn ping(now: Time) -> Vec<u8> {
    packet(4, now.seconds(), &[])
}

pub fn server() -> Vec<Bug> {
    [joining(), reading(), telling(), doing()].into_iter().flatten().collect()
}

fn joining() -> Vec<Bug> {
    vec![
        omits("sends no HiClient", |bytes| is(bytes, 2) && bytes.len() == 15),
        odd("validates the Ping of a stranger", || strangers(4)),
        imagines("never ends a silent session", 1_000, ping),
        imagines("ends a session after 1.5 s of silence", 1_500, goodbye),
        omits("sends no Ping", |bytes| is(bytes, 4)),
        odd("shows each player one ship only", one_ship),
        odd("hears each address greet once", one_greeting),
        misreads("takes a HiServer with data", |bytes| {
            if is(bytes, 1) && length(bytes) == bytes.len() {
                *bytes = packet(1, stamp(bytes), &[]);
            }
        }),
        says("accepts with one byte 1", |bytes| {
            if is(bytes, 2) && bytes.len() == 15 {
                *bytes = packet(2, stamp(bytes), &[1]);
            }
        }),
        omits("says nothing when it is full", |bytes| is(bytes, 2) && bytes.len() > 15),
        odd("sends HiClient once for a HiServer", one_answer),
        odd("answers a HiServer five times", || copies(2, 5)),
        odd("validates the goodbye of its only client, and sends on", deaf_to_first_goodbye),
        odd("leaves ships of players who left", ships_stay),
        odd("validates AdiosServer once", one_last_word),
        omits("does not validate Pings", |bytes| validates(bytes, 4)),
    ]
}

fn reading() -> Vec<Bug> {
    vec![
        says_every("counts one byte too many in Length", 2, |bytes| is(bytes, 7), |bytes| bytes[0] += 1),
        says_every("counts one byte too many in Datasize", 2, |bytes| is(bytes, 7), |bytes| bytes[13] += 1),
        adds("sends ClientEvents itself", 10, |bytes| is(bytes, 7).then(|| packet(9, stamp(bytes), b"\x01up"))),
        misreads("does not compare Length", |bytes| {
            if is(bytes, 9) && length(bytes) != bytes.len() {
                *bytes = packet(9, stamp(bytes), &bytes[15..]);
            }
        }),
        misreads("does not compare Datasize", |bytes| {
            if is(bytes, 9) && length(bytes) == bytes.len() {
                *bytes = packet(9, stamp(bytes), &bytes[15..]);
            }
        }),
        answers("validates packets of Type 11", |bytes| is(bytes, 11).then(|| validation(11, stamp(bytes)))),
        answers("validates what only servers send", |bytes| is(bytes, 6).then(|| validation(6, stamp(bytes)))),
        misreads("takes a big-endian HiServer", |bytes| {
            if bytes.len() == 15 && bytes[..5] == [0, 0, 0, 15, 1] {
                *bytes = packet(1, u64::from_be_bytes(bytes[5..13].try_into().expect("eight bytes")), &[]);
            }
        }),
        says_every(
            "counts milliseconds",
            1,
            |bytes| is(bytes, 4),
            |bytes| {
                let millis = stamp(bytes) * 1_000 + u64::from(bytes[0] % 7);
                bytes[5..13].copy_from_slice(&millis.to_le_bytes());
            },
        ),
        says_every(
            "dates every tenth MoveEntity back",
            10,
            |bytes| is(bytes, 7),
            |bytes| {
                let old = stamp(bytes) - 10;
                bytes[5..13].copy_from_slice(&old.to_le_bytes());
            },
        ),
        answers("answers bytes without meaning", |bytes| {
            (bytes.len() > 20 && length(bytes) > 1_000).then(|| b"what?".to_vec())
        }),
        crashes("crashes at a datagram of 14 bytes", |bytes| bytes.len() == 14),
        adds("sends a datagram of 1,300 bytes", 20, |bytes| {
            is(bytes, 7).then(|| packet(8, stamp(bytes), &[&[0; 4][..], &[b'a'; 1_281]].concat()))
        }),
        odd("takes a stranger's AdiosServer for that of its first client", foreign_goodbye),
    ]
}

fn telling() -> Vec<Bug> {
    vec![
        says("writes x of a ship big-endian", |bytes| {
            if path(bytes) == Some(b"player") {
                let at = bytes.len() - 8;
                bytes[at..at + 4].reverse();
            }
        }),
        odd("calls every shot by the same Network Id", one_id_for_shots),
        never_repeats("sends CreateEntity once", |bytes| is(bytes, 5)),
        says("ends prefab paths of shots with a NUL", |bytes| {
            if path(bytes) == Some(b"shot") {
                let data = [&bytes[15..bytes.len() - 8], &[0], &bytes[bytes.len() - 8..]].concat();
                *bytes = packet(5, stamp(bytes), &data);
            }
        }),
        odd("destroys ships only", destroys_ships_only),
        never_repeats("sends DestroyEntity once", |bytes| is(bytes, 6)),
        says("sends directions of length 1", |bytes| {
            if is(bytes, 7) {
                for at in [27, 31] {
                    let value = f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
                    let sign = if value == 0.0 { 0.0 } else { value.signum() };
                    bytes[at..at + 4].copy_from_slice(&f32::to_le_bytes(sign));
                }
            }
        }),
        adds("moves what it never created", 2, |bytes| {
            is(bytes, 7).then(|| packet(7, stamp(bytes), &[&999_999u32.to_le_bytes(), &bytes[19..]].concat()))
        }),
        says("writes `lives: 3`", |bytes| redescribe(bytes, 8, b"lives =", b"lives:")),
        never_repeats("sends UpdateEntity once", |bytes| is(bytes, 8)),
        odd("tells later players that every ship is theirs", every_ship_is_own),
        says("writes `score: 0`", |bytes| redescribe(bytes, 8, b"score =", b"score:")),
        says("writes the position before the prefab path", |bytes| {
            if is(bytes, 5) {
                bytes[19..].rotate_right(8);
            }
        }),
    ]
}

fn doing() -> Vec<Bug> {
    vec![
        misreads("takes `up` for `down`", |bytes| change_event(bytes, 1, b"up", b"down")),
        misreads("does not know `-right`", |bytes| redescribe(bytes, 9, b"-", b"~")),
        misreads("does not know `stop`", |bytes| change_event(bytes, 1, b"stop", b"halt")),
        misreads("fires only with a description", |bytes| change_event(bytes, 2, b"", b"none")),
        misreads("does not know `press`", |bytes| change_event(bytes, 2, b"press", b"hold")),
        ignores("drops unknown events", |bytes| is(bytes, 9) && bytes.get(15) == Some(&200)),
        answers("validates ClientEvents without IdEvent", |bytes| {
            (is(bytes, 9) && bytes.len() == 15).then(|| validation(9, stamp(bytes)))
        }),
        odd("carries out events however old they are", any_age),
        misreads("takes a NUL for a description", |bytes| change_event(bytes, 2, b"\0", b"none")),
        says("validates with the time of now", |bytes| {
            if is(bytes, 10) {
                let now = bytes[5..13].to_vec();
                bytes[16..24].copy_from_slice(&now);
            }
        }),
        answers("validates validations", |bytes| is(bytes, 10).then(|| validation(10, stamp(bytes)))),
        odd("validates packets that look alike once", one_validation_a_second),
        crashes("crashes at a validation of what it never sent", |bytes| {
            is(bytes, 10) && bytes.get(16..24) == Some(&12_345u64.to_le_bytes())
        }),
        misreads("does not know the Force", |bytes| {
            if is(bytes, 9) && bytes.get(15) == Some(&3) {
                bytes[15] = 200;
            }
        }),
        ignores("does not validate that a player starts", |bytes| is(bytes, 9) && bytes.get(15) == Some(&4)),
    ]
}

/// Validates packets of addresses that never greeted.
fn strangers(packet_type: u8) -> Passage {
    let mut known = BTreeSet::new();
    Box::new(move |passing, passed| {
        if passing.is_to_peer() {
            if is(&passing.bytes, 1) {
                known.insert(passing.line);
            }
            if is(&passing.bytes, packet_type) && passing.bytes.len() == 15 && !known.contains(&passing.line) {
                passed.push(passing.answer(validation(packet_type, stamp(&passing.bytes))));
            }
        }
        passed.push(passing);
    })
}

fn one_ship() -> Passage {
    let mut ships: BTreeMap<_, u32> = BTreeMap::new();
    Box::new(move |passing, passed| {
        if !passing.is_to_peer()
            && path(&passing.bytes) == Some(b"player")
            && *ships.entry(passing.line).or_insert(id(&passing.bytes)) != id(&passing.bytes)
        {
            return;
        }
        passed.push(passing);
    })
}

fn one_greeting() -> Passage {
    let mut greeted = BTreeSet::new();
    Box::new(move |passing, passed| {
        if !passing.is_to_peer() || !is(&passing.bytes, 1) || greeted.insert(passing.line) {
            passed.push(passing);
        }
    })
}

fn one_answer() -> Passage {
    let mut asked: BTreeMap<_, bool> = BTreeMap::new();
    Box::new(move |passing, passed| {
        let is_asked = asked.entry(passing.line).or_default();
        if passing.is_to_peer() {
            *is_asked |= is(&passing.bytes, 1);
        } else if is(&passing.bytes, 2) && !std::mem::replace(is_asked, false) {
            return;
        }
        passed.push(passing);
    })
}

fn copies(packet_type: u8, count: usize) -> Passage {
    Box::new(move |passing, passed| {
        let count = if !passing.is_to_peer() && is(&passing.bytes, packet_type) { count } else { 1 };
        passed.extend(std::iter::repeat_n(passing, count));
    })
}

fn deaf_to_first_goodbye() -> Passage {
    let mut known = BTreeSet::new();
    Box::new(move |passing, passed| {
        known.insert(passing.line);
        if passing.is_to_peer() && is(&passing.bytes, 3) && known.len() == 1 {
            passed.push(passing.answer(validation(3, stamp(&passing.bytes))));
        } else {
            passed.push(passing);
        }
    })
}

fn one_last_word() -> Passage {
    let mut said = BTreeSet::new();
    Box::new(move |passing, passed| {
        let is_one = !passing.is_to_peer() && validates(&passing.bytes, 3);
        if !is_one || said.insert(passing.line) {
            passed.push(passing);
        }
    })
}

fn ships_stay() -> Passage {
    let mut ships = BTreeSet::new();
    Box::new(move |passing, passed| {
        if path(&passing.bytes) == Some(b"player") {
            ships.insert(id(&passing.bytes));
        }
        if passing.is_to_peer() || !is(&passing.bytes, 6) || !ships.contains(&id(&passing.bytes)) {
            passed.push(passing);
        }
    })
}

fn destroys_ships_only() -> Passage {
    let mut ships = BTreeSet::new();
    Box::new(move |passing, passed| {
        if path(&passing.bytes) == Some(b"player") {
            ships.insert(id(&passing.bytes));
        }
        if passing.is_to_peer() || !is(&passing.bytes, 6) || ships.contains(&id(&passing.bytes)) {
            passed.push(passing);
        }
    })
}

fn foreign_goodbye() -> Passage {
    let mut known = BTreeSet::new();
    Box::new(move |passing, passed| {
        if passing.is_to_peer() && is(&passing.bytes, 1) {
            known.insert(passing.line);
        }
        if passing.is_to_peer() && is(&passing.bytes, 3) && !known.contains(&passing.line) && !known.is_empty() {
            let first = *known.first().expect("it is not empty");
            passed.push(super::Passing { line: first, ..passing.clone() });
        }
        passed.push(passing);
    })
}

fn one_id_for_shots() -> Passage {
    let mut shots = BTreeSet::new();
    Box::new(move |mut passing, passed| {
        if !passing.is_to_peer() && (5..9).contains(&passing.bytes[4]) {
            if path(&passing.bytes) == Some(b"shot") {
                shots.insert(id(&passing.bytes));
            }
            if shots.contains(&id(&passing.bytes)) {
                passing.bytes[15..19].copy_from_slice(&2_000_000u32.to_le_bytes());
            }
        }
        passed.push(passing);
    })
}

fn every_ship_is_own() -> Passage {
    Box::new(move |passing, passed| {
        let is_seat = is(&passing.bytes, 8) && passing.bytes[19..].starts_with(b"seat =");
        if !passing.is_to_peer() && passing.line.0 > 0 && is_seat {
            let mut bytes = passing.bytes.clone();
            describe(&mut bytes, 4, b"own = 1");
            passed.push(passing.with(bytes));
        }
        passed.push(passing);
    })
}

fn any_age() -> Passage {
    Box::new(move |mut passing, passed| {
        if passing.is_to_peer() && is(&passing.bytes, 9) {
            passing.bytes[5..13].copy_from_slice(&passing.now.seconds().to_le_bytes());
        }
        passed.push(passing);
    })
}

fn one_validation_a_second() -> Passage {
    let mut validated = BTreeSet::new();
    Box::new(move |passing, passed| {
        let is_one = !passing.is_to_peer() && validates(&passing.bytes, 9);
        if !is_one || validated.insert((passing.line, passing.now, passing.bytes[16..].to_vec())) {
            passed.push(passing);
        }
    })
}

pub fn client() -> Vec<Bug> {
    vec![
        imagines_server("never ends although the server is silent"),
        odd("ends after 1.5 s of silence", early_end),
        says("sends HiServer with data", |bytes| {
            if is(bytes, 1) {
                *bytes = packet(1, stamp(bytes), &[7]);
            }
        }),
        odd("sends HiServer once", one_hello),
        omits("does not validate HiClient", |bytes| validates(bytes, 2)),
        odd("hears only the fourth refusal", fourth_refusal),
        omits("sends no Ping", |bytes| is(bytes, 4)),
        says_every("counts one byte too many in Length", 2, |bytes| is(bytes, 4), |bytes| bytes[0] += 1),
        misreads("does not compare Length", |bytes| {
            if is(bytes, 4) {
                *bytes = packet(4, stamp(bytes), &[]);
            }
        }),
        says_every(
            "counts a hundredth of a second",
            1,
            |bytes| is(bytes, 4),
            |bytes| {
                let fine = stamp(bytes) * 100;
                bytes[5..13].copy_from_slice(&fine.to_le_bytes());
            },
        ),
        omits("does not validate Pings", |bytes| validates(bytes, 4)),
        omits("does not validate CreateEntity", |bytes| validates(bytes, 5)),
        omits("does not validate DestroyEntity", |bytes| validates(bytes, 6)),
        omits("does not validate MoveEntity", |bytes| validates(bytes, 7)),
        omits("does not validate UpdateEntity", |bytes| validates(bytes, 8)),
        says("writes `LEFT`", |bytes| change_event(bytes, 1, b"left", b"LEFT")),
        never_repeats("sends ClientEvents once", |bytes| is(bytes, 9)),
        odd("validates CreateEntity of a second once", one_create_a_second),
        answers("validates validations", |bytes| is(bytes, 10).then(|| validation(10, stamp(bytes)))),
        crashes("crashes at bytes without meaning", |bytes| bytes.len() >= 15 && length(bytes) > 1_000),
        odd("hangs when it is refused", hangs_when_refused),
        misreads("reads y before x", |bytes| {
            if path(bytes) == Some(b"drone") {
                let at = bytes.len() - 8;
                bytes[at..].rotate_left(4);
            }
        }),
        odd("forgets to remove what is destroyed", keeps_destroyed),
        misreads("reads one digit of the score", |bytes| redescribe(bytes, 8, b"score = 4200", b"score = 4")),
        says("writes a NUL for an unused Description", |bytes| {
            if is(bytes, 9) && bytes.len() == 16 {
                *bytes = packet(9, stamp(bytes), &[bytes[15], 0]);
            }
        }),
    ]
}

fn imagines_server(name: &'static str) -> Bug {
    imagines(name, 1_000, ping)
}

fn early_end() -> Passage {
    let (mut heard, mut is_dead) = (None, false);
    Box::new(move |passing, passed| {
        if passing.is_to_peer() {
            heard = Some(passing.now);
        }
        is_dead |= heard.is_some_and(|heard| passing.now.since(heard).as_millis() > 1_500);
        if !is_dead {
            passed.push(passing);
        }
    })
}

fn one_hello() -> Passage {
    let mut said = false;
    Box::new(move |passing, passed| {
        let is_hello = !passing.is_to_peer() && is(&passing.bytes, 1);
        if !is_hello || !std::mem::replace(&mut said, true) {
            passed.push(passing);
        }
    })
}

fn fourth_refusal() -> Passage {
    let mut refusals = 0;
    Box::new(move |passing, passed| {
        let is_refusal = passing.is_to_peer() && is(&passing.bytes, 2) && passing.bytes.len() == 16;
        refusals += u32::from(is_refusal);
        if !is_refusal || refusals > 3 {
            passed.push(passing);
        }
    })
}

fn one_create_a_second() -> Passage {
    let mut validated = BTreeSet::new();
    Box::new(move |passing, passed| {
        let is_one = !passing.is_to_peer() && validates(&passing.bytes, 5);
        if !is_one || validated.insert(passing.bytes[16..].to_vec()) {
            passed.push(passing);
        }
    })
}

fn hangs_when_refused() -> Passage {
    let mut hangs = false;
    Box::new(move |passing, passed| {
        hangs |= passing.is_to_peer() && is(&passing.bytes, 2) && passing.bytes.len() == 16;
        if !hangs {
            passed.push(passing);
        }
    })
}

fn keeps_destroyed() -> Passage {
    Box::new(move |passing, passed| {
        if passing.is_to_peer() && is(&passing.bytes, 6) && id(&passing.bytes) == 70 {
            passed.push(passing.answer(validation(6, stamp(&passing.bytes))));
        } else {
            passed.push(passing);
        }
    })
}
