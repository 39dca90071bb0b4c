//! Measures the sounds: they are the same everywhere, loud enough, not too loud, and without clicks.

use super::*;

const CUE_HASHES: [&str; 17] = [
    "60e3371537953f96",
    "a4eefa1ef2cc950b",
    "6b1fb8a2851210a3",
    "365bceff3ff9c42c",
    "428b42d655ba9b20",
    "93d7f7cc638df0fc",
    "c8d95a5531d75375",
    "f1385f351f25a461",
    "b16ea67cfe3360da",
    "786333f943bf4450",
    "0213413302eca8f6",
    "27dc9428bccc49d2",
    "9c167e23f70c990b",
    "3c42f875c581c173",
    "6f6436af4a2e7ba4",
    "242b2d7c76763b83",
    "69a75f38db9d147c",
];
const SONG_HASHES: [&str; 4] = ["59a833f68dd13e0c", "001f08e6aceb9868", "c272324e94ce6de5", "1c36d653575d6422"];

/// FNV-1a over the samples.
fn hash(samples: &[i16]) -> u64 {
    let bytes = samples.iter().flat_map(|sample| sample.to_le_bytes());
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

fn peak(samples: &[i16]) -> i32 {
    samples.iter().map(|&sample| i32::from(sample).abs()).max().unwrap_or(0)
}

fn rms(samples: &[i16]) -> i64 {
    let energy: i64 = samples.iter().map(|&sample| i64::from(sample).pow(2)).sum();
    (energy / samples.len() as i64).isqrt()
}

fn mean(samples: &[i16]) -> i64 {
    samples.iter().map(|&sample| i64::from(sample)).sum::<i64>() / samples.len() as i64
}

/// The loudest tenth of a second: how loud a short sound seems.
fn loudest_part(samples: &[i16]) -> i64 {
    samples.chunks(SAMPLE_RATE as usize / 10).map(rms).max().unwrap_or(0)
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

#[test]
fn every_cue_is_the_same_everywhere() {
    let hashes = Cue::ALL.map(|cue| hash(&render(cue)));
    assert_eq!(hashes.map(|hash| format!("{hash:016x}")), CUE_HASHES);
}

#[test]
fn every_song_is_the_same_everywhere() {
    let hashes = Song::ALL.map(|tune| hash(&song(tune)));
    assert_eq!(hashes.map(|hash| format!("{hash:016x}")), SONG_HASHES);
}

#[test]
fn cues_are_numbered_in_order() {
    for (number, cue) in Cue::ALL.into_iter().enumerate() {
        assert_eq!(cue as usize, number);
    }
}

#[test]
fn every_cue_is_loud_enough_and_none_is_too_loud() {
    for cue in Cue::ALL {
        let samples = render(cue);
        assert!(peak(&samples) < 30_000, "{cue:?} has a peak of {}", peak(&samples));
        assert!((1_500..=14_000).contains(&loudest_part(&samples)), "{cue:?}: {}", loudest_part(&samples));
        assert!(mean(&samples).abs() <= 40, "{cue:?} is off centre by {}", mean(&samples));
        assert!(samples.len() < 5 * SAMPLE_RATE as usize, "{cue:?} lasts too long");
    }
}

#[test]
fn every_cue_begins_and_ends_in_silence() {
    for cue in Cue::ALL.into_iter().filter(|cue| !cue.is_loop()) {
        let samples = render(cue);
        let (first, last) = (samples[0], samples[samples.len() - 1]);
        assert!(first.abs() < 1_000 && last.abs() < 100, "{cue:?}: {first} to {last}");
    }
}

#[test]
fn every_song_is_about_as_loud_as_the_others_and_below_the_cues() {
    for tune in Song::ALL {
        let samples = song(tune);
        assert!(peak(&samples) <= SONG_PEAK, "{tune:?}");
        assert!((2_400..=4_800).contains(&rms(&samples)), "{tune:?}: {}", rms(&samples));
        assert!(mean(&samples).abs() <= 1, "{tune:?}: {}", mean(&samples));
        assert!(samples.len() as u32 >= 20 * SAMPLE_RATE, "{tune:?} comes again too soon");
    }
}

#[test]
fn no_song_falls_silent() {
    for tune in Song::ALL {
        let quietest = song(tune).chunks(SAMPLE_RATE as usize).map(rms).min().unwrap_or(0);
        assert!(quietest > 800, "{tune:?}: {quietest}");
    }
}

#[test]
fn loops_have_no_seam() {
    let loops = Song::ALL.map(song).into_iter().chain([render(Cue::ChargeHum)]);
    for samples in loops {
        let (seam, within) = seam(&samples);
        assert!(seam <= within, "a jump of {seam} at the seam, {within} within");
    }
}
