//! Bugs of servers and clients of `typeuh`.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{
    Time,
    typeuh::{
        component::{Component, ComponentName, ComponentTable},
        wire::{Initialisation, Instruction, Instructions, write_own_initialisation},
    },
};

use super::{Bug, Passage, Passing, adds, crashes, ignores, imagines, lets_go, misreads, odd, says, says_every};

fn is_initialisation(bytes: &[u8]) -> bool {
    Initialisation::read(bytes).is_ok()
}

fn read(bytes: &[u8]) -> Vec<Instruction> {
    if is_initialisation(bytes) {
        return Vec::new();
    }
    Instructions::read(bytes, &ComponentTable::own()).map_while(Result::ok).collect()
}

fn written(instructions: &[Instruction]) -> Vec<u8> {
    let mut bytes = Vec::new();
    instructions.iter().for_each(|instruction| instruction.write(&mut bytes));
    bytes
}

fn own_initialisation() -> Vec<u8> {
    let mut bytes = Vec::new();
    write_own_initialisation(&mut bytes);
    bytes
}

/// Changes or drops instructions; a datagram of which nothing is left is kept with a harmless one.
fn rewrite(bytes: &mut Vec<u8>, mut change: impl FnMut(Instruction) -> Option<Instruction>) {
    let instructions = read(bytes);
    // What is numbered otherwise, or cut off, is left as it is.
    if !instructions.is_empty() && written(&instructions) == *bytes {
        let kept: Vec<Instruction> = instructions.into_iter().filter_map(&mut change).collect();
        *bytes =
            if kept.is_empty() { written(&[Instruction::DeleteEntity { entity_id: 65_000 }]) } else { written(&kept) };
    }
}

fn entity_of(instruction: &Instruction) -> u16 {
    match *instruction {
        Instruction::CreateEntity { entity_id }
        | Instruction::DeleteEntity { entity_id }
        | Instruction::AttachComponent { entity_id, .. }
        | Instruction::UpdateComponent { entity_id, .. }
        | Instruction::DetachComponent { entity_id, .. } => entity_id,
    }
}

fn is_about(instruction: &Instruction, name: ComponentName) -> bool {
    match *instruction {
        Instruction::AttachComponent { component_id, .. } | Instruction::UpdateComponent { component_id, .. } => {
            component_id == name.own_id()
        }
        _ => false,
    }
}

/// Never sends a component.
fn without(bytes: &mut Vec<u8>, name: ComponentName) {
    rewrite(bytes, |instruction| (!is_about(&instruction, name)).then_some(instruction));
}

pub fn server() -> Vec<Bug> {
    [joining(), telling(), keys()].into_iter().flatten().collect()
}

/// Changes the initialisation.
fn spoils(name: &'static str, change: fn(&mut Vec<u8>)) -> Bug {
    says_every(name, 1, is_initialisation, change)
}

fn joining() -> Vec<Bug> {
    vec![
        ignores("does not take an empty datagram for a hello", |bytes| bytes.is_empty()),
        odd("begins before the initialisation", early),
        spoils("counts a component too many", |bytes| bytes[1] += 1),
        spoils("writes a blank into a name", |bytes| bytes[4] = b' '),
        spoils("pads names at their beginning", |bytes| bytes[3..12].rotate_right(1)),
        spoils("ends with 0xfffe", |bytes| *bytes.last_mut().expect("it has an end") = 0xfe),
        odd("sends the initialisation once", || second_initialisation(|_| None)),
        odd("answers every empty datagram", eager),
        odd("names components in another order the second time", || {
            second_initialisation(|bytes| {
                let mut bytes = bytes.to_vec();
                let end = bytes.len() - 2;
                bytes[end - 18..end].rotate_left(9);
                Some(bytes)
            })
        }),
        spoils("calls Kind by another name", |bytes| {
            let at = bytes.windows(4).position(|window| window == b"Kind").expect("it has one");
            bytes[at..at + 4].copy_from_slice(b"Sort");
        }),
        odd("hears only an empty hello", only_hello),
        odd("greets although it is full", || {
            let mut told: BTreeSet<usize> = BTreeSet::new();
            Box::new(move |passing: Passing, passed| {
                if passing.is_to_peer() && passing.line.0 == 4 && told.insert(4) {
                    passed.push(passing.answer(vec![0; 5]));
                }
                passed.push(passing);
            })
        }),
    ]
}

