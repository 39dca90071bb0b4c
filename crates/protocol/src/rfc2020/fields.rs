//! The fields of `rfc2020` that are more than integers, named as its document names them.

use std::cmp::Ordering;
use std::fmt::{self, Write};
use std::hash::{Hash, Hasher};

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
    /// Awaiting start.
    AwaitingStart = 0,
    /// Running.
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

    /// The name.
    pub const fn as_str(self) -> &'a str {
        self.0
    }

    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        Self::new(std::str::from_utf8(bytes).map_err(|_| Malformed::BadText)?)
    }
}

/// The name of a lobby: six printable ASCII characters, compared without regard to case (R5).
///
/// The names that we give out are made of [`LobbyId::ALPHABET`]. Others are read too: another server may give them out,
/// and to ask us for one is to ask for an unknown lobby, not to send bad bytes.
#[derive(Clone, Copy)]
pub struct LobbyId([u8; 6]);

impl LobbyId {
    /// Thirty-two characters that nobody confuses (R5): without I, O, 0 and 1.
    pub const ALPHABET: &'static [u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    /// How many names there are in that alphabet.
    pub const COUNT: u32 = 1 << 30;

    /// The name of this number in our alphabet, counted round from [`LobbyId::COUNT`].
    pub fn from_number(number: u32) -> Self {
        LobbyId(std::array::from_fn(|index| Self::ALPHABET[(number >> (25 - 5 * index)) as usize % 32]))
    }

    /// The number of this name in our alphabet; `None` if it cannot be one of ours.
    pub fn number(self) -> Option<u32> {
        self.0.iter().try_fold(0, |number, byte| {
            let digit = Self::ALPHABET.iter().position(|letter| *letter == byte.to_ascii_uppercase())?;
            Some(number << 5 | digit as u32)
        })
    }

    /// The name with these characters, as a person wrote them.
    pub fn new(text: &str) -> Result<Self, Malformed> {
        text.as_bytes().try_into().map_err(|_| Malformed::WrongSize).and_then(Self::from_bytes)
    }

    pub(super) const NONE: [u8; 6] = [0; 6];

    pub(super) const fn bytes(self) -> [u8; 6] {
        self.0
    }

    pub(super) fn read(body: &mut Reader) -> Result<Self, Malformed> {
        Self::from_bytes(body.array()?)
    }

    pub(super) fn read_or_none(body: &mut Reader) -> Result<Option<Self>, Malformed> {
        match body.array()? {
            Self::NONE => Ok(None),
            bytes => Self::from_bytes(bytes).map(Some),
        }
    }

    fn from_bytes(bytes: [u8; 6]) -> Result<Self, Malformed> {
        if bytes.iter().all(u8::is_ascii_graphic) { Ok(LobbyId(bytes)) } else { Err(Malformed::BadText) }
    }
}

/// The name as it was written.
impl fmt::Display for LobbyId {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.0.iter().try_for_each(|byte| formatter.write_char(char::from(*byte)))
    }
}

impl fmt::Debug for LobbyId {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "LobbyId(\"{self}\")")
    }
}

impl PartialEq for LobbyId {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for LobbyId {}

impl Ord for LobbyId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.to_ascii_uppercase().cmp(&other.0.to_ascii_uppercase())
    }
}

impl PartialOrd for LobbyId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for LobbyId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_ascii_uppercase().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r5_lobby_names_number_from_a_to_9_and_lead_back() {
        assert_eq!(LobbyId::from_number(0).to_string(), "AAAAAA");
        assert_eq!(LobbyId::from_number(1).to_string(), "AAAAAB");
        assert_eq!(LobbyId::from_number(32).to_string(), "AAAABA");
        assert_eq!(LobbyId::from_number(LobbyId::COUNT - 1).to_string(), "999999");
        for number in [0, 1, 31, 32, 123_456_789, LobbyId::COUNT - 1] {
            assert_eq!(LobbyId::from_number(number).number(), Some(number));
        }
    }

    #[test]
    fn r5_lobby_names_are_the_same_in_either_case() {
        let (upper, lower) = (LobbyId::new("KXWQ29").unwrap(), LobbyId::new("kxwq29").unwrap());
        assert_eq!(upper, lower);
        assert_eq!(upper.number(), lower.number());
        assert_eq!(lower.to_string(), "kxwq29");
        assert_ne!(upper, LobbyId::new("KXWQ28").unwrap());
    }

    #[test]
    fn r5_a_name_with_a_confusing_character_is_not_one_of_ours() {
        for text in ["AAAAAI", "OAAAAA", "AAA0AA", "A1AAAA", "AAAAA-", "oaaaaa"] {
            assert_eq!(LobbyId::new(text).unwrap().number(), None, "{text}");
        }
        assert_eq!(LobbyId::new("AAAAA"), Err(Malformed::WrongSize));
        assert_eq!(LobbyId::new("AAAAA "), Err(Malformed::BadText));
        assert_eq!(LobbyId::new("AAAA\u{e9}"), Err(Malformed::BadText));
    }
}
