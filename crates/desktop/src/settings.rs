//! The file in which the player's settings are kept. What is in it is the client's own affair.

use std::{
    env, fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

/// More than any settings need: a file that somebody named by mistake is not read whole.
const SIZE_MAX_BYTES: u64 = 64 << 10;

/// Where settings are kept, if there is a place for them.
#[derive(Debug)]
pub struct Settings(Option<PathBuf>);

impl Settings {
    /// In this file, or in the usual place.
    pub fn at(file: Option<PathBuf>) -> Settings {
        let usual = || usual_place(|name| env::var_os(name).map(PathBuf::from));
        Settings(file.or_else(usual))
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

/// `volley/settings` in the folder that the system keeps settings in.
fn usual_place(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    // An empty or relative one does not count, as freedesktop.org's rules want.
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    let folder = if cfg!(windows) {
        absolute("APPDATA")?
    } else if cfg!(target_os = "macos") {
        absolute("HOME")?.join("Library/Application Support")
    } else {
        absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?
    };
    Some(folder.join("volley").join("settings"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_usual_place_is_the_one_of_freedesktop() {
        let place = |config: Option<&str>, home: Option<&str>| {
            usual_place(|name| if name == "HOME" { home } else { config }.map(PathBuf::from))
        };
        assert_eq!(place(Some("/c"), Some("/h")), Some("/c/volley/settings".into()));
        assert_eq!(place(None, Some("/h")), Some("/h/.config/volley/settings".into()));
        assert_eq!(place(Some("relative"), Some("/h")), Some("/h/.config/volley/settings".into()));
        assert_eq!(place(None, None), None);
    }

    #[test]
    fn what_is_kept_is_read_again() {
        let folder = env::temp_dir().join(format!("volley-settings-{}", std::process::id()));
        let settings = Settings::at(Some(folder.join("deep").join("settings")));
        assert_eq!(settings.read(), "");
        settings.keep("name Ann\n");
        assert_eq!(settings.read(), "name Ann\n");
        settings.keep("name Bob\n");
        assert_eq!(settings.read(), "name Bob\n");
        fs::remove_dir_all(folder).expect("it was made");
    }
}
