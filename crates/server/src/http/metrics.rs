//! `GET /metrics`: everything that is counted, for Prometheus.

use axum::{extract::State, http::header, response::IntoResponse};
use protocol::Dialect;

use super::{
    Front,
    exposition::{
        Exposition,
        Kind::{Counter, Gauge},
    },
};
use crate::{
    board::Posted,
    core::{Counters, DialectCounters},
    quiet::QUIET,
};

/// Answers.
pub async fn metrics(State(front): State<Front>) -> impl IntoResponse {
    let posted = front.0.board.read().await;
    let mut out = Exposition::default();
    players(&mut out, &posted);
    ticks(&mut out, &posted);
    traffic(&mut out, &posted.counters);
    drops(&mut out, &posted.counters);
    shards(&mut out, &posted);
    house(&mut out, &front);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], out.text())
}

fn players(out: &mut Exposition, posted: &Posted) {
    out.family("volley_players", Gauge, "Players, by the dialect that they speak.");
    for (dialect, count) in posted.players() {
        out.sample(&[("dialect", dialect.name())], count);
    }
    let families = [
        ("volley_sessions_proved", "Players whose address is proved, by dialect."),
        ("volley_sessions_unproved", "Players whose address is not proved, by dialect."),
    ];
    for (index, (name, help)) in families.into_iter().enumerate() {
        out.family(name, Gauge, help);
        for dialect in Dialect::ALL {
            out.sample(&[("dialect", dialect.name())], posted.proofs.get(&dialect).map_or(0, |counts| counts[index]));
        }
    }
    out.single("volley_lobbies", Gauge, "Lobbies that are open.", posted.lobbies.len());
    out.single("volley_lobbies_total", Counter, "Lobbies opened.", posted.counters.lobbies);
}

fn ticks(out: &mut Exposition, posted: &Posted) {
    out.single("volley_ticks_total", Counter, "Ticks of lobbies.", posted.counters.ticks);
    let help = "Ticks left out because the node was too late for them.";
    out.single("volley_ticks_skipped_total", Counter, help, posted.counters.ticks_skipped);
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

fn traffic(out: &mut Exposition, counters: &Counters) {
    for (name, help, count) in TRAFFIC {
        out.family(name, Counter, help);
        for dialect in Dialect::ALL {
            out.sample(&[("dialect", dialect.name())], counters.dialects.get(&dialect).map_or(0, count));
        }
    }
}

fn drops(out: &mut Exposition, counters: &Counters) {
    out.family("volley_drops_total", Counter, "What arrived, or was to be sent, and went nowhere, by reason.");
    for (dialect, counters) in &counters.dialects {
        for (why, count) in &counters.drops {
            out.sample(&[("dialect", dialect.name()), ("reason", why.name())], count);
        }
    }
}

fn shards(out: &mut Exposition, posted: &Posted) {
    out.family("volley_shard_sessions", Gauge, "Players whose sessions a shard serves.");
    for (index, shard) in posted.shards.iter().enumerate() {
        out.sample(&[("shard", &index.to_string())], shard.sessions);
    }
    out.family("volley_shard_lobbies", Gauge, "Lobbies of a shard.");
    for (index, shard) in posted.shards.iter().enumerate() {
        out.sample(&[("shard", &index.to_string())], shard.lobbies);
    }
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
    let help = "HTTP connections closed at once because there were too many.";
    out.single("volley_http_refused_total", Counter, help, parts.crowd.turned_away());
}
