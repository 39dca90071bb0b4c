//! A whole node as a host runs it: every door, HTTP, the archive, and an end when it is asked for.

use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::Context;
use protocol::{Dialect, StreamUse};

use crate::{
    archive::Archive,
    board::Board,
    core::{Bans, Order, Settings},
    data::{self, DataDir, Origin, Token},
    edge::{
        Edge, Gate,
        certificate::{Pin, Source},
    },
    ending::Ending,
    http::{self, Admin, Front},
    misfit::{self, Misfit},
    quiet::QUIET,
    reservation::Reservation,
    sockets::{Doors, Node},
    switchboard::{Switchboard, Waker},
};

/// How often it is looked whether the node is to end.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How often the log says what was left out of it.
const SUM_UP_EVERY: Duration = Duration::from_secs(10);
/// How long the archive may take to write what is left, at the end.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// What a host chooses.
#[derive(Clone, Debug)]
pub struct Options {
    /// The doors.
    pub doors: Doors,
    /// The port of HTTP; none: no HTTP.
    pub http: Option<u16>,
    /// Where scores, bans and the token are kept; none: in memory.
    pub data: Option<PathBuf>,
    /// The host's own token; none: one is made.
    pub admin_token: Option<String>,
    /// Where the certificate for WebTransport comes from.
    pub certificate: Source,
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
    /// A token that was made just now, to be told once.
    pub new_token: Option<Token>,
}

/// A node with open doors that does not serve yet.
pub struct Host {
    node: Node,
    switchboard: Switchboard,
    board: Board,
    archive: Archive,
    ending: Ending,
    found: Found,
    reservation: Option<Reservation>,
}

impl Host {
    /// Opens every door. An error says what cannot be opened and what to do; it is a [`Misfit`] where an option is at fault.
    pub fn open(options: Options, ending: Ending) -> anyhow::Result<Host> {
        misfit::collision(&options)?;
        let bind = options.doors.bind;
        let data = options.data.as_deref().map(DataDir::open).transpose().map_err(Misfit::from("data"))?;
        let reservation = data.as_ref().map(DataDir::reserve).transpose().map_err(Misfit::from("data"))?;
        let archive = match &data {
            Some(data) => Archive::in_directory(data.path())?,
            None => Archive::in_memory()?,
        };
        let mut node = Node::open(&options.doors, &options.settings, options.shards)?;
        let wakers: Vec<Waker> =
            node.bells().iter().cloned().map(|bell| Arc::new(move || bell.ring()) as Waker).collect();
        let board = Board::new(&wakers);
        let (switchboard, orders) = Switchboard::new(&wakers);
        node.keep_records(&archive);
        node.take_orders(orders);
        let ranges = data.as_ref().map_or(Ok(Vec::new()), DataDir::bans).map_err(Misfit::from("data"))?;
        switchboard.tell(&Order::Ban(Arc::new(Bans::new(&ranges))));
        let mut found = Found { bind, doors: node.ports().clone(), http: None, new_token: None };
        if let Some(port) = options.http {
            let token = token(options.admin_token, data.as_ref())?;
            found.new_token = (token.origin != Origin::Kept).then(|| token.clone());
            let admin = Admin::new(token.text, switchboard.clone(), ending.clone(), ranges, data);
            let sockets = http::listen(SocketAddr::new(bind, port))?;
            found.http = Some(sockets.address);
            let edge = open_edge(&mut node, &wakers, sockets.address.port())?;
            let front = Front::new(board.clone(), archive.clone(), admin, ending.clone(), edge);
            http::serve(sockets, options.certificate, front, wakers.len())?;
        }
        Ok(Host { node, switchboard, board, archive, ending, found, reservation })
    }

    /// Where it is found.
    pub fn found(&self) -> &Found {
        &self.found
    }

    /// Serves until the end. An error: it ended by itself.
    pub fn run(self) -> anyhow::Result<()> {
        let Host { mut node, switchboard, board, archive, ending, found: _, reservation: _reservation } = self;
        let stop = AtomicBool::new(false);
        let was_asked = thread::scope(|scope| {
            let (stop, board) = (&stop, &board);
            let node = scope.spawn(move || node.run(stop, |shard, core| board.post(shard, core)));
            let was_asked = watch_over(&ending, &switchboard, board, || !node.is_finished());
            switchboard.tell(&Order::CloseAll);
            stop.store(true, Ordering::Release);
            was_asked
        });
        QUIET.sum_up();
        if !archive.flush(LAST_WORDS) {
            tracing::error!(target: "host", "the last results could not be written and are lost");
        }
        anyhow::ensure!(was_asked, "a shard could not go on");
        Ok(())
    }
}

/// Opens the way in for players of the dialect that comes over links.
fn open_edge(node: &mut Node, wakers: &[Waker], quic_port: u16) -> anyhow::Result<Edge> {
    let mut dialects = Dialect::ALL.into_iter();
    let dialect = dialects.find(|dialect| matches!(dialect.entry().stream, StreamUse::Link(_)));
    let (gate, arrivals) = Gate::new(dialect.context("a dialect has links")?, wakers);
    node.take_links(arrivals);
    Ok(Edge { gate, pin: Pin::default(), quic_port: Some(quic_port) })
}

/// What nobody can guess, from the system's randomness.
pub fn any_secret() -> anyhow::Result<[u8; 32]> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(|error| anyhow::anyhow!("the system has no randomness: {error}"))?;
    Ok(secret)
}

/// Returns when the node is to end; false if it has ended by itself.
fn watch_over(ending: &Ending, switchboard: &Switchboard, board: &Board, is_running: impl Fn() -> bool) -> bool {
    let mut is_told = false;
    let mut summed_up = Instant::now();
    while !ending.is_due(board.sessions()) {
        if !is_running() {
            return false;
        }
        if ending.has_begun() && !is_told {
            is_told = true;
            switchboard.tell(&Order::Drain);
            ending.note_known();
            tracing::info!(target: "host", players = board.sessions(), "no new lobbies: the node ends when it is empty");
        }
        if summed_up.elapsed() >= SUM_UP_EVERY {
            summed_up = Instant::now();
            QUIET.sum_up();
        }
        thread::sleep(LOOK_EVERY);
    }
    tracing::info!(target: "host", players = board.sessions(), "the node ends");
    true
}

/// The host's token: the one that was chosen, the one that is kept, or a new one.
fn token(chosen: Option<String>, data: Option<&DataDir>) -> anyhow::Result<Token> {
    match (chosen, data) {
        (Some(token), _) => {
            let text = data::sound_token(&token).map_err(|why| Misfit::of("admin-token", why))?;
            Ok(Token { text, origin: Origin::Kept })
        }
        (None, Some(data)) => Ok(data.token().map_err(Misfit::from("data"))?),
        (None, None) => {
            let text = data::new_token().context("cannot make a token")?;
            Ok(Token { text, origin: Origin::ForThisRun })
        }
    }
}
