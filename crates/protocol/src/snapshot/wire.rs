//! The bytes of `snapshot`. Integers and floats are big-endian; a datagram is at most 1,024 bytes.
//!
//! ```text
//! every packet          Packet Type u8 · Packet ID u16 · Timestamp u32 · payload
//! 0x01 INPUT            client   Player ID u8 · Key Code u8 · Action u8 (0 up, 1 down)
//! 0x02 JOIN             client   Username, to the end (ruling S2)
//! 0x08 PLAYER_ID_…      server   Player ID u8 (0–3; 255: full)
//! 0x10 SNAPSHOT         server   entities, to the end
//! 0x20 TIMEOUT          server   Entity ID u8 · Player ID u8 · Username Len u8 · Username
//! 0x40 KILLED           server   the same (ruling S1: the example's 0x40, not the heading's 0x20)
//!
//! entity                Entity ID u8 · Position X f32 · Position Y f32 · Path Length u8 · Sprite Path
//!                       · Rect Pos X f32 · Rect Pos Y f32 · Rect Size X f32 · Rect Size Y f32
//! ```
//!
//! Reading checks a datagram once and borrows from it. A float may be infinite or no number: a session decides.

use std::fmt;

use game::Buttons;

use crate::{Malformed, Reader};

/// The document's receive buffer, so no datagram is longer (rulings C2, S6).
pub const DATAGRAM_MAX_BYTES: usize = 1024;

/// The Player ID of a PLAYER_ID_ASSIGNMENT that says "No available slots".
pub const NO_AVAILABLE_SLOTS: u8 = 255;

/// The longest Sprite Path, and Username of a TIMEOUT or KILLED.
pub const TEXT_MAX_BYTES: usize = u8::MAX as usize;

/// Seats, hence one more than the highest Player ID.
const MAXIMUM_PLAYERS: u8 = game::SEATS as u8;

const INPUT: u8 = 0x01;
const JOIN: u8 = 0x02;
const PLAYER_ID_ASSIGNMENT: u8 = 0x08;
const SNAPSHOT: u8 = 0x10;
const TIMEOUT: u8 = 0x20;
/// Ruling S1.
const KILLED: u8 = 0x40;

/// What every packet begins with, after its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// Counts up by one per datagram to a peer, over all types, and wraps (ruling S4).
    pub packet_id: u16,
    /// Milliseconds since the sender started (ruling S4).
    pub timestamp: u32,
}

impl Header {
    /// With the type of the packet.
    pub const BYTES: usize = 7;

    fn read<'a>(datagram: &'a [u8]) -> Result<(u8, Header, Reader<'a>), Malformed> {
        if datagram.len() > DATAGRAM_MAX_BYTES {
            return Err(Malformed::WrongSize);
        }
        if datagram.len() < Header::BYTES {
            return Err(Malformed::Runt);
        }
        let mut reader = Reader::new(datagram);
        let packet_type = reader.u8()?;
        let header = Header { packet_id: reader.u16_be()?, timestamp: reader.u32_be()? };
        Ok((packet_type, header, reader))
    }

    fn write(self, packet_type: u8, out: &mut Vec<u8>) {
        out.push(packet_type);
        out.extend(self.packet_id.to_be_bytes());
        out.extend(self.timestamp.to_be_bytes());
    }
}

/// A packet from a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FromClient<'a> {
    /// A key went down or up.
    Input {
        /// Any number: the document does not reject the wrong one, and the endpoint tells who it is (ruling S5).
        player_id: u8,
        /// Which key; [`button`] knows the ones that mean something.
        key_code: u8,
        /// Down or up.
        action: Action,
    },
    /// A request for a seat.
    Join {
        /// The player's name.
        username: Username<'a>,
    },
}

impl<'a> FromClient<'a> {
    pub fn read(datagram: &'a [u8]) -> Result<(Header, Self), Malformed> {
        let (packet_type, header, mut reader) = Header::read(datagram)?;
        let packet = match packet_type {
            INPUT => FromClient::Input {
                player_id: reader.u8()?,
                key_code: reader.u8()?,
                action: Action::from_byte(reader.u8()?)?,
            },
            JOIN => FromClient::Join { username: Username::read(reader.take_rest())? },
            _ => return Err(Malformed::UnknownType),
        };
        reader.finish()?;
        Ok((header, packet))
    }

    /// Appends the datagram.
    pub fn write(&self, header: Header, out: &mut Vec<u8>) {
        match *self {
            FromClient::Input { player_id, key_code, action } => {
                header.write(INPUT, out);
                out.extend([player_id, key_code, action as u8]);
            }
            FromClient::Join { username } => {
                header.write(JOIN, out);
                out.extend(username.as_str().as_bytes());
            }
        }
    }
}

/// What became of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Action {
    /// It was released.
    KeyUp = 0,
    /// It was pressed, or is still held.
    KeyDown = 1,
}

