//! Measures the cues: loudness while they play, the beginning, what is above 6 kHz, and a hash of each.

use ebur128::{EbuR128, Mode};

use super::{super::*, hash, mean, percent_above_6_khz, seam};

/// By the number of the cue.
const HASHES: &[&str] = &[
    "526785153e14d907",
    "13d652dadc3e9372",
    "4a7be603c704ad1a",
    "f692d6f2e1fd3dbf",
    "38bf1b2b3fbf0489",
    "4fd6acda824c26d7",
    "7baa2dc39c11e78f",
    "14511c2213bf0dd3",
    "7f2106e42ef6e42b",
    "18fd6d6d1df01998",
    "64964fa588dd96ae",
    "afcdafe6e6ebaf81",
    "a8b11e21b06efcce",
    "81d9669bc1f947c3",
    "b8a590b5463fbe87",
    "6c081c0359f6a78d",
    "f070e73bfb386ad6",
    "9ac671b5f776eecd",
    "aaa1a80c980acb2b",
    "674b315274f9fa1f",
    "7d2aff1b4f23c366",
    "4a0570ff96469954",
    "d4b9c2a03aee280f",
    "1b2ff6880b043bdf",
    "54cceca6c081907b",
    "8fecc519d7d251a5",
    "c8a541e91465474d",
    "2e650210c4c42547",
    "7a484ecdfa0ba710",
    "851dd945d0d920ed",
    "cdcdb119f17bd6ef",
    "a1085d4bce5cd9ad",
    "3db32e57ad82cf5d",
    "08aea97551d6e5ac",
    "bf53be2b986ff809",
    "b359b1c852a6ce84",
    "acb0d388acf8fc9a",
    "02f43b6acc01e124",
    "bf00c2994277e55f",
    "9fea9802b7caeae3",
    "0b3afdbc24335515",
    "451222d25ffc94b1",
    "e24cdec6af736b18",
    "ee93268f00d493d7",
    "ccf550efa39cf30a",
    "9771911b8547da88",
    "a9bdd877467a8464",
    "4a967a110f258647",
    "80e060820bf97d63",
    "376c7d7a05f724a7",
    "8d04e0773b218675",
    "f9997356ddf661b4",
    "173c3193a478170f",
    "96d3780f41ccc10e",
    "797c48df0f0f9bb5",
    "f7a47ebf360dd6d6",
    "d183b3a6d119d82f",
    "d4b8b2277b6cf2ff",
    "686ae0c4efdc928b",
    "5badf6ee06abd623",
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
