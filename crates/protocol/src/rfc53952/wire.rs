//! The bytes of `rfc53952`, named as its document names them. All numbers are little-endian (F1).
//!
//! | header, 15 bytes | size | meaning                                            |
//! |------------------|------|----------------------------------------------------|
//! | Length           | 4    | of the whole packet, header included (F1)          |
//! | Type             | 1    | 1–10 (F2)                                          |
//! | Timestamp        | 8    | seconds since 1970                                 |
//! | Datasize         | 2    | Length − 15 (F1)                                   |
//!
//! | Type                | from   | data                                                                         |
//! |---------------------|--------|------------------------------------------------------------------------------|
//! | 1 HiServer          | client | none                                                                         |
//! | 2 HiClient          | server | none: accepted; one byte 0: refused (F5)                                     |
//! | 3 AdiosServer       | client | none                                                                         |
//! | 4 Ping              | both   | none                                                                         |
//! | 5 CreateEntity      | server | Network Id u32, Entity prefab path (Datasize − 12 bytes), x f32, y f32 (F3)   |
//! | 6 DestroyEntity     | server | Network Id u32                                                               |
//! | 7 MoveEntity        | server | Network Id u32, x f32, y f32, direction x f32, direction y f32               |
//! | 8 UpdateEntity      | server | Network Id u32, Description (Datasize − 4 bytes)                             |
//! | 9 ClientEvents      | client | IdEvent u8, Description (Datasize − 1 bytes)                                 |
//! | 10 PacketValidation | both   | PacketType u8, PacketTimestamp u64                                           |
//!
//! A packet that the wrong end sends is `UnknownType`. Coordinates and directions are finite: a NaN is `BadValue`.

use std::fmt;

use crate::{Malformed, Reader};

/// Bytes of the header.
pub const HEADER_SIZE: usize = 15;
/// The longest Entity prefab path or Description, in bytes: far more than any that is documented, and well below C2's
/// 1,200 with all that surrounds it.
pub const TEXT_MAX: usize = 1024;

/// A packet with its time of sending.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packet<Data> {
    /// Seconds since 1970.
    pub timestamp: u64,
    /// Type and data.
    pub data: Data,
}

/// What a client says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FromClient<'a> {
    /// I would like to play.
    HiServer,
    /// I am leaving.
    AdiosServer,
    /// I am here.
    Ping,
    /// The player does something; [`super::description::ClientEvent`] is what (F6).
    ClientEvents {
        /// What kind of thing.
        id_event: u8,
        /// Which exactly; often empty.
        description: Text<'a>,
    },
    /// A packet of the server came.
    PacketValidation { packet_type: PacketType, packet_timestamp: u64 },
}

/// What a server says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FromServer<'a> {
    /// The answer to HiServer.
    HiClient {
        /// Whether the client may play. The document has no field for its "positive or negative response"; F5 has.
        accepted: bool,
    },
    /// I am here.
    Ping,
    /// An entity appeared.
    CreateEntity {
        /// Its name in this dialect.
        network_id: u32,
        /// What it is; never empty, because each parameter is mandatory.
        entity_prefab_path: Text<'a>,
        x: f32,
        y: f32,
    },
    /// An entity is no more.
    DestroyEntity { network_id: u32 },
    MoveEntity {
        network_id: u32,
        x: f32,
        y: f32,
        /// Its velocity in units a second (F8).
        direction_x: f32,
        /// Its velocity in units a second (F8).
        direction_y: f32,
    },
    /// Something else about an entity; [`super::description::Update`] is what (F7).
    UpdateEntity {
        /// Which; 0 is the game as a whole (F7).
        network_id: u32,
        description: Text<'a>,
    },
    /// A packet of the client came.
    PacketValidation { packet_type: PacketType, packet_timestamp: u64 },
}

/// What a packet is. Its number is the header's Type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the table at the top of the file says what each one is")]
pub enum PacketType {
    HiServer = 1,
    HiClient = 2,
    AdiosServer = 3,
    Ping = 4,
    CreateEntity = 5,
    DestroyEntity = 6,
    MoveEntity = 7,
    UpdateEntity = 8,
    ClientEvents = 9,
    PacketValidation = 10,
}

impl PacketType {
    /// All types, by number.
    pub const ALL: [PacketType; 10] = [
        PacketType::HiServer,
        PacketType::HiClient,
        PacketType::AdiosServer,
        PacketType::Ping,
        PacketType::CreateEntity,
        PacketType::DestroyEntity,
        PacketType::MoveEntity,
        PacketType::UpdateEntity,
        PacketType::ClientEvents,
        PacketType::PacketValidation,
    ];

    fn from_number(number: u8) -> Option<PacketType> {
        Self::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }
}

/// What an invalid text reads as: no word of ours.
const UNREADABLE: &str = "\u{fffd}";

