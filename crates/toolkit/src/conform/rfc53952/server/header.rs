//! Sections 3, 4 and 6: the header, timestamps, and bytes that are not a packet.

use std::time::Duration;

use protocol::rfc53952::wire::HEADER_SIZE;

use super::super::{raw, read_validation, test_client::TestClient, timestamp_of, type_of};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, ensure, must, reading, reads, should},
    trial::Trial,
};

/// How long a case listens to an ordinary game.
const LISTENING: Duration = Duration::from_secs(2);
/// Bytes of a datagram that every network carries whole (ruling C2).
const DATAGRAM_MAX: usize = 1_200;

pub const CASES: &[Case] = &[
    must(
        [
            "3-1",
            "Length is the size of the whole packet",
            "F1",
            "When reading packets, the Length parameter must be checked first to ensure that the entire Packet has been received.",
            "Length counts the 15 bytes of the header too. Fill it in last, from the size of what you are about to send.",
        ],
        length,
    ),
    must(
        [
            "3-2",
            "Datasize is the size of the data",
            "F1",
            "This header gives details on its size, its type, its sending date/hour and the size of its data.",
            "Datasize is Length − 15. A reader that trusts it reads beyond the packet, or too little.",
        ],
        datasize,
    ),
    must(
        [
            "3-3",
            "Type is one that a server may send",
            "F2",
            "Each Packet defined in this document has a unique ID used in the Type parameter for identification upon receipt",
            "A server sends 2 and 4 to 8 and 10. Anything else is a bug in your enumeration, or memory that was never set.",
        ],
        types,
    ),
    must(
        [
            "3-4",
            "a packet with a wrong Length is dropped",
            "F1",
            "the Length parameter must be checked first to ensure that the entire Packet has been received.",
            "Compare Length with the size of the datagram before anything else; if they differ, forget the datagram.",
        ],
        wrong_length,
    ),
    must(
        [
            "3-5",
            "a packet with a wrong Datasize is dropped",
            "F1",
            "The total must be indicated in the DataSize header.",
            "Datasize has to be Length − 15. A packet that contradicts itself is not to be validated.",
        ],
        wrong_datasize,
    ),
    must(
        [
            "3-6",
            "an unknown Type is dropped",
            "F2",
            "In case of an error, for example an invalid packet, nothing should be returned.",
            "Types are 1 to 10. Use a default branch that does nothing.",
        ],
        unknown_type,
    ),
    must(
        [
            "3-7",
            "a packet that only servers send is dropped",
            "F2",
            "In case of an error, for example an invalid packet, nothing should be returned.",
            "CreateEntity from a client means nothing. A server that carries it out lets anybody draw on everybody's screen.",
        ],
        wrong_direction,
    ),
    reading(
        [
            "3-8",
            "the order of bytes in a number",
            "F1",
            "Length | 32 … Timestamp | 64",
            "The document gives sizes only. The authors' own program sends numbers as its machine has them: little-endian (F1).",
        ],
        byte_order,
    ),
    must(
        [
            "4-1",
            "timestamps count seconds",
            "",
            "The Timestamp field is a 64-bit integer representing the number of seconds that have elapsed since January 1, 1970",
            "Seconds, not milliseconds: use the plain Unix time.",
        ],
        seconds,
    ),
    should(
        [
            "4-2",
            "timestamps never decrease, except in repeats",
            "F4",
            "ideal for time-sensitive applications such as latency calculation, synchronization, or packet ordering",
            "Clients put packets in order by them. Take the time when you make the packet, from one clock.",
        ],
        order,
    ),
    must(
        [
            "6-1",
            "bytes without meaning are not answered",
            "C7",
            "In case of an error, for example an invalid packet, nothing should be returned.",
            "Everything that reaches your socket is read by your parser. Check every size before you read, and return without a word.",
        ],
        noise,
    ),
    must(
        [
            "6-2",
            "a datagram shorter than a header ends nothing",
            "C7",
            "it is important to carefully check the total length upon receipt.",
            "A read beyond the end of a short datagram crashes, or reads what the last one left in the buffer.",
        ],
        stumps,
    ),
    should(
        [
            "6-3",
            "no datagram is larger than 1,200 bytes",
            "C2",
            "The UDP protocol does not provide confirmation of receipt of Packets",
            "Larger datagrams are cut into fragments, and many networks drop those. Send several packets instead.",
        ],
        size,
    ),
    must(
        [
            "6-4",
            "a stranger cannot end somebody else's session",
            "",
            "The server … will not be able to process any further requests from the client.",
            "A packet belongs to the session of its address, and to no other. Look up the sender before you act.",
        ],
        impersonation,
    ),
];

fn listen(t: &mut Trial, mut look: impl FnMut(&[u8]) -> Option<String>) -> Outcome {
    let mut client = TestClient::join(t)?;
    client.event(t, 1, "right");
    match client.look(t, LISTENING, |_, bytes| look(bytes)) {
        None => PASSED,
        Some(why) => Err(Stop::Failed(why)),
    }
}

fn length(t: &mut Trial) -> Outcome {
    listen(t, |bytes| {
        let length = bytes.first_chunk().map(|length| u32::from_le_bytes(*length))?;
        (length as usize != bytes.len()).then(|| format!("Length is {length} in a packet of {} bytes", bytes.len()))
    })
}