fn early() -> Passage {
    let mut lines = BTreeSet::new();
    Box::new(move |passing, passed| {
        if !passing.is_to_peer() && lines.insert(passing.line) {
            passed.push(passing.with(written(&[Instruction::CreateEntity { entity_id: 9 }])));
        }
        passed.push(passing);
    })
}

fn second_initialisation(change: fn(&[u8]) -> Option<Vec<u8>>) -> Passage {
    let mut lines = BTreeSet::new();
    Box::new(move |passing, passed| {
        if passing.is_to_peer() || !is_initialisation(&passing.bytes) || lines.insert(passing.line) {
            passed.push(passing);
        } else if let Some(bytes) = change(&passing.bytes) {
            passed.push(passing.with(bytes));
        }
    })
}

fn eager() -> Passage {
    let mut known = BTreeSet::new();
    Box::new(move |passing, passed| {
        if passing.is_to_peer() && passing.bytes.is_empty() && known.contains(&passing.line) {
            passed.push(passing.answer(own_initialisation()));
        }
        if !passing.is_to_peer() {
            known.insert(passing.line);
        }
        passed.push(passing);
    })
}

fn only_hello() -> Passage {
    let mut known = BTreeSet::new();
    Box::new(move |passing, passed| {
        if passing.is_to_peer() && passing.bytes.is_empty() {
            known.insert(passing.line);
        }
        if !passing.is_to_peer() || known.contains(&passing.line) {
            passed.push(passing);
        }
    })
}

fn telling() -> Vec<Bug> {
    vec![
        says_every(
            "cuts datagrams anywhere",
            2,
            |bytes| !is_initialisation(bytes) && bytes.len() > 60,
            |bytes| {
                bytes.pop();
            },
        ),
        adds("has an instruction of its own", 10, |bytes| (!is_initialisation(bytes)).then(|| vec![0x09, 1, 2])),
        adds("updates a component that has no name", 10, |bytes| {
            (!is_initialisation(bytes)).then(|| vec![0x03, 0, 1, 0, 99, 1, 2])
        }),
        adds("updates what it never created", 1, |bytes| {
            (!is_initialisation(bytes)).then(|| written(&[Instruction::update(60_000, Component::Charge(1))]))
        }),
        says("never attaches", |bytes| {
            rewrite(bytes, |instruction| match instruction {
                Instruction::AttachComponent { .. } => None,
                other => Some(other),
            });
        }),
        says("never deletes", |bytes| {
            rewrite(bytes, |instruction| match instruction {
                Instruction::DeleteEntity { .. } => None,
                other => Some(other),
            });
        }),
        odd("deletes once", || once(|instruction| matches!(instruction, Instruction::DeleteEntity { .. }))),
        odd("creates once", || once(|instruction| matches!(instruction, Instruction::CreateEntity { .. }))),
        says("writes velocities little-endian", |bytes| {
            rewrite(bytes, |instruction| match instruction {
                Instruction::UpdateComponent { entity_id, component_data: Component::Velocity { x, y }, .. } => {
                    let turned = |value: f32| f32::from_le_bytes(value.to_be_bytes());
                    Some(Instruction::update(entity_id, Component::Velocity { x: turned(x), y: turned(y) }))
                }
                other => Some(other),
            });
        }),
        says("tells nobody which ship is theirs", |bytes| without(bytes, ComponentName::Own)),
        odd("shows the first player nobody else", alone),
        adds("sends a datagram of 1,300 bytes", 20, |bytes| {
            (!is_initialisation(bytes)).then(|| written(&[Instruction::DeleteEntity { entity_id: 65_000 }; 434]))
        }),
        says("sends no lives", |bytes| without(bytes, ComponentName::Lives)),
        says("sends no score", |bytes| without(bytes, ComponentName::Score)),
        odd("sends positions five times a second", rare_positions),
    ]
}

/// Says instructions of a sort once for each entity.
fn once(is_meant: fn(&Instruction) -> bool) -> Passage {
    let mut said: BTreeSet<(usize, u16)> = BTreeSet::new();
    Box::new(move |mut passing, passed| {
        if !passing.is_to_peer() {
            let line = passing.line.0;
            rewrite(&mut passing.bytes, |instruction| {
                let is_new = !is_meant(&instruction) || said.insert((line, entity_of(&instruction)));
                is_new.then_some(instruction)
            });
        }
        passed.push(passing);
    })
}

