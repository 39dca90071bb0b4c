//! Writes every cue and song as a WAV file, for somebody who wants to hear or to look at them:
//! `cargo run --release -p client --example listen -- sounds`.

use std::{fs, path::Path, time::Instant};

use client::sound::{Cue, SAMPLE_RATE, Song, render, song};

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "sounds".into());
    fs::create_dir_all(&folder)?;
    for cue in Cue::ALL {
        keep(&folder, &format!("cue-{cue:?}"), || render(cue))?;
    }
    for tune in Song::ALL {
        keep(&folder, &format!("song-{tune:?}"), || song(tune))?;
    }
    Ok(())
}

fn keep(folder: &str, name: &str, samples: impl FnOnce() -> Vec<i16>) -> std::io::Result<()> {
    let began = Instant::now();
    let samples = samples();
    let seconds = samples.len() as f64 / f64::from(SAMPLE_RATE);
    println!("{name:<20} {seconds:>6.2} s, rendered in {:?}", began.elapsed());
    fs::write(Path::new(folder).join(format!("{name}.wav")), wav(&samples))
}

/// A RIFF file of 16 bits and one channel.
fn wav(samples: &[i16]) -> Vec<u8> {
    let size = 2 * samples.len() as u32;
    let mut file = Vec::new();
    file.extend(b"RIFF");
    file.extend((36 + size).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    file.extend([1, 0, 1, 0]);
    file.extend(SAMPLE_RATE.to_le_bytes());
    file.extend((2 * SAMPLE_RATE).to_le_bytes());
    file.extend([2, 0, 16, 0]);
    file.extend(b"data");
    file.extend(size.to_le_bytes());
    file.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    file
}
