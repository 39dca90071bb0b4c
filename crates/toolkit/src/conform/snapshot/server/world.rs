//! Sections 4.4 to 4.6: snapshots, and players who go.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use protocol::snapshot::wire::FromServer;

use super::{
    super::{
        KILLED, SNAPSHOT, TIMEOUT,
        test_client::{DOWN, FIRE, TestClient},
        type_of,
    },
    header::listen,
};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, either, ensure, failed, must, reading, reads, should},
    trial::Trial,
};

/// Silence after which a player is gone.
const SILENCE: Duration = Duration::from_secs(30);
/// Bytes of the document's receive buffer.
const DATAGRAM_MAX: usize = 1_024;

pub const CASES: &[Case] = &[
    must(
        [
            "4.4-1",
            "SNAPSHOTs come about 60 times a second",
            "",
            "Snapshots are sent at a rate defined by `SNAPSHOT_RATE` (typically ~60 Hz or every 16ms).",
            "Clients show what the last one says. Fewer than 20 a second and everything jumps.",
        ],
        rate,
    ),
    must(
        [
            "4.4-2",
            "a SNAPSHOT is whole entities to its end",
            "",
            "Per Entity (repeated): Entity ID, Position X, Position Y, Path Length, Sprite Path, Rect Pos X, Rect Pos Y, Rect Size X, Rect Size Y",
            "There is no count: entities follow each other until the datagram ends. A byte too few, and the last one is lost.",
        ],
        well_formed,
    ),
    must(
        [
            "4.4-3",
            "Entity IDs are unique in a SNAPSHOT",
            "",
            "Entity ID: Unique identifier of the entity",
            "One byte has room for 256. If you cut a longer id down to a byte, two entities get the same.",
        ],
        unique_ids,
    ),
    reading(
        [
            "4.4-4",
            "a ship's Entity ID is its Player ID",
            "S9",
            "ID of the destroyed entity (0-255) … ID of the disconnected player (0-3)",
            "Nothing else in the dialect tells a client which ship is its own (S9).",
        ],
        own_ship,
    ),
    must(
        [
            "4.4-5",
            "players see each other",
            "C1",
            "This packet contains the complete state of all visible entities in the game.",
            "All players of a game are sent the same entities.",
        ],
        players_meet,
    )
    .alone(),
    should(
        [
            "4.4-6",
            "no datagram is larger than 1,024 bytes",
            "S6",
            "All incoming packets are read into fixed-size buffers (1024 bytes)",
            "What is longer is cut off by a client that follows the document. Leave out what matters least.",
        ],
        size,
    ),
    must(
        [
            "4.4-7",
            "what is gone is in no SNAPSHOT any more",
            "",
            "The client should … remove entities not present in the snapshot.",
            "A SNAPSHOT holds what there is now. Clients remove what is missing, so nothing else needs to be said.",
        ],
        gone,
    ),
    must(
        [
            "4.4-8",
            "every entity has a sprite path",
            "S6",
            "Sprite Path: UTF-8 encoded path to sprite sheet",
            "Without it a client has nothing to draw. Path Length counts its bytes.",
        ],
        paths,
    ),
    must(
        [
            "4.5-1",
            "TIMEOUT tells the others of a player who was silent for 30 s",
            "S8",
            "Player inactive for 30+ seconds (no packets received)",
            "Send it to everybody who is left, with the name, so that they can read who is gone.",
        ],
        timeout_is_told,
    )
    .slow()
    .alone(),
    must(
        [
            "4.5-2",
            "30 s of silence end the session",
            "S8",
            "Clients that don't send packets for 30 seconds are considered inactive",
            "Otherwise the slots of clients that crashed are taken for ever.",
        ],
        silence_ends_it,
    )
    .slow(),
    must(
        [
            "4.5-3",
            "20 s of silence end nothing",
            "S8",
            "Clients that don't send packets for 30 seconds are considered inactive",
            "A player who waits presses nothing. Give them the 30 s that the document gives.",
        ],
        calm_is_borne,
    )
    .slow(),
    reading(
        [
            "4.6-1",
            "the type of KILLED",
            "S1",
            "### 0x20 - KILLED … Type (KILLED = 0x40)",
            "Heading and example contradict each other. 0x20 is TIMEOUT already, so the example is right (S1).",
        ],
        killed,
    )
    .slow(),
    should(
        [
            "4.4-9",
            "what is shown does not flicker",
            "S11",
            "This packet contains the complete state of all visible entities in the game.",
            "Clients remove what a SNAPSHOT lacks. What does not fit is left out for good, not in every second SNAPSHOT.",
        ],
        steady,
    ),
];

fn rate(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let mut count = 0;
    client.look(t, Duration::from_secs(2), |_, bytes| {
        count += usize::from(type_of(bytes) == Some(SNAPSHOT));
        None::<()>
    });
    ensure((40..=300).contains(&count), || format!("{count} SNAPSHOTs came in 2 s"))?;
    PASSED
}

fn well_formed(t: &mut Trial) -> Outcome {
    listen(t, |bytes| {
        let is_snapshot = type_of(bytes) == Some(SNAPSHOT) && bytes.len() <= DATAGRAM_MAX;
        let why = FromServer::read(bytes).err().filter(|_| is_snapshot)?;
        Some(format!("a SNAPSHOT of {} bytes cannot be read: {why:?}", bytes.len()))
    })
}

