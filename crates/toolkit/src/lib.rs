//! Tools for people who play, host or write an R-Type: bots that play here or over the network, and a way to
//! watch a game in a terminal.
//!
//! Each tool is a module; `volley` puts a command line over them. What the user can mend is a [`UserError`], anything else
//! that goes wrong is a fault of ours or of the machine.

pub mod bot;
pub mod bots;
pub mod capacity;
pub mod connection;
pub mod readiness;
pub mod slot_clock;
pub mod stages;
pub mod transport;
mod user_error;
pub mod watch;

pub use user_error::UserError;
