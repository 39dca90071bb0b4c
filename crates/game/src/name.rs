//! `Name`: what a player is called. Small and copied, so that a Frame can carry it without allocating.

use std::fmt;

/// What a player is called: up to 32 bytes of text without control characters. The rules never look at it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name {
    length: u8,
    /// UTF-8 up to `length`, and zeros behind it.
    bytes: [u8; Name::MAX_BYTES],
}

impl Name {
    /// The most bytes of a name.
    pub const MAX_BYTES: usize = 32;
    pub const NONE: Name = Name { length: 0, bytes: [0; Name::MAX_BYTES] };

    /// A text as a name, cut off between two characters if it is too long. Control characters are left out.
    pub fn new(text: &str) -> Name {
        let mut name = Name::NONE;
        for character in text.trim().chars().filter(|character| !character.is_control()) {
            let (from, mut utf8) = (usize::from(name.length), [0; 4]);
            let encoded = character.encode_utf8(&mut utf8).as_bytes();
            let Some(room) = name.bytes.get_mut(from..from + encoded.len()) else { break };
            room.copy_from_slice(encoded);
            name.length += encoded.len() as u8;
        }
        name
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}

impl Default for Name {
    fn default() -> Name {
        Name::NONE
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_trimmed_and_cut_between_two_characters() {
        assert_eq!(Name::new("  Zoé\u{7} ").as_str(), "Zoé");
        let long = Name::new("éééééééééééééééééé");
        assert_eq!(long.as_str(), "éééééééééééééééé");
        assert_eq!(Name::new(&"x".repeat(31)).as_str().len(), 31);
        assert_eq!(Name::new(&("x".repeat(31) + "é")).as_str(), "x".repeat(31));
        assert!(Name::new("").is_empty() && Name::NONE.as_str().is_empty());
    }
}