fn unique_ids(t: &mut Trial) -> Outcome {
    listen(t, |bytes| {
        let Ok((_, FromServer::Snapshot { entities })) = FromServer::read(bytes) else { return None };
        let mut ids = BTreeSet::new();
        let twice = entities.iter().find(|entity| !ids.insert(entity.entity_id))?;
        Some(format!("Entity ID {} is in one SNAPSHOT twice", twice.entity_id))
    })
}

fn own_ship(t: &mut Trial) -> Outcome {
    let mut client = TestClient::enter(t)?;
    let patience = t.patience();
    let seen = client.look(t, patience, |client, _| client.seen.contains_key(&client.id).then_some(()));
    let is_usable = client.has_seen && client.id < 4;
    ensure(is_usable, || "no SNAPSHOT came, or no slot was assigned".into()).map_err(Stop::in_the_way)?;
    either(seen.is_some(), "it is the Player ID", "it is another number")
}

fn players_meet(t: &mut Trial) -> Outcome {
    let mut first = TestClient::join(t)?;
    let mut second = TestClient::join(t)?;
    let patience = t.patience();
    let (one, other) = (first.id, second.id);
    for (client, wanted) in [(&mut first, other), (&mut second, one)] {
        let seen = client.look(t, patience, |client, _| client.seen.contains_key(&wanted).then_some(()));
        ensure(seen.is_some(), || format!("player {} does not see the ship of player {wanted}", client.id))?;
    }
    PASSED
}

fn size(t: &mut Trial) -> Outcome {
    listen(t, |bytes| (bytes.len() > DATAGRAM_MAX).then(|| format!("a datagram of {} bytes came", bytes.len())))
}

/// Fires for some seconds, looking at everything.
fn fire<T>(
    t: &mut Trial,
    client: &mut TestClient,
    seconds: u32,
    mut look: impl FnMut(&mut TestClient) -> Option<T>,
) -> Option<T> {
    (0..seconds * 2).find_map(|_| {
        client.key(t, FIRE, 1);
        let found = client.look(t, Duration::from_millis(100), |client, _| look(client));
        client.key(t, FIRE, 0);
        found.or_else(|| client.look(t, Duration::from_millis(400), |client, _| look(client)))
    })
}

fn gone(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let mut ever: BTreeSet<u8> = BTreeSet::new();
    let gone = fire(t, &mut client, 6, |client| {
        let is_shot = |path: &str| path.contains("shot") || path.contains("bullet");
        let shots = client.seen.iter().filter(|(_, (_, _, path))| is_shot(path));
        let now: BTreeSet<u8> = shots.map(|(id, _)| *id).collect();
        let is_gone = !ever.is_subset(&now);
        ever.extend(now);
        is_gone.then_some(())
    });
    match (gone, ever.len()) {
        (Some(()), _) => PASSED,
        (None, 0) => Err(Stop::Blocked("the player fired, and no shot was seen".into())),
        (None, count) => failed(format!("{count} shots appeared in 6 s, and none went")),
    }
}

fn paths(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let bare = fire(t, &mut client, 2, |client| {
        client.seen.iter().find(|(_, (_, _, path))| path.is_empty()).map(|(id, _)| *id)
    });
    match bare {
        None => PASSED,
        Some(id) => failed(format!("entity {id} has an empty Sprite Path")),
    }
}

fn timeout_is_told(t: &mut Trial) -> Outcome {
    let gone = TestClient::join(t)?;
    let mut stays = TestClient::join(t)?;
    let begun = t.now();
    while t.now().since(begun) < SILENCE + t.patience() {
        stays.key(t, DOWN, 0);
        let told = stays.look(t, Duration::from_secs(2), |_, bytes| match FromServer::read(bytes) {
            Ok((_, FromServer::Timeout(loss))) if loss.player_id == gone.id => Some(loss.username.to_owned()),
            _ => None,
        });
        if let Some(name) = told {
            ensure(name == "Ann", || format!("TIMEOUT names {name:?} instead of \"Ann\""))?;
            return PASSED;
        }
    }
    failed(format!("player {} was silent for over 30 s, and no TIMEOUT came", gone.id))
}

fn silence_ends_it(t: &mut Trial) -> Outcome {
    let client = TestClient::join(t)?;
    t.ends_after(client.line, SILENCE, "30 s without a packet of the client")
}

fn calm_is_borne(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    t.rest(Duration::from_secs(20));
    client.expect_life(t)?;
    PASSED
}

fn killed(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    for _ in 0..60 {
        client.key(t, DOWN, 1);
        let found = client.look(t, Duration::from_secs(2), |client, bytes| {
            let is_own = bytes.get(8) == Some(&client.id);
            type_of(bytes).filter(|kind| is_own && matches!(*kind, TIMEOUT | KILLED))
        });
        match found {
            Some(KILLED) => return reads(1, "0x40, as in the example"),
            Some(_) => return reads(2, "0x20, as in the heading"),
            None => {}
        }
    }
    Err(Stop::Skipped("the ship was not lost within two minutes".into()))
}

fn steady(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let (mut count, mut flickers) = (0u32, 0);
    // When each entity was seen last, by id and path.
    let mut last: BTreeMap<(u8, String), u32> = BTreeMap::new();
    fire(t, &mut client, 6, |client| {
        count += 1;
        for (id, (_, _, path)) in &client.seen {
            let before = last.insert((*id, path.clone()), count);
            flickers += u32::from(before.is_some_and(|before| (2..=10).contains(&(count - before))));
        }
        None::<()>
    });
    ensure(flickers <= 3, || format!("within 6 s entities were left out and shown again {flickers} times"))?;
    PASSED
}
