//! The status page, and the one answer that it shows.

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::State,
    http::header,
    response::{Html, IntoResponse},
};
use serde::Serialize;

use super::HttpState;
use crate::{
    core::DialectCounters,
    overview::{LobbyOverview, Overview, ShardLoad},
};

/// At most this many lobbies are shown: the oldest public ones.
const LOBBIES_SHOWN: usize = 100;

/// JSON has no infinity: no tick is an hour late.
const LATENESS_MAX_SECONDS: u16 = 3600;

/// One file, which fetches only the numbers.
const PAGE: &str = include_str!("status.html");
/// The page runs its own script and talks to its own node only.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// `GET /status`: the page.
pub async fn page() -> impl IntoResponse {
    ([(header::CONTENT_SECURITY_POLICY, POLICY)], Html(PAGE))
}

/// The answer of `GET /api/status`.
#[derive(Serialize)]
pub struct NodeStatus {
    version: &'static str,
    uptime_seconds: u64,
    draining: bool,
    players: BTreeMap<&'static str, u64>,
    lobby_count: usize,
    private_lobbies: usize,
    lobbies: Vec<LobbyOverview>,
    ticks: u64,
    ticks_skipped: u64,
    lateness: Vec<(f64, u64)>,
    traffic: BTreeMap<&'static str, DialectTraffic>,
    drops: BTreeMap<&'static str, u64>,
    shards: Vec<ShardLoad>,
    archive_errors: u64,
}

/// The traffic of one dialect since the start.
#[derive(Serialize)]
struct DialectTraffic {
    datagrams_in: u64,
    bytes_in: u64,
    datagrams_out: u64,
    bytes_out: u64,
}

/// `GET /api/status`: the numbers.
pub async fn status(State(state): State<HttpState>) -> Json<NodeStatus> {
    let overview = state.parts.overview.read().await;
    Json(NodeStatus {
        version: env!("CARGO_PKG_VERSION"),
        uptime_seconds: state.started.elapsed().as_secs(),
        draining: state.parts.shutdown.has_begun(),
        players: overview.by_dialect().map(|(dialect, counts)| (dialect.name(), counts.players)).collect(),
        lobby_count: overview.lobby_count(),
        private_lobbies: overview.private_lobbies.len(),
        ticks: overview.counters.ticks,
        ticks_skipped: overview.counters.ticks_skipped,
        lateness: lateness(&overview),
        traffic: overview.counters.dialects().map(|(dialect, counters)| (dialect.name(), traffic(counters))).collect(),
        drops: drops(&overview),
        archive_errors: state.parts.archive.errors(),
        lobbies: overview.lobbies.into_iter().take(LOBBIES_SHOWN).collect(),
        shards: overview.shards,
    })
}

/// How many ticks were at most this late: bounds in seconds, each with its count. The last one counts all ticks.
fn lateness(overview: &Overview) -> Vec<(f64, u64)> {
    let lateness = &overview.counters.lateness;
    let bounds = lateness.up_to().map(|(bound, count)| (bound.as_secs_f64(), count));
    bounds.chain([(f64::from(LATENESS_MAX_SECONDS), lateness.count())]).collect()
}

fn traffic(counters: &DialectCounters) -> DialectTraffic {
    DialectTraffic {
        datagrams_in: counters.datagrams_in,
        bytes_in: counters.bytes_in,
        datagrams_out: counters.datagrams_out,
        bytes_out: counters.bytes_out,
    }
}

/// Drops, by reason.
fn drops(overview: &Overview) -> BTreeMap<&'static str, u64> {
    let mut drops = BTreeMap::new();
    for (why, count) in overview.counters.dialects().flat_map(|(_, counters)| counters.drops()) {
        *drops.entry(why.name()).or_default() += count;
    }
    drops
}
