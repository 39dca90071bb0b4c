//! A server of the test's own, which outlives the window.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use protocol::{Dialect, Scale, amplification::Budget};
use server::{
    core::Settings,
    serve::{Host, Options},
    sockets::Doors,
};
use toolkit::stages;

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A server that ends with the test.
pub struct Node {
    pub door: SocketAddr,
    pub http: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Node {
    /// One that speaks that dialect.
    pub fn start(dialect: &str) -> Node {
        let dialect = Dialect::from_name(dialect).expect("a dialect");
        let settings = Settings {
            stage: stages::find("endless").expect("a stage"),
            stages: stages::all(),
            rules: game::Rules::default(),
            lobbies_max: 4,
            lobby_ports: 43_800..=43_899,
            scale: Scale::default(),
            open_unproved: false,
            unproved_bytes_per_second: Budget::DEFAULT_BYTES_PER_SECOND,
            seed: 42,
        };
        let doors = Doors { bind: LOOPBACK, ports: BTreeMap::from([(dialect, 0)]) };
        let mut host = Host::open(Options { doors, http: Some(0), settings, shards: 1 }).expect("free ports");
        let found = host.found().clone();
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = thread::spawn(move || host.run(&told));
        let door = SocketAddr::new(LOOPBACK, found.doors[&dialect]);
        Node { door, http: found.http.expect("HTTP"), stop, thread: Some(thread) }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // A test that fails has told what it has to tell.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
