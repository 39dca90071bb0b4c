//! Sections 6.1, 6.2 and 7: bytes that are not a packet, and players who say that they are others.

use std::time::Duration;

use super::super::{
    INPUT, JOIN, PLAYER_ID_ASSIGNMENT, SNAPSHOT, raw,
    test_client::{DOWN, RIGHT, TestClient},
    type_of,
};
use crate::conform::{
    case::{Case, Outcome, PASSED, ensure, must, reading, reads},
    flight::Flight,
    trial::Trial,
};

const FLIGHT: Duration = Duration::from_millis(400);

pub const CASES: &[Case] = &[
    must(
        [
            "6.1-1",
            "a datagram shorter than a header is discarded",
            "C7",
            "Packets smaller than 7 bytes are silently discarded",
            "Compare the size before you read the first field.",
        ],
        stumps,
    ),
    must(
        [
            "6.1-2",
            "an unknown type is ignored",
            "C7",
            "Packets with invalid type codes are logged and ignored",
            "Use a default branch that only logs.",
        ],
        unknown_type,
    ),
    must(
        [
            "6.1-3",
            "an INPUT that is too short is ignored",
            "C7",
            "The server **MUST NOT** crash on malformed packets",
            "The header may be there without the payload. Check the size of each packet's payload, too.",
        ],
        short_input,
    ),
    reading(
        [
            "6.1-4",
            "an INPUT that is too long",
            "C7",
            "Payload size is calculated as: `bytesReceived - 7`",
            "Three bytes are an INPUT. Whether more of them still are, the document does not say; ours drops them.",
        ],
        long_input,
    ),
    must(
        [
            "6.1-5",
            "random bytes are not answered",
            "C7",
            "The server **MUST NOT** crash on malformed packets",
            "Everything that reaches your socket is read by your parser; a name of random bytes is no name (S2).",
        ],
        noise,
    ),
    must(
        [
            "6.1-6",
            "a packet that only servers send is ignored",
            "C7",
            "SNAPSHOT … Direction: Server → Client",
            "A client has no business to send it. Carrying it out would let anybody draw on all screens.",
        ],
        wrong_direction,
    ),
    must(
        [
            "6.2-1",
            "an INPUT with another Player ID is not rejected",
            "S5",
            "If mismatched, a warning is logged but the packet is not rejected",
            "The endpoint says who it is. Log the mismatch, and move the ship of the endpoint.",
        ],
        mismatch,
    ),
    must(
        [
            "6.2-2",
            "an INPUT moves no other player's ship",
            "S5",
            "Player ID validation ensures clients cannot impersonate other players",
            "Never take the Player ID of the packet as an index: find the player by the endpoint.",
        ],
        impersonation,
    ),
    must(
        [
            "7.1-1",
            "a datagram of more than 1,024 bytes does no harm",
            "C7",
            "All incoming packets are read into fixed-size buffers (1024 bytes)",
            "Give the size of the buffer to your receive call, and drop what fills it.",
        ],
        oversize,
    ),
];

fn stumps(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let whole = raw(INPUT, 20, 20, &[client.id, RIGHT, 1]);
    for size in 0..7 {
        t.send(client.line, &whole[..size]);
    }
    let quiet = t.quiet();
    client.wait(t, quiet);
    client.expect_life(t)?;
    PASSED
}

fn unknown_type(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let stranger = t.open()?;
    for packet_type in [0x77, 0x00, 0xff] {
        client.send(t, packet_type, &[1, 2, 3]);
        t.send(stranger, &raw(packet_type, 1, 1, &[1, 2, 3]));
    }
    let quiet = t.quiet();
    ensure(t.next(stranger, quiet).is_none(), || "a stranger's packet of unknown type was answered".into())?;
    client.expect_life(t)?;
    PASSED
}

fn short_input(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    for payload in [&[][..], &[client.id], &[client.id, RIGHT]] {
        client.send(t, INPUT, payload);
    }
    let (x, _) = client.flown(t, FLIGHT)?;
    ensure(x.abs() < 1.0, || format!("an INPUT without Action moved the ship by {x:.0}"))?;
    client.expect_life(t)?;
    PASSED
}

fn long_input(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    for _ in 0..3 {
        client.send(t, INPUT, &[client.id, RIGHT, 1, 0, 0]);
    }
    let (x, _) = client.flown(t, FLIGHT)?;
    match x > 1.0 {
        false => reads(1, "it is dropped"),
        true => reads(2, "the first three bytes count"),
    }
}

fn noise(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let stranger = t.open()?;
    for _ in 0..100 {
        let size = 7 + t.dice.below(80) as usize;
        let mut bytes = t.random_bytes(size);
        // A JOIN needs a name: these bytes are none.
        bytes[0] = if bytes[0] == JOIN { 3 } else { bytes[0] };
        t.send(stranger, &bytes);
        t.send(client.line, &bytes);
    }
    let quiet = t.quiet();
    ensure(t.next(stranger, quiet).is_none(), || "a stranger's random bytes were answered".into())?;
    client.expect_life(t)?;
    PASSED
}

fn wrong_direction(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.send(t, PLAYER_ID_ASSIGNMENT, &[3]);
    client.send(t, SNAPSHOT, &[]);
    let quiet = t.quiet();
    let answer = client.look(t, quiet, |_, bytes| (type_of(bytes) == Some(PLAYER_ID_ASSIGNMENT)).then_some(()));
    ensure(answer.is_none(), || "a PLAYER_ID_ASSIGNMENT of a client was answered".into())?;
    client.expect_life(t)?;
    PASSED
}

fn mismatch(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let other = (client.id + 3) % 4;
    for _ in 0..3 {
        client.send(t, INPUT, &[other, RIGHT, 1]);
    }
    let (x, _) = client.flown(t, FLIGHT)?;
    ensure(x > 1.0, || format!("an INPUT of player {} that says {other} was rejected", client.id))?;
    PASSED
}

fn impersonation(t: &mut Trial) -> Outcome {
    let mut victim = TestClient::join(t)?;
    let mut other = TestClient::join(t)?;
    for _ in 0..3 {
        other.send(t, INPUT, &[victim.id, DOWN, 1]);
    }
    let (_, y) = victim.flown(t, FLIGHT)?;
    ensure(y.abs() < 1.0, || format!("player {} moved the ship of player {} by {y:.0}", other.id, victim.id))?;
    PASSED
}

fn oversize(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.send(t, INPUT, &[0; 1_100]);
    client.send(t, INPUT, &[0; 8_000]);
    let quiet = t.quiet();
    client.wait(t, quiet);
    client.expect_life(t)?;
    PASSED
}
