//! How one note sounds: a wave, how loud it is over time, how its pitch moves, and what a filter leaves of it.
//!
//! A [`Voice`] sounds in blocks of [`BLOCK`] samples. Pitch, loudness and filter move once a block; within it, loudness
//! glides.

use super::{
    filter::{Filter, FilterState},
    wave::{Oscillator, Wave, samples, sine, step},
};

/// Samples that are made at a time: 0.7 ms.
pub const BLOCK: usize = 32;

/// One of the sounds of which an instrument or a cue is made.
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    pub wave: Wave,
    /// Of 256.
    pub volume: i32,
    /// The envelope: linear to full, then by a curve towards `sustain` (of 256), and after the note towards nothing.
    pub attack_ms: u16,
    pub decay_ms: u16,
    pub sustain: i32,
    pub release_ms: u16,
    /// The pitch relative to the note, in 256ths of a semitone: from, to, and how long it takes.
    pub bend: (i32, i32, u16),
    /// Vibrato: its depth in 256ths of a semitone, its period, and after how long it begins.
    pub vibrato: (i32, u16, u16),
    /// Where it is: −128 is left, 128 right.
    pub pan: i32,
    pub filter: Option<Filter>,
}

impl Layer {
    /// A plain layer, to be adjusted.
    pub const fn of(wave: Wave, volume: i32) -> Layer {
        Layer {
            wave,
            volume,
            attack_ms: 2,
            decay_ms: 60,
            sustain: 160,
            release_ms: 40,
            bend: (0, 0, 0),
            vibrato: (0, 100, 0),
            pan: 0,
            filter: None,
        }
    }

    /// With that envelope.
    pub const fn shaped(self, attack_ms: u16, decay_ms: u16, sustain: i32, release_ms: u16) -> Layer {
        Layer { attack_ms, decay_ms, sustain, release_ms, ..self }
    }

    /// Slides from one pitch to another, in semitones relative to the note.
    pub const fn sliding(self, from: i32, to: i32, ms: u16) -> Layer {
        Layer { bend: (from * 256, to * 256, ms), ..self }
    }

    /// Out of tune by some 256ths of a semitone, and at that place.
    pub const fn aside(self, detune: i32, pan: i32) -> Layer {
        Layer { bend: (detune, detune, 0), pan, ..self }
    }

    pub const fn trembling(self, depth: i32, period_ms: u16, after_ms: u16) -> Layer {
        Layer { vibrato: (depth, period_ms, after_ms), ..self }
    }

    pub const fn through(self, filter: Filter) -> Layer {
        Layer { filter: Some(filter), ..self }
    }
}

/// What is played: a pitch in semitones, for a number of blocks.
#[derive(Clone, Copy, Debug)]
pub struct Note {
    pub pitch: i32,
    pub blocks: u32,
    /// Of 256.
    pub volume: i32,
}

impl Note {
    /// A note that lasts for some milliseconds.
    pub fn lasting(pitch: i32, ms: u16) -> Note {
        Note { pitch, blocks: blocks(ms), volume: 256 }
    }
}

/// Milliseconds in blocks.
pub fn blocks(ms: u16) -> u32 {
    samples(ms) / BLOCK as u32
}

const FULL: i32 = 1 << 24;
/// A voice that has faded this far (−54 dB) is over.
const SILENT: i32 = FULL >> 9;
/// The longest time that a voice sounds after its note: four seconds.
const TAIL_BLOCKS_MAX: u32 = 4 * super::SAMPLE_RATE / BLOCK as u32;

/// A note of a layer while it sounds.
pub struct Voice {
    layer: &'static Layer,
    note: Note,
    oscillator: Oscillator,
    filter: FilterState,
    level: i32,
    is_rising: bool,
    /// Blocks since it began.
    age: u32,
}

impl Voice {
    pub fn new(layer: &'static Layer, note: Note) -> Voice {
        // Layers of different places and pitches begin at different phases: a pair that is out of tune is wide at once.
        let phase = (layer.pan.wrapping_mul(0x0135_7BDF) ^ layer.bend.0.wrapping_mul(0x0024_68AC)) as u32;
        let phase = if layer.pan == 0 { 0 } else { phase };
        let oscillator = Oscillator::new(layer.wave, phase);
        Voice { layer, note, oscillator, filter: FilterState::default(), level: 0, is_rising: true, age: 0 }
    }

    /// Where it is, −128 to 128.
    pub fn pan(&self) -> i32 {
        self.layer.pan
    }

