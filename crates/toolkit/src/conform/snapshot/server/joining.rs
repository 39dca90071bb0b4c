//! Sections 4.2, 4.3, 6.3 and 6.4: joining, twice too, and a server without room.

use super::super::{
    JOIN, PLAYER_ID_ASSIGNMENT, SNAPSHOT, raw,
    test_client::{TestClient, join_as},
    type_of,
};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, either, ensure, failed, must, reading, should},
    full_server::{Entry, fill},
    trial::Trial,
    trial_network::Line,
};

pub const CASES: &[Case] = &[
    must(
        [
            "4.2-1",
            "JOIN is answered by PLAYER_ID_ASSIGNMENT",
            "S7",
            "Upon receiving a JOIN packet, the server assigns a Player ID and responds with a `PLAYER_ID_ASSIGNMENT` packet.",
            "It is the first thing that every client does, and it can do nothing before the answer.",
        ],
        join,
    ),
    must(
        [
            "4.2-2",
            "a username may end with a NUL",
            "S2",
            "UTF-8 encoded player username (null-terminated or length-prefixed)",
            "Cut the name at the first NUL; the packet is no worse for it.",
        ],
        nul,
    ),
    must(
        [
            "4.2-3",
            "a username may have its length in front",
            "S2",
            "UTF-8 encoded player username (null-terminated or length-prefixed)",
            "A first byte below 0x20 that is the number of bytes behind it can only be a length.",
        ],
        length,
    ),
    should(
        [
            "4.2-4",
            "an invalid username is not accepted",
            "S2",
            "UTF-8 encoded player username",
            "Check that the bytes are UTF-8 before you show or log them: others would have to bear it in TIMEOUT and KILLED.",
        ],
        bad_name,
    ),
    must(
        [
            "4.3-1",
            "a Player ID is 0 to 3",
            "C8",
            "Assigned player identifier (0-3, or 255 if full)",
            "There are four slots. A higher number is the index of something else.",
        ],
        id_range,
    ),
    must(
        [
            "4.3-2",
            "PLAYER_ID_ASSIGNMENT has one byte of payload",
            "",
            "Player ID | 1 byte",
            "The payload is one byte, 8 bytes in all. An `int` instead of a `uint8_t` makes it 11.",
        ],
        assignment_size,
    ),
    must(
        [
            "4.3-3",
            "two players have two Player IDs",
            "",
            "Server maintains authoritative player slot mapping by endpoint",
            "Look for a free slot each time, and mark it as taken before you answer.",
        ],
        two_ids,
    ),
    must(
        [
            "6.3-1",
            "a second JOIN is answered",
            "S7",
            "Server resends the `PLAYER_ID_ASSIGNMENT` with the already-assigned Player ID",
            "If your answer was lost, the client asks again. Answer every JOIN.",
        ],
        second_join,
    ),
    must(
        [
            "6.3-2",
            "a second JOIN gets the same Player ID",
            "",
            "Server resends the `PLAYER_ID_ASSIGNMENT` with the already-assigned Player ID",
            "Find the endpoint among your clients before you look for a free slot.",
        ],
        same_id,
    ),
    must(
        [
            "6.3-3",
            "a second JOIN makes no second ship",
            "",
            "No new player slot is allocated",
            "Creating the ship belongs to taking a slot, not to answering JOIN.",
        ],
        one_ship,
    )
    .alone(),
    must(
        [
            "6.4-1",
            "a full server answers 255",
            "",
            "Server responds with `PLAYER_ID_ASSIGNMENT` containing Player ID = `255`",
            "A client that hears nothing cannot tell a full server from one that is off.",
        ],
        full,
    )
    .alone(),
    must(
        [
            "6.4-2",
            "a client that was refused is sent no SNAPSHOT",
            "",
            "Client should display \"Server Full\" message and disconnect",
            "It has no slot. Put an endpoint on your list of receivers only with one.",
        ],
        refused_gets_nothing,
    )
    .alone(),
    must(
        [
            "7.2-1",
            "INPUT of somebody who never joined is not answered",
            "C5",
            "Server maintains authoritative player slot mapping by endpoint",
            "Only JOIN makes an endpoint known. Drop everything else from strangers.",
        ],
        stranger,
    ),
    reading(
        [
            "4.2-5",
            "a username that is padded with NULs",
            "S2",
            "UTF-8 encoded player username (null-terminated or length-prefixed)",
            "A field of fixed size in C is padded. By ruling S2 the name ends at the first NUL, however many follow.",
        ],
        padded,
    ),
];

fn joins_with(t: &mut Trial, name: &[u8]) -> Outcome {
    let line = t.open()?;
    join_as(t, line, name)?;
    PASSED
}

fn join(t: &mut Trial) -> Outcome {
    joins_with(t, b"Ann")
}

/// Joins with a form of the name that only some servers know; one that knows none is told of elsewhere.
fn also_joins_with(t: &mut Trial, name: &[u8]) -> Outcome {
    let line = t.open()?;
    match join_as(t, line, name) {
        Ok(_) => PASSED,
        Err(why) => {
            TestClient::enter(t)?;
            Err(why)
        }
    }
}

