//! Step 4: what changed.

use std::time::Duration;

use protocol::aecs::wire::{Component, FromServer};

use super::super::{
    GAME_CHANGES,
    test_client::{DOWN, FIRE, RIGHT, TestClient},
    type_of,
};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, either, ensure, failed, must, reading},
    trial::Trial,
};

const LISTENING: Duration = Duration::from_secs(2);

pub const CASES: &[Case] = &[
    must(
        [
            "4-1",
            "GAME_CHANGES come in each tick",
            "",
            "At the end of each game tick, the server will send a GAME_CHANGES packet to every client",
            "Clients show what the last one says. Fewer than 20 a second and everything jumps.",
        ],
        rate,
    ),
    must(
        [
            "4-2",
            "GAME_CHANGES can be read to their last byte",
            "A1",
            "This packet contains the number of changes, followed by the changes themselves.",
            "Change count, number of entities and all data sizes must agree with the bytes that follow.",
        ],
        well_formed,
    ),
    must(
        [
            "4-3",
            "ticks never go back",
            "",
            "which contains the entity that changed during that game tick along with the game tick",
            "Clients skip what is older than what they have. A tick that goes back is never shown.",
        ],
        ticks_rise,
    ),
    must(
        [
            "4-4",
            "what is not confirmed is sent again",
            "A3",
            "if the server has not received a CLIENT_PONG packet from a client for one of the last game changes it sent, it will send these changes again",
            "Keep every change until a CLIENT_PONG of its tick, or a later one, comes.",
        ],
        unconfirmed,
    ),
    must(
        [
            "4-5",
            "what is confirmed is not sent again",
            "A3",
            "if the server has not received a CLIENT_PONG packet … it will send these changes again",
            "A CLIENT_PONG confirms all up to its tick. Otherwise your packets grow without end.",
        ],
        confirmed,
    ),
    must(
        [
            "4-6",
            "what is gone is removed with data size 0",
            "",
            "If the entity has to be removed, `data size` will be `0`, and `components` will be empty.",
            "Every entity that appeared must eventually be removed, including what flies off the screen.",
        ],
        removed,
    ),
    reading(
        [
            "4-7",
            "an entity in a change carries all its components",
            "A3",
            "Each change is a GAME_STATE packet, restricted to the entities that changed.",
            "The entities are restricted, not their components. A client replaces what it knew.",
        ],
        all_components,
    ),
    must(
        [
            "4-8",
            "players see each other",
            "C1",
            "the server will send a GAME_CHANGES packet to every client",
            "All clients of a game are sent the same entities.",
        ],
        players_meet,
    )
    .alone(),
    must(
        [
            "4-9",
            "floats are little-endian",
            "A1",
            "Components … data",
            "A float in the wrong order is a number near zero, or a huge one.",
        ],
        floats,
    ),
];

/// How many GAME_CHANGES come in two seconds.
fn count(t: &mut Trial, client: &mut TestClient) -> usize {
    let mut count = 0;
    client.look(t, LISTENING, |_, bytes| {
        count += usize::from(type_of(bytes) == Some(GAME_CHANGES));
        None::<()>
    });
    count
}

fn rate(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    // Something changes in each tick.
    let keys = [[RIGHT], [super::super::test_client::LEFT]];
    let mut sum = 0;
    for key in keys {
        client.hold(t, &key);
        sum += count(t, &mut client);
    }
    ensure((80..=600).contains(&sum), || format!("{sum} GAME_CHANGES came in 4 s"))?;
    PASSED
}

/// Looks at what comes to a player who flies; what is found is a fault.
fn listen(t: &mut Trial, mut look: impl FnMut(&[u8]) -> Option<String>) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.hold(t, &[RIGHT]);
    match client.look(t, LISTENING, |_, bytes| look(bytes)) {
        Some(why) => Err(Stop::Failed(why)),
        None => PASSED,
    }
}

fn well_formed(t: &mut Trial) -> Outcome {
    listen(t, |bytes| {
        let is_whole =
            bytes.first_chunk().is_some_and(|size| usize::from(u16::from_le_bytes(*size)) + 2 == bytes.len());
        let why = FromServer::read(bytes).err().filter(|_| type_of(bytes) == Some(GAME_CHANGES) && is_whole)?;
        Some(format!("a GAME_CHANGES of {} bytes cannot be read: {why:?}", bytes.len()))
    })
}

fn ticks_rise(t: &mut Trial) -> Outcome {
    let mut newest: Option<u32> = None;
    listen(t, |bytes| {
        let Ok(FromServer::GameChanges { changes }) = FromServer::read(bytes) else { return None };
        let last = changes.iter().last()?.tick;
        let before = newest.unwrap_or(last);
        newest = Some(if last.wrapping_sub(before) as i32 > 0 { last } else { before });
        // The network may have put two datagrams in another order.
        (before.wrapping_sub(last) as i32 > 30).then(|| format!("after tick {before} came {last}"))
    })
}

