//! Packet structures: sizes, types, and bytes that are not a packet.

use std::time::Duration;

use super::super::{
    CLIENT_PONG, GAME_INPUT, PING, SERVER_PONG, raw,
    test_client::{RIGHT, TestClient},
    type_of,
};
use crate::conform::{
    case::{Case, Outcome, PASSED, ensure, must},
    flight::Flight,
    trial::Trial,
};

pub const CASES: &[Case] = &[
    must(
        [
            "6-1",
            "packet size is the size of what follows it",
            "A1",
            "This includes the packet type and the packet data, but not the packet size itself.",
            "Two less than the datagram. It is little-endian (A1).",
        ],
        size,
    ),
    must(
        [
            "6-2",
            "a packet whose size is wrong is dropped",
            "C7",
            "packet size: The size of the packet, in bytes.",
            "Compare it with the datagram before you read on.",
        ],
        wrong_size,
    ),
    must(
        [
            "6-3",
            "an unknown type is dropped",
            "C7",
            "packet type: … This is a single byte, which can be one of the following",
            "Clients send 0, 1 and 2.",
        ],
        unknown_type,
    ),
    must(
        [
            "6-4",
            "a packet that only servers send is dropped",
            "C7",
            "Server packets: 0x80 … 0x82",
            "A SERVER_PONG of a client means nothing.",
        ],
        wrong_direction,
    ),
    must(
        [
            "6.5-1",
            "a GAME_INPUT whose count is wrong is dropped",
            "A5",
            "The number of inputs, as an 8-bit unsigned integer.",
            "The count says how many bytes follow. If it lies, read none of them.",
        ],
        wrong_count,
    ),
    must(
        [
            "6.7-1",
            "a CLIENT_PONG without a whole tick does no harm",
            "C7",
            "tick | 4 bytes",
            "Four bytes, or it is no CLIENT_PONG. Check before you read.",
        ],
        short_pong,
    ),
    must(
        [
            "6.7-2",
            "a CLIENT_PONG of a future tick does no harm",
            "A3",
            "This packet contains the game tick of the last change the client received.",
            "Confirm only what you sent. Forgetting changes that were never sent loses them.",
        ],
        future_pong,
    ),
    must(
        [
            "6-5",
            "datagrams too short to be a packet do no harm",
            "C7",
            "2 bytes packet size, 1 byte packet type",
            "Three bytes are the least. Compare before you read.",
        ],
        stumps,
    ),
    must(
        [
            "6-6",
            "random bytes do no harm",
            "C7",
            "Every packet follows the follow architecture",
            "Everything that reaches your socket is read by your parser.",
        ],
        noise,
    ),
    must(
        [
            "6.6-1",
            "a PING with data is dropped",
            "C7",
            "This packet does not contain any data",
            "Packet size is 1 for a PING. Anything else is another packet, or none.",
        ],
        long_ping,
    ),
];

fn size(t: &mut Trial) -> Outcome {
    let mut client = TestClient::enter(t)?;
    let mut wrong = None;
    for _ in 0..6 {
        client.send(t, PING, &[]);
        let found = client.look(t, Duration::from_millis(200), |_, bytes| {
            let said = bytes.first_chunk().map(|size| usize::from(u16::from_le_bytes(*size)));
            (said != bytes.len().checked_sub(2)).then_some((said, bytes.len()))
        });
        wrong = wrong.or(found);
    }
    match wrong {
        None => PASSED,
        Some((said, is)) => {
            crate::conform::case::failed(format!("packet size is {said:?} in a datagram of {is} bytes"))
        }
    }
}

/// Expects that no SERVER_PONG answers a packet.
fn is_dropped(t: &mut Trial, bytes: &[u8]) -> Outcome {
    let mut client = TestClient::enter(t)?;
    let quiet = t.quiet();
    client.wait(t, quiet);
    ensure(!client.is_ponged(t, bytes, 1), || "it was answered with SERVER_PONG".into())?;
    client.expect_life(t)?;
    PASSED
}

fn wrong_size(t: &mut Trial) -> Outcome {
    is_dropped(t, &[2, 0, PING])
}

fn unknown_type(t: &mut Trial) -> Outcome {
    is_dropped(t, &raw(0x44, &[]))
}

fn wrong_direction(t: &mut Trial) -> Outcome {
    is_dropped(t, &raw(SERVER_PONG, &[]))
}

fn long_ping(t: &mut Trial) -> Outcome {
    is_dropped(t, &raw(PING, &[1, 2]))
}

fn wrong_count(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    for _ in 0..5 {
        client.send(t, GAME_INPUT, &[3, RIGHT]);
    }
    let (x, _) = client.flown(t, Duration::from_millis(400))?;
    ensure(x.abs() < 1.0, || format!("a GAME_INPUT that announces 3 inputs and has 1 moved the ship by {x:.0}"))?;
    PASSED
}

fn short_pong(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.send(t, CLIENT_PONG, &[]);
    client.send(t, CLIENT_PONG, &[1, 2, 3]);
    let quiet = t.quiet();
    client.wait(t, quiet);
    client.expect_life(t)?;
    PASSED
}

fn future_pong(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.confirms = false;
    let future = client.newest.wrapping_add(100_000);
    client.send(t, CLIENT_PONG, &future.to_le_bytes());
    client.hold(t, &[RIGHT]);
    let (x, _) = client.flown(t, Duration::from_millis(400))?;
    ensure(x > 1.0, || "after a CLIENT_PONG of a future tick, nothing more is told".into())?;
    PASSED
}

fn stumps(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    for bytes in [&[][..], &[1], &[1, 0], &[0, 0]] {
        t.send(client.line, bytes);
    }
    let quiet = t.quiet();
    client.wait(t, quiet);
    client.expect_life(t)?;
    PASSED
}

fn noise(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    for _ in 0..100 {
        let size = 8 + t.dice.below(80) as usize;
        let bytes = t.random_bytes(size);
        t.send(client.line, &bytes);
    }
    let quiet = t.quiet();
    let answer = client.look(t, quiet, |_, bytes| (type_of(bytes) == Some(SERVER_PONG)).then_some(()));
    ensure(answer.is_none(), || "random bytes were answered".into())?;
    client.expect_life(t)?;
    PASSED
}
