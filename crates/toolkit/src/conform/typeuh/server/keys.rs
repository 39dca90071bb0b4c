//! Section 2.3: key events.

use std::time::Duration;

use super::super::test_client::{DOWN, FIRE, LEFT, RIGHT, TestClient, UP};
use protocol::Dialect;

use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, either, ensure, failed, must, reading, reads, should},
    flight::{Flight, FlightDirection},
    pilot::launches_force,
    trial::Trial,
};

const FLIGHT: Duration = Duration::from_millis(400);
const SETTLE: Duration = Duration::from_millis(200);
/// Silence after which a session ends (ruling T6).
const SILENCE: Duration = Duration::from_secs(300);
/// The Kind of an ordinary shot (docs/protocols/kinds.md).
const SHOTS: std::ops::RangeInclusive<u16> = 10..=29;

pub const CASES: &[Case] = &[
    must(["2.3-1", "the keys fly the ship", "",
        "Right key pressed 0x0 … Up key pressed 0x2 … Left key pressed 0x4 … Down key pressed 0x6",
        "The order is right, up, left, down. y grows downwards."],
        directions),
    must(["2.3-2", "a released key stops the ship", "",
        "Right key released 0x1",
        "Even opcodes press, odd ones release."],
        released),
    must(["2.3-3", "a key that is held stays held", "",
        "in the form of key up / key down events",
        "A key is down until it is released. The client sends changes only."],
        held),
    must(["2.3-4", "a datagram may hold several events", "T3",
        "the communication is done through an instruction-based stream of bytes",
        "Go through all bytes of the datagram, not only the first."],
        several),
    should(["2.3-5", "the left click fires", "T6",
        "Left click pressed 0x8",
        "The document names the keys and not what they do (T6)."],
        fires),
    should(["2.3-6", "a key pressed and released at once still counts", "C10",
        "in the form of key up / key down events",
        "Both may be in one datagram. Remember the press until a tick has used it."],
        tap),
    reading(["2.3-7", "what stands behind an unknown opcode", "T3",
        "each instruction has its specific operands",
        "The size of an unknown instruction is unknown, so what follows means nothing (T3)."],
        unknown),
    reading(["2.3-8", "a click has no operand", "T7",
        "The current instruction set doesn't use operands with any instruction; this is to come in later updates",
        "The byte behind a click is the next event."],
        no_operand),
    must(["2.3-9", "bytes that are not events do no harm", "C7",
        "Instruction set … 0xb",
        "Any byte may come; look it up only if it is below 12."],
        noise),
    must(["2.3-10", "a long datagram does no harm", "C7",
        "each instruction has its specific operands",
        "Your buffer has an end. Give its size to the receive call."],
        long),
    must(["2.3-11", "keys move the sender's ship only", "",
        "The client informs the server about all user input",
        "Find the player by the address that the datagram came from."],
        only_own),
    should(["2.3-12", "5 minutes of silence end the session", "T6",
        "The client informs the server about all user input",
        "A player who presses nothing sends nothing, so be patient; but the seat of a client that crashed must become free some day."],
        silence_ends_it).slow(),
    should(["2.3-13", "a minute of silence ends nothing", "T6",
        "The client informs the server about all user input",
        "There is no sign of life in this dialect: a calm player says nothing at all."],
        calm_is_borne).slow(),
    should(
        [
            "2.3-14",
            "the Force button launches the Force",
            "T6",
            "Right click pressed 0xa",
            "The right click is the Force: it is launched, and called back with the next click (T6).",
        ],
        force,
    )
    .slow(),
];

fn directions(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    for (key, direction) in [
        (LEFT, FlightDirection::Left),
        (DOWN, FlightDirection::Down),
        (UP, FlightDirection::Up),
        (RIGHT, FlightDirection::Right),
    ] {
        client.keys(t, &[key]);
        let (x, y) = client.flown(t, FLIGHT)?;
        ensure(direction.is_flown((x, y)), || {
            format!("with {key:#04x} ({}) the ship flew ({x:.0}, {y:.0})", direction.name())
        })?;
        client.keys(t, &[key + 1]);
        client.wait(t, SETTLE);
    }
    PASSED
}

