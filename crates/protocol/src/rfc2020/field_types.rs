//! The fields of `rfc2020` that are more than integers, named as its document names them.

use crate::{Malformed, Reader};

/// The longest MAP_NAME, in bytes: room for any file name, and far from C2's 1,200.
pub const MAP_NAME_MAX: usize = 255;

/// What a message is about; the table of [`super::wire`] says what each one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the table of `wire` says what each one is")]
pub enum Method {
    AskJoin = 0,
    Create = 1,
    GameState = 2,
    Position = 3,
    Move = 4,
    Spawn = 5,
    Destroy = 6,
    Grab = 7,
    Drop = 8,
    Charge = 9,
    Shoot = 10,
    Hit = 11,
    Join = 12,
    Leave = 13,
}

impl Method {
    /// All methods, by number.
    pub const ALL: [Method; 14] = [
        Method::AskJoin,
        Method::Create,
        Method::GameState,
        Method::Position,
        Method::Move,
        Method::Spawn,
        Method::Destroy,
        Method::Grab,
        Method::Drop,
        Method::Charge,
        Method::Shoot,
        Method::Hit,
        Method::Join,
        Method::Leave,
    ];

    /// Whether it belongs on the TCP connection rather than on a lobby's UDP port.
    pub const fn is_tcp(self) -> bool {
        matches!(self, Method::AskJoin | Method::Create)
    }

    /// Whether a client asks this with confirmation, so that a server may answer with a header alone.
    pub const fn is_confirmed_by_server(self) -> bool {
        use Method::*;
        matches!(self, GameState | Move | Drop | Charge | Shoot | Join | Leave)
    }

    /// Whether a server asks this with confirmation, so that a client may answer with a header alone.
    pub const fn is_confirmed_by_client(self) -> bool {
        use Method::*;
        matches!(self, GameState | Spawn | Destroy | Grab | Drop | Hit)
    }
}

/// The state of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum State {
    AwaitingStart = 0,
    Running = 1,
    /// Won; only a server says so.
    Won = 2,
    /// Lost; only a server says so.
    Lost = 3,
    /// The lobby or the player was inactive for too long; only a server says so.
    Timeout = 4,
}

impl State {
    pub(super) fn read(body: &mut Reader) -> Result<Self, Malformed> {
        match body.u8()? {
            0 => Ok(State::AwaitingStart),
            1 => Ok(State::Running),
            2 => Ok(State::Won),
            3 => Ok(State::Lost),
            4 => Ok(State::Timeout),
            _ => Err(Malformed::BadValue),
        }
    }
}

/// Where a player flies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
#[repr(u8)]
pub enum Direction {
    Up = 0,
    Left = 1,
    Down = 2,
    Right = 3,
}

impl Direction {
    pub(super) fn read(body: &mut Reader) -> Result<Self, Malformed> {
        match body.u8()? {
            0 => Ok(Direction::Up),
            1 => Ok(Direction::Left),
            2 => Ok(Direction::Down),
            3 => Ok(Direction::Right),
            _ => Err(Malformed::BadValue),
        }
    }
}

/// At which side an object is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
#[repr(u8)]
pub enum GrabDirection {
    Front = 0,
    Back = 1,
}

impl GrabDirection {
    pub(super) fn read(body: &mut Reader) -> Result<Self, Malformed> {
        match body.u8()? {
            0 => Ok(GrabDirection::Front),
            1 => Ok(GrabDirection::Back),
            _ => Err(Malformed::BadValue),
        }
    }
}

/// The name of a map: at most 255 bytes of UTF-8 without control characters, possibly none. The document says only
/// that it is a string; nobody names a map with less than that, and it is safe to show and to log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MapName<'a>(&'a str);

impl<'a> MapName<'a> {
    /// This name, if it can be one.
    pub fn new(name: &'a str) -> Result<Self, Malformed> {
        let fits = name.len() <= MAP_NAME_MAX && !name.chars().any(char::is_control);
        if fits { Ok(MapName(name)) } else { Err(Malformed::BadText) }
    }

    pub const fn as_str(self) -> &'a str {
        self.0
    }

    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        Self::new(std::str::from_utf8(bytes).map_err(|_| Malformed::BadText)?)
    }
}
