//! Section 2.2: instructions.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use protocol::typeuh::{
    component::{Component, ComponentName},
    wire::Instruction,
};

use super::super::{
    Fault,
    test_client::{DatagramContent, FIRE, TestClient},
};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, ensure, failed, must, should},
    trial::Trial,
};

/// How long a case listens to an ordinary game.
const LISTENING: Duration = Duration::from_secs(2);
/// Bytes of a datagram that every network carries whole (ruling C2).
const DATAGRAM_MAX: usize = 1_200;
/// The Kind of a ship (docs/protocols/kinds.md).
const SHIP: u16 = 1;

pub const CASES: &[Case] = &[
    must(
        [
            "2.2-1",
            "a datagram holds whole instructions",
            "T3",
            "allows the client to know for sure the number of bytes of each instruction",
            "A datagram that is lost must not tear an instruction apart. Begin the next datagram before one that does not fit.",
        ],
        whole,
    ),
    must(
        [
            "2.2-2",
            "opcodes are 0 to 4",
            "T3",
            "Instruction table: Create entity 0x0 … Detach component 0x4",
            "After an unknown opcode a client cannot know where the next one begins, and drops the rest.",
        ],
        opcodes,
    ),
    must(
        [
            "2.2-3",
            "only components of the initialisation are used",
            "T3",
            "the names of all components that may be used during the game",
            "Their number is their place in the initialisation, from 0. The client must know how long each one is.",
        ],
        components,
    ),
    must(
        [
            "2.2-4",
            "an entity is created before it is updated",
            "",
            "This entity will later be referred to by its `entity_id` by the server",
            "A client can do nothing with the id of something that was never created.",
        ],
        created_first,
    ),
    must(
        [
            "2.2-5",
            "a component is attached before it is updated",
            "",
            "This instruction informs the client about the update of a specific component attached to a specific entity.",
            "Attach it once, when the entity gets it; then update it.",
        ],
        attached_first,
    ),
    must(
        [
            "2.2-6",
            "what is gone is deleted",
            "",
            "This instruction informs the client that an entity is deleted from the ECS.",
            "Every creation has its deletion, also for what flies off the screen.",
        ],
        deleted,
    ),
    should(
        [
            "2.2-7",
            "a deletion is said again",
            "T5",
            "0x1 - Delete entity",
            "Nothing is acknowledged. A deletion that is lost leaves a ghost; say it again for a second.",
        ],
        deleted_again,
    ),
    should(
        [
            "2.2-8",
            "all entities are said again each second",
            "T5",
            "the server only notifies of updates instead of dumping all info of all entities each frame",
            "Nothing is acknowledged. Spread the entities over a second, and say each one again in full.",
        ],
        said_again,
    ),
    must(
        [
            "2.2-9",
            "floats are big-endian",
            "T4",
            "Integers types are sent as in network byte order, i.e. big endian.",
            "A float in the wrong order is a number near zero, or a huge one.",
        ],
        floats,
    ),
    should(
        [
            "2.2-10",
            "one entity is the player's own",
            "T4",
            "components being attached to entities",
            "A client must know which ship it flies: attach `Own` to that one, for its player only.",
        ],
        own,
    ),
    must(
        [
            "2.2-11",
            "players see each other",
            "C1",
            "The server informs the client about all ECS updates",
            "There is one ECS for all clients of a game.",
        ],
        players_meet,
    )
    .alone(),
    should(
        [
            "2.2-12",
            "no datagram is larger than 1,200 bytes",
            "C2",
            "communication is always made through UDP sockets",
            "Larger datagrams are cut into fragments, and many networks drop those.",
        ],
        size,
    ),
    should(
        [
            "2.2-13",
            "a client's own ship has lives",
            "T4",
            "Components' internal state being updated",
            "`Lives` sits on the ship; without it a player cannot see how many are left.",
        ],
        lives,
    ),
    should(
        [
            "2.2-14",
            "the score and the state of the game are sent",
            "T4",
            "Components' internal state being updated",
            "`Score` and `Game` sit on an entity of their own, which has nothing else.",
        ],
        score,
    ),
    must(
        [
            "2.2-15",
            "what moves is updated",
            "",
            "This way, the server only notifies of updates",
            "Compare each component with what you said last, and say what changed, in each tick.",
        ],
        moving_is_updated,
    ),
];

