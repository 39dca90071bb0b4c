//! The game client as a pure machine: keys and datagrams in; picture, sound cues and datagrams out.
//!
//! It opens no window and no socket and reads no clock: a browser tab, a desktop window, a terminal or a test does, and
//! passes in what happened and when. Start reading at `client/mod.rs`: [`Client`] is all that a shell sees; drawing is in
//! [`draw`].
//!
//! ```
//! use client::{Client, Key, Options, draw::Picture};
//! use protocol::{Dialect, Time};
//!
//! let now = Time::from_micros(1_700_000_000_000_000);
//! let mut client = Client::new(now, Options::new(Dialect::Volley));
//! client.key(now, Key::ENTER, true);
//! client.advance(now);
//! let mut buffer = Vec::new();
//! while let Some(action) = client.poll(now, &mut buffer) {
//!     // Here a shell connects, or sends the buffer.
//!     println!("{action:?}");
//! }
//! let mut picture = Picture::new();
//! client.draw(now, &mut picture);
//! ```

mod campaign;
mod client;
mod connection;
mod cues;
mod demo;
pub mod draw;
mod game_view;
pub mod input;
mod invitation;
pub mod language;
pub mod lessons;
pub mod netcode;
mod options;
pub mod reached;
mod replay_view;
mod screens;
pub mod settings;
mod shown_events;
pub mod sound;
mod tables;

pub use client::{Client, Task};
pub use input::{Key, Pad, Phase, Touch};
pub use options::Options;
pub use replay_view::{ReplayKey, ReplayView};
pub use tables::{Score, Table};
