//! Bugs of servers and clients of `snapshot`.

use std::collections::{BTreeMap, BTreeSet};

use protocol::Time;

use super::{
    Bug, Passage, Passing, adds, answers, crashes, ignores, imagines, lets_go, misreads, odd, omits, says, says_every,
};

const INPUT: u8 = 0x01;
const JOIN: u8 = 0x02;
const ASSIGNMENT: u8 = 0x08;
const SNAPSHOT: u8 = 0x10;
const TIMEOUT: u8 = 0x20;
const KILLED: u8 = 0x40;

fn is(bytes: &[u8], packet_type: u8) -> bool {
    bytes.len() >= 7 && bytes[0] == packet_type
}

fn id(bytes: &[u8]) -> u16 {
    u16::from_be_bytes([bytes[1], bytes[2]])
}

fn timestamp(bytes: &[u8]) -> u32 {
    u32::from_be_bytes(bytes[3..7].try_into().expect("four bytes"))
}

fn set_timestamp(bytes: &mut [u8], timestamp: u32) {
    bytes[3..7].copy_from_slice(&timestamp.to_be_bytes());
}

/// The entities of a SNAPSHOT: where each begins and ends.
fn entities(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 7;
    while at + 26 <= bytes.len() {
        let size = 26 + usize::from(bytes[at + 9]);
        found.push(at..at + size);
        at += size;
    }
    found
}

/// Keeps only the entities that pass.
fn keep(bytes: &mut Vec<u8>, test: impl Fn(&[u8]) -> bool) {
    if is(bytes, SNAPSHOT) {
        let kept: Vec<u8> = entities(bytes)
            .into_iter()
            .map(|range| &bytes[range])
            .filter(|entity| test(entity))
            .flatten()
            .copied()
            .collect();
        bytes.truncate(7);
        bytes.extend(kept);
    }
}

fn path(entity: &[u8]) -> &[u8] {
    &entity[10..10 + usize::from(entity[9])]
}

fn entity(id: u8, path: &[u8], x: f32, y: f32) -> Vec<u8> {
    let numbers = |numbers: &[f32]| numbers.iter().flat_map(|number| number.to_be_bytes()).collect::<Vec<u8>>();
    [&[id][..], &numbers(&[x, y]), &[path.len() as u8], path, &numbers(&[0.0, 0.0, 56.0, 56.0])].concat()
}

/// A key that comes up.
fn release() -> Vec<u8> {
    vec![INPUT, 0, 99, 0, 0, 0, 9, 0, 0x27, 0]
}

fn is_input(bytes: &[u8]) -> bool {
    is(bytes, INPUT) && bytes.len() == 10
}

pub fn server() -> Vec<Bug> {
    [headers(), keys(), joining(), telling(), mistakes()].into_iter().flatten().collect()
}

fn headers() -> Vec<Bug> {
    vec![
        adds("sends datagrams of two bytes", 10, |bytes| is(bytes, SNAPSHOT).then(|| vec![0x99, 0])),
        says("never counts Packet IDs up", |bytes| bytes[1..3].copy_from_slice(&[0, 7])),
        says("counts Packet IDs in twos", |bytes| {
            let twice = id(bytes).wrapping_mul(2);
            bytes[1..3].copy_from_slice(&twice.to_be_bytes());
        }),
        says_every(
            "dates every tenth SNAPSHOT back",
            10,
            |bytes| is(bytes, SNAPSHOT),
            |bytes| {
                let old = timestamp(bytes).saturating_sub(900);
                set_timestamp(bytes, old);
            },
        ),
        says("counts seconds", |bytes| {
            let seconds = timestamp(bytes) / 1_000;
            set_timestamp(bytes, seconds);
        }),
        says("writes sizes little-endian", |bytes| {
            if is(bytes, SNAPSHOT) {
                for range in entities(bytes) {
                    bytes[range.end - 8..range.end - 4].reverse();
                }
            }
        }),
    ]
}

