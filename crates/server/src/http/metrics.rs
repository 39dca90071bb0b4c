//! `GET /metrics`: everything that the node counts, for Prometheus.

use axum::{extract::State, http::header, response::IntoResponse};

use super::{
    HttpState,
    exposition::{
        Exposition,
        MetricType::{self, Counter, Gauge, Histogram},
    },
};
use crate::{
    core::{Counters, DialectCounters, SessionCounts},
    edge::Admission,
    log_limit::LOG_LIMIT,
    overview::{Overview, ShardLoad},
    recordings::{RecordingCounts, SoloCounts},
    saves::SaveCounts,
};

/// Answers `GET /metrics`.
pub async fn metrics(State(state): State<HttpState>) -> impl IntoResponse {
    let overview = state.parts.overview.read().await;
    let mut out = Exposition::default();
    players(&mut out, &overview);
    ticks(&mut out, &overview);
    traffic(&mut out, &overview);
    drops(&mut out, &overview.counters);
    shards(&mut out, &overview);
    node(&mut out, &state);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], out.text())
}

/// A family about open sessions, with one sample for each dialect.
type OpenSessions = (&'static str, &'static str, fn(SessionCounts) -> u64);

const PLAYERS: [OpenSessions; 3] = [
    ("volley_players", "Players with a seat, by dialect.", |counts| counts.players),
    ("volley_sessions_proved", "Open sessions whose address is proved, by dialect.", |counts| counts.proved),
    ("volley_sessions_unproved", "Open sessions whose address is not proved, by dialect.", |counts| counts.unproved),
];

fn players(out: &mut Exposition, overview: &Overview) {
    for (name, help, count) in PLAYERS {
        out.family(name, Gauge, help);
        for (dialect, counts) in overview.by_dialect() {
            out.sample(&[("dialect", dialect.name())], count(counts));
        }
    }
    let counters = &overview.counters;
    out.family("volley_lobbies", Gauge, "Open lobbies.").value(overview.lobby_count());
    out.family("volley_lobbies_opened_total", Counter, "Lobbies opened since the start.").value(counters.lobbies);
    out.family("volley_lobbies_broken_total", Counter, "Lobbies closed because of a panic.")
        .value(counters.lobbies_broken);
    out.family(
        "volley_bots_refused_total",
        Counter,
        "Requests for a bot that were refused: no free seat, or too many bots.",
    )
    .value(counters.bots_refused);
}

fn ticks(out: &mut Exposition, overview: &Overview) {
    let counters = &overview.counters;
    out.family("volley_ticks_total", Counter, "Ticks of all lobbies.").value(counters.ticks);
    out.family("volley_ticks_skipped_total", Counter, "Ticks skipped because the node was too late.")
        .value(counters.ticks_skipped);
    // Lateness below a tenth of a millisecond is the operating system's.
    let lateness = counters.lateness.up_to().skip(2);
    out.family("volley_tick_lateness_seconds", Histogram, "How late ticks began.")
        .histogram(&counters.lateness, lateness);
    out.family("volley_tick_seconds", Histogram, "How long ticks took.")
        .histogram(&counters.tick_time, counters.tick_time.up_to());
}

/// A counter with one sample for each dialect.
type ByDialect = (&'static str, &'static str, fn(&DialectCounters) -> u64);

const TRAFFIC: [ByDialect; 6] = [
    ("volley_datagrams_in_total", "Datagrams received, by dialect.", |counters| counters.datagrams_in),
    ("volley_bytes_in_total", "Bytes of datagrams received, by dialect.", |counters| counters.bytes_in),
    ("volley_datagrams_out_total", "Datagrams sent, by dialect.", |counters| counters.datagrams_out),
    ("volley_bytes_out_total", "Bytes of datagrams sent, by dialect.", |counters| counters.bytes_out),
    ("volley_sessions_total", "Sessions opened since the start, by dialect.", |counters| counters.sessions),
    ("volley_oddities_total", "Messages accepted although they break the dialect's rules.", |counters| {
        counters.oddities
    }),
];

fn traffic(out: &mut Exposition, overview: &Overview) {
    for (name, help, count) in TRAFFIC {
        out.family(name, Counter, help);
        for (dialect, counters) in overview.counters.dialects() {
            out.sample(&[("dialect", dialect.name())], count(counters));
        }
    }
    let help = "Messages sent again because they were not confirmed, by dialect.";
    out.family("volley_retransmissions_total", Counter, help);
    for ((dialect, counters), open) in overview.counters.dialects().zip(overview.session_counts) {
        out.sample(&[("dialect", dialect.name())], counters.retransmissions + open.retransmissions);
    }
}

fn drops(out: &mut Exposition, counters: &Counters) {
    let help = "Datagrams dropped, received or to be sent, by dialect and reason.";
    out.family("volley_drops_total", Counter, help);
    for (dialect, counters) in counters.dialects() {
        for (why, count) in counters.drops() {
            out.sample(&[("dialect", dialect.name()), ("reason", why.name())], count);
        }
    }
}

