//! Sections 1 and 2: the header, and confirmations.

use std::time::Duration;

use super::super::{
    MOVE, POSITION, RESPONSE, SHOOT, SPAWN, body_of, body_size_of, kind_of, raw, test_client::TestClient, timestamp_of,
};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, ensure, failed, must, reading, reads, should},
    trial::Trial,
};

const LISTENING: Duration = Duration::from_secs(2);
const DATAGRAM_MAX: usize = 1_200;

pub const CASES: &[Case] = &[
    must(
        [
            "1-1",
            "BODY_SIZE is the size of the body",
            "R1",
            "BODY_SIZE: must represent the size of the BODY",
            "Eight bytes, big-endian, without the 17 bytes of the header.",
        ],
        body_size,
    ),
    must(
        [
            "1-2",
            "TYPE is 0 or 1, and METHOD 0 to 13",
            "R1",
            "TYPE … Must be one of those values: 0: request, 1: response",
            "TYPE is the two high bits of the first byte, METHOD the six low ones. A bit field of C may be laid out the other way round.",
        ],
        kinds,
    ),
    must(
        [
            "1-3",
            "timestamps do not go back",
            "R2",
            "CREATION_TIMESTAMP: must represent the creation date of the request",
            "Take it when you make the request, from one clock; a repeat keeps that of the first.",
        ],
        order,
    ),
    reading(
        [
            "1-4",
            "the unit of CREATION_TIMESTAMP",
            "R2",
            "CREATION_TIMESTAMP | 8 bytes",
            "The document gives no unit. By ruling R2 it is microseconds since 1970, so that two requests never have the same.",
        ],
        unit,
    ),
    must(
        [
            "1-5",
            "a response repeats the timestamp of its request",
            "R2",
            "this must be the the CREATION_TIMESTAMP of the request this responds to",
            "Copy it. Only with it can the other end know which request you mean.",
        ],
        copied,
    ),
    must(
        [
            "1-6",
            "a datagram whose BODY_SIZE is wrong is dropped",
            "R4",
            "BODY_SIZE: must represent the size of the BODY",
            "Compare it with what follows the header before you read on.",
        ],
        wrong_size,
    ),
    must(
        [
            "1-7",
            "an unknown METHOD is not answered",
            "C7",
            "METHOD … Must be one of those values",
            "Use a default branch that does nothing.",
        ],
        unknown_method,
    ),
    must(
        [
            "1-8",
            "a TYPE of 2 or 3 is not answered",
            "C7",
            "TYPE … Must be one of those values: 0: request, 1: response",
            "Two bits have four values; two of them mean nothing.",
        ],
        unknown_type,
    ),
    must(
        [
            "2-1",
            "a request is confirmed",
            "",
            "If a confirmation is required, the response must at least contain a header even if the METHOD doesn't need a body",
            "A client sends its request again until it is confirmed.",
        ],
        is_confirmed,
    ),
    must(
        [
            "2-2",
            "a repeated request is confirmed again",
            "R2",
            "If a confirmation is required, the response must at least contain a header",
            "Your first response was lost; otherwise the request would not have come again.",
        ],
        confirmed_again,
    ),
    should(
        [
            "2-3",
            "a repeated request is not carried out again",
            "R2",
            "this must be the the CREATION_TIMESTAMP of the request this responds to",
            "METHOD and timestamp name a request. Keep the last ones, and answer a known one as before.",
        ],
        not_twice,
    ),
    must(
        [
            "2-4",
            "what was confirmed is not sent again",
            "R2",
            "Need confirmation: Yes",
            "Strike it from what you wait for.",
        ],
        not_again,
    ),
    should(
        [
            "2-5",
            "no datagram is larger than 1,200 bytes",
            "C2",
            "Then, connection to the lobby in UDP.",
            "Larger datagrams are cut into fragments, and many networks drop those.",
        ],
        datagram_size,
    ),
    must(
        [
            "2-6",
            "datagrams too short for a header do no harm",
            "C7",
            "For all type of connections, the data sent must respect the following binary format",
            "17 bytes are the least. Compare before you read.",
        ],
        stumps,
    ),
    must(
        [
            "2-7",
            "random bytes do no harm",
            "C7",
            "For all type of connections, the data sent must respect the following binary format",
            "A BODY_SIZE of 2^64 − 1 is where a careless reader allocates all memory.",
        ],
        noise,
    ),
    should(
        [
            "2-8",
            "a datagram holds one message",
            "R3",
            "For all type of connections, the data sent must respect the following binary format",
            "The document joins no messages. A client that reads one of them loses the others.",
        ],
        one_message,
    ),
    should(
        [
            "2-9",
            "nobody is answered at a lobby's port but for JOIN",
            "C5",
            "The client should then connect to the UDP socket of the lobby",
            "Anybody can forge an address. Answer a stranger's JOIN, and drop everything else from strangers.",
        ],
        stranger,
    ),
];

