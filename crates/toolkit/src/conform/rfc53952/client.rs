//! What a client of `rfc53952` must do.

use std::{collections::BTreeMap, time::Duration};

use protocol::rfc53952::wire::{FromServer, HEADER_SIZE, Text};

use super::{
    raw, read_validation,
    test_server::{SHIP, TestServer},
    timestamp_of, type_of, validation,
};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, either, ensure, failed, must, reading, reads, should},
    question::About,
    trial::Trial,
};

/// How long a case listens to a player.
const LISTENING: Duration = Duration::from_secs(3);
const PRESS_KEYS: &str = "the client sent no ClientEvents: somebody has to press keys meanwhile";

pub const CHAPTERS: &[&[Case]] = &[HANDSHAKE, PACKETS, SHOWN];

const HANDSHAKE: &[Case] = &[
    must(
        [
            "2-1",
            "4 s without a packet end the connection",
            "F8",
            "If it does not receive any packets from the server for more than 4 seconds, the client must close the connection with the server.",
            "Keep the time of the last packet. Without this, a player looks at a still picture for ever. A client that starts again with HiServer is fine.",
        ],
        silence_ends_it,
    ),
    must(
        [
            "2-2",
            "less than 4 s without a packet end nothing",
            "F8",
            "If it does not receive any packets from the server for more than 4 seconds, the client must close the connection with the server.",
            "A short pause of the network is no reason to leave: the limit is 4 s.",
        ],
        short_silence_is_borne,
    ),
    must(
        [
            "5.1-1",
            "HiServer comes first, and has no data",
            "F1",
            "a client must send an initial \"HiServer\" packet",
            "Nothing else may come before it: the server does not know you yet.",
        ],
        hello,
    ),
    must(
        [
            "5.1-2",
            "HiServer is sent again until HiClient comes",
            "F4",
            "and wait for a packet 'HiClient' in response.",
            "Either packet can be lost. Ask again after a quarter of a second or so, or the player waits for ever.",
        ],
        hello_again,
    ),
    must(
        [
            "5.2-1",
            "HiClient is validated",
            "F4",
            "Every packets needs validation.",
            "Until it is, the server sends you nothing else: it cannot know that you are real.",
        ],
        hi_client,
    ),
    reading(
        [
            "5.2-2",
            "a client that was refused stops",
            "F5",
            "The server will send a positive or negative response with “HiClient” packet.",
            "One byte 0 says no. Tell the player, and do not ask again several times a second.",
        ],
        refused,
    ),
    should(
        [
            "5.4-1",
            "the client pings each second",
            "F8",
            "By sending this packet every second, the client informs the server that the connection between them is alive",
            "A player who presses nothing sends nothing else, and is thrown out after 4 s.",
        ],
        pings,
    ),
];

const PACKETS: &[Case] = &[
    must(
        [
            "3-1",
            "Length and Datasize are right",
            "F1",
            "This header gives details on its size, its type, its sending date/hour and the size of its data.",
            "Length counts the header's 15 bytes too; Datasize does not. A server drops what contradicts itself.",
        ],
        sizes,
    ),
    must(
        [
            "3-2",
            "a packet with a wrong Length is not validated",
            "F1",
            "the Length parameter must be checked first to ensure that the entire Packet has been received.",
            "A validation of half a packet makes the server believe that all of it came.",
        ],
        wrong_length,
    ),
    must(
        [
            "4-1",
            "timestamps count seconds, and do not decrease",
            "F4",
            "The Timestamp field is a 64-bit integer representing the number of seconds that have elapsed since January 1, 1970",
            "Use the plain Unix time in seconds. The server ignores events that are older than the newest.",
        ],
        timestamps,
    ),
    must(
        [
            "5.4-2",
            "a Ping is validated",
            "F4",
            "Every packets needs validation.",
            "It is how the server measures the round trip, and sees that you are there.",
        ],
        ping,
    ),
    must(
        [
            "5.5-1",
            "CreateEntity is validated",
            "F4",
            "Every packets needs validation.",
            "Otherwise the server sends it again and again.",
        ],
        create,
    ),
    must(
        [
            "5.6-1",
            "DestroyEntity is validated",
            "F4",
            "Every packets needs validation.",
            "Even if you never heard of the entity: it may have been destroyed before you knew it.",
        ],
        destroy,
    ),
    must(
        [
            "5.7-1",
            "MoveEntity is validated",
            "F4",
            "Every packets needs validation.",
            "MoveEntity is never repeated, but every packet is validated.",
        ],
        move_entity,
    ),
    must(
        [
            "5.8-1",
            "UpdateEntity is validated",
            "F4",
            "Every packets needs validation.",
            "Even if you do not know the key: ignore it, and validate it.",
        ],
        update,
    ),
    reading(
        [
            "5.9-1",
            "ClientEvents say what the rulings define",
            "F6",
            "the client sets id to 1 to tell the server that he wants to move his entity.",
            "Events are 1 move, 2 fire, 3 Force, 4 start; the words are in small letters.",
        ],
        events,
    ),
    must(
        [
            "5.9-2",
            "ClientEvents are sent again until they are validated",
            "F4",
            "Every packets needs validation.",
            "A key that is lost is a ship that does not stop. Send the same bytes again after a quarter of a second.",
        ],
        events_are_repeated,
    ),
    must(
        [
            "5.10-1",
            "three packets of one second get three validations",
            "F4",
            "Every packets needs validation.",
            "The server counts validations: packets of one second look the same in them.",
        ],
        counted,
    ),
    must(
        [
            "5.10-2",
            "a validation is not validated",
            "F4",
            "Every packets needs validation.",
            "All packets but PacketValidation are; else it would never end.",
        ],
        no_endless_chain,
    ),
    must(
        [
            "6-1",
            "bytes without meaning end nothing",
            "C7",
            "In case of an error, for example an invalid packet, nothing should be returned.",
            "Anybody can send you a datagram. Check sizes before you read; never crash, never answer.",
        ],
        noise,
    ),
    reading(
        [
            "5.9-3",
            "what an unused Description is",
            "F2",
            "The Description is OPTIONAL in this packet (null if not used).",
            "“Null” may be no bytes, or one byte 0. We send none (F2); servers should take both.",
        ],
        null_description,
    ),
];