/// Looks at what comes to a player for a while; what is found is a fault.
fn listen(t: &mut Trial, mut look: impl FnMut(&DatagramContent) -> Option<String>) -> Outcome {
    let mut client = TestClient::enter(t)?;
    match client.look(t, LISTENING, |_, said| look(said)) {
        Some(why) => Err(Stop::Failed(why)),
        None => {
            ensure(!client.entities.is_empty(), || "no entity was told of".into()).map_err(Stop::in_the_way)?;
            PASSED
        }
    }
}

fn whole(t: &mut Trial) -> Outcome {
    listen(t, |said| {
        (said.fault == Some(Fault::Short))
            .then(|| format!("a datagram of {} bytes ends within an instruction", said.bytes.len()))
    })
}

fn opcodes(t: &mut Trial) -> Outcome {
    listen(t, |said| match said.fault {
        Some(Fault::UnknownOpcode(opcode)) => Some(format!("opcode {opcode:#04x} came")),
        _ => None,
    })
}

fn components(t: &mut Trial) -> Outcome {
    listen(t, |said| match said.fault {
        Some(Fault::UnknownComponent(id)) => Some(format!("an update of component {id} came, whose name is not known")),
        _ => None,
    })
}

/// Fires for some seconds, looking at everything.
fn fire<T>(
    t: &mut Trial,
    client: &mut TestClient,
    seconds: u32,
    mut look: impl FnMut(&mut TestClient, &DatagramContent) -> Option<T>,
) -> Option<T> {
    (0..seconds * 2).find_map(|_| {
        client.keys(t, &[FIRE, FIRE + 1]);
        client.look(t, Duration::from_millis(500), &mut look)
    })
}

fn created_first(t: &mut Trial) -> Outcome {
    let mut client = TestClient::enter(t)?;
    let mut created = BTreeSet::new();
    let mut strange: BTreeMap<u16, usize> = BTreeMap::new();
    fire(t, &mut client, 3, |_, said| {
        for instruction in &said.instructions {
            match *instruction {
                Instruction::CreateEntity { entity_id } => {
                    created.insert(entity_id);
                    strange.remove(&entity_id);
                }
                Instruction::UpdateComponent { entity_id, .. } if !created.contains(&entity_id) => {
                    *strange.entry(entity_id).or_default() += 1;
                }
                _ => {}
            }
        }
        None::<()>
    });
    match strange.iter().find(|(_, times)| **times > 20) {
        None => PASSED,
        Some((id, times)) => failed(format!("entity {id} was updated {times} times, and never created")),
    }
}

fn attached_first(t: &mut Trial) -> Outcome {
    let mut client = TestClient::enter(t)?;
    let mut attached = BTreeSet::new();
    let mut updated = BTreeSet::new();
    client.look(t, LISTENING, |_, said| {
        for instruction in &said.instructions {
            match *instruction {
                Instruction::AttachComponent { entity_id, component_id } => {
                    _ = attached.insert((entity_id, component_id))
                }
                Instruction::UpdateComponent { entity_id, component_id, .. } => {
                    _ = updated.insert((entity_id, component_id))
                }
                _ => {}
            }
        }
        None::<()>
    });
    ensure(!updated.is_empty(), || "nothing was updated".into()).map_err(Stop::in_the_way)?;
    // A datagram may be lost; most are not.
    let missing = updated.difference(&attached).count();
    ensure(missing * 2 <= updated.len(), || {
        format!("of {} components that were updated, {missing} were never attached", updated.len())
    })?;
    PASSED
}

/// Entities that were deleted while the player fired, and how often.
fn deletions(t: &mut Trial) -> Result<(usize, BTreeMap<u16, usize>), Stop> {
    let mut client = TestClient::join(t)?;
    let (mut created, mut deleted) = (0, BTreeMap::new());
    fire(t, &mut client, 5, |_, said| {
        for instruction in &said.instructions {
            match *instruction {
                Instruction::CreateEntity { .. } => created += 1,
                Instruction::DeleteEntity { entity_id } => *deleted.entry(entity_id).or_default() += 1,
                _ => {}
            }
        }
        None::<()>
    });
    Ok((created, deleted))
}

