//! A whole node as a host runs it: every door, HTTP and the archive, until it is told to end.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::Context;
use game::SEATS;
use protocol::{Dialect, StreamUse};

use crate::{
    archive::Archive,
    capacity::Capacity,
    core::{Bans, Order, Restored, Settings},
    data::{self, AdminToken, DataDir, TokenPlace},
    edge::{
        Admission, AllowedOrigins, Edge, LinkRules, MEMORY_DEFAULT_BYTES, Origin,
        certificate::{CertificateSource, CurrentCertificate},
    },
    file_lock::FileLock,
    http::{self, Admin, HttpState, assets::Assets},
    log_limit::LOG_LIMIT,
    order_sender::{OrderSender, ShardWaker},
    overview::SharedOverview,
    own_networks::{self, OwnNetworksRule},
    recordings::{RecordingOptions, Recordings},
    saves::Saves,
    shutdown::Shutdown,
    sockets::{Doors, Node},
    startup_error::{self, StartupError},
    web_address::WebAddresses,
};

/// How often the main thread checks whether the node is to end.
const CHECK_EVERY: Duration = Duration::from_millis(10);
/// How often the host's interfaces are looked at: they come and go.
const LOOK_AT_INTERFACES_EVERY: Duration = Duration::from_secs(10);
/// How often the log says how many lines were suppressed.
const REPORT_SUPPRESSED_EVERY: Duration = Duration::from_secs(10);
/// How long the last words to players over links may take to leave.
const LAST_WORDS_MAX: Duration = Duration::from_millis(500);
/// How long the archive may take to write what is left, at the end.
const LAST_WRITE_MAX: Duration = Duration::from_secs(10);

/// What a host chooses.
#[derive(Clone, Debug)]
pub struct Options {
    pub doors: Doors,
    /// The port of HTTP; none: no HTTP.
    pub http: Option<u16>,
    /// Where scores, bans and the token are saved; none: they are lost when the node ends.
    pub data: Option<PathBuf>,
    /// Whether games that are being played are saved there, and restored by the next process.
    pub keeps_games: bool,
    /// For how long the names of players are kept in the records; none: for ever.
    pub names_kept_for: Option<Duration>,
    /// How games are recorded; none: they are not.
    pub recording: Option<RecordingOptions>,
    /// The admin token that the host chose; none: the node makes one.
    pub admin_token: Option<String>,
    /// Where the certificate for WebTransport, and perhaps for the page, comes from.
    pub certificate: CertificateSource,
    /// The origins of pages that may connect, beside the node's own.
    pub allow_origins: Vec<Origin>,
    /// What all links together may keep in memory.
    pub link_memory_bytes: usize,
    /// What the node plays.
    pub settings: Settings,
    /// How many threads share the lobbies.
    pub shards: usize,
    /// Files for other people's clients, served over HTTP.
    pub assets: Assets,
}

impl Options {
    /// A node for this machine alone, with one shard, no doors yet, and nothing that outlasts it.
    pub fn local(settings: Settings) -> Options {
        Options {
            doors: Doors { bind: IpAddr::V4(Ipv4Addr::LOCALHOST), ports: BTreeMap::new() },
            http: None,
            data: None,
            keeps_games: false,
            names_kept_for: None,
            recording: None,
            admin_token: None,
            certificate: CertificateSource::SelfSigned,
            allow_origins: Vec::new(),
            link_memory_bytes: MEMORY_DEFAULT_BYTES,
            settings,
            shards: 1,
            assets: Assets::default(),
        }
    }
}

/// Where a node listens once all its doors are open.
#[derive(Clone, Debug)]
pub struct Addresses {
    /// The address that every socket is bound to.
    pub bind: IpAddr,
    /// The port of each dialect's door.
    pub doors: BTreeMap<Dialect, u16>,
    pub http: Option<SocketAddr>,
    /// What browsers open.
    pub web: Option<WebAddresses>,
    /// Where the host finds the admin token; none: there is no administration over HTTP.
    pub token: Option<TokenPlace>,
}