const SHOWN: &[Case] = &[
    must(["5.2-3", "the player is told that there is no room", "F5",
        "The server will send a positive or negative response with “HiClient” packet.",
        "A client that only closes looks broken."], shows_refusal).asks(),
    must(["5.5-2", "what is created is shown where it is", "F1 F3",
        "To allow the display of an entity for all the clients, the server must send a 'CreateEntity' packet",
        "The prefab path stands between the id and the position: read the position from the end of the packet."], shows_entity).asks(),
    must(["5.6-2", "what is destroyed is shown no more", "",
        "To stop the display of an entity for all the client, the server must send a 'DestroyEntity' packet",
        "Remove it at once; the id does not come back."], shows_destruction).asks(),
    should(["5.8-2", "the score is shown", "F7",
        "if the server want to update a score, it sends 'UpdateEntity' packet with \"score = value\" as description.",
        "It is the document's own example of an UpdateEntity."], shows_score).asks(),
];

fn silence_ends_it(t: &mut Trial) -> Outcome {
    let server = TestServer::welcome(t)?;
    let more = t.patience();
    t.rest(Duration::from_secs(4) + more);
    t.forget(server.line);
    // AdiosServer and a new HiServer are fine.
    let speaks = t.until(server.line, LISTENING, |_, bytes| type_of(bytes).filter(|about| matches!(about, 4 | 9)));
    match speaks {
        None => PASSED,
        Some(_) => failed("long after the server fell silent the client still plays"),
    }
}

fn short_silence_is_borne(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    t.rest(Duration::from_millis(2_500));
    ensure(server.speaks(t), || "after 2.5 s of silence the client is gone".into())?;
    PASSED
}

fn hello(t: &mut Trial) -> Outcome {
    let server = TestServer::await_hello(t)?;
    let patience = t.patience();
    let wrong = t.until(server.line, patience, |_, bytes| match (type_of(bytes), bytes.len()) {
        (Some(1), HEADER_SIZE) => None,
        (Some(1), size) => Some(format!("a HiServer has {} bytes of data", size - HEADER_SIZE)),
        _ => Some("something other than HiServer came before HiClient was sent".into()),
    });
    wrong.map_or(PASSED, |why| Err(Stop::Failed(why)))
}

fn hello_again(t: &mut Trial) -> Outcome {
    let server = TestServer::await_hello(t).map_err(Stop::in_the_way)?;
    // F4: even if it was validated.
    server.send(t, 10, &validation(1, t.now().seconds()));
    let patience = t.patience() * 2;
    let again = t.until(server.line, patience, |_, bytes| (type_of(bytes) == Some(1)).then_some(()));
    ensure(again.is_some(), || "HiServer was sent once only, though no HiClient came".into())?;
    PASSED
}

fn hi_client(t: &mut Trial) -> Outcome {
    let mut server = TestServer::await_hello(t).map_err(Stop::in_the_way)?;
    ensure(server.is_validated(t, 2, &[]), || "HiClient is not validated".into())?;
    PASSED
}

