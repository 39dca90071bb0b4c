//! Measures each song over its whole loop.

use ebur128::{EbuR128, Mode};

use super::{super::*, hash, mean, percent_above_6_khz, seam};

/// Measures a song over its whole loop.
fn check(tune: Song, expected: &str) {
    let samples = song(tune);
    let [left, right] = [0, 1].map(|side| samples.iter().map(|sample| sample[side]).collect::<Vec<i16>>());
    assert!(samples.len() as u32 >= 90 * SAMPLE_RATE, "{tune:?} comes again too soon");
    check_loudness(tune, &samples);
    for side in [&left, &right] {
        assert!(mean(side).abs() <= 40, "{tune:?}: {}", mean(side));
        let (seam, within) = seam(side);
        assert!(seam <= within, "{tune:?}: a jump of {seam} at the seam, {within} within");
    }
    let high = percent_above_6_khz(left.iter().copied());
    assert!(high >= 0.3, "{tune:?}: {high} %");
    let width = correlation(&left, &right);
    assert!((0.4..=0.95).contains(&width), "{tune:?} is neither mono nor out of phase: {width}");
    assert_eq!(hash(samples.into_flattened()), expected, "{tune:?} is the same everywhere");
}

/// −14 ± 1 LUFS in all, no peak above −1 dB of full scale even between samples, and never silent.
fn check_loudness(tune: Song, samples: &[StereoSample]) {
    let mut meter = EbuR128::new(2, SAMPLE_RATE, Mode::I | Mode::S | Mode::TRUE_PEAK).expect("a meter");
    let mut quietest = f64::INFINITY;
    for (number, second) in samples.chunks(SAMPLE_RATE as usize).enumerate() {
        meter.add_frames_i16(second.as_flattened()).expect("samples");
        if number >= 3 {
            quietest = quietest.min(meter.loudness_shortterm().expect("three seconds"));
        }
    }
    let loudness = meter.loudness_global().expect("a loudness");
    assert!((-15.0..=-13.0).contains(&loudness), "{tune:?}: {loudness} LUFS; change its gain");
    let peak = [0, 1].map(|side| 20.0 * meter.true_peak(side).expect("a peak").log10());
    assert!(peak.iter().all(|peak| *peak <= -1.0), "{tune:?}: {peak:?} dB");
    assert!(quietest > -24.0, "{tune:?} falls silent: {quietest} LUFS");
}

/// 1 if both sides are the same, 0 if they have nothing in common.
fn correlation(left: &[i16], right: &[i16]) -> f64 {
    let sum = |a: &[i16], b: &[i16]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    sum(left, right) / (sum(left, left) * sum(right, right)).sqrt()
}

// A test each, so that they run beside each other.
macro_rules! songs {
    ($($name:ident = $song:ident, $hash:literal;)+) => {
        $(
            #[test]
            fn $name() {
                check(Song::$song, $hash);
            }
        )+

        #[test]
        fn every_song_is_measured() {
            assert_eq!([$(Song::$song),+], Song::ALL);
        }
    };
}

songs! {
    the_title_is_measured = Title, "31176f1670cabf4e";
    the_first_stage_is_measured = Stage1, "f46973f68da3e539";
    the_second_stage_is_measured = Stage2, "4d0a8b480660d460";
    the_third_stage_is_measured = Stage3, "b2cf037e4f23230c";
    the_endless_stage_is_measured = Endless, "997f66f02b829900";
    the_boss_is_measured = Boss, "0dbe4c5002818873";
    the_last_boss_is_measured = LastBoss, "b853130360cc4b2b";
    the_end_of_a_game_is_measured = GameOver, "c690f0e0f680a038";
    the_scores_are_measured = Scores, "5c79bd06c900a7a6";
}

#[test]
fn a_song_goes_on_where_it_was_and_repeats() {
    let mut performance = Performance::new(Song::GameOver);
    let mut all = vec![[0; 2]; 10_000];
    performance.fill(&mut all);
    let mut pieces = Performance::new(Song::GameOver);
    let made: Vec<StereoSample> = (0..10_000).map(|_| pieces.sample()).collect();
    assert_eq!(made, all, "in pieces of any size");
    // The first bar of a repeat has the end of the song in it, so it is louder, but the same notes.
    performance.skip_to_last(1);
    let mut again = vec![[0; 2]; 10_000];
    performance.fill(&mut again);
    assert!(again.iter().flatten().any(|sample| sample.abs() > 1_000));
}
