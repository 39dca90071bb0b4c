//! Bugs of clients of `rfc2020`.

use std::collections::BTreeMap;

use protocol::Time;

use super::{
    super::{Bug, Passage, Passing, crashes, ignores, imagines, misreads, never_repeats, odd, omits, says, says_every},
    CREATE, DESTROY, GAME_STATE, JOIN, MOVE, POSITION, RESPONSE, SPAWN, confirmation, id, is, is_state, message,
    set_stamp, stamp,
};

pub fn client() -> Vec<Bug> {
    vec![
        odd("asks with a METHOD of its own", || {
            Box::new(|mut passing: Passing, passed| {
                if passing.is_stream && !passing.is_to_peer() && is(&passing.bytes, CREATE) {
                    passing.bytes[0] = MOVE;
                }
                passed.push(passing);
            })
        }),
        says("joins with a body", |bytes| {
            if is(bytes, JOIN) {
                *bytes = message(JOIN, stamp(bytes), b"Ann");
            }
        }),
        never_repeats("joins once", |bytes| is(bytes, JOIN)),
        odd("hears only the fourth refusal", || {
            let mut refusals = 0;
            Box::new(move |passing: Passing, passed| {
                refusals += u32::from(is_refusal(&passing));
                if !is_refusal(&passing) || refusals > 3 {
                    passed.push(passing);
                }
            })
        }),
        crashes("crashes at bytes without meaning", |bytes| bytes.len() >= 17 && bytes[1] > 100),
        says("confirms with the time of now", |bytes| {
            if is(bytes, RESPONSE | SPAWN) {
                let later = stamp(bytes) + 77;
                set_stamp(bytes, later);
            }
        }),
        never_repeats("confirms a SPAWN once", |bytes| is(bytes, RESPONSE | SPAWN)),
        omits("does not confirm GAME_STATE", |bytes| is(bytes, RESPONSE | GAME_STATE)),
        omits("does not confirm SPAWN", |bytes| is(bytes, RESPONSE | SPAWN)),
        omits("does not confirm DESTROY", |bytes| is(bytes, RESPONSE | DESTROY)),
        omits("does not confirm GRAB", |bytes| is(bytes, RESPONSE | 7)),
        omits("does not confirm DROP", |bytes| is(bytes, RESPONSE | 8)),
        omits("does not confirm HIT", |bytes| is(bytes, RESPONSE | 11)),
        says_every(
            "counts a byte too many in BODY_SIZE",
            2,
            |bytes| is(bytes, RESPONSE | GAME_STATE),
            |bytes| bytes[8] += 1,
        ),
        says("calls itself entity 0", |bytes| {
            if is(bytes, MOVE) {
                bytes[24] = 0;
            }
        }),
        says("counts directions from 1", |bytes| {
            if is(bytes, MOVE) {
                bytes[25] += 1;
            }
        }),
        omits("never stops", |bytes| is(bytes, MOVE) && bytes[26] == 0),
        never_repeats("sends MOVE once", |bytes| is(bytes, MOVE)),
        odd("hangs when it is refused", || {
            let mut hangs = false;
            Box::new(move |passing: Passing, passed| {
                hangs |= is_refusal(&passing);
                if !hangs {
                    passed.push(passing);
                }
            })
        }),
        misreads("reads y before x", |bytes| {
            if is(bytes, SPAWN) && id(bytes) == 50 && !bytes.is_empty() {
                let json = b"{\"kind\":\"drone\",\"x\":300,\"y\":1000}\0";
                *bytes = message(SPAWN, stamp(bytes), &[&bytes[17..25], json].concat());
            }
        }),
        ignores("does not know POSITION", |bytes| is(bytes, POSITION)),
        odd("forgets to remove what is destroyed", || {
            Box::new(|passing: Passing, passed| {
                if passing.is_to_peer() && is(&passing.bytes, DESTROY) && id(&passing.bytes) == 50 {
                    passed.push(passing.answer(confirmation(&passing.bytes)));
                } else {
                    passed.push(passing);
                }
            })
        }),
        imagines("never ends although the server is silent", 1_000, |now| {
            message(POSITION, now.micros(), &[&2u64.to_be_bytes()[..], &[0; 16]].concat())
        }),
        odd("counts milliseconds", in_milliseconds),
        odd("does not ask for the next map", || {
            let mut has_won = false;
            Box::new(move |passing: Passing, passed| {
                has_won |= passing.is_to_peer() && is_state(&passing.bytes, 2);
                if passing.is_to_peer() || !has_won || !is(&passing.bytes, JOIN) {
                    passed.push(passing);
                }
            })
        }),
        odd("repeats MOVE after a second", || {
            let mut said: BTreeMap<Vec<u8>, Time> = BTreeMap::new();
            Box::new(move |passing: Passing, passed| {
                if !passing.is_to_peer() && is(&passing.bytes, MOVE) {
                    let first = *said.entry(passing.bytes.clone()).or_insert(passing.now);
                    let waited = passing.now.since(first).as_millis();
                    if waited > 0 && waited < 1_000 {
                        return;
                    }
                }
                passed.push(passing);
            })
        }),
    ]
}

fn is_refusal(passing: &Passing) -> bool {
    passing.is_to_peer() && is(&passing.bytes, RESPONSE | JOIN) && passing.bytes.len() == 41 && id(&passing.bytes) > 3
}

/// Dates MOVEs in milliseconds, and knows its own by them.
fn in_milliseconds() -> Passage {
    let mut known: BTreeMap<u64, u64> = BTreeMap::new();
    Box::new(move |mut passing, passed| {
        if !passing.is_to_peer() && is(&passing.bytes, MOVE) {
            let micros = stamp(&passing.bytes);
            known.insert(micros / 1_000, micros);
            set_stamp(&mut passing.bytes, micros / 1_000);
        } else if passing.is_to_peer() && is(&passing.bytes, RESPONSE | MOVE) {
            let micros = known.get(&stamp(&passing.bytes)).copied().unwrap_or_default();
            set_stamp(&mut passing.bytes, micros);
        }
        passed.push(passing);
    })
}
