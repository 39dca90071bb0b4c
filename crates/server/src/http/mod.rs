//! What a node shows over HTTP, and what a host may order over it. One file a topic; `table` lists every route.
//!
//! It reads the overview and the archive, and sends orders: it never touches a shard. It has threads of its own, and the
//! number, size and duration of connections are limited, so no HTTP client can harm the game.

mod admin;
pub mod assets;
mod connections;
mod exposition;
mod games;
mod guesses;
mod listener;
mod lobbies;
mod metrics;
pub mod pages;
mod problem;
mod read_limit;
mod replays;
mod scores;
mod status;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use self::tests::core as core_for_tests;
mod tls;
mod uniform_errors;

use std::{io, net::TcpListener, sync::Arc, time::Instant};

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, FromRef, State},
    http::{HeaderValue, StatusCode, header},
    middleware,
    response::{IntoResponse, Response},
    routing::{MethodRouter, any, delete, get, post},
};
use game::Stage;
use serde::Serialize;
use tokio::sync::mpsc;

pub use self::{
    admin::Admin,
    connections::CONNECTIONS_MAX,
    listener::{Sockets, listen},
};
use self::{
    assets::Assets,
    connections::Connections,
    guesses::Guesses,
    listener::{HttpConnection, Site, Worker},
    problem::Problem,
    tls::Tls,
};
use crate::{
    archive::Archive,
    edge::{Admission, Edge, certificate::CertificateSource, websocket, webtransport},
    guess_limit::GuessLimit,
    overview::SharedOverview,
    recordings::Recordings,
    saves::Saves,
    shutdown::Shutdown,
};

/// The longest body that is read.
const BODY_MAX_BYTES: usize = 4096;
/// Threads that make files for `/assets/`, for each that serves HTTP.
const MAKING_THREADS_MAX: usize = 2;

/// Describes every route.
const OPENAPI: &str = include_str!("openapi.json");

/// The parts of the node that HTTP reads and gives orders to.
pub struct Parts {
    /// Lobbies, sessions and counters.
    pub overview: SharedOverview,
    /// High scores and matches.
    pub archive: Archive,
    /// The saved lobbies.
    pub saves: Saves,
    /// The recorded games, if games are recorded.
    pub recordings: Recordings,
    /// The token, the bans and the way to give orders.
    pub admin: Admin,
    /// Ends the node.
    pub shutdown: Shutdown,
    /// WebSocket and WebTransport.
    pub edge: Edge,
    /// Every stage that a lobby may be created with.
    pub stages: Vec<Arc<Stage>>,
    /// Whether loopback is subject to the limits of one address.
    pub limit_loopback: bool,
    /// How many connections there may be at once.
    pub connections_max: usize,
    /// How many bytes may come from one address in a second.
    pub bytes_per_address: u32,
    /// Files for other people's clients.
    pub assets: Assets,
}

/// What every route can reach. Clones share it.
#[derive(Clone)]
pub struct HttpState {
    parts: Arc<Parts>,
    connections: Connections,
    started: Instant,
    /// Codes of lobbies.
    lobby_guesses: Guesses,
    /// The admin token.
    token_guesses: Guesses,
    /// Of the thread that this clone is for.
    admission: Admission,
}

impl HttpState {
    /// The state of a node that starts now.
    pub fn new(parts: Parts) -> HttpState {
        let admission = parts.edge.admission.clone();
        let connections = Connections::with_room(parts.connections_max, parts.bytes_per_address);
        let lobby_guesses = Guesses::new(GuessLimit::of_codes(parts.limit_loopback));
        HttpState {
            parts: Arc::new(parts),
            connections,
            started: Instant::now(),
            lobby_guesses,
            token_guesses: Guesses::new(GuessLimit::of_tokens()),
            admission,
        }
    }

    fn for_another_thread(&self) -> HttpState {
        HttpState { admission: self.admission.for_another_thread(), ..self.clone() }
    }
}

impl FromRef<HttpState> for Admission {
    fn from_ref(state: &HttpState) -> Admission {
        state.admission.clone()
    }
}

/// Serves HTTP, WebSocket and WebTransport on this many threads for as long as the process lives. The first thread accepts
/// every connection, and serves QUIC.
pub fn serve(sockets: Sockets, source: CertificateSource, state: HttpState, threads: usize) -> anyhow::Result<()> {
    let first = runtime()?;
    let (edge, open) = (state.parts.edge.clone(), state.connections.clone());
    first.block_on(webtransport::serve(sockets.quic, source, edge.admission, edge.certificate.clone()))?;
    let tls = edge.certificate.page_tls()?.map(Tls::new);
    let mut workers = Vec::new();
    for number in 1..threads {
        let state = state.for_another_thread();
        let (worker, connections) = worker(&state);
        workers.push(worker);
        start(number, runtime()?, listener::serve_connections(connections, Site::new(routes(state), tls.clone())))?;
    }
    let (worker, connections) = worker(&state);
    workers.insert(0, worker);
    start(0, first, async move {
        let accepting = accept(sockets.http, open, workers.into());
        tokio::join!(accepting, listener::serve_connections(connections, Site::new(routes(state), tls)));
    })?;
    Ok(())
}

