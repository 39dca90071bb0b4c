//! The numbers that the directory draws: codes, tokens and seeds. What opens a door cannot be guessed from what is shown.

use game::Dice;
use protocol::{LobbyId, Token};
use rand_chacha::{
    ChaCha20Rng,
    rand_core::{RngCore, SeedableRng},
};

use crate::settings::Settings;

/// Where codes, tokens and seeds come from.
pub(super) struct Secrets {
    /// For what everybody may see. The same settings give the same.
    dice: Dice,
    /// For what only some may know.
    secret: ChaCha20Rng,
}

impl Secrets {
    pub fn new(settings: &Settings) -> Secrets {
        Secrets { dice: Dice::new(settings.seed), secret: ChaCha20Rng::from_seed(settings.secret) }
    }

    /// The seed of a lobby's first game.
    pub fn seed(&mut self) -> u64 {
        self.dice.bits()
    }

    /// The code of a lobby. That of a private one is its key.
    pub fn code(&mut self, is_private: bool) -> LobbyId {
        LobbyId::from_number(if is_private { self.secret.next_u32() } else { self.dice.below(LobbyId::COUNT) })
    }

    /// A token that nobody can guess from others.
    pub fn token(&mut self) -> Token {
        let mut bytes = [0; 16];
        self.secret.fill_bytes(&mut bytes);
        Token(bytes)
    }
}
