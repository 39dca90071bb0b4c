//! A node: lobbies, the sessions of every dialect, and the sockets that carry them.
//!
//! `core` is the node as a pure machine: datagrams, stream bytes and time in, datagrams and stream bytes out, the same
//! under a seed on every run. `sockets` is the thin shell that connects it to the network, `http` what it tells about
//! itself. None of them knows a rule of the game or a byte of a dialect.

pub mod archive;
pub mod board;
pub mod core;
pub mod data;
pub mod edge;
pub mod ending;
mod free_port;
mod household;
pub mod http;
pub mod misfit;
pub mod mmsg;
pub mod quiet;
pub mod reservation;
pub mod serve;
pub mod sockets;
pub mod switchboard;
mod unreachable;
