//! The bytes of `typeuh`. Integers are big-endian.
//!
//! ```text
//! initialisation     server   count u16 · maximum length of a name u8 · names, zero-padded to it · ff ff
//! Create entity      server   00 · entity_id u16
//! Delete entity      server   01 · entity_id u16
//! Attach component   server   02 · entity_id u16 · component_id u16
//! Update component   server   03 · entity_id u16 · component_id u16 · component_data (by component: `component.rs`)
//! Detach component   server   04 · entity_id u16 · component_id u16
//! key events         client   one byte each, 00 to 0b
//! ```
//!
//! A datagram from a client is any number of key events; none at all is the hello (ruling T1). A datagram from the
//! server is an initialisation, a part of one that is too long for one datagram (T2), or any number of whole
//! instructions. After one that cannot be read the rest is dropped, as nobody knows where the next begins (T3): so the
//! readers here yield what is good, then one error, then nothing.

use std::{cmp::Ordering, iter::FusedIterator};

use game::Buttons;

use super::component::{Component, ComponentName, ComponentTable};
use crate::{InitialisationFault, Malformed, Reader};

/// The longest datagram that we send (ruling C2).
pub const DATAGRAM_MAX_BYTES: usize = 1200;

/// The longest initialisation that we put together from several datagrams: thousands of names.
pub const INITIALISATION_MAX_BYTES: usize = 65_536;

/// "Animation" is the longest of our names.
const OWN_NAME_LENGTH_MAX: u8 = 9;

/// "the indicator sequence of the end of the initialisation process".
const END_OF_INITIALISATION: [u8; 2] = [0xff, 0xff];

/// The names of all components of a session, checked, and still in their bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Initialisation<'a> {
    name_length_max: u8,
    /// Whole names, each padded to `name_length_max`.
    names: &'a [u8],
}

impl<'a> Initialisation<'a> {
    /// How many bytes the whole initialisation has that begins like this, once that can be known. For one that comes
    /// in several datagrams (ruling T2).
    pub fn size(start: &[u8]) -> Result<Option<usize>, Malformed> {
        let &[high, low, name_length_max, ..] = start else { return Ok(None) };
        let names = usize::from(u16::from_be_bytes([high, low])) * usize::from(name_length_max);
        let size = 3 + names + END_OF_INITIALISATION.len();
        if size > INITIALISATION_MAX_BYTES { Err(Malformed::WrongSize) } else { Ok(Some(size)) }
    }

    /// Reads a whole initialisation, of one datagram or of several put together. Count, padding, characters and end
    /// must be right (ruling T2).
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        Initialisation::size(bytes)?;
        let mut reader = Reader::new(bytes);
        let count = reader.u16_be()?;
        let name_length_max = reader.u8()?;
        let names = reader.take(usize::from(count) * usize::from(name_length_max))?;
        if reader.take(END_OF_INITIALISATION.len())? != END_OF_INITIALISATION {
            return Err(Malformed::BadValue);
        }
        reader.finish()?;
        if count > 0 && name_length_max == 0 {
            // A name has "one or more" characters.
            return Err(Malformed::BadText);
        }
        let initialisation = Initialisation { name_length_max, names };
        if initialisation.padded_names().all(is_padded_name) { Ok(initialisation) } else { Err(Malformed::BadText) }
    }

    /// Which check the bytes fail that [`Initialisation::read`] refused, as far as that can be known.
    pub fn diagnose(bytes: &[u8]) -> InitialisationFault {
        let Ok(Some(size)) = Initialisation::size(bytes) else {
            let is_whole = bytes.len() >= 3;
            return if is_whole { InitialisationFault::Count } else { InitialisationFault::MissingPart };
        };
        match (bytes.len().cmp(&size), bytes.ends_with(&END_OF_INITIALISATION)) {
            (Ordering::Less, false) => InitialisationFault::MissingPart,
            (Ordering::Less | Ordering::Greater, true) => InitialisationFault::Count,
            (Ordering::Equal | Ordering::Greater, false) => InitialisationFault::EndMark,
            (Ordering::Equal, true) => {
                let names = &bytes[3..size - END_OF_INITIALISATION.len()];
                let mut padded = names.chunks_exact(usize::from(bytes[2]).max(1));
                let is_filled_up = |name: &[u8]| !unpadded(name).is_empty() && !unpadded(name).contains(&0);
                let is_padding_right = bytes[2] > 0 && padded.all(is_filled_up);
                if is_padding_right { InitialisationFault::Characters } else { InitialisationFault::Padding }
            }
        }
    }

    /// The names in order; the position of each is its `component_id`.
    pub fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        // `read` saw that every name is ASCII: none is left out.
        self.padded_names().filter_map(|name| str::from_utf8(unpadded(name)).ok())
    }

    /// Appends it again, name by name.
    pub fn write(&self, out: &mut Vec<u8>) {
        write_initialisation(self.name_length_max, self.names(), out);
    }

    fn padded_names(&self) -> std::slice::ChunksExact<'a, u8> {
        self.names.chunks_exact(usize::from(self.name_length_max).max(1))
    }
}

