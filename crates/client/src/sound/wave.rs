//! Oscillators: pulse, triangle, noise, and a pair of sines of which one modulates the other (FM). Each gives a sample
//! between −[`LOUD`] and [`LOUD`], without an offset. A phase is a `u32` that wraps once a period.

use super::SAMPLE_RATE;

/// The loudest sample of a wave.
pub const LOUD: i32 = 32_767;

/// The shape of a wave.
#[derive(Clone, Copy, Debug)]
pub enum Wave {
    /// High for so many 256ths of a period, else low.
    Pulse(u8),
    Triangle,
    /// Random values, drawn at the pitch of the note: low notes rumble, high ones hiss.
    Noise,
    /// Noise without its low part.
    Hiss,
    Fm {
        /// The pitch of the bending sine, in 16ths of the pitch of the bent one.
        ratio: u8,
        /// How far it bends, in 16ths of a period.
        depth: u8,
        /// After so long the bending has faded to a third; 0 for never.
        fade_ms: u16,
    },
}

/// The steps of phase per sample for the notes from C of octave 9 to the next C: 440 Hz × 2^((n − 69) / 12) × 2^32 ÷
/// the sample rate. Lower octaves halve them.
const STEPS: [u32; 13] = [
    407_681_904,
    431_923_931,
    457_607_465,
    484_818_220,
    513_647_012,
    544_190_053,
    576_549_277,
    610_832_681,
    647_154_683,
    685_636_503,
    726_406_571,
    769_600_953,
    815_363_807,
];

/// The step of phase for a pitch in 256ths of a semitone, where 60 semitones are the middle C.
pub fn step(pitch: i32) -> u32 {
    let pitch = pitch.clamp(0, 143 * 256);
    let (semitone, part) = ((pitch >> 8) as usize, (pitch & 255) as u32);
    let (octave, note) = (semitone / 12, semitone % 12);
    let between = STEPS[note] + ((STEPS[note + 1] - STEPS[note]) >> 8) * part;
    if octave < 9 { between >> (9 - octave) } else { between << (octave - 9) }
}

/// A wave at its current phase.
pub struct Oscillator {
    wave: Wave,
    phase: u32,
    bending: u32,
    depth: i64,
    dice: u32,
    drawn: [i32; 2],
}

impl Oscillator {
    pub fn new(wave: Wave) -> Oscillator {
        let depth = if let Wave::Fm { depth, .. } = wave { i64::from(depth) << 36 } else { 0 };
        Oscillator { wave, phase: 0, bending: 0, depth, dice: 0x9E37_79B9, drawn: [0; 2] }
    }

    /// The next sample.
    pub fn sample(&mut self, step: u32) -> i32 {
        let from = self.phase;
        self.phase = from.wrapping_add(step);
        match self.wave {
            Wave::Pulse(width) => pulse(u32::from(width) << 24, from, step),
            Wave::Triangle => triangle(from),
            Wave::Noise => self.noise(from),
            Wave::Hiss => {
                let before = self.drawn[1];
                (self.noise(from) - before) / 2
            }
            Wave::Fm { ratio, fade_ms, .. } => self.bent(from, step, ratio, fade_ms),
        }
    }

    /// Noise glides from one drawn value to the next, which keeps a low one free of a whine at its own pitch.
    fn noise(&mut self, from: u32) -> i32 {
        if self.phase < from {
            self.drawn = [self.drawn[1], self.draw()];
        }
        let [a, b] = self.drawn;
        a + ((i64::from(b - a) * i64::from(self.phase >> 16)) >> 16) as i32
    }

    fn draw(&mut self) -> i32 {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 17;
        self.dice ^= self.dice << 5;
        (self.dice >> 16) as i32 - 32_768
    }

    fn bent(&mut self, from: u32, step: u32, ratio: u8, fade_ms: u16) -> i32 {
        self.bending = self.bending.wrapping_add(((u64::from(step) * u64::from(ratio)) >> 4) as u32);
        // Depth is in 2^40ths of a period, so that a slow fade does not round to none.
        let bend = (i64::from(sine(self.bending)) * (self.depth >> 16)) >> 7;
        self.depth -= self.depth / i64::from(samples(fade_ms)).max(1) * i64::from(fade_ms > 0);
        sine(from.wrapping_add(bend as u32))
    }
}

/// So many milliseconds in samples.
pub const fn samples(ms: u16) -> u32 {
    ms as u32 * (SAMPLE_RATE / 100) / 10
}

/// The mean of a pulse over one step: an edge inside the step counts by its place, which keeps high notes clean.
fn pulse(width: u32, from: u32, step: u32) -> i32 {
    let to = from.wrapping_add(step);
    let wrapped = if to < from { u64::from(width) } else { 0 };
    let high = u64::from(to.min(width)) + wrapped - u64::from(from.min(width));
    let share = if high == 0 {
        0
    } else if high == u64::from(step) {
        1 << 15
    } else {
        (high << 15) / u64::from(step)
    };
    // A narrow pulse is mostly low: without its mean it is centred.
    let mean = width >> 17;
    ((share as i32 - mean as i32) * 2 * LOUD) >> 16
}

fn triangle(phase: u32) -> i32 {
    let ramp = (phase.wrapping_add(1 << 30) >> 15) as i32 - 65_536;
    LOUD - ramp.abs()
}

/// A sine by a polynomial of the fifth degree in whole numbers, within a thousandth.
pub fn sine(phase: u32) -> i32 {
    // A quarter is 2^14; the second and third quarter run backwards.
    let turned = (phase >> 16) as i32;
    let folded = match turned {
        0..=0x3FFF => turned,
        0x4000..=0xBFFF => 0x8000 - turned,
        _ => turned - 0x1_0000,
    };
    // x · (π/2 − x² · ((π − 5/2) − x² · (π/2 − 3/2))) with x in quarters.
    let square = (folded * folded) >> 14;
    let inner = 10_511 - ((square * 1_160) >> 14);
    let outer = 25_736 - ((square * inner) >> 14);
    ((folded * outer) >> 13).clamp(-LOUD, LOUD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sine_is_a_sine() {
        for phase in (0..=u32::MAX).step_by(99_991) {
            let exact = (f64::from(phase) / 4_294_967_296.0 * std::f64::consts::TAU).sin() * f64::from(LOUD);
            assert!((f64::from(sine(phase)) - exact).abs() < 40.0, "{phase}: {} for {exact}", sine(phase));
        }
    }

    #[test]
    fn the_concert_pitch_is_440_hz() {
        let hz = f64::from(step(69 << 8)) * f64::from(SAMPLE_RATE) / 4_294_967_296.0;
        assert!((hz - 440.0).abs() < 0.01, "{hz}");
        let quarter = f64::from(step((69 << 8) + 128)) * f64::from(SAMPLE_RATE) / 4_294_967_296.0;
        assert!((quarter - 452.893).abs() < 0.25, "{quarter}");
    }

    #[test]
    fn waves_have_no_offset_and_stay_in_bounds() {
        let waves = [Wave::Pulse(32), Wave::Pulse(128), Wave::Triangle, Wave::Noise, Wave::Hiss];
        for wave in waves {
            let mut oscillator = Oscillator::new(wave);
            let all: Vec<i32> = (0..SAMPLE_RATE).map(|_| oscillator.sample(step(120 << 8))).collect();
            assert!(all.iter().all(|sample| sample.abs() <= LOUD + 1), "{wave:?}");
            let mean = all.iter().map(|&sample| i64::from(sample)).sum::<i64>() / i64::from(SAMPLE_RATE);
            assert!(mean.abs() < 500, "{wave:?}: {mean}");
        }
    }
}
