//! Where the system wants this player's settings and high scores to be stored.

use std::{env, path::PathBuf};

/// The file of settings, if the system has a folder for it.
pub fn settings() -> Option<PathBuf> {
    settings_by(variable)
}

/// The folder of high scores, if the system has one. A node that this user runs keeps its own elsewhere.
pub fn scores() -> Option<PathBuf> {
    scores_by(variable)
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from)
}

fn settings_by(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    Some(folder(variable, "APPDATA", "XDG_CONFIG_HOME", ".config")?.join("settings"))
}

fn scores_by(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    Some(folder(variable, "LOCALAPPDATA", "XDG_DATA_HOME", ".local/share")?.join("solo"))
}

/// `volley` in the folder that the system names: by a variable of Windows or of freedesktop.org, or else the usual one.
fn folder(variable: impl Fn(&str) -> Option<PathBuf>, windows: &str, free: &str, usual: &str) -> Option<PathBuf> {
    // freedesktop.org: an empty or relative path is to be ignored.
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    let folder = if cfg!(windows) {
        absolute(windows)?
    } else if cfg!(target_os = "macos") {
        absolute("HOME")?.join("Library/Application Support")
    } else {
        absolute(free).or_else(|| Some(absolute("HOME")?.join(usual)))?
    };
    Some(folder.join("volley"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn folders_follow_the_rules_of_freedesktop() {
        let given = |free: Option<&'static str>, home: Option<&'static str>| {
            move |name: &str| if name == "HOME" { home } else { free }.map(PathBuf::from)
        };
        assert_eq!(settings_by(given(Some("/c"), Some("/h"))), Some("/c/volley/settings".into()));
        assert_eq!(settings_by(given(None, Some("/h"))), Some("/h/.config/volley/settings".into()));
        assert_eq!(settings_by(given(Some("relative"), Some("/h"))), Some("/h/.config/volley/settings".into()));
        assert_eq!(settings_by(given(None, None)), None);
        assert_eq!(scores_by(given(Some("/d"), Some("/h"))), Some("/d/volley/solo".into()));
        assert_eq!(scores_by(given(None, Some("/h"))), Some("/h/.local/share/volley/solo".into()));
    }
}
