//! What a client of `snapshot` must do.

use std::{collections::BTreeSet, time::Duration};

use protocol::snapshot::wire::FromClient;

use super::{
    INPUT, JOIN, KILLED, PLAYER_ID_ASSIGNMENT, SNAPSHOT, TIMEOUT, packet_id_of,
    test_server::{SLOT, TestServer},
    timestamp_of, type_of,
};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, ensure, failed, must, reading, reads, should},
    question::About,
    trial::Trial,
};

/// How long a case listens to a player.
const LISTENING: Duration = Duration::from_secs(4);
const PRESS_KEYS: &str = "the client sent no INPUT: somebody has to press keys meanwhile";
const LET_GO: &str = "no key was let go: somebody has to press and release keys meanwhile";

pub const CHAPTERS: &[&[Case]] = &[JOINING, KEYS, SHOWN];

const JOINING: &[Case] = &[
    must(
        [
            "4.2-1",
            "JOIN carries a username",
            "S2",
            "UTF-8 encoded player username (null-terminated or length-prefixed)",
            "At most 32 bytes of UTF-8 without control characters; bare, with a NUL behind or a length in front.",
        ],
        name,
    ),
    must(
        [
            "4.2-2",
            "JOIN is sent again until it is answered",
            "S7",
            "Client should retry JOIN if no response within timeout",
            "Either datagram can be lost; without a second try the player waits for ever.",
        ],
        join_again,
    ),
    must(
        [
            "4.2-3",
            "nothing is sent before the Player ID is known but JOIN",
            "",
            "(4) PLAYER_ID_ASSIGNMENT … Ready to play",
            "An INPUT needs the Player ID. Wait for it.",
        ],
        only_join,
    ),
    must(
        [
            "6.4-1",
            "a client that was refused stops",
            "",
            "Client should display \"Server Full\" message and disconnect",
            "255 says no. Tell the player, and do not ask again several times a second.",
        ],
        refused,
    ),
    must(
        [
            "4.5-1",
            "TIMEOUT of a client's own player ends it",
            "S8",
            "If local player ID matches: initiate graceful client shutdown",
            "Compare Player ID with your own. If you play on, nobody hears you.",
        ],
        own_timeout,
    ),
    must(
        [
            "4.6-1",
            "KILLED of a client's own player does not end it",
            "S10",
            "Optional: Spectator mode or respawn countdown",
            "With lives left the ship comes back under the same id. Go on, and show what comes.",
        ],
        own_kill,
    ),
    must(
        [
            "6.1-1",
            "a datagram shorter than a header does no harm",
            "C7",
            "Packets smaller than 7 bytes are silently discarded",
            "Anybody can send you one. Compare the size before you read.",
        ],
        stumps,
    ),
    must(
        [
            "6.1-2",
            "random bytes do no harm",
            "C7",
            "Packets with invalid type codes are logged and ignored",
            "A path length beyond the datagram's end is where most parsers read too far.",
        ],
        noise,
    ),
    reading(
        [
            "4.2-4",
            "how the username is written",
            "S2",
            "UTF-8 encoded player username (null-terminated or length-prefixed)",
            "The text has two ways, and the example a third: bare. By ruling S2 servers take all of them, and we send it bare.",
        ],
        name_form,
    ),
    should(
        [
            "4.5-2",
            "a client whose server is silent for 30 s plays no more",
            "S8",
            "Clients that don't send packets for 30 seconds are considered inactive",
            "Otherwise the player looks at a still picture for ever. Joining again is fine.",
        ],
        silence_ends_it,
    )
    .slow(),
];

