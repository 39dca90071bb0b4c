//! The dialects: how the bytes of five published R-Type protocols become Inputs and are made from Frames.
//!
//! Each dialect is one folder: `wire.rs` is its bytes, named as its document names them. Nothing here reaches a socket,
//! a thread or a clock. Bytes from outside never panic, never allocate by a number that they contain, and never cost
//! more than their length.

pub mod aecs;
mod bytes;
pub mod snapshot;
pub mod typeuh;

pub use bytes::{Malformed, Reader};
