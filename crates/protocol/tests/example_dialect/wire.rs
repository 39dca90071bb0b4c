//! The bytes. All numbers are big-endian; the first byte of a datagram is its type.
//!
//! ```text
//! from the client
//!   1 JOIN      name: UTF-8, at most 32 bytes
//!   2 KEYS      newest u32, then one to eight times held u8, pressed u8; the newest last
//!   3 LEAVE
//! from the server
//!   1 WORLD     number u32, part u8, parts u8, seat u8, state u8, score u32, lives 4 × u8 (255: nobody), entities
//!   2 FULL
//!   3 GOODBYE
//! an entity: id u32, kind u16, x i32, y i32, health u16, seat u8 (255: nobody's), charge u8
//! ```

use game::{Buttons, Entity, EntityId, GameState, Input, Kind, SEATS, Seat, Vec2};

use crate::{Malformed, Reader, lobby::NAME_MAX_BYTES};

/// Inputs in a KEYS, at most: what is lost is said again this often.
pub const INPUTS_MAX: usize = 8;
/// Parts of a WORLD, at most.
pub const PARTS_MAX: u8 = 64;
/// Ruling C2.
pub const DATAGRAM_MAX_BYTES: usize = 1200;
/// The bytes of one entity.
pub const ENTITY_BYTES: usize = 18;
const NOBODY: u8 = 255;

/// A datagram from a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromClient<'a> {
    /// Asks for a seat.
    Join {
        /// The player's name.
        name: &'a str,
    },
    /// What the player did in the last ticks.
    Keys {
        /// The number of the newest input.
        newest: u32,
        /// The oldest first.
        inputs: Vec<Input>,
    },
    /// Says goodbye.
    Leave,
}

/// A datagram from a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromServer {
    /// A part of what is seen.
    World(Part),
    /// There is no seat.
    Full,
    /// The server ends the session.
    Goodbye,
}

/// A part of one Frame. What is before the entities is the same in all of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which Frame: later ones have greater numbers.
    pub number: u32,
    /// Which part, from 0.
    pub part: u8,
    /// How many there are.
    pub parts: u8,
    /// The seat of the peer.
    pub seat: Seat,
    /// The state of the game.
    pub state: GameState,
    pub score: u32,
    /// The lives of each player.
    pub lives: [Option<u8>; SEATS],
    /// Some of what is seen.
    pub entities: Vec<Entity>,
}

impl<'a> FromClient<'a> {
    /// Reads a datagram.
    pub fn read(bytes: &'a [u8]) -> Result<FromClient<'a>, Malformed> {
        let mut reader = Reader::new(bytes);
        match reader.u8()? {
            1 => {
                let name = std::str::from_utf8(reader.take_rest()).map_err(|_| Malformed::BadText)?;
                let is_sound = name.len() <= NAME_MAX_BYTES && !name.chars().any(char::is_control);
                if is_sound { Ok(FromClient::Join { name }) } else { Err(Malformed::BadText) }
            }
            2 => read_keys(reader),
            3 => reader.finish().map(|()| FromClient::Leave),
            _ => Err(Malformed::UnknownType),
        }
    }

    /// Writes it behind what is there.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            FromClient::Join { name } => {
                out.push(1);
                out.extend_from_slice(name.as_bytes());
            }
            FromClient::Keys { newest, inputs } => {
                out.push(2);
                out.extend_from_slice(&newest.to_be_bytes());
                inputs.iter().for_each(|input| out.extend_from_slice(&[input.held.bits(), input.pressed.bits()]));
            }
            FromClient::Leave => out.push(3),
        }
    }
}

fn read_keys(mut reader: Reader) -> Result<FromClient, Malformed> {
    let newest = reader.u32_be()?;
    let pairs = reader.take_rest();
    if pairs.is_empty() || !pairs.len().is_multiple_of(2) || pairs.len() > 2 * INPUTS_MAX {
        return Err(Malformed::WrongSize);
    }
    let buttons = Buttons::from_bits;
    let inputs = pairs.chunks(2).map(|pair| Input { held: buttons(pair[0]), pressed: buttons(pair[1]) }).collect();
    Ok(FromClient::Keys { newest, inputs })
}

