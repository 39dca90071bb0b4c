//! Tools for people who play, host or write an R-Type: bots that play here or over the network, and a way to
//! watch a game in a terminal.
//!
//! Each tool is a module; `volley` puts a command line over them. A user's mistake is a [`UserError`], anything else that
//! goes wrong is a fault of ours or of the machine.

pub mod beat;
pub mod bot;
pub mod bots;
pub mod capacity;
pub mod connection;
pub mod readiness;
pub mod stages;
pub mod transport;
mod user_error;
pub mod watch;

pub use user_error::UserError;
