//! `LobbyId`: the six letters that name a lobby, on the node and wherever a dialect can say them.

use std::{
    cmp::Ordering,
    fmt::{self, Write},
    hash::{Hash, Hasher},
};

use crate::{Malformed, Reader};

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

    pub(crate) const NONE: [u8; 6] = [0; 6];

    pub(crate) const fn bytes(self) -> [u8; 6] {
        self.0
    }

    pub(crate) fn read(body: &mut Reader) -> Result<Self, Malformed> {
        Self::from_bytes(body.array()?)
    }

    pub(crate) fn read_or_none(body: &mut Reader) -> Result<Option<Self>, Malformed> {
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
        write!(formatter, "LobbyId({:?})", self.to_string())
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