fn deleted(t: &mut Trial) -> Outcome {
    let (created, deleted) = deletions(t)?;
    ensure(created > 0, || "the player fired, and nothing was created".into()).map_err(Stop::in_the_way)?;
    ensure(!deleted.is_empty(), || "the player fired for 5 s, and nothing was ever deleted".into())?;
    PASSED
}

fn deleted_again(t: &mut Trial) -> Outcome {
    let (_, deleted) = deletions(t)?;
    ensure(!deleted.is_empty(), || "nothing was deleted".into()).map_err(Stop::in_the_way)?;
    let most = deleted.values().max().copied().unwrap_or(0);
    ensure(most >= 3, || format!("a deletion was said {most} times at most"))?;
    PASSED
}

fn said_again(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let own = client.own();
    let again = client.look(t, Duration::from_millis(2_500), |_, said| {
        let is_own = |instruction: &Instruction| {
            matches!(instruction, Instruction::CreateEntity { entity_id } if Some(*entity_id) == own)
        };
        said.instructions.iter().any(is_own).then_some(())
    });
    ensure(again.is_some(), || "our ship was not created again within 2.5 s".into())?;
    PASSED
}

fn floats(t: &mut Trial) -> Outcome {
    let is_sane = |value: f32| value == 0.0 || (1e-3..1e6).contains(&value.abs());
    let mut client = TestClient::enter(t)?;
    client.keys(t, &[0]);
    let odd = client.look(t, LISTENING, |_, said| {
        said.instructions.iter().find_map(|instruction| {
            let Instruction::UpdateComponent { entity_id, component_data, .. } = instruction else { return None };
            let numbers = match component_data {
                Component::Position { x, y } | Component::Velocity { x, y } => [*x, *y],
                _ => return None,
            };
            (!numbers.into_iter().all(is_sane)).then(|| format!("entity {entity_id} has {component_data:?}"))
        })
    });
    odd.map_or(PASSED, |why| Err(Stop::Failed(why)))
}

fn own(t: &mut Trial) -> Outcome {
    let mut client = TestClient::enter(t)?;
    client.wait(t, LISTENING);
    ensure(!client.entities.is_empty(), || "no entity was told of".into()).map_err(Stop::in_the_way)?;
    let owned = client.entities.values().filter(|components| components.contains_key(&ComponentName::Own)).count();
    ensure(owned == 1, || format!("{owned} entities have Own"))?;
    PASSED
}

fn players_meet(t: &mut Trial) -> Outcome {
    let mut first = TestClient::join(t)?;
    let _second = TestClient::join(t)?;
    let patience = t.patience();
    let two = first.look(t, patience, |client, _| (client.of_kind(SHIP).len() >= 2).then_some(()));
    ensure(two.is_some(), || "the first player sees one ship, though there are two players".into())?;
    PASSED
}

fn size(t: &mut Trial) -> Outcome {
    listen(t, |said| {
        (said.bytes.len() > DATAGRAM_MAX).then(|| format!("a datagram of {} bytes came", said.bytes.len()))
    })
}

/// Expects that some entity has a component.
fn is_told(t: &mut Trial, wanted: ComponentName) -> Outcome {
    let mut client = TestClient::enter(t)?;
    let has = |client: &TestClient| client.entities.values().any(|components| components.contains_key(&wanted));
    let told = client.look(t, LISTENING, |client, _| has(client).then_some(()));
    ensure(!client.entities.is_empty(), || "no entity was told of".into()).map_err(Stop::in_the_way)?;
    ensure(told.is_some(), || format!("no entity has {}", wanted.as_str()))?;
    PASSED
}

fn lives(t: &mut Trial) -> Outcome {
    is_told(t, ComponentName::Lives)
}

fn score(t: &mut Trial) -> Outcome {
    is_told(t, ComponentName::Score)?;
    PASSED
}

fn moving_is_updated(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let own = client.own();
    client.keys(t, &[0]);
    let mut updates = 0;
    client.look(t, Duration::from_secs(1), |_, said| {
        let is_it = |instruction: &&Instruction| {
            matches!(instruction, Instruction::UpdateComponent { entity_id, component_data: Component::Position { .. }, .. } if Some(*entity_id) == own)
        };
        updates += said.instructions.iter().filter(is_it).count();
        None::<()>
    });
    ensure(updates >= 10, || format!("a ship that flew for a second was given {updates} positions"))?;
    PASSED
}
