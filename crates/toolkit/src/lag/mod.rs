//! `volley lag`: a bad network between any two programs, over UDP and TCP.
//!
//! What happens to each message is decided by the `network` crate, which knows no sockets; this module carries the bytes.
//! `relay.rs` is the loop, `datagrams.rs` and `streams.rs` are its two halves, `relay_network.rs` is the network with what was counted
//! and recorded. `units.rs` reads `80ms` and `5%`; `presets.rs` are networks that people know. Start reading at [`run`].

pub mod bench;
mod datagrams;
pub mod presets;
mod recording;
mod relay;
mod relay_network;
mod report;
mod sources;
mod streams;
pub mod units;

use std::{
    net::{SocketAddr, ToSocketAddrs},
    path::PathBuf,
    sync::atomic::AtomicBool,
};

use anyhow::Context;
use network::Conditions;

pub use self::{relay::Relay, report::Report};
use crate::{UserError, live_table::LiveTable};

/// Which network, and between whom.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where clients connect, over UDP and TCP. Port 0 is any free one.
    pub listen: SocketAddr,
    /// The server: a host and a port.
    pub to: String,
    pub conditions: Conditions,
    /// Where all chance comes from.
    pub seed: u64,
    /// A file for what became of each message.
    pub record: Option<PathBuf>,
}

/// Carries messages until `stop` is set, and tells what became of them. Shows figures on standard error meanwhile.
pub fn run(options: &Options, stop: &AtomicBool) -> anyhow::Result<Report> {
    let mut relay = Relay::open(options)?;
    eprintln!("listening at {}, to {}; seed {}", relay.address(), options.to, options.seed);
    relay.run(stop, &mut LiveTable::start()).context("cannot wait for sockets")
}

fn resolve(host_and_port: &str) -> Result<SocketAddr, UserError> {
    let why = |reason: String| UserError(format!("cannot find the server {host_and_port:?}: {reason}"));
    let found = host_and_port.to_socket_addrs().map_err(|error| why(format!("{error}; give HOST:PORT")))?;
    found.into_iter().next().ok_or_else(|| why("it has no address".into()))
}
