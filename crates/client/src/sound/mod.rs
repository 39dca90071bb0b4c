//! Cues and songs, made by a small synthesiser.
//!
//! It uses whole numbers only, so the samples are the same on every platform. It plays nothing itself. `voice.rs` is how a
//! note sounds, `cues/` what each cue is made of. A song is a text in `art/songs/`, which `score.rs` reads and
//! `performance.rs` plays, as a machine that makes samples as they are needed.

mod cue;
mod cues;
mod effects;
mod filter;
mod harmony;
mod instruments;
mod performance;
mod score;
mod song;
mod voice;
mod wav;
mod wave;

pub use cue::Cue;
pub use performance::{Performance, StereoSample};
pub use song::Song;
pub use voice::sides;
pub use wav::{small_wav, stereo_wav, wav};

/// Samples a second of everything that is made here.
pub const SAMPLE_RATE: u32 = 44_100;

/// A cue that begins now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    pub cue: Cue,
    /// Where it is: −128 is left, 128 right.
    pub pan: i8,
}

/// The samples of a cue, in one channel: where it is heard is decided when it is played.
pub fn render(cue: Cue) -> Vec<i16> {
    cues::render(cue)
}

/// The samples of a song up to where it repeats. Its end leads into its beginning: what still sounds there is in both.
pub fn song(song: Song) -> Vec<StereoSample> {
    let mut performance = Performance::new(song);
    performance.skip_to_last(LONGEST_TAIL_BLOCKS);
    let mut tail = vec![[0; 2]; LONGEST_TAIL_BLOCKS as usize * voice::BLOCK];
    performance.fill(&mut tail);
    let mut samples = vec![[0; 2]; performance.length()];
    performance.fill(&mut samples);
    samples
}

/// Nothing that began earlier is still heard: eight seconds.
const LONGEST_TAIL_BLOCKS: u32 = 8 * SAMPLE_RATE / voice::BLOCK as u32;

#[cfg(test)]
mod tests;
