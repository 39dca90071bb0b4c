//! What sound costs: a second of each song, and all cues.

use client::sound::{Cue, Performance, SAMPLE_RATE, Song, render};

fn main() {
    divan::main();
}

#[divan::bench(args = Song::ALL)]
fn a_second_of(bencher: divan::Bencher, song: Song) {
    let mut performance = Performance::new(song);
    let mut samples = vec![[0; 2]; SAMPLE_RATE as usize];
    // The first seconds of a song are its emptiest.
    (0..20).for_each(|_| performance.fill(&mut samples));
    bencher.bench_local(|| performance.fill(&mut samples));
}

#[divan::bench]
fn beginning_a_song(bencher: divan::Bencher) {
    bencher.bench(|| Performance::new(Song::LastBoss));
}

#[divan::bench]
fn all_cues(bencher: divan::Bencher) {
    bencher.bench(|| Cue::ALL.iter().map(|&cue| render(cue).len()).sum::<usize>());
}
