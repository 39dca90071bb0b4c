//! The bytes of `rfc2020`, named as its document names them. All integers are big-endian (R1).
//!
//! | header, 17 bytes     | size    | meaning                                                                   |
//! |----------------------|---------|---------------------------------------------------------------------------|
//! | TYPE, METHOD         | 2+6 bit | one byte; TYPE is its two high bits: 0 request, 1 response (R1)           |
//! | BODY_SIZE            | 8       | of BODY; on UDP exactly the rest of the datagram, on TCP at most 1,024 (R4) |
//! | CREATION_TIMESTAMP   | 8       | microseconds since 1970 (R2); a response repeats its request's            |
//!
//! | METHOD         | request from client                   | request from server                          | response                          |
//! |----------------|---------------------------------------|----------------------------------------------|-----------------------------------|
//! | 0 ASK_JOIN     | LOBBY_ID 6                            |                                              | LOBBY_PORT 2                      |
//! | 1 CREATE       | MAP_NAME                              |                                              | LOBBY_PORT 2, LOBBY_ID 6          |
//! | 2 GAME_STATE   | STATE 1 (0, 1)                        | STATE 1 (0–4)                                | header only                       |
//! | 3 POSITION     |                                       | ENTITY_ID 8, X_COORDINATE 8, Y_COORDINATE 8  | never                             |
//! | 4 MOVE         | ENTITY_ID 8, DIRECTION 1, STATE 1     |                                              | header only                       |
//! | 5 SPAWN        |                                       | ENTITY_ID 8, ENTITY_JSON, NUL                | header only                       |
//! | 6 DESTROY      |                                       | ENTITY_ID 8                                  | header only                       |
//! | 7 GRAB         |                                       | ENTITY_ID 8, ENTITY_ID 8, DIRECTION 0 or 1   | header only                       |
//! | 8 DROP         | empty                                 | ENTITY_ID 8                                  | header only                       |
//! | 9 CHARGE       | ENTITY_ID 8                           |                                              | header only                       |
//! | 10 SHOOT       | ENTITY_ID 8                           |                                              | IS_VALID 1, ENTITY_ID 8, or none  |
//! | 11 HIT         |                                       | ENTITY_ID 8                                  | header only                       |
//! | 12 JOIN        | empty                                 |                                              | ENTITY_ID 8, X_COORDINATE 8, Y_COORDINATE 8, MAP_NAME, or none |
//! | 13 LEAVE       | ENTITY_ID 8                           |                                              | header only                       |
//!
//! A response comes from the end that did not make the request; what the wrong end sends is `UnknownType`. A
//! confirmation "must at least contain a header", so a header alone confirms every confirmed method, SHOOT and JOIN
//! too; any other body on a confirmation is malformed.

use super::entity_json::EntityJson;
pub use super::field_types::{Direction, GrabDirection, MAP_NAME_MAX, MapName, Method, State};
use crate::{LobbyId, Malformed, Reader};

/// Bytes of the header.
pub const HEADER_SIZE: usize = 17;
/// The largest BODY_SIZE on TCP, in bytes (R4).
pub const TCP_BODY_MAX: u64 = 1024;
/// The ENTITY_ID of a JOIN that is refused (R6). A reader takes anything above 3 for a refusal, as documented.
pub const REFUSED: u64 = u64::MAX;

/// A request, or the response to one, with its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<Body> {
    /// When the request was created; with METHOD it names the request (R2).
    pub creation_timestamp: u64,
    /// METHOD, TYPE and BODY.
    pub body: Body,
}

/// What a client says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromClient<'a> {
    /// Request, TCP: where is this lobby?
    AskJoin { lobby_id: LobbyId },
    /// Request, TCP: open a lobby.
    Create {
        /// The map to play.
        map_name: MapName<'a>,
    },
    /// Request: change the state of the game.
    GameState {
        /// The wanted state, 0 or 1: the others are the server's alone.
        state: State,
    },
    /// Request: start or stop flying in a direction.
    Move {
        entity_id: u64,
        direction: Direction,
        /// On or off.
        state: bool,
    },
    /// Request: let go of the Force, or call it back (R10).
    Drop,
    /// Request: start to charge.
    Charge { entity_id: u64 },
    /// Request: fire, charged if CHARGE came before (R9).
    Shoot { entity_id: u64 },
    /// Request: take a seat.
    Join,
    /// Request: give the seat up.
    Leave { entity_id: u64 },
    /// Response: the server's request of that METHOD came.
    Confirm(Method),
}

