//! The `aecs` dialect: the whole state over TCP, then each tick's changes over UDP until they are confirmed.
//!
//! `wire.rs` is its bytes, with the document's own names; `component.rs` the components that we give it (ruling A6).

pub mod component;
pub mod wire;
