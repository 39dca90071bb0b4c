//! What a client of `aecs` must do.

use std::time::Duration;

use protocol::aecs::wire::{Component, FromClient, button};

use super::{
    GAME_INPUT, PING,
    test_server::{TestServer, await_stream, changes, connected, entity, game, ship},
    type_of,
};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, either, ensure, failed, must, reading, reads, should},
    question::About,
    trial::Trial,
};

/// How long a case listens to a player.
const LISTENING: Duration = Duration::from_secs(3);
const PRESS_KEYS: &str = "the client sent no inputs: somebody has to press keys meanwhile";
/// The Kind of a drone (docs/protocols/kinds.md).
const DRONE: u16 = 30;
const DRONE_AT: About = About::Entity { kind: "drone", x: 360, y: 75 };

pub const CHAPTERS: &[&[Case]] = &[CONNECTING, PLAYING, SHOWN];

const CONNECTING: &[Case] = &[
    must(
        [
            "1-1",
            "the client says nothing over TCP",
            "",
            "Once the server has detected the connection, it will send a CONNECTED packet",
            "It only listens there. Everything that it says goes over UDP.",
        ],
        tcp_is_silent,
    ),
    should(
        [
            "1-2",
            "PING is sent again until GAME_CHANGES come",
            "A2",
            "use TCP for the initial handshake",
            "The server learns your UDP address from your first datagram, and that may be lost. Go on until you hear something.",
        ],
        ping_again,
    ),
    must(
        [
            "6-1",
            "packet size is the size of what follows it",
            "A1",
            "This includes the packet type and the packet data, but not the packet size itself.",
            "Two less than the datagram, little-endian.",
        ],
        size,
    ),
    must(
        [
            "6-2",
            "a packet whose size is wrong is not confirmed",
            "C7",
            "packet size: The size of the packet, in bytes.",
            "A packet that contradicts itself may be half a packet.",
        ],
        wrong_size,
    ),
    must(
        [
            "6-3",
            "random bytes do no harm",
            "C7",
            "Every packet follows the follow architecture",
            "A data size beyond the datagram's end is where most parsers read too far.",
        ],
        noise,
    ),
];

const PLAYING: &[Case] = &[
    must(
        [
            "2-1",
            "GAME_INPUT is sent in each tick while keys are held",
            "A5",
            "At the end of each game tick, the client must send a GAME_INPUT packet to the server",
            "The server lets go of your keys after 100 ms without one.",
        ],
        rate,
    ),
    must(
        [
            "2-2",
            "the input count is that of the inputs",
            "A5",
            "The number of inputs, as an 8-bit unsigned integer.",
            "Otherwise the server drops the packet, and your ship stands still.",
        ],
        count,
    ),
    reading(
        [
            "2-3",
            "the input codes",
            "A5",
            "The inputs themselves, as 8-bit unsigned integers.",
            "The document gives none. Those of the authors' program are in ruling A5.",
        ],
        codes,
    ),
    must(
        [
            "5-1",
            "GAME_CHANGES are answered with CLIENT_PONG",
            "A3",
            "When the client receive this packet, it must send to the server a CLIENT_PONG packet",
            "Otherwise the server sends the same changes for ever.",
        ],
        pong,
    ),
    must(
        [
            "5-2",
            "CLIENT_PONG names the last tick of several",
            "A3",
            "which contains the game tick of the last change it received (as a GAME_CHANGES packet can contain information on multiple ticks)",
            "The last one, not the first.",
        ],
        last_tick,
    ),
    reading(
        [
            "5-3",
            "a repeated GAME_CHANGES is confirmed again",
            "A3",
            "When the client receive this packet, it must send to the server a CLIENT_PONG packet",
            "It came again because your CLIENT_PONG was lost.",
        ],
        pong_again,
    ),
    reading(
        [
            "5-4",
            "an older GAME_CHANGES does not take a confirmation back",
            "A3",
            "the game tick of the last change it received",
            "Datagrams overtake each other. Confirm the newest tick that you have.",
        ],
        newest,
    ),
    should(
        [
            "3-1",
            "a client whose server is silent for 5 s plays no more",
            "",
            "If the client did not send a GAME_INPUT, a CLIENT_PONG or a PING packet for 5 seconds, the server will disconnect the client.",
            "What holds for the server's side holds for yours: after 5 s nobody is there. Connecting again is fine.",
        ],
        silence_ends_it,
    ),
];

