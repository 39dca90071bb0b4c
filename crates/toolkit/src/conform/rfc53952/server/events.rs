//! Sections 5.9 and 5.10: what players do, and validations.

use std::time::Duration;

use super::super::{raw, read_validation, test_client::TestClient, validation};
use protocol::Dialect;

use crate::conform::{
    case::{Case, Finding, Outcome, PASSED, Stop, ensure, failed, must, reading, reads, should},
    flight::FlightDirection,
    pilot::launches_force,
    trial::Trial,
};

/// Long enough for a ship to fly a good way.
const FLIGHT: Duration = Duration::from_millis(400);

pub const CASES: &[Case] = &[
    must(
        [
            "5.9-1",
            "`right`, `left`, `down`, `up` fly the ship that way",
            "F6",
            "if the client wants to move, he may specify its direction (\"left\", \"right\", \"down\", \"up\").",
            "y grows downwards: `up` makes it smaller. Compare the whole word, as it stands in the document.",
        ],
        directions,
    ),
    should(
        [
            "5.9-2",
            "`-right` stops flying right",
            "F6",
            "IdEvent: For example, the client sets id to 1 to tell the server that he wants to move his entity.",
            "The document lets a ship begin to move, and gives it no way to stop. By ruling F6 a minus before the direction does.",
        ],
        minus_stops,
    ),
    should(
        [
            "5.9-3",
            "`stop` stops all movement",
            "F6",
            "Description: Precision of an action.",
            "A client that lost its focus does not know which keys were up first; `stop` ends them all (F6).",
        ],
        stop_stops,
    ),
    should(
        [
            "5.9-4",
            "event 2 without description is a shot",
            "F6",
            "The Description is OPTIONAL in this packet (null if not used).",
            "A packet without description is whole: Datasize is 1. Do not wait for more.",
        ],
        single_shot,
    ),
    should(
        [
            "5.9-5",
            "`press` and `release` charge the beam",
            "F6",
            "Description: Precision of an action.",
            "In R-Type the beam charges while the button is held, so a press and a release are two events (F6).",
        ],
        held_fire,
    ),
    must(
        [
            "5.9-6",
            "an unknown event is validated",
            "F4 F6",
            "Every packets needs validation.",
            "The packet is well formed, so its sender waits for the validation and would send it again for ever. Validate, then ignore.",
        ],
        unknown_event,
    ),
    must(
        [
            "5.9-7",
            "ClientEvents without IdEvent are dropped",
            "",
            "The Id is MANDATORY in this packet.",
            "With Datasize 0 there is no IdEvent to read. The packet is invalid: nothing should be returned.",
        ],
        no_id,
    ),
    should(
        [
            "5.9-8",
            "an event older than the newest is not carried out",
            "F6",
            "ideal for time-sensitive applications such as latency calculation, synchronization, or packet ordering",
            "Packets overtake each other. A late `-right` must not end a later `right`: compare timestamps.",
        ],
        old_event,
    ),
    reading(
        [
            "5.9-9",
            "what an unused Description is",
            "F2",
            "The Description is OPTIONAL in this packet (null if not used).",
            "“Null” may be no bytes, or one byte 0. Accept both; send none (F2).",
        ],
        null_description,
    ),
    must(
        [
            "5.10-1",
            "a validation names the timestamp of the packet that came",
            "F4",
            "PacketTimestamp: Timestamp of the packet received.",
            "Copy the Timestamp of the packet; do not take the time of now. It is how its sender knows what you mean.",
        ],
        timestamp_is_copied,
    ),
    must(
        [
            "5.10-2",
            "a validation is not validated",
            "F4",
            "Every packets needs validation.",
            "If validations were validated, two programs would go on for ever. All packets but PacketValidation are.",
        ],
        no_endless_chain,
    ),
    must(
        [
            "5.10-3",
            "two packets of one second get two validations",
            "F4",
            "Every packets needs validation.",
            "Timestamps are whole seconds, so two packets may look the same. Validate each one that comes: senders count.",
        ],
        two_of_a_second,
    ),
    must(
        [
            "5.10-4",
            "a validation of what was never sent is harmless",
            "C7",
            "In case of an error, for example an invalid packet, nothing should be returned.",
            "Look the packet up in what you still wait for; if it is not there, do nothing.",
        ],
        wild_validation,
    ),
    should(
        [
            "5.9-10",
            "the Force button launches the Force",
            "F6",
            "IdEvent: For example, the client sets id to 1",
            "Event 3 is the Force: it is launched, and called back with the next one (F6).",
        ],
        force,
    )
    .slow(),
    should(
        [
            "5.9-11",
            "event 4, which starts the game, is validated",
            "F6",
            "Every packets needs validation.",
            "In a game that runs already it changes nothing. Its sender still waits for the validation.",
        ],
        start,
    ),
];

