//! Step 3: what clients send.

use std::time::Duration;

use super::super::{
    GAME_INPUT, PING, SERVER_PONG, inputs, raw,
    test_client::{DOWN, FIRE, LEFT, RIGHT, TestClient, UP},
    type_of,
};
use protocol::Dialect;

use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, either, ensure, failed, must, reading, reads, should},
    flight::{Flight, FlightDirection},
    pilot::launches_force,
    trial::Trial,
};

const FLIGHT: Duration = Duration::from_millis(400);
const SETTLE: Duration = Duration::from_millis(250);
/// Silence after which a client is disconnected.
const SILENCE: Duration = Duration::from_secs(5);

pub const CASES: &[Case] = &[
    must(
        [
            "3-1",
            "PING is answered with SERVER_PONG",
            "A7",
            "If the server receives a PING packet, it must respond with a SERVER_PONG packet instantly.",
            "It is packet 0x01, not ICMP. Answer at once, not in the next tick of your game.",
        ],
        ping,
    ),
    must(
        [
            "3-2",
            "every PING is answered",
            "A4",
            "If the server receives a PING packet, it must respond with a SERVER_PONG packet instantly.",
            "Also the second and the third.",
        ],
        pings,
    ),
    must(
        [
            "3-3",
            "inputs fly the ship",
            "A5",
            "the server must perform the actions described by the packet on the game tick it currently is",
            "The document gives no codes; those of the authors' program are 16 left, 3 right, 25 up, 18 down (A5).",
        ],
        directions,
    ),
    reading(
        [
            "3-4",
            "the arrow keys",
            "A5",
            "The inputs themselves, as 8-bit unsigned integers.",
            "The authors' program sends 71 to 74 for the arrow keys; ruling A5 takes both.",
        ],
        arrows,
    ),
    must(
        [
            "3-5",
            "57 fires",
            "A5",
            "the server must perform the actions described by the packet",
            "57 is the space bar of the authors' program.",
        ],
        fires,
    ),
    must(
        [
            "3-6",
            "a key that is listed no more is up",
            "A5",
            "which contains the client's input for that game tick",
            "Each GAME_INPUT lists all keys that are held. What is missing was released.",
        ],
        released,
    ),
    reading(
        [
            "3-7",
            "keys are held for 100 ms at most",
            "A5",
            "At the end of each game tick, the client must send a GAME_INPUT packet",
            "A client that is lost must not fly on: without a GAME_INPUT for 100 ms, let go of all keys.",
        ],
        keys_expire,
    ),
    must(
        [
            "3-8",
            "5 s of silence end the session",
            "",
            "If the client did not send a GAME_INPUT, a CLIENT_PONG or a PING packet for 5 seconds, the server will disconnect the client.",
            "Keep the time of the last packet of each client, and compare it in your loop.",
        ],
        silence_ends_it,
    ),
    must(
        [
            "3-9",
            "3 s of silence end nothing",
            "",
            "If the client did not send a GAME_INPUT, a CLIENT_PONG or a PING packet for 5 seconds, the server will disconnect the client.",
            "A network that stutters is no reason to throw a player out: the limit is 5 s.",
        ],
        short_silence_is_borne,
    ),
    should(
        [
            "3-10",
            "a key pressed and released at once still counts",
            "C10",
            "the server must perform the actions described by the packet on the game tick it currently is",
            "Both packets may come between two ticks. Remember the press until a tick has used it.",
        ],
        tap,
    ),
    must(
        [
            "3-11",
            "an unknown input is ignored",
            "A5",
            "The inputs themselves, as 8-bit unsigned integers.",
            "Any byte may come. If you look a key up in a table, see that it is in there first.",
        ],
        unknown,
    ),
    must(
        [
            "3-12",
            "inputs move the sender's ship only",
            "",
            "the client's input for that game tick",
            "Find the player by the address that the datagram came from.",
        ],
        only_own,
    ),
    should(
        [
            "3-13",
            "the Force button launches the Force",
            "A5",
            "the server must perform the actions described by the packet",
            "38 is the Force: it is launched, and called back with the next press (A5).",
        ],
        force,
    )
    .slow(),
];

fn ping(t: &mut Trial) -> Outcome {
    let mut client = TestClient::enter(t)?;
    t.forget(client.line);
    ensure(client.is_ponged(t, &raw(PING, &[]), 5), || "no SERVER_PONG answers PING".into())?;
    PASSED
}

