//! A node: its lobbies, the sessions of every dialect, and the sockets that carry them.
//!
//! `core` is the node as a pure machine: datagrams, stream bytes and time go in, datagrams and stream bytes come out, and
//! the same seed gives the same run. `sockets` connects it to the network, `edge` adds WebSocket and WebTransport, and
//! `http` serves pages, the API and metrics. Nothing here knows a rule of the game or a byte of a dialect.

mod address_group;
pub mod archive;
pub mod core;
pub mod data;
pub mod edge;
mod eviction;
pub mod file_lock;
mod free_port;
pub mod http;
pub mod log_limit;
pub mod mmsg;
pub mod order_sender;
pub mod overview;
pub mod serve;
pub mod shutdown;
pub mod sockets;
pub mod startup_error;
mod unreachable;
