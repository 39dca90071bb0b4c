//! The directory of recordings: a file for each game, named by its id.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};

use anyhow::Context;
use protocol::GameId;
use replay::EXTENSION;

/// A larger file is not read: no game is that long.
const FILE_BYTES_MAX: u64 = 64 << 20;

pub(super) struct Folder(PathBuf);

/// A recording on disk.
pub(super) struct StoredRecording {
    pub game: u64,
    pub bytes: u64,
    pub written: SystemTime,
}

impl Folder {
    pub fn open(directory: &Path) -> anyhow::Result<Folder> {
        fs::create_dir_all(directory).and_then(|()| check(directory)).with_context(|| {
            format!("cannot use {} for recordings; choose another directory with --record DIR", directory.display())
        })?;
        Ok(Folder(directory.to_owned()))
    }

    pub fn path(&self, game: GameId) -> PathBuf {
        self.0.join(format!("{game}.{EXTENSION}"))
    }

    /// The recordings that there are. Other files are left alone.
    pub fn entries(&self) -> Vec<StoredRecording> {
        let Ok(files) = fs::read_dir(&self.0) else { return Vec::new() };
        files.flatten().filter_map(|file| entry(&file)).collect()
    }

    /// The games that are recorded.
    pub fn games(&self) -> BTreeSet<u64> {
        self.entries().into_iter().map(|entry| entry.game).collect()
    }

    pub fn read(&self, game: GameId) -> Option<Vec<u8>> {
        let path = self.path(game);
        let is_small = fs::metadata(&path).is_ok_and(|about| about.len() <= FILE_BYTES_MAX);
        if is_small { fs::read(path).ok() } else { None }
    }

    /// A file and its length, for somebody who reads it piece by piece.
    pub fn file(&self, game: GameId) -> Option<(File, u64)> {
        let file = File::open(self.path(game)).ok()?;
        let length = file.metadata().ok()?.len();
        Some((file, length))
    }

    pub fn remove(&self, game: GameId) -> io::Result<()> {
        fs::remove_file(self.path(game))
    }

    /// Writes bytes at a place, with nothing behind them. If that fails, what was there before it is kept.
    pub fn write(&self, game: GameId, at: u64, bytes: &[u8]) -> io::Result<()> {
        // A file that somebody removed is not begun again in its middle.
        let mut file = OpenOptions::new().write(true).create(at == 0).truncate(false).open(self.path(game))?;
        let written = file.set_len(at).and_then(|()| append(&mut file, bytes));
        if written.is_err() {
            // If that fails as well, readers will find that the end is missing.
            let _ = file.set_len(at);
        }
        written
    }
}

/// Whether a file can be written there. What would fail at the end of the first game is better known now.
fn check(directory: &Path) -> io::Result<()> {
    let probe = directory.join(format!(".volley-{}", std::process::id()));
    fs::write(&probe, b"")?;
    fs::remove_file(probe)
}

fn append(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::End(0))?;
    file.write_all(bytes)
}

fn entry(file: &fs::DirEntry) -> Option<StoredRecording> {
    let name = file.file_name().into_string().ok()?;
    let id = name.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    let is_id = id.len() == 16 && id.bytes().all(|digit| digit.is_ascii_hexdigit());
    let game = u64::from_str_radix(id, 16).ok().filter(|_| is_id)?;
    let about = file.metadata().ok().filter(fs::Metadata::is_file)?;
    Some(StoredRecording { game, bytes: bytes_on_disk(&about), written: about.modified().ok()? })
}

/// What a file takes: a small one takes a whole block.
fn bytes_on_disk(about: &fs::Metadata) -> u64 {
    #[cfg(unix)]
    return about.len().max(std::os::unix::fs::MetadataExt::blocks(about) * 512);
    #[cfg(not(unix))]
    return about.len();
}
