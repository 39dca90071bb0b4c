//! How one note sounds: a wave, how loud it is over time, and how its pitch moves.

use super::{
    mix::Mix,
    wave::{Oscillator, Wave, samples, step},
};

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
    /// How dull it is: 0 is brightest, 7 dullest.
    pub dull: u32,
}

impl Layer {
    /// A plain layer, to be adjusted.
    pub const fn of(wave: Wave, volume: i32) -> Layer {
        let bend = (0, 0, 0);
        Layer {
            wave,
            volume,
            attack_ms: 2,
            decay_ms: 60,
            sustain: 160,
            release_ms: 40,
            bend,
            vibrato: (0, 100, 0),
            dull: 0,
        }
    }
}

/// What is played: a pitch in semitones, for so many samples.
#[derive(Clone, Copy, Debug)]
pub struct Note {
    pub pitch: i32,
    pub length: u32,
    /// Semitones above the pitch, played as a fast arpeggio; all zero for a plain note.
    pub chord: [u8; 3],
    /// Of 256.
    pub volume: i32,
}

/// The pitch moves once in so many samples.
const CONTROL: u32 = 64;
/// One tone of a chord in samples: 1/50 s.
const CHORD_TONE: u32 = 882;
const FULL: i32 = 1 << 24;
/// A voice that has faded so far (−54 dB) is over.
const SILENT: i32 = FULL >> 9;
/// The longest time that a voice sounds after its note: four seconds.
const TAIL_MAX: u32 = 4 * super::SAMPLE_RATE;

/// Adds a note of a layer to a mix.
pub fn play(layer: &Layer, note: Note, at: u32, mix: &mut Mix) {
    let mut oscillator = Oscillator::new(layer.wave);
    let mut envelope = Envelope { level: 0, is_rising: true };
    let (mut stride, mut smooth) = (0, 0);
    let volume = (layer.volume * note.volume) >> 8;
    for now in 0..note.length + TAIL_MAX {
        if now % CONTROL == 0 {
            stride = step(pitch(layer, note, now));
        }
        let level = envelope.next(layer, now >= note.length);
        if now >= note.length && level < SILENT {
            break;
        }
        smooth += (oscillator.sample(stride) - smooth) >> layer.dull;
        mix.add(at + now, (((smooth * (level >> 10)) >> 14) * volume) >> 8);
    }
}

fn pitch(layer: &Layer, note: Note, now: u32) -> i32 {
    let tone = match (now / CHORD_TONE) % 4 {
        0 => 0,
        n => note.chord[n as usize - 1],
    };
    (note.pitch + i32::from(tone)) * 256 + bent(layer.bend, now) + vibrato(layer.vibrato, now)
}

fn bent((from, to, ms): (i32, i32, u16), now: u32) -> i32 {
    let whole = samples(ms);
    if now >= whole { to } else { from + ((i64::from(to - from) * i64::from(now)) / i64::from(whole)) as i32 }
}

fn vibrato((far, period_ms, after_ms): (i32, u16, u16), now: u32) -> i32 {
    let Some(since) = now.checked_sub(samples(after_ms)) else { return 0 };
    let period = samples(period_ms) as i32;
    // A quarter of a period on, so that it begins where the note is.
    let at = (since as i32 + period / 4) % period;
    far - 2 * far * (2 * at - period).abs() / period
}

struct Envelope {
    level: i32,
    is_rising: bool,
}

impl Envelope {
    fn next(&mut self, layer: &Layer, is_over: bool) -> i32 {
        if is_over {
            self.towards(0, layer.release_ms);
        } else if self.is_rising {
            self.level += FULL / samples(layer.attack_ms).max(1) as i32;
            self.is_rising = self.level < FULL;
            self.level = self.level.min(FULL);
        } else {
            self.towards(layer.sustain << 16, layer.decay_ms);
        }
        self.level
    }

    /// After so many milliseconds two thirds of the distance are done.
    fn towards(&mut self, goal: i32, ms: u16) {
        let share = (1 << 20) / i64::from(samples(ms).max(1));
        self.level += ((i64::from(goal - self.level) * share) >> 20) as i32;
    }
}