/// A text in a packet: at most [`TEXT_MAX`] bytes of UTF-8 without control characters.
///
/// It has neither terminator nor length (F2). One NUL alone is a text too: the document calls an unused Description
/// "null", which may be read as no bytes or as that byte. We write no bytes. What is read may be any bytes: every packet is
/// validated (F4), and one whose text means nothing is ignored like any unknown one. Else it would come again for ever.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Text<'a>(&'a [u8]);

impl<'a> Text<'a> {
    /// No text.
    pub const EMPTY: Text<'static> = Text(b"");

    /// This text, if it can travel.
    pub fn new(text: &'a str) -> Result<Self, Malformed> {
        if text == "\0" || is_text(text) { Ok(Text(text.as_bytes())) } else { Err(Malformed::BadText) }
    }

    /// The text, without the NUL that some end it with; U+FFFD for bytes that are not text.
    pub fn as_str(self) -> &'a str {
        let bytes = self.0.strip_suffix(&[0]).unwrap_or(self.0);
        std::str::from_utf8(bytes).ok().filter(|text| is_text(text)).unwrap_or(UNREADABLE)
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let mut tuple = formatter.debug_tuple("Text");
        match std::str::from_utf8(self.0) {
            Ok(text) => tuple.field(&text),
            Err(_) => tuple.field(&self.0),
        };
        tuple.finish()
    }
}

fn is_text(text: &str) -> bool {
    text.len() <= TEXT_MAX && !text.chars().any(char::is_control)
}

impl<'a> Packet<FromClient<'a>> {
    /// Reads a datagram from a client.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let (packet_type, timestamp, mut data) = read_header(bytes)?;
        let read = match packet_type {
            PacketType::HiServer => FromClient::HiServer,
            PacketType::AdiosServer => FromClient::AdiosServer,
            PacketType::Ping => FromClient::Ping,
            PacketType::ClientEvents => {
                FromClient::ClientEvents { id_event: data.u8()?, description: Text(data.take_rest()) }
            }
            PacketType::PacketValidation => FromClient::PacketValidation {
                packet_type: read_packet_type(&mut data)?,
                packet_timestamp: data.u64_le()?,
            },
            PacketType::HiClient | PacketType::CreateEntity | PacketType::DestroyEntity => {
                return Err(Malformed::UnknownType);
            }
            PacketType::MoveEntity | PacketType::UpdateEntity => return Err(Malformed::UnknownType),
        };
        data.finish()?;
        Ok(Packet { timestamp, data: read })
    }

    /// Appends the bytes of this packet.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = write_header(self.data.packet_type(), self.timestamp, out);
        match self.data {
            FromClient::HiServer | FromClient::AdiosServer | FromClient::Ping => {}
            FromClient::ClientEvents { id_event, description } => {
                out.push(id_event);
                out.extend_from_slice(description.0);
            }
            FromClient::PacketValidation { packet_type, packet_timestamp } => {
                write_validation(packet_type, packet_timestamp, out);
            }
        }
        write_sizes(start, out);
    }
}

impl FromClient<'_> {
    /// The header's Type.
    pub const fn packet_type(&self) -> PacketType {
        match self {
            FromClient::HiServer => PacketType::HiServer,
            FromClient::AdiosServer => PacketType::AdiosServer,
            FromClient::Ping => PacketType::Ping,
            FromClient::ClientEvents { .. } => PacketType::ClientEvents,
            FromClient::PacketValidation { .. } => PacketType::PacketValidation,
        }
    }
}

impl<'a> Packet<FromServer<'a>> {
    /// Reads a datagram from a server.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let (packet_type, timestamp, mut data) = read_header(bytes)?;
        let read = FromServer::read_data(packet_type, &mut data)?;
        data.finish()?;
        Ok(Packet { timestamp, data: read })
    }

    /// Appends the bytes of this packet.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = write_header(self.data.packet_type(), self.timestamp, out);
        self.data.write_data(out);
        write_sizes(start, out);
    }
}

impl<'a> FromServer<'a> {
    fn read_data(packet_type: PacketType, data: &mut Reader<'a>) -> Result<Self, Malformed> {
        Ok(match packet_type {
            PacketType::HiClient => FromServer::HiClient { accepted: read_acceptance(data)? },
            PacketType::Ping => FromServer::Ping,
            PacketType::CreateEntity => FromServer::CreateEntity {
                network_id: data.u32_le()?,
                entity_prefab_path: read_prefab_path(data)?,
                x: read_finite(data)?,
                y: read_finite(data)?,
            },
            PacketType::DestroyEntity => FromServer::DestroyEntity { network_id: data.u32_le()? },
            PacketType::MoveEntity => FromServer::MoveEntity {
                network_id: data.u32_le()?,
                x: read_finite(data)?,
                y: read_finite(data)?,
                direction_x: read_finite(data)?,
                direction_y: read_finite(data)?,
            },
            PacketType::UpdateEntity => {
                FromServer::UpdateEntity { network_id: data.u32_le()?, description: Text(data.take_rest()) }
            }
            PacketType::PacketValidation => {
                FromServer::PacketValidation { packet_type: read_packet_type(data)?, packet_timestamp: data.u64_le()? }
            }
            PacketType::HiServer | PacketType::AdiosServer | PacketType::ClientEvents => {
                return Err(Malformed::UnknownType);
            }
        })
    }

