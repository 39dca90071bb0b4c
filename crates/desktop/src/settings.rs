//! The file in which the player's settings are kept. What is in it is the client's own affair.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use crate::folders;

/// More than any settings need: a file that somebody named by mistake is not read whole.
const SIZE_MAX_BYTES: u64 = 64 << 10;

/// Where settings are kept, if there is a place for them.
#[derive(Debug)]
pub struct Settings(Option<PathBuf>);

impl Settings {
    /// In this file, or in the usual place.
    pub fn at(file: Option<PathBuf>) -> Settings {
        Settings(file.or_else(folders::settings))
    }

    /// What is kept; nothing at first. What cannot be read is told and left alone.
    pub fn read(&self) -> String {
        let Some(path) = &self.0 else { return String::new() };
        match fs::metadata(path) {
            Ok(known) if known.len() > SIZE_MAX_BYTES => {
                eprintln!("volley-desktop: {} is too large for settings and is not read", path.display());
                return String::new();
            }
            _ => {}
        }
        fs::read_to_string(path).unwrap_or_else(|error| {
            if error.kind() != ErrorKind::NotFound {
                eprintln!("volley-desktop: cannot read {}: {error}", path.display());
            }
            String::new()
        })
    }

    /// Keeps this text. What cannot be kept is told; the game goes on.
    pub fn keep(&self, text: &str) {
        let Some(path) = &self.0 else { return };
        if let Err(error) = replace(path, text) {
            eprintln!("volley-desktop: cannot keep settings in {}: {error}", path.display());
        }
    }
}

/// Writes beside the file first: whoever pulls the plug has the old settings or the new ones.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension("new");
    fs::write(&beside, text)?;
    fs::rename(beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        let folder = std::env::temp_dir().join(format!("volley-settings-{}", std::process::id()));
        let settings = Settings::at(Some(folder.join("deep").join("settings")));
        assert_eq!(settings.read(), "");
        settings.keep("name Ann\n");
        assert_eq!(settings.read(), "name Ann\n");
        settings.keep("name Bob\n");
        assert_eq!(settings.read(), "name Bob\n");
        fs::remove_dir_all(folder).expect("it was made");
    }
}
