//! A server of one's own, inside this process and for this machine alone, for who plays without another.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    ops::RangeInclusive,
    path::{Path, PathBuf},
    thread::{self, JoinHandle},
};

use anyhow::Context;
use protocol::{Dialect, Scale, StreamUse, amplification::Budget};
use server::{
    core::Settings,
    data::{DataDir, new_token},
    edge::certificate::Source,
    serve::{Options, Server, any_secret},
    shutdown::Shutdown,
    sockets::Doors,
};
use toolkit::{stages, watch};

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// One game, and one more after it while the first is still being closed.
const LOBBIES_MAX: usize = 4;
/// Where lobbies of the dialect that gives each a port of its own are looked for.
const LOBBY_PORTS: RangeInclusive<u16> = 43_900..=43_999;

/// A server that ends when it is dropped.
pub struct Home {
    /// Where the dialect is spoken.
    pub door: SocketAddr,
    /// Where it answers HTTP.
    pub http: SocketAddr,
    shutdown: Shutdown,
    thread: Option<JoinHandle<anyhow::Result<()>>>,
}

impl Home {
    /// Opens one on free ports and serves. It keeps high scores in that folder, or forgets them.
    pub fn open(dialect: Dialect, stage: &str, scores: Option<PathBuf>) -> anyhow::Result<Home> {
        let shutdown = Shutdown::default();
        let options = options(dialect, stage, scores.filter(|folder| is_usable(folder)))?;
        let server = Server::open(options, shutdown.clone()).context("cannot open a server inside")?;
        let addresses = server.addresses().clone();
        let http = addresses.http.context("the server inside has no HTTP")?;
        let door = match dialect.entry().stream {
            StreamUse::Link(_) => http,
            _ => {
                let port = addresses.doors.get(&dialect).context("the server inside has no such door")?;
                SocketAddr::new(LOOPBACK, *port)
            }
        };
        let thread = thread::Builder::new().name("node".into()).spawn(move || server.run())?;
        Ok(Home { door, http, shutdown, thread: Some(thread) })
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        self.shutdown.stop();
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(Err(error))) => eprintln!("volley-desktop: the server inside: {error:#}"),
            Some(Err(_)) => eprintln!("volley-desktop: the server inside broke"),
            Some(Ok(Ok(()))) | None => {}
        }
    }
}

/// Whether high scores can be kept there. Who cannot keep them may play all the same.
fn is_usable(folder: &Path) -> bool {
    let opened = DataDir::open(folder).and_then(|folder| folder.reserve());
    if let Err(error) = &opened {
        eprintln!("volley-desktop: high scores are not kept: {error:#}");
    }
    opened.is_ok()
}

fn options(dialect: Dialect, stage: &str, data: Option<PathBuf>) -> anyhow::Result<Options> {
    let settings = Settings {
        stage: stages::find(stage)?,
        stages: stages::all(),
        rules: game::Rules::default(),
        lobbies_max: LOBBIES_MAX,
        lobby_ports: LOBBY_PORTS,
        scale: Scale::default(),
        open_unproved: false,
        limit_loopback: false,
        unproved_bytes_per_second: Budget::DEFAULT_BYTES_PER_SECOND,
        seed: watch::any_seed(),
        secret: any_secret()?,
    };
    // A dialect of links is spoken where HTTP is.
    let has_door = !matches!(dialect.entry().stream, StreamUse::Link(_));
    let ports: BTreeMap<Dialect, u16> = has_door.then_some((dialect, 0)).into_iter().collect();
    Ok(Options {
        doors: Doors { bind: LOOPBACK, ports },
        http: Some(0),
        data,
        // Nobody administers it: the token is not written down.
        admin_token: Some(new_token()?),
        certificate: Source::SelfSigned,
        settings,
        shards: 1,
    })
}
