//! The lobbies, as anybody may see them.

use axum::{
    Json,
    extract::{Path, State},
};

use super::{Front, Problem};
use crate::board::Lobby;

/// `GET /api/lobbies`: all but private ones, the oldest first.
pub async fn lobbies(State(front): State<Front>) -> Json<Vec<Lobby>> {
    let mut lobbies = front.0.board.read().await.lobbies;
    lobbies.retain(|lobby| !lobby.is_private);
    Json(lobbies)
}

/// `GET /api/lobbies/ID`: one of them.
pub async fn lobby(State(front): State<Front>, Path(id): Path<String>) -> Result<Json<Lobby>, Problem> {
    let found = front.0.board.read().await.lobbies.into_iter().find(|lobby| lobby.id.eq_ignore_ascii_case(&id));
    found.map(Json).ok_or_else(|| Problem::not_found("there is no such lobby"))
}