/// A node whose doors are open and that does not serve yet.
pub struct Server {
    node: Node,
    order_sender: OrderSender,
    overview: SharedOverview,
    archive: Archive,
    saves: Saves,
    recordings: Recordings,
    shutdown: Shutdown,
    addresses: Addresses,
    interfaces: InterfaceWatch,
    data_lock: Option<FileLock>,
    links: Option<Admission>,
}

impl Server {
    /// Opens every door. An error says what cannot be opened and what to do; if an option is at fault, it is a
    /// [`StartupError`].
    pub fn open(mut options: Options, shutdown: Shutdown) -> anyhow::Result<Server> {
        startup_error::check_ports(&options)?;
        let lobby_ports = options.settings.lobby_ports.len();
        let capacity = Capacity::of_process(options.shards, lobby_ports);
        options.settings.limit_lobby_ports(capacity.lobby_ports);
        let bind = options.doors.bind;
        let rules = link_rules(&options, capacity.links);
        let data = options.data.as_deref().map(DataDir::open).transpose().map_err(StartupError::wrap("data"))?;
        let data_lock = data.as_ref().map(DataDir::lock).transpose().map_err(StartupError::wrap("data"))?;
        let archive = open_archive(&options, data.as_ref())?;
        let (mut node, saves) = open_node(&options, data.as_ref().filter(|_| options.keeps_games))?;
        node.limit_streams(capacity.streams);
        let wakers = wakers(&node);
        let overview = SharedOverview::new(&wakers);
        let (order_sender, orders) = OrderSender::new(&wakers);
        node.keep_records(&archive);
        let recordings = record_games(&mut node, options.recording)?;
        node.take_orders(orders);
        let bans = data.as_ref().map_or(Ok(Vec::new()), DataDir::bans).map_err(StartupError::wrap("data"))?;
        order_sender.send(&Order::Ban(Arc::new(Bans::new(&bans))));
        let mut addresses = Addresses { bind, doors: node.ports().clone(), http: None, web: None, token: None };
        let mut links = None;
        if let Some(port) = options.http {
            let token = token(options.admin_token, data.as_ref())?;
            addresses.token = token.as_ref().map(|token| token.place.clone());
            let sockets = http::listen(SocketAddr::new(bind, port))?;
            addresses.http = Some(sockets.address);
            let (admission, arrivals) = Admission::new(link_dialect()?, rules, &wakers);
            admission.keep_heartbeats(node.pulse());
            node.take_links(arrivals);
            links = Some(admission.clone());
            let (certificate, address) = (CurrentCertificate::default(), sockets.address);
            let edge = Edge { admission, certificate: certificate.clone(), quic_port: Some(address.port()) };
            let state = HttpState::new(http::Parts {
                overview: overview.clone(),
                archive: archive.clone(),
                saves: saves.clone(),
                recordings: recordings.clone(),
                admin: Admin::new(token.map(|token| token.text), order_sender.clone(), bans, data),
                shutdown: shutdown.clone(),
                edge,
                stages: options.settings.stages,
                limit_loopback: options.settings.limit_loopback,
                connections_max: capacity.http,
                bytes_per_address: options.settings.limits.bytes_per_address,
                assets: options.assets,
            });
            http::serve(sockets, options.certificate, state, wakers.len())?;
            addresses.web = Some(WebAddresses::of(address, &certificate.page_scheme()));
        }
        capacity.log(options.settings.lobbies_max * SEATS, lobby_ports);
        let interfaces = InterfaceWatch::new(options.settings.own_networks, bind);
        Ok(Server {
            node,
            order_sender,
            overview,
            archive,
            saves,
            recordings,
            shutdown,
            addresses,
            interfaces,
            data_lock,
            links,
        })
    }

