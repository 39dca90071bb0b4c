//! Reads a stage from a Tiled map.

use super::Stage;

/// Why a stage was refused: where to look, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageError {
    /// The file as the user named it.
    pub file: String,
    /// The layer, if the mistake is in one.
    pub layer: Option<String>,
    /// The object, tile or property, if the mistake is in one.
    pub object: Option<String>,
    /// What is wrong and what would be right.
    pub reason: String,
}

impl std::fmt::Display for StageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.file, self.reason)
    }
}

impl std::error::Error for StageError {}

impl Stage {
    /// Reads a stage from the bytes of a Tiled map (`.tmx`). `name` is the stage's name, and what errors call the file.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Stage, StageError> {
        let _ = bytes;
        Err(StageError { file: name.into(), layer: None, object: None, reason: "not implemented".into() })
    }
}
