//! The `snapshot` dialect (R-Type Network Protocol 2.0): the whole visible state, sixty times a second, over UDP.
//!
//! `wire.rs` is its bytes, with the document's own names.

pub mod wire;
