//! The name of a recording that only one player knows: it is made of the secret of their seat, so that no message has to tell it.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::{GameId, lobby::Token};

/// What is hashed with the secret, so that the same bytes never serve two purposes.
const PURPOSE: &[u8] = b"volley: recording of a game played alone";

/// Names the recording of a game that somebody played alone. Nobody can guess it, and it does not betray the token that it comes of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecordingKey([u8; 16]);

impl RecordingKey {
    /// The key of a game, for the player whose seat has this token.
    pub fn new(token: Token, game: GameId) -> RecordingKey {
        let hash =
            Sha256::new().chain_update(PURPOSE).chain_update(token.0).chain_update(game.0.to_le_bytes()).finalize();
        let mut key = [0; 16];
        key.copy_from_slice(&hash[..16]);
        RecordingKey(key)
    }

    /// A key as it is written in an address: 32 hexadecimal digits.
    pub fn from_digits(digits: &str) -> Option<RecordingKey> {
        let is_key = digits.len() == 32 && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        let number = u128::from_str_radix(digits, 16).ok().filter(|_| is_key)?;
        Some(RecordingKey(number.to_be_bytes()))
    }

    pub fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for RecordingKey {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{:032x}", u128::from_be_bytes(self.0))
    }
}

/// A secret is not printed.
impl fmt::Debug for RecordingKey {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("RecordingKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_and_each_game_has_its_key() {
        let key = RecordingKey::new(Token([7; 16]), GameId(1));
        assert_eq!(key, RecordingKey::new(Token([7; 16]), GameId(1)));
        assert_ne!(key, RecordingKey::new(Token([7; 16]), GameId(2)));
        assert_ne!(key, RecordingKey::new(Token([8; 16]), GameId(1)));
    }

    #[test]
    fn a_key_is_written_in_digits_and_read_again() {
        let key = RecordingKey::new(Token([7; 16]), GameId(1));
        // `printf 'volley: recording of a game played alone' > k; printf '\007%.0s' {1..16} >> k; printf '\1\0\0\0\0\0\0\0' >> k; sha256sum k`
        assert_eq!(key.to_string(), "a4324637f2b71ff699ba049a2a30ac1c");
        assert_eq!(RecordingKey::from_digits(&key.to_string()), Some(key));
        for digits in ["", "00ff", &key.to_string().to_uppercase(), &format!("{key}0"), &"+".repeat(32)] {
            assert_eq!(RecordingKey::from_digits(digits), None, "{digits}");
        }
    }
}