impl std::fmt::Debug for Initialisation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let names: Vec<_> = self.names().collect();
        f.debug_struct("Initialisation").field("name_length_max", &self.name_length_max).field("names", &names).finish()
    }
}

/// Appends the initialisation of our own sessions: every component that we know, in one datagram.
pub fn write_own_initialisation(out: &mut Vec<u8>) {
    write_initialisation(OWN_NAME_LENGTH_MAX, ComponentName::ALL.into_iter().map(ComponentName::as_str), out);
}

fn write_initialisation<'n>(name_length_max: u8, names: impl Iterator<Item = &'n str>, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend([0, 0, name_length_max]);
    let mut count: u16 = 0;
    for name in names {
        assert!(name.len() <= name_length_max.into(), "{name} is longer than {name_length_max} bytes");
        out.extend(name.as_bytes());
        out.resize(out.len() + usize::from(name_length_max) - name.len(), 0);
        count += 1;
    }
    out[start..start + 2].copy_from_slice(&count.to_be_bytes());
    out.extend(END_OF_INITIALISATION);
}

/// Matches `[a-zA-Z0-9\-_.]+` and then zeros.
fn is_padded_name(padded: &[u8]) -> bool {
    let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let name = unpadded(padded);
    !name.is_empty() && name.iter().all(is_allowed)
}

fn unpadded(padded: &[u8]) -> &[u8] {
    let end = padded.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    &padded[..end]
}

/// What the server says of its ECS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Instruction {
    /// There is an entity, without components.
    CreateEntity {
        /// Its name from now on.
        entity_id: u16,
    },
    /// There is it no longer.
    DeleteEntity { entity_id: u16 },
    /// It has a component, in its default state.
    AttachComponent {
        /// Which entity.
        entity_id: u16,
        /// Which component; it may be none of the initialisation's.
        component_id: u16,
    },
    /// A component has another state.
    UpdateComponent {
        /// Which entity.
        entity_id: u16,
        /// Which component.
        component_id: u16,
        component_data: Component,
    },
    /// It has a component no longer.
    DetachComponent {
        /// Which entity.
        entity_id: u16,
        /// Which component; it may be none of the initialisation's.
        component_id: u16,
    },
}

impl Instruction {
    /// The longest instruction: an update of a position.
    pub const MAX_BYTES: usize = 13;

    const CREATE_ENTITY: u8 = 0x0;
    const DELETE_ENTITY: u8 = 0x1;
    const ATTACH_COMPONENT: u8 = 0x2;
    const UPDATE_COMPONENT: u8 = 0x3;
    const DETACH_COMPONENT: u8 = 0x4;

    /// The update that says this state, in a session that begins with our own initialisation.
    pub const fn update(entity_id: u16, component_data: Component) -> Instruction {
        Instruction::UpdateComponent { entity_id, component_id: component_data.name().own_id(), component_data }
    }

    /// Appends the instruction.
    pub fn write(&self, out: &mut Vec<u8>) {
        let (opcode, entity_id, component_id) = match *self {
            Instruction::CreateEntity { entity_id } => (Self::CREATE_ENTITY, entity_id, None),
            Instruction::DeleteEntity { entity_id } => (Self::DELETE_ENTITY, entity_id, None),
            Instruction::AttachComponent { entity_id, component_id } => {
                (Self::ATTACH_COMPONENT, entity_id, Some(component_id))
            }
            Instruction::UpdateComponent { entity_id, component_id, .. } => {
                (Self::UPDATE_COMPONENT, entity_id, Some(component_id))
            }
            Instruction::DetachComponent { entity_id, component_id } => {
                (Self::DETACH_COMPONENT, entity_id, Some(component_id))
            }
        };
        out.push(opcode);
        out.extend(entity_id.to_be_bytes());
        if let Some(component_id) = component_id {
            out.extend(component_id.to_be_bytes());
        }
        if let Instruction::UpdateComponent { component_data, .. } = self {
            component_data.write(out);
        }
    }

    fn read(reader: &mut Reader, table: &ComponentTable) -> Result<Instruction, Malformed> {
        let opcode = reader.u8()?;
        if opcode > Self::DETACH_COMPONENT {
            return Err(Malformed::UnknownType);
        }
        let entity_id = reader.u16_be()?;
        Ok(match opcode {
            Self::CREATE_ENTITY => Instruction::CreateEntity { entity_id },
            Self::DELETE_ENTITY => Instruction::DeleteEntity { entity_id },
            Self::ATTACH_COMPONENT => Instruction::AttachComponent { entity_id, component_id: reader.u16_be()? },
            Self::DETACH_COMPONENT => Instruction::DetachComponent { entity_id, component_id: reader.u16_be()? },
            _ => {
                let component_id = reader.u16_be()?;
                // Ruling T3: without a name that we know, its size is unknown, and so is all behind it.
                let name = table.name(component_id).ok_or(Malformed::UnknownType)?;
                let component_data = Component::read(name, reader)?;
                Instruction::UpdateComponent { entity_id, component_id, component_data }
            }
        })
    }
}

