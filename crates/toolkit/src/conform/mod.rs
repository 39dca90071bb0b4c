//! `volley conform`: whether a server or a client does what the document of its dialect and the rulings ask for.
//!
//! A *case* tries one thing (`case.rs`); a *suite* is all cases of a dialect against one side (`suite.rs`, a folder for
//! each dialect). A case runs as a *trial* (`trial.rs`) over a *trial network* (`trial_network.rs`): real sockets (`sockets.rs`), or
//! memory in tests. Cases never know which, and never read a clock. `runner.rs` runs them; `report.rs` is what they find.

mod aecs;
mod capture;
pub mod case;
mod exchange;
mod flight;
mod full_server;
mod pilot;
pub mod question;
mod repeat;
pub mod report;
mod rfc2020;
mod rfc53952;
mod rulings;
pub mod runner;
pub mod selection;
mod snapshot;
mod sockets;
pub mod suite;
pub mod trial;
pub mod trial_network;
mod typeuh;
