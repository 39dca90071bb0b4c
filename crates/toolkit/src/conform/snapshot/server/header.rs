//! Section 3: the header, and the order of bytes.

use std::time::Duration;

use protocol::snapshot::wire::FromServer;

use super::super::{packet_id_of, test_client::TestClient, timestamp_of, type_of};
use crate::conform::{
    case::{Case, Outcome, PASSED, Stop, ensure, must, reading, reads, should},
    trial::Trial,
};

/// How long a case listens to an ordinary game.
const LISTENING: Duration = Duration::from_secs(2);

pub const CASES: &[Case] = &[
    must(
        [
            "3-1",
            "every packet is of a type that a server sends",
            "S1",
            "Packet Type: Identifies the packet type (see PacketType enum)",
            "A server sends 0x08, 0x10, 0x20 and 0x40, each behind a header of 7 bytes.",
        ],
        types,
    ),
    must(
        [
            "3.1-1",
            "Packet IDs rise",
            "S4",
            "Packet ID: Sequence number for packet ordering",
            "A client drops a SNAPSHOT that is older than the newest. If all have the same number, or numbers fall, it cannot.",
        ],
        ids_rise,
    ),
    should(
        [
            "3.1-2",
            "Packet IDs count up by one for each datagram",
            "S4",
            "Packet ID: Sequence number for packet ordering",
            "Count each datagram to a peer once, whatever its type. Then a gap tells a client how many were lost.",
        ],
        ids_count,
    ),
    must(
        [
            "3.1-3",
            "timestamps never fall",
            "",
            "Timestamp: Timestamp for temporal ordering",
            "Take them from a clock that only goes forward, at the moment of sending.",
        ],
        timestamps_rise,
    ),
    reading(
        [
            "3.1-4",
            "the unit of timestamps",
            "S4",
            "Timestamp | 4 bytes | uint32_t",
            "The document gives no unit. By ruling S4 it is milliseconds since the sender started.",
        ],
        unit,
    ),
    must(
        [
            "3.2-1",
            "floats are big-endian",
            "",
            "float: IEEE 754 format, big-endian byte order",
            "A float in the wrong order is a number near zero, or a huge one. Convert it as you convert integers: through its bits.",
        ],
        floats,
    ),
];

/// Looks at what comes to a player for a while; what is found is a fault.
pub fn listen(t: &mut Trial, mut look: impl FnMut(&[u8]) -> Option<String>) -> Outcome {
    let mut client = TestClient::enter(t)?;
    match client.look(t, LISTENING, |_, bytes| look(bytes)) {
        Some(why) => Err(Stop::Failed(why)),
        None => ensure(client.has_seen, || "no SNAPSHOT came".into()).map_err(Stop::in_the_way).and(PASSED),
    }
}

fn types(t: &mut Trial) -> Outcome {
    listen(t, |bytes| match type_of(bytes) {
        Some(0x08 | 0x10 | 0x20 | 0x40) => None,
        Some(other) => Some(format!("a packet of type {other:#04x} came")),
        None => Some(format!("a datagram of {} bytes came", bytes.len())),
    })
}

fn ids_rise(t: &mut Trial) -> Outcome {
    let mut newest: Option<u16> = None;
    listen(t, |bytes| {
        let id = packet_id_of(bytes)?;
        let before = newest.replace(id)?;
        let step = id.wrapping_sub(before) as i16;
        // The network may have put two datagrams in another order.
        (step == 0 || step < -8).then(|| format!("after Packet ID {before} came {id}"))
    })
}

fn ids_count(t: &mut Trial) -> Outcome {
    let (mut newest, mut steps, mut ones) = (None, 0, 0);
    listen(t, |bytes| {
        let id: u16 = packet_id_of(bytes)?;
        let before: u16 = newest.replace(id)?;
        steps += u32::from(id != before);
        ones += u32::from(id.wrapping_sub(before) == 1);
        None
    })?;
    ensure(ones * 2 >= steps, || format!("of {steps} steps from one Packet ID to the next, {ones} were by one"))?;
    PASSED
}

fn timestamps_rise(t: &mut Trial) -> Outcome {
    let mut newest = 0;
    listen(t, |bytes| {
        let timestamp = timestamp_of(bytes)?;
        let before = newest;
        newest = timestamp.max(before);
        (timestamp + 200 < before).then(|| format!("after timestamp {before} came {timestamp}"))
    })
}

fn unit(t: &mut Trial) -> Outcome {
    let (mut first, mut last) = (None, 0);
    listen(t, |bytes| {
        last = timestamp_of(bytes).filter(|_| type_of(bytes) == Some(0x10))?;
        first.get_or_insert(last);
        None
    })?;
    match last.saturating_sub(first.unwrap_or(last)) {
        500..=8_000 => reads(1, "milliseconds"),
        1..=20 => reads(2, "seconds"),
        21..=499 => reads(3, "ticks"),
        passed => reads(4, format!("{passed} in two seconds")),
    }
}

fn floats(t: &mut Trial) -> Outcome {
    let is_sane = |value: f32| value == 0.0 || (1e-3..1e6).contains(&value.abs());
    listen(t, |bytes| {
        let Ok((_, FromServer::Snapshot { entities })) = FromServer::read(bytes) else { return None };
        entities.iter().find_map(|entity| {
            let numbers = [
                entity.position_x,
                entity.position_y,
                entity.rect_pos_x,
                entity.rect_pos_y,
                entity.rect_size_x,
                entity.rect_size_y,
            ];
            (!numbers.into_iter().all(is_sane))
                .then(|| format!("entity {} has the numbers {numbers:?}", entity.entity_id))
        })
    })
}
