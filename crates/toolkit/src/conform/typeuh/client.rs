//! What a client of `typeuh` must do.

use std::{collections::BTreeSet, time::Duration};

use protocol::typeuh::{component::Component, wire::Instruction};

use super::test_server::{GAME, SHIP, TestServer, entity, initialisation, reversed, written};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, either, ensure, failed, must, reading, reads, should},
    question::About,
    trial::Trial,
};

/// How long a case listens to a player.
const LISTENING: Duration = Duration::from_secs(4);
const PRESS_KEYS: &str = "the client sent no key events: somebody has to press keys meanwhile";
const LET_GO: &str = "no key was let go: somebody has to press and release keys meanwhile";
/// Numbers of kinds (docs/protocols/kinds.md).
const DRONE: u16 = 30;
const DRONE_AT: About = About::Entity { kind: "drone", x: 360, y: 75 };

pub const CHAPTERS: &[&[Case]] = &[JOINING, KEYS, SHOWN];

const JOINING: &[Case] = &[
    reading(
        [
            "2.1-1",
            "what a client says first",
            "T1",
            "When the client connects to the server",
            "The document has no hello. Ours is an empty datagram, which presses no key (T1).",
        ],
        first,
    ),
    must(
        [
            "2.1-2",
            "the hello is sent again until the initialisation comes",
            "T1",
            "some initialisation process is required",
            "Either datagram can be lost. Ask again every half second.",
        ],
        again,
    ),
    should(
        [
            "2.1-3",
            "no key is sent before the initialisation",
            "T1",
            "to make sure the client knows about all components used by the server",
            "There is no game to play yet.",
        ],
        no_keys_before,
    ),
    must(
        [
            "2.1-4",
            "an initialisation without its end is not taken",
            "T2",
            "a special end indicator will be sent so that the client can make sure it received correct data",
            "Compare the last two bytes with 0xffff; if they differ, ask again.",
        ],
        wrong_end,
    ),
    must(
        [
            "2.1-5",
            "an initialisation with a wrong count is not taken",
            "T2",
            "then read the end of initialisation sequence to make sure the correct number of bytes have been received",
            "count × length + 5 bytes, no more and no less.",
        ],
        wrong_count,
    ),
    must(
        [
            "2.1-6",
            "an initialisation with wrong characters is not taken",
            "T2",
            "The names may only be composed of one or more of the following ascii characters",
            "A name with a blank in it is a sign that something else is wrong.",
        ],
        wrong_name,
    ),
    must(
        [
            "2.2-1",
            "bytes without meaning do no harm",
            "C7",
            "Those instructions are identified by an opcode",
            "Anybody can send you a datagram. Stop at an unknown opcode; never read beyond the end.",
        ],
        noise,
    ),
    should(
        [
            "2.1-8",
            "a client whose server is silent plays no more",
            "T1",
            "When the client connects to the server",
            "Ask again with your hello, or end. Keys that nobody hears leave the player before a still picture.",
        ],
        silence_ends_it,
    ),
];

const KEYS: &[Case] = &[
    must(
        [
            "2.3-1",
            "key events are bytes from 0x0 to 0xb",
            "",
            "Right key pressed 0x0 … Right click released 0xb",
            "One byte each; there are no operands.",
        ],
        opcodes,
    ),
    must(
        [
            "2.3-2",
            "a key that was pressed is released",
            "",
            "in the form of key up / key down events",
            "Without the release the ship flies on for ever.",
        ],
        released,
    ),
    reading(
        [
            "2.3-3",
            "the state of keys is said again",
            "T5",
            "The client informs the server about all user input",
            "Nothing is acknowledged. A release that is lost must be said again, or the ship never stops.",
        ],
        said_again,
    ),
];