fn datasize(t: &mut Trial) -> Outcome {
    listen(t, |bytes| {
        let size = bytes.get(13..HEADER_SIZE)?.try_into().map(u16::from_le_bytes).ok()?;
        let data = bytes.len() - HEADER_SIZE;
        (usize::from(size) != data).then(|| format!("Datasize is {size} in a packet with {data} bytes of data"))
    })
}

fn types(t: &mut Trial) -> Outcome {
    listen(t, |bytes| {
        let packet_type = type_of(bytes)?;
        let is_servers = matches!(packet_type, 2 | 4..=8 | 10);
        (!is_servers).then(|| format!("the server sent a packet of Type {packet_type}"))
    })
}

/// Expects no validation of a packet that is wrong, and that the game goes on.
fn is_dropped(t: &mut Trial, packet_type: u8, spoil: fn(&mut Vec<u8>)) -> Outcome {
    let mut client = TestClient::join(t)?;
    // A time that no other packet has.
    let timestamp = t.now().seconds() - 100;
    let mut bytes = raw(packet_type, timestamp, if packet_type == 9 { b"\x01left" } else { &[] });
    spoil(&mut bytes);
    ensure(!client.hears_validation_of(t, &bytes, (bytes[4], timestamp)), || "it was validated".into())?;
    client.expect_life(t)?;
    PASSED
}

fn wrong_length(t: &mut Trial) -> Outcome {
    is_dropped(t, 9, |bytes| bytes[0] += 1)
}

fn wrong_datasize(t: &mut Trial) -> Outcome {
    is_dropped(t, 9, |bytes| bytes[13] -= 1)
}

fn unknown_type(t: &mut Trial) -> Outcome {
    is_dropped(t, 4, |bytes| bytes[4] = 11)
}

fn wrong_direction(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let timestamp = t.now().seconds() - 100;
    let bytes = raw(6, timestamp, &client.own.unwrap_or_default().to_le_bytes());
    ensure(!client.hears_validation_of(t, &bytes, (6, timestamp)), || {
        "a DestroyEntity of a client was validated".into()
    })?;
    client.expect_life(t)?;
    PASSED
}

fn byte_order(t: &mut Trial) -> Outcome {
    let seconds = t.now().seconds();
    let mut answers = |bytes: &[u8]| -> Result<bool, Stop> {
        let line = t.open()?;
        t.say_at_the_end(line, &raw(3, seconds, &[]));
        Ok((0..3).any(|_| {
            t.send(line, bytes);
            let again = t.again();
            t.next(line, again).is_some()
        }))
    };
    let little = answers(&raw(1, seconds, &[]))?;
    let mut bytes = raw(1, seconds, &[]);
    bytes[0..4].reverse();
    bytes[5..13].reverse();
    match (little, answers(&bytes)?) {
        (true, false) => reads(1, "little-endian"),
        (false, true) => reads(2, "big-endian"),
        (true, true) => reads(3, "either is answered"),
        (false, false) => Err(Stop::Blocked("HiServer is answered in neither order".into())),
    }
}

fn seconds(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let mut stamps = Vec::new();
    client.look(t, Duration::from_millis(3_500), |_, bytes| {
        stamps.extend(timestamp_of(bytes).filter(|_| type_of(bytes) == Some(4)));
        None::<()>
    });
    let [first, .., last] = stamps[..] else { return Err(Stop::Blocked("fewer than two Pings came".into())) };
    let passed = last.saturating_sub(first);
    ensure(passed <= 30, || format!("the timestamps of Pings grew by {passed} in 3.5 s"))?;
    PASSED
}

fn order(t: &mut Trial) -> Outcome {
    let mut newest = 0;
    listen(t, |bytes| {
        // MoveEntity is never repeated.
        let stamp = timestamp_of(bytes).filter(|_| type_of(bytes) == Some(7))?;
        let before = newest;
        newest = stamp.max(newest);
        // One second: the network may have put two packets in another order.
        (stamp + 1 < before).then(|| format!("after timestamp {before} came {stamp}"))
    })
}

fn noise(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let stranger = t.open()?;
    for _ in 0..100 {
        let size = HEADER_SIZE + t.dice.below(80) as usize;
        let bytes = t.random_bytes(size);
        t.send(stranger, &bytes);
        t.send(client.line, &bytes);
    }
    let quiet = t.quiet();
    ensure(t.next(stranger, quiet).is_none(), || "a stranger's random bytes were answered".into())?;
    client.expect_life(t)?;
    PASSED
}

fn stumps(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let whole = raw(4, t.now().seconds(), &[]);
    for size in 0..HEADER_SIZE {
        t.send(client.line, &whole[..size]);
    }
    let quiet = t.quiet();
    client.look(t, quiet, |_, _| None::<()>);
    client.expect_life(t)?;
    PASSED
}

fn size(t: &mut Trial) -> Outcome {
    listen(t, |bytes| (bytes.len() > DATAGRAM_MAX).then(|| format!("a datagram of {} bytes came", bytes.len())))
}

fn impersonation(t: &mut Trial) -> Outcome {
    let mut client = TestClient::join(t)?;
    let stranger = t.open()?;
    let goodbye = raw(3, t.now().seconds(), &[]);
    for _ in 0..3 {
        t.send(stranger, &goodbye);
    }
    let quiet = t.quiet();
    let told = client.look(t, quiet, |_, bytes| read_validation(bytes).filter(|(about, _)| *about == 3));
    ensure(told.is_none(), || "the AdiosServer of another address was validated to the player".into())?;
    client.expect_life(t)?;
    PASSED
}