/// The instructions of a server's datagram: the good ones, then perhaps one error, then nothing (ruling T3).
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    reader: Reader<'a>,
    table: &'a ComponentTable,
}

impl<'a> Instructions<'a> {
    /// Reads a datagram in a session whose initialisation gave this table.
    pub fn read(datagram: &'a [u8], table: &'a ComponentTable) -> Self {
        Instructions { reader: Reader::new(datagram), table }
    }
}

impl Iterator for Instructions<'_> {
    type Item = Result<Instruction, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_empty() {
            return None;
        }
        let instruction = Instruction::read(&mut self.reader, self.table);
        if instruction.is_err() {
            self.reader.take_rest();
        }
        Some(instruction)
    }
}

impl FusedIterator for Instructions<'_> {}

/// What the client says of the user's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum KeyEvent {
    /// Fly right.
    RightKeyPressed = 0x0,
    /// No longer.
    RightKeyReleased = 0x1,
    /// Fly up.
    UpKeyPressed = 0x2,
    /// No longer.
    UpKeyReleased = 0x3,
    /// Fly left.
    LeftKeyPressed = 0x4,
    /// No longer.
    LeftKeyReleased = 0x5,
    /// Fly down.
    DownKeyPressed = 0x6,
    /// No longer.
    DownKeyReleased = 0x7,
    /// Fire; held, charge (ruling T6).
    LeftClickPressed = 0x8,
    /// No longer.
    LeftClickReleased = 0x9,
    /// The Force (ruling T6).
    RightClickPressed = 0xa,
    /// No longer.
    RightClickReleased = 0xb,
}

impl KeyEvent {
    /// All of them, by opcode.
    pub const ALL: [KeyEvent; 12] = [
        KeyEvent::RightKeyPressed,
        KeyEvent::RightKeyReleased,
        KeyEvent::UpKeyPressed,
        KeyEvent::UpKeyReleased,
        KeyEvent::LeftKeyPressed,
        KeyEvent::LeftKeyReleased,
        KeyEvent::DownKeyPressed,
        KeyEvent::DownKeyReleased,
        KeyEvent::LeftClickPressed,
        KeyEvent::LeftClickReleased,
        KeyEvent::RightClickPressed,
        KeyEvent::RightClickReleased,
    ];

    pub fn from_opcode(opcode: u8) -> Option<KeyEvent> {
        KeyEvent::ALL.get(usize::from(opcode)).copied()
    }

    /// The button that it is about.
    pub const fn button(self) -> Buttons {
        match self {
            KeyEvent::RightKeyPressed | KeyEvent::RightKeyReleased => Buttons::RIGHT,
            KeyEvent::UpKeyPressed | KeyEvent::UpKeyReleased => Buttons::UP,
            KeyEvent::LeftKeyPressed | KeyEvent::LeftKeyReleased => Buttons::LEFT,
            KeyEvent::DownKeyPressed | KeyEvent::DownKeyReleased => Buttons::DOWN,
            KeyEvent::LeftClickPressed | KeyEvent::LeftClickReleased => Buttons::FIRE,
            KeyEvent::RightClickPressed | KeyEvent::RightClickReleased => Buttons::FORCE,
        }
    }

    /// Whether the button went down; every second opcode is a release.
    pub const fn is_pressed(self) -> bool {
        (self as u8).is_multiple_of(2)
    }

    /// Appends the event.
    pub fn write(self, out: &mut Vec<u8>) {
        out.push(self as u8);
    }
}

/// The key events of a client's datagram: the good ones, then perhaps one error, then nothing (ruling T3).
#[derive(Clone, Debug)]
pub struct KeyEvents<'a> {
    reader: Reader<'a>,
}

impl<'a> KeyEvents<'a> {
    pub fn read(datagram: &'a [u8]) -> Self {
        KeyEvents { reader: Reader::new(datagram) }
    }

    /// Whether the datagram is empty, which makes it a hello (ruling T1). Ask before iterating.
    pub fn is_hello(&self) -> bool {
        self.reader.is_empty()
    }
}

impl Iterator for KeyEvents<'_> {
    type Item = Result<KeyEvent, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        let opcode = self.reader.u8().ok()?;
        let event = KeyEvent::from_opcode(opcode).ok_or(Malformed::UnknownType);
        if event.is_err() {
            self.reader.take_rest();
        }
        Some(event)
    }
}

impl FusedIterator for KeyEvents<'_> {}
