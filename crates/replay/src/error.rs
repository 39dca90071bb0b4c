//! Why bytes are not a replay that can be played here. Every error is one line that says what to do.

use std::fmt;

use crate::clock;

/// Why a file cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// It does not begin as a replay does.
    NotAReplay,
    /// Its format is of another version.
    OtherFormat(u8),
    /// It was played by other rules, of that version.
    OtherRules(u16),
    /// It was played in a stage that is neither built in nor in the file.
    UnknownStage(String),
    /// The stage in the file cannot be played, for this reason.
    BadStage(String),
    /// It ends too early, within the part that would begin at this byte.
    CutShort { byte: usize },
    /// Bytes between these two are not those that were recorded. The game is whole up to that tick.
    Damaged { from: usize, to: usize, tick: u32 },
    /// What was recorded between these two ticks makes no sense, though nobody changed it since.
    Impossible { from_tick: u32, to_tick: u32 },
    /// The game that is simulated is not the one that was recorded. They are the same up to `same_until`.
    Differs { same_until: u32, by: u32 },
    /// It goes on behind its end.
    TrailingBytes { byte: usize },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::NotAReplay => f.write_str("this is not a replay of Volley"),
            ReplayError::OtherFormat(version) => {
                write!(
                    f,
                    "it is in format {version}, and this Volley reads format {}: use another version",
                    crate::header::FORMAT
                )
            }
            ReplayError::OtherRules(version) => {
                let ours = game::RULES_VERSION;
                write!(f, "it needs a Volley with rules version {version}, and this one has version {ours}")
            }
            ReplayError::UnknownStage(name) => {
                write!(f, "it was played in a stage {name:?} that is neither built in nor in the file")
            }
            ReplayError::BadStage(why) => write!(f, "the stage in it cannot be played: {why}"),
            ReplayError::CutShort { byte } => {
                write!(f, "it is cut short: what begins at byte {byte} is not all there; copy the file again")
            }
            ReplayError::Damaged { from, to, tick } => {
                write!(
                    f,
                    "it was changed or damaged between bytes {from} and {to}; the game is whole up to {}",
                    clock(*tick)
                )
            }
            ReplayError::Impossible { from_tick, to_tick } => {
                write!(f, "what it tells between {} and {} makes no sense", clock(*from_tick), clock(*to_tick))
            }
            ReplayError::Differs { same_until, by } => write!(
                f,
                "the game differs from the recorded one between {} (tick {same_until}) and {} (tick {by})",
                clock(*same_until),
                clock(*by)
            ),
            ReplayError::TrailingBytes { byte } => write!(f, "there are bytes behind its end, from byte {byte} on"),
        }
    }
}

impl std::error::Error for ReplayError {}