const KEYS: &[Case] = &[
    must(
        [
            "3.1-1",
            "Packet IDs rise",
            "S4",
            "Packet ID: Sequence number for packet ordering",
            "Count each datagram. A server may drop what is not newer than the newest.",
        ],
        ids_rise,
    ),
    must(
        [
            "3.1-2",
            "timestamps never fall",
            "S4",
            "Timestamp: Timestamp for temporal ordering",
            "Milliseconds since you started, from a clock that only goes forward.",
        ],
        timestamps_rise,
    ),
    must(
        [
            "4.1-1",
            "INPUT has three bytes of payload",
            "",
            "Player ID (1 byte), Key Code (1 byte), Action (1 byte)",
            "Ten bytes in all. A struct written as it lies in memory may be padded.",
        ],
        input_size,
    ),
    must(
        [
            "4.1-2",
            "INPUT names the Player ID that was assigned",
            "S5",
            "Player ID: ID of the player sending input (0-3)",
            "Take it from PLAYER_ID_ASSIGNMENT; it is not always 0.",
        ],
        own_id,
    ),
    must(
        [
            "4.1-3",
            "Action is 0 or 1",
            "",
            "Action type: 0=Key Up, 1=Key Down",
            "Key repeat of your window system may have a third value: map it to 1.",
        ],
        actions,
    ),
    reading(
        [
            "4.1-4",
            "the key codes",
            "S3",
            "Key Code: Key identifier (e.g., arrow keys, spacebar)",
            "The example's up arrow is 0x26; the authors' program sends 0 to 4.",
        ],
        codes,
    ),
    must(
        [
            "4.1-5",
            "a key that went down comes up",
            "",
            "Action type: 0=Key Up, 1=Key Down",
            "Without Key Up the ship flies on for ever.",
        ],
        key_up,
    ),
    reading(
        [
            "3.1-3",
            "the unit of timestamps",
            "S4",
            "Timestamp | 4 bytes | uint32_t",
            "The document gives no unit. By ruling S4 it is milliseconds since the sender started.",
        ],
        unit,
    ),
];

const SHOWN: &[Case] = &[
    must(
        [
            "6.4-2",
            "the player is told that there is no room",
            "",
            "Client should display \"Server Full\" message and disconnect",
            "A client that only closes looks broken.",
        ],
        shows_full,
    )
    .asks(),
    must(
        [
            "4.4-1",
            "an entity is shown where the SNAPSHOT has it",
            "C3",
            "Position X: X coordinate (float, big-endian)",
            "The field is 1920 × 1080 in the units of the wire; the position is the middle of the entity.",
        ],
        shows_entity,
    )
    .asks(),
    must(
        [
            "4.4-2",
            "what is missing in a SNAPSHOT is shown no more",
            "",
            "remove entities not present in the snapshot",
            "There is no message that says so: compare each SNAPSHOT with what you show.",
        ],
        shows_removal,
    )
    .asks(),
    should(
        [
            "4.4-3",
            "an older SNAPSHOT changes nothing",
            "S4",
            "Packet ID: Sequence number for packet ordering",
            "Datagrams overtake each other. Keep the newest Packet ID, and drop older SNAPSHOTs; mind that it wraps.",
        ],
        old_snapshot,
    )
    .asks(),
];

fn name(t: &mut Trial) -> Outcome {
    let (_, bytes) = TestServer::await_join(t)?;
    match FromClient::read(&bytes) {
        Ok((_, FromClient::Join { .. })) => PASSED,
        Ok(_) => failed("it is no JOIN"),
        Err(why) => failed(format!("its username cannot be read: {why:?}")),
    }
}

fn join_again(t: &mut Trial) -> Outcome {
    let (server, _) = TestServer::await_join(t).map_err(Stop::in_the_way)?;
    let patience = t.patience() * 2;
    let again = t.until(server.line, patience, |_, bytes| (type_of(bytes) == Some(JOIN)).then_some(()));
    ensure(again.is_some(), || "JOIN was sent once only, though it was not answered".into())?;
    PASSED
}

fn only_join(t: &mut Trial) -> Outcome {
    let (server, _) = TestServer::await_join(t).map_err(Stop::in_the_way)?;
    let patience = t.patience();
    let other = t.until(server.line, patience, |_, bytes| (type_of(bytes) != Some(JOIN)).then_some(()));
    ensure(other.is_none(), || "something other than JOIN came before the Player ID was assigned".into())?;
    PASSED
}

fn refused(t: &mut Trial) -> Outcome {
    let (mut server, _) = TestServer::await_join(t).map_err(Stop::in_the_way)?;
    for _ in 0..3 {
        server.send(t, PLAYER_ID_ASSIGNMENT, &[255]);
        let again = t.again();
        t.rest(again);
    }
    t.forget(server.line);
    let count = t.all(server.line, LISTENING).len();
    ensure(count <= 2, || format!("after it was refused, the client sent {count} datagrams in 4 s"))?;
    PASSED
}

/// TIMEOUT or KILLED of the client's own player.
fn loss(server: &mut TestServer, t: &mut Trial, packet_type: u8) {
    for _ in 0..3 {
        server.send(t, packet_type, &[SLOT, SLOT, 3, b'A', b'n', b'n']);
    }
}

