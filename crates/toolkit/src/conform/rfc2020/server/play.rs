//! Sections 4.2 to 4.10: what there is, and what players do.

use std::{collections::BTreeMap, time::Duration};

use super::super::{
    CHARGE, DESTROY, MOVE, POSITION, SHOOT, SPAWN, body_of, entity_of, kind_of, raw, test_client::TestClient,
};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, either, ensure, failed, must, reading, should},
    trial::Trial,
};

const FLIGHT: Duration = Duration::from_millis(400);
const UP: u8 = 0;
const LEFT: u8 = 1;
const DOWN: u8 = 2;
const RIGHT: u8 = 3;

pub const CASES: &[Case] = &[
    must(
        [
            "4.2-1",
            "POSITION names what was spawned",
            "",
            "Must send an entity's new position",
            "A client can do nothing with the id of something that it was never told of.",
        ],
        known_ids,
    ),
    must(
        [
            "4.2-2",
            "POSITION has 24 bytes of body",
            "R1",
            "ENTITY_ID 8 bytes, X_COORDINATE 8 bytes, Y_COORDINATE 8 bytes",
            "Coordinates are signed integers of 8 bytes, big-endian.",
        ],
        position_size,
    ),
    must(
        [
            "4.2-3",
            "what moves is reported",
            "R12",
            "Must send an entity's new position",
            "Ships and shots each tick, other things every second one.",
        ],
        position_rate,
    ),
    must(
        ["4.3-1", "MOVE flies the ship", "", "DIRECTION: 0: up, 1: left, 2: down, 3: right", "y grows downwards."],
        directions,
    ),
    must(
        [
            "4.3-2",
            "MOVE with STATE 0 stops the ship",
            "",
            "STATE: boolean describing the state of the movement (ON or OFF)",
            "Keep for each player which directions are on.",
        ],
        stops,
    ),
    reading(
        [
            "4.3-3",
            "MOVE of another player's ENTITY_ID moves nothing",
            "R11",
            "ENTITY_ID: entity unique identifier of the corresponding player",
            "The address says who it is. Confirm, and do nothing.",
        ],
        foreign_id,
    ),
    must(
        [
            "4.3-4",
            "MOVE with an unknown DIRECTION is dropped",
            "C7",
            "DIRECTION: 0: up, 1: left, 2: down, 3: right",
            "One byte has 256 values; four of them mean something.",
        ],
        odd_direction,
    ),
    must(
        [
            "4.4-1",
            "ENTITY_JSON is a JSON object that ends with a NUL",
            "R8",
            "ENTITY_JSON | until '\\0'",
            "`kind`, `x` and `y` are always there (R8). The NUL is part of the body.",
        ],
        json,
    ),
    must(
        [
            "4.4-2",
            "SPAWN is sent again until it is confirmed",
            "R2",
            "SPAWN … Need confirmation: Yes",
            "A client that never hears of an entity is hit by something that it cannot see.",
        ],
        spawn_is_repeated,
    ),
    should(
        [
            "4.4-3",
            "a client's own ship is spawned too",
            "R8",
            "Must tell the client a new entity has spawned",
            "JOIN's answer gives its id and place; SPAWN gives the rest.",
        ],
        own_ship,
    ),
    must(
        [
            "4.5-1",
            "a shot that is gone is destroyed",
            "",
            "Must tell the client to destroy a given entity",
            "Every SPAWN has its DESTROY, also for what flies off the screen.",
        ],
        shot_is_destroyed,
    ),
    must(
        [
            "4.5-2",
            "DESTROY is sent again until it is confirmed",
            "R2",
            "DESTROY … Need confirmation: Yes",
            "If it is lost, the entity stays on that one screen for good.",
        ],
        destroy_is_repeated,
    ),
    must(
        ["4.8-1", "CHARGE is confirmed", "", "CHARGE … Need confirmation: Yes", "A client sends it again until it is."],
        charge,
    ),
    must(
        [
            "4.9-1",
            "SHOOT is answered with IS_VALID and an ENTITY_ID",
            "R9",
            "Must give the entity id to assign to the shot",
            "Nine bytes. Ids of shots are above 3, which are the players'.",
        ],
        shoot,
    ),
    must(
        [
            "4.9-2",
            "a valid shot is spawned under the id that was answered",
            "R9",
            "Must give the entity id to assign to the shot",
            "The shooter knows its shot by this id before SPAWN comes.",
        ],
        shot_has_its_id,
    ),
];