fn keys() -> Vec<Bug> {
    vec![
        misreads("takes up for down", |bytes| {
            if is_input(bytes) && bytes[8] == 0x26 {
                bytes[8] = 0x28;
            }
        }),
        ignores("does not hear that up comes up", |bytes| is_input(bytes) && bytes[9] == 0 && bytes[8] == 0x26),
        lets_go(
            "lets go of keys after 0.3 s",
            300,
            |bytes| is_input(bytes) && bytes[8] == 0x27 && bytes[9] == 1,
            release,
        ),
        ignores("does not know the space bar", |bytes| is_input(bytes) && bytes[8] == 0x20),
        ignores("does not know the authors' key codes", |bytes| is_input(bytes) && bytes[8] < 5),
        misreads("takes any Action for Key Down", |bytes| {
            if is_input(bytes) && bytes[9] > 1 {
                bytes[9] = 1;
            }
        }),
        crashes("crashes at an unknown key", |bytes| is_input(bytes) && bytes[8] == 0xee),
        odd("forgets a press that is released in the same tick", no_taps),
        ignores("does not know the Force key", |bytes| is_input(bytes) && bytes[8] == 0x10),
        odd("waits for INPUTs that were lost", || by_packet_id(|step| step < 1_000)),
        odd("drops an INPUT that was overtaken", || by_packet_id(|step| step >= 0)),
    ]
}

fn joining() -> Vec<Bug> {
    vec![
        omits("does not answer JOIN", |bytes| is(bytes, ASSIGNMENT) && bytes[7] != 255),
        ignores("drops a name that ends with a NUL", |bytes| is(bytes, JOIN) && bytes.ends_with(b"n\0")),
        ignores("drops a name that is padded with NULs", |bytes| is(bytes, JOIN) && bytes.ends_with(&[0, 0])),
        ignores("drops a name with its length in front", |bytes| is(bytes, JOIN) && bytes.get(7) == Some(&3)),
        misreads("takes a name that is not UTF-8", |bytes| {
            if is(bytes, JOIN) && bytes.get(7) == Some(&0xff) {
                bytes[7..].copy_from_slice(b"xyz");
            }
        }),
        says("assigns Player IDs from 9 on", |bytes| {
            if is(bytes, ASSIGNMENT) && bytes[7] < 4 {
                bytes[7] += 9;
            }
        }),
        says("assigns with four bytes", |bytes| {
            if is(bytes, ASSIGNMENT) {
                bytes.extend([0, 0, 0]);
            }
        }),
        odd("assigns the same Player ID to all", same_ids),
        odd("answers each address once", one_join),
        odd("assigns another Player ID the second time", other_id),
        odd("makes a ship for each JOIN", ship_for_each_join),
        omits("says nothing when it is full", |bytes| is(bytes, ASSIGNMENT) && bytes[7] == 255),
        odd("sends SNAPSHOTs to those it refused", snapshots_for_refused),
        odd("answers the INPUT of strangers", || {
            let mut known = BTreeSet::new();
            Box::new(move |passing: Passing, passed| {
                if passing.is_to_peer() && is(&passing.bytes, JOIN) {
                    known.insert(passing.line);
                }
                if passing.is_to_peer() && is_input(&passing.bytes) && !known.contains(&passing.line) {
                    passed.push(passing.answer(vec![SNAPSHOT, 0, 0, 0, 0, 0, 0]));
                }
                passed.push(passing);
            })
        }),
    ]
}

fn telling() -> Vec<Bug> {
    vec![
        odd("sends 15 SNAPSHOTs a second", slow_snapshots),
        says_every(
            "cuts a byte off every third SNAPSHOT",
            3,
            |bytes| is(bytes, SNAPSHOT) && bytes.len() > 7,
            |bytes| {
                bytes.pop();
            },
        ),
        says_every(
            "says an entity twice",
            3,
            |bytes| is(bytes, SNAPSHOT) && bytes.len() > 7 && bytes.len() < 900,
            |bytes| {
                let first = entities(bytes)[0].clone();
                bytes.extend_from_within(first);
            },
        ),
        says("numbers ships from 100", |bytes| {
            if is(bytes, SNAPSHOT) {
                for range in entities(bytes) {
                    if bytes[range.start] < 4 {
                        bytes[range.start] += 100;
                    }
                }
            }
        }),
        odd("shows the first player nobody else", alone),
        says_every("sends a datagram of 1,100 bytes", 7, |bytes| is(bytes, SNAPSHOT), |bytes| bytes.resize(1_100, 0)),
        odd("never takes shots out of SNAPSHOTs", keeps_everything),
        says("writes no sprite path for ships", |bytes| {
            if is(bytes, SNAPSHOT) {
                let bare = entities(bytes).into_iter().flat_map(|range| {
                    let entity = &bytes[range];
                    if path(entity) == b"player" {
                        [&entity[..9], &[0], &entity[16..]].concat()
                    } else {
                        entity.to_vec()
                    }
                });
                let bare: Vec<u8> = bare.collect();
                bytes.truncate(7);
                bytes.extend(bare);
            }
        }),
        odd("reports no time-outs", || {
            Box::new(|passing: Passing, passed| {
                if passing.is_to_peer() || !is(&passing.bytes, TIMEOUT) {
                    passed.push(passing);
                }
            })
        }),
        odd("never ends the session of its only player", || {
            let mut heard: BTreeMap<usize, Time> = BTreeMap::new();
            Box::new(move |passing: Passing, passed| {
                if passing.is_to_peer() {
                    heard.insert(passing.line.0, passing.now);
                } else if heard.len() == 1
                    && let Some(last) = heard.get_mut(&passing.line.0)
                    && passing.now.since(*last).as_secs() >= 25
                {
                    *last = passing.now;
                    passed.push(passing.answer(vec![INPUT, 0, 99, 0, 0, 0, 9, 3, 0xf0, 0]));
                }
                passed.push(passing);
            })
        }),
        odd("ends a session after 10 s of silence", early_end),
        says("sends KILLED as 0x20", |bytes| {
            if is(bytes, KILLED) {
                bytes[0] = TIMEOUT;
            }
        }),
        says_every(
            "shows nothing but ships in every fifth SNAPSHOT",
            5,
            |bytes| is(bytes, SNAPSHOT),
            |bytes| keep(bytes, |entity| entity[0] < 4),
        ),
    ]
}