impl FromServer {
    /// Reads a datagram.
    pub fn read(bytes: &[u8]) -> Result<FromServer, Malformed> {
        let mut reader = Reader::new(bytes);
        match reader.u8()? {
            1 => Part::read(reader).map(FromServer::World),
            2 => reader.finish().map(|()| FromServer::Full),
            3 => reader.finish().map(|()| FromServer::Goodbye),
            _ => Err(Malformed::UnknownType),
        }
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            FromServer::World(part) => {
                let mut out = Vec::new();
                part.write_head(&mut out);
                part.entities.iter().for_each(|entity| write_entity(entity, &mut out));
                out
            }
            FromServer::Full => vec![2],
            FromServer::Goodbye => vec![3],
        }
    }
}

impl Part {
    /// Writes all but the entities, which follow.
    pub fn write_head(&self, out: &mut Vec<u8>) {
        out.push(1);
        out.extend_from_slice(&self.number.to_be_bytes());
        out.extend_from_slice(&[self.part, self.parts, self.seat.number(), self.state.number()]);
        out.extend_from_slice(&self.score.to_be_bytes());
        out.extend(self.lives.map(|lives| lives.unwrap_or(NOBODY)));
    }

    fn read(mut reader: Reader) -> Result<Part, Malformed> {
        let number = reader.u32_be()?;
        let (part, parts) = (reader.u8()?, reader.u8()?);
        if part >= parts || parts > PARTS_MAX {
            return Err(Malformed::BadValue);
        }
        let seat = Seat::new(reader.u8()?).ok_or(Malformed::BadValue)?;
        let state = GameState::from_number(reader.u8()?).ok_or(Malformed::BadValue)?;
        let score = reader.u32_be()?;
        let lives = reader.array()?.map(|lives| (lives != NOBODY).then_some(lives));
        let mut entities = Vec::new();
        while !reader.is_empty() {
            entities.push(read_entity(&mut reader)?);
        }
        Ok(Part { number, part, parts, seat, state, score, lives, entities })
    }
}

/// Writes one entity.
pub fn write_entity(entity: &Entity, out: &mut Vec<u8>) {
    out.extend_from_slice(&entity.id.0.to_be_bytes());
    out.extend_from_slice(&entity.kind.number().to_be_bytes());
    out.extend_from_slice(&entity.position.x.to_be_bytes());
    out.extend_from_slice(&entity.position.y.to_be_bytes());
    out.extend_from_slice(&entity.health.to_be_bytes());
    out.extend_from_slice(&[entity.seat.map_or(NOBODY, Seat::number), entity.charge]);
}

fn read_entity(reader: &mut Reader) -> Result<Entity, Malformed> {
    let id = EntityId(reader.u32_be()?);
    let kind = Kind::from_number(reader.u16_be()?).ok_or(Malformed::BadValue)?;
    let (x, y) = (reader.u32_be()? as i32, reader.u32_be()? as i32);
    let health = reader.u16_be()?;
    let seat = Seat::new(reader.u8()?);
    let charge = reader.u8()?;
    Ok(Entity { health, seat, charge, ..Entity::new(id, kind, Vec2::new(x, y)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_keys_are_these_bytes() {
        let mut bytes = Vec::new();
        FromClient::Join { name: "Ann" }.write(&mut bytes);
        assert_eq!(bytes, [1, b'A', b'n', b'n']);
        let keys = FromClient::Keys { newest: 258, inputs: vec![Input::holding(Buttons::UP)] };
        bytes.clear();
        keys.write(&mut bytes);
        assert_eq!(bytes, [2, 0, 0, 1, 2, Buttons::UP.bits(), 0]);
        assert_eq!(FromClient::read(&bytes), Ok(keys));
    }

    #[test]
    fn every_shorter_datagram_is_refused_or_another_one() {
        let entity = Entity::new(EntityId(7), Kind::Drone, Vec2::new(-1, 2));
        let (seat, state) = (Seat::ALL[2], GameState::Running);
        let lives = [Some(3), None, None, Some(1)];
        let part = Part { number: 9, part: 0, parts: 1, seat, state, score: 70, lives, entities: vec![entity] };
        let whole = FromServer::World(part).to_bytes();
        for length in 0..whole.len() {
            let is_without_entities = length == whole.len() - ENTITY_BYTES;
            assert_eq!(FromServer::read(&whole[..length]).is_ok(), is_without_entities, "{length}");
        }
        assert_eq!(FromServer::read(&whole).map(|read| read.to_bytes()), Ok(whole));
    }
}