fn worker(state: &HttpState) -> (Worker, mpsc::Receiver<HttpConnection>) {
    let admission = state.admission.clone();
    Worker::new(move || admission.links())
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().max_blocking_threads(MAKING_THREADS_MAX).enable_all().build()
}

fn start(
    number: usize,
    runtime: tokio::runtime::Runtime,
    task: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let thread = std::thread::Builder::new().name(format!("http {number}"));
    thread.spawn(move || runtime.block_on(task))?;
    Ok(())
}

async fn accept(listeners: Vec<TcpListener>, open: Connections, workers: Arc<[Worker]>) {
    let mut accepting = tokio::task::JoinSet::new();
    for listener in listeners {
        match tokio::net::TcpListener::from_std(listener) {
            Ok(listener) => drop(accepting.spawn(listener::accept(listener, open.clone(), workers.clone()))),
            Err(error) => {
                tracing::error!(target: "host", %error, "cannot serve HTTP at one of its sockets; the game goes on")
            }
        }
    }
    accepting.join_all().await;
}

/// A method, a path as `openapi.json` writes it, and the handler.
type Route = (&'static str, &'static str, MethodRouter<HttpState>);

/// Every route, as `openapi.json` describes them.
fn table() -> Vec<Route> {
    vec![
        ("get", "/healthz", get(healthz)),
        ("get", "/metrics", get(metrics::metrics)),
        ("get", "/status", get(status::page)),
        ("get", "/api/status", get(status::status)),
        ("get", "/api/lobbies", get(lobbies::lobbies)),
        ("get", "/api/lobbies/{id}", get(lobbies::lobby)),
        ("get", "/api/scores", get(scores::scores)),
        ("get", "/api/matches", get(scores::matches)),
        ("get", "/api/replays/{id}", get(replays::replay)),
        ("get", "/api/daily", get(games::daily)),
        ("get", "/api/stages", get(games::stages)),
        ("get", "/api/transport", get(transport)),
        ("get", "/api/openapi.json", get(openapi)),
        ("get", webtransport::PATH, any(websocket::upgrade)),
        ("get", "/admin/sessions", get(admin::sessions)),
        ("post", "/admin/kick", post(admin::kick)),
        ("get", "/admin/bans", get(admin::bans)),
        ("post", "/admin/bans", post(admin::ban)),
        ("delete", "/admin/bans", delete(admin::lift)),
        ("post", "/admin/lobbies/{id}/close", post(admin::close_lobby)),
        ("delete", "/admin/players", delete(admin::forget_player)),
        ("post", "/admin/drain", post(admin::drain)),
    ]
}

fn routes(state: HttpState) -> Router {
    let mut router = Router::new().merge(pages::routes()).merge(assets::routes());
    for (_, path, answer) in table() {
        router = router.route(path, answer);
    }
    router
        .fallback(|| async { Problem::not_found("not found; /api/openapi.json lists every path") })
        .method_not_allowed_fallback(|| async {
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method not allowed; see Allow")
        })
        .layer(middleware::from_fn_with_state(state.clone(), admin::guard))
        .layer(DefaultBodyLimit::max(BODY_MAX_BYTES))
        .layer(middleware::from_fn(uniform_errors::apply))
        .layer(middleware::map_response(set_default_headers))
        .with_state(state)
}

/// Browsers are not to guess the type of an answer, nor to cache it unless it says so itself.
async fn set_default_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

async fn healthz(State(state): State<HttpState>) -> Response {
    match state.parts.shutdown.is_announced() {
        true => (StatusCode::SERVICE_UNAVAILABLE, "draining\n").into_response(),
        false => "ok\n".into_response(),
    }
}

/// `GET /api/transport`: how the web client connects to the node.
async fn transport(State(state): State<HttpState>) -> Json<TransportAnswer> {
    let edge = &state.parts.edge;
    let webtransport = edge.quic_port.map(|port| QuicDoor { port, sha256: edge.certificate.hash() });
    Json(TransportAnswer { websocket: webtransport::PATH, webtransport })
}

#[derive(Serialize)]
struct TransportAnswer {
    websocket: &'static str,
    webtransport: Option<QuicDoor>,
}

#[derive(Serialize)]
struct QuicDoor {
    port: u16,
    /// What a page pins; none if browsers trust the certificate anyway.
    sha256: Option<String>,
}

async fn openapi() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI)
}
