//! A server inside this process, for this machine only: players who name no server play on it.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    ops::RangeInclusive,
    path::{Path, PathBuf},
    thread::{self, JoinHandle},
};

use anyhow::Context;
use protocol::{Dialect, StreamUse};
use server::{
    core::Settings,
    data::{DataDir, new_token},
    recordings::RecordingOptions,
    serve::{Options, Server, any_secret},
    shutdown::Shutdown,
    sockets::Doors,
};
use toolkit::{stages, watch};

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// One game, and some more while earlier ones are still being closed.
const LOBBIES_MAX: usize = 4;
/// Ports for the lobbies of the dialect that gives each of them its own.
const LOBBY_PORTS: RangeInclusive<u16> = 25_000..=25_099;

/// What is played, and what is kept of it.
pub struct GameChoice<'a> {
    pub stage: &'a str,
    /// Where high scores are stored; if nowhere, they are lost when the server stops.
    pub scores: Option<PathBuf>,
    /// A random seed if there is none.
    pub seed: Option<u64>,
    /// How games are recorded; none: they are not.
    pub recording: Option<RecordingOptions>,
}

/// A server that stops when it is dropped.
pub struct LocalServer {
    /// The address of the dialect's door.
    pub door: SocketAddr,
    pub http: SocketAddr,
    shutdown: Shutdown,
    thread: Option<JoinHandle<anyhow::Result<()>>>,
}

impl LocalServer {
    /// Starts a server on free ports.
    pub fn open(dialect: Dialect, game: GameChoice) -> anyhow::Result<LocalServer> {
        let shutdown = Shutdown::default();
        let options = options(dialect, game)?;
        let server = Server::open(options, shutdown.clone()).context("cannot start the server for playing alone")?;
        let addresses = server.addresses().clone();
        let http = addresses.http.context("the server for playing alone has no HTTP port")?;
        let door = match dialect.entry().stream {
            StreamUse::Link(_) => http,
            _ => {
                let port = addresses
                    .doors
                    .get(&dialect)
                    .context("the server for playing alone does not speak this dialect")?;
                SocketAddr::new(LOOPBACK, *port)
            }
        };
        let thread = thread::Builder::new().name("node".into()).spawn(move || server.run())?;
        Ok(LocalServer { door, http, shutdown, thread: Some(thread) })
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        self.shutdown.stop();
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(Err(error))) => eprintln!("volley-desktop: the server stopped with an error: {error:#}"),
            Some(Err(_)) => eprintln!("volley-desktop: the server crashed"),
            Some(Ok(Ok(()))) | None => {}
        }
    }
}

/// Whether high scores can be stored there. If not, the player is told, and plays all the same.
fn is_usable(folder: &Path) -> bool {
    let opened = DataDir::open(folder).and_then(|folder| folder.lock());
    if let Err(error) = &opened {
        eprintln!("volley-desktop: high scores will not be saved: {error:#}");
    }
    opened.is_ok()
}

fn options(dialect: Dialect, game: GameChoice) -> anyhow::Result<Options> {
    let settings = Settings {
        lobbies_max: LOBBIES_MAX,
        lobby_ports: LOBBY_PORTS,
        ..Settings::new(
            stages::all(),
            stages::find(game.stage)?,
            game.seed.unwrap_or_else(watch::any_seed),
            any_secret()?,
        )
    };
    // A dialect that uses links shares the HTTP port.
    let has_door = !matches!(dialect.entry().stream, StreamUse::Link(_));
    let ports: BTreeMap<Dialect, u16> = has_door.then_some((dialect, 0)).into_iter().collect();
    Ok(Options {
        doors: Doors { bind: LOOPBACK, ports },
        http: Some(0),
        data: game.scores.filter(|folder| is_usable(folder)),
        recording: game.recording,
        // Nobody administers it, so the token is not stored.
        admin_token: Some(new_token()?),
        // It ends with the window, and so does the game; its only client has all assets inside.
        ..Options::local(settings)
    })
}