/// How far the test client's ship flies in a while.
fn flown(t: &mut Trial, client: &mut TestClient, time: Duration) -> Result<(f32, f32), Stop> {
    let [x, y, ..] = client.ship(t, Duration::ZERO)?;
    let [later_x, later_y, ..] = client.ship(t, time)?;
    Ok((later_x - x, later_y - y))
}

/// Sends a move until it is validated, and says whether it was.
fn steer(t: &mut Trial, client: &mut TestClient, description: &str) -> bool {
    let bytes = raw(9, t.now().seconds(), &[b"\x01", description.as_bytes()].concat());
    client.is_validated(t, &bytes)
}

/// Stops the ship by any means that there is.
fn halt(t: &mut Trial, client: &mut TestClient, direction: &str) {
    steer(t, client, &format!("-{direction}"));
    steer(t, client, "stop");
    client.look(t, Duration::from_millis(200), |_, _| None::<()>);
}

fn directions(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    for direction in [FlightDirection::Right, FlightDirection::Left, FlightDirection::Down, FlightDirection::Up] {
        steer(t, &mut client, direction.name());
        let (x, y) = flown(t, &mut client, FLIGHT)?;
        ensure(direction.is_flown((x, y)), || format!("after `{}` the ship flew ({x:.0}, {y:.0})", direction.name()))?;
        halt(t, &mut client, direction.name());
    }
    PASSED
}

/// Lets the ship fly right; then `stop` should end that.
fn is_stopped_by(t: &mut Trial, stop: &str) -> Outcome {
    let mut client = TestClient::join(t)?;
    steer(t, &mut client, "right");
    let (x, _) = flown(t, &mut client, FLIGHT)?;
    ensure(x > 1.0, || "the ship does not fly".into()).map_err(Stop::in_the_way)?;
    steer(t, &mut client, stop);
    client.look(t, Duration::from_millis(200), |_, _| None::<()>);
    let (x, _) = flown(t, &mut client, FLIGHT)?;
    ensure(x < 1.0, || format!("after `{stop}` the ship flew on by {x:.0}"))?;
    PASSED
}

fn minus_stops(t: &mut Trial) -> Outcome {
    is_stopped_by(t, "-right")
}

fn stop_stops(t: &mut Trial) -> Outcome {
    is_stopped_by(t, "stop")
}

/// Whether something new appears at the height of the ship after some events.
fn something_is_fired(t: &mut Trial, client: &mut TestClient, descriptions: &[&[u8]]) -> Result<bool, Stop> {
    let known: Vec<u32> = client.created.keys().copied().collect();
    for description in descriptions {
        let bytes = raw(9, t.now().seconds(), &[b"\x02", *description].concat());
        client.is_validated(t, &bytes);
        client.look(t, Duration::from_millis(300), |_, _| None::<()>);
    }
    let [_, y, ..] = client.ship(t, Duration::ZERO)?;
    let is_shot = |client: &TestClient| {
        let is_word =
            |path: &str| ["shot", "beam", "bullet", "missile", "laser"].iter().any(|word| path.contains(word));
        let is_near = |id: &u32| client.places.get(id).is_some_and(|place| (place[1] - y).abs() < 60.0);
        client.created.iter().any(|(id, path)| !known.contains(id) && is_word(path) && is_near(id))
    };
    let patience = t.patience();
    Ok(is_shot(client) || client.look(t, patience, |client, _| is_shot(client).then_some(())).is_some())
}