fn alone() -> Passage {
    let mut first = None;
    Box::new(move |mut passing, passed| {
        if !passing.is_to_peer() && passing.line.0 == 0 {
            rewrite(&mut passing.bytes, |instruction| {
                if let Instruction::UpdateComponent { entity_id, component_data: Component::Kind(1), .. } = instruction
                    && *first.get_or_insert(entity_id) != entity_id
                {
                    return None;
                }
                Some(instruction)
            });
        }
        passed.push(passing);
    })
}

fn rare_positions() -> Passage {
    let mut count: BTreeMap<(usize, u16), u32> = BTreeMap::new();
    Box::new(move |mut passing, passed| {
        if !passing.is_to_peer() {
            let line = passing.line.0;
            // What is said in full is said in full.
            let is_created = |instruction: &Instruction| matches!(instruction, Instruction::CreateEntity { .. });
            let created: Vec<u16> =
                read(&passing.bytes).iter().filter(|found| is_created(found)).map(entity_of).collect();
            rewrite(&mut passing.bytes, |instruction| {
                let is_position = matches!(
                    instruction,
                    Instruction::UpdateComponent { component_data: Component::Position { .. }, .. }
                );
                if is_position && !created.contains(&entity_of(&instruction)) {
                    let count = count.entry((line, entity_of(&instruction))).or_default();
                    *count += 1;
                    return (*count % 12 == 1).then_some(instruction);
                }
                Some(instruction)
            });
        }
        passed.push(passing);
    })
}

fn release() -> Vec<u8> {
    vec![1]
}

fn sign_of_life(_: Time) -> Vec<u8> {
    vec![1]
}

fn keys() -> Vec<Bug> {
    vec![
        misreads("takes up for down", |bytes| {
            if bytes[..] == [2] {
                bytes[0] = 6;
            }
        }),
        ignores("does not hear that right is released", |bytes| bytes == [1]),
        lets_go("lets go of keys after 0.3 s", 300, |bytes| bytes == [0], release),
        misreads("reads one byte of a datagram", |bytes| {
            if bytes.len() == 4 {
                bytes.truncate(1);
            }
        }),
        ignores("does not know the left click", |bytes| bytes == [8]),
        misreads("forgets a press that is released in the same datagram", |bytes| {
            if bytes[..] == [0, 1] {
                *bytes = vec![1];
            }
        }),
        misreads("reads on behind an unknown opcode", |bytes| bytes.retain(|byte| *byte != 0x4c)),
        misreads("takes the byte behind a click for a position", |bytes| {
            if bytes[..] == [8, 6] {
                bytes.pop();
            }
        }),
        crashes("crashes at an unknown opcode", |bytes| bytes.first().is_some_and(|byte| *byte > 0xb && *byte != 0x4c)),
        crashes("crashes at 2,000 bytes", |bytes| bytes.len() == 2_000),
        odd("moves all ships with the keys of one", || {
            Box::new(|passing: Passing, passed| {
                if passing.is_to_peer() && passing.line.0 == 1 && passing.bytes == [6] {
                    passed.push(Passing { line: toolkit::conform::trial_network::Line(0), ..passing.clone() });
                }
                passed.push(passing);
            })
        }),
        imagines("never ends a silent session", 100_000, sign_of_life),
        odd("ends a session after 30 s of silence", || {
            let mut heard: BTreeMap<usize, Time> = BTreeMap::new();
            Box::new(move |passing: Passing, passed| {
                if passing.is_to_peer() {
                    heard.insert(passing.line.0, passing.now);
                }
                let silent = heard.get(&passing.line.0).map_or(0, |heard| passing.now.since(*heard).as_secs());
                if passing.is_to_peer() || silent < 30 {
                    passed.push(passing);
                }
            })
        }),
        misreads("does not know the right click", |bytes| bytes.retain(|byte| *byte != 0x0a)),
    ]
}

