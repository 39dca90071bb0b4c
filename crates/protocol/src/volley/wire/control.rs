//! What goes over the stream: a u16 that says how many bytes follow, a byte for the message, its fields. Integers are
//! little-endian, a text is a byte for its length and UTF-8.
//!
//! `FromClient` and `FromServer` are the messages; [`next_message`] finds them in a stream that is cut anywhere.

use game::{Seat, stage::Terrain};

use super::{lobby, rules, tally, terrain};
use crate::{
    LobbyId, Malformed, Reader,
    lobby::{
        Emote, LobbyDetails, LobbyRequest, LobbySummary, NAME_MAX_BYTES, Pace, Refusal, SAY_MAX_BYTES, STAGE_MAX_BYTES,
        Tally, Token, decent,
    },
};

/// What this page describes. Two ends of different versions do not understand each other.
pub const VERSION: u8 = 5;
/// The most bytes of a client's message, its length not counted.
pub const FROM_CLIENT_MAX_BYTES: usize = 255;
/// The most bytes of a server's message, its length not counted.
pub const FROM_SERVER_MAX_BYTES: usize = u16::MAX as usize;
/// In place of a seat: none.
const NO_SEAT: u8 = 255;

/// What a client says over the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromClient {
    /// The first message.
    Hello {
        /// The version that it speaks.
        version: u8,
        /// The player's name.
        name: String,
    },
    /// Something that it asks for.
    Lobby(LobbyRequest),
    /// The last message.
    Goodbye,
    /// To be answered by `Pong`.
    Ping {
        /// To come back.
        nonce: u32,
    },
}

/// What a server says over the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromServer {
    /// The answer to `Hello`.
    Welcome {
        /// The version that it speaks.
        version: u8,
    },
    /// The open lobbies.
    Lobbies(Vec<LobbySummary>),
    Seated {
        code: LobbyId,
        seat: Seat,
        /// With this it can be had again.
        token: Token,
        /// The number of the first Frame that is of this lobby.
        from: u16,
    },
    /// A place to watch from.
    Watching {
        code: LobbyId,
        /// The number of the first Frame that is of this lobby.
        from: u16,
    },
    /// A request is refused.
    Refused(Refusal),
    /// Who is in the lobby.
    Lobby(LobbyDetails),
    /// Somebody said something.
    Said {
        /// Who, if it is a player.
        seat: Option<Seat>,
        name: String,
        text: String,
    },
    /// What is played.
    Stage {
        name: String,
        /// 1 and up; 0 for endless.
        number: u8,
        /// What kills on touch.
        terrain: Terrain,
    },
    /// No longer in a lobby.
    LeftLobby,
    /// The answer to `Ping`.
    Pong {
        /// What came with it.
        nonce: u32,
    },
    /// The last message.
    Goodbye,
    /// How time passes from now on.
    Pace(Pace),
    /// The last message of a node that ends: it may be back soon.
    Restarting,
    /// What everybody did.
    Tally(Tally),
    /// A player made a gesture.
    Emote { seat: Seat, emote: Emote },
}

/// The bytes of the message that a stream begins with, without its length, if all of it is there.
pub fn next_message(stream: &[u8], bytes_max: usize) -> Result<Option<&[u8]>, Malformed> {
    let Some((length, rest)) = stream.split_first_chunk::<2>() else { return Ok(None) };
    match usize::from(u16::from_le_bytes(*length)) {
        0 => Err(Malformed::WrongSize),
        length if length > bytes_max => Err(Malformed::WrongSize),
        length => Ok(rest.get(..length)),
    }
}

impl FromClient {
    /// Reads a message without its length.
    pub fn read(bytes: &[u8]) -> Result<FromClient, Malformed> {
        let mut reader = Reader::new(bytes);
        let message = FromClient::read_body(&mut reader)?;
        reader.finish().map(|()| message)
    }

    fn read_body(reader: &mut Reader) -> Result<FromClient, Malformed> {
        Ok(FromClient::Lobby(match reader.u8()? {
            0 => return Ok(FromClient::Hello { version: reader.u8()?, name: text(reader, NAME_MAX_BYTES)? }),
            1 => LobbyRequest::List,
            2 => LobbyRequest::Quick,
            3 => {
                let stage = text(reader, STAGE_MAX_BYTES)?;
                LobbyRequest::Create { stage, rules: rules::read(reader)?, is_private: yes_or_no(reader)? }
            }
            4 => LobbyRequest::Join { code: code(reader)? },
            5 => LobbyRequest::Watch { code: code(reader)? },
            6 => LobbyRequest::Rejoin { token: Token(reader.array()?) },
            7 => LobbyRequest::Rename { name: text(reader, NAME_MAX_BYTES)? },
            8 => LobbyRequest::Ready(yes_or_no(reader)?),
            9 => LobbyRequest::Start,
            10 => LobbyRequest::Say { text: text(reader, SAY_MAX_BYTES)? },
            11 => LobbyRequest::Mute { seat: seat(reader)?, on: yes_or_no(reader)? },
            12 => LobbyRequest::LeaveLobby,
            13 => return Ok(FromClient::Goodbye),
            14 => return Ok(FromClient::Ping { nonce: reader.u32_le()? }),
            15 => LobbyRequest::Pace(pace(reader)?),
            16 => LobbyRequest::Ship(rules::ship(reader)?),
            17 => LobbyRequest::AddBot(lobby::skill(reader)?),
            18 => LobbyRequest::Kick { seat: seat(reader)? },
            19 => LobbyRequest::Emote(emote(reader)?),
            _ => return Err(Malformed::UnknownType),
        }))
    }

