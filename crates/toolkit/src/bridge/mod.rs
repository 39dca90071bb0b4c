//! `volley bridge`: a client of one dialect plays on a server of another.
//!
//! Players meet a whole node whose lobbies have no world (`server::remote`): doors, links, limits and proofs are those of
//! `volley serve`. The other server meets a client session for each player (`bridged_server.rs`). Between them are Inputs and Frames
//! (`translation.rs`), so that no line here is about a pair of dialects. `server_connection.rs` is what those send through,
//! `bridge_players.rs` what is shown meanwhile, `dump.rs` what goes into a bug report. Start reading at [`run`].

mod bridge_players;
mod bridged_server;
mod dump;
pub mod pairs;
mod scroll;
pub mod server_connection;
mod translation;

use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    ops::RangeInclusive,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::{Context, anyhow};
use game::Rules;
use protocol::{Dialect, Scale, StreamUse, amplification::Budget};
use server::{
    core::Settings,
    limits::Limits,
    own_networks::OwnNetworksRule,
    remote::SharedRemoteServer,
    serve::{self, Server, any_secret},
    shutdown::Shutdown,
    sockets::Doors,
    startup_error::{self, StartupError},
};

pub use self::{
    bridge_players::{Report, Totals},
    bridged_server::{BridgedServer, SharedBridgedServer},
    translation::Translation,
};
use self::{dump::Dump, server_connection::ServerConnector};
use crate::{UserError, assets, live_table::LiveTable, stages, transport::Transport, watch::any_seed};

/// How often it is looked whether the bridge is to end.
const CHECK_EVERY: Duration = Duration::from_millis(20);

/// Which clients, and to which server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address that all doors are bound to.
    pub bind: IpAddr,
    /// The doors for clients: what they speak, and at which port.
    pub doors: BTreeMap<Dialect, u16>,
    pub to: OtherServer,
    /// The lobby on the server, for players who ask for none.
    pub lobby: Option<String>,
    /// The name of players whose dialect has none.
    pub name: String,
    /// Players at once, at most.
    pub players_max: usize,
    /// The ports of lobbies, in the dialect that gives each its own.
    pub lobby_ports: RangeInclusive<u16>,
    /// Whether dialects that cannot prove an address serve public ones.
    pub open_unproved: bool,
    /// A file for everything that passed.
    pub dump: Option<PathBuf>,
}

/// The server that players are brought to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherServer {
    pub dialect: Dialect,
    /// A name or an address.
    pub host: String,
    pub port: u16,
    /// Where that is, once it was looked up.
    address: SocketAddr,
    /// Whether a dialect that comes over links comes over a WebSocket, rather than over WebTransport.
    pub over_websocket: bool,
}

impl OtherServer {
    /// Looks a server up.
    pub fn find(dialect: Dialect, host: &str, port: u16) -> Result<OtherServer, UserError> {
        // An address in brackets is how one with colons is written beside a port.
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let why = |reason: String| UserError(format!("cannot find the server {host:?}: {reason}"));
        let mut found = (bare, port).to_socket_addrs().map_err(|error| why(error.to_string()))?;
        let address = found.next().ok_or_else(|| why("it has no address".into()))?;
        Ok(OtherServer { dialect, host: bare.into(), port, address, over_websocket: false })
    }

    fn transport(&self) -> anyhow::Result<Transport> {
        let is_link = matches!(self.dialect.entry().stream, StreamUse::Link(_));
        if is_link && !self.over_websocket {
            return Transport::over_quic(&self.host, self.port);
        }
        Transport::open(self.dialect, self.address)
    }
}

/// A bridge whose doors are open.
pub struct Bridge {
    server: Server,
    remote: Arc<BridgedServer>,
    shutdown: Shutdown,
}

