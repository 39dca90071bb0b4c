//! The bytes of `aecs`. Integers and floats are little-endian (ruling A1).
//!
//! ```text
//! every packet         packet size u16 (all behind it) · packet type u8 · packet data
//! 0x80 CONNECTED       server, TCP   client ID u8 · GAME_STATE
//! 0x81 GAME_CHANGES    server        change count u8 · that many GAME_STATEs, of the entities that changed
//! 0x82 SERVER_PONG     server        nothing
//! 0x00 GAME_INPUT      client        input count u8 · that many inputs u8
//! 0x01 PING            client        nothing
//! 0x02 CLIENT_PONG     client        tick u32
//!
//! GAME_STATE           tick u32 · number of entities u32 · that many entities
//! entity               entity ID u32 · data size u16 · components of that size; size 0: it is removed
//! component            component ID u16 · data size u16 · data of that size
//! ```
//!
//! All sizes and counts must agree. Reading checks a packet once, to the last component, and borrows from it. A
//! datagram is one packet (ruling A4); [`whole_packet`] finds the packet at the beginning of a TCP stream.

use std::fmt;

use game::Buttons;

pub use super::component::Component;
use crate::{Malformed, Reader};

/// The longest datagram that we send, if the dialect can say it in that (rulings C2, A3).
pub const DATAGRAM_MAX_BYTES: usize = 1200;

/// The longest packet that `packet size` can announce, with `packet size` itself.
pub const PACKET_MAX_BYTES: usize = 2 + u16::MAX as usize;

/// What CONNECTED and GAME_CHANGES say before their first GAME_STATE: size, type, and client ID or change count.
pub const STATE_OFFSET_BYTES: usize = 4;

/// The greatest `change count`.
pub const CHANGES_MAX: usize = u8::MAX as usize;

/// The greatest `input count`.
pub const INPUTS_MAX: usize = u8::MAX as usize;

const CONNECTED: u8 = 0x80;
const GAME_CHANGES: u8 = 0x81;
const SERVER_PONG: u8 = 0x82;
const GAME_INPUT: u8 = 0x00;
const PING: u8 = 0x01;
const CLIENT_PONG: u8 = 0x02;

/// How many bytes the first packet of a TCP stream has, `None` until all of them are there. A packet of no type, or of
/// more than `limit_bytes`, never will be.
pub fn whole_packet(stream: &[u8], limit_bytes: usize) -> Result<Option<usize>, Malformed> {
    let &[low, high, ..] = stream else { return Ok(None) };
    let packet_size = u16::from_le_bytes([low, high]);
    let bytes = 2 + usize::from(packet_size);
    if packet_size == 0 || bytes > limit_bytes {
        return Err(Malformed::WrongSize);
    }
    Ok((stream.len() >= bytes).then_some(bytes))
}

fn read_packet(bytes: &[u8]) -> Result<(u8, Reader<'_>), Malformed> {
    let mut reader = Reader::new(bytes);
    let packet_size = reader.u16_le()?;
    let mut packet = Reader::new(reader.take(packet_size.into())?);
    reader.finish()?;
    Ok((packet.u8()?, packet))
}

fn write_packet(packet_type: u8, out: &mut Vec<u8>, write_data: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0, 0, packet_type]);
    write_data(out);
    let bytes = out.len() - start;
    assert!(bytes <= PACKET_MAX_BYTES, "whoever fills a packet keeps to its limit: {bytes} bytes");
    out[start..start + 2].copy_from_slice(&((bytes - 2) as u16).to_le_bytes());
}

/// A packet from a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FromClient<'a> {
    /// All keys held at a tick.
    GameInput {
        /// One code a key, at most [`INPUTS_MAX`]; [`button`] knows the ones that mean something.
        inputs: &'a [u8],
    },
    /// Still here.
    Ping,
    /// Every change up to a tick is confirmed (ruling A3).
    ClientPong {
        /// That of the last change received.
        tick: u32,
    },
}