/// What a server says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromServer<'a> {
    /// Response to ASK_JOIN, TCP.
    AskJoin {
        /// Where the lobby is; 0 if there is none (R5).
        lobby_port: u16,
    },
    /// Response to CREATE, TCP.
    Create {
        /// Where the lobby is; 0 if none was made (R5).
        lobby_port: u16,
        /// Its name; six zero bytes if none was made (R5).
        lobby_id: Option<LobbyId>,
    },
    /// Request: the state of the game is this.
    GameState { state: State },
    /// Request, not confirmed: an entity moved.
    Position { entity_id: u64, x_coordinate: i64, y_coordinate: i64 },
    /// Request: an entity appeared.
    Spawn {
        entity_id: u64,
        /// What it is (R8).
        entity_json: EntityJson<'a>,
    },
    /// Request: an entity is no more.
    Destroy { entity_id: u64 },
    /// Request: a player took an object.
    Grab {
        entity_id: u64,
        /// The document's second ENTITY_ID: the object.
        grabbed_entity_id: u64,
        /// The side; for the Force only (R10).
        direction: Option<GrabDirection>,
    },
    /// Request: a player let go of the Force.
    Drop { entity_id: u64 },
    /// Request: a shot hit something.
    Hit { entity_id: u64 },
    /// Response to SHOOT.
    Shoot {
        /// Whether the rules allowed it.
        is_valid: bool,
        /// The shot; 0 if not valid (R9).
        entity_id: u64,
    },
    /// Response to JOIN.
    Join {
        /// The player, 0–3; above 3 the client is refused.
        entity_id: u64,
        /// Where the player is.
        x_coordinate: i64,
        /// Where the player is.
        y_coordinate: i64,
        /// The map to load.
        map_name: MapName<'a>,
    },
    /// Response: the client's request of that METHOD came.
    Confirm(Method),
}

/// The size of the first message of a TCP stream once all of it is there; `None` as long as it is not. Malformed as soon
/// as that is certain (R4), so that a stream that is not ours is closed at its first byte.
pub fn whole_message(stream: &[u8]) -> Result<Option<usize>, Malformed> {
    let mut reader = Reader::new(stream);
    if !reader.is_empty() {
        read_type_and_method(&mut reader)?;
    }
    let Ok(body_size) = reader.u64_be() else { return Ok(None) };
    if body_size > TCP_BODY_MAX {
        return Err(Malformed::WrongSize);
    }
    let size = HEADER_SIZE + body_size as usize;
    Ok((stream.len() >= size).then_some(size))
}

impl<'a> Message<FromClient<'a>> {
    /// Reads a datagram, or a message off a TCP stream, from a client.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let (header, mut body) = read_header(bytes)?;
        let message = match header.kind {
            Type::Request => FromClient::read_request(header.method, &mut body)?,
            Type::Response if header.method.is_confirmed_by_client() => FromClient::Confirm(header.method),
            Type::Response => return Err(Malformed::UnknownType),
        };
        body.finish()?;
        Ok(Message { creation_timestamp: header.creation_timestamp, body: message })
    }

    /// Appends the bytes of this message.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = write_header(self.body.type_and_method(), self.creation_timestamp, out);
        self.body.write_body(out);
        write_body_size(start, out);
    }
}

impl<'a> FromClient<'a> {
    fn read_request(method: Method, body: &mut Reader<'a>) -> Result<Self, Malformed> {
        Ok(match method {
            Method::AskJoin => FromClient::AskJoin { lobby_id: LobbyId::read(body)? },
            Method::Create => FromClient::Create { map_name: MapName::read(body.take_rest())? },
            Method::GameState => match State::read(body)? {
                state @ (State::AwaitingStart | State::Running) => FromClient::GameState { state },
                State::Won | State::Lost | State::Timeout => return Err(Malformed::BadValue),
            },
            Method::Move => FromClient::Move {
                entity_id: body.u64_be()?,
                direction: Direction::read(body)?,
                state: read_boolean(body)?,
            },
            Method::Drop => FromClient::Drop,
            Method::Charge => FromClient::Charge { entity_id: body.u64_be()? },
            Method::Shoot => FromClient::Shoot { entity_id: body.u64_be()? },
            Method::Join => FromClient::Join,
            Method::Leave => FromClient::Leave { entity_id: body.u64_be()? },
            Method::Position | Method::Spawn | Method::Destroy | Method::Grab | Method::Hit => {
                return Err(Malformed::UnknownType);
            }
        })
    }

    fn type_and_method(&self) -> (Type, Method) {
        match *self {
            FromClient::AskJoin { .. } => (Type::Request, Method::AskJoin),
            FromClient::Create { .. } => (Type::Request, Method::Create),
            FromClient::GameState { .. } => (Type::Request, Method::GameState),
            FromClient::Move { .. } => (Type::Request, Method::Move),
            FromClient::Drop => (Type::Request, Method::Drop),
            FromClient::Charge { .. } => (Type::Request, Method::Charge),
            FromClient::Shoot { .. } => (Type::Request, Method::Shoot),
            FromClient::Join => (Type::Request, Method::Join),
            FromClient::Leave { .. } => (Type::Request, Method::Leave),
            FromClient::Confirm(method) => {
                debug_assert!(method.is_confirmed_by_client());
                (Type::Response, method)
            }
        }
    }

