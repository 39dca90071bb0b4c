//! Where the system wants things of this player kept: settings, and what is worth keeping of games.

use std::{env, path::PathBuf};

/// The file of settings, if there is a place for it.
pub fn settings() -> Option<PathBuf> {
    settings_by(variable)
}

/// The folder of high scores, if there is a place for it. A server of this user's has its own, elsewhere.
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

/// `volley` in the folder that a variable names: that of Windows, that of freedesktop.org, or a usual one.
fn folder(variable: impl Fn(&str) -> Option<PathBuf>, windows: &str, free: &str, usual: &str) -> Option<PathBuf> {
    // An empty or relative one does not count, as freedesktop.org's rules want.
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
    fn the_usual_places_are_those_of_freedesktop() {
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