impl<'a> FromClient<'a> {
    /// Reads a whole packet.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let (packet_type, mut reader) = read_packet(bytes)?;
        let packet = match packet_type {
            GAME_INPUT => {
                let input_count = reader.u8()?;
                let inputs = reader.take_rest();
                // Ruling A5.
                if inputs.len() != usize::from(input_count) {
                    return Err(Malformed::WrongSize);
                }
                FromClient::GameInput { inputs }
            }
            PING => FromClient::Ping,
            CLIENT_PONG => FromClient::ClientPong { tick: reader.u32_le()? },
            _ => return Err(Malformed::UnknownType),
        };
        reader.finish()?;
        Ok(packet)
    }

    /// Appends the packet.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            FromClient::GameInput { inputs } => write_packet(GAME_INPUT, out, |out| {
                assert!(inputs.len() <= INPUTS_MAX, "there are fewer keys than that: {}", inputs.len());
                out.push(inputs.len() as u8);
                out.extend_from_slice(inputs);
            }),
            FromClient::Ping => write_packet(PING, out, |_| ()),
            FromClient::ClientPong { tick } => {
                write_packet(CLIENT_PONG, out, |out| out.extend_from_slice(&tick.to_le_bytes()));
            }
        }
    }
}

/// The input codes: the key codes of the authors' program (ruling A5). The first six are those that we send.
pub mod key_code {
    /// Fly left.
    pub const LEFT: u8 = 16;
    /// Fly right.
    pub const RIGHT: u8 = 3;
    /// Fly up.
    pub const UP: u8 = 25;
    /// Fly down.
    pub const DOWN: u8 = 18;
    /// Fire, held to charge.
    pub const FIRE: u8 = 57;
    pub const FORCE: u8 = 38;
    /// The left arrow: [`LEFT`].
    pub const ARROW_LEFT: u8 = 71;
    /// The right arrow: [`RIGHT`].
    pub const ARROW_RIGHT: u8 = 72;
    /// The up arrow: [`UP`].
    pub const ARROW_UP: u8 = 73;
    /// The down arrow: [`DOWN`].
    pub const ARROW_DOWN: u8 = 74;
}

/// The button of an input code. Unknown codes are ignored (ruling A5).
pub const fn button(input: u8) -> Option<Buttons> {
    Some(match input {
        key_code::LEFT | key_code::ARROW_LEFT => Buttons::LEFT,
        key_code::RIGHT | key_code::ARROW_RIGHT => Buttons::RIGHT,
        key_code::UP | key_code::ARROW_UP => Buttons::UP,
        key_code::DOWN | key_code::ARROW_DOWN => Buttons::DOWN,
        key_code::FIRE => Buttons::FIRE,
        key_code::FORCE => Buttons::FORCE,
        _ => return None,
    })
}

/// A packet from the server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FromServer<'a> {
    /// The hello, over TCP.
    Connected {
        /// The client's seat.
        client_id: u8,
        /// All there is.
        game_state: GameState<'a>,
    },
    /// What changed and is not confirmed yet.
    GameChanges {
        /// In the order of their ticks.
        changes: Changes<'a>,
    },
    /// The answer to PING.
    ServerPong,
}

impl<'a> FromServer<'a> {
    /// Reads a whole packet.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let (packet_type, mut reader) = read_packet(bytes)?;
        let packet = match packet_type {
            CONNECTED => FromServer::Connected { client_id: reader.u8()?, game_state: GameState::read(&mut reader)? },
            GAME_CHANGES => FromServer::GameChanges { changes: Changes::read(&mut reader)? },
            SERVER_PONG => FromServer::ServerPong,
            _ => return Err(Malformed::UnknownType),
        };
        reader.finish()?;
        Ok(packet)
    }

    /// Appends the packet. From states that are not yet packets: [`GameStateWriter`], then [`write_connected`] or
    /// [`write_game_changes`].
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            FromServer::Connected { client_id, game_state } => write_packet(CONNECTED, out, |out| {
                out.push(*client_id);
                game_state.write(out);
            }),
            FromServer::GameChanges { changes } => write_packet(GAME_CHANGES, out, |out| {
                out.push(changes.change_count);
                changes.iter().for_each(|change| change.write(out));
            }),
            FromServer::ServerPong => write_packet(SERVER_PONG, out, |_| ()),
        }
    }
}

