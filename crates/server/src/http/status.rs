//! The status page, and all that it shows in one answer.

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::State,
    http::header,
    response::{Html, IntoResponse},
};
use protocol::Dialect;
use serde::Serialize;

use super::Front;
use crate::{
    board::{Lobby, Posted, Shard},
    core::DialectCounters,
};

/// Lobbies that the page shows, at most: the oldest.
const LOBBIES_SHOWN: usize = 100;

/// One file, with nothing to fetch but the numbers.
const PAGE: &str = include_str!("status.html");
/// The page runs its own script, asks its own node, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// `GET /status`: the page.
pub async fn page() -> impl IntoResponse {
    ([(header::CONTENT_SECURITY_POLICY, POLICY)], Html(PAGE))
}

/// How the node stands.
#[derive(Serialize)]
pub struct Status {
    version: &'static str,
    uptime_seconds: u64,
    draining: bool,
    players: BTreeMap<&'static str, usize>,
    lobby_count: usize,
    lobbies: Vec<Lobby>,
    ticks: u64,
    ticks_skipped: u64,
    traffic: BTreeMap<&'static str, Traffic>,
    drops: BTreeMap<&'static str, u64>,
    shards: Vec<Shard>,
    archive_errors: u64,
}

/// What one dialect sent and was sent since the start.
#[derive(Serialize)]
struct Traffic {
    datagrams_in: u64,
    bytes_in: u64,
    datagrams_out: u64,
    bytes_out: u64,
}

/// `GET /api/status`: the numbers.
pub async fn status(State(front): State<Front>) -> Json<Status> {
    let posted = front.0.board.read().await;
    let by_name = |(dialect, count): (Dialect, usize)| (dialect.name(), count);
    Json(Status {
        version: env!("CARGO_PKG_VERSION"),
        uptime_seconds: front.0.started.elapsed().as_secs(),
        draining: front.0.ending.has_begun(),
        players: posted.players().into_iter().map(by_name).collect(),
        lobby_count: posted.lobbies.len(),
        ticks: posted.counters.ticks,
        ticks_skipped: posted.counters.ticks_skipped,
        traffic: Dialect::ALL.into_iter().map(|dialect| (dialect.name(), traffic(&posted, dialect))).collect(),
        drops: drops(&posted),
        archive_errors: front.0.archive.errors(),
        lobbies: posted.lobbies.into_iter().take(LOBBIES_SHOWN).collect(),
        shards: posted.shards,
    })
}

fn traffic(posted: &Posted, dialect: Dialect) -> Traffic {
    let nothing = DialectCounters::default();
    let counters = posted.counters.dialects.get(&dialect).unwrap_or(&nothing);
    Traffic {
        datagrams_in: counters.datagrams_in,
        bytes_in: counters.bytes_in,
        datagrams_out: counters.datagrams_out,
        bytes_out: counters.bytes_out,
    }
}

/// What went nowhere, by reason.
fn drops(posted: &Posted) -> BTreeMap<&'static str, u64> {
    let mut drops = BTreeMap::new();
    for (why, count) in posted.counters.dialects.values().flat_map(|counters| &counters.drops) {
        *drops.entry(why.name()).or_default() += count;
    }
    drops
}
