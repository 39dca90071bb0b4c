//! The field tables: each agrees with its dialect's `wire` on every golden vector and on noise, and names its fields well.

use std::collections::BTreeMap;

use proptest::prelude::*;
use protocol::{
    Channel, Dialect,
    field_table::{FieldValue, Sender, Shape, Visitor, WalkMemory},
    typeuh,
};

#[allow(dead_code, reason = "only the parsing of the vectors is needed here")]
mod vectors;
mod wire_agreement;

struct Ignore;

impl Visitor<'_> for Ignore {
    fn value(&mut self, _told: FieldValue) {}
}

/// Who says what stands under a heading, and how.
fn place(section: &str) -> (Sender, Channel) {
    let sender = if section.starts_with("client") { Sender::Client } else { Sender::Server };
    (sender, if section.ends_with("stream") { Channel::Stream } else { Channel::Datagram })
}

#[test]
fn table_and_wire_agree_on_every_golden_vector_and_however_it_is_cut() {
    for dialect in Dialect::ALL {
        let vectors = vectors::load(&vectors::directory().join(format!("{}.txt", dialect.name())));
        for vector in &vectors {
            let (sender, channel) = place(&vector.section);
            for length in 0..=vector.bytes.len() {
                let bytes = &vector.bytes[..length];
                if let Err(difference) = wire_agreement::check(dialect, sender, channel, bytes) {
                    panic!("{} [{}] {bytes:02x?}: {difference}", dialect.name(), vector.section);
                }
            }
        }
    }
}

#[test]
fn a_vector_that_is_refused_is_refused_for_the_same_reason() {
    for dialect in Dialect::ALL {
        let vectors = vectors::load(&vectors::directory().join(format!("{}.txt", dialect.name())));
        // The names of another session, and an invalid initialisation: those sections are read in a way of their own.
        for vector in
            vectors.iter().filter(|vector| !vector.section.starts_with("server ") || dialect.name() == "volley")
        {
            let (sender, channel) = place(&vector.section);
            let Err(malformed) = wire_agreement::read_by_wire(dialect, sender, channel, &vector.bytes) else {
                continue;
            };
            let fault = wire_agreement::read_by_table(dialect, (sender, channel), &vector.bytes, &mut Ignore);
            let found = fault.map_err(|fault| fault.malformed);
            assert_eq!(found, Err(malformed), "{} [{}] {:02x?}", dialect.name(), vector.section, vector.bytes);
        }
    }
}

#[test]
fn the_names_of_a_session_are_learned_from_its_initialisation() {
    let table = Dialect::Typeuh.entry().fields;
    let mut memory = WalkMemory::default();
    // Health is component 3 by default, and 2 in the document's example.
    let by_default = [3, 0, 1, 0, 3, 0, 3, 0, 4];
    let in_example = [3, 0, 1, 0, 2, 0, 3, 0, 4];
    assert!(table.read_datagram(Sender::Server, &by_default, &mut memory, &mut Ignore).is_ok());
    assert!(table.read_datagram(Sender::Server, &in_example, &mut memory, &mut Ignore).is_err(), "a Kind has 2 bytes");
    let example = b"\x00\x03\x08PositionVelocityHealth\x00\x00\xff\xff";
    assert!(table.read_datagram(Sender::Server, example, &mut memory, &mut Ignore).is_ok());
    assert!(table.read_datagram(Sender::Server, &in_example, &mut memory, &mut Ignore).is_ok());
    assert!(table.read_datagram(Sender::Server, &by_default, &mut memory, &mut Ignore).is_err());
    let mut own = Vec::new();
    typeuh::wire::write_own_initialisation(&mut own);
    assert!(table.read_datagram(Sender::Server, &own, &mut memory, &mut Ignore).is_ok());
    assert_eq!(memory.names().map(<[_]>::len), Some(13));
}

#[test]
fn a_name_is_the_same_thing_wherever_it_stands_and_what_it_says_is_said_once() {
    for dialect in Dialect::ALL {
        let mut by_name = BTreeMap::new();
        dialect.entry().fields.each_field(|field| {
            let names = field.names.list();
            let shape = match field.shape {
                Shape::Text(..) => "text".to_owned(),
                other => format!("{other:?}"),
            };
            let said = (shape, field.label, field.about, field.unit, names);
            let earlier = by_name.entry(field.name).or_insert_with(|| said.clone());
            assert_eq!(*earlier, said, "{}.{}", dialect.name(), field.name);
            let is_plain = |name: &str| {
                name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
            };
            assert!(is_plain(field.name), "{}.{}", dialect.name(), field.name);
        });
        assert!(by_name.len() > 1, "{}", dialect.name());
        let mut abouts: Vec<_> = by_name.values().map(|(_, _, about, ..)| *about).collect();
        abouts.sort_unstable();
        let twice = abouts.windows(2).find(|pair| pair[0] == pair[1]);
        assert_eq!(twice, None, "{}: what a field says must tell it from others", dialect.name());
    }
}

/// Found by fuzzing.
#[test]
fn a_player_may_be_called_like_the_field_of_a_name() {
    let join = b"\x02\0\x0d\x0d\x0d\x14\x0dusername\x0d\x0d";
    let agreed = wire_agreement::check(Dialect::Snapshot, Sender::Client, Channel::Datagram, join);
    assert_eq!(agreed, Ok(()));
}

/// Found by fuzzing.
#[test]
fn the_code_of_a_lobby_may_have_quotation_marks() {
    let ask_join = b"\0\0\0\0\0\0\0\0\x06\0\x05\xb3\x79\x02\x9f\x30\0K\\WQ\"9";
    let agreed = wire_agreement::check(Dialect::Rfc2020, Sender::Client, Channel::Datagram, ask_join);
    assert_eq!(agreed, Ok(()));
}

proptest! {
    #[test]
    fn table_and_wire_agree_on_vectors_with_other_bytes_in_them(
        pick: prop::sample::Index,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        tail in prop::collection::vec(any::<u8>(), 0..3),
    ) {
        for dialect in Dialect::ALL {
            let vectors = vectors::load(&vectors::directory().join(format!("{}.txt", dialect.name())));
            let vector = pick.get(&vectors);
            let mut bytes = [&vector.bytes[..], &tail].concat();
            for (at, byte) in changes.iter().filter(|_| !vector.bytes.is_empty()) {
                *at.get_mut(&mut bytes[..]) = *byte;
            }
            let (sender, channel) = place(&vector.section);
            let agreed = wire_agreement::check(dialect, sender, channel, &bytes);
            prop_assert!(agreed.is_ok(), "{} [{}] {:02x?}: {:?}", dialect.name(), vector.section, bytes, agreed);
        }
    }
}
