//! WebTransport connections with streams that nobody reads: what a peer sends there, the node has to keep.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use anyhow::Context;
use wtransport::{ClientConfig, Connection, Endpoint, tls::Sha256Digest};

use super::{ATTACKER, AttackOutcome, Target};

/// Connections at once.
const LINKS: usize = 400;
const STREAMS_OF_EACH: usize = 8;
/// What is said over each stream, if it is taken.
static WORDS: [u8; 1 << 16] = [0x55; 1 << 16];
const STEP_MAX: Duration = Duration::from_millis(100);
const CONNECT_MAX: Duration = Duration::from_secs(2);

pub fn unread_streams(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    let offer: serde_json::Value = serde_json::from_str(&target.node.get("/api/transport")?)?;
    let door = &offer["webtransport"];
    let hash =
        read_hash(door["sha256"].as_str().unwrap_or_default()).context("the node has no certificate of its own")?;
    let url = format!("https://127.0.0.1:{}/volley", door["port"].as_u64().context("the node has no WebTransport")?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let held = runtime.block_on(hold(&url, hash, until))?;
    Ok(AttackOutcome::Done(held))
}

/// Hexadecimal digits.
fn read_hash(text: &str) -> Option<[u8; 32]> {
    let pairs = text.as_bytes().chunks(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok());
    pairs.collect::<Option<Vec<u8>>>()?.try_into().ok()
}

/// How many streams were opened.
async fn hold(url: &str, hash: [u8; 32], until: Instant) -> anyhow::Result<u64> {
    let config = ClientConfig::builder()
        .with_bind_address(SocketAddr::from((ATTACKER, 0)))
        .with_server_certificate_hashes([Sha256Digest::new(hash)])
        .build();
    let endpoint = Endpoint::client(config)?;
    let (mut held, mut streams) = (Vec::new(), Vec::new());
    while Instant::now() < until {
        if held.len() >= LINKS {
            tokio::time::sleep(STEP_MAX).await;
            continue;
        }
        // Refused, or too late: there is no room for another.
        let Ok(Ok(connection)) = tokio::time::timeout(CONNECT_MAX, endpoint.connect(url)).await else { continue };
        speak(&connection, &mut streams).await;
        held.push(connection);
    }
    Ok(streams.len() as u64)
}

/// Says as much as the node takes over as many streams as it takes.
async fn speak(connection: &Connection, streams: &mut Vec<wtransport::SendStream>) {
    for _ in 0..STREAMS_OF_EACH {
        let opened = async { connection.open_uni().await.ok()?.await.ok() };
        let Ok(Some(mut stream)) = tokio::time::timeout(STEP_MAX, opened).await else { return };
        // What does not fit is not said.
        let _ = tokio::time::timeout(STEP_MAX, stream.write_all(&WORDS)).await;
        streams.push(stream);
    }
}