fn refused(t: &mut Trial) -> Outcome {
    let mut server = TestServer::await_hello(t).map_err(Stop::in_the_way)?;
    for _ in 0..3 {
        server.send(t, 10, &validation(1, t.now().seconds()));
        server.send(t, 2, &[0]);
        let again = t.again();
        server.look(t, again, |_, _| None::<()>);
    }
    let mut hellos = 0;
    t.forget(server.line);
    t.until(server.line, LISTENING, |_, bytes| {
        hellos += usize::from(matches!(type_of(bytes), Some(1 | 4 | 9)));
        None::<()>
    });
    either(hellos <= 2, "one byte 0 refuses, and the client stops", "one byte 0 does not stop the client")
}

fn pings(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let mut count = 0;
    server.look(t, Duration::from_secs(5), |_, bytes| {
        count += usize::from(type_of(bytes) == Some(4));
        None::<()>
    });
    ensure(count >= 3, || format!("{count} Pings came in 5 s"))?;
    PASSED
}

fn sizes(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let wrong = server.look(t, LISTENING, |_, bytes| {
        let length = bytes.first_chunk().map(|length| u32::from_le_bytes(*length) as usize);
        let datasize =
            bytes.get(13..15).and_then(|size| size.try_into().ok()).map(|size| u16::from_le_bytes(size).into());
        let is_right = length == Some(bytes.len()) && datasize == bytes.len().checked_sub(HEADER_SIZE);
        (!is_right).then(|| format!("Length {length:?}, Datasize {datasize:?}, in {} bytes", bytes.len()))
    });
    wrong.map_or(PASSED, |why| Err(Stop::Failed(why)))
}

fn wrong_length(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let timestamp = t.now().seconds() - 100;
    let mut bytes = raw(4, timestamp, &[]);
    bytes[0] += 1;
    t.send(server.line, &bytes);
    let quiet = t.quiet();
    let answer = server.look(t, quiet, |_, bytes| (read_validation(bytes) == Some((4, timestamp))).then_some(()));
    ensure(answer.is_none(), || "a Ping whose Length is 16 was validated".into())?;
    PASSED
}

fn timestamps(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let (mut first, mut newest) = (None, 0);
    let wrong = server.look(t, LISTENING, |_, bytes| {
        // A ClientEvents may be a repeat.
        let stamp = timestamp_of(bytes).filter(|_| type_of(bytes) == Some(4))?;
        let before = newest;
        newest = stamp.max(newest);
        let start = *first.get_or_insert(stamp);
        let is_right = stamp + 1 >= before && stamp.abs_diff(start) <= 30;
        (!is_right).then(|| format!("Pings had the timestamps {start}, {before} and {stamp} within 3 s"))
    });
    wrong.map_or(PASSED, |why| Err(Stop::Failed(why)))
}

/// Expects that the client validates a packet.
fn validates(t: &mut Trial, packet_type: u8, data: &[u8]) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    ensure(server.is_validated(t, packet_type, data), || format!("a packet of Type {packet_type} is not validated"))?;
    PASSED
}

fn ping(t: &mut Trial) -> Outcome {
    validates(t, 4, &[])
}

fn create(t: &mut Trial) -> Outcome {
    let place = [160.0f32.to_le_bytes(), 270.0f32.to_le_bytes()].concat();
    validates(t, 5, &[&50u32.to_le_bytes()[..], b"drone", &place].concat())
}

fn destroy(t: &mut Trial) -> Outcome {
    validates(t, 6, &99u32.to_le_bytes())
}

fn move_entity(t: &mut Trial) -> Outcome {
    let numbers = [168.0f32, 540.0, 480.0, 0.0].map(f32::to_le_bytes).concat();
    validates(t, 7, &[&SHIP.to_le_bytes()[..], &numbers].concat())
}

fn update(t: &mut Trial) -> Outcome {
    validates(t, 8, &[&SHIP.to_le_bytes()[..], b"colour = red"].concat())
}

fn is_known(id_event: u8, description: &[u8]) -> bool {
    let description = std::str::from_utf8(description.strip_suffix(&[0]).unwrap_or(description)).unwrap_or("?");
    let direction = description.strip_prefix('-').unwrap_or(description);
    match id_event {
        1 => description == "stop" || ["left", "right", "up", "down"].contains(&direction),
        2 => ["", "press", "release"].contains(&description),
        3 | 4 => description.is_empty(),
        _ => false,
    }
}

fn events(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let mut count = 0;
    let wrong = server.look(t, LISTENING, |_, bytes| {
        let [id_event, description @ ..] = bytes.get(HEADER_SIZE..).filter(|_| type_of(bytes) == Some(9))? else {
            return Some("ClientEvents without IdEvent came".to_owned());
        };
        count += 1;
        let text = String::from_utf8_lossy(description).into_owned();
        (!is_known(*id_event, description)).then(|| format!("event {id_event} {text:?} is none of F6"))
    });
    match (wrong, count) {
        (Some(why), _) => reads(2, why),
        (None, 0) => Err(Stop::Skipped(PRESS_KEYS.into())),
        (None, _) => reads(1, "those of ruling F6"),
    }
}

