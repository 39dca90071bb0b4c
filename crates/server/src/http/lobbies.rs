//! The lobbies, as everybody may see them.

use axum::{
    Json,
    extract::{Path, State},
};

use super::{HttpState, Problem};
use crate::overview::Lobby;

/// `GET /api/lobbies`: all but private ones, the oldest first.
pub async fn lobbies(State(state): State<HttpState>) -> Json<Vec<Lobby>> {
    let mut lobbies = state.parts.overview.read().await.lobbies;
    lobbies.retain(|lobby| !lobby.is_private);
    Json(lobbies)
}

/// `GET /api/lobbies/ID`: one of them.
pub async fn lobby(State(state): State<HttpState>, Path(id): Path<String>) -> Result<Json<Lobby>, Problem> {
    let found = state.parts.overview.read().await.lobbies.into_iter().find(|lobby| lobby.id.eq_ignore_ascii_case(&id));
    found.map(Json).ok_or_else(|| Problem::not_found("no such lobby; GET /api/lobbies lists the public ones"))
}
