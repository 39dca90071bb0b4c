//! Sections 5.5 to 5.8: what there is, where it is, and what is known of it.

use std::{collections::BTreeMap, time::Duration};

use protocol::rfc53952::wire::{FromServer, HEADER_SIZE, Packet};

use super::super::{test_client::TestClient, type_of};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, ensure, failed, must, reading, reads, should},
    trial::Trial,
};

pub const CASES: &[Case] = &[
    must(
        [
            "5.5-1",
            "a ship is created within the field",
            "F1 C3",
            "x: position x on the screen where the entity is created.",
            "x and y are floats of four bytes, little-endian, in pixels from the top left. A wild number is a float in the wrong order, or an integer.",
        ],
        ship_is_in_the_field,
    ),
    must(
        [
            "5.5-2",
            "a Network Id is never used twice",
            "F4",
            "Network Id: Id of the entity to create in the Network. (could cause issues if it was based on ECS ids)",
            "Count up. A packet of the old entity that comes late would otherwise move or destroy the new one.",
        ],
        ids_are_not_reused,
    ),
    must(
        [
            "5.5-3",
            "CreateEntity is sent again until it is validated",
            "F4",
            "Every packets needs validation.",
            "A client that never hears of an entity is hit by something that it cannot see. Keep each CreateEntity, and send the same bytes again.",
        ],
        create_is_repeated,
    ),
    should(
        [
            "5.5-4",
            "a prefab path is text without a terminator",
            "F2",
            "Entity prefab path | 8 * length",
            "Datasize tells where the text ends. A NUL at the end is taken for a part of the name by clients that do not expect it.",
        ],
        path_is_text,
    ),
    must(
        [
            "5.6-1",
            "a shot that is gone is destroyed",
            "",
            "To stop the display of an entity for all the client, the server must send a 'DestroyEntity' packet to associated clients.",
            "Every CreateEntity has its DestroyEntity, also for what flies off the screen; else clients fill up with what is not there.",
        ],
        shot_is_destroyed,
    ),
    must(
        [
            "5.6-2",
            "DestroyEntity is sent again until it is validated",
            "F4",
            "Every packets needs validation.",
            "If it is lost, the entity stays on that one screen for good. Keep it until it is validated.",
        ],
        destroy_is_repeated,
    ),
    reading(
        [
            "5.7-1",
            "what MoveEntity's direction is",
            "F8",
            "direction x: direction of the entity on x axis.",
            "A direction can have any length. By ruling F8 it is the velocity in units a second, so that clients can move things in between.",
        ],
        direction,
    ),
    must(
        [
            "5.7-2",
            "MoveEntity names what was created",
            "",
            "Network Id: Id of the entity to move in the Network.",
            "A client can do nothing with the id of something that it was never told of. Create first; use the network id, not that of your ECS.",
        ],
        moves_name_known,
    ),
    should(
        [
            "5.8-1",
            "the lives of a ship are sent as `lives = N`",
            "F7",
            "if the server want to update a score, it sends 'UpdateEntity' packet with \"score = value\" as description.",
            "The document's one example has a key, ` = ` and a value. Keep to it for everything: key, equals sign, value.",
        ],
        lives,
    ),
    must(
        [
            "5.8-2",
            "UpdateEntity is sent again until it is validated",
            "F4",
            "Every packets needs validation.",
            "A score that is lost once stays wrong. Keep each UpdateEntity until it is validated.",
        ],
        update_is_repeated,
    ),
    should(
        [
            "5.8-3",
            "`own = 1` is sent for one ship only",
            "F7",
            "UpdateEntity … Description: Precision of an action.",
            "It is how a client finds its own ship. Send it to the ship's own player and to nobody else.",
        ],
        one_own_ship,
    ),
    must(
        [
            "5.8-4",
            "the score is sent as `score = N` of entity 0",
            "F7",
            "if the server want to update a score, it sends 'UpdateEntity' packet with \"score = value\" as description.",
            "It is the document's own example. By ruling F7 what belongs to the whole game names entity 0.",
        ],
        score,
    ),
    reading(
        [
            "5.5-5",
            "the order of the fields of CreateEntity",
            "F3",
            "Network Id, Entity prefab path, Position x, Position y",
            "The path has no length of its own. By ruling F3 it stands where the document has it, between the id and the position.",
        ],
        create_order,
    ),
];

fn ship_is_in_the_field(t: &mut Trial) -> Outcome {
    let mut client = TestClient::enter(t)?;
    let patience = t.patience();
    let place = client.look(t, patience, |_, bytes| match Packet::<FromServer>::read(bytes).ok()?.data {
        FromServer::CreateEntity { entity_prefab_path, x, y, .. } if entity_prefab_path.as_str().contains("player") => {
            Some((x, y))
        }
        _ => None,
    });
    let (x, y) = place.ok_or_else(|| Stop::Blocked("no CreateEntity of a ship came".into()))?;
    let is_near = |value: f32| (1.0..8_192.0).contains(&value);
    ensure(is_near(x) && is_near(y), || format!("the ship was created at ({x}, {y})"))?;
    PASSED
}