const SHOWN: &[Case] = &[
    should(
        [
            "1-3",
            "the player is told that there is no room",
            "A2",
            "Once the server has detected the connection, it will send a CONNECTED packet",
            "TCP that is closed without CONNECTED says that the server is full.",
        ],
        shows_full,
    )
    .asks(),
    must(
        [
            "5-5",
            "what changes is shown where it is",
            "A6",
            "At the beginning of each game tick, the client will check if it received any data from the server",
            "Position is component 1, Kind is component 3.",
        ],
        shows_entity,
    )
    .asks(),
    must(
        [
            "6.2-1",
            "what has no components any more is shown no more",
            "",
            "If the entity has to be removed, `data size` will be `0`, and `components` will be empty.",
            "Remove it; the id does not come back.",
        ],
        shows_removal,
    )
    .asks(),
    must(
        [
            "6.2-2",
            "an unknown component is skipped by its size",
            "A6",
            "component ID 2 bytes, data size 2 bytes, data",
            "That is what its data size is for. Go on behind it.",
        ],
        skips_unknown,
    )
    .asks(),
    should(
        [
            "5-6",
            "an older change is not shown",
            "A3",
            "The client may then push these changes to a queue",
            "Keep the tick of the newest change that you applied, and skip what is not newer.",
        ],
        old_change,
    )
    .asks(),
    should(
        [
            "6.2-3",
            "the score is shown",
            "A6",
            "Components are encoded as follows",
            "Score is component 9, on an entity of its own.",
        ],
        shows_score,
    )
    .asks(),
    should(
        [
            "6.2-4",
            "the lives are shown",
            "A6",
            "Components are encoded as follows",
            "Lives is component 10, on the client's own ship.",
        ],
        shows_lives,
    )
    .asks(),
];

fn tcp_is_silent(t: &mut Trial) -> Outcome {
    let stream = await_stream(t)?;
    t.send(stream, &connected());
    let quiet = t.quiet();
    let said = t.until(stream, quiet, |_, bytes| (!bytes.is_empty()).then_some(bytes.len()));
    match said {
        None => PASSED,
        Some(size) => failed(format!("the client sent {size} bytes over TCP")),
    }
}

fn ping_again(t: &mut Trial) -> Outcome {
    let (server, _) = TestServer::enter(t)?;
    t.forget(server.line);
    let patience = t.patience();
    let again = t.until(server.line, patience, |_, bytes| (type_of(bytes) == Some(PING)).then_some(()));
    ensure(again.is_some(), || "no second PING came, though no GAME_CHANGES were sent".into())?;
    PASSED
}

fn size(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let wrong = server.play(t, LISTENING, |bytes| {
        let said = bytes.first_chunk().map(|size| usize::from(u16::from_le_bytes(*size)));
        (said != bytes.len().checked_sub(2)).then(|| format!("packet size is {said:?} in {} bytes", bytes.len()))
    });
    wrong.map_or(PASSED, |why| Err(Stop::Failed(why)))
}

fn wrong_size(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    server.pongs(t);
    let tick = server.tick + 500;
    let mut bytes = changes(&[tick], &[]);
    bytes[0] += 1;
    t.send(server.line, &bytes);
    ensure(!server.pongs(t).contains(&tick), || {
        "a GAME_CHANGES whose packet size is one too many was confirmed".into()
    })?;
    PASSED
}

fn noise(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    for _ in 0..60 {
        let size = 8 + t.dice.below(80) as usize;
        let mut bytes = t.random_bytes(size);
        bytes[..3].copy_from_slice(&[(size - 2) as u8, 0, 0x81]);
        bytes[3] |= 0x40;
        t.send(server.line, &bytes);
    }
    ensure(server.speaks(t), || "after random bytes the client says nothing any more".into())?;
    PASSED
}

/// Looks at all GAME_INPUTs for a while; what is found is a fault. Skipped if none has a key.
fn inputs(t: &mut Trial, mut look: impl FnMut(&[u8]) -> Option<String>) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let mut count = 0;
    let wrong = server.play(t, LISTENING, |bytes| {
        let is_input = type_of(bytes) == Some(GAME_INPUT);
        count += usize::from(is_input && bytes.len() > 4);
        if is_input { look(bytes) } else { None }
    });
    match (wrong, count) {
        (Some(why), _) => failed(why),
        (None, 0) => Err(Stop::Skipped(PRESS_KEYS.into())),
        (None, _) => PASSED,
    }
}

fn rate(t: &mut Trial) -> Outcome {
    let mut all = 0;
    inputs(t, |_| {
        all += 1;
        None
    })?;
    ensure(all >= 45, || format!("{all} GAME_INPUTs came in 3 s"))?;
    PASSED
}

fn count(t: &mut Trial) -> Outcome {
    inputs(t, |bytes| {
        let said = bytes.get(3).copied().map(usize::from);
        let is = bytes.len().checked_sub(4);
        (said != is).then(|| format!("a GAME_INPUT announces {said:?} inputs and has {is:?}"))
    })
}

fn codes(t: &mut Trial) -> Outcome {
    let mut strange = Vec::new();
    inputs(t, |bytes| {
        if let Ok(FromClient::GameInput { inputs }) = FromClient::read(bytes) {
            strange.extend(inputs.iter().copied().filter(|code| button(*code).is_none()));
        }
        None
    })
    .map_err(Stop::in_the_way)?;
    strange.dedup();
    match strange.is_empty() {
        true => reads(1, "those of the authors' program"),
        false => reads(2, format!("others: {strange:?}")),
    }
}