const SHOWN: &[Case] = &[
    must(
        [
            "2.1-7",
            "components are found by their names",
            "T2",
            "their position (starting from 0) will be used as the `component_id` in later communications",
            "Another server has another order, and may pad names longer. Build a table from the initialisation.",
        ],
        by_name,
    )
    .asks(),
    must(
        [
            "2.2-2",
            "what is created is shown where it is",
            "T4",
            "This instruction informs the client that an entity has been created",
            "Show what has a Position and a Kind.",
        ],
        shows_entity,
    )
    .asks(),
    must(
        [
            "2.2-3",
            "what is deleted is shown no more",
            "",
            "This instruction informs the client that an entity is deleted from the ECS.",
            "Remove it with all its components.",
        ],
        shows_deletion,
    )
    .asks(),
    must(
        [
            "2.2-4",
            "what stands before an unknown opcode counts",
            "T3",
            "allows the client to know for sure the number of bytes of each instruction",
            "Carry out what you could read, and drop the rest of the datagram.",
        ],
        before_unknown,
    )
    .asks(),
    must(
        [
            "2.2-5",
            "a repeated creation changes nothing",
            "T5",
            "an entity has been created, with no components attached",
            "Servers say everything again, because datagrams get lost. A known entity keeps what it has.",
        ],
        created_twice,
    )
    .asks(),
    reading(
        [
            "2.2-6",
            "an entity that is not heard of for 3 s is forgotten",
            "T5",
            "0x1 - Delete entity",
            "Its deletion may have been lost each time. What lives is said again each second.",
        ],
        forgotten,
    )
    .asks(),
    should(
        [
            "2.2-7",
            "the score is shown",
            "T4",
            "Components' internal state being updated",
            "`Score` is on an entity of its own.",
        ],
        shows_score,
    )
    .asks(),
    should(
        [
            "2.2-8",
            "the lives are shown",
            "T4",
            "Components' internal state being updated",
            "`Lives` is on the client's own ship.",
        ],
        shows_lives,
    )
    .asks(),
];

fn first(t: &mut Trial) -> Outcome {
    let (_, bytes) = TestServer::await_hello(t)?;
    match bytes.len() {
        0 => reads(1, "an empty datagram"),
        size => reads(2, format!("{size} bytes")),
    }
}

fn again(t: &mut Trial) -> Outcome {
    let (server, _) = TestServer::await_hello(t)?;
    let patience = t.patience() * 2;
    ensure(t.next(server.line, patience).is_some(), || "the hello was sent once only, though nothing came".into())?;
    PASSED
}

fn no_keys_before(t: &mut Trial) -> Outcome {
    let (server, _) = TestServer::await_hello(t)?;
    let patience = t.patience();
    let keys = t.until(server.line, patience, |_, bytes| (bytes.len() > 1).then_some(()));
    ensure(keys.is_none(), || "key events came before the initialisation".into())?;
    PASSED
}

/// Expects that the client goes on asking after an initialisation that is wrong.
fn is_not_taken(t: &mut Trial, spoil: fn(&mut Vec<u8>)) -> Outcome {
    let (server, hello) = TestServer::await_hello(t)?;
    let mut wrong = initialisation();
    spoil(&mut wrong);
    t.send(server.line, &wrong);
    t.send(server.line, &wrong);
    // A client that took it says no hello before it has heard nothing for a while.
    t.rest(Duration::from_millis(200));
    t.forget(server.line);
    let asks = t.until(server.line, Duration::from_millis(1_200), |_, bytes| (bytes == hello).then_some(()));
    ensure(asks.is_some(), || "the client takes it, and asks no more".into())?;
    PASSED
}

fn wrong_end(t: &mut Trial) -> Outcome {
    is_not_taken(t, |bytes| {
        bytes.pop();
        bytes.push(0xfe);
    })
}

fn wrong_count(t: &mut Trial) -> Outcome {
    is_not_taken(t, |bytes| bytes[1] -= 1)
}

fn wrong_name(t: &mut Trial) -> Outcome {
    is_not_taken(t, |bytes| bytes[4] = b' ')
}

fn noise(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    for _ in 0..60 {
        let size = 5 + t.dice.below(80) as usize;
        let mut bytes = t.random_bytes(size);
        bytes[0] |= 0x40;
        t.send(server.line, &bytes);
    }
    ensure(server.speaks(t), || "after random bytes the client says nothing any more".into())?;
    PASSED
}

/// Looks at all key events for a while; what is found is a fault. Skipped if none comes.
fn events(t: &mut Trial, mut look: impl FnMut(&[u8]) -> Option<String>) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let mut count = 0;
    let wrong = server.play(t, LISTENING, |bytes| {
        count += bytes.len();
        look(bytes)
    });
    match (wrong, count) {
        (Some(why), _) => failed(why),
        (None, 0) => Err(Stop::Skipped(PRESS_KEYS.into())),
        (None, _) => PASSED,
    }
}

fn opcodes(t: &mut Trial) -> Outcome {
    events(t, |bytes| bytes.iter().find(|byte| **byte > 0xb).map(|byte| format!("the byte {byte:#04x} came")))
}

fn released(t: &mut Trial) -> Outcome {
    let mut seen: BTreeSet<u8> = BTreeSet::new();
    events(t, |bytes| {
        seen.extend(bytes);
        None
    })?;
    let pressed = seen.iter().filter(|byte| *byte % 2 == 0).count();
    if seen.len() > pressed {
        return PASSED;
    }
    // Somebody may hold a few keys all the time; nobody holds all of them.
    ensure(pressed < 5, || format!("{pressed} keys were pressed, and none released"))?;
    Err(Stop::Skipped(LET_GO.into()))
}