    /// Where it listens.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// Serves until it is told to end. An error: it could not go on.
    pub fn run(self) -> anyhow::Result<()> {
        let Server { mut node, order_sender, overview, archive, saves, recordings, shutdown, .. } = self;
        let (mut interfaces, _data_lock) = (self.interfaces, self.data_lock);
        let stop = AtomicBool::new(false);
        let was_told_to_end = thread::scope(|scope| {
            let (stop, overview) = (&stop, &overview);
            let node = scope.spawn(move || node.run(stop, |shard, core| overview.publish(shard, core)));
            let was_told_to_end = wait_for_end(&shutdown, &order_sender, overview, || {
                interfaces.look(&order_sender);
                !node.is_finished()
            });
            let goes_on = saves.are_kept() && !shutdown.is_for_good();
            order_sender.send(if goes_on { &Order::Suspend } else { &Order::CloseAll });
            stop.store(true, Ordering::Release);
            was_told_to_end
        });
        LOG_LIMIT.report_suppressed();
        if let Some(links) = &self.links {
            links.wait_until_closed(LAST_WORDS_MAX);
        }
        if !archive.flush(LAST_WRITE_MAX) {
            tracing::error!(target: "host", "cannot write the last results to the archive; they are lost");
        }
        if !saves.flush(LAST_WRITE_MAX) {
            tracing::error!(target: "host", "cannot save the lobbies; some games will not continue after a restart");
        }
        if !recordings.flush(LAST_WRITE_MAX) {
            tracing::error!(target: "host", "cannot write the last recordings in time");
        }
        anyhow::ensure!(was_told_to_end, "a shard has failed; the log says why");
        Ok(())
    }
}

fn link_rules(options: &Options, links_max: usize) -> LinkRules {
    LinkRules {
        origins: AllowedOrigins::new(options.allow_origins.clone()),
        links_max,
        memory_bytes: options.link_memory_bytes,
        messages_per_second: options.settings.limits.datagrams_per_player,
        sessions_per_second: options.settings.limits.sessions_per_address,
        limit_loopback: options.settings.limit_loopback,
    }
}

/// The records on disk, or in memory where the host keeps no data.
fn open_archive(options: &Options, data: Option<&DataDir>) -> anyhow::Result<Archive> {
    match data {
        Some(data) => Ok(Archive::in_directory(data.path(), options.names_kept_for)?),
        None => Ok(Archive::in_memory()?),
    }
}

/// What wakes each shard.
fn wakers(node: &Node) -> Vec<ShardWaker> {
    let handles = node.wake_handles().iter().cloned();
    handles.map(|handle| Arc::new(move || handle.wake()) as ShardWaker).collect()
}

/// Opens a node that goes on with the games that an earlier process saved in a directory, and saves its own there.
fn open_node(options: &Options, games: Option<&DataDir>) -> anyhow::Result<(Node, Saves)> {
    let Options { doors, settings, shards, .. } = options;
    let saves = Saves::default();
    let Some(games) = games else { return Ok((Node::open(doors, settings, *shards)?, saves)) };
    let left = Saves::read(games.path());
    let mut node = Node::open_after(doors, settings, *shards, left.saved.unwrap_or_default())?;
    take_up(&mut node, &saves, &left.lobbies);
    node.keep_saves(&saves);
    saves.keep_in(games.path()).context("cannot start the thread that saves lobbies")?;
    Ok((node, saves))
}

/// Records games from now on: all of them if the host wants that, else those that somebody plays alone.
fn record_games(node: &mut Node, options: Option<RecordingOptions>) -> anyhow::Result<Recordings> {
    let recordings = match options {
        Some(options) => Recordings::keep_in(options).map_err(StartupError::wrap("record"))?,
        None => Recordings::in_memory().context("cannot start the thread that records games")?,
    };
    node.keep_recordings(&recordings);
    Ok(recordings)
}