/// Looks at what comes to a player who flies and shoots; what is found is a fault.
fn listen(t: &mut Trial, mut look: impl FnMut(&TestClient, &[u8]) -> Option<String>) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.fly(t, RIGHT, 1);
    match client.look(t, Duration::from_secs(2), |client, bytes| look(client, bytes)) {
        Some(why) => Err(Stop::Failed(why)),
        None => PASSED,
    }
}

fn known_ids(t: &mut Trial) -> Outcome {
    let mut strange: BTreeMap<u64, usize> = BTreeMap::new();
    listen(t, |client, bytes| {
        let id = entity_of(bytes).filter(|_| kind_of(bytes) == Some(POSITION))?;
        if id <= 3 || client.spawned.contains_key(&id) {
            strange.remove(&id);
        } else {
            *strange.entry(id).or_default() += 1;
        }
        None
    })?;
    match strange.iter().find(|(_, times)| **times > 20) {
        None => PASSED,
        Some((id, times)) => failed(format!("POSITION of entity {id} came {times} times, and no SPAWN of it")),
    }
}

fn position_size(t: &mut Trial) -> Outcome {
    listen(t, |_, bytes| {
        let size = body_of(bytes).len();
        (kind_of(bytes) == Some(POSITION) && size != 24).then(|| format!("a POSITION has {size} bytes of body"))
    })
}

fn position_rate(t: &mut Trial) -> Outcome {
    let mut count = 0;
    let mut client = TestClient::join(t)?;
    client.fly(t, RIGHT, 1);
    let id = client.id;
    client.look(t, Duration::from_secs(1), |_, bytes| {
        count += usize::from(kind_of(bytes) == Some(POSITION) && entity_of(bytes) == Some(id));
        None::<()>
    });
    ensure(count >= 10, || format!("a ship that flew for a second was given {count} positions"))?;
    PASSED
}

fn directions(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let left: fn((i64, i64)) -> bool = |(x, _)| x < -1;
    type Moved = fn((i64, i64)) -> bool;
    let wanted: [(u8, &str, Moved); 4] = [
        (LEFT, "left", left),
        (DOWN, "down", |(_, y)| y > 1),
        (UP, "up", |(_, y)| y < -1),
        (RIGHT, "right", |(x, _)| x > 1),
    ];
    for (direction, name, is_right) in wanted {
        client.fly(t, direction, 1);
        let way = client.flown(t, FLIGHT)?;
        ensure(is_right(way), || format!("with DIRECTION {direction} ({name}) the ship flew {way:?}"))?;
        client.fly(t, direction, 0);
        client.wait(t, Duration::from_millis(200));
    }
    PASSED
}

fn stops(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.fly(t, RIGHT, 1);
    let (x, _) = client.flown(t, FLIGHT)?;
    ensure(x > 1, || "the ship does not fly".into()).map_err(Stop::in_the_way)?;
    client.fly(t, RIGHT, 0);
    client.wait(t, Duration::from_millis(600));
    let (x, _) = client.flown(t, FLIGHT)?;
    ensure(x <= 1, || format!("after STATE 0 the ship flew on by {x}"))?;
    PASSED
}

fn foreign_id(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let other = (client.id + 1) % 4;
    client.request(t, MOVE, &[&other.to_be_bytes()[..], &[DOWN, 1]].concat());
    let (_, y) = client.flown(t, FLIGHT)?;
    either(y.abs() <= 1, "it is ignored", "it moves the sender's own ship")
}

fn odd_direction(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let bytes = raw(MOVE, client.stamp(t), &[&client.id.to_be_bytes()[..], &[9, 1]].concat());
    ensure(!client.is_answered(t, &bytes), || "a MOVE with DIRECTION 9 was confirmed".into())?;
    client.expect_life(t)?;
    PASSED
}

/// Shoots for some seconds, looking at everything.
fn fire<T>(
    t: &mut Trial,
    client: &mut TestClient,
    seconds: u32,
    mut look: impl FnMut(&[u8]) -> Option<T>,
) -> Option<T> {
    (0..seconds * 2).find_map(|_| {
        let bytes = raw(SHOOT, client.stamp(t), &client.id.to_be_bytes());
        t.send(client.line, &bytes);
        client.look(t, Duration::from_millis(500), |_, bytes| look(bytes))
    })
}