/// Appends a CONNECTED of a state that [`GameStateWriter`] wrote, within [`PACKET_MAX_BYTES`].
pub fn write_connected(client_id: u8, game_state: &[u8], out: &mut Vec<u8>) {
    write_packet(CONNECTED, out, |out| {
        out.push(client_id);
        out.extend_from_slice(game_state);
    });
}

/// Appends a GAME_CHANGES of at most [`CHANGES_MAX`] states that [`GameStateWriter`] wrote, within
/// [`PACKET_MAX_BYTES`] together. A session keeps what is unconfirmed as these bytes.
pub fn write_game_changes<'c>(changes: impl IntoIterator<Item = &'c [u8]>, out: &mut Vec<u8>) {
    write_packet(GAME_CHANGES, out, |out| {
        let count_at = out.len();
        out.push(0);
        let mut count = 0;
        for change in changes {
            out.extend_from_slice(change);
            count += 1;
        }
        assert!(count <= CHANGES_MAX, "whoever sends changes keeps to their limit: {count}");
        out[count_at] = count as u8;
    });
}

/// The changes of a GAME_CHANGES, checked, and still in the packet's bytes.
#[derive(Clone, Copy, PartialEq)]
pub struct Changes<'a> {
    change_count: u8,
    bytes: &'a [u8],
}

impl<'a> Changes<'a> {
    /// Each change, in the order sent.
    pub fn iter(&self) -> impl Iterator<Item = GameState<'a>> + use<'a> {
        let mut reader = Reader::new(self.bytes);
        // `read` saw that these bytes are whole states: the only error left is that they are over.
        std::iter::from_fn(move || GameState::read_unchecked(&mut reader).ok())
    }

    /// Those of a GAME_CHANGES that was read before, without checking it again.
    pub(super) fn read_again(packet: &'a [u8]) -> Result<Self, Malformed> {
        let (_, mut reader) = read_packet(packet)?;
        Ok(Changes { change_count: reader.u8()?, bytes: reader.take_rest() })
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        let change_count = reader.u8()?;
        let bytes = reader.rest();
        for _ in 0..change_count {
            GameState::read(reader)?;
        }
        Ok(Changes { change_count, bytes })
    }
}

impl fmt::Debug for Changes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A GAME_STATE: entities at a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameState<'a> {
    pub tick: u32,
    /// All there are, or those that changed.
    pub entities: Entities<'a>,
}

impl<'a> GameState<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        let state = Self::read_unchecked(reader)?;
        state.entities.iter().try_for_each(|entity| entity.components.check())?;
        Ok(state)
    }

    fn read_unchecked(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        Ok(GameState { tick: reader.u32_le()?, entities: Entities::read_unchecked(reader)? })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let mut state = GameStateWriter::begin(self.tick, PACKET_MAX_BYTES, out);
        for Entity { entity_id, components } in self.entities.iter() {
            assert!(state.push(entity_id, components.iter()), "it was read from as many bytes");
        }
    }
}

/// The entities of a GAME_STATE, checked, and still in the packet's bytes.
#[derive(Clone, Copy, PartialEq)]
pub struct Entities<'a> {
    bytes: &'a [u8],
}

impl<'a> Entities<'a> {
    /// Each entity, in the order sent.
    pub fn iter(&self) -> impl Iterator<Item = Entity<'a>> + use<'a> {
        let mut reader = Reader::new(self.bytes);
        // `read_unchecked` saw that these bytes are whole entities: the only error left is that they are over.
        std::iter::from_fn(move || Entity::read_unchecked(&mut reader).ok())
    }

