//! Section 4.1: keys.

use std::time::Duration;

use super::super::{
    INPUT,
    test_client::{DOWN, FIRE, LEFT, RIGHT, TestClient, UP},
};
use protocol::Dialect;

use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, either, ensure, must, reading, reads, should},
    flight::{Flight, FlightDirection},
    pilot::launches_force,
    trial::Trial,
};

/// Long enough for a ship to fly a good way.
const FLIGHT: Duration = Duration::from_millis(400);
const SETTLE: Duration = Duration::from_millis(200);

pub const CASES: &[Case] = &[
    must(
        [
            "4.1-1",
            "the arrow keys fly the ship",
            "S3",
            "Key Code: Key identifier (e.g., arrow keys, spacebar) … 0x26 = Up arrow",
            "The example's 0x26 is the up arrow of Windows; its neighbours are 0x25 left, 0x27 right, 0x28 down. y grows downwards.",
        ],
        arrows,
    ),
    must(
        [
            "4.1-2",
            "a key that comes up stops the ship",
            "",
            "Action type: 0=Key Up, 1=Key Down",
            "Keep for each player which keys are down; 0 takes one away.",
        ],
        key_up,
    ),
    must(
        [
            "4.1-3",
            "a key that is held stays held",
            "",
            "Action type: 0=Key Up, 1=Key Down",
            "A key is down until a Key Up comes. Do not move the ship once for each packet: the client sends only changes.",
        ],
        held,
    ),
    must(
        [
            "4.1-4",
            "the space bar fires",
            "S3",
            "Key identifier (e.g., arrow keys, spacebar)",
            "0x20 is the space bar, by the same table as the example's up arrow.",
        ],
        fires,
    ),
    reading(
        [
            "4.1-5",
            "the key codes of the authors' program",
            "S3",
            "Key Code: Key identifier (e.g., arrow keys, spacebar)",
            "The authors' program sends 0 down, 1 up, 2 left, 3 right, 4 fire. A server that takes both serves everybody (S3).",
        ],
        authors_codes,
    ),
    must(
        [
            "4.1-6",
            "an Action other than 0 and 1 moves nothing",
            "C7",
            "Action type: 0=Key Up, 1=Key Down",
            "`if (action)` takes 7 for a press. Compare with both values, and drop the rest.",
        ],
        odd_action,
    ),
    must(
        [
            "4.1-7",
            "an unknown key is ignored",
            "S3",
            "Key Code | 1 byte",
            "Any byte may come. If you look a key up in a table, see that it is in there first.",
        ],
        odd_key,
    ),
    should(
        [
            "4.1-8",
            "a key pressed and released at once still counts",
            "C10",
            "Input commands are immediately applied to player entities",
            "Both packets may come between two ticks. Remember the press until a tick has used it, or taps get lost.",
        ],
        tap,
    ),
    should(
        [
            "4.1-11",
            "the Force button launches the Force",
            "S3",
            "Key Code: Key identifier (e.g., arrow keys, spacebar)",
            "0x10, the shift key, is the Force: it is launched, and called back with the next press (S3).",
        ],
        force,
    )
    .slow(),
    must(
        [
            "4.1-9",
            "INPUTs that were lost leave no gap",
            "S4",
            "Packet ID: Sequence number for packet ordering",
            "Packet IDs that never came are lost datagrams. Go on with the next; wait for none of them.",
        ],
        lost,
    ),
    reading(
        [
            "4.1-10",
            "an INPUT that was overtaken",
            "S4",
            "Packet ID: Sequence number for packet ordering",
            "Only an older SNAPSHOT is out of date. By ruling S4 an older INPUT still counts, or a Key Up would get lost.",
        ],
        overtaken,
    ),
];

fn arrows(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    for (code, direction) in [
        (RIGHT, FlightDirection::Right),
        (LEFT, FlightDirection::Left),
        (DOWN, FlightDirection::Down),
        (UP, FlightDirection::Up),
    ] {
        client.key(t, code, 1);
        let (x, y) = client.flown(t, FLIGHT)?;
        let is_right = direction.is_flown((x, y));
        ensure(is_right, || format!("with {code:#04x} ({}) down, the ship flew ({x:.0}, {y:.0})", direction.name()))?;
        client.key(t, code, 0);
        client.wait(t, SETTLE);
    }
    PASSED
}

