//! Writes every cue and song as a WAV file, for somebody who wants to hear or to look at them:
//! `cargo run --release -p client --example listen -- sounds`.

use std::{fs, path::Path, time::Instant};

use client::sound::{Cue, SAMPLE_RATE, Song, render, song, wav};

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "sounds".into());
    fs::create_dir_all(&folder)?;
    for cue in Cue::ALL {
        keep(&folder, &format!("cue-{}", cue.name()), || render(cue))?;
    }
    for tune in Song::ALL {
        keep(&folder, &format!("song-{}", tune.name()), || song(tune))?;
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
