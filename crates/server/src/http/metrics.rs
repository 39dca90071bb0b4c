//! `GET /metrics`: everything that is counted, for Prometheus.

use axum::{extract::State, http::header, response::IntoResponse};

use super::{
    Front,
    exposition::{
        Exposition,
        Kind::{self, Counter, Gauge},
    },
};
use crate::{
    board::{Posted, ShardLoad},
    core::{Census, Counters, DialectCounters},
    edge::Gate,
    quiet::QUIET,
};

/// Answers.
pub async fn metrics(State(front): State<Front>) -> impl IntoResponse {
    let posted = front.0.board.read().await;
    let mut out = Exposition::default();
    players(&mut out, &posted);
    ticks(&mut out, &posted);
    traffic(&mut out, &posted);
    drops(&mut out, &posted.counters);
    shards(&mut out, &posted);
    house(&mut out, &front);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], out.text())
}

/// A family with one sample for each dialect, of the sessions that are open.
type OfOpen = (&'static str, &'static str, fn(Census) -> u64);

const PLAYERS: [OfOpen; 3] = [
    ("volley_players", "Players, by the dialect that they speak.", |census| census.players),
    ("volley_sessions_proved", "Who is connected with an address that is proved, by dialect.", |census| census.proved),
    ("volley_sessions_unproved", "Who is connected with an address that is not proved, by dialect.", |census| {
        census.unproved
    }),
];

fn players(out: &mut Exposition, posted: &Posted) {
    for (name, help, count) in PLAYERS {
        out.family(name, Gauge, help);
        for (dialect, census) in posted.by_dialect() {
            out.sample(&[("dialect", dialect.name())], count(census));
        }
    }
    out.single("volley_lobbies", Gauge, "Lobbies that are open.", posted.lobbies.len());
    out.single("volley_lobbies_opened_total", Counter, "Lobbies opened.", posted.counters.lobbies);
    let help = "Lobbies closed because something in them panicked.";
    out.single("volley_lobbies_broken_total", Counter, help, posted.counters.lobbies_broken);
}

fn ticks(out: &mut Exposition, posted: &Posted) {
    out.single("volley_ticks_total", Counter, "Ticks of lobbies.", posted.counters.ticks);
    let help = "Ticks left out because the node was too late for them.";
    out.single("volley_ticks_skipped_total", Counter, help, posted.counters.ticks_skipped);
    // Lateness below a tenth of a millisecond is the system's own.
    let lateness = posted.counters.lateness.up_to().skip(2);
    out.histogram("volley_tick_lateness_seconds", "How late ticks began.", &posted.counters.lateness, lateness);
    let time = posted.counters.tick_time.up_to();
    out.histogram("volley_tick_seconds", "How long ticks took.", &posted.counters.tick_time, time);
}

/// A family with one sample for each dialect.
type ByDialect = (&'static str, &'static str, fn(&DialectCounters) -> u64);

const TRAFFIC: [ByDialect; 6] = [
    ("volley_datagrams_in_total", "Datagrams that arrived.", |counters| counters.datagrams_in),
    ("volley_bytes_in_total", "Bytes of datagrams that arrived.", |counters| counters.bytes_in),
    ("volley_datagrams_out_total", "Datagrams sent.", |counters| counters.datagrams_out),
    ("volley_bytes_out_total", "Bytes of datagrams sent.", |counters| counters.bytes_out),
    ("volley_sessions_total", "Sessions opened.", |counters| counters.sessions),
    ("volley_oddities_total", "What peers should not have said but was carried out.", |counters| counters.oddities),
];

fn traffic(out: &mut Exposition, posted: &Posted) {
    for (name, help, count) in TRAFFIC {
        out.family(name, Counter, help);
        for (dialect, counters) in posted.counters.dialects() {
            out.sample(&[("dialect", dialect.name())], count(counters));
        }
    }
    out.family("volley_retransmissions_total", Counter, "What was sent again because nobody confirmed it.");
    for ((dialect, counters), census) in posted.counters.dialects().zip(posted.census) {
        out.sample(&[("dialect", dialect.name())], counters.retransmissions + census.retransmissions);
    }
}

fn drops(out: &mut Exposition, counters: &Counters) {
    out.family("volley_drops_total", Counter, "What arrived, or was to be sent, and went nowhere, by reason.");
    for (dialect, counters) in counters.dialects() {
        for (why, count) in counters.drops() {
            out.sample(&[("dialect", dialect.name()), ("reason", why.name())], count);
        }
    }
}

/// A family with one sample for each shard.
type ByShard = (&'static str, Kind, &'static str, fn(&ShardLoad) -> f64);

const SHARDS: [ByShard; 3] = [
    ("volley_shard_busy_seconds_total", Counter, "How long a shard was at work.", |load| load.busy_seconds),
    ("volley_shard_sessions", Gauge, "Players of a shard.", |load| load.sessions as f64),
    ("volley_shard_lobbies", Gauge, "Lobbies of a shard.", |load| load.lobbies as f64),
];

fn shards(out: &mut Exposition, posted: &Posted) {
    for (name, kind, help, value) in SHARDS {
        out.family(name, kind, help);
        for (index, load) in posted.shards.iter().enumerate() {
            out.sample(&[("shard", &index.to_string())], value(load));
        }
    }
    let help = "Datagrams handed to the shard that their lobby lives on.";
    out.single("volley_handovers_total", Counter, help, posted.counters.handovers);
}

fn house(out: &mut Exposition, front: &Front) {
    let parts = &front.0;
    let help = "Seconds since the node started.";
    out.single("volley_uptime_seconds", Gauge, help, parts.started.elapsed().as_secs());
    let help = "1 while no new lobby is opened because the node is to end.";
    out.single("volley_draining", Gauge, help, u8::from(parts.ending.has_begun()));
    let help = "Times that the archive could not be written or read.";
    out.single("volley_archive_errors_total", Counter, help, parts.archive.errors());
    let help = "Lines left out of the log because there were too many.";
    out.single("volley_log_suppressed_total", Counter, help, QUIET.left_out());
    let help = "Requests for the host's part without its token.";
    out.single("volley_admin_refused_total", Counter, help, parts.admin.refused());
    let help = "HTTP connections closed because there were too many.";
    out.single("volley_http_crowded_out_total", Counter, help, parts.crowd.crowded_out());
    links(out, &parts.edge.gate);
}

fn links(out: &mut Exposition, gate: &Gate) {
    let help = "Links refused because there were too many.";
    out.single("volley_links_refused_total", Counter, help, gate.turned_away());
    let help = "Times that a link was not listened to for a moment because its peer said too much.";
    out.single("volley_links_flooded_total", Counter, help, gate.floods());
    let help = "What came over links and was lost because the node did not keep up.";
    out.single("volley_links_lost_total", Counter, help, gate.lost());
}
