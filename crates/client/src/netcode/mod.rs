//! What hides the network: prediction of the own time, interpolation of other players, and the clock between the two
//! ends. Start reading at `prediction.rs`; how it plays together is in `docs/client.md`.

mod clock;
mod graph;
mod interpolation;
mod prediction;

pub use clock::Clock;
pub use graph::{Graph, Sample};
pub use interpolation::Interpolation;
pub use prediction::Prediction;