fn mistakes() -> Vec<Bug> {
    vec![
        crashes("crashes at a datagram of six bytes", |bytes| bytes.len() == 6),
        answers("answers an unknown type", |bytes| is(bytes, 0x77).then(|| vec![0xee; 7])),
        crashes("crashes at an INPUT without Action", |bytes| is(bytes, INPUT) && bytes.len() == 9),
        misreads("takes an INPUT that is too long", |bytes| {
            if is(bytes, INPUT) && (11..20).contains(&bytes.len()) {
                bytes.truncate(10);
            }
        }),
        answers("answers random bytes", |bytes| {
            (bytes.len() > 40 && bytes.len() < 1_000).then(|| b"what was that?".to_vec())
        }),
        answers("answers a PLAYER_ID_ASSIGNMENT", |bytes| {
            (is(bytes, ASSIGNMENT) && bytes.get(7) == Some(&3)).then(|| vec![ASSIGNMENT, 0, 0, 0, 0, 0, 0, 3])
        }),
        ignores("rejects an INPUT with another Player ID", |bytes| is_input(bytes) && bytes[7] == 3),
        odd("moves the player that an INPUT names", by_player_id),
        crashes("crashes at more than 1,024 bytes", |bytes| bytes.len() > 1_024),
    ]
}

/// Keeps key-downs back for a moment, in which a key-up cancels them.
fn no_taps() -> Passage {
    let mut waiting: BTreeMap<(usize, u8), Passing> = BTreeMap::new();
    Box::new(move |passing, passed| {
        let due: Vec<(usize, u8)> =
            waiting.iter().filter(|(_, held)| passing.now > held.now).map(|(key, _)| *key).collect();
        passed.extend(due.iter().filter_map(|key| waiting.remove(key)));
        if passing.is_to_peer() && is_input(&passing.bytes) {
            let key = (passing.line.0, passing.bytes[8]);
            if passing.bytes[9] == 1 {
                waiting.insert(key, passing);
                return;
            }
            waiting.remove(&key);
        }
        passed.push(passing);
    })
}

fn same_ids() -> Passage {
    Box::new(|mut passing, passed| {
        if !passing.is_to_peer() && is(&passing.bytes, ASSIGNMENT) && passing.line.0 == 1 && passing.bytes[7] == 1 {
            passing.bytes[7] = 0;
        }
        passed.push(passing);
    })
}

fn one_join() -> Passage {
    let mut joined = BTreeSet::new();
    Box::new(move |passing, passed| {
        if !passing.is_to_peer() || !is(&passing.bytes, JOIN) || joined.insert(passing.line) {
            passed.push(passing);
        }
    })
}

fn other_id() -> Passage {
    let mut assigned = BTreeSet::new();
    Box::new(move |mut passing, passed| {
        if !passing.is_to_peer() && is(&passing.bytes, ASSIGNMENT) && !assigned.insert(passing.line) {
            passing.bytes[7] = (passing.bytes[7] + 1) % 4;
        }
        passed.push(passing);
    })
}

fn ship_for_each_join() -> Passage {
    let mut joins: BTreeMap<usize, usize> = BTreeMap::new();
    Box::new(move |mut passing, passed| {
        if passing.is_to_peer() && is(&passing.bytes, JOIN) {
            *joins.entry(passing.line.0).or_default() += 1;
        }
        let is_twice = joins.get(&passing.line.0).is_some_and(|count| *count > 1);
        if !passing.is_to_peer() && is(&passing.bytes, SNAPSHOT) && is_twice && passing.bytes.len() < 900 {
            passing.bytes.extend(entity(3, b"player", 100.0, 100.0));
        }
        passed.push(passing);
    })
}