impl Bridge {
    /// Opens its doors. Nobody is brought to the server before the first client comes.
    pub fn open(options: &Options) -> anyhow::Result<Bridge> {
        let connector: Box<dyn ServerConnector> = Box::new(options.to.clone());
        let dump = options.dump.as_deref().map(Dump::create).transpose()?.map(Arc::new);
        let remote = BridgedServer { dump, ..BridgedServer::new(connector, options.lobby.clone(), &options.name) };
        let (remote, shutdown) = (Arc::new(remote), Shutdown::default());
        let server = Server::open(node_options(options, &remote)?, shutdown.clone()).map_err(user_error)?;
        Ok(Bridge { server, remote, shutdown })
    }

    /// Where clients find it: the port of each dialect.
    pub fn doors(&self) -> BTreeMap<Dialect, u16> {
        let addresses = self.server.addresses();
        let links = Dialect::ALL.into_iter().filter(|dialect| is_link(*dialect));
        let link = links.zip(addresses.http.map(|http| http.port()));
        addresses.doors.clone().into_iter().chain(link).collect()
    }

    /// Brings players over until `stop` is set. What happens meanwhile is shown on standard error.
    pub fn run(self, stop: &AtomicBool, live: &mut LiveTable) -> anyhow::Result<Report> {
        let Bridge { server, remote, shutdown } = self;
        let node = thread::Builder::new().name("bridge".into()).spawn(move || server.run())?;
        while !stop.load(Ordering::Relaxed) && !node.is_finished() {
            if live.is_due() {
                live.show(|| remote.players.table(), || remote.players.report().line());
            }
            thread::sleep(CHECK_EVERY);
        }
        live.end();
        shutdown.stop();
        node.join().map_err(|_| anyhow!("a thread of the bridge panicked"))??;
        let dump_error = remote.dump.as_ref().and_then(|dump| dump.finish());
        Ok(Report { dump_error, ..remote.players.report() })
    }
}

/// Brings players over until `stop` is set, and tells what became of them.
pub fn run(options: &Options, stop: &AtomicBool) -> anyhow::Result<Report> {
    let bridge = Bridge::open(options)?;
    for (dialect, port) in bridge.doors() {
        let to = &options.to;
        eprintln!("{} at {}:{port} to {} at {}:{}", dialect.name(), options.bind, to.dialect.name(), to.host, to.port);
    }
    bridge.run(stop, &mut LiveTable::start()).context("the bridge cannot go on")
}

/// The settings of the node of a bridge.
pub fn node_settings(options: &Options, remote: &Arc<BridgedServer>) -> anyhow::Result<Settings> {
    let all = stages::all();
    Ok(Settings {
        stage: stages::find("endless")?,
        stages: all,
        rules: Rules::default(),
        lobbies_max: options.players_max,
        lobby_ports: options.lobby_ports.clone(),
        scale: Scale::default(),
        open_unproved: options.open_unproved,
        limit_loopback: false,
        own_networks: OwnNetworksRule::default(),
        limits: Limits::default(),
        unproved_bytes_per_second: Budget::DEFAULT_BYTES_PER_SECOND,
        seed: any_seed(),
        secret: any_secret()?,
        remote: Some(SharedRemoteServer(Arc::new(SharedBridgedServer(Arc::clone(remote))))),
    })
}

fn node_options(options: &Options, remote: &Arc<BridgedServer>) -> anyhow::Result<serve::Options> {
    let mut ports = options.doors.clone();
    let link = ports.keys().copied().find(|dialect| is_link(*dialect));
    let http = link.and_then(|dialect| ports.remove(&dialect));
    Ok(serve::Options {
        doors: Doors { bind: options.bind, ports },
        http,
        assets: assets::all(),
        ..serve::Options::local(node_settings(options, remote)?)
    })
}

fn is_link(dialect: Dialect) -> bool {
    matches!(dialect.entry().stream, StreamUse::Link(_))
}

/// A port that is taken is the user's to choose.
fn user_error(error: anyhow::Error) -> anyhow::Error {
    if error.chain().filter_map(|cause| cause.downcast_ref()).any(startup_error::is_open_file_limit) {
        return UserError(StartupError::open_file_limit().why).into();
    }
    match error.downcast_ref::<StartupError>() {
        Some(_) => UserError(format!("{error:#}")).into(),
        None => error,
    }
}
