//! Recorded games, as files.

use axum::{
    body::Bytes,
    extract::{Path, State},
    http::header,
    response::IntoResponse,
};
use protocol::{GameId, RecordingKey};
use replay::EXTENSION;

use super::{HttpState, Problem};
use crate::archive::Match;

/// `GET /api/replays/ID`: the recording of a game that is over. The id is that of a game or, for whoever played it alone, a key that
/// nobody else knows.
pub async fn replay(State(state): State<HttpState>, Path(id): Path<String>) -> Result<impl IntoResponse, Problem> {
    let bytes = read(&state, &id).await;
    let bytes =
        bytes.ok_or_else(|| Problem::not_found("no such replay; those of GET /api/matches have a link to theirs"))?;
    let kept = format!("attachment; filename=\"{id}.{EXTENSION}\"");
    Ok(([(header::CONTENT_TYPE, "application/octet-stream".to_owned()), (header::CONTENT_DISPOSITION, kept)], bytes))
}

async fn read(state: &HttpState, id: &str) -> Option<Bytes> {
    let recordings = state.parts.recordings.clone();
    if let Some(key) = RecordingKey::from_digits(id) {
        return recordings.solo(key).map(Bytes::from_owner);
    }
    let game = game(id).filter(|&game| recordings.has(game))?;
    tokio::task::spawn_blocking(move || recordings.read(game)).await.ok()?.map(Bytes::from)
}

/// Adds to each game where its recording is, if there is one.
pub fn add_links(state: &HttpState, mut matches: Vec<Match>) -> Vec<Match> {
    let recordings = &state.parts.recordings;
    for found in &mut matches {
        let id = found.game.as_deref().filter(|id| game(id).is_some_and(|game| recordings.has(game)));
        found.replay = id.map(|id| format!("/api/replays/{id}"));
    }
    matches
}

/// 16 hexadecimal digits, as everywhere in the API.
fn game(id: &str) -> Option<GameId> {
    let is_id = id.len() == 16 && id.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    u64::from_str_radix(id, 16).ok().filter(|_| is_id).map(GameId)
}