fn own_timeout(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    loss(&mut server, t, TIMEOUT);
    let quiet = t.quiet() * 2;
    t.rest(quiet);
    t.forget(server.line);
    let plays = server.play(t, LISTENING, |_, bytes| (type_of(bytes) == Some(INPUT)).then_some(()));
    ensure(plays.is_none(), || "after TIMEOUT of its own player the client plays on".into())?;
    PASSED
}

fn own_kill(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    loss(&mut server, t, KILLED);
    ensure(server.speaks(t), || "after KILLED the client says nothing any more".into())?;
    PASSED
}

fn stumps(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    for size in 0..7 {
        t.send(server.line, &[SNAPSHOT; 7][..size]);
    }
    ensure(server.speaks(t), || "after short datagrams the client says nothing any more".into())?;
    PASSED
}

fn noise(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    for _ in 0..60 {
        let size = 7 + t.dice.below(80) as usize;
        let mut bytes = t.random_bytes(size);
        if matches!(bytes[0], TIMEOUT | KILLED) {
            bytes[0] = SNAPSHOT;
        }
        t.send(server.line, &bytes);
    }
    ensure(server.speaks(t), || "after random bytes the client says nothing any more".into())?;
    PASSED
}

/// Looks at all INPUTs for a while; what is found is a fault. Skipped if none comes.
fn inputs(t: &mut Trial, mut look: impl FnMut(&[u8]) -> Option<String>) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let mut count = 0;
    let wrong = server.play(t, LISTENING, |_, bytes| {
        let is_input = type_of(bytes) == Some(INPUT);
        count += usize::from(is_input);
        if is_input { look(bytes) } else { None }
    });
    match (wrong, count) {
        (Some(why), _) => failed(why),
        (None, 0) => Err(Stop::Skipped(PRESS_KEYS.into())),
        (None, _) => PASSED,
    }
}

fn ids_rise(t: &mut Trial) -> Outcome {
    let mut newest: Option<u16> = None;
    inputs(t, |bytes| {
        let id = packet_id_of(bytes)?;
        let before = newest.replace(id)?;
        let step = id.wrapping_sub(before) as i16;
        (step == 0 || step < -8).then(|| format!("after Packet ID {before} came {id}"))
    })
}

fn timestamps_rise(t: &mut Trial) -> Outcome {
    let mut newest = 0;
    inputs(t, |bytes| {
        let timestamp = timestamp_of(bytes)?;
        let before = newest;
        newest = timestamp.max(before);
        (timestamp + 200 < before).then(|| format!("after timestamp {before} came {timestamp}"))
    })
}

fn input_size(t: &mut Trial) -> Outcome {
    inputs(t, |bytes| (bytes.len() != 10).then(|| format!("an INPUT has {} bytes of payload", bytes.len() - 7)))
}

fn own_id(t: &mut Trial) -> Outcome {
    inputs(t, |bytes| {
        let id = *bytes.get(7)?;
        (id != SLOT).then(|| format!("an INPUT names player {id}; {SLOT} was assigned"))
    })
}

fn actions(t: &mut Trial) -> Outcome {
    inputs(t, |bytes| {
        let action = *bytes.get(9)?;
        (action > 1).then(|| format!("an INPUT has Action {action}"))
    })
}

fn codes(t: &mut Trial) -> Outcome {
    let mut codes = BTreeSet::new();
    inputs(t, |bytes| {
        codes.extend(bytes.get(8));
        None
    })
    .map_err(Stop::in_the_way)?;
    let arrows = [0x25, 0x26, 0x27, 0x28, 0x20, 0x10];
    if codes.iter().all(|code| arrows.contains(code)) {
        reads(1, "arrows, space bar and shift, as in the example")
    } else if codes.iter().all(|code| *code < 5) {
        reads(2, "0 to 4, as the authors' program")
    } else {
        reads(3, format!("others: {codes:02x?}"))
    }
}

fn key_up(t: &mut Trial) -> Outcome {
    let (mut down, mut up): (BTreeSet<u8>, BTreeSet<u8>) = (BTreeSet::new(), BTreeSet::new());
    inputs(t, |bytes| {
        match bytes.get(9) {
            Some(1) => down.extend(bytes.get(8)),
            Some(_) => up.extend(bytes.get(8)),
            None => {}
        }
        None
    })?;
    if !up.is_empty() {
        return PASSED;
    }
    // Somebody may hold a few keys all the time; nobody holds all of them.
    ensure(down.len() < 5, || format!("{} keys went down, and none of them came up", down.len()))?;
    Err(Stop::Skipped(LET_GO.into()))
}

