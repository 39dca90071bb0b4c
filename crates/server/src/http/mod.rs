//! What a node tells over HTTP, and what a host may tell it. One file a topic; [`table`] is every route.
//!
//! It reads the board and the archive, and gives orders over the switchboard: it never touches a shard. It runs on a
//! thread of its own, and the number, size and duration of connections are bounded, so that no client of it can harm
//! the game.

mod admin;
mod exposition;
mod listening;
mod lobbies;
mod metrics;
mod problem;
mod scores;
mod status;
#[cfg(test)]
mod tests;

use std::{
    net::{SocketAddr, TcpListener},
    sync::Arc,
    time::Instant,
};

use anyhow::Context;
use axum::{
    Router,
    extract::{DefaultBodyLimit, State},
    http::{HeaderValue, StatusCode, header},
    middleware,
    response::{IntoResponse, Redirect, Response},
    routing::{MethodRouter, delete, get, post},
};

pub use self::admin::Admin;
use self::{listening::Crowd, problem::Problem};
use crate::{archive::Archive, board::Board, ending::Ending};

/// The longest body that is read.
const BODY_MAX_BYTES: usize = 4096;

/// The document that describes every route.
const OPENAPI: &str = include_str!("openapi.json");

/// All that HTTP tells of. Clones share it.
#[derive(Clone)]
pub struct Front(Arc<Parts>);

struct Parts {
    board: Board,
    archive: Archive,
    admin: Admin,
    ending: Ending,
    crowd: Crowd,
    started: Instant,
}

impl Front {
    /// A front of these.
    pub fn new(board: Board, archive: Archive, admin: Admin, ending: Ending) -> Front {
        Front(Arc::new(Parts { board, archive, admin, ending, crowd: Crowd::default(), started: Instant::now() }))
    }
}

/// Listens for HTTP and serves on a thread of its own for as long as the process lives. Returns its address.
pub fn serve(address: SocketAddr, front: Front) -> anyhow::Result<SocketAddr> {
    let listener = listening::listen(address).with_context(|| {
        format!("cannot open the HTTP door at TCP port {}; choose another with --http PORT", address.port())
    })?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("http".into()).spawn(move || {
        listening::step_back();
        runtime.block_on(run(listener, front));
    })?;
    Ok(address)
}

async fn run(listener: TcpListener, front: Front) {
    let crowd = front.0.crowd.clone();
    match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listening::accept(listener, crowd, routes(front)).await,
        Err(error) => tracing::error!(target: "host", %error, "HTTP ended; the game goes on"),
    }
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
        ("get", "/api/openapi.json", get(openapi)),
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
    let mut router = Router::new().route("/", get(|| async { Redirect::temporary("/status") }));
    for (_, path, answer) in table() {
        router = router.route(path, answer);
    }
    router
        .fallback(|| async {
            Problem::not_found("there is nothing at this path; /api/openapi.json lists what there is")
        })
        .method_not_allowed_fallback(|| async { Problem::new(StatusCode::METHOD_NOT_ALLOWED, "not with this method") })
        .layer(middleware::from_fn_with_state(front.clone(), admin::guard))
        .layer(DefaultBodyLimit::max(BODY_MAX_BYTES))
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

async fn openapi() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI)
}
