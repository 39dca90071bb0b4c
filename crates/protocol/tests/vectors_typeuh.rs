//! The bytes of `typeuh`: golden vectors, round trips, and bytes that nobody would send.

use game::Buttons;
use proptest::prelude::*;
use protocol::Malformed;
use protocol::typeuh::component::{Component, ComponentName, ComponentTable};
use protocol::typeuh::wire::{
    DATAGRAM_MAX_BYTES, INITIALISATION_MAX_BYTES, Initialisation, Instruction, Instructions, KeyEvent, KeyEvents,
    write_own_initialisation,
};

mod page;
mod vectors;
use vectors::Reading;

const DOCUMENTS_EXAMPLE: &[u8] = b"\x00\x03\x08PositionVelocityHealth\x00\x00\xff\xff";

#[test]
fn golden_vectors() {
    vectors::check(
        "typeuh",
        &[
            ("client", key_events),
            ("server initialisation", initialisation),
            ("server", |bytes| instructions(bytes, &ComponentTable::own())),
            ("server with the names of the document's example", |bytes| {
                instructions(bytes, &ComponentTable::new(&Initialisation::read(DOCUMENTS_EXAMPLE)?))
            }),
        ],
    );
}

fn key_events(bytes: &[u8]) -> Result<Reading, Malformed> {
    let events = KeyEvents::read(bytes).collect::<Result<Vec<_>, _>>()?;
    Ok(Reading::new(events, |events, out| events.iter().for_each(|event| event.write(out))))
}

fn initialisation(bytes: &[u8]) -> Result<Reading, Malformed> {
    Initialisation::read(bytes).map(|initialisation| Reading::new(initialisation, Initialisation::write))
}

fn instructions(bytes: &[u8], table: &ComponentTable) -> Result<Reading, Malformed> {
    let instructions = Instructions::read(bytes, table).collect::<Result<Vec<_>, _>>()?;
    Ok(Reading::new(instructions, |all, out| all.iter().for_each(|instruction| instruction.write(out))))
}

#[test]
fn the_session_on_the_page_is_well_formed() {
    let session = page::session(include_str!("../../../docs/protocols/typeuh.md"));
    let mut own = Vec::new();
    write_own_initialisation(&mut own);
    assert_eq!(session[..2], [("client", Vec::new()), ("server", own)], "the hello and our own initialisation");
    for (who, bytes) in &session[2..] {
        let reading = if *who == "client" { key_events(bytes) } else { instructions(bytes, &ComponentTable::own()) };
        let reading = reading.unwrap_or_else(|malformed| panic!("{who} {bytes:x?}: {malformed:?}"));
        assert_eq!(&reading.written, bytes, "{who}");
    }
    assert_eq!(session.len(), 12, "lines on the page");
}

#[test]
fn t1_an_empty_datagram_is_the_hello() {
    assert!(KeyEvents::read(&[]).is_hello());
    assert!(!KeyEvents::read(&[0]).is_hello());
}

#[test]
fn t2_our_initialisation_is_one_datagram_and_gives_our_table() {
    let mut out = Vec::new();
    write_own_initialisation(&mut out);
    assert!(out.len() <= DATAGRAM_MAX_BYTES);
    let initialisation = Initialisation::read(&out).expect("ours is valid");
    assert_eq!(ComponentTable::new(&initialisation), ComponentTable::own());
    for name in ComponentName::ALL {
        assert_eq!(ComponentTable::own().name(name.own_id()), Some(name));
    }
}

#[test]
fn t2_the_first_three_bytes_tell_how_long_a_split_initialisation_will_be() {
    for length in 0..3 {
        assert_eq!(Initialisation::size(&DOCUMENTS_EXAMPLE[..length]), Ok(None));
    }
    for length in 3..=DOCUMENTS_EXAMPLE.len() {
        assert_eq!(Initialisation::size(&DOCUMENTS_EXAMPLE[..length]), Ok(Some(DOCUMENTS_EXAMPLE.len())));
    }
    assert_eq!(Initialisation::size(&[0xff, 0xff, 0xff]), Err(Malformed::WrongSize));
    assert_eq!(Initialisation::size(&[0x01, 0x00, 0xff]), Ok(Some(256 * 255 + 5)));
    assert_eq!(Initialisation::size(&[0xff, 0xfb, 0x01]), Ok(Some(INITIALISATION_MAX_BYTES)));
    assert_eq!(Initialisation::size(&[0xff, 0xfc, 0x01]), Err(Malformed::WrongSize));
}

#[test]
fn t2_other_names_in_another_order_are_understood() {
    let table = ComponentTable::new(&Initialisation::read(b"\x00\x03\x06HitboxKind\0\0Score\0\xff\xff").unwrap());
    assert_eq!(table.name(0), None, "nobody knows how long a Hitbox is");
    assert_eq!([table.name(1), table.name(2)], [Some(ComponentName::Kind), Some(ComponentName::Score)]);
    assert_eq!(table.name(3), None);
}

