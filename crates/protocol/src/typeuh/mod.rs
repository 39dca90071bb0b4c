//! The `typeuh` dialect (R-Typeuh 0.0.1): an ECS kept in step by a stream of instructions, over UDP.
//!
//! `wire.rs` is its bytes, with the document's own names; `component.rs` the components that we give it (ruling T4).

pub mod component;
pub mod wire;