/// What the server says of shots while the player fires, for this long.
fn fire<T>(
    t: &mut Trial,
    client: &mut TestClient,
    seconds: u64,
    mut look: impl FnMut(&mut TestClient, &[u8]) -> Option<T>,
) -> Option<T> {
    let shots = seconds * 2;
    (0..shots).find_map(|_| {
        client.event(t, 2, "");
        client.look(t, Duration::from_millis(500), &mut look)
    })
}

fn ids_are_not_reused(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let mut paths: BTreeMap<u32, String> = BTreeMap::new();
    let mut destroyed: BTreeMap<u32, u64> = BTreeMap::new();
    let reused = fire(t, &mut client, 5, |_, bytes| {
        let Packet { timestamp, data } = Packet::<FromServer>::read(bytes).ok()?;
        match data {
            FromServer::DestroyEntity { network_id } => {
                destroyed.entry(network_id).or_insert(timestamp);
                None
            }
            FromServer::CreateEntity { network_id, entity_prefab_path, .. } => {
                let path = entity_prefab_path.as_str().to_owned();
                let before = paths.entry(network_id).or_insert_with(|| path.clone());
                // A repeat is as old as the first one.
                let is_new = destroyed.get(&network_id).is_some_and(|gone| timestamp > *gone);
                (is_new || *before != path).then_some(network_id)
            }
            _ => None,
        }
    });
    match reused {
        Some(id) => failed(format!("entity {id} was created again for something else")),
        None => PASSED,
    }
}

/// Expects that a packet of a type comes again with the same bytes if it is not validated.
fn is_repeated(t: &mut Trial, packet_type: u8) -> Outcome {
    let mut client = TestClient::enter(t)?;
    client.silent_about = vec![packet_type];
    let mut seen: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    let again = fire(t, &mut client, 6, |_, bytes| {
        if type_of(bytes) != Some(packet_type) {
            return None;
        }
        let times = seen.entry(bytes.to_vec()).or_default();
        *times += 1;
        (*times > 1).then_some(())
    });
    match (again, seen.len()) {
        (Some(()), _) => PASSED,
        (None, 0) => Err(Stop::Blocked(format!("no packet of Type {packet_type} came"))),
        (None, count) => {
            failed(format!("{count} packets of Type {packet_type} were not validated, and none came again"))
        }
    }
}

fn create_is_repeated(t: &mut Trial) -> Outcome {
    is_repeated(t, 5)
}

fn destroy_is_repeated(t: &mut Trial) -> Outcome {
    is_repeated(t, 6)
}

fn update_is_repeated(t: &mut Trial) -> Outcome {
    is_repeated(t, 8)
}

fn path_is_text(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let odd = fire(t, &mut client, 2, |_, bytes| {
        let is_create = type_of(bytes) == Some(5) && ends_with_place(bytes);
        let path = bytes.get(HEADER_SIZE + 4..bytes.len().checked_sub(8)?).filter(|_| is_create)?;
        let is_text = !path.is_empty() && !path.iter().any(u8::is_ascii_control);
        (!is_text || std::str::from_utf8(path).is_err()).then(|| path.to_vec())
    });
    match odd {
        None => PASSED,
        Some(path) => failed(format!("a prefab path is {:?}", String::from_utf8_lossy(&path))),
    }
}

fn shot_is_destroyed(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let mut shots: Vec<u32> = Vec::new();
    let gone = fire(t, &mut client, 6, |_, bytes| match Packet::<FromServer>::read(bytes).ok()?.data {
        FromServer::CreateEntity { network_id, entity_prefab_path, .. }
            if entity_prefab_path.as_str().contains("shot") =>
        {
            shots.push(network_id);
            None
        }
        FromServer::DestroyEntity { network_id } => shots.contains(&network_id).then_some(()),
        _ => None,
    });
    match (gone, shots.len()) {
        (Some(()), _) => PASSED,
        (None, 0) => Err(Stop::Blocked("the player fired, and no shot was created".into())),
        (None, count) => failed(format!("{count} shots were created in 6 s, and none was destroyed")),
    }
}