fn nul(t: &mut Trial) -> Outcome {
    also_joins_with(t, b"Ann\0")
}

fn length(t: &mut Trial) -> Outcome {
    also_joins_with(t, b"\x03Ann")
}

fn bad_name(t: &mut Trial) -> Outcome {
    let line = t.open()?;
    t.send(line, &raw(JOIN, 0, 0, b"\xff\xfe\xfd"));
    let quiet = t.quiet();
    ensure(t.next(line, quiet).is_none(), || "a JOIN whose name is not UTF-8 was answered".into())?;
    PASSED
}

/// The payload of the answer to a JOIN.
fn assignment(t: &mut Trial) -> Result<Vec<u8>, Stop> {
    let line = t.open()?;
    join_as(t, line, b"Ann").map_err(Stop::in_the_way)
}

fn id_range(t: &mut Trial) -> Outcome {
    match assignment(t)?.first() {
        Some(0..=3) => PASSED,
        Some(255) => Err(Stop::Blocked("the server is full".into())),
        other => failed(format!("the Player ID is {other:?}")),
    }
}

fn assignment_size(t: &mut Trial) -> Outcome {
    let payload = assignment(t)?;
    ensure(payload.len() == 1, || format!("its payload has {} bytes", payload.len()))?;
    PASSED
}

fn two_ids(t: &mut Trial) -> Outcome {
    let (first, second) = (assignment(t)?, assignment(t)?);
    if second.first() == Some(&255) {
        return Err(Stop::Blocked("the server is full".into()));
    }
    ensure(first.first() != second.first(), || format!("both have Player ID {:?}", first.first()))?;
    PASSED
}

/// Sends a second JOIN; the Player ID of the answer.
fn join_again(t: &mut Trial, line: Line) -> Result<u8, Stop> {
    let payload = join_as(t, line, b"Ann")?;
    payload.first().copied().ok_or_else(|| Stop::Blocked("the answer has no Player ID".into()))
}

fn second_join(t: &mut Trial) -> Outcome {
    let client = TestClient::enter(t)?;
    t.forget(client.line);
    join_again(t, client.line)?;
    PASSED
}

fn same_id(t: &mut Trial) -> Outcome {
    let client = TestClient::enter(t)?;
    let again = join_again(t, client.line).map_err(Stop::in_the_way)?;
    ensure(again == client.id, || format!("first {}, then {again}", client.id))?;
    PASSED
}

fn one_ship(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let ships = |client: &TestClient| client.seen.keys().filter(|id| **id < 4).count();
    let before = ships(&client);
    join_again(t, client.line).map_err(Stop::in_the_way)?;
    client.wait(t, std::time::Duration::from_millis(700));
    // Others may have joined meanwhile; a server that makes a ship for each JOIN makes several here.
    let after = ships(&client);
    ensure(after <= before, || format!("there were {before} ships, and after a second JOIN {after}"))?;
    PASSED
}

/// Takes all slots that are free; the line that comes too late, and its answer.
fn too_late(t: &mut Trial) -> Result<(Line, Result<Vec<u8>, Stop>), Stop> {
    fill(t, |t, _| {
        let line = t.open()?;
        let answer = join_as(t, line, b"Ann");
        match answer.as_deref() {
            Ok([id @ 0..=254, ..]) => {
                // A second sign of life: until then the slot may be given to somebody else (C14).
                t.rest(std::time::Duration::from_millis(200));
                t.send(line, &raw(super::super::INPUT, 20, 20, &[*id, 0x28, 0]));
                Ok(Entry::Seated)
            }
            _ => Ok(Entry::Refused((line, answer))),
        }
    })
}

fn full(t: &mut Trial) -> Outcome {
    let (_, answer) = too_late(t)?;
    let payload = answer?;
    ensure(payload.first() == Some(&255), || format!("the last JOIN was answered with {:?}", payload.first()))?;
    PASSED
}

fn refused_gets_nothing(t: &mut Trial) -> Outcome {
    let (line, _) = too_late(t)?;
    let quiet = t.quiet();
    let told = t.until(line, quiet, |_, bytes| (type_of(bytes) == Some(SNAPSHOT)).then_some(()));
    ensure(told.is_none(), || "a client without a slot is sent SNAPSHOTs".into())?;
    PASSED
}

fn stranger(t: &mut Trial) -> Outcome {
    let line = t.open()?;
    for _ in 0..3 {
        t.send(line, &raw(super::super::INPUT, 1, 1, &[0, 0x27, 1]));
    }
    t.send(line, &raw(PLAYER_ID_ASSIGNMENT, 1, 1, &[0]));
    let quiet = t.quiet();
    ensure(t.next(line, quiet).is_none(), || "a stranger's INPUT was answered".into())?;
    PASSED
}

fn padded(t: &mut Trial) -> Outcome {
    let line = t.open()?;
    let is_taken = join_as(t, line, b"Ann\0\0\0\0\0").is_ok();
    if !is_taken {
        TestClient::enter(t)?;
    }
    either(is_taken, "it ends at the first NUL", "it is none")
}