fn snapshots_for_refused() -> Passage {
    let mut refused = None;
    Box::new(move |passing, passed| {
        if !passing.is_to_peer() && is(&passing.bytes, ASSIGNMENT) && passing.bytes[7] == 255 {
            refused = Some(passing.line);
        }
        if !passing.is_to_peer()
            && is(&passing.bytes, SNAPSHOT)
            && let Some(line) = refused
        {
            passed.push(Passing { line, ..passing.clone() });
        }
        passed.push(passing);
    })
}

fn slow_snapshots() -> Passage {
    let mut count: BTreeMap<usize, u32> = BTreeMap::new();
    let mut number: BTreeMap<usize, u16> = BTreeMap::new();
    Box::new(move |mut passing, passed| {
        if !passing.is_to_peer() {
            if is(&passing.bytes, SNAPSHOT) {
                let count = count.entry(passing.line.0).or_default();
                *count += 1;
                if *count % 4 != 1 {
                    return;
                }
            }
            let number = number.entry(passing.line.0).or_default();
            *number += 1;
            passing.bytes[1..3].copy_from_slice(&number.to_be_bytes());
        }
        passed.push(passing);
    })
}

fn alone() -> Passage {
    Box::new(|mut passing, passed| {
        if !passing.is_to_peer() && passing.line.0 == 0 {
            keep(&mut passing.bytes, |entity| entity[0] == 0 || entity[0] >= 4);
        }
        passed.push(passing);
    })
}

fn keeps_everything() -> Passage {
    let mut shots: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
    Box::new(move |mut passing, passed| {
        if !passing.is_to_peer() && is(&passing.bytes, SNAPSHOT) {
            let mut shown = BTreeSet::new();
            let mut bytes = passing.bytes[..7].to_vec();
            for range in entities(&passing.bytes) {
                let entity = &passing.bytes[range];
                if path(entity) == b"shot" {
                    shots.insert(entity[0], entity.to_vec());
                }
                // An id that was a shot's stays a shot's.
                bytes.extend(shots.get(&entity[0]).map_or(entity, Vec::as_slice));
                shown.insert(entity[0]);
            }
            for (id, shot) in &shots {
                if !shown.contains(id) && bytes.len() + shot.len() <= 1_024 {
                    bytes.extend(shot);
                }
            }
            passing.bytes = bytes;
        }
        passed.push(passing);
    })
}

fn early_end() -> Passage {
    let mut heard: BTreeMap<usize, Time> = BTreeMap::new();
    Box::new(move |passing, passed| {
        if passing.is_to_peer() {
            heard.insert(passing.line.0, passing.now);
        }
        let silent = heard.get(&passing.line.0).map_or(0, |heard| passing.now.since(*heard).as_secs());
        if passing.is_to_peer() || silent < 10 {
            passed.push(passing);
        }
    })
}

fn by_player_id() -> Passage {
    let mut lines: BTreeMap<u8, toolkit::conform::trial_network::Line> = BTreeMap::new();
    Box::new(move |mut passing, passed| {
        if !passing.is_to_peer() && is(&passing.bytes, ASSIGNMENT) {
            lines.entry(passing.bytes[7]).or_insert(passing.line);
        }
        if passing.is_to_peer() && is_input(&passing.bytes) {
            passing.line = lines.get(&passing.bytes[7]).copied().unwrap_or(passing.line);
        }
        passed.push(passing);
    })
}