fn shows_full(t: &mut Trial) -> Outcome {
    let (mut server, _) = TestServer::await_join(t).map_err(Stop::in_the_way)?;
    for _ in 0..5 {
        server.send(t, PLAYER_ID_ASSIGNMENT, &[255]);
        let again = t.again();
        t.rest(again);
    }
    ensure(t.ask(About::Refused)?, || "the player is not told".into())?;
    PASSED
}

/// Lets a client in and shows it a drone.
fn with_drone(t: &mut Trial) -> Result<TestServer, Stop> {
    let mut server = TestServer::welcome(t)?;
    server.shown.push((9, "drone", 1_440.0, 300.0));
    server.play(t, Duration::from_millis(700), |_, _| None::<()>);
    Ok(server)
}

fn shows_entity(t: &mut Trial) -> Outcome {
    with_drone(t)?;
    let is_shown = t.ask(About::Entity { kind: "drone", x: 360, y: 75 })?;
    ensure(is_shown, || "a drone is at (1440, 300) in each SNAPSHOT, and is not shown there".into())?;
    PASSED
}

fn shows_removal(t: &mut Trial) -> Outcome {
    let mut server = with_drone(t)?;
    server.shown.pop();
    server.play(t, Duration::from_millis(700), |_, _| None::<()>);
    ensure(t.ask(About::NoEntity { kind: "drone" })?, || "a drone that is gone is still shown".into())?;
    PASSED
}

fn old_snapshot(t: &mut Trial) -> Outcome {
    let mut server = with_drone(t)?;
    let newest = server.packet_id;
    server.packet_id = newest - 10;
    server.shown = vec![(SLOT, "player", 160.0, 540.0), (12, "mine", 480.0, 800.0)];
    for _ in 0..3 {
        server.snapshot(t);
    }
    t.rest(Duration::from_millis(100));
    ensure(t.ask(About::NoEntity { kind: "mine" })?, || {
        "a SNAPSHOT that is ten older than the newest is shown".into()
    })?;
    PASSED
}

fn name_form(t: &mut Trial) -> Outcome {
    let (_, bytes) = TestServer::await_join(t).map_err(Stop::in_the_way)?;
    match &bytes[7..] {
        [size @ 0..0x20, rest @ ..] if usize::from(*size) == rest.len() => reads(3, "with its length in front"),
        [.., 0] => reads(2, "with a NUL behind it"),
        _ => reads(1, "bare"),
    }
}

fn silence_ends_it(t: &mut Trial) -> Outcome {
    let server = TestServer::welcome(t)?;
    let more = t.patience();
    t.rest(Duration::from_secs(30) + more);
    t.forget(server.line);
    let plays = t.until(server.line, LISTENING * 2, |_, bytes| (type_of(bytes) == Some(INPUT)).then_some(()));
    ensure(plays.is_none(), || "long after the server fell silent the client still plays".into())?;
    PASSED
}

fn unit(t: &mut Trial) -> Outcome {
    let (mut first, mut last) = (None, 0);
    let (mut begun, mut ended) = (t.now(), t.now());
    let mut server = TestServer::welcome(t)?;
    t.until(server.line, Duration::ZERO, |_, _| None::<()>);
    while last == 0 || ended.since(begun) < LISTENING / 2 {
        let found = server.play(t, LISTENING, |_, bytes| timestamp_of(bytes).filter(|_| type_of(bytes) == Some(INPUT)));
        last = found.ok_or_else(|| Stop::Skipped(PRESS_KEYS.into()))?;
        ended = t.now();
        if first.is_none() {
            (first, begun) = (Some(last), ended);
        }
    }
    let told = f64::from(last.saturating_sub(first.unwrap_or(last)));
    let passed = ended.since(begun).as_secs_f64();
    match told / passed {
        300.0..3_000.0 => reads(1, "milliseconds"),
        0.0..5.0 => reads(2, "seconds"),
        5.0..300.0 => reads(3, "ticks"),
        rate => reads(4, format!("{rate:.0} in a second")),
    }
}