/// Whether any of the GAME_CHANGES of the next half second names the client's ship.
fn names_own(t: &mut Trial, client: &mut TestClient) -> bool {
    let own = client.own();
    let named = client.look(t, Duration::from_millis(500), |_, bytes| match FromServer::read(bytes) {
        Ok(FromServer::GameChanges { changes }) => {
            let is_own = |change: protocol::aecs::wire::GameState| {
                change.entities.iter().any(|entity| Some(entity.entity_id) == own)
            };
            changes.iter().any(is_own).then_some(())
        }
        _ => None,
    });
    named.is_some()
}

/// A player whose ship flew and stands still again.
fn at_rest(t: &mut Trial, confirms: bool) -> Result<TestClient, Stop> {
    let mut client = TestClient::join(t)?;
    client.confirms = confirms;
    client.hold(t, &[DOWN]);
    client.wait(t, Duration::from_millis(200));
    client.hold(t, &[]);
    client.wait(t, Duration::from_millis(700));
    Ok(client)
}

fn unconfirmed(t: &mut Trial) -> Outcome {
    let mut client = at_rest(t, false)?;
    ensure(names_own(t, &mut client), || {
        "the ship moved, nothing was confirmed, and GAME_CHANGES do not hold it any more".into()
    })?;
    PASSED
}

fn confirmed(t: &mut Trial) -> Outcome {
    let mut client = at_rest(t, true)?;
    let is_named = (0..3).all(|_| names_own(t, &mut client));
    ensure(!is_named, || "the ship stands still, all is confirmed, and GAME_CHANGES hold it all the same".into())?;
    PASSED
}

/// Fires for some seconds, looking at everything.
fn fire<T>(
    t: &mut Trial,
    client: &mut TestClient,
    seconds: u32,
    mut look: impl FnMut(&[u8]) -> Option<T>,
) -> Option<T> {
    (0..seconds * 2).find_map(|_| {
        client.hold(t, &[FIRE]);
        let found = client.look(t, Duration::from_millis(120), |_, bytes| look(bytes));
        client.hold(t, &[]);
        found.or_else(|| client.look(t, Duration::from_millis(380), |_, bytes| look(bytes)))
    })
}

fn removed(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let mut appeared = 0;
    let gone = fire(t, &mut client, 6, |bytes| {
        let Ok(FromServer::GameChanges { changes }) = FromServer::read(bytes) else { return None };
        changes.iter().flat_map(|change| change.entities.iter()).find_map(|entity| {
            let is_shot = |component: Component| matches!(component, Component::Kind(10..=29));
            appeared += usize::from(entity.components.iter().any(is_shot));
            entity.is_removed().then_some(())
        })
    });
    match (gone, appeared) {
        (Some(()), _) => PASSED,
        (None, 0) => Err(Stop::Blocked("the player fired, and no shot appeared".into())),
        (None, _) => failed("the player fired for 6 s, and nothing was ever removed"),
    }
}

fn all_components(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let own = client.own().unwrap_or_default();
    let before = client.entities.get(&own).cloned().unwrap_or_default().components;
    client.hold(t, &[RIGHT]);
    client.wait(t, Duration::from_millis(500));
    let after = client.entities.get(&own).cloned().unwrap_or_default().components;
    let missing: Vec<u16> = before.into_iter().filter(|id| !after.contains(id)).collect();
    either(missing.is_empty(), "an entity carries all its components", "an entity carries only what changed")
}

fn players_meet(t: &mut Trial) -> Outcome {
    let mut first = TestClient::join(t)?;
    let second = TestClient::join(t)?;
    let patience = t.patience();
    let is_second = |client: &TestClient| {
        client.entities.values().any(|known| known.kind == 1 && known.seat == Some(second.client_id))
    };
    let met = is_second(&first) || first.look(t, patience, |client, _| is_second(client).then_some(())).is_some();
    ensure(met, || "the first player is not told of the ship of the second".into())?;
    PASSED
}

fn floats(t: &mut Trial) -> Outcome {
    let is_sane = |value: f32| value == 0.0 || (1e-3..1e6).contains(&value.abs());
    listen(t, |bytes| {
        let Ok(FromServer::GameChanges { changes }) = FromServer::read(bytes) else { return None };
        let mut components =
            changes.iter().flat_map(|change| change.entities.iter()).flat_map(|entity| entity.components.iter());
        components.find_map(|component| match component {
            Component::Position { x, y } | Component::Velocity { x, y } if !is_sane(x) || !is_sane(y) => {
                Some(format!("an entity has {component:?}"))
            }
            _ => None,
        })
    })
}