fn said_again(t: &mut Trial) -> Outcome {
    let mut last = [0xff; 8];
    let mut repeats = 0;
    events(t, |bytes| {
        for byte in bytes {
            if let Some(last) = last.get_mut(usize::from(byte / 2)) {
                repeats += usize::from(std::mem::replace(last, *byte) == *byte);
            }
        }
        None
    })?;
    either(repeats >= 3, "the state of keys is said again", "only changes are said")
}

/// Lets a client in and shows it a drone under an id.
fn with_drone(t: &mut Trial, id: u16) -> Result<TestServer, Stop> {
    let mut server = TestServer::welcome(t)?;
    server.state.extend(entity(id, DRONE, 1_440.0, 300.0));
    server.play(t, Duration::from_secs(1), |_| None::<()>);
    Ok(server)
}

fn by_name(t: &mut Trial) -> Outcome {
    let (server, _) = TestServer::await_hello(t)?;
    let (names, renumber) = reversed();
    let mut state = server.state.clone();
    state.extend(entity(21, DRONE, 1_440.0, 300.0));
    for _ in 0..3 {
        t.send(server.line, &names);
        t.rest(Duration::from_millis(100));
        t.send(server.line, &renumber(&state));
        t.rest(Duration::from_millis(100));
    }
    ensure(t.ask(DRONE_AT)?, || "the client does not find components by their names".into())?;
    PASSED
}

fn shows_entity(t: &mut Trial) -> Outcome {
    with_drone(t, 11)?;
    ensure(t.ask(DRONE_AT)?, || "a drone was created at (1440, 300), and is not shown there".into())?;
    PASSED
}

fn shows_deletion(t: &mut Trial) -> Outcome {
    let mut server = with_drone(t, 23)?;
    server.state.retain(|instruction| !written(&[*instruction])[1..].starts_with(&[0, 23]));
    server.state.push(Instruction::DeleteEntity { entity_id: 23 });
    server.play(t, Duration::from_millis(700), |_| None::<()>);
    ensure(t.ask(About::NoEntity { kind: "drone" })?, || "a drone that was deleted is still shown".into())?;
    PASSED
}

fn before_unknown(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let mut bytes = written(&entity(24, DRONE, 1_440.0, 300.0));
    bytes.extend([0x77, 0, 0]);
    for _ in 0..4 {
        t.send(server.line, &bytes);
        server.play(t, Duration::from_millis(150), |_| None::<()>);
    }
    ensure(t.ask(DRONE_AT)?, || "a drone is created in front of an unknown opcode, and is not shown".into())?;
    PASSED
}

fn created_twice(t: &mut Trial) -> Outcome {
    let mut server = with_drone(t, 25)?;
    server.state.retain(|instruction| !written(&[*instruction])[1..].starts_with(&[0, 25]));
    server.state.push(Instruction::CreateEntity { entity_id: 25 });
    server.play(t, Duration::from_millis(400), |_| None::<()>);
    ensure(t.ask(DRONE_AT)?, || "a drone is shown no more after it was created once again".into())?;
    PASSED
}

fn forgotten(t: &mut Trial) -> Outcome {
    let mut server = with_drone(t, 26)?;
    server.state.retain(|instruction| !written(&[*instruction])[1..].starts_with(&[0, 26]));
    server.play(t, Duration::from_secs(5), |_| None::<()>);
    let is_gone = t.ask(About::NoEntity { kind: "drone" })?;
    either(is_gone, "what is not heard of for 3 s is forgotten", "only what is deleted goes")
}

fn shows_score(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    server.set(GAME, Component::Score(4_200));
    server.play(t, Duration::from_millis(700), |_| None::<()>);
    ensure(t.ask(About::Score(4_200))?, || "the score of 4200 is not shown".into())?;
    PASSED
}

fn shows_lives(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    server.set(SHIP, Component::Lives(7));
    server.play(t, Duration::from_millis(700), |_| None::<()>);
    ensure(t.ask(About::Lives(7))?, || "the seven lives are not shown".into())?;
    PASSED
}

fn silence_ends_it(t: &mut Trial) -> Outcome {
    let server = TestServer::welcome(t)?;
    let more = t.patience();
    t.rest(Duration::from_secs(10) + more);
    t.forget(server.line);
    let plays = t.until(server.line, LISTENING, |_, bytes| (!bytes.is_empty()).then_some(()));
    ensure(plays.is_none(), || "long after the server fell silent the client still sends keys".into())?;
    PASSED
}