fn fly_right(t: &mut Trial) -> Result<TestClient, Stop> {
    let mut client = TestClient::join(t)?;
    client.keys(t, &[RIGHT]);
    let (x, _) = client.flown(t, FLIGHT)?;
    ensure(x > 1.0, || "the ship does not fly".into()).map_err(Stop::in_the_way)?;
    Ok(client)
}

fn released(t: &mut Trial) -> Outcome {
    let mut client = fly_right(t)?;
    client.keys(t, &[RIGHT + 1]);
    // Within a second everything is said again.
    client.wait(t, Duration::from_millis(1_100));
    let (x, _) = client.flown(t, FLIGHT)?;
    ensure(x < 1.0, || format!("after 0x01 the ship flew on by {x:.0}"))?;
    PASSED
}

fn held(t: &mut Trial) -> Outcome {
    let mut client = fly_right(t)?;
    client.wait(t, FLIGHT);
    let (x, _) = client.flown(t, FLIGHT)?;
    ensure(x > 1.0, || "0.8 s after the key was pressed the ship stands still".into())?;
    PASSED
}

fn several(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.keys(t, &[LEFT + 1, UP + 1, RIGHT, DOWN]);
    let (x, y) = client.flown(t, FLIGHT)?;
    ensure(x > 1.0 && y > 1.0, || format!("after 05 03 00 06 in one datagram the ship flew ({x:.0}, {y:.0})"))?;
    PASSED
}

fn fires(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let patience = t.patience();
    for _ in 0..3 {
        client.keys(t, &[FIRE]);
        client.wait(t, Duration::from_millis(100));
        client.keys(t, &[FIRE + 1]);
        let is_shot = |client: &TestClient| SHOTS.clone().any(|kind| !client.of_kind(kind).is_empty());
        if client.look(t, patience / 3, |client, _| is_shot(client).then_some(())).is_some() {
            return PASSED;
        }
    }
    failed("the left click was pressed and released three times, and no shot was created")
}

fn tap(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let (x, _) = client.place()?;
    for _ in 0..10 {
        t.send(client.line, &[RIGHT, RIGHT + 1]);
        client.wait(t, Duration::from_millis(100));
    }
    client.wait(t, Duration::from_secs(1));
    let (later, _) = client.place()?;
    ensure(later - x > 1.0, || "ten taps of the right key did not move the ship".into())?;
    PASSED
}

fn unknown(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.keys(t, &[0x4c, RIGHT]);
    let (x, _) = client.flown(t, FLIGHT)?;
    match x > 1.0 {
        false => reads(1, "it is dropped"),
        true => reads(2, "it is read on"),
    }
}

fn no_operand(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.keys(t, &[FIRE, DOWN]);
    let (_, y) = client.flown(t, FLIGHT)?;
    either(y > 1.0, "the byte behind a click is the next event", "the byte behind a click is an operand")
}

fn noise(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    for _ in 0..50 {
        let size = 1 + t.dice.below(60) as usize;
        let bytes: Vec<u8> = (0..size).map(|_| 12 + t.dice.below(244) as u8).collect();
        t.send(client.line, &bytes);
    }
    let quiet = t.quiet();
    client.wait(t, quiet);
    client.expect_life(t)?;
    PASSED
}

fn long(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    t.send(client.line, &[RIGHT + 1; 2_000]);
    t.send(client.line, &[RIGHT + 1; 9_000]);
    let quiet = t.quiet();
    client.wait(t, quiet);
    client.expect_life(t)?;
    PASSED
}

fn only_own(t: &mut Trial) -> Outcome {
    let mut watches = TestClient::join(t)?;
    let flies = TestClient::join(t)?;
    flies.keys(t, &[DOWN]);
    let (_, y) = watches.flown(t, FLIGHT)?;
    ensure(y.abs() < 1.0, || format!("the key of one player moved the ship of another by {y:.0}"))?;
    PASSED
}

fn silence_ends_it(t: &mut Trial) -> Outcome {
    let client = TestClient::join(t)?;
    t.ends_after(client.line, SILENCE, "5 minutes without a datagram of the client")
}

fn calm_is_borne(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    t.rest(Duration::from_secs(60));
    client.expect_life(t)?;
    PASSED
}

fn force(t: &mut Trial) -> Outcome {
    launches_force(t, Dialect::Typeuh)
}
