//! Measures the sounds: they are the same everywhere, loud enough, not too loud, and without clicks. `docs/sound.md` says
//! what is measured and why.

mod cues;
mod songs;

use super::*;

/// FNV-1a over the samples: if one differs anywhere, so does this.
fn hash(samples: impl IntoIterator<Item = i16>) -> String {
    let bytes = samples.into_iter().flat_map(i16::to_le_bytes);
    let hash = bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
    format!("{hash:016x}")
}

fn mean(samples: &[i16]) -> i64 {
    samples.iter().map(|&sample| i64::from(sample)).sum::<i64>() / samples.len() as i64
}

/// How far the sample after the end, which is the first, lies from where the last two point; and the same at the worst
/// place within. A click at the seam would stand out from the second.
fn seam(samples: &[i16]) -> (i32, i32) {
    let jump = |at: usize| {
        let [a, b, c] = [0, 1, 2].map(|next| i32::from(samples[(at + next) % samples.len()]));
        (c - 2 * b + a).abs()
    };
    let end = samples.len() - 2;
    (jump(end).max(jump(end + 1)), (0..end).map(jump).max().unwrap_or(0))
}

/// How much of the energy is above 6 kHz, in percent: behind two high-pass filters of the second order, after Robert
/// Bristow-Johnson.
fn percent_above_6_khz(samples: impl Iterator<Item = i16>) -> f64 {
    let turn = std::f64::consts::TAU * 6_000.0 / f64::from(SAMPLE_RATE);
    let (mut stages, mut all, mut above) = ([[0.0; 4]; 2], 0.0, 0.0);
    for sample in samples.map(f64::from) {
        let mut value = sample;
        // The quality factors of a Butterworth filter of the fourth order.
        for (stage, quality) in stages.iter_mut().zip([0.541_196, 1.306_563]) {
            let (alpha, cosine) = (turn.sin() / (2.0 * quality), turn.cos());
            let [x1, x2, y1, y2] = *stage;
            let forward = (1.0 + cosine) / 2.0 * (value - 2.0 * x1 + x2);
            let out = (forward + 2.0 * cosine * y1 - (1.0 - alpha) * y2) / (1.0 + alpha);
            *stage = [value, x1, out, y1];
            value = out;
        }
        (all, above) = (all + sample * sample, above + value * value);
    }
    100.0 * above / f64::max(all, 1.0)
}

#[test]
fn a_high_tone_is_above_6_khz_and_a_low_one_is_not() {
    let tone = |hz: f64| {
        let step = std::f64::consts::TAU * hz / f64::from(SAMPLE_RATE);
        (0..SAMPLE_RATE).map(move |at| (f64::from(at) * step).sin()).map(|sample| (sample * 20_000.0) as i16)
    };
    let (high, low) = (percent_above_6_khz(tone(9_000.0)), percent_above_6_khz(tone(1_000.0)));
    assert!(high > 90.0 && low < 0.1, "{high} {low}");
}
