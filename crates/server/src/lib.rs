//! A node: its lobbies, the sessions of every dialect, and the sockets that carry them.
//!
//! `core` is one shard of a node as a pure machine, made of a `router` and of lobbies (`lobby`): datagrams, stream bytes and
//! time go in, what is to be done comes out, and the same seed gives the same run. `directory` is what shards share. `sockets` connects it to the network, `edge` adds WebSocket and WebTransport, and
//! `http` serves pages, the API and metrics. Nothing here knows a rule of the game or a byte of a dialect.

mod address_group;
pub mod archive;
pub mod core;
mod counters;
pub mod data;
mod directory;
pub mod edge;
mod eviction;
pub mod file_lock;
mod free_port;
pub mod http;
mod lobby;
pub mod log_limit;
pub mod mmsg;
pub mod order_sender;
mod outgoing;
pub mod overview;
mod peer;
mod router;
pub mod serve;
mod session;
mod settings;
pub mod shutdown;
pub mod sockets;
pub mod startup_error;
mod unreachable;
