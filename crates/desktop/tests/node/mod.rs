//! A server of the test's own, which outlives the window.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    thread::{self, JoinHandle},
};

use protocol::{Dialect, StreamUse};
use server::{
    core::Settings,
    serve::{Options, Server},
    shutdown::Shutdown,
    sockets::Doors,
};
use test_ports::Ports;
use toolkit::stages;

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A server that ends with the test.
pub struct Node {
    pub door: SocketAddr,
    pub http: SocketAddr,
    shutdown: Shutdown,
    thread: Option<JoinHandle<anyhow::Result<()>>>,
    _lobby_ports: Ports,
}

impl Node {
    /// One that speaks that dialect.
    pub fn start(dialect: &str) -> Node {
        let dialect = Dialect::from_name(dialect).expect("a dialect");
        let lobby_ports = test_ports::reserve(10);
        let settings = Settings {
            lobbies_max: 4,
            lobby_ports: lobby_ports.range(),
            ..Settings::new(stages::all(), stages::find("endless").expect("a stage"), 42, [7; 32])
        };
        let is_link = matches!(dialect.entry().stream, StreamUse::Link(_));
        let ports: BTreeMap<Dialect, u16> = (!is_link).then_some((dialect, 0)).into_iter().collect();
        let options = Options { doors: Doors { bind: LOOPBACK, ports }, http: Some(0), ..Options::local(settings) };
        let shutdown = Shutdown::default();
        let server = Server::open(options, shutdown.clone()).expect("free ports");
        let addresses = server.addresses().clone();
        let http = addresses.http.expect("HTTP");
        let door = addresses.doors.get(&dialect).map_or(http, |port| SocketAddr::new(LOOPBACK, *port));
        Node { door, http, shutdown, thread: Some(thread::spawn(move || server.run())), _lobby_ports: lobby_ports }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.shutdown.stop();
        // A test that fails has told what it has to tell.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