    fn write_body(&self, out: &mut Vec<u8>) {
        match *self {
            FromClient::AskJoin { lobby_id } => out.extend_from_slice(&lobby_id.bytes()),
            FromClient::Create { map_name } => out.extend_from_slice(map_name.as_str().as_bytes()),
            FromClient::GameState { state } => out.push(state as u8),
            FromClient::Move { entity_id, direction, state } => {
                out.extend_from_slice(&entity_id.to_be_bytes());
                out.extend_from_slice(&[direction as u8, u8::from(state)]);
            }
            FromClient::Charge { entity_id } | FromClient::Shoot { entity_id } | FromClient::Leave { entity_id } => {
                out.extend_from_slice(&entity_id.to_be_bytes());
            }
            FromClient::Drop | FromClient::Join | FromClient::Confirm(_) => {}
        }
    }
}

impl<'a> Message<FromServer<'a>> {
    /// Reads a datagram, or a message off a TCP stream, from a server.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let (header, mut body) = read_header(bytes)?;
        let message = match header.kind {
            Type::Request => FromServer::read_request(header.method, &mut body)?,
            Type::Response => FromServer::read_response(header.method, &mut body)?,
        };
        body.finish()?;
        Ok(Message { creation_timestamp: header.creation_timestamp, body: message })
    }

    /// Appends the bytes of this message.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = write_header(self.body.type_and_method(), self.creation_timestamp, out);
        self.body.write_body(out);
        write_body_size(start, out);
    }
}

impl<'a> FromServer<'a> {
    fn read_request(method: Method, body: &mut Reader<'a>) -> Result<Self, Malformed> {
        Ok(match method {
            Method::GameState => FromServer::GameState { state: State::read(body)? },
            Method::Position => FromServer::Position {
                entity_id: body.u64_be()?,
                x_coordinate: body.i64_be()?,
                y_coordinate: body.i64_be()?,
            },
            Method::Spawn => {
                FromServer::Spawn { entity_id: body.u64_be()?, entity_json: EntityJson::read(body.take_rest())? }
            }
            Method::Destroy => FromServer::Destroy { entity_id: body.u64_be()? },
            Method::Grab => FromServer::Grab {
                entity_id: body.u64_be()?,
                grabbed_entity_id: body.u64_be()?,
                direction: if body.is_empty() { None } else { Some(GrabDirection::read(body)?) },
            },
            Method::Drop => FromServer::Drop { entity_id: body.u64_be()? },
            Method::Hit => FromServer::Hit { entity_id: body.u64_be()? },
            Method::AskJoin | Method::Create | Method::Move => return Err(Malformed::UnknownType),
            Method::Charge | Method::Shoot | Method::Join | Method::Leave => return Err(Malformed::UnknownType),
        })
    }

    fn read_response(method: Method, body: &mut Reader<'a>) -> Result<Self, Malformed> {
        Ok(match method {
            Method::AskJoin => FromServer::AskJoin { lobby_port: body.u16_be()? },
            Method::Create => FromServer::Create { lobby_port: body.u16_be()?, lobby_id: LobbyId::read_or_none(body)? },
            method if !method.is_confirmed_by_server() => return Err(Malformed::UnknownType),
            Method::Shoot if !body.is_empty() => {
                FromServer::Shoot { is_valid: read_boolean(body)?, entity_id: body.u64_be()? }
            }
            Method::Join if !body.is_empty() => FromServer::Join {
                entity_id: body.u64_be()?,
                x_coordinate: body.i64_be()?,
                y_coordinate: body.i64_be()?,
                map_name: MapName::read(body.take_rest())?,
            },
            method => FromServer::Confirm(method),
        })
    }

    fn type_and_method(&self) -> (Type, Method) {
        match *self {
            FromServer::AskJoin { .. } => (Type::Response, Method::AskJoin),
            FromServer::Create { .. } => (Type::Response, Method::Create),
            FromServer::GameState { .. } => (Type::Request, Method::GameState),
            FromServer::Position { .. } => (Type::Request, Method::Position),
            FromServer::Spawn { .. } => (Type::Request, Method::Spawn),
            FromServer::Destroy { .. } => (Type::Request, Method::Destroy),
            FromServer::Grab { .. } => (Type::Request, Method::Grab),
            FromServer::Drop { .. } => (Type::Request, Method::Drop),
            FromServer::Hit { .. } => (Type::Request, Method::Hit),
            FromServer::Shoot { .. } => (Type::Response, Method::Shoot),
            FromServer::Join { .. } => (Type::Response, Method::Join),
            FromServer::Confirm(method) => {
                debug_assert!(method.is_confirmed_by_server());
                (Type::Response, method)
            }
        }
    }

