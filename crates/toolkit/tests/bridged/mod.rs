//! A node, bridges to it, and players on bridges, over real sockets in one process.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use game::{Buttons, Input};
use protocol::{Dialect, Status, StreamUse};
use server::{
    core::Settings,
    serve::{Options, Server},
    shutdown::Shutdown,
    sockets::Doors,
};
use test_ports::Ports;
use toolkit::{
    bridge::{self, Bridge, OtherServer, Report},
    connection::Connection,
    live_table::LiveTable,
    stages,
};

pub const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Whatever a busy machine does, it takes no longer.
pub const PATIENCE: Duration = Duration::from_secs(120);
const TURN: Duration = Duration::from_millis(16);

/// A server that ends with the test.
pub struct Node {
    pub doors: BTreeMap<Dialect, u16>,
    shutdown: Shutdown,
    thread: Option<JoinHandle<anyhow::Result<()>>>,
    _lobby_ports: Ports,
}

impl Node {
    /// One that speaks every dialect; these ports, or any.
    pub fn start(ports: &BTreeMap<Dialect, u16>) -> Node {
        let lobby_ports = test_ports::reserve(60);
        let settings = Settings {
            lobbies_max: 60,
            lobby_ports: lobby_ports.range(),
            ..Settings::new(stages::all(), stages::find("endless").expect("a stage"), 42, [7; 32])
        };
        let port = |dialect: Dialect| ports.get(&dialect).copied().unwrap_or(0);
        let options = Options {
            doors: Doors {
                bind: LOOPBACK,
                ports: Dialect::with_ports().map(|dialect| (dialect, port(dialect))).collect(),
            },
            http: Some(port(link())),
            ..Options::local(settings)
        };
        let shutdown = Shutdown::default();
        let server = Server::open(options, shutdown.clone()).expect("free ports");
        let mut doors = server.addresses().doors.clone();
        doors.insert(link(), server.addresses().http.expect("HTTP").port());
        Node { doors, shutdown, thread: Some(thread::spawn(move || server.run())), _lobby_ports: lobby_ports }
    }

    /// How many play, by its metrics.
    pub fn players(&self) -> usize {
        let url = format!("http://localhost:{}/metrics", self.doors[&link()]);
        let request = ureq::get(&url).config().proxy(None).build();
        let answer = request.call().expect("an answer").body_mut().read_to_string().expect("text");
        let counts = answer.lines().filter(|line| line.starts_with("volley_players{"));
        counts.filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok()).sum()
    }

    pub fn target(&self, dialect: Dialect) -> OtherServer {
        OtherServer::find(dialect, "127.0.0.1", self.doors[&dialect]).expect("this machine")
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.shutdown.stop();
        // A test that fails has told what it has to tell.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn link() -> Dialect {
    let mut dialects = Dialect::ALL.into_iter();
    dialects.find(|dialect| matches!(dialect.entry().stream, StreamUse::Link(_))).expect("one comes over links")
}

/// A bridge that ends with the test.
pub struct RunningBridge {
    pub doors: BTreeMap<Dialect, u16>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<anyhow::Result<Report>>>,
    _lobby_ports: Ports,
}

impl RunningBridge {
    /// One for clients of every dialect.
    pub fn start(to: OtherServer, change: impl FnOnce(&mut bridge::Options)) -> RunningBridge {
        let lobby_ports = test_ports::reserve(10);
        let mut options = bridge::Options {
            bind: LOOPBACK,
            doors: Dialect::ALL.map(|dialect| (dialect, 0)).into(),
            to,
            lobby: None,
            name: "Nobody".into(),
            players_max: 16,
            lobby_ports: lobby_ports.range(),
            open_unproved: false,
            dump: None,
        };
        change(&mut options);
        let bridge = Bridge::open(&options).expect("free ports");
        let (doors, stop) = (bridge.doors(), Arc::new(AtomicBool::new(false)));
        let is_over = Arc::clone(&stop);
        let thread = thread::spawn(move || bridge.run(&is_over, &mut LiveTable::start()));
        RunningBridge { doors, stop, thread: Some(thread), _lobby_ports: lobby_ports }
    }

    pub fn door(&self, dialect: Dialect) -> SocketAddr {
        SocketAddr::new(LOOPBACK, self.doors[&dialect])
    }

    pub fn end(mut self) -> Report {
        self.stop.store(true, Ordering::Relaxed);
        let thread = self.thread.take().expect("it ends once");
        thread.join().expect("no panic").expect("no error")
    }
}

impl Drop for RunningBridge {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// A player who flies up and down.
pub struct Player {
    pub what: String,
    pub connection: Connection,
    turns: usize,
    /// How far up and down the player's ship was seen.
    range: Option<(i32, i32)>,
}

impl Player {
    pub fn join(dialect: Dialect, door: SocketAddr, name: &str, lobby: Option<String>) -> Player {
        let connection = Connection::open(dialect, door, name, lobby).expect("a connection");
        Player { what: dialect.name().into(), connection, turns: 0, range: None }
    }

    /// Flies on. An error is told by the status soon.
    pub fn turn(&mut self) {
        self.turns += 1;
        let way = if (self.turns / 60).is_multiple_of(2) { Buttons::UP } else { Buttons::DOWN };
        let _ = self.connection.turn(Input::holding(way));
        let ship = self.connection.seat().and_then(|seat| self.connection.frame().ship(seat));
        if let Some(y) = ship.map(|ship| ship.position.y) {
            let (top, bottom) = self.range.unwrap_or((y, y));
            self.range = Some((top.min(y), bottom.max(y)));
        }
    }

    /// Whether the player's ship was seen to do what the player did.
    pub fn has_flown(&self) -> bool {
        self.range.is_some_and(|(top, bottom)| bottom - top > game::px(24))
    }

    /// What was seen so far does not count.
    pub fn forget(&mut self) {
        self.range = None;
    }

    pub fn status(&self) -> Status {
        self.connection.status()
    }
}

/// Lets everybody fly until it is so.
pub fn fly_until(players: &mut [Player], what: &str, mut is_so: impl FnMut(&mut [Player]) -> bool) {
    let began = Instant::now();
    while !is_so(players) {
        if began.elapsed() > PATIENCE {
            let states: Vec<String> = players
                .iter()
                .filter(|player| !player.has_flown())
                .map(|player| format!("{} {:?} seat {:?}", player.what, player.status(), player.connection.seat()))
                .collect();
            panic!("{what} in {PATIENCE:?}; those who do not fly: {states:#?}");
        }
        players.iter_mut().for_each(Player::turn);
        thread::sleep(TURN);
    }
}