fn single_shot(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    ensure(something_is_fired(t, &mut client, &[b""])?, || "event 2 without description, and no shot".into())?;
    PASSED
}

fn held_fire(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    ensure(something_is_fired(t, &mut client, &[b"press", b"release"])?, || "`press`, `release`, and no shot".into())?;
    PASSED
}

fn null_description(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    match something_is_fired(t, &mut client, &[&[0]])? {
        true => reads(1, "one byte 0 is as good as none"),
        false => reads(2, "one byte 0 is another description"),
    }
}

fn unknown_event(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let bytes = raw(9, t.now().seconds(), b"\xc8dance");
    ensure(client.is_validated(t, &bytes), || "ClientEvents with IdEvent 200 are not validated".into())?;
    PASSED
}

fn no_id(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let timestamp = t.now().seconds() - 100;
    let heard = client.hears_validation_of(t, &raw(9, timestamp, &[]), (9, timestamp));
    ensure(!heard, || "ClientEvents without data were validated".into())?;
    client.expect_life(t)?;
    PASSED
}

fn old_event(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    steer(t, &mut client, "right");
    client.look(t, FLIGHT, |_, _| None::<()>);
    t.send(client.line, &raw(9, t.now().seconds() - 20, b"\x01-right"));
    client.look(t, Duration::from_millis(200), |_, _| None::<()>);
    let (x, _) = flown(t, &mut client, FLIGHT)?;
    ensure(x > 1.0, || "a `-right` with a timestamp of 20 s ago ended the `right` of now".into())?;
    PASSED
}

fn timestamp_is_copied(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let timestamp = t.now().seconds() - 3;
    let mut other = None;
    let found = client.ask(t, &raw(4, timestamp, &[]), |_, bytes| {
        let (_, stamp) = read_validation(bytes).filter(|(about, _)| *about == 4)?;
        other = Some(stamp).filter(|stamp| *stamp != timestamp).or(other);
        (stamp == timestamp).then_some(Finding::Passed)
    });
    match (found, other) {
        (Some(found), _) => Ok(found),
        (None, Some(stamp)) => failed(format!("a Ping of {timestamp} was validated as one of {stamp}")),
        (None, None) => Err(Stop::Blocked("no Ping is validated".into())),
    }
}

fn no_endless_chain(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let quiet = t.quiet();
    client.send(t, 10, &validation(2, t.now().seconds()));
    let answer = client.look(t, quiet, |_, bytes| read_validation(bytes).filter(|(about, _)| *about == 10));
    ensure(answer.is_none(), || "a PacketValidation was validated".into())?;
    PASSED
}

fn two_of_a_second(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let timestamp = t.now().seconds();
    let mut most = 0;
    // Either may be lost, and so may its validation.
    for _ in 0..3 {
        t.forget(client.line);
        t.send(client.line, &raw(9, timestamp, b"\x01up"));
        t.send(client.line, &raw(9, timestamp, b"\x01-up"));
        let mut count = 0;
        let quiet = t.quiet();
        client.look(t, quiet, |_, bytes| {
            count += usize::from(read_validation(bytes) == Some((9, timestamp)));
            None::<()>
        });
        most = most.max(count);
    }
    ensure(most >= 2, || format!("two ClientEvents of one second got {most} validations"))?;
    PASSED
}

fn wild_validation(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    for packet_type in 1..=9 {
        client.send(t, 10, &validation(packet_type, 12_345));
    }
    let quiet = t.quiet();
    client.look(t, quiet, |_, _| None::<()>);
    client.expect_life(t)?;
    PASSED
}

fn force(t: &mut Trial) -> Outcome {
    launches_force(t, Dialect::Rfc53952)
}

fn start(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let bytes = raw(9, t.now().seconds(), &[4]);
    ensure(client.is_validated(t, &bytes), || "ClientEvents with IdEvent 4 are not validated".into())?;
    client.expect_life(t)?;
    PASSED
}
