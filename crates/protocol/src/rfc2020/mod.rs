//! The dialect of the lobby protocol of November 2020: TCP to ask for or create a lobby, then UDP to that lobby's port.
//!
//! Start with `wire`, which is its messages; `fields` are their parts, and `entity_json` the text in one of them.

pub mod entity_json;
mod fields;
pub mod wire;

pub use fields::LobbyId;