    /// Appends the message with its length.
    pub fn write(&self, out: &mut Vec<u8>) {
        with_length(out, |out| match self {
            FromClient::Hello { version, name } => {
                out.extend_from_slice(&[0, *version]);
                put_text(name, NAME_MAX_BYTES, out);
            }
            FromClient::Lobby(request) => write_request(request, out),
            FromClient::Goodbye => out.push(13),
            FromClient::Ping { nonce } => {
                out.push(14);
                out.extend_from_slice(&nonce.to_le_bytes());
            }
        });
    }
}

fn write_request(request: &LobbyRequest, out: &mut Vec<u8>) {
    match request {
        LobbyRequest::List => out.push(1),
        LobbyRequest::Quick => out.push(2),
        LobbyRequest::Create { stage, rules, is_private } => {
            out.push(3);
            put_text(stage, STAGE_MAX_BYTES, out);
            rules::write(rules, out);
            out.push((*is_private).into());
        }
        LobbyRequest::Join { code } => put_coded(4, *code, out),
        LobbyRequest::Watch { code } => put_coded(5, *code, out),
        LobbyRequest::Rejoin { token } => {
            out.push(6);
            out.extend_from_slice(&token.0);
        }
        LobbyRequest::Rename { name } => {
            out.push(7);
            put_text(name, NAME_MAX_BYTES, out);
        }
        LobbyRequest::Ready(is_ready) => out.extend_from_slice(&[8, (*is_ready).into()]),
        LobbyRequest::Start => out.push(9),
        LobbyRequest::Say { text } => {
            out.push(10);
            put_text(text, SAY_MAX_BYTES, out);
        }
        LobbyRequest::Mute { seat, on } => out.extend_from_slice(&[11, seat.number(), (*on).into()]),
        LobbyRequest::LeaveLobby => out.push(12),
        LobbyRequest::Pace(pace) => out.extend_from_slice(&[15, *pace as u8]),
        LobbyRequest::Ship(ship) => out.extend_from_slice(&[16, ship.number()]),
        LobbyRequest::AddBot(skill) => out.extend_from_slice(&[17, skill.number()]),
        LobbyRequest::Kick { seat } => out.extend_from_slice(&[18, seat.number()]),
        LobbyRequest::Emote(emote) => out.extend_from_slice(&[19, *emote as u8]),
    }
}

impl FromServer {
    /// Reads a message without its length.
    pub fn read(bytes: &[u8]) -> Result<FromServer, Malformed> {
        let mut reader = Reader::new(bytes);
        let message = FromServer::read_body(&mut reader)?;
        reader.finish().map(|()| message)
    }

    fn read_body(reader: &mut Reader) -> Result<FromServer, Malformed> {
        Ok(match reader.u8()? {
            0 => FromServer::Welcome { version: reader.u8()? },
            1 => FromServer::Lobbies(lobby::read_list(reader)?),
            2 => FromServer::Seated {
                code: code(reader)?,
                seat: seat(reader)?,
                token: Token(reader.array()?),
                from: reader.u16_le()?,
            },
            3 => FromServer::Watching { code: code(reader)?, from: reader.u16_le()? },
            4 => FromServer::Refused(Refusal::from_number(reader.u8()?).ok_or(Malformed::BadValue)?),
            5 => FromServer::Lobby(lobby::read(reader)?),
            6 => {
                let seat = seat_or_none(reader)?;
                FromServer::Said { seat, name: text(reader, NAME_MAX_BYTES)?, text: text(reader, SAY_MAX_BYTES)? }
            }
            7 => {
                let name = text(reader, STAGE_MAX_BYTES)?;
                FromServer::Stage { name, number: reader.u8()?, terrain: terrain::read(reader)? }
            }
            8 => FromServer::LeftLobby,
            9 => FromServer::Pong { nonce: reader.u32_le()? },
            10 => FromServer::Goodbye,
            11 => FromServer::Pace(pace(reader)?),
            12 => FromServer::Restarting,
            13 => FromServer::Tally(tally::read(reader)?),
            14 => FromServer::Emote { seat: seat(reader)?, emote: emote(reader)? },
            _ => return Err(Malformed::UnknownType),
        })
    }