/// Restores the lobbies that an earlier process saved, and logs how that went.
fn take_up(node: &mut Node, saves: &Saves, lobbies: &[Vec<u8>]) {
    let results = node.restore(lobbies);
    let restored: Vec<Restored> = results.iter().filter_map(|result| result.ok()).collect();
    let mut refusals: BTreeMap<String, usize> = BTreeMap::new();
    results.iter().filter_map(|result| result.err()).for_each(|why| *refusals.entry(why.to_string()).or_default() += 1);
    saves.note_restored(restored.len(), results.len() - restored.len());
    for (why, lobbies) in refusals {
        tracing::warn!(target: "host", lobbies, why, "cannot restore saved lobbies");
    }
    if !restored.is_empty() {
        let players: usize = restored.iter().map(|restored| restored.players).sum();
        tracing::info!(target: "host", lobbies = restored.len(), players, "restored saved lobbies; they wait for their players");
    }
}

/// Tells the shards when the host's own networks have changed.
struct InterfaceWatch {
    rule: OwnNetworksRule,
    bind: IpAddr,
    known: own_networks::OwnNetworks,
    looked: Instant,
}

impl InterfaceWatch {
    fn new(rule: OwnNetworksRule, bind: IpAddr) -> InterfaceWatch {
        let known = own_networks::current(&rule, bind);
        tracing::info!(target: "host", networks = ?known.ranges(), "the host's own networks");
        if own_networks::are_hidden(&rule) {
            tracing::warn!(
                target: "host",
                "the system does not show this machine's interfaces, so only players on this machine count as neighbours; \
                 name your networks (--own-networks), or let the node look (RestrictAddressFamilies=AF_NETLINK)"
            );
        }
        InterfaceWatch { rule, bind, known, looked: Instant::now() }
    }

    fn look(&mut self, order_sender: &OrderSender) {
        if self.looked.elapsed() < LOOK_AT_INTERFACES_EVERY {
            return;
        }
        self.looked = Instant::now();
        let now = own_networks::current(&self.rule, self.bind);
        if now != self.known {
            tracing::info!(target: "host", networks = ?now.ranges(), "the host's own networks have changed");
            order_sender.send(&Order::OwnNetworks(Arc::new(now.clone())));
            self.known = now;
        }
    }
}

/// The dialect that comes over links.
fn link_dialect() -> anyhow::Result<Dialect> {
    let mut dialects = Dialect::ALL.into_iter();
    dialects.find(|dialect| matches!(dialect.entry().stream, StreamUse::Link(_))).context("no dialect uses links")
}

/// A secret that nobody can guess, from the system's random bytes.
pub fn any_secret() -> anyhow::Result<[u8; 32]> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(|error| anyhow::anyhow!("the system provides no random bytes: {error}"))?;
    Ok(secret)
}

/// Returns when the node is to end. False: it has ended by itself.
fn wait_for_end(
    shutdown: &Shutdown,
    order_sender: &OrderSender,
    overview: &SharedOverview,
    mut is_running: impl FnMut() -> bool,
) -> bool {
    let mut last_report = Instant::now();
    while !shutdown.is_due(overview.session_count()) {
        if !is_running() {
            return false;
        }
        if shutdown.has_begun() && !shutdown.is_announced() {
            order_sender.send(&Order::Drain);
            shutdown.mark_announced();
            let players = overview.session_count();
            tracing::info!(target: "host", players, "draining: no new lobbies; the node ends when it is empty");
        }
        if last_report.elapsed() >= REPORT_SUPPRESSED_EVERY {
            last_report = Instant::now();
            LOG_LIMIT.report_suppressed();
        }
        thread::sleep(CHECK_EVERY);
    }
    tracing::info!(target: "host", players = overview.session_count(), "the node ends");
    true
}

/// The admin token: the host's own, the saved one, or a new one. Without a place to save it there is none.
fn token(chosen: Option<String>, data: Option<&DataDir>) -> anyhow::Result<Option<AdminToken>> {
    match (chosen, data) {
        (Some(token), _) => {
            let text = data::check_token(&token).map_err(|why| StartupError::about("admin-token", why))?;
            Ok(Some(AdminToken { text, place: TokenPlace::Configuration }))
        }
        (None, Some(data)) => Ok(data.token().map_err(StartupError::wrap("data"))?),
        (None, None) => Ok(None),
    }
}