/// Lets the ship fly right, and expects that it does.
fn fly_right(t: &mut Trial) -> Result<TestClient, Stop> {
    let mut client = TestClient::join(t)?;
    client.key(t, RIGHT, 1);
    let (x, _) = client.flown(t, FLIGHT)?;
    ensure(x > 1.0, || "the ship does not fly".into()).map_err(Stop::in_the_way)?;
    Ok(client)
}

fn key_up(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.key(t, UP, 1);
    let (_, y) = client.flown(t, FLIGHT)?;
    ensure(y < -1.0, || "the ship does not fly up".into()).map_err(Stop::in_the_way)?;
    client.key(t, UP, 0);
    client.wait(t, SETTLE);
    let (_, y) = client.flown(t, FLIGHT)?;
    ensure(y > -1.0, || format!("after Key Up the ship flew on by {:.0}", -y))?;
    PASSED
}

fn held(t: &mut Trial) -> Outcome {
    let mut client = fly_right(t)?;
    client.wait(t, FLIGHT);
    let (x, _) = client.flown(t, FLIGHT)?;
    ensure(x > 1.0, || "0.8 s after Key Down the ship stands still, though no Key Up came".into())?;
    PASSED
}

fn fires(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    ensure(shoots(t, &mut client, FIRE)?, || "the space bar was pressed and released, and no shot is seen".into())?;
    PASSED
}

/// Whether something appears before the ship when a key is pressed and released.
fn shoots(t: &mut Trial, client: &mut TestClient, code: u8) -> Result<bool, Stop> {
    for _ in 0..4 {
        client.key(t, code, 1);
        client.wait(t, Duration::from_millis(100));
        client.key(t, code, 0);
        let (x, y) = client.place()?;
        let is_shot = |(at_x, at_y, path): &(f32, f32, String)| {
            let is_word =
                ["shot", "beam", "bullet", "missile", "laser", "projectile"].iter().any(|word| path.contains(word));
            is_word && *at_x > x && (at_y - y).abs() < 60.0
        };
        let seen =
            client.look(t, Duration::from_millis(400), |client, _| client.seen.values().any(is_shot).then_some(()));
        if seen.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn authors_codes(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.key(t, 3, 1);
    let (x, _) = client.flown(t, FLIGHT)?;
    match x > 1.0 {
        true => reads(1, "0 to 4 are taken, beside the arrow keys"),
        false => reads(2, "only the arrow keys are taken"),
    }
}

fn odd_action(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.key(t, RIGHT, 7);
    let (x, _) = client.flown(t, FLIGHT)?;
    ensure(x.abs() < 1.0, || format!("with Action 7 the ship flew {x:.0}"))?;
    PASSED
}

fn odd_key(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    for code in [0xee, 0xff, 0x7f] {
        client.key(t, code, 1);
    }
    let direction = client.flown(t, FLIGHT)?;
    ensure(direction.0.abs() < 1.0 && direction.1.abs() < 1.0, || {
        format!("with unknown keys the ship flew {direction:?}")
    })?;
    client.expect_life(t)?;
    PASSED
}

fn tap(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let (x, _) = client.place()?;
    for _ in 0..10 {
        client.send(t, INPUT, &[client.id, RIGHT, 1]);
        client.send(t, INPUT, &[client.id, RIGHT, 0]);
        client.wait(t, Duration::from_millis(100));
    }
    let (later, _) = client.place()?;
    ensure(later - x > 1.0, || "ten taps of the right arrow did not move the ship".into())?;
    PASSED
}

fn force(t: &mut Trial) -> Outcome {
    launches_force(t, Dialect::Snapshot)
}

fn lost(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.packet_id += 2_000;
    client.key(t, RIGHT, 1);
    let (x, _) = client.flown(t, FLIGHT)?;
    ensure(x > 1.0, || "after a gap of 2,000 Packet IDs an INPUT moves nothing".into())?;
    PASSED
}

fn overtaken(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.packet_id += 20;
    client.key(t, UP, 0);
    client.packet_id -= 20;
    client.key(t, RIGHT, 1);
    let (x, _) = client.flown(t, FLIGHT)?;
    either(x > 1.0, "it still counts", "it is dropped")
}
