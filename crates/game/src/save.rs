//! Saves, restores and hashes the entire state of a world.
//!
//! A save is a version, the stage's fingerprint, and the state in borsh, which writes every value in exactly
//! one way on every platform: so the hash of the state is the hash of its bytes. The stage itself is not in it.

use std::sync::Arc;

use borsh::{BorshDeserialize, BorshSerialize, io};
use xxhash_rust::xxh3::Xxh3Default;

use crate::{
    Stage, World,
    validation::is_possible,
    world::{Scratch, State},
};

/// Rises whenever a saved state of an earlier version can no longer be read.
const VERSION: u8 = 6;

/// Why bytes are not a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreError {
    /// Saved by another version of the game.
    OtherVersion,
    /// Saved in another stage, or another version of it.
    OtherStage,
    /// Cut short, or never a save.
    Damaged,
    /// It reads, but no world is ever in such a state.
    Impossible,
}

impl std::fmt::Display for RestoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            RestoreError::OtherVersion => "saved by another version of the game",
            RestoreError::OtherStage => "saved in another stage",
            RestoreError::Damaged => "not a whole save",
            RestoreError::Impossible => "a state that no game is ever in",
        })
    }
}

impl std::error::Error for RestoreError {}

impl World {
    /// The entire state as bytes. [`World::restore`] with the same stage continues identically.
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(4096);
        self.save_into(&mut bytes);
        bytes
    }

    /// Appends what [`World::save`] returns.
    pub fn save_into(&self, bytes: &mut Vec<u8>) {
        bytes.push(VERSION);
        bytes.extend(self.stage.fingerprint.to_le_bytes());
        self.state.serialize(bytes).expect("writing to memory does not fail");
    }

    /// The world that was saved, in the stage that it was saved in.
    pub fn restore(stage: Arc<Stage>, bytes: &[u8]) -> Result<World, RestoreError> {
        let (&version, rest) = bytes.split_first().ok_or(RestoreError::Damaged)?;
        if version != VERSION {
            return Err(RestoreError::OtherVersion);
        }
        let (fingerprint, rest) = rest.split_first_chunk().ok_or(RestoreError::Damaged)?;
        if u64::from_le_bytes(*fingerprint) != stage.fingerprint {
            return Err(RestoreError::OtherStage);
        }
        let state = State::try_from_slice(rest).map_err(|_| RestoreError::Damaged)?;
        if !is_possible(&state, &stage) {
            return Err(RestoreError::Impossible);
        }
        Ok(World { stage, state, scratch: Scratch::default() })
    }

    /// All ids of entities that there ever were are below this.
    pub fn ids_end(&self) -> u32 {
        self.state.next_id
    }

    /// Leaves out some ids. They may have been used after the world was saved, by a game that nobody goes on with.
    pub fn skip_ids(&mut self, count: u32) {
        self.state.next_id = self.state.next_id.saturating_add(count);
    }

    /// Tells two states apart. Equal states have equal hashes on every platform.
    pub fn hash(&self) -> u64 {
        let mut hasher = HashWriter(Xxh3Default::new());
        self.stage.fingerprint.serialize(&mut hasher).expect("hashing does not fail");
        self.state.serialize(&mut hasher).expect("hashing does not fail");
        hasher.0.digest()
    }
}

struct HashWriter(Xxh3Default);

impl io::Write for HashWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