fn pings(t: &mut Trial) -> Outcome {
    let mut client = TestClient::enter(t)?;
    let mut most = 0;
    // Either may be lost.
    for _ in 0..3 {
        t.forget(client.line);
        for _ in 0..3 {
            client.send(t, PING, &[]);
        }
        let mut count = 0;
        let quiet = t.quiet();
        client.look(t, quiet, |_, bytes| {
            count += usize::from(type_of(bytes) == Some(SERVER_PONG));
            None::<()>
        });
        most = most.max(count);
    }
    ensure(most > 0, || "no PING is answered".into()).map_err(Stop::in_the_way)?;
    ensure(most >= 3, || format!("three PINGs got {most} SERVER_PONGs"))?;
    PASSED
}

fn directions(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    for (key, direction) in [
        (RIGHT, FlightDirection::Right),
        (LEFT, FlightDirection::Left),
        (DOWN, FlightDirection::Down),
        (UP, FlightDirection::Up),
    ] {
        client.hold(t, &[key]);
        let (x, y) = client.flown(t, FLIGHT)?;
        ensure(direction.is_flown((x, y)), || {
            format!("with input {key} ({}) the ship flew ({x:.0}, {y:.0})", direction.name())
        })?;
        client.hold(t, &[]);
        client.wait(t, SETTLE);
    }
    PASSED
}

fn arrows(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.hold(t, &[72]);
    let (x, _) = client.flown(t, FLIGHT)?;
    match x > 1.0 {
        true => reads(1, "71 to 74 are taken too"),
        false => reads(2, "71 to 74 mean nothing"),
    }
}

fn fires(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    for _ in 0..4 {
        client.hold(t, &[FIRE]);
        client.wait(t, Duration::from_millis(120));
        client.hold(t, &[]);
        let shot = client.look(t, Duration::from_millis(500), |client, _| {
            let is_shot = |known: &super::super::test_client::KnownEntity| (10..30).contains(&known.kind);
            client.entities.values().any(is_shot).then_some(())
        });
        if shot.is_some() {
            return PASSED;
        }
    }
    failed("input 57 was held and let go four times, and no shot appeared")
}

fn fly_right(t: &mut Trial) -> Result<TestClient, Stop> {
    let mut client = TestClient::join(t)?;
    client.hold(t, &[RIGHT]);
    let (x, _) = client.flown(t, FLIGHT)?;
    ensure(x > 1.0, || "the ship does not fly".into()).map_err(Stop::in_the_way)?;
    Ok(client)
}

fn released(t: &mut Trial) -> Outcome {
    let mut client = fly_right(t)?;
    client.hold(t, &[]);
    client.wait(t, SETTLE);
    let (x, _) = client.flown(t, FLIGHT)?;
    ensure(x < 1.0, || format!("after a GAME_INPUT without keys the ship flew on by {x:.0}"))?;
    PASSED
}

fn keys_expire(t: &mut Trial) -> Outcome {
    let mut client = fly_right(t)?;
    client.held.clear();
    client.wait(t, SETTLE);
    let (x, _) = client.flown(t, FLIGHT)?;
    either(x < 1.0, "keys are let go after 100 ms", "keys are held until the next GAME_INPUT")
}

fn silence_ends_it(t: &mut Trial) -> Outcome {
    let client = TestClient::join(t)?;
    t.ends_after(client.line, SILENCE, "5 s without a packet of the client")
}

fn short_silence_is_borne(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    t.rest(Duration::from_secs(3));
    client.expect_life(t)?;
    PASSED
}

fn tap(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let (x, _) = client.place()?;
    for _ in 0..10 {
        client.send(t, GAME_INPUT, &inputs(&[RIGHT]));
        client.send(t, GAME_INPUT, &inputs(&[]));
        client.wait(t, Duration::from_millis(100));
    }
    let (later, _) = client.place()?;
    ensure(later - x > 1.0, || "ten taps of the right key did not move the ship".into())?;
    PASSED
}

fn unknown(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.hold(t, &[200, 255, RIGHT]);
    let (x, _) = client.flown(t, FLIGHT)?;
    ensure(x > 1.0, || "beside the unknown inputs 200 and 255, input 3 is not carried out".into())?;
    client.expect_life(t)?;
    PASSED
}

fn only_own(t: &mut Trial) -> Outcome {
    let mut watches = TestClient::join(t)?;
    let mut flies = TestClient::join(t)?;
    flies.hold(t, &[DOWN]);
    let (_, y) = watches.flown(t, FLIGHT)?;
    ensure(y.abs() < 1.0, || format!("the input of one player moved the ship of another by {y:.0}"))?;
    PASSED
}

fn force(t: &mut Trial) -> Outcome {
    launches_force(t, Dialect::Aecs)
}