/// A family with one sample for each shard.
type ByShard = (&'static str, MetricType, &'static str, fn(&ShardLoad) -> f64);

const SHARDS: [ByShard; 4] = [
    ("volley_shard_busy_seconds_total", Counter, "Seconds that each shard spent working.", |load| load.busy_seconds),
    ("volley_shard_sessions", Gauge, "Open sessions, by shard.", |load| load.sessions as f64),
    ("volley_shard_lobbies", Gauge, "Open lobbies, by shard.", |load| load.lobbies as f64),
    ("volley_shard_bots", Gauge, "Bots that hosts of lobbies have added, by shard.", |load| load.bots as f64),
];

fn shards(out: &mut Exposition, overview: &Overview) {
    for (name, kind, help, value) in SHARDS {
        out.family(name, kind, help);
        for (index, load) in overview.shards.iter().enumerate() {
            out.sample(&[("shard", &index.to_string())], value(load));
        }
    }
    let help = "Datagrams passed to another shard because their lobby is there.";
    out.family("volley_handovers_total", Counter, help).value(overview.counters.handovers);
}

fn node(out: &mut Exposition, state: &HttpState) {
    let parts = &state.parts;
    out.family("volley_uptime_seconds", Gauge, "Seconds since the node started.")
        .value(state.started.elapsed().as_secs());
    out.family("volley_draining", Gauge, "1 while the node is draining and opens no lobbies, else 0.")
        .value(u8::from(parts.shutdown.has_begun()));
    out.family("volley_archive_errors_total", Counter, "Failures to write or read the archive.")
        .value(parts.archive.errors());
    saves(out, parts.saves.counts());
    recordings(out, parts.recordings.counts());
    out.family("volley_log_suppressed_total", Counter, "Log lines suppressed because there were too many.")
        .value(LOG_LIMIT.suppressed());
    out.family("volley_admin_refused_total", Counter, "Unauthenticated admin requests.").value(parts.admin.refused());
    out.family(
        "volley_guesses_refused_total",
        Counter,
        "Lobby codes and admin tokens refused after too many wrong ones.",
    )
    .value(state.lobby_guesses.refused() + state.token_guesses.refused());
    out.family("volley_http_crowded_out_total", Counter, "HTTP connections closed to make room for others.")
        .value(state.connections.evicted());
    links(out, &parts.edge.admission, state.connections.floods());
}

fn saves(out: &mut Exposition, counts: SaveCounts) {
    out.family("volley_saved_lobbies", Gauge, "Lobbies saved for the next start of the node.").value(counts.lobbies);
    out.family("volley_saves_total", Counter, "Times that the lobbies were saved.").value(counts.written);
    out.family("volley_save_errors_total", Counter, "Failures to save the lobbies.").value(counts.failed);
    out.family("volley_lobbies_restored_total", Counter, "Saved lobbies restored at the start.").value(counts.restored);
    out.family("volley_lobbies_not_restored_total", Counter, "Saved lobbies that could not be restored.")
        .value(counts.refused);
}

fn recordings(out: &mut Exposition, counts: RecordingCounts) {
    out.family("volley_recordings", Gauge, "Recorded games that can be watched.").value(counts.recordings);
    out.family("volley_recording_blocks_total", Counter, "Blocks of recorded games written.").value(counts.blocks);
    out.family("volley_recording_bytes_total", Counter, "Bytes of recorded games written.").value(counts.bytes);
    out.family(
        "volley_recordings_broken_total",
        Counter,
        "Recordings cut short because the disk was full or writing fell behind.",
    )
    .value(counts.failed);
    out.family("volley_recordings_removed_total", Counter, "Recordings removed because they were too old or too many.")
        .value(counts.removed);
    solo_recordings(out, counts.solo);
}

fn solo_recordings(out: &mut Exposition, counts: SoloCounts) {
    let help = "Solo recordings kept in memory, for their players only.";
    out.family("volley_solo_recordings", Gauge, help).value(counts.recordings);
    out.family("volley_solo_recording_bytes", Gauge, "Bytes of the solo recordings kept in memory.")
        .value(counts.bytes);
    let help = "Solo recordings discarded to make room, or because they grew too long.";
    out.family("volley_solo_recordings_dropped_total", Counter, help).value(counts.dropped);
}

fn links(out: &mut Exposition, admission: &Admission, paused: u64) {
    out.family("volley_links_refused_total", Counter, "Links refused because there were too many.")
        .value(admission.refused());
    out.family("volley_link_memory_bytes", Gauge, "Memory set aside for links, out of what --memory allows.")
        .value(admission.memory_bytes());
    out.family("volley_links_flooded_total", Counter, "Pauses imposed on links whose peer sent too much.")
        .value(admission.floods() + paused);
    out.family("volley_links_lost_total", Counter, "Messages from links lost because the node was too busy.")
        .value(admission.lost());
}