fn json(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let wrong = fire(t, &mut client, 2, |bytes| {
        let text = body_of(bytes).get(8..).filter(|_| kind_of(bytes) == Some(SPAWN))?;
        let Some((0, json)) = text.split_last() else { return Some("ENTITY_JSON does not end with a NUL".to_owned()) };
        let value: Result<serde_json::Value, _> = serde_json::from_slice(json);
        let has = |key: &str| value.as_ref().is_ok_and(|value| value.get(key).is_some());
        (!["kind", "x", "y"].iter().all(|key| has(key)))
            .then(|| format!("ENTITY_JSON is {:?}", String::from_utf8_lossy(json)))
    });
    match wrong {
        None => PASSED,
        Some(why) => failed(why),
    }
}

/// Expects that a request of the server comes again with the same bytes if it is not confirmed.
fn is_repeated(t: &mut Trial, method: u8) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.silent_about = vec![method];
    let mut seen = std::collections::BTreeSet::new();
    let again =
        fire(t, &mut client, 6, |bytes| (kind_of(bytes) == Some(method) && !seen.insert(bytes.to_vec())).then_some(()));
    ensure(!seen.is_empty(), || format!("no request of METHOD {method} came")).map_err(Stop::in_the_way)?;
    ensure(again.is_some(), || {
        format!("{} requests of METHOD {method} were not confirmed, and none came again", seen.len())
    })?;
    PASSED
}

fn spawn_is_repeated(t: &mut Trial) -> Outcome {
    is_repeated(t, SPAWN)
}

fn destroy_is_repeated(t: &mut Trial) -> Outcome {
    is_repeated(t, DESTROY)
}

fn own_ship(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let patience = t.patience();
    let id = client.id;
    let has = |client: &TestClient| client.spawned.contains_key(&id);
    let seen = has(&client) || client.look(t, patience, |client, _| has(client).then_some(())).is_some();
    ensure(seen, || format!("no SPAWN of entity {id} came, which is our own ship"))?;
    PASSED
}

fn shot_is_destroyed(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let mut shots = Vec::new();
    let gone = fire(t, &mut client, 6, |bytes| {
        let id = entity_of(bytes)?;
        if kind_of(bytes) == Some(SPAWN) && String::from_utf8_lossy(body_of(bytes)).contains("shot") {
            shots.push(id);
        }
        (kind_of(bytes) == Some(DESTROY) && shots.contains(&id)).then_some(())
    });
    match (gone, shots.len()) {
        (Some(()), _) => PASSED,
        (None, 0) => Err(Stop::Blocked("the player shot, and no shot was spawned".into())),
        (None, _) => failed("the player shot for 6 s, and no shot was ever destroyed"),
    }
}

fn charge(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let id = client.id.to_be_bytes();
    ensure(client.request(t, CHARGE, &id).is_some(), || "CHARGE is not confirmed".into())?;
    PASSED
}

/// The ENTITY_ID of a shot that was valid.
fn valid_shot(t: &mut Trial, client: &mut TestClient) -> Result<u64, Stop> {
    let id = client.id.to_be_bytes();
    let mut last = Vec::new();
    for _ in 0..4 {
        let answer = client.request(t, SHOOT, &id).ok_or_else(|| Stop::Blocked("SHOOT is not confirmed".into()))?;
        last = body_of(&answer).to_vec();
        if let [1, shot @ ..] = &last[..]
            && let Ok(shot) = shot.try_into()
        {
            return Ok(u64::from_be_bytes(shot));
        }
        client.wait(t, Duration::from_millis(500));
    }
    failed(format!("SHOOT was answered with the body {last:02x?}"))
}

fn shoot(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let shot = valid_shot(t, &mut client)?;
    ensure(shot > 3, || format!("the shot has ENTITY_ID {shot}, which is a player's"))?;
    PASSED
}

fn shot_has_its_id(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let shot = valid_shot(t, &mut client).map_err(Stop::in_the_way)?;
    let patience = t.patience();
    let has = |client: &TestClient| client.spawned.contains_key(&shot) || shot <= 3;
    let seen = has(&client) || client.look(t, patience, |client, _| has(client).then_some(())).is_some();
    ensure(seen, || format!("SHOOT was answered with entity {shot}, and no SPAWN of it came"))?;
    PASSED
}
