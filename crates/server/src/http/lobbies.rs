//! The lobbies, as everybody may see them. A private one is shown only to somebody who knows its code.

use std::net::SocketAddr;

use axum::{
    Json,
    extract::{ConnectInfo, Path, State},
};

use super::{HttpState, Problem};
use crate::overview::LobbyOverview;

/// `GET /api/lobbies`: all but private ones, the oldest first.
pub async fn lobbies(State(state): State<HttpState>) -> Json<Vec<LobbyOverview>> {
    Json(state.parts.overview.read().await.lobbies)
}

/// `GET /api/lobbies/ID`: one of them. Wrong codes are limited, so that nobody finds a private lobby by trying.
pub async fn lobby(
    State(state): State<HttpState>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Path(id): Path<String>,
) -> Result<Json<LobbyOverview>, Problem> {
    // Whoever has to wait costs the shards nothing: what others have read will do.
    let overview = match state.lobby_guesses.allow(from.ip()) {
        true => state.parts.overview.read().await,
        false => state.parts.overview.last(),
    };
    if let Some(lobby) = overview.lobbies.iter().find(|lobby| lobby.id.eq_ignore_ascii_case(&id)) {
        return Ok(Json(lobby.clone()));
    }
    let found = state.lobby_guesses.guess(from.ip(), || overview.lobby(&id).cloned())?;
    found.map(Json).ok_or_else(|| Problem::not_found("no such lobby; GET /api/lobbies lists the public ones"))
}
