//! Bugs of servers and clients of `aecs`.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{
    Time,
    aecs::wire::{Component, FromServer, GameStateWriter, PACKET_MAX_BYTES, write_connected, write_game_changes},
};

use super::{
    Bug, Passage, Passing, answers, crashes, ignores, imagines, misreads, never_repeats, odd, omits, says, says_every,
};

const CONNECTED: u8 = 0x80;
const GAME_CHANGES: u8 = 0x81;
const SERVER_PONG: u8 = 0x82;
const GAME_INPUT: u8 = 0x00;
const PING: u8 = 0x01;
const CLIENT_PONG: u8 = 0x02;

fn is(bytes: &[u8], packet_type: u8) -> bool {
    bytes.get(2) == Some(&packet_type)
}

fn packet(packet_type: u8, data: &[u8]) -> Vec<u8> {
    [&((data.len() + 1) as u16).to_le_bytes()[..], &[packet_type], data].concat()
}

fn pong(tick: u32) -> Vec<u8> {
    packet(CLIENT_PONG, &tick.to_le_bytes())
}

type Entity<'a> = (u32, Vec<Component<'a>>);

/// Rewrites a CONNECTED or GAME_CHANGES, entity by entity.
fn rewrite(bytes: &mut Vec<u8>, change: &mut dyn FnMut(Entity<'_>) -> Option<Vec<u8>>) {
    let mut state = |game: protocol::aecs::wire::GameState| {
        let mut out = Vec::new();
        let mut count = 0u32;
        GameStateWriter::begin(game.tick, PACKET_MAX_BYTES, &mut out);
        for entity in game.entities.iter() {
            if let Some(bytes) = change((entity.entity_id, entity.components.iter().collect())) {
                out.extend(bytes);
                count += 1;
            }
        }
        out[4..8].copy_from_slice(&count.to_le_bytes());
        out
    };
    let mut out = Vec::new();
    match FromServer::read(bytes) {
        Ok(FromServer::Connected { client_id, game_state }) => write_connected(client_id, &state(game_state), &mut out),
        Ok(FromServer::GameChanges { changes }) => {
            let states: Vec<Vec<u8>> = changes.iter().map(state).collect();
            write_game_changes(states.iter().map(Vec::as_slice), &mut out);
        }
        _ => return,
    }
    *bytes = out;
}

/// The bytes of an entity.
fn written((id, components): &Entity) -> Vec<u8> {
    let mut out = Vec::new();
    GameStateWriter::begin(0, PACKET_MAX_BYTES, &mut out).push(*id, components.iter().copied());
    out.split_off(8)
}

fn last_tick(bytes: &[u8]) -> Option<u32> {
    match FromServer::read(bytes) {
        Ok(FromServer::GameChanges { changes }) => changes.iter().last().map(|change| change.tick),
        _ => None,
    }
}

fn is_input(bytes: &[u8], keys: &[u8]) -> bool {
    is(bytes, GAME_INPUT) && bytes.get(4..) == Some(keys)
}

fn ping(_: Time) -> Vec<u8> {
    packet(PING, &[])
}

pub fn server() -> Vec<Bug> {
    [connecting(), inputs(), changes(), packets()].into_iter().flatten().collect()
}

fn connecting() -> Vec<Bug> {
    vec![
        omits("says nothing over TCP", |bytes| is(bytes, CONNECTED)),
        says("cuts CONNECTED short", |bytes| {
            if is(bytes, CONNECTED) {
                bytes.pop();
            }
        }),
        odd("leaves TCP open", || {
            Box::new(|passing: Passing, passed| {
                if !passing.is_stream || !passing.bytes.is_empty() {
                    passed.push(passing);
                }
            })
        }),
        says("gives client ID 9", |bytes| {
            if is(bytes, CONNECTED) {
                bytes[3] = 9;
            }
        }),
        says("says nothing of the state in CONNECTED", |bytes| {
            if is(bytes, CONNECTED) {
                rewrite(bytes, &mut |_| None);
            }
        }),
        odd("connects a client that it has no room for", || {
            let mut connected = BTreeSet::new();
            Box::new(move |passing: Passing, passed| {
                if passing.is_stream && is(&passing.bytes, CONNECTED) {
                    connected.insert(passing.line);
                }
                if passing.is_stream && passing.bytes.is_empty() && !connected.contains(&passing.line) {
                    let mut bytes = Vec::new();
                    write_connected(3, &[0; 8], &mut bytes);
                    passed.push(passing.with(bytes));
                }
                passed.push(passing);
            })
        }),
        odd("answers the PING of a stranger", || {
            let mut streams = 0;
            Box::new(move |passing: Passing, passed| {
                streams += usize::from(passing.is_stream);
                if passing.is_to_peer() && is(&passing.bytes, PING) && streams == 0 {
                    passed.push(passing.answer(packet(SERVER_PONG, &[])));
                }
                passed.push(passing);
            })
        }),
    ]
}

fn inputs() -> Vec<Bug> {
    vec![
        omits("never answers PING", |bytes| is(bytes, SERVER_PONG)),
        odd("answers one PING in a tick", || {
            let mut ponged: BTreeMap<usize, Time> = BTreeMap::new();
            Box::new(move |passing: Passing, passed| {
                let is_pong = !passing.is_to_peer() && is(&passing.bytes, SERVER_PONG);
                if !is_pong || ponged.insert(passing.line.0, passing.now) != Some(passing.now) {
                    passed.push(passing);
                }
            })
        }),
        misreads("takes up for down", |bytes| {
            if is_input(bytes, &[25]) {
                bytes[4] = 18;
            }
        }),
        misreads("does not know the arrow keys", |bytes| {
            if is_input(bytes, &[72]) {
                bytes[4] = 99;
            }
        }),
        misreads("does not know the space bar", |bytes| {
            if is_input(bytes, &[57]) {
                bytes[4] = 99;
            }
        }),
        odd("never lets go of a key", sticky),
        odd("holds keys for ever", endless),
        imagines("never ends a silent session", 1_000, ping),
        odd("ends a session after 2 s of silence", || {
            let mut heard: BTreeMap<usize, Time> = BTreeMap::new();
            Box::new(move |passing: Passing, passed| {
                if passing.is_to_peer()
                    && heard.get(&passing.line.0).is_none_or(|at| passing.now.since(*at).as_millis() <= 2_000)
                {
                    heard.insert(passing.line.0, passing.now);
                }
                let silent = heard.get(&passing.line.0).map_or(0, |heard| passing.now.since(*heard).as_millis());
                if silent <= 2_000 {
                    passed.push(passing);
                }
            })
        }),
        odd("forgets a press that is released in the same tick", no_taps),
        misreads("drops inputs that it does not know with all others", |bytes| {
            if is_input(bytes, &[200, 255, 3]) {
                *bytes = packet(GAME_INPUT, &[0]);
            }
        }),
        odd("moves all ships with the keys of one", || {
            let mut first = None;
            Box::new(move |passing: Passing, passed| {
                if passing.is_to_peer() && !passing.is_stream {
                    let first = *first.get_or_insert(passing.line);
                    if first != passing.line && is_input(&passing.bytes, &[18]) {
                        passed.push(Passing { line: first, ..passing.clone() });
                    }
                }
                passed.push(passing);
            })
        }),
        misreads("does not know the Force key", |bytes| {
            if is(bytes, GAME_INPUT) {
                bytes.iter_mut().skip(4).filter(|code| **code == 38).for_each(|code| *code = 200);
            }
        }),
    ]
}

/// After the right key was let go, it is heard as held until another is pressed.
fn sticky() -> Passage {
    let mut last: BTreeMap<usize, bool> = BTreeMap::new();
    Box::new(move |passing, passed| {
        if passing.is_to_peer() && is(&passing.bytes, GAME_INPUT) {
            match &passing.bytes[3..] {
                [1, 3] => _ = last.insert(passing.line.0, false),
                [0] => _ = last.entry(passing.line.0).and_modify(|is_stuck| *is_stuck = true),
                _ => _ = last.remove(&passing.line.0),
            }
        }
        // A key is held for 100 ms: it has to be heard again.
        if !passing.is_to_peer() && last.get(&passing.line.0) == Some(&true) {
            passed.push(passing.answer(packet(GAME_INPUT, &[1, 3])));
        }
        passed.push(passing);
    })
}

fn endless() -> Passage {
    let mut last: BTreeMap<usize, (Time, Vec<u8>)> = BTreeMap::new();
    Box::new(move |passing, passed| {
        if passing.is_to_peer() && is(&passing.bytes, GAME_INPUT) {
            last.insert(passing.line.0, (passing.now, passing.bytes.clone()));
        }
        if !passing.is_to_peer()
            && let Some((at, keys)) = last.get(&passing.line.0)
            && keys.len() > 4
            && passing.now.since(*at).as_millis() > 60
        {
            passed.push(passing.answer(keys.clone()));
        }
        passed.push(passing);
    })
}

fn no_taps() -> Passage {
    let mut waiting: BTreeMap<usize, Passing> = BTreeMap::new();
    Box::new(move |passing, passed| {
        let due: Vec<usize> =
            waiting.iter().filter(|(_, held)| passing.now > held.now).map(|(line, _)| *line).collect();
        passed.extend(due.iter().filter_map(|line| waiting.remove(line)));
        if passing.is_to_peer() && is(&passing.bytes, GAME_INPUT) {
            waiting.insert(passing.line.0, passing);
            return;
        }
        passed.push(passing);
    })
}

fn changes() -> Vec<Bug> {
    vec![
        odd("sends six GAME_CHANGES a second", || {
            let mut count: BTreeMap<usize, u32> = BTreeMap::new();
            Box::new(move |passing: Passing, passed| {
                if !passing.is_to_peer() && is(&passing.bytes, GAME_CHANGES) && !is_empty(&passing.bytes) {
                    let count = count.entry(passing.line.0).or_default();
                    *count += 1;
                    if *count % 6 != 1 {
                        return;
                    }
                }
                passed.push(passing);
            })
        }),
        says_every("counts a change too many", 3, |bytes| is(bytes, GAME_CHANGES), |bytes| bytes[3] += 1),
        says_every(
            "dates every tenth change back",
            10,
            |bytes| is(bytes, GAME_CHANGES) && bytes[3] == 1,
            |bytes| {
                let old = u32::from_le_bytes(bytes[4..8].try_into().expect("four bytes")).wrapping_sub(100);
                bytes[4..8].copy_from_slice(&old.to_le_bytes());
            },
        ),
        odd("takes everything for confirmed", || {
            let mut heard: BTreeMap<usize, Time> = BTreeMap::new();
            Box::new(move |passing: Passing, passed| {
                if passing.is_to_peer() {
                    heard.insert(passing.line.0, passing.now);
                }
                let is_there = heard.get(&passing.line.0).is_some_and(|at| passing.now.since(*at).as_millis() < 1_100);
                if let Some(tick) = last_tick(&passing.bytes).filter(|_| !passing.is_to_peer() && is_there) {
                    passed.push(passing.answer(pong(tick)));
                }
                passed.push(passing);
            })
        }),
        ignores("does not hear CLIENT_PONG", |bytes| is(bytes, CLIENT_PONG) && bytes.len() == 7),
        says("never removes anything", |bytes| {
            if is(bytes, GAME_CHANGES) {
                rewrite(bytes, &mut |entity| (!entity.1.is_empty()).then(|| written(&entity)));
            }
        }),
        says("leaves Lives out of changes", |bytes| {
            if is(bytes, GAME_CHANGES) {
                rewrite(bytes, &mut |(id, components)| {
                    let kept = components.into_iter().filter(|component| !matches!(component, Component::Lives(_)));
                    Some(written(&(id, kept.collect())))
                });
            }
        }),
        odd("shows the first player nobody else", || {
            let mut first = None;
            Box::new(move |mut passing: Passing, passed| {
                if !passing.is_to_peer() && !passing.is_stream && *first.get_or_insert(passing.line) == passing.line {
                    rewrite(&mut passing.bytes, &mut |entity| {
                        let is_other = entity.1.contains(&Component::Kind(1))
                            && !entity.1.contains(&Component::Player { seat: 0 });
                        (!is_other).then(|| written(&entity))
                    });
                }
                passed.push(passing);
            })
        }),
        says("writes velocities big-endian", |bytes| {
            if is(bytes, GAME_CHANGES) {
                rewrite(bytes, &mut |(id, components)| {
                    let turned = components.into_iter().map(|component| match component {
                        Component::Velocity { x, y } => {
                            let turn = |value: f32| f32::from_be_bytes(value.to_le_bytes());
                            Component::Velocity { x: turn(x), y: turn(y) }
                        }
                        other => other,
                    });
                    Some(written(&(id, turned.collect())))
                });
            }
        }),
    ]
}

/// A GAME_CHANGES without entities.
fn is_empty(bytes: &[u8]) -> bool {
    match FromServer::read(bytes) {
        Ok(FromServer::GameChanges { changes }) => changes.iter().all(|change| change.entities.iter().next().is_none()),
        _ => false,
    }
}

fn packets() -> Vec<Bug> {
    vec![
        says_every("counts its own size in packet size", 2, |bytes| is(bytes, SERVER_PONG), |bytes| bytes[0] += 2),
        misreads("does not compare packet size", |bytes| {
            if bytes[..] == [2, 0, PING] {
                bytes[0] = 1;
            }
        }),
        answers("answers an unknown type", |bytes| is(bytes, 0x44).then(|| packet(SERVER_PONG, &[]))),
        answers("answers a SERVER_PONG", |bytes| is(bytes, SERVER_PONG).then(|| packet(SERVER_PONG, &[]))),
        misreads("does not compare the input count", |bytes| {
            if bytes[..] == [3, 0, GAME_INPUT, 3, 3] {
                bytes[3] = 1;
            }
        }),
        crashes("crashes at a CLIENT_PONG of three bytes", |bytes| is(bytes, CLIENT_PONG) && bytes.len() == 6),
        odd("believes any CLIENT_PONG", || {
            let mut forgets = BTreeSet::new();
            Box::new(move |passing: Passing, passed| {
                if passing.is_to_peer() && is(&passing.bytes, CLIENT_PONG) && passing.bytes.len() == 7 {
                    let tick = u32::from_le_bytes(passing.bytes[3..7].try_into().expect("four bytes"));
                    if tick > 90_000 {
                        forgets.insert(passing.line);
                    }
                }
                if passing.is_to_peer() || !forgets.contains(&passing.line) || !is(&passing.bytes, GAME_CHANGES) {
                    passed.push(passing);
                }
            })
        }),
        crashes("crashes at a datagram of two bytes", |bytes| bytes.len() == 2),
        answers("answers random bytes", |bytes| (bytes.len() > 30).then(|| packet(SERVER_PONG, &[]))),
        misreads("takes a PING with data", |bytes| {
            if is(bytes, PING) && bytes.len() == 5 {
                *bytes = packet(PING, &[]);
            }
        }),
    ]
}

pub fn client() -> Vec<Bug> {
    vec![
        odd("says hello over TCP", || {
            let mut said = false;
            Box::new(move |passing: Passing, passed| {
                if passing.is_stream && passing.is_to_peer() && !std::mem::replace(&mut said, true) {
                    passed.push(passing.answer(b"hello".to_vec()));
                }
                passed.push(passing);
            })
        }),
        odd("sends PING once", || {
            let mut said = false;
            Box::new(move |passing: Passing, passed| {
                let is_ping = !passing.is_to_peer() && is(&passing.bytes, PING);
                if !is_ping || !std::mem::replace(&mut said, true) {
                    passed.push(passing);
                }
            })
        }),
        says_every("counts its own size in packet size", 3, |bytes| is(bytes, GAME_INPUT), |bytes| bytes[0] += 2),
        misreads("does not compare packet size", |bytes| {
            if is(bytes, GAME_CHANGES) && usize::from(bytes[0]) + 1 == bytes.len() {
                bytes[0] -= 1;
            } else if is(bytes, GAME_CHANGES) && bytes.len() < 200 {
                let size = (bytes.len() - 2) as u8;
                bytes[0] = size;
            }
        }),
        crashes("crashes at a change count that lies", |bytes| is(bytes, GAME_CHANGES) && bytes[3] >= 0x40),
        odd("sends four GAME_INPUTs a second", || {
            let mut count = 0;
            Box::new(move |passing: Passing, passed| {
                let is_input = !passing.is_to_peer() && is(&passing.bytes, GAME_INPUT);
                count += u32::from(is_input);
                if !is_input || count % 15 == 0 {
                    passed.push(passing);
                }
            })
        }),
        says_every("counts an input too many", 2, |bytes| is(bytes, GAME_INPUT), |bytes| bytes[3] += 1),
        says("sends key codes of another system", |bytes| {
            if is(bytes, GAME_INPUT) {
                bytes[4..].iter_mut().for_each(|code| *code = code.wrapping_add(100));
            }
        }),
        omits("never confirms", |bytes| is(bytes, CLIENT_PONG)),
        says("confirms the first tick of several", |bytes| {
            if is(bytes, CLIENT_PONG) {
                let tick = u32::from_le_bytes(bytes[3..7].try_into().expect("four bytes"));
                *bytes = pong(tick - 1);
            }
        }),
        never_repeats("confirms a tick once", |bytes| is(bytes, CLIENT_PONG)),
        answers("confirms what it was sent last", |bytes| last_tick(bytes).map(pong)),
        odd("hangs when TCP is closed", || {
            let mut hello = false;
            Box::new(move |passing: Passing, passed| {
                hello |= passing.is_stream && is(&passing.bytes, CONNECTED);
                if !(passing.is_stream && passing.bytes.is_empty()) || hello {
                    passed.push(passing);
                }
            })
        }),
        misreads("reads y before x", |bytes| {
            if is(bytes, GAME_CHANGES) && !has_unknown(bytes) {
                rewrite(bytes, &mut |(id, components)| {
                    let turned = components.into_iter().map(|component| match component {
                        Component::Position { x, y } if id == 9 => Component::Position { x: y, y: x },
                        other => other,
                    });
                    Some(written(&(id, turned.collect())))
                });
            }
        }),
        misreads("does not know removals", |bytes| {
            if is(bytes, GAME_CHANGES) {
                rewrite(bytes, &mut |entity| (!entity.1.is_empty()).then(|| written(&entity)));
            }
        }),
        ignores("drops a packet with an unknown component", has_unknown),
        odd("takes every change for new", || {
            let mut tick = 600;
            Box::new(move |mut passing: Passing, passed| {
                if passing.is_to_peer()
                    && is(&passing.bytes, GAME_CHANGES)
                    && passing.bytes[3] == 1
                    && passing.bytes.len() > 40
                {
                    let said = u32::from_le_bytes(passing.bytes[4..8].try_into().expect("four bytes"));
                    tick = said.max(tick + 1);
                    passing.bytes[4..8].copy_from_slice(&tick.to_le_bytes());
                }
                passed.push(passing);
            })
        }),
        misreads("reads two bytes of the score", |bytes| {
            if is(bytes, GAME_CHANGES) {
                rewrite(bytes, &mut |(id, components)| {
                    let cut = components.into_iter().map(|component| match component {
                        Component::Score(_) => Component::Score(0),
                        other => other,
                    });
                    Some(written(&(id, cut.collect())))
                });
            }
        }),
        misreads("does not know Lives", |bytes| {
            if is(bytes, GAME_CHANGES) {
                rewrite(bytes, &mut |(id, components)| {
                    let kept = components.into_iter().filter(|component| !matches!(component, Component::Lives(7)));
                    Some(written(&(id, kept.collect())))
                });
            }
        }),
        imagines("never ends although the server is silent", 1_000, |_| packet(SERVER_PONG, &[])),
    ]
}

fn has_unknown(bytes: &[u8]) -> bool {
    match FromServer::read(bytes) {
        Ok(FromServer::GameChanges { changes }) => changes
            .iter()
            .flat_map(|change| change.entities.iter())
            .flat_map(|entity| entity.components.iter())
            .any(|component| matches!(component, Component::Unknown { .. })),
        _ => false,
    }
}