    /// The next block; false if it is over.
    pub fn fill(&mut self, out: &mut [i32; BLOCK]) -> bool {
        let is_released = self.age >= self.note.blocks;
        let before = self.level;
        self.advance_level(is_released);
        if is_released && (self.level < SILENT || self.age >= self.note.blocks + TAIL_BLOCKS_MAX) {
            self.level = 0;
        }
        self.oscillator.fill(step(self.pitch()), out);
        if let Some(filter) = &self.layer.filter {
            let base = if filter.is_fixed { 0 } else { self.note.pitch };
            let opened = faded(filter.opens << 8, self.age, filter.closes_ms);
            self.filter.apply(filter, ((base + filter.cutoff) << 8) + opened, out);
        }
        let volume = (self.layer.volume * self.note.volume) >> 8;
        for (at, sample) in (1..).zip(out.iter_mut()) {
            let level = before + ((i64::from(self.level - before) * at) >> 5) as i32;
            *sample = ((((i64::from(*sample) * i64::from(level >> 9)) >> 15) * i64::from(volume)) >> 8) as i32;
        }
        self.age += 1;
        !(is_released && self.level == 0)
    }

    fn pitch(&self) -> i32 {
        let now = self.age * BLOCK as u32;
        (self.note.pitch << 8) + bent(self.layer.bend, now) + vibrato(self.layer.vibrato, now)
    }

    fn advance_level(&mut self, is_released: bool) {
        if is_released {
            self.approach(0, self.layer.release_ms);
        } else if self.is_rising {
            self.level = self.level.saturating_add(FULL / blocks(self.layer.attack_ms).max(1) as i32).min(FULL);
            self.is_rising = self.level < FULL;
        } else {
            self.approach(self.layer.sustain << 16, self.layer.decay_ms);
        }
    }

    /// Moves towards a goal: after `ms` two thirds of the distance are done.
    fn approach(&mut self, goal: i32, ms: u16) {
        let length = i64::from(samples(ms).max(1)) + BLOCK as i64 / 2;
        self.level += (i64::from(goal - self.level) * BLOCK as i64 / length) as i32;
    }
}

/// What is left of an amount of which two thirds are gone after `ms`, by a curve.
fn faded(amount: i32, age_blocks: u32, ms: u16) -> i32 {
    let whole = i64::from(blocks(ms).max(1));
    // 1 ÷ (1 + t + t² ÷ 2) follows the exponential closely enough to be heard as one.
    let age = i64::from(age_blocks.min(1 << 14));
    (i64::from(amount) * 2 * whole * whole / (2 * whole * whole + 2 * whole * age + age * age)) as i32
}

fn bent((from, to, ms): (i32, i32, u16), now: u32) -> i32 {
    let whole = samples(ms);
    if now >= whole { to } else { from + ((i64::from(to - from) * i64::from(now)) / i64::from(whole)) as i32 }
}

fn vibrato((far, period_ms, after_ms): (i32, u16, u16), now: u32) -> i32 {
    let Some(since) = now.checked_sub(samples(after_ms)).filter(|_| far != 0) else { return 0 };
    let period = samples(period_ms).max(1);
    let turn = (u64::from(since % period) << 32) / u64::from(period);
    (far * sine(turn as u32)) >> 15
}

/// How loud something at a place from −128 (left) to 128 (right) is left and right, of 256: its power is the same everywhere.
pub fn sides(pan: i32) -> [i32; 2] {
    let quarter = 1u32 << 30;
    let angle = (pan.clamp(-128, 128) + 128) as u32 * (quarter / 256);
    [sine(quarter - angle), sine(angle)].map(|side| (side + 64) >> 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    static TONE: Layer = Layer::of(Wave::Pulse(128), 256).shaped(1, 50, 128, 20);

    fn peaks(note: Note) -> Vec<i32> {
        let (mut voice, mut out, mut peaks) = (Voice::new(&TONE, note), [0; BLOCK], Vec::new());
        while voice.fill(&mut out) {
            peaks.push(out.iter().map(|sample| sample.abs()).max().unwrap_or(0));
        }
        peaks
    }

    #[test]
    fn a_note_rises_at_once_sinks_to_its_sustain_and_ends() {
        let peaks = peaks(Note::lasting(60, 400));
        assert!(peaks[1] > 16_000, "{}", peaks[1]);
        assert!((8_100..8_400).contains(&peaks[blocks(390) as usize]), "{}", peaks[blocks(390) as usize]);
        let end = blocks(400 + 150) as usize;
        assert!(peaks.len() > blocks(400) as usize && peaks.len() < end, "{} of {end}", peaks.len());
    }

    #[test]
    fn power_is_the_same_at_every_place() {
        assert_eq!((sides(-128), sides(0), sides(128)), ([256, 0], [181, 181], [0, 256]));
        for pan in -128..=128 {
            let power: i32 = sides(pan).into_iter().map(|side| side * side).sum();
            assert!((power - 65_536).abs() < 700, "{pan}: {power}");
        }
    }
}
