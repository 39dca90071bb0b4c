use ebur128::{EbuR128, Mode};

use super::{super::*, hash, mean, percent_above_6_khz, seam};

/// By the number of the cue.
const HASHES: &[&str] = &[
    "800cf8ee93ed7adb",
    "a0d4cdb1aa0ff498",
    "3a50a509f879b289",
    "96f56ec1dbf14969",
    "147caf288283bcb1",
    "68790d0836b227f9",
    "e29e139316a3baf2",
    "4ccd10b75df833b5",
    "225bf870df84f70b",
    "e328465574e213ab",
    "bf1b682e91f866a6",
    "7caae3936d3d4d5c",
    "8233b5177fa17812",
    "1ef990e7614536fc",
    "7746d2ac6fb595ea",
    "f108a2ce08a032b1",
    "afb4ef2300f628aa",
    "b231e3f8bca830da",
    "1bfcb62c90183e45",
    "85eed4fea839a917",
    "46397cf8d94d1278",
    "d16a00e011e882ed",
    "b07228c04460c57d",
    "95bacda761d0d24f",
    "b68fec6073957f49",
    "c7bf92e410946cfc",
    "b3b7c84cee2064c4",
    "9f6cf57df3db2a0b",
    "4f8096b5d2a2bf4e",
    "676e61e6d5a9e9ec",
    "ea4e223c79949919",
    "f111548949ce102a",
    "b4e9d927c6e67022",
    "32d3af6d045f0e97",
    "d3642d784a171d73",
    "2361ace264f40038",
    "9e6a3ad133de5bba",
    "0ec3b74e1d74b511",
    "3ffd05b537054238",
    "eef0faee81a1fc29",
    "6b0e953155a69912",
    "dbcd9ac9e897b5c0",
    "b54475309f35e0f4",
    "c975043064c256ac",
    "b137126f0237c13b",
    "13035914266201b2",
    "09a935dcb78e3bab",
    "b8f8992807fee282",
    "c9cb794f5c9b8faa",
    "4a78635ab50237ef",
    "718a517aaf386a5a",
    "87939f358bd05ea8",
    "363c8abe45118c3e",
    "57c9b27463cfff2e",
    "9a4fb5b8c04e0502",
    "e993966934bfe42b",
    "b38ecfb39e00d9f3",
    "fc553d636d83b5a0",
    "96f189262774082d",
    "13345b393ebfa260",
];

/// How loud songs are, in LUFS: `songs.rs` holds them to it.
const SONGS_LUFS: f64 = -14.0;

/// How loud a cue is while it plays: the loudest tenth of a second of it, in LUFS. A shorter one is followed by silence.
fn loudness(samples: &[i16]) -> f64 {
    let mut meter = EbuR128::new(1, SAMPLE_RATE, Mode::M).expect("a meter");
    let silence = vec![0; SAMPLE_RATE as usize / 10];
    let mut loudest = f64::NEG_INFINITY;
    for piece in [samples, &silence].concat().chunks(SAMPLE_RATE as usize / 100) {
        meter.add_frames_i16(piece).expect("samples");
        loudest = loudest.max(meter.loudness_window(100).expect("a window"));
    }
    loudest
}

fn peak(samples: &[i16]) -> i32 {
    samples.iter().map(|&sample| i32::from(sample).abs()).max().unwrap_or(0)
}

#[test]
fn every_cue_is_the_same_everywhere() {
    let hashes: Vec<String> = Cue::ALL.iter().map(|&cue| hash(render(cue))).collect();
    assert_eq!(hashes, HASHES);
}

#[test]
fn there_are_enough_cues_numbered_in_order_with_names_of_their_own() {
    assert!(Cue::ALL.len() >= 35);
    for (number, &cue) in Cue::ALL.iter().enumerate() {
        assert_eq!(cue as usize, number);
        assert!(Cue::ALL[..number].iter().all(|other| other.name() != cue.name()), "{}", cue.name());
    }
}

#[test]
fn every_cue_can_be_heard_and_none_clips() {
    for &cue in Cue::ALL {
        let samples = render(cue);
        let loudness = loudness(&samples);
        assert!(peak(&samples) < 30_000, "{cue:?} has a peak of {}", peak(&samples));
        assert!((-21.0..=-5.0).contains(&loudness), "{cue:?}: {loudness}");
        assert!(mean(&samples).abs() <= 60, "{cue:?} is off centre by {}", mean(&samples));
        assert!(samples.len() < 6 * SAMPLE_RATE as usize, "{cue:?} lasts too long");
    }
}

#[test]
fn every_cue_begins_and_ends_in_silence() {
    for &cue in Cue::ALL.iter().filter(|cue| !cue.is_loop()) {
        let samples = render(cue);
        let (first, last) = (samples[0], samples[samples.len() - 1]);
        assert!(first.abs() < 3_000 && last.abs() < 100, "{cue:?}: {first} to {last}");
    }
}

#[test]
fn frequent_cues_stand_out_from_the_music_at_once_and_sparkle() {
    for &cue in Cue::ALL.iter().filter(|cue| cue.is_frequent()) {
        let samples = render(cue);
        let loudness = loudness(&samples);
        assert!(loudness >= SONGS_LUFS + 3.0, "{cue:?}: {loudness}");
        let begins = peak(&samples[..SAMPLE_RATE as usize / 100]);
        assert!(2 * begins > peak(&samples), "{cue:?}: within 10 ms it is at {begins} of {}", peak(&samples));
        let high = percent_above_6_khz(samples.into_iter());
        assert!(high >= 0.2, "{cue:?}: {high} %");
    }
}

#[test]
fn great_cues_are_louder_than_frequent_ones() {
    let great = [Cue::Warning, Cue::BossPhase, Cue::PartBreaks, Cue::BossDestroyed, Cue::Death, Cue::BeamFull];
    let shot = loudness(&render(Cue::Shot));
    assert!(great.iter().all(|&cue| loudness(&render(cue)) > shot + 1.5 && cue.ducks_ticks() > 0));
}

#[test]
fn the_hum_has_no_seam() {
    let (seam, within) = seam(&render(Cue::ChargeHum));
    assert!(seam <= within, "a jump of {seam} at the seam, {within} within");
}
