//! The player's best runs, a file for each table, in the folder of what is kept of games played alone. And where a replay is saved.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Tables whose best run is kept: every daily game is a new one. The oldest make room.
const GHOSTS_MAX: usize = 64;
/// A larger file is not read: no run is that long.
const GHOST_BYTES_MAX: u64 = 2 << 20;
/// How the name of such a file ends.
const EXTENSION: &str = "ghost";
/// No table has a longer name, and no file system takes a much longer one.
const NAME_CHARS_MAX: usize = 200;

/// The best runs, and replays that were saved. Without a folder nothing is kept.
pub struct OwnGames {
    folder: Option<PathBuf>,
}

impl OwnGames {
    /// Those in the folder of high scores.
    pub fn beside_scores(folder: Option<PathBuf>) -> OwnGames {
        OwnGames { folder }
    }

    /// What is kept for a table: nothing, if it cannot be read.
    pub fn load(&self, table: &str) -> Vec<u8> {
        let Some(path) = self.path(table) else { return Vec::new() };
        let is_small = fs::metadata(&path).is_ok_and(|about| about.len() <= GHOST_BYTES_MAX);
        if is_small { fs::read(path).unwrap_or_default() } else { Vec::new() }
    }

    /// Keeps bytes for a table. If that fails, a line says so.
    pub fn store(&self, table: &str, bytes: &[u8]) {
        let Some(path) = self.path(table) else { return };
        if let Err(error) = self.try_store(&path, bytes) {
            eprintln!("volley-desktop: the best run cannot be kept in {}: {error}", path.display());
        }
    }

    fn try_store(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        // A file that is half written never takes the place of a whole one.
        let unfinished = path.with_extension("new");
        fs::write(&unfinished, bytes)?;
        fs::rename(&unfinished, path)?;
        self.make_room(folder)
    }

    /// Saves a replay, and returns where it is.
    pub fn save_replay(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?.join("replays");
        fs::create_dir_all(&folder)?;
        let path = folder.join(Path::new(name).file_name().ok_or(io::ErrorKind::InvalidFilename)?);
        fs::write(&path, bytes)?;
        Ok(path)
    }

    fn make_room(&self, folder: &Path) -> io::Result<()> {
        let mut kept: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder)?
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|extension| extension == EXTENSION))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        kept.sort();
        let surplus = kept.len().saturating_sub(GHOSTS_MAX);
        kept.iter().take(surplus).try_for_each(|(_, path)| fs::remove_file(path))
    }

    /// The file of a table. Every character that a file system might not take is replaced.
    fn path(&self, table: &str) -> Option<PathBuf> {
        let plain = |character: char| {
            if character.is_ascii_alphanumeric() || "=-_.%".contains(character) { character } else { '+' }
        };
        let name: String = table.chars().map(plain).take(NAME_CHARS_MAX).collect();
        Some(self.folder.as_ref()?.join("ghosts").join(format!("{name}.{EXTENSION}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_kept_for_its_table_and_the_oldest_make_room() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let ghosts = OwnGames::beside_scores(Some(folder.path().into()));
        let table = |day: usize| format!("mode=daily&day={day}/..&players=1");
        assert!(ghosts.load(&table(0)).is_empty());
        ghosts.store(&table(0), b"worse");
        ghosts.store(&table(0), b"best");
        assert_eq!((ghosts.load(&table(0)), ghosts.load(&table(1))), (b"best".to_vec(), Vec::new()));
        (1..GHOSTS_MAX + 3).for_each(|day| ghosts.store(&table(day), b"another"));
        let files = fs::read_dir(folder.path().join("ghosts")).expect("it is there").count();
        assert_eq!((files, ghosts.load(&table(GHOSTS_MAX + 2))), (GHOSTS_MAX, b"another".to_vec()));
    }

    #[test]
    fn without_a_folder_nothing_is_kept_and_nothing_fails() {
        let ghosts = OwnGames::beside_scores(None);
        ghosts.store("a", b"b");
        assert!(ghosts.load("a").is_empty());
        assert!(ghosts.save_replay("a.vreplay", b"b").is_err());
    }

    #[test]
    fn a_replay_is_saved_under_its_own_name_and_in_no_other_folder() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let own = OwnGames::beside_scores(Some(folder.path().into()));
        let path = own.save_replay("../../2a.vreplay", b"bytes").expect("it is written");
        assert_eq!(path, folder.path().join("replays/2a.vreplay"));
        assert_eq!(fs::read(path).expect("it is there"), b"bytes");
    }
}
