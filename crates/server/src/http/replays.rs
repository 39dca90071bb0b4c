//! Recorded games, as files.

use std::{
    fs::File,
    io::{self, Read},
};

use axum::{
    body::{Body, Bytes},
    extract::{Path, State},
    http::header,
    response::IntoResponse,
};
use futures_util::stream;
use protocol::{GameId, RecordingKey};
use replay::EXTENSION;

use super::{HttpState, Problem};
use crate::archive::Match;

/// What is read from the disk at once: that much of a recording is in memory for each reader.
const PIECE_BYTES: usize = 64 << 10;

/// `GET /api/replays/ID`: the recording of a game that is over. The id is that of a game or, for whoever played it alone, a key that
/// nobody else knows.
pub async fn replay(State(state): State<HttpState>, Path(id): Path<String>) -> Result<impl IntoResponse, Problem> {
    let (body, length) = open(&state, &id)
        .await
        .ok_or_else(|| Problem::not_found("no such replay; those of GET /api/matches have a link to theirs"))?;
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_LENGTH, length.to_string()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{id}.{EXTENSION}\"")),
    ];
    Ok((headers, body))
}

async fn open(state: &HttpState, id: &str) -> Option<(Body, u64)> {
    let recordings = state.parts.recordings.clone();
    if let Some(key) = RecordingKey::from_digits(id) {
        let bytes = Bytes::from_owner(recordings.solo(key)?);
        let length = bytes.len() as u64;
        return Some((Body::from(bytes), length));
    }
    let game = game(id).filter(|&game| recordings.has(game))?;
    let (file, length) = tokio::task::spawn_blocking(move || recordings.file(game)).await.ok()??;
    Some((Body::from_stream(stream::try_unfold(file.take(length), next_piece)), length))
}

/// The next piece of a file, and the rest of it. A disk may take a while, so a thread that nobody waits for reads it.
async fn next_piece(mut rest: io::Take<File>) -> io::Result<Option<(Bytes, io::Take<File>)>> {
    let read = tokio::task::spawn_blocking(move || {
        let mut piece = vec![0; PIECE_BYTES];
        let length = rest.read(&mut piece)?;
        piece.truncate(length);
        Ok((length > 0).then(|| (Bytes::from(piece), rest)))
    });
    read.await.map_err(io::Error::other)?
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