fn events_are_repeated(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    server.silent_about = vec![9];
    let mut seen: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    let again = server.look(t, LISTENING * 2, |_, bytes| {
        let times = seen.entry(bytes.to_vec()).or_default();
        *times += usize::from(type_of(bytes) == Some(9));
        (*times > 1).then_some(())
    });
    let count = seen.values().filter(|times| **times > 0).count();
    match (again, count) {
        (Some(()), _) => PASSED,
        (None, 0) => Err(Stop::Skipped(PRESS_KEYS.into())),
        (None, count) => failed(format!("{count} ClientEvents were not validated, and none came again")),
    }
}

fn counted(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let mut most = 0;
    for round in 0..3 {
        let timestamp = t.now().seconds();
        for id in 0..3 {
            server.create(t, 60 + round * 3 + id, "drone", (900.0, 300.0));
        }
        let mut count = 0;
        let quiet = t.quiet();
        server.look(t, quiet, |_, bytes| {
            count += usize::from(read_validation(bytes) == Some((5, timestamp)));
            None::<()>
        });
        most = most.max(count);
    }
    ensure(most > 0, || "CreateEntity is not validated at all".into()).map_err(Stop::in_the_way)?;
    ensure(most >= 3, || format!("three CreateEntity of one second got {most} validations"))?;
    PASSED
}

fn no_endless_chain(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    server.send(t, 10, &validation(1, t.now().seconds()));
    let quiet = t.quiet();
    let answer = server.look(t, quiet, |_, bytes| read_validation(bytes).filter(|(about, _)| *about == 10));
    ensure(answer.is_none(), || "a PacketValidation was validated".into())?;
    PASSED
}

fn noise(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    for _ in 0..60 {
        let size = t.dice.below(80) as usize;
        let bytes = t.random_bytes(size);
        t.send(server.line, &bytes);
    }
    let quiet = t.quiet();
    server.look(t, quiet, |_, _| None::<()>);
    ensure(server.speaks(t), || "after random bytes the client says nothing any more".into())?;
    PASSED
}

fn shows_refusal(t: &mut Trial) -> Outcome {
    let server = TestServer::await_hello(t).map_err(Stop::in_the_way)?;
    for _ in 0..5 {
        server.send(t, 2, &[0]);
        let again = t.again();
        t.rest(again);
    }
    ensure(t.ask(About::Refused)?, || "the player is not told".into())?;
    PASSED
}

/// Lets a client in and shows it a drone.
fn with_drone(t: &mut Trial) -> Result<TestServer, Stop> {
    let mut server = TestServer::welcome(t)?;
    for _ in 0..3 {
        server.create(t, 70, "drone", (1_440.0, 300.0));
        let again = t.again();
        server.look(t, again, |_, _| None::<()>);
    }
    Ok(server)
}

fn shows_entity(t: &mut Trial) -> Outcome {
    with_drone(t)?;
    let is_shown = t.ask(About::Entity { kind: "drone", x: 360, y: 75 })?;
    ensure(is_shown, || "a drone was created at (1440, 300), and is not shown there".into())?;
    PASSED
}

fn shows_destruction(t: &mut Trial) -> Outcome {
    let mut server = with_drone(t)?;
    for _ in 0..3 {
        server.say(t, FromServer::DestroyEntity { network_id: 70 });
        let again = t.again();
        server.look(t, again, |_, _| None::<()>);
    }
    ensure(t.ask(About::NoEntity { kind: "drone" })?, || "a drone that was destroyed is still shown".into())?;
    PASSED
}

fn shows_score(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    for _ in 0..3 {
        server.say(
            t,
            FromServer::UpdateEntity { network_id: 0, description: Text::new("score = 4200").unwrap_or(Text::EMPTY) },
        );
        let again = t.again();
        server.look(t, again, |_, _| None::<()>);
    }
    ensure(t.ask(About::Score(4_200))?, || "the score of 4200 is not shown".into())?;
    PASSED
}

fn null_description(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let unused = server.look(t, LISTENING * 2, |_, bytes| match bytes.get(HEADER_SIZE..) {
        Some([_]) if type_of(bytes) == Some(9) => Some(true),
        Some([_, 0]) if type_of(bytes) == Some(9) => Some(false),
        _ => None,
    });
    match unused {
        Some(is_none) => either(is_none, "no bytes", "one byte 0"),
        None => Err(Stop::Skipped("the client sent no event without a Description, such as the Force".into())),
    }
}