impl Action {
    fn from_byte(byte: u8) -> Result<Action, Malformed> {
        match byte {
            0 => Ok(Action::KeyUp),
            1 => Ok(Action::KeyDown),
            _ => Err(Malformed::BadValue),
        }
    }
}

/// The key codes that we send (ruling S3).
pub mod key_code {
    /// The left arrow.
    pub const LEFT: u8 = 0x25;
    /// The up arrow, as in the document's example.
    pub const UP: u8 = 0x26;
    /// The right arrow.
    pub const RIGHT: u8 = 0x27;
    /// The down arrow.
    pub const DOWN: u8 = 0x28;
    /// The space bar: fire, held to charge.
    pub const FIRE: u8 = 0x20;
    /// Shift: the Force.
    pub const FORCE: u8 = 0x10;
}

/// The button of a Key Code: those that we send and those of the authors' program, 0 to 4. Others are ignored (S3).
pub const fn button(key_code: u8) -> Option<Buttons> {
    Some(match key_code {
        key_code::LEFT | 2 => Buttons::LEFT,
        key_code::UP | 1 => Buttons::UP,
        key_code::RIGHT | 3 => Buttons::RIGHT,
        key_code::DOWN | 0 => Buttons::DOWN,
        key_code::FIRE | 4 => Buttons::FIRE,
        key_code::FORCE => Buttons::FORCE,
        _ => return None,
    })
}

/// A player's name: trimmed, without control characters, at most 32 bytes, perhaps empty (ruling S2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Username<'a>(&'a str);

impl<'a> Username<'a> {
    /// The longest name after trimming, in bytes of UTF-8.
    pub const MAX_BYTES: usize = 32;

    /// That name without the space around it, if it is one.
    pub fn new(name: &'a str) -> Option<Self> {
        let name = name.trim();
        let is_fit = name.len() <= Self::MAX_BYTES && !name.contains(char::is_control);
        is_fit.then_some(Username(name))
    }

    pub const fn as_str(self) -> &'a str {
        self.0
    }

    /// Ruling S2: bare, terminated or padded with NUL, or behind a length byte. No name begins with a byte below 0x20,
    /// so one that counts what is behind it can only be a length.
    fn read(payload: &'a [u8]) -> Result<Self, Malformed> {
        let name = match payload {
            [length @ 0..0x20, name @ ..] if usize::from(*length) == name.len() => name,
            bare => bare,
        };
        let end = name.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let name = str::from_utf8(&name[..end]).map_err(|_| Malformed::BadText)?;
        Username::new(name).ok_or(Malformed::BadText)
    }
}

/// A packet from the server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FromServer<'a> {
    /// The answer to JOIN.
    PlayerIdAssignment {
        /// 0 to 3, or [`NO_AVAILABLE_SLOTS`].
        player_id: u8,
    },
    /// All that can be seen.
    Snapshot {
        /// In the order sent.
        entities: Entities<'a>,
    },
    /// A player was lost to silence.
    Timeout(Loss<'a>),
    /// A player's ship was destroyed.
    Killed(Loss<'a>),
}

impl<'a> FromServer<'a> {
    pub fn read(datagram: &'a [u8]) -> Result<(Header, Self), Malformed> {
        let (packet_type, header, mut reader) = Header::read(datagram)?;
        let packet = match packet_type {
            PLAYER_ID_ASSIGNMENT => match reader.u8()? {
                player_id @ (0..MAXIMUM_PLAYERS | NO_AVAILABLE_SLOTS) => FromServer::PlayerIdAssignment { player_id },
                _ => return Err(Malformed::BadValue),
            },
            SNAPSHOT => FromServer::Snapshot { entities: Entities::read(&mut reader)? },
            TIMEOUT => FromServer::Timeout(Loss::read(&mut reader)?),
            KILLED => FromServer::Killed(Loss::read(&mut reader)?),
            _ => return Err(Malformed::UnknownType),
        };
        reader.finish()?;
        Ok((header, packet))
    }

    /// Appends the datagram. A SNAPSHOT from entities that are not yet bytes: [`SnapshotWriter`].
    pub fn write(&self, header: Header, out: &mut Vec<u8>) {
        match self {
            FromServer::PlayerIdAssignment { player_id } => {
                header.write(PLAYER_ID_ASSIGNMENT, out);
                out.push(*player_id);
            }
            FromServer::Snapshot { entities } => {
                let mut snapshot = SnapshotWriter::begin(header, out);
                entities.iter().for_each(|entity| assert!(snapshot.push(&entity), "it was read from as many bytes"));
            }
            FromServer::Timeout(loss) => loss.write(TIMEOUT, header, out),
            FromServer::Killed(loss) => loss.write(KILLED, header, out),
        }
    }
}

/// The payload of TIMEOUT and KILLED.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Loss<'a> {
    /// The destroyed entity.
    pub entity_id: u8,
    /// Whose it was, 0 to 3.
    pub player_id: u8,
    /// Their name, at most [`TEXT_MAX_BYTES`]; empty if they have none (ruling S8). It may hold control characters.
    pub username: &'a str,
}