/// Looks at what comes to a player who flies; what is found is a fault.
fn listen(t: &mut Trial, mut look: impl FnMut(&[u8]) -> Option<String>) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.fly(t, 3, 1);
    match client.look(t, LISTENING, |_, bytes| look(bytes)) {
        Some(why) => Err(Stop::Failed(why)),
        None => PASSED,
    }
}

fn body_size(t: &mut Trial) -> Outcome {
    listen(t, |bytes| {
        let (said, is) = (body_size_of(bytes)?, body_of(bytes).len() as u64);
        (said != is && joined(bytes).is_none()).then(|| format!("BODY_SIZE is {said} before a body of {is} bytes"))
    })
}

fn kinds(t: &mut Trial) -> Outcome {
    listen(t, |bytes| {
        let kind = kind_of(bytes)?;
        let is_known = kind & 0x80 == 0 && kind & 0x3f <= 13;
        (!is_known).then(|| format!("a first byte of {kind:#04x} came"))
    })
}

fn order(t: &mut Trial) -> Outcome {
    let mut newest = 0;
    listen(t, |bytes| {
        // POSITION is never repeated.
        let stamp = timestamp_of(bytes).filter(|_| kind_of(bytes) == Some(POSITION))?;
        let before = newest;
        newest = stamp.max(before);
        (stamp.saturating_add(1_000_000) < before).then(|| format!("after timestamp {before} came {stamp}"))
    })
}

fn unit(t: &mut Trial) -> Outcome {
    let (mut oldest, mut newest) = (u64::MAX, 0);
    listen(t, |bytes| {
        let stamp = timestamp_of(bytes).filter(|_| kind_of(bytes) == Some(POSITION))?;
        (oldest, newest) = (stamp.min(oldest), stamp.max(newest));
        None
    })?;
    match newest.saturating_sub(oldest) {
        100_000..=20_000_000 => reads(1, "microseconds"),
        100..=20_000 => reads(2, "milliseconds"),
        1..=10 => reads(3, "seconds"),
        other => reads(4, format!("{other} in two seconds")),
    }
}

/// A MOVE that stops what was never started.
fn harmless(t: &mut Trial, client: &mut TestClient) -> Vec<u8> {
    raw(MOVE, client.stamp(t), &[&client.id.to_be_bytes()[..], &[1, 0]].concat())
}

fn copied(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let bytes = harmless(t, &mut client);
    let answer = client.ask(t, &bytes).ok_or_else(|| Stop::Blocked("MOVE is not confirmed".into()))?;
    let (asked, answered) = (timestamp_of(&bytes), timestamp_of(&answer));
    ensure(asked == answered, || format!("a request of {asked:?} was confirmed as one of {answered:?}"))?;
    PASSED
}

/// Expects that a spoilt MOVE is not answered.
fn is_dropped(t: &mut Trial, spoil: fn(&mut Vec<u8>)) -> Outcome {
    let mut client = TestClient::join(t)?;
    let mut bytes = harmless(t, &mut client);
    spoil(&mut bytes);
    ensure(!client.is_answered(t, &bytes), || "it was answered".into())?;
    client.expect_life(t)?;
    PASSED
}

fn wrong_size(t: &mut Trial) -> Outcome {
    is_dropped(t, |bytes| bytes[8] += 1)
}

fn unknown_method(t: &mut Trial) -> Outcome {
    is_dropped(t, |bytes| bytes[0] = 20)
}

fn unknown_type(t: &mut Trial) -> Outcome {
    is_dropped(t, |bytes| bytes[0] = 0x80 | MOVE)
}