pub fn client() -> Vec<Bug> {
    vec![
        says("says hello with a byte", |bytes| {
            if bytes.is_empty() {
                bytes.push(1);
            }
        }),
        odd("says hello once until it hears something", || {
            let (mut said, mut heard) = (false, false);
            Box::new(move |passing: Passing, passed| {
                heard |= passing.is_to_peer();
                let is_hello = !passing.is_to_peer() && passing.bytes.is_empty();
                if !is_hello || heard || !std::mem::replace(&mut said, true) {
                    passed.push(passing);
                }
            })
        }),
        adds("sends keys before the initialisation", 2, |bytes| bytes.is_empty().then(|| vec![1, 3])),
        misreads("does not look at the end mark", |bytes| {
            if bytes.ends_with(&[0xff, 0xfe]) {
                *bytes = own_initialisation();
            }
        }),
        misreads("does not look at the count", |bytes| {
            if bytes.len() == 122 && bytes[1] == 12 {
                *bytes = own_initialisation();
            }
        }),
        misreads("takes any character in a name", |bytes| {
            if bytes.len() == 122 && bytes[4] == b' ' {
                *bytes = own_initialisation();
            }
        }),
        crashes("crashes at an unknown opcode", |bytes| bytes.first().is_some_and(|byte| *byte >= 0x40)),
        says_every("sends key codes of its system", 3, |bytes| !bytes.is_empty(), |bytes| bytes[0] = 0x48),
        says("never says released", |bytes| bytes.retain(|byte| byte % 2 == 0)),
        odd("says each change once", changes_only),
        misreads("takes the order of components for its own", |bytes| {
            if bytes.len() == 5 + 13 * 16 {
                *bytes = own_initialisation();
            }
        }),
        misreads("reads y before x", |bytes| {
            rewrite(bytes, |instruction| match instruction {
                Instruction::UpdateComponent {
                    entity_id: 11, component_data: Component::Position { x, y }, ..
                } => Some(Instruction::update(11, Component::Position { x: y, y: x })),
                other => Some(other),
            });
        }),
        misreads("does not know Delete entity", |bytes| {
            if bytes.ends_with(&[1, 0, 23]) {
                let at = bytes.len() - 3;
                bytes[at] = 0;
            }
        }),
        ignores("drops a datagram with an unknown opcode whole", |bytes| bytes.ends_with(&[0x77, 0, 0])),
        odd("starts from nothing with an entity that is created again", || {
            let mut known = BTreeSet::new();
            Box::new(move |mut passing: Passing, passed| {
                if passing.is_to_peer() {
                    let mut bytes = std::mem::take(&mut passing.bytes);
                    let is_bare = read(&bytes).last() == Some(&Instruction::CreateEntity { entity_id: 25 });
                    if read(&bytes).iter().any(|instruction| entity_of(instruction) == 25)
                        && !known.insert(25)
                        && is_bare
                    {
                        rewrite(&mut bytes, |instruction| match instruction {
                            Instruction::CreateEntity { entity_id: 25 } => {
                                Some(Instruction::DeleteEntity { entity_id: 25 })
                            }
                            other => Some(other),
                        });
                    }
                    passing.bytes = bytes;
                }
                passed.push(passing);
            })
        }),
        odd("never forgets an entity", || {
            let mut has_drone = false;
            Box::new(move |mut passing: Passing, passed| {
                if passing.is_to_peer() {
                    let instructions = read(&passing.bytes);
                    let is_drone = |instruction: &Instruction| entity_of(instruction) == 26;
                    has_drone |= instructions.iter().any(is_drone);
                    if has_drone && !instructions.is_empty() && !instructions.iter().any(is_drone) {
                        Instruction::CreateEntity { entity_id: 26 }.write(&mut passing.bytes);
                    }
                }
                passed.push(passing);
            })
        }),
        misreads("reads two bytes of the score", |bytes| {
            rewrite(bytes, |instruction| match instruction {
                Instruction::UpdateComponent { entity_id, component_data: Component::Score(4_200), .. } => {
                    Some(Instruction::update(entity_id, Component::Score(0)))
                }
                other => Some(other),
            });
        }),
        misreads("does not know Lives", |bytes| {
            rewrite(bytes, |instruction| match instruction {
                Instruction::UpdateComponent { component_data: Component::Lives(7), .. } => None,
                other => Some(other),
            });
        }),
        imagines("never ends although the server is silent", 1_000, |_| {
            written(&[Instruction::DeleteEntity { entity_id: 65_000 }])
        }),
    ]
}

fn changes_only() -> Passage {
    let mut last = [1u8, 3, 5, 7, 9, 11];
    Box::new(move |mut passing, passed| {
        if !passing.is_to_peer() && !passing.bytes.is_empty() {
            passing.bytes.retain(|byte| {
                let key = usize::from(*byte / 2);
                key >= last.len() || std::mem::replace(&mut last[key], *byte) != *byte
            });
            if passing.bytes.is_empty() {
                return;
            }
        }
        passed.push(passing);
    })
}