    fn write_data(&self, out: &mut Vec<u8>) {
        match *self {
            FromServer::HiClient { accepted: true } | FromServer::Ping => {}
            FromServer::HiClient { accepted: false } => out.push(0),
            FromServer::CreateEntity { network_id, entity_prefab_path, x, y } => {
                out.extend_from_slice(&network_id.to_le_bytes());
                out.extend_from_slice(entity_prefab_path.0);
                out.extend_from_slice(&x.to_le_bytes());
                out.extend_from_slice(&y.to_le_bytes());
            }
            FromServer::DestroyEntity { network_id } => out.extend_from_slice(&network_id.to_le_bytes()),
            FromServer::MoveEntity { network_id, x, y, direction_x, direction_y } => {
                out.extend_from_slice(&network_id.to_le_bytes());
                out.extend_from_slice(&x.to_le_bytes());
                out.extend_from_slice(&y.to_le_bytes());
                out.extend_from_slice(&direction_x.to_le_bytes());
                out.extend_from_slice(&direction_y.to_le_bytes());
            }
            FromServer::UpdateEntity { network_id, description } => {
                out.extend_from_slice(&network_id.to_le_bytes());
                out.extend_from_slice(description.0);
            }
            FromServer::PacketValidation { packet_type, packet_timestamp } => {
                write_validation(packet_type, packet_timestamp, out);
            }
        }
    }

    /// The header's Type.
    pub const fn packet_type(&self) -> PacketType {
        match self {
            FromServer::HiClient { .. } => PacketType::HiClient,
            FromServer::Ping => PacketType::Ping,
            FromServer::CreateEntity { .. } => PacketType::CreateEntity,
            FromServer::DestroyEntity { .. } => PacketType::DestroyEntity,
            FromServer::MoveEntity { .. } => PacketType::MoveEntity,
            FromServer::UpdateEntity { .. } => PacketType::UpdateEntity,
            FromServer::PacketValidation { .. } => PacketType::PacketValidation,
        }
    }
}

fn read_header(bytes: &[u8]) -> Result<(PacketType, u64, Reader<'_>), Malformed> {
    let mut reader = Reader::new(bytes);
    let length = reader.u32_le()?;
    let number = reader.u8()?;
    let timestamp = reader.u64_le()?;
    let datasize = reader.u16_le()?;
    if u64::from(length) != bytes.len() as u64 || usize::from(datasize) != reader.rest().len() {
        return Err(Malformed::WrongSize);
    }
    let packet_type = PacketType::from_number(number).ok_or(Malformed::UnknownType)?;
    Ok((packet_type, timestamp, reader))
}

fn read_acceptance(data: &mut Reader) -> Result<bool, Malformed> {
    match data.take_rest() {
        [] => Ok(true),
        [0] => Ok(false),
        [_] => Err(Malformed::BadValue),
        _ => Err(Malformed::Trailing),
    }
}

fn read_prefab_path<'a>(data: &mut Reader<'a>) -> Result<Text<'a>, Malformed> {
    // x and y stand behind it, 4 bytes each.
    let size = data.rest().len().checked_sub(8).ok_or(Malformed::Short)?;
    let path = Text(data.take(size)?);
    if path.as_str().is_empty() { Err(Malformed::BadText) } else { Ok(path) }
}

fn read_finite(data: &mut Reader) -> Result<f32, Malformed> {
    let value = data.f32_le()?;
    if value.is_finite() { Ok(value) } else { Err(Malformed::BadValue) }
}

fn read_packet_type(data: &mut Reader) -> Result<PacketType, Malformed> {
    PacketType::from_number(data.u8()?).ok_or(Malformed::BadValue)
}

fn write_header(packet_type: PacketType, timestamp: u64, out: &mut Vec<u8>) -> usize {
    let start = out.len();
    let mut header = [0; HEADER_SIZE];
    header[4] = packet_type as u8;
    header[5..13].copy_from_slice(&timestamp.to_le_bytes());
    out.extend_from_slice(&header);
    start
}

/// Fills in Length and Datasize. Neither can overflow: the only data without a fixed size is at most [`TEXT_MAX`], or was
/// read from a packet that had them.
fn write_sizes(start: usize, out: &mut [u8]) {
    let length = out.len() - start;
    out[start..start + 4].copy_from_slice(&(length as u32).to_le_bytes());
    out[start + 13..start + 15].copy_from_slice(&((length - HEADER_SIZE) as u16).to_le_bytes());
}

fn write_validation(packet_type: PacketType, packet_timestamp: u64, out: &mut Vec<u8>) {
    out.push(packet_type as u8);
    out.extend_from_slice(&packet_timestamp.to_le_bytes());
}
