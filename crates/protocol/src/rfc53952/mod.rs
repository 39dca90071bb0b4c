//! The dialect of the draft of October 2024 that calls itself rfc-53952: ten UDP packets, each of which is validated.
//!
//! Start with `wire`, which is its packets; `description` is the meaning of the texts in two of them.

pub mod description;
pub mod wire;