fn direction(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let own = client.own;
    client.event(t, 1, "right");
    let mut fastest = 0.0f32;
    let mut farthest = 0.0f32;
    let [start, ..] = client.ship(t, Duration::ZERO)?;
    client.look(t, Duration::from_secs(1), |_, bytes| {
        if let Ok(Packet { data: FromServer::MoveEntity { network_id, x, direction_x, .. }, .. }) =
            Packet::<FromServer>::read(bytes)
            && Some(network_id) == own
        {
            fastest = fastest.max(direction_x);
            farthest = farthest.max(x - start);
        }
        None::<()>
    });
    ensure(farthest > 1.0, || "the ship did not move".into()).map_err(Stop::in_the_way)?;
    match fastest {
        speed if speed > 1.5 => reads(1, "velocity in units a second"),
        speed if speed > 0.0 => reads(2, "a vector of length 1"),
        _ => reads(3, "always zero"),
    }
}

fn moves_name_known(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let mut unknown: BTreeMap<u32, usize> = BTreeMap::new();
    fire(t, &mut client, 3, |client, bytes| {
        if let Ok(Packet { data: FromServer::MoveEntity { network_id, .. }, .. }) = Packet::<FromServer>::read(bytes) {
            match client.created.contains_key(&network_id) {
                // Its CreateEntity may have been lost, and come again.
                true => _ = unknown.remove(&network_id),
                false => *unknown.entry(network_id).or_default() += 1,
            }
        }
        None::<()>
    });
    match unknown.iter().find(|(_, times)| **times > 20) {
        None => PASSED,
        Some((id, times)) => failed(format!("entity {id} was moved {times} times, and never created")),
    }
}

/// Expects an UpdateEntity.
fn expect_update(t: &mut Trial, wanted: &str, is_it: impl Fn(&TestClient, u32, &str) -> bool) -> Outcome {
    let mut client = TestClient::enter(t)?;
    let patience = t.patience();
    let mut said = Vec::new();
    let found = client.look(t, patience, |client, bytes| match Packet::<FromServer>::read(bytes).ok()?.data {
        FromServer::UpdateEntity { network_id, description } => {
            said.push(format!("{network_id}: {}", description.as_str()));
            is_it(client, network_id, description.as_str()).then_some(())
        }
        _ => None,
    });
    match found {
        Some(()) => PASSED,
        None => failed(format!("no `{wanted}` came; UpdateEntity said {said:?}")),
    }
}

fn is_number_of(key: &str, description: &str) -> bool {
    description.split_once(" = ").is_some_and(|(name, value)| name == key && value.parse::<u32>().is_ok())
}

fn lives(t: &mut Trial) -> Outcome {
    expect_update(t, "lives = N", |_, id, description| id != 0 && is_number_of("lives", description))
}

fn score(t: &mut Trial) -> Outcome {
    expect_update(t, "score = N", |_, id, description| id == 0 && is_number_of("score", description))
}

fn one_own_ship(t: &mut Trial) -> Outcome {
    let _other = TestClient::join(t)?;
    let mut client = TestClient::enter(t)?;
    let mut own = Vec::new();
    client.look(t, Duration::from_secs(2), |_, bytes| {
        if let Ok(Packet { data: FromServer::UpdateEntity { network_id, description }, .. }) =
            Packet::<FromServer>::read(bytes)
            && description.as_str() == "own = 1"
            && !own.contains(&network_id)
        {
            own.push(network_id);
        }
        None::<()>
    });
    ensure(own.len() == 1, || format!("`own = 1` was told of the entities {own:?}"))?;
    PASSED
}

/// Whether four bytes are a coordinate within a few fields.
fn is_coordinate(bytes: &[u8]) -> bool {
    let value = bytes.try_into().map(f32::from_le_bytes);
    value.is_ok_and(|value| value == 0.0 || (0.01..20_000.0).contains(&value.abs()))
}

/// Whether a CreateEntity ends with a position.
fn ends_with_place(bytes: &[u8]) -> bool {
    let data = bytes.get(HEADER_SIZE + 4..).unwrap_or_default();
    data.len() > 8 && data[data.len() - 8..].chunks(4).all(is_coordinate)
}

fn create_order(t: &mut Trial) -> Outcome {
    let mut client = TestClient::enter(t)?;
    let (mut ends, mut begins, mut count) = (0, 0, 0);
    fire(t, &mut client, 2, |_, bytes| {
        if type_of(bytes) == Some(5) {
            let place = bytes.get(HEADER_SIZE + 4..HEADER_SIZE + 12).unwrap_or_default();
            count += 1;
            ends += u32::from(ends_with_place(bytes));
            begins += u32::from(place.len() == 8 && place.chunks(4).all(is_coordinate));
        }
        None::<()>
    });
    ensure(count > 0, || "no CreateEntity came".into()).map_err(Stop::in_the_way)?;
    match (ends, begins) {
        (1.., _) => reads(1, "the prefab path, then the position"),
        (0, 1..) => reads(2, "the position, then the prefab path"),
        (0, 0) => reads(3, "neither end of the data is a position"),
    }
}
