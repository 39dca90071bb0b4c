//! The game client as a pure machine: keys and datagrams in; picture, sound cues and datagrams out.
//!
//! It opens no window and no socket and reads no clock: a browser tab, a desktop window, a terminal or a test does, and
//! passes in what happened and when. Start reading at `client.rs`: [`Client`] is all that a shell sees; what is seen is in
//! [`draw`].

mod client;
mod cues;
pub mod draw;
pub mod input;
pub mod language;
mod link;
pub mod netcode;
mod options;
mod play;
mod screens;
pub mod settings;
pub mod sound;
mod told;

pub use client::{Action, Client};
pub use input::{Key, Pad, Phase, Touch};
pub use options::{Options, Score};