#[test]
fn t3_what_is_good_comes_first_then_one_error_then_nothing() {
    let table = ComponentTable::own();
    let create = |entity_id| Ok(Instruction::CreateEntity { entity_id });
    let read = |bytes| Instructions::read(bytes, &table).collect::<Vec<_>>();
    // An unknown opcode, an unknown component and a short instruction, with something good before and behind.
    assert_eq!(read(&[0, 0, 1, 9, 0, 0, 2]), [create(1), Err(Malformed::UnknownType)]);
    assert_eq!(read(&[0, 0, 1, 3, 0, 1, 0, 99, 0, 0, 2]), [create(1), Err(Malformed::UnknownType)]);
    assert_eq!(read(&[0, 0, 1, 0, 0, 2, 3, 0, 1, 0, 0, 9]), [create(1), create(2), Err(Malformed::Short)]);
    let events: Vec<_> = KeyEvents::read(&[0, 12, 1]).collect();
    assert_eq!(events, [Ok(KeyEvent::RightKeyPressed), Err(Malformed::UnknownType)]);
}

#[test]
fn t6_left_click_is_fire_and_right_click_the_force() {
    assert_eq!(KeyEvent::LeftClickPressed.button(), Buttons::FIRE);
    assert_eq!(KeyEvent::RightClickReleased.button(), Buttons::FORCE);
    let mut held = Buttons::NONE;
    for event in KeyEvent::ALL.into_iter().filter(|event| event.is_pressed()) {
        held = held.with(event.button(), true);
    }
    assert_eq!(held, Buttons::from_bits(Buttons::ALL.bits() & !Buttons::CHARGE.bits()));
    for event in KeyEvent::ALL.into_iter().filter(|event| !event.is_pressed()) {
        held = held.with(event.button(), false);
    }
    assert_eq!(held, Buttons::NONE);
}

fn component() -> impl Strategy<Value = Component> {
    prop_oneof![
        any::<(f32, f32)>().prop_map(|(x, y)| Component::Position { x, y }),
        any::<(f32, f32)>().prop_map(|(x, y)| Component::Velocity { x, y }),
        any::<u16>().prop_map(Component::Kind),
        any::<(u16, u16)>().prop_map(|(now, max)| Component::Health { now, max }),
        any::<u8>().prop_map(Component::Animation),
        any::<u8>().prop_map(|seat| Component::Player { seat }),
        any::<(u16, u8)>().prop_map(|(entity, side)| Component::Attached { entity, side }),
        any::<u8>().prop_map(Component::Charge),
        any::<u32>().prop_map(Component::Score),
        any::<u8>().prop_map(Component::Lives),
        any::<(u8, u8)>().prop_map(|(state, stage)| Component::Game { state, stage }),
        Just(Component::Own),
    ]
}

fn instruction() -> impl Strategy<Value = Instruction> {
    let ids = any::<(u16, u16)>();
    prop_oneof![
        any::<u16>().prop_map(|entity_id| Instruction::CreateEntity { entity_id }),
        any::<u16>().prop_map(|entity_id| Instruction::DeleteEntity { entity_id }),
        ids.prop_map(|(entity_id, component_id)| Instruction::AttachComponent { entity_id, component_id }),
        ids.prop_map(|(entity_id, component_id)| Instruction::DetachComponent { entity_id, component_id }),
        (any::<u16>(), component()).prop_map(|(entity_id, component)| Instruction::update(entity_id, component)),
    ]
}

proptest! {
    #[test]
    fn instructions_come_back(all in prop::collection::vec(instruction(), 0..50)) {
        let mut out = Vec::new();
        for instruction in &all {
            let start = out.len();
            instruction.write(&mut out);
            prop_assert!(out.len() - start <= Instruction::MAX_BYTES);
        }
        let table = ComponentTable::own();
        let read: Result<Vec<_>, _> = Instructions::read(&out, &table).collect();
        prop_assert_eq!(read, Ok(all));
    }

    #[test]
    fn an_initialisation_comes_back(names in prop::collection::vec("[a-zA-Z0-9_.-]{1,20}", 0..40), spare in 0..20usize) {
        let length = names.iter().map(String::len).max().unwrap_or(0) + spare;
        let mut bytes = vec![0, names.len() as u8, length as u8];
        for name in &names {
            bytes.extend(name.bytes().chain(std::iter::repeat_n(0, length - name.len())));
        }
        bytes.extend([0xff, 0xff]);
        let initialisation = Initialisation::read(&bytes).expect("it is built as the document says");
        prop_assert!(initialisation.names().eq(names.iter().map(String::as_str)));
        prop_assert_eq!(Initialisation::size(&bytes), Ok(Some(bytes.len())));
    }

    #[test]
    fn any_bytes_are_refused_or_written_back_the_same(bytes in prop::collection::vec(0..16u8, 0..80)) {
        let table = ComponentTable::own();
        let (mut written, mut errors) = (Vec::new(), 0);
        for instruction in Instructions::read(&bytes, &table) {
            match instruction {
                Ok(instruction) => instruction.write(&mut written),
                Err(_) => errors += 1,
            }
        }
        prop_assert!(bytes.starts_with(&written));
        prop_assert_eq!(errors, usize::from(written.len() < bytes.len()));
        let events: Vec<u8> = KeyEvents::read(&bytes).map_while(Result::ok).map(|event| event as u8).collect();
        prop_assert!(bytes.starts_with(&events));
    }

    #[test]
    fn an_initialisation_is_refused_or_written_back_the_same(
        count in 0..4u8, length in 0..4u8, names in prop::collection::vec(0x2c..0x40u8, 0..16), end: bool,
    ) {
        let end: &[u8] = if end { &[0xff, 0xff] } else { &[] };
        let bytes = [&[0, count, length], &names[..], end].concat();
        if let Ok(initialisation) = Initialisation::read(&bytes) {
            let mut written = Vec::new();
            initialisation.write(&mut written);
            prop_assert_eq!(written, bytes);
        }
    }
}
