//! Why a stage was refused, and where the loader is looking.

use std::fmt;

/// Longest piece of a file that a message repeats, in characters.
const QUOTE_MAX: usize = 40;
/// Longest message of a parser that is passed on, in characters.
const FOREIGN_MAX: usize = 200;

/// Why a stage was refused: where to look, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageError {
    /// The file as the user named it.
    pub file: String,
    /// The layer, if the mistake is in one.
    pub layer: Option<String>,
    /// The object, tile, property or line, if the mistake is in one: `object 12 "drone"`.
    pub object: Option<String>,
    /// What is wrong and what would be right.
    pub reason: String,
}

impl fmt::Display for StageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file)?;
        match (&self.layer, &self.object) {
            (Some(layer), Some(object)) => write!(f, "layer {}, {object}: ", quoted(layer))?,
            (Some(layer), None) => write!(f, "layer {}: ", quoted(layer))?,
            (None, Some(object)) => write!(f, "{object}: ")?,
            (None, None) => {}
        }
        f.write_str(&self.reason)
    }
}

impl std::error::Error for StageError {}

/// Where the loader is looking.
#[derive(Clone, Copy)]
pub(super) struct Location<'a> {
    pub file: &'a str,
    layer: Option<&'a str>,
    object: Option<&'a str>,
}

impl<'a> Location<'a> {
    pub fn file(file: &'a str) -> Location<'a> {
        Location { file, layer: None, object: None }
    }

    pub fn layer(self, layer: &'a str) -> Location<'a> {
        Location { layer: Some(layer), ..self }
    }

    pub fn object<'b>(self, object: &'b str) -> Location<'b>
    where
        'a: 'b,
    {
        Location { object: Some(object), ..self }
    }

    pub fn refuse(self, reason: impl Into<String>) -> StageError {
        StageError {
            file: self.file.to_owned(),
            layer: self.layer.map(str::to_owned),
            object: self.object.map(str::to_owned),
            reason: reason.into(),
        }
    }
}

/// A piece of the file as a message shows it: in quotes, harmless to a terminal, not endless.
pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", short(text))
}

/// The text, or its beginning if it is long. What is short already stays as it is.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(QUOTE_MAX) {
        Some((end, _)) if &text[end..] != "…" => format!("{}…", &text[..end]),
        _ => text.to_owned(),
    }
}

/// What a parser says of a file, without what the file could do to a terminal by way of it.
pub(super) fn foreign(error: &impl fmt::Display) -> String {
    error.to_string().chars().take(FOREIGN_MAX).map(|char| if char.is_control() { '?' } else { char }).collect()
}

/// `a, b, c`.
pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