    fn write_body(&self, out: &mut Vec<u8>) {
        match *self {
            FromServer::AskJoin { lobby_port } => out.extend_from_slice(&lobby_port.to_be_bytes()),
            FromServer::Create { lobby_port, lobby_id } => {
                out.extend_from_slice(&lobby_port.to_be_bytes());
                out.extend_from_slice(&lobby_id.map_or(LobbyId::NONE, LobbyId::bytes));
            }
            FromServer::GameState { state } => out.push(state as u8),
            FromServer::Position { entity_id, x_coordinate, y_coordinate } => {
                write_place(entity_id, x_coordinate, y_coordinate, out);
            }
            FromServer::Spawn { entity_id, entity_json } => {
                out.extend_from_slice(&entity_id.to_be_bytes());
                entity_json.write(out);
            }
            FromServer::Destroy { entity_id } | FromServer::Drop { entity_id } | FromServer::Hit { entity_id } => {
                out.extend_from_slice(&entity_id.to_be_bytes());
            }
            FromServer::Grab { entity_id, grabbed_entity_id, direction } => {
                out.extend_from_slice(&entity_id.to_be_bytes());
                out.extend_from_slice(&grabbed_entity_id.to_be_bytes());
                out.extend(direction.map(|direction| direction as u8));
            }
            FromServer::Shoot { is_valid, entity_id } => {
                out.push(u8::from(is_valid));
                out.extend_from_slice(&entity_id.to_be_bytes());
            }
            FromServer::Join { entity_id, x_coordinate, y_coordinate, map_name } => {
                write_place(entity_id, x_coordinate, y_coordinate, out);
                out.extend_from_slice(map_name.as_str().as_bytes());
            }
            FromServer::Confirm(_) => {}
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Request = 0,
    Response = 1,
}

struct Header {
    kind: Type,
    method: Method,
    creation_timestamp: u64,
}

/// The confirmation that a response is, if its body is more than we expect: "at least a header" allows that.
pub(super) fn long_confirmation(bytes: &[u8]) -> Option<(Method, u64)> {
    let (header, _) = read_header(bytes).ok()?;
    (header.kind == Type::Response).then_some((header.method, header.creation_timestamp))
}

/// A question over TCP by its method, its timestamp and the bytes of its body, whatever they say.
pub(super) fn bare_request(bytes: &[u8]) -> Result<(Method, u64, &[u8]), Malformed> {
    let (header, body) = read_header(bytes)?;
    match header.kind {
        Type::Request => Ok((header.method, header.creation_timestamp, body.rest())),
        Type::Response => Err(Malformed::UnknownType),
    }
}

fn read_header(bytes: &[u8]) -> Result<(Header, Reader<'_>), Malformed> {
    let mut reader = Reader::new(bytes);
    let (kind, method) = read_type_and_method(&mut reader)?;
    let body_size = reader.u64_be()?;
    let creation_timestamp = reader.u64_be()?;
    if body_size != reader.rest().len() as u64 {
        return Err(Malformed::WrongSize);
    }
    Ok((Header { kind, method, creation_timestamp }, reader))
}

fn read_type_and_method(reader: &mut Reader) -> Result<(Type, Method), Malformed> {
    let byte = reader.u8()?;
    let kind = match byte >> 6 {
        0 => Type::Request,
        1 => Type::Response,
        _ => return Err(Malformed::UnknownType),
    };
    let method = Method::ALL.get(usize::from(byte & 0x3f)).ok_or(Malformed::UnknownType)?;
    Ok((kind, *method))
}

fn read_boolean(body: &mut Reader) -> Result<bool, Malformed> {
    match body.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Malformed::BadValue),
    }
}

fn write_header((kind, method): (Type, Method), creation_timestamp: u64, out: &mut Vec<u8>) -> usize {
    let start = out.len();
    let mut header = [0; HEADER_SIZE];
    header[0] = (kind as u8) << 6 | method as u8;
    header[9..].copy_from_slice(&creation_timestamp.to_be_bytes());
    out.extend_from_slice(&header);
    start
}

fn write_body_size(start: usize, out: &mut [u8]) {
    let body_size = (out.len() - start - HEADER_SIZE) as u64;
    out[start + 1..start + 9].copy_from_slice(&body_size.to_be_bytes());
}

fn write_place(entity_id: u64, x_coordinate: i64, y_coordinate: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(&entity_id.to_be_bytes());
    out.extend_from_slice(&x_coordinate.to_be_bytes());
    out.extend_from_slice(&y_coordinate.to_be_bytes());
}