pub fn client() -> Vec<Bug> {
    vec![
        says("joins with a name that is not UTF-8", |bytes| {
            if is(bytes, JOIN) {
                bytes.push(0xff);
            }
        }),
        odd("joins once", || first_only(JOIN)),
        adds("sends INPUT before it has a Player ID", 1, |bytes| {
            is(bytes, JOIN).then(|| vec![INPUT, 0, 1, 0, 0, 0, 1, 2, 0x27, 0])
        }),
        odd("hears only the fourth refusal", fourth_refusal),
        ignores("does not hear TIMEOUT", |bytes| is(bytes, TIMEOUT)),
        crashes("crashes at KILLED", |bytes| is(bytes, KILLED)),
        crashes("crashes at a datagram of six bytes", |bytes| bytes.len() == 6),
        crashes("crashes at bytes without meaning", |bytes| bytes.len() > 60 && bytes[1] != 0),
        says("never counts Packet IDs up", |bytes| bytes[1..3].copy_from_slice(&[0, 7])),
        says_every(
            "dates every third INPUT back",
            3,
            |bytes| is(bytes, INPUT),
            |bytes| {
                let old = timestamp(bytes).saturating_sub(900);
                set_timestamp(bytes, old);
            },
        ),
        says_every("pads every second INPUT", 2, |bytes| is(bytes, INPUT), |bytes| bytes.extend([0, 0])),
        says("calls itself player 0", |bytes| {
            if is(bytes, INPUT) {
                bytes[7] = 0;
            }
        }),
        says_every(
            "sends Action 2 for a key that repeats",
            5,
            |bytes| is(bytes, INPUT) && bytes[9] == 1,
            |bytes| bytes[9] = 2,
        ),
        says("sends key codes of another system", |bytes| {
            if is(bytes, INPUT) {
                bytes[8] = bytes[8].wrapping_add(0x40);
            }
        }),
        omits("never says Key Up", |bytes| is(bytes, INPUT) && bytes[9] == 0),
        odd("hangs when it is refused", hangs_when_refused),
        misreads("reads y before x", |bytes| {
            if is(bytes, SNAPSHOT) {
                for range in entities(bytes) {
                    if path(&bytes[range.clone()]) == b"drone" {
                        bytes[range.start + 1..range.start + 9].rotate_left(4);
                    }
                }
            }
        }),
        odd("never removes a drone", keeps_drone),
        odd("takes every SNAPSHOT for newer", renumbers),
        says("ends its name with a NUL", |bytes| {
            if is(bytes, JOIN) {
                bytes.push(0);
            }
        }),
        imagines("never ends although the server is silent", 1_000, |_| vec![ASSIGNMENT, 0, 1, 0, 0, 0, 1, 2]),
        says("counts seconds", |bytes| {
            let seconds = timestamp(bytes) / 1_000;
            set_timestamp(bytes, seconds);
        }),
    ]
}

fn first_only(packet_type: u8) -> Passage {
    let mut said = false;
    Box::new(move |passing, passed| {
        let is_one = !passing.is_to_peer() && is(&passing.bytes, packet_type);
        if !is_one || !std::mem::replace(&mut said, true) {
            passed.push(passing);
        }
    })
}

fn is_refusal(passing: &Passing) -> bool {
    passing.is_to_peer() && is(&passing.bytes, ASSIGNMENT) && passing.bytes.get(7) == Some(&255)
}

fn fourth_refusal() -> Passage {
    let mut refusals = 0;
    Box::new(move |passing, passed| {
        refusals += u32::from(is_refusal(&passing));
        if !is_refusal(&passing) || refusals > 3 {
            passed.push(passing);
        }
    })
}

fn hangs_when_refused() -> Passage {
    let mut hangs = false;
    Box::new(move |passing, passed| {
        hangs |= is_refusal(&passing);
        if !hangs {
            passed.push(passing);
        }
    })
}

fn keeps_drone() -> Passage {
    let mut drone: Option<Vec<u8>> = None;
    Box::new(move |mut passing, passed| {
        if passing.is_to_peer() && is(&passing.bytes, SNAPSHOT) {
            let all = entities(&passing.bytes);
            match all.into_iter().find(|range| path(&passing.bytes[range.clone()]) == b"drone") {
                Some(range) => drone = Some(passing.bytes[range].to_vec()),
                None => passing.bytes.extend(drone.iter().flatten()),
            }
        }
        passed.push(passing);
    })
}

fn renumbers() -> Passage {
    let mut number = 0u16;
    Box::new(move |mut passing, passed| {
        if passing.is_to_peer() && is(&passing.bytes, SNAPSHOT) {
            number += 1;
            passing.bytes[1..3].copy_from_slice(&number.to_be_bytes());
        }
        passed.push(passing);
    })
}

/// Hears only INPUTs that come this many Packet IDs after the newest.
fn by_packet_id(is_heard: fn(i16) -> bool) -> Passage {
    let mut newest: BTreeMap<usize, u16> = BTreeMap::new();
    Box::new(move |passing, passed| {
        if passing.is_to_peer() && is_input(&passing.bytes) {
            let now = id(&passing.bytes);
            let before = newest.entry(passing.line.0).or_insert(now.wrapping_sub(1).min(12));
            let step = now.wrapping_sub(*before) as i16;
            if !is_heard(step) {
                return;
            }
            *before = now;
        }
        passed.push(passing);
    })
}
