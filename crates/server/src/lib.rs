//! A node: its lobbies, the sessions of every dialect, and the sockets that carry them.
//!
//! `core` is one shard of a node as a pure machine, made of a `router` and lobbies (`lobby`): datagrams, stream bytes and
//! time go in, what is to be done comes out, and the same seed gives the same run. Shards share the `directory`. `sockets`
//! connects a shard to the network, `edge` adds WebSocket and WebTransport, and `http` serves pages, the API and metrics.
//! Nothing here knows a rule of the game or a byte of a dialect.
//!
//! ```
//! use server::{
//!     serve::{Options, Server},
//!     shutdown::Shutdown,
//! };
//!
//! /// Serves until it is told to shut down.
//! fn host(options: Options, shutdown: Shutdown) -> anyhow::Result<()> {
//!     let server = Server::open(options, shutdown)?;
//!     println!("HTTP is at {:?}, the doors at {:?}", server.addresses().http, server.addresses().doors);
//!     server.run()
//! }
//! ```

mod address_group;
pub mod archive;
mod capacity;
pub mod core;
mod counters;
pub mod data;
mod directory;
pub mod edge;
mod file_lock;
mod free_port;
mod guess_limit;
mod heartbeats;
mod held_by_address;
pub mod http;
pub mod limits;
mod lobby;
pub mod log_limit;
pub mod mmsg;
mod order_sender;
mod outgoing;
mod overview;
pub mod own_networks;
mod peer;
pub mod recordings;
pub mod remote;
mod router;
pub mod saves;
pub mod serve;
mod session;
mod settings;
pub mod shutdown;
pub mod sockets;
pub mod startup_error;
mod unreachable;
pub mod web_address;