impl<'a> Loss<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        let (entity_id, player_id) = (reader.u8()?, reader.u8()?);
        let username = read_text(reader)?;
        if player_id >= MAXIMUM_PLAYERS {
            return Err(Malformed::BadValue);
        }
        Ok(Loss { entity_id, player_id, username })
    }

    fn write(&self, packet_type: u8, header: Header, out: &mut Vec<u8>) {
        header.write(packet_type, out);
        out.extend([self.entity_id, self.player_id]);
        write_text(self.username, out);
    }
}

/// One entity of a SNAPSHOT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entity<'a> {
    /// A ship's is its Player ID; others have 4 to 255 (ruling S9).
    pub entity_id: u8,
    /// To the right.
    pub position_x: f32,
    /// Downwards.
    pub position_y: f32,
    /// The sprite sheet, at most [`TEXT_MAX_BYTES`].
    pub sprite_path: &'a str,
    /// The left of the picture within the sheet.
    pub rect_pos_x: f32,
    /// The top of the picture within the sheet.
    pub rect_pos_y: f32,
    /// The picture's width.
    pub rect_size_x: f32,
    /// The picture's height.
    pub rect_size_y: f32,
}

impl<'a> Entity<'a> {
    /// An entity with an empty Sprite Path.
    const MIN_BYTES: usize = 26;

    /// How many bytes it takes in a SNAPSHOT.
    pub const fn size(&self) -> usize {
        Entity::size_with_path(self.sprite_path)
    }

    /// How many bytes any entity with that path takes.
    pub const fn size_with_path(sprite_path: &str) -> usize {
        Self::MIN_BYTES + sprite_path.len()
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        Ok(Entity {
            entity_id: reader.u8()?,
            position_x: reader.f32_be()?,
            position_y: reader.f32_be()?,
            sprite_path: read_text(reader)?,
            rect_pos_x: reader.f32_be()?,
            rect_pos_y: reader.f32_be()?,
            rect_size_x: reader.f32_be()?,
            rect_size_y: reader.f32_be()?,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(self.entity_id);
        out.extend(self.position_x.to_be_bytes());
        out.extend(self.position_y.to_be_bytes());
        write_text(self.sprite_path, out);
        for length in [self.rect_pos_x, self.rect_pos_y, self.rect_size_x, self.rect_size_y] {
            out.extend(length.to_be_bytes());
        }
    }
}

/// The entities of a SNAPSHOT, checked, and still in the datagram's bytes.
#[derive(Clone, Copy, PartialEq)]
pub struct Entities<'a> {
    bytes: &'a [u8],
}

impl<'a> Entities<'a> {
    /// Each entity, in the order sent.
    pub fn iter(&self) -> impl Iterator<Item = Entity<'a>> + use<'a> {
        let mut reader = Reader::new(self.bytes);
        // `read` saw that these bytes are whole entities: the only error left is that they are over.
        std::iter::from_fn(move || Entity::read(&mut reader).ok())
    }

    /// How many bytes they have together.
    pub fn size_bytes(&self) -> usize {
        self.bytes.len()
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        let bytes = reader.rest();
        while !reader.is_empty() {
            Entity::read(reader)?;
        }
        Ok(Entities { bytes })
    }
}

impl fmt::Debug for Entities<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Appends a SNAPSHOT entity by entity, as long as they fit in a datagram.
#[derive(Debug)]
pub struct SnapshotWriter<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
}

impl<'o> SnapshotWriter<'o> {
    /// Appends a SNAPSHOT of nothing, which is whole as it is.
    pub fn begin(header: Header, out: &'o mut Vec<u8>) -> Self {
        let start = out.len();
        out.reserve(DATAGRAM_MAX_BYTES);
        header.write(SNAPSHOT, out);
        SnapshotWriter { out, start }
    }

    /// Appends the entity, unless the datagram would become too long (ruling S6): then it says `false`.
    pub fn push(&mut self, entity: &Entity) -> bool {
        let fits = self.out.len() - self.start + entity.size() <= DATAGRAM_MAX_BYTES;
        if fits {
            entity.write(self.out);
        }
        fits
    }
}

/// Appends a SNAPSHOT that was written before, under another header.
pub fn write_snapshot_again(snapshot: &[u8], header: Header, out: &mut Vec<u8>) {
    header.write(SNAPSHOT, out);
    out.extend_from_slice(&snapshot[Header::BYTES..]);
}

fn read_text<'a>(reader: &mut Reader<'a>) -> Result<&'a str, Malformed> {
    let length = reader.u8()?;
    str::from_utf8(reader.take(length.into())?).map_err(|_| Malformed::BadText)
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    assert!(text.len() <= TEXT_MAX_BYTES, "our names and paths are far shorter: {text}");
    out.push(text.len() as u8);
    out.extend(text.as_bytes());
}
