//! A filter that can be swept: a state-variable filter in whole numbers, after Hal Chamberlin.

use super::wave::{sine, step};

/// What a filter lets through, and how that moves.
#[derive(Clone, Copy, Debug)]
pub struct Filter {
    pub passes: Passes,
    /// Where it cuts, in semitones above the note; above 0 Hz if `is_fixed`.
    pub cutoff: i32,
    pub is_fixed: bool,
    /// How much further it is open at first, in semitones, and after how many milliseconds a third of that is left.
    pub opens: i32,
    pub closes_ms: u16,
    /// How much it stresses what is at the cutoff: 0 nothing, 240 nearly whistles.
    pub resonance: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    Low,
    Band,
    High,
}

impl Filter {
    /// Lets through what is lower than this many semitones above the note.
    pub const fn low(cutoff: i32) -> Filter {
        Filter { passes: Passes::Low, cutoff, is_fixed: false, opens: 0, closes_ms: 1, resonance: 40 }
    }

    /// Lets through what is higher than that pitch.
    pub const fn high(pitch: i32) -> Filter {
        Filter { passes: Passes::High, cutoff: pitch, is_fixed: true, ..Filter::low(0) }
    }

    /// Opens by this many semitones at first.
    pub const fn opening(self, opens: i32, closes_ms: u16) -> Filter {
        Filter { opens, closes_ms, ..self }
    }

    pub const fn resonant(self, resonance: i32) -> Filter {
        Filter { resonance, ..self }
    }
}

/// A filter at work.
#[derive(Clone, Copy, Default)]
pub struct FilterState {
    low: i32,
    band: i32,
}

/// The highest pitch that it cuts at, in 256ths of a semitone: 6.3 kHz. Above, it would not be stable.
const PITCH_MAX: i32 = 115 << 8;
/// No state grows beyond that, whatever resonates.
const STATE_MAX: i32 = 1 << 20;

impl FilterState {
    /// Filters samples, with the cutoff at that pitch in 256ths of a semitone.
    pub fn apply(&mut self, filter: &Filter, pitch: i32, samples: &mut [i32]) {
        // 2 · sin(π · f ÷ rate), in 2^15ths; the sine takes a whole turn for a phase of 2^32.
        let factor = i64::from(2 * sine(step(pitch.clamp(0, PITCH_MAX)) / 2));
        let damping = i64::from(512 - 2 * filter.resonance.clamp(0, 248));
        for sample in samples {
            self.low += ((i64::from(self.band) * factor) >> 15) as i32;
            let high = *sample - self.low - ((i64::from(self.band) * damping) >> 8) as i32;
            self.band += ((i64::from(high) * factor) >> 15) as i32;
            self.low = self.low.clamp(-STATE_MAX, STATE_MAX);
            self.band = self.band.clamp(-STATE_MAX, STATE_MAX);
            *sample = match filter.passes {
                Passes::Low => self.low,
                Passes::Band => self.band,
                Passes::High => high.clamp(-STATE_MAX, STATE_MAX),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sound::wave::{Oscillator, Wave};

    /// How much of a tone is left: its mean strength behind the filter, in percent.
    fn left(filter: Filter, tone: i32) -> i64 {
        let mut samples = vec![0; 8_192];
        Oscillator::new(Wave::Sine, 0).fill(step(tone << 8), &mut samples);
        let strength = |samples: &[i32]| samples.iter().map(|sample| i64::from(sample.abs())).sum::<i64>();
        let before = strength(&samples[4_096..]);
        FilterState::default().apply(&filter, filter.cutoff << 8, &mut samples);
        100 * strength(&samples[4_096..]) / before
    }

    #[test]
    fn a_filter_lets_its_side_through() {
        let low = Filter { is_fixed: true, ..Filter::low(72) };
        assert!(left(low, 48) > 90 && left(low, 108) < 5, "{} {}", left(low, 48), left(low, 108));
        let high = Filter::high(72);
        assert!(left(high, 108) > 90 && left(high, 48) < 10, "{} {}", left(high, 108), left(high, 48));
    }

    #[test]
    fn resonance_stresses_the_cutoff_and_stays_bounded() {
        let plain = Filter { is_fixed: true, ..Filter::low(72) };
        assert!(left(plain.resonant(220), 72) > 2 * left(plain, 72));
        let mut samples = vec![32_767; 100_000];
        let mut state = FilterState::default();
        state.apply(&plain.resonant(255), 143 << 8, &mut samples);
        assert!(samples.iter().all(|sample| sample.abs() <= STATE_MAX));
    }
}
