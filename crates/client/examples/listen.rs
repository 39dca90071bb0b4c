//! Writes every cue and song as a WAV file, for somebody who wants to hear or to look at them, and says how loud each is:
//! `cargo run --release -p client --example listen -- sounds`.

use std::{fs, path::Path, time::Instant};

use client::sound::{Cue, SAMPLE_RATE, Song, render, song, stereo_wav, wav};
use ebur128::{EbuR128, Mode};

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "sounds".into());
    fs::create_dir_all(&folder)?;
    let keep = |name: &str, file: Vec<u8>| fs::write(Path::new(&folder).join(format!("{name}.wav")), file);
    for &cue in Cue::ALL {
        let began = Instant::now();
        let samples = render(cue);
        report(cue.name(), 1, &samples, began);
        keep(&format!("cue-{}", cue.name()), wav(&samples))?;
    }
    for tune in Song::ALL {
        let began = Instant::now();
        let samples = song(tune);
        report(tune.name(), 2, samples.as_flattened(), began);
        keep(&format!("song-{}", tune.name()), stereo_wav(&samples))?;
    }
    Ok(())
}

fn report(name: &str, channels: u32, samples: &[i16], began: Instant) {
    let took = began.elapsed();
    let mut meter =
        EbuR128::new(channels, SAMPLE_RATE, Mode::I | Mode::TRUE_PEAK).expect("a meter for one or two channels");
    meter.add_frames_i16(samples).expect("whole frames");
    let peak = (0..channels).filter_map(|side| meter.true_peak(side).ok()).fold(0.0, f64::max);
    let seconds = samples.len() as f64 / f64::from(SAMPLE_RATE * channels);
    let loudness = meter.loudness_global().unwrap_or(f64::NEG_INFINITY);
    println!(
        "{name:<16} {seconds:>6.2} s  {loudness:>6.1} LUFS  {:>5.1} dBTP  rendered in {took:?}",
        20.0 * peak.log10()
    );
}
