//! `volley assets`: what other people's clients need to draw and play our game: sprite sheets, sounds, songs, a table of kinds
//! and the licences.
//!
//! The sheets lie under exactly the paths that a SNAPSHOT names, as PNG; `sheet_png.rs` makes them from what `client` draws, and
//! `kinds_json.rs` tells what is in them. A node serves the same files under `/assets/`.

mod kinds_json;
mod sheet_png;

use std::{fs, path::Path};

use anyhow::Context;
use client::sound::{self, Cue, Song, StereoSample};
use game::Kind;
use server::http::assets::{Asset, Assets};

use crate::UserError;

const PNG: &str = "image/png";
const WAV: &str = "audio/wav";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";

/// For a node. It keeps what was asked for, so its songs are small ones: 4 MB each, not 18.
pub fn all() -> Assets {
    Assets::new(files(sound::small_wav))
}

/// Writes all files into a directory, which is made if it does not exist. Returns how many there are, and their bytes.
///
/// # Errors
/// If the directory cannot be written to.
pub fn write(directory: &Path) -> anyhow::Result<(usize, u64)> {
    let mut bytes = 0;
    let files = files(sound::stereo_wav);
    for file in &files {
        let made = file.make().map_err(anyhow::Error::msg).with_context(|| format!("cannot make {}", file.path()))?;
        bytes += made.len() as u64;
        save(&directory.join(file.path()), &made)?;
    }
    Ok((files.len(), bytes))
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), UserError> {
    let folder = path.parent().unwrap_or(path);
    let saved = fs::create_dir_all(folder).and_then(|()| fs::write(path, bytes));
    saved.map_err(|error| UserError(format!("cannot write {}: {error}; choose another --out", path.display())))
}

fn files(song_wav: fn(&[StereoSample]) -> Vec<u8>) -> Vec<Asset> {
    let sheets = Kind::ALL.iter().map(|&kind| Asset::new(kind.name(), PNG, move || sheet_png::write(kind)));
    let cue =
        |cue: Cue| Asset::new(format!("sounds/{}.wav", cue.name()), WAV, move || Ok(sound::wav(&sound::render(cue))));
    let song =
        |song: Song| Asset::new(format!("songs/{}.wav", song.name()), WAV, move || Ok(song_wav(&sound::song(song))));
    let texts = [
        ("README.txt", include_str!("README.txt")),
        ("LICENSE-MIT", include_str!("../../../../LICENSE-MIT")),
        ("LICENSE-APACHE", include_str!("../../../../LICENSE-APACHE")),
    ];
    let text = |(path, text): (&str, &'static str)| Asset::new(path, TEXT, move || Ok(text.as_bytes().to_vec()));
    let kinds = Asset::new("kinds.json", JSON, || Ok(kinds_json::write().into_bytes()));
    let sounds = Cue::ALL.iter().copied().map(cue).chain(Song::ALL.into_iter().map(song));
    sheets.chain([kinds]).chain(sounds).chain(texts.into_iter().map(text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_sheet_under_the_path_that_a_snapshot_names() {
        let files = files(sound::small_wav);
        let paths: std::collections::BTreeSet<&str> = files.iter().map(Asset::path).collect();
        assert_eq!(paths.len(), files.len(), "two files have one path");
        assert!(Kind::ALL.iter().all(|kind| paths.contains(kind.name())));
        for expected in ["kinds.json", "sounds/shot.wav", "songs/boss.wav", "LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(paths.contains(expected), "{expected}");
        }
    }

    #[test]
    fn a_place_that_cannot_be_written_to_is_named() {
        let taken = tempfile::NamedTempFile::new().expect("a file");
        let error = write(taken.path()).expect_err("it is no directory");
        assert!(error.downcast_ref::<UserError>().is_some_and(|said| said.0.contains("--out")), "{error:#}");
    }
}
