//! What a node tells over HTTP, and what a host may tell it. One file a topic; [`table`] is every route.
//!
//! It reads the board and the archive, and gives orders over the switchboard: it never touches a shard. It runs on
//! threads of its own, and the number, size and duration of connections are bounded, so that no client of it can harm
//! the game.

mod admin;
mod crowd;
mod exposition;
mod listening;
mod lobbies;
mod manners;
mod metrics;
pub mod pages;
mod problem;
mod scores;
mod status;
#[cfg(test)]
mod tests;

use std::{io, net::TcpListener, sync::Arc, time::Instant};

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, FromRef, State},
    http::{HeaderValue, StatusCode, header},
    middleware,
    response::{IntoResponse, Response},
    routing::{MethodRouter, any, delete, get, post},
};
use serde::Serialize;
use tokio::sync::mpsc;

pub use self::{
    admin::Admin,
    listening::{Sockets, listen},
};
use self::{
    crowd::Crowd,
    listening::{Connection, Way},
    problem::Problem,
};
use crate::{
    archive::Archive,
    board::Board,
    edge::{Edge, Gate, certificate::Source, websocket, webtransport},
    ending::Ending,
};

/// The longest body that is read.
const BODY_MAX_BYTES: usize = 4096;

/// The document that describes every route.
const OPENAPI: &str = include_str!("openapi.json");

/// All that HTTP tells of. Clones share it.
#[derive(Clone)]
pub struct Front(Arc<Parts>, Gate);

struct Parts {
    board: Board,
    archive: Archive,
    admin: Admin,
    ending: Ending,
    crowd: Crowd,
    edge: Edge,
    started: Instant,
}

impl Front {
    /// A front of these.
    pub fn new(board: Board, archive: Archive, admin: Admin, ending: Ending, edge: Edge) -> Front {
        let (crowd, started) = (Crowd::default(), Instant::now());
        let gate = edge.gate.clone();
        Front(Arc::new(Parts { board, archive, admin, ending, crowd, edge, started }), gate)
    }

    /// The same, for another thread.
    fn for_another_thread(&self) -> Front {
        Front(Arc::clone(&self.0), self.1.for_another_thread())
    }
}

impl FromRef<Front> for Gate {
    fn from_ref(front: &Front) -> Gate {
        front.1.clone()
    }
}

/// Serves HTTP, and links over WebSocket and WebTransport, on so many threads for as long as the process lives. The first
/// one lets everybody in, and has QUIC.
pub fn serve(sockets: Sockets, source: Source, front: Front, threads: usize) -> anyhow::Result<()> {
    let first = runtime()?;
    let (edge, crowd) = (front.0.edge.clone(), front.0.crowd.clone());
    first.block_on(webtransport::serve(sockets.quic, source, edge.gate, edge.pin))?;
    let mut ways = Vec::new();
    for number in 1..threads {
        let front = front.for_another_thread();
        let (way, connections) = way(&front);
        ways.push(way);
        start(number, runtime()?, listening::attend(connections, routes(front)))?;
    }
    let (way, connections) = way(&front);
    ways.insert(0, way);
    start(0, first, async move {
        tokio::join!(run(sockets.http, crowd, ways.into()), listening::attend(connections, routes(front)));
    })?;
    Ok(())
}

fn way(front: &Front) -> (Way, mpsc::Receiver<Connection>) {
    let gate = front.1.clone();
    Way::new(move || gate.links())
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
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

async fn run(listeners: Vec<TcpListener>, crowd: Crowd, ways: Arc<[Way]>) {
    let mut serving = tokio::task::JoinSet::new();
    for listener in listeners {
        match tokio::net::TcpListener::from_std(listener) {
            Ok(listener) => drop(serving.spawn(listening::accept(listener, crowd.clone(), ways.clone()))),
            Err(error) => tracing::error!(target: "host", %error, "HTTP ended; the game goes on"),
        }
    }
    serving.join_all().await;
}

/// A method, a path as the document writes it, and what answers.
type Route = (&'static str, &'static str, MethodRouter<Front>);

/// Every route that the document describes.
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
        ("get", "/api/transport", get(transport)),
        ("get", "/api/openapi.json", get(openapi)),
        ("get", webtransport::PATH, any(websocket::upgrade)),
        ("get", "/admin/sessions", get(admin::sessions)),
        ("post", "/admin/kick", post(admin::kick)),
        ("get", "/admin/bans", get(admin::bans)),
        ("post", "/admin/bans", post(admin::ban)),
        ("delete", "/admin/bans", delete(admin::lift)),
        ("post", "/admin/lobbies/{id}/close", post(admin::close_lobby)),
        ("post", "/admin/drain", post(admin::drain)),
    ]
}

fn routes(front: Front) -> Router {
    let mut router = Router::new().merge(pages::routes());
    for (_, path, answer) in table() {
        router = router.route(path, answer);
    }
    router
        .fallback(|| async {
            Problem::not_found("there is nothing at this path; /api/openapi.json lists what there is")
        })
        .method_not_allowed_fallback(|| async {
            Problem::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "this path has not this method; the header Allow lists what it has",
            )
        })
        .layer(middleware::from_fn_with_state(front.clone(), admin::guard))
        .layer(DefaultBodyLimit::max(BODY_MAX_BYTES))
        .layer(middleware::from_fn(manners::mind))
        .layer(middleware::map_response(plainly))
        .with_state(front)
}

/// Browsers neither guess what an answer is, nor keep it, unless it says so itself.
async fn plainly(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

async fn healthz(State(front): State<Front>) -> Response {
    match front.0.ending.is_known() {
        true => (StatusCode::SERVICE_UNAVAILABLE, "draining\n").into_response(),
        false => "ok\n".into_response(),
    }
}

/// `GET /api/transport`: how a player's page reaches the node.
async fn transport(State(front): State<Front>) -> Json<Transport> {
    let edge = &front.0.edge;
    let webtransport = edge.quic_port.map(|port| QuicDoor { port, sha256: edge.pin.hash() });
    Json(Transport { websocket: webtransport::PATH, webtransport })
}

#[derive(Serialize)]
struct Transport {
    websocket: &'static str,
    webtransport: Option<QuicDoor>,
}

#[derive(Serialize)]
struct QuicDoor {
    port: u16,
    /// What a page pins; none where the certificate is one that browsers trust.
    sha256: Option<String>,
}

async fn openapi() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI)
}
