//! What hides the network: prediction of the player's own ship, interpolation of other players, and a clock that keeps the
//! two in step. Start reading at `prediction.rs`; `docs/client.md` explains how they work together.

mod clock;
mod graph;
mod interpolation;
mod prediction;

pub use clock::Clock;
pub use graph::{Graph, Sample};
pub use interpolation::Interpolation;
pub use prediction::Prediction;