fn is_confirmed(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let bytes = harmless(t, &mut client);
    ensure(client.ask(t, &bytes).is_some(), || "MOVE is not confirmed".into())?;
    PASSED
}

fn confirmed_again(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let bytes = harmless(t, &mut client);
    client.ask(t, &bytes).ok_or_else(|| Stop::Blocked("MOVE is not confirmed".into()))?;
    client.wait(t, Duration::from_millis(300));
    ensure(client.ask(t, &bytes).is_some(), || "a repeated MOVE is not confirmed".into())?;
    PASSED
}

fn not_twice(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let bytes = raw(SHOOT, client.stamp(t), &client.id.to_be_bytes());
    let blocked = || Stop::Blocked("SHOOT is not confirmed".into());
    let first = client.ask(t, &bytes).ok_or_else(blocked)?;
    client.wait(t, Duration::from_millis(900));
    let second = client.ask(t, &bytes).ok_or_else(blocked)?;
    ensure(body_of(&first) == body_of(&second), || "a repeated SHOOT was another shot".into())?;
    PASSED
}

fn not_again(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let mut times: std::collections::BTreeMap<Vec<u8>, usize> = std::collections::BTreeMap::new();
    client.look(t, Duration::from_secs(3), |_, bytes| {
        if kind_of(bytes) == Some(SPAWN) {
            *times.entry(bytes.to_vec()).or_default() += 1;
        }
        None::<()>
    });
    // The ship, at least, is spawned again after the game has begun; a confirmation may be lost now and then.
    let again = times.values().filter(|times| **times > 3).count();
    ensure(again == 0, || format!("{again} SPAWNs came more than three times, though they were confirmed"))?;
    PASSED
}

fn datagram_size(t: &mut Trial) -> Outcome {
    listen(t, |bytes| (bytes.len() > DATAGRAM_MAX).then(|| format!("a datagram of {} bytes came", bytes.len())))
}

fn stumps(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let whole = harmless(t, &mut client);
    for size in 0..17 {
        t.send(client.line, &whole[..size]);
    }
    client.expect_life(t)?;
    PASSED
}

fn noise(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    for _ in 0..100 {
        let size = 17 + t.dice.below(80) as usize;
        let mut bytes = t.random_bytes(size);
        // No response, and no LEAVE: those may mean something.
        bytes[0] = 20 + bytes[0] % 40;
        t.send(client.line, &bytes);
    }
    let quiet = t.quiet();
    let answer = client.look(t, quiet, |_, bytes| kind_of(bytes).filter(|kind| *kind == RESPONSE | 20));
    if answer.is_some() {
        return failed("random bytes were answered");
    }
    client.expect_life(t)?;
    PASSED
}

/// The message that stands behind another one in a datagram, if there is one.
fn joined(bytes: &[u8]) -> Option<&[u8]> {
    let rest = body_of(bytes).get(usize::try_from(body_size_of(bytes)?).ok()?..)?;
    let is_message = kind_of(rest).is_some_and(|kind| kind & 0x3f <= 13)
        && body_size_of(rest).is_some_and(|size| size <= body_of(rest).len() as u64);
    is_message.then_some(rest)
}

fn one_message(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.fly(t, 3, 1);
    let wrong = client.look(t, LISTENING * 2, |_, bytes| {
        let rest = joined(bytes)?;
        Some(format!("a datagram of {} bytes holds a second message of {} bytes", bytes.len(), rest.len()))
    });
    wrong.map_or(PASSED, |why| Err(Stop::Failed(why)))
}

fn stranger(t: &mut Trial) -> Outcome {
    let client = TestClient::join(t)?;
    let line = t.open_to(client.port)?;
    let (now, id) = (t.now().micros(), client.id.to_be_bytes());
    for (number, method) in [MOVE, SHOOT, super::super::GAME_STATE, super::super::LEAVE].into_iter().enumerate() {
        t.send(line, &raw(method, now + number as u64, &[&id[..], &[1, 0]].concat()));
        t.send(line, &raw(method, now + number as u64, &id));
    }
    let quiet = t.quiet();
    ensure(t.next(line, quiet).is_none(), || "an address that never sent JOIN was answered".into())?;
    PASSED
}
