//! What a node tells over HTTP: whether it is well, its lobbies, its metrics. It reads the board and nothing else.

use std::{
    fmt::Write,
    net::{SocketAddr, TcpListener},
};

use anyhow::Context;
use axum::{
    Json, Router,
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};

use crate::{
    board::{Board, Lobby, Posted},
    core::Histogram,
};

/// Listens for HTTP and serves on a thread of its own for as long as the process lives. Returns its address.
pub fn serve(address: SocketAddr, board: Board) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind(address)
        .with_context(|| format!("cannot open the HTTP port {}; choose another with --http PORT", address.port()))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("http".into()).spawn(move || {
        runtime.block_on(async move {
            let served = match tokio::net::TcpListener::from_std(listener) {
                Ok(listener) => axum::serve(listener, routes(board)).await,
                Err(error) => Err(error),
            };
            if let Err(error) = served {
                tracing::error!(%error, "HTTP ended; the game goes on");
            }
        });
    })?;
    Ok(address)
}

fn routes(board: Board) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/api/lobbies", get(lobbies))
        .route("/api/lobbies/{id}", get(lobby))
        .route("/metrics", get(metrics))
        .with_state(board)
}

async fn lobbies(State(board): State<Board>) -> Json<Vec<Lobby>> {
    Json(board.read().await.lobbies)
}

async fn lobby(State(board): State<Board>, Path(id): Path<String>) -> Response {
    let found = board.read().await.lobbies.into_iter().find(|lobby| lobby.id.eq_ignore_ascii_case(&id));
    match found {
        Some(lobby) => Json(lobby).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such lobby\n").into_response(),
    }
}

async fn metrics(State(board): State<Board>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], prometheus(&board.read().await))
}

/// The metrics in Prometheus' text format.
fn prometheus(posted: &Posted) -> String {
    let mut text = String::new();
    gauge(&mut text, "volley_lobbies", "Lobbies that are open.", posted.lobbies.len() as u64);
    counter(&mut text, "volley_ticks_total", "Ticks of lobbies.", posted.counters.ticks);
    let skipped = posted.counters.ticks_skipped;
    counter(&mut text, "volley_ticks_skipped_total", "Ticks left out because the node was late.", skipped);
    players(&mut text, &posted.lobbies);
    shards(&mut text, posted);
    for ((dialect, counters), census) in posted.counters.dialects().zip(posted.census) {
        let dialect = dialect.name();
        let totals = [
            ("volley_datagrams_in_total", counters.datagrams_in),
            ("volley_bytes_in_total", counters.bytes_in),
            ("volley_datagrams_out_total", counters.datagrams_out),
            ("volley_bytes_out_total", counters.bytes_out),
            ("volley_sessions_total", counters.sessions),
            ("volley_oddities_total", counters.oddities),
            ("volley_retransmissions_total", counters.retransmissions + census.retransmissions),
            ("volley_sessions_proved", census.proved),
            ("volley_sessions_unproved", census.unproved),
        ];
        for (name, total) in totals {
            let _ = writeln!(text, "{name}{{dialect=\"{dialect}\"}} {total}");
        }
        for (why, total) in counters.drops() {
            let _ = writeln!(text, "volley_drops_total{{dialect=\"{dialect}\",reason=\"{}\"}} {total}", why.name());
        }
    }
    text
}

/// What the shards have to do, how late they are, and what they hand each other.
fn shards(text: &mut String, posted: &Posted) {
    let counters = &posted.counters;
    counter(text, "volley_handovers_total", "Datagrams handed to another shard.", counters.handovers);
    counter(text, "volley_lobbies_broken_total", "Lobbies closed after a panic.", counters.lobbies_broken);
    // Lateness below a tenth of a millisecond is the system's own.
    histogram(text, "volley_tick_lateness_seconds", "How late ticks began.", &counters.lateness, 2);
    histogram(text, "volley_tick_seconds", "How long ticks took.", &counters.tick_time, 0);
    for (shard, load) in posted.shards.iter().enumerate() {
        let busy = load.busy.as_secs_f64();
        let _ = writeln!(text, "volley_shard_busy_seconds_total{{shard=\"{shard}\"}} {busy}");
        let _ = writeln!(text, "volley_shard_sessions{{shard=\"{shard}\"}} {}", load.sessions);
        let _ = writeln!(text, "volley_shard_lobbies{{shard=\"{shard}\"}} {}", load.lobbies);
    }
}

/// A histogram without its first few buckets.
fn histogram(text: &mut String, name: &str, help: &str, histogram: &Histogram, skipped: usize) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} histogram");
    for (bound, count) in histogram.up_to().skip(skipped) {
        let _ = writeln!(text, "{name}_bucket{{le=\"{}\"}} {count}", bound.as_secs_f64());
    }
    let (count, sum) = (histogram.count(), histogram.sum().as_secs_f64());
    let _ = writeln!(text, "{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_sum {sum}\n{name}_count {count}");
}

fn players(text: &mut String, lobbies: &[Lobby]) {
    for dialect in protocol::Dialect::ALL {
        let all = lobbies.iter().flat_map(|lobby| &lobby.players);
        let count = all.filter(|player| player.dialect == dialect.name()).count();
        let _ = writeln!(text, "volley_players{{dialect=\"{}\"}} {count}", dialect.name());
    }
}

fn gauge(text: &mut String, name: &str, help: &str, value: u64) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
}

fn counter(text: &mut String, name: &str, help: &str, value: u64) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} counter\n{name} {value}");
}
