//! The file of the player's settings. Only the client knows what is in it.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use crate::folders;

/// More than settings need: a large file that was named by mistake is not read.
const SIZE_MAX_BYTES: u64 = 64 << 10;

/// Where settings are stored, if the system has a folder for them.
#[derive(Debug)]
pub struct Settings(Option<PathBuf>);

impl Settings {
    /// In this file, or in the usual folder.
    pub fn at(file: Option<PathBuf>) -> Settings {
        Settings(file.or_else(folders::settings))
    }

    /// The stored text; empty at first. If the file cannot be read, a line says so and it is left alone.
    pub fn read(&self) -> String {
        let Some(path) = &self.0 else { return String::new() };
        match fs::metadata(path) {
            Ok(known) if known.len() > SIZE_MAX_BYTES => {
                eprintln!("volley-desktop: {} is too large to be a settings file; using defaults", path.display());
                return String::new();
            }
            _ => {}
        }
        fs::read_to_string(path).unwrap_or_else(|error| {
            if error.kind() != ErrorKind::NotFound {
                eprintln!("volley-desktop: cannot read the settings in {}; using defaults: {error}", path.display());
            }
            String::new()
        })
    }

    /// Stores this text. If that fails, a line says so.
    pub fn store(&self, text: &str) {
        let Some(path) = &self.0 else { return };
        if let Err(error) = replace(path, text) {
            eprintln!("volley-desktop: cannot save the settings to {}: {error}", path.display());
        }
    }
}

/// Writes another file first and then renames it: after a crash there are the old settings or the new ones.
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
    fn stored_settings_are_read_back() {
        let folder = std::env::temp_dir().join(format!("volley-settings-{}", std::process::id()));
        let settings = Settings::at(Some(folder.join("deep").join("settings")));
        assert_eq!(settings.read(), "");
        settings.store("name Ann\n");
        assert_eq!(settings.read(), "name Ann\n");
        settings.store("name Bob\n");
        assert_eq!(settings.read(), "name Bob\n");
        fs::remove_dir_all(folder).expect("it was made");
    }
}
