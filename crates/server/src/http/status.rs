//! The status page, and all that it shows in one answer.

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::State,
    http::header,
    response::{Html, IntoResponse},
};
use serde::Serialize;

use super::Front;
use crate::{
    board::{Lobby, Posted, ShardLoad},
    core::DialectCounters,
};

/// Lobbies that the page shows, at most: the oldest.
const LOBBIES_SHOWN: usize = 100;

/// JSON has no infinity: an hour is later than any tick.
const LATER: u16 = 3600;

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
    players: BTreeMap<&'static str, u64>,
    lobby_count: usize,
    lobbies: Vec<Lobby>,
    ticks: u64,
    ticks_skipped: u64,
    lateness: Vec<(f64, u64)>,
    traffic: BTreeMap<&'static str, Traffic>,
    drops: BTreeMap<&'static str, u64>,
    shards: Vec<ShardLoad>,
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
    Json(Status {
        version: env!("CARGO_PKG_VERSION"),
        uptime_seconds: front.0.started.elapsed().as_secs(),
        draining: front.0.ending.has_begun(),
        players: posted.by_dialect().map(|(dialect, census)| (dialect.name(), census.players)).collect(),
        lobby_count: posted.lobbies.len(),
        ticks: posted.counters.ticks,
        ticks_skipped: posted.counters.ticks_skipped,
        lateness: lateness(&posted),
        traffic: posted.counters.dialects().map(|(dialect, counters)| (dialect.name(), traffic(counters))).collect(),
        drops: drops(&posted),
        archive_errors: front.0.archive.errors(),
        lobbies: posted.lobbies.into_iter().take(LOBBIES_SHOWN).collect(),
        shards: posted.shards,
    })
}

/// How many ticks were no later than each of some bounds in seconds; the last counts all.
fn lateness(posted: &Posted) -> Vec<(f64, u64)> {
    let lateness = &posted.counters.lateness;
    let bounds = lateness.up_to().map(|(bound, count)| (bound.as_secs_f64(), count));
    bounds.chain([(f64::from(LATER), lateness.count())]).collect()
}

fn traffic(counters: &DialectCounters) -> Traffic {
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
    for (why, count) in posted.counters.dialects().flat_map(|(_, counters)| counters.drops()) {
        *drops.entry(why.name()).or_default() += count;
    }
    drops
}