    /// Checks the entities, not their components.
    fn read_unchecked(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        let number_of_entities = reader.u32_le()?;
        let bytes = reader.rest();
        // However great the number: the bytes end the loop.
        for _ in 0..number_of_entities {
            Entity::read_unchecked(reader)?;
        }
        Ok(Entities { bytes: &bytes[..bytes.len() - reader.rest().len()] })
    }
}

impl fmt::Debug for Entities<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// One entity of a GAME_STATE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entity<'a> {
    pub entity_id: u32,
    /// All its components; none if it is removed.
    pub components: Components<'a>,
}

impl<'a> Entity<'a> {
    fn read_unchecked(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        let entity_id = reader.u32_le()?;
        let data_size = reader.u16_le()?;
        Ok(Entity { entity_id, components: Components { bytes: reader.take(data_size.into())? } })
    }

    /// Whether "the entity has to be removed".
    pub const fn is_removed(&self) -> bool {
        self.components.bytes.is_empty()
    }
}

/// The components of an entity, checked, and still in the packet's bytes.
#[derive(Clone, Copy, PartialEq)]
pub struct Components<'a> {
    bytes: &'a [u8],
}

impl<'a> Components<'a> {
    /// Each component, in the order sent.
    pub fn iter(&self) -> impl Iterator<Item = Component<'a>> + use<'a> {
        let mut reader = Reader::new(self.bytes);
        // `check` saw that these bytes are whole components: the only error left is that they are over.
        std::iter::from_fn(move || Component::read(&mut reader).ok())
    }

    fn check(&self) -> Result<(), Malformed> {
        let mut reader = Reader::new(self.bytes);
        while !reader.is_empty() {
            Component::read(&mut reader)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Components<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Appends an entity with all its components, or without any to remove it. False: they are more than an entity holds.
#[inline]
pub(super) fn write_entity(entity_id: u32, write_components: impl FnOnce(&mut Vec<u8>), out: &mut Vec<u8>) -> bool {
    out.extend_from_slice(&entity_id.to_le_bytes());
    out.extend_from_slice(&[0; 2]);
    let data_at = out.len();
    write_components(out);
    let Ok(data_size) = u16::try_from(out.len() - data_at) else { return false };
    out[data_at - 2..data_at].copy_from_slice(&data_size.to_le_bytes());
    true
}

/// Appends a GAME_STATE entity by entity, as long as they fit. It is whole after each.
#[derive(Debug)]
pub struct GameStateWriter<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
    limit_bytes: usize,
    number_of_entities: u32,
}

impl<'o> GameStateWriter<'o> {
    /// Appends a GAME_STATE of nothing, which then grows up to `limit_bytes`.
    pub fn begin(tick: u32, limit_bytes: usize, out: &'o mut Vec<u8>) -> Self {
        let start = out.len();
        out.extend_from_slice(&tick.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        GameStateWriter { out, start, limit_bytes, number_of_entities: 0 }
    }

    /// Appends an entity with all its components, or without any to remove it. If it does not fit, it is left out and
    /// this says `false`.
    pub fn push<'c>(&mut self, entity_id: u32, components: impl IntoIterator<Item = Component<'c>>) -> bool {
        let write = |out: &mut Vec<u8>| components.into_iter().for_each(|component| component.write(out));
        self.add(|out| write_entity(entity_id, write, out))
    }

    /// Lets an entity be appended by [`write_entity`]. If it does not fit, it is left out and this says `false`.
    pub(super) fn add(&mut self, write: impl FnOnce(&mut Vec<u8>) -> bool) -> bool {
        let entity_at = self.out.len();
        let fits = write(self.out) && self.out.len() - self.start <= self.limit_bytes;
        if fits {
            self.count_one();
        } else {
            self.out.truncate(entity_at);
        }
        fits
    }

    fn count_one(&mut self) {
        self.number_of_entities += 1;
        self.out[self.start + 4..self.start + 8].copy_from_slice(&self.number_of_entities.to_le_bytes());
    }
}
