//! A whole node as a host runs it: every door, HTTP, and an end when it is asked for.

use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
    sync::atomic::AtomicBool,
};

use protocol::Dialect;

use crate::{
    board::Board,
    core::Settings,
    http,
    sockets::{Doors, Node},
};

/// What a host chooses.
#[derive(Clone, Debug)]
pub struct Options {
    /// The doors.
    pub doors: Doors,
    /// The port of HTTP; none: no HTTP.
    pub http: Option<u16>,
    /// What the node plays.
    pub settings: Settings,
    /// Threads that share the work.
    pub shards: usize,
}

/// Where a node that has opened all its doors is found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The address that everything is bound to.
    pub bind: IpAddr,
    /// The port of each dialect's door.
    pub doors: BTreeMap<Dialect, u16>,
    /// Where HTTP is.
    pub http: Option<SocketAddr>,
}

/// A node with open doors that does not serve yet.
pub struct Host {
    node: Node,
    board: Board,
    found: Found,
}

impl Host {
    /// Opens every door. An error says which one cannot be opened and what to do.
    pub fn open(options: Options) -> anyhow::Result<Host> {
        let bind = options.doors.bind;
        let node = Node::open(&options.doors, &options.settings, options.shards)?;
        let board = Board::new(node.bells());
        let http = match options.http {
            Some(port) => Some(http::serve(SocketAddr::new(bind, port), board.clone())?),
            None => None,
        };
        let found = Found { bind, doors: node.ports().clone(), http };
        Ok(Host { node, board, found })
    }

    /// Where it is found.
    pub fn found(&self) -> &Found {
        &self.found
    }

    /// Serves until `stop` is set.
    pub fn run(&mut self, stop: &AtomicBool) {
        let board = self.board.clone();
        self.node.run(stop, |shard, core| board.post(shard, core));
    }
}
