//! Oscillators: pulse, saw, triangle, sine, noise, and a pair of sines of which one modulates the other (FM). Each gives a sample
//! between −[`LOUD`] and [`LOUD`], without an offset. A phase is a `u32` that wraps once a period.

use super::SAMPLE_RATE;

/// The loudest sample of a wave.
pub const LOUD: i32 = 32_767;

/// The shape of a wave.
#[derive(Clone, Copy, Debug)]
pub enum Wave {
    /// High for this many 256ths of a period, else low.
    Pulse(u8),
    /// A pulse whose width swings to and fro in this many milliseconds.
    Swept(u16),
    Saw,
    Triangle,
    Sine,
    /// Random values, drawn at the pitch of the note: low notes rumble, high ones hiss.
    Noise,
    /// Noise without its low part.
    Hiss,
    Fm {
        /// The pitch of the bending sine, in 16ths of the pitch of the bent one.
        ratio: u8,
        /// How far it bends, in 16ths of a period.
        depth: u8,
        /// How long it takes until the bending has faded to a third; 0 for never.
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
#[derive(Clone)]
pub struct Oscillator {
    wave: Wave,
    phase: u32,
    /// The phase of the bending sine of an FM pair, or of what moves the width of a pulse.
    bending: u32,
    depth: i64,
    dice: u32,
    drawn: [i32; 2],
}

impl Oscillator {
    /// Two of the same wave that begin at different phases never sound like one.
    pub fn new(wave: Wave, phase: u32) -> Oscillator {
        let depth = if let Wave::Fm { depth, .. } = wave { i64::from(depth) << 36 } else { 0 };
        Oscillator { wave, phase, bending: 0, depth, dice: 0x9E37_79B9 ^ phase, drawn: [0; 2] }
    }

    /// The next samples. The wave is chosen once for all of them: this is where a song spends its time.
    pub fn fill(&mut self, step: u32, out: &mut [i32]) {
        match self.wave {
            Wave::Pulse(width) => self.each(step, out, |_, from| pulse(u32::from(width) << 24, from, step)),
            Wave::Swept(period_ms) => {
                self.bending = self.bending.wrapping_add(period(period_ms).wrapping_mul(out.len() as u32));
                // A half, and up to a quarter more or less.
                let width = (1u32 << 31).wrapping_add_signed(sine(self.bending) << 15);
                self.each(step, out, |_, from| pulse(width, from, step));
            }
            Wave::Saw => self.each(step, out, |_, from| saw(from, step)),
            Wave::Triangle => self.each(step, out, |_, from| triangle(from)),
            Wave::Sine => self.each(step, out, |_, from| sine(from)),
            Wave::Noise => self.each(step, out, Oscillator::noise),
            Wave::Hiss => self.each(step, out, |it, from| {
                let before = it.drawn[1];
                (it.noise(from) - before) / 2
            }),
            Wave::Fm { ratio, fade_ms, .. } => self.each(step, out, |it, from| it.bent(from, step, ratio, fade_ms)),
        }
    }

    fn each(&mut self, step: u32, out: &mut [i32], sample: impl Fn(&mut Oscillator, u32) -> i32) {
        for place in out {
            let from = self.phase;
            self.phase = from.wrapping_add(step);
            *place = sample(self, from);
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

/// The step of phase of what takes `ms` a period.
fn period(ms: u16) -> u32 {
    u32::MAX / samples(ms).max(1)
}

/// Milliseconds in samples.
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

/// The mean of a rising saw over one step, for the same reason.
fn saw(from: u32, step: u32) -> i32 {
    let to = from.wrapping_add(step);
    let height = |phase: u32| (phase >> 16) as i32 - 32_768;
    if to >= from {
        return (height(from) + height(to)) / 2;
    }
    let before = i64::from(u32::MAX - from) * i64::from((height(from) + LOUD) / 2);
    let after = i64::from(to) * i64::from((height(to) - LOUD) / 2);
    ((before + after) / i64::from(step.max(1))) as i32
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
        let waves = [Wave::Pulse(32), Wave::Pulse(128), Wave::Swept(900), Wave::Saw, Wave::Triangle, Wave::Sine];
        for wave in waves.into_iter().chain([Wave::Noise, Wave::Hiss]) {
            let mut all = vec![0; SAMPLE_RATE as usize];
            let mut oscillator = Oscillator::new(wave, 0);
            all.chunks_mut(32).for_each(|out| oscillator.fill(step(120 << 8), out));
            assert!(all.iter().all(|sample| sample.abs() <= LOUD + 1), "{wave:?}");
            let mean = all.iter().map(|&sample| i64::from(sample)).sum::<i64>() / i64::from(SAMPLE_RATE);
            assert!(mean.abs() < 500, "{wave:?}: {mean}");
        }
    }
}