    /// Appends the message with its length.
    pub fn write(&self, out: &mut Vec<u8>) {
        with_length(out, |out| match self {
            FromServer::Welcome { version } => out.extend_from_slice(&[0, *version]),
            FromServer::Lobbies(lines) => {
                out.push(1);
                lobby::write_list(lines, out);
            }
            FromServer::Seated { code, seat, token, from } => {
                put_coded(2, *code, out);
                out.push(seat.number());
                out.extend_from_slice(&token.0);
                out.extend_from_slice(&from.to_le_bytes());
            }
            FromServer::Watching { code, from } => {
                put_coded(3, *code, out);
                out.extend_from_slice(&from.to_le_bytes());
            }
            FromServer::Refused(refusal) => out.extend_from_slice(&[4, *refusal as u8]),
            FromServer::Lobby(lobby) => {
                out.push(5);
                lobby::write(lobby, out);
            }
            FromServer::Said { seat, name, text } => {
                out.push(6);
                put_seat_or_none(*seat, out);
                put_text(name, NAME_MAX_BYTES, out);
                put_text(text, SAY_MAX_BYTES, out);
            }
            FromServer::Stage { name, number, terrain } => put_stage(name, *number, terrain, out),
            FromServer::LeftLobby => out.push(8),
            FromServer::Pong { nonce } => {
                out.push(9);
                out.extend_from_slice(&nonce.to_le_bytes());
            }
            FromServer::Goodbye => out.push(10),
            FromServer::Pace(pace) => out.extend_from_slice(&[11, *pace as u8]),
            FromServer::Restarting => out.push(12),
            FromServer::Tally(tally) => tally::write(tally, out),
            FromServer::Emote { seat, emote } => out.extend_from_slice(&[14, seat.number(), *emote as u8]),
        });
    }
}

// ---- Parts ----

fn with_length(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0, 0]);
    write(out);
    let length = (out.len() - start - 2) as u16;
    out[start..start + 2].copy_from_slice(&length.to_le_bytes());
}

pub(super) fn text(reader: &mut Reader, bytes_max: usize) -> Result<String, Malformed> {
    let length = usize::from(reader.u8()?);
    let text = str::from_utf8(reader.take(length)?).map_err(|_| Malformed::BadText)?;
    // Untrimmed text is refused rather than trimmed, so that what is read is what was written.
    decent(text, bytes_max).filter(|decent| decent.len() == length).map(Into::into).ok_or(Malformed::BadText)
}

/// Our own text may be too long as well: what does not fit is left out.
pub(super) fn put_text(text: &str, bytes_max: usize, out: &mut Vec<u8>) {
    let fits: String = text.trim().chars().filter(|letter| !letter.is_control()).collect();
    let end = (0..=bytes_max.min(fits.len())).rev().find(|&end| fits.is_char_boundary(end)).unwrap_or(0);
    let fits = fits[..end].trim();
    out.push(fits.len() as u8);
    out.extend_from_slice(fits.as_bytes());
}

pub(super) fn yes_or_no(reader: &mut Reader) -> Result<bool, Malformed> {
    match reader.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Malformed::BadValue),
    }
}

fn pace(reader: &mut Reader) -> Result<Pace, Malformed> {
    Pace::from_number(reader.u8()?).ok_or(Malformed::BadValue)
}

fn emote(reader: &mut Reader) -> Result<Emote, Malformed> {
    Emote::from_number(reader.u8()?).ok_or(Malformed::BadValue)
}

pub(super) fn seat(reader: &mut Reader) -> Result<Seat, Malformed> {
    Seat::new(reader.u8()?).ok_or(Malformed::BadValue)
}

pub(super) fn seat_or_none(reader: &mut Reader) -> Result<Option<Seat>, Malformed> {
    match reader.u8()? {
        NO_SEAT => Ok(None),
        number => Seat::new(number).map(Some).ok_or(Malformed::BadValue),
    }
}

pub(super) fn put_seat_or_none(seat: Option<Seat>, out: &mut Vec<u8>) {
    out.push(seat.map_or(NO_SEAT, Seat::number));
}

pub(super) fn code(reader: &mut Reader) -> Result<LobbyId, Malformed> {
    let text = str::from_utf8(reader.take(6)?).map_err(|_| Malformed::BadText)?;
    LobbyId::new(text)
}

fn put_coded(number: u8, code: LobbyId, out: &mut Vec<u8>) {
    out.push(number);
    out.extend_from_slice(code.to_string().as_bytes());
}

fn put_stage(name: &str, number: u8, terrain: &Terrain, out: &mut Vec<u8>) {
    out.push(7);
    put_text(name, STAGE_MAX_BYTES, out);
    out.push(number);
    terrain::write(terrain, out);
}