/// Lets a client in, sends GAME_CHANGES of some ticks ahead of the present one, a few times; the ticks that it confirms.
fn confirms(t: &mut Trial, ahead: &[u32]) -> Result<(u32, Vec<u32>), Stop> {
    let mut server = TestServer::welcome(t)?;
    server.pongs(t);
    let ticks: Vec<u32> = ahead.iter().map(|ahead| server.tick + ahead).collect();
    for _ in 0..3 {
        t.send(server.line, &changes(&ticks, &[]));
    }
    Ok((server.tick, server.pongs(t)))
}

fn pong(t: &mut Trial) -> Outcome {
    let (_, pongs) = confirms(t, &[10])?;
    ensure(!pongs.is_empty(), || "no CLIENT_PONG came".into())?;
    PASSED
}

fn last_tick(t: &mut Trial) -> Outcome {
    let (tick, pongs) = confirms(t, &[10, 11, 12])?;
    ensure(!pongs.is_empty(), || "no CLIENT_PONG came".into()).map_err(Stop::in_the_way)?;
    ensure(pongs.contains(&(tick + 12)), || format!("changes up to tick {} were confirmed as {pongs:?}", tick + 12))?;
    PASSED
}

fn pong_again(t: &mut Trial) -> Outcome {
    let (_, pongs) = confirms(t, &[10])?;
    ensure(!pongs.is_empty(), || "no CLIENT_PONG came".into()).map_err(Stop::in_the_way)?;
    either(pongs.len() >= 2, "every GAME_CHANGES is confirmed", "a tick is confirmed once")
}

fn newest(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    server.pongs(t);
    let old = server.tick - 20;
    for _ in 0..3 {
        t.send(server.line, &changes(&[old], &[]));
    }
    let pongs = server.pongs(t);
    either(!pongs.contains(&old), "the newest tick is confirmed", "the tick that came last is confirmed")
}

fn shows_full(t: &mut Trial) -> Outcome {
    let stream = await_stream(t)?;
    t.close(stream);
    t.rest(Duration::from_secs(1));
    ensure(t.ask(About::Refused)?, || "the player is not told".into())?;
    PASSED
}

/// Lets a client in and shows it a drone.
fn with_drone(t: &mut Trial) -> Result<TestServer, Stop> {
    let mut server = TestServer::welcome(t)?;
    server.told = vec![entity(9, DRONE, 1_440.0, 300.0)];
    server.play(t, Duration::from_millis(700), |_| None::<()>);
    Ok(server)
}

fn shows_entity(t: &mut Trial) -> Outcome {
    with_drone(t)?;
    ensure(t.ask(DRONE_AT)?, || "a drone is at (1440, 300), and is not shown there".into())?;
    PASSED
}

fn shows_removal(t: &mut Trial) -> Outcome {
    let mut server = with_drone(t)?;
    server.told = vec![(9, Vec::new())];
    server.play(t, Duration::from_millis(700), |_| None::<()>);
    ensure(t.ask(About::NoEntity { kind: "drone" })?, || "a drone that was removed is still shown".into())?;
    PASSED
}

fn skips_unknown(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    let (id, mut components) = entity(9, DRONE, 1_440.0, 300.0);
    components.insert(0, Component::Unknown { component_id: 777, data: &[1, 2, 3] });
    server.told = vec![(id, components)];
    server.play(t, Duration::from_millis(700), |_| None::<()>);
    ensure(t.ask(DRONE_AT)?, || "a drone that has a component 777 beside its own is not shown".into())?;
    PASSED
}

fn old_change(t: &mut Trial) -> Outcome {
    let mut server = with_drone(t)?;
    let old = server.tick - 6;
    for _ in 0..3 {
        t.send(server.line, &changes(&[old], &[entity(12, 44, 480.0, 800.0)]));
    }
    server.told.clear();
    server.play(t, Duration::from_millis(200), |_| None::<()>);
    ensure(t.ask(About::NoEntity { kind: "mine" })?, || "a change that is older than the newest is shown".into())?;
    PASSED
}

fn shows_score(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    server.told = vec![game(4_200)];
    server.play(t, Duration::from_millis(700), |_| None::<()>);
    ensure(t.ask(About::Score(4_200))?, || "the score of 4200 is not shown".into())?;
    PASSED
}

fn shows_lives(t: &mut Trial) -> Outcome {
    let mut server = TestServer::welcome(t)?;
    server.told = vec![ship(7)];
    server.play(t, Duration::from_millis(700), |_| None::<()>);
    ensure(t.ask(About::Lives(7))?, || "the seven lives are not shown".into())?;
    PASSED
}

fn silence_ends_it(t: &mut Trial) -> Outcome {
    let server = TestServer::welcome(t)?;
    let more = t.patience();
    t.rest(Duration::from_secs(5) + more);
    t.forget(server.line);
    let plays = t.until(server.line, LISTENING, |_, bytes| (type_of(bytes) == Some(GAME_INPUT)).then_some(()));
    ensure(plays.is_none(), || "long after the server fell silent the client still plays".into())?;
    PASSED
}
