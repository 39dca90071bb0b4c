//! What only the host may see and do, under `/admin`, with a bearer token. The token is never read from a URL, and pages
//! of other sites cannot ask.

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use axum::{
    Json,
    body::Bytes,
    extract::{ConnectInfo, Path, Query, Request, State, rejection::QueryRejection},
    http::{HeaderMap, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use game::Seat;
use protocol::LobbyId;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use subtle::ConstantTimeEq;

use super::{HttpState, Problem};
use crate::{
    archive::Forgotten,
    core::{BANS_MAX, Bans, Order, Range, SessionView},
    data::DataDir,
    order_sender::OrderSender,
};

/// What admin requests need.
pub struct Admin {
    /// None: nobody may administer the node over HTTP.
    token: Option<String>,
    order_sender: OrderSender,
    bans: Mutex<BTreeSet<Range>>,
    data: Option<DataDir>,
    refused: AtomicU64,
}

impl Admin {
    /// Starts with these bans, which the shards already know.
    pub fn new(token: Option<String>, order_sender: OrderSender, bans: Vec<Range>, data: Option<DataDir>) -> Admin {
        let bans = Mutex::new(bans.into_iter().collect());
        Admin { token, order_sender, bans, data, refused: AtomicU64::new(0) }
    }

    /// How many requests came without the token.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    fn is_token(&self, given: &[u8]) -> bool {
        // The time that the comparison takes does not tell where two tokens differ.
        self.token.as_ref().is_some_and(|token| given.ct_eq(token.as_bytes()).into())
    }

    /// Changes the bans, on all shards and on disk. Whether they could be saved.
    fn change_bans(&self, change: impl FnOnce(&mut BTreeSet<Range>) -> Result<(), Problem>) -> Result<bool, Problem> {
        let mut bans = self.bans.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut bans)?;
        self.order_sender.send(&Order::Ban(Arc::new(Bans::new(bans.iter()))));
        let Some(data) = &self.data else { return Ok(false) };
        let ranges: Vec<Range> = bans.iter().copied().collect();
        let kept = data.save_bans(&ranges);
        if let Err(error) = &kept {
            tracing::error!(target: "host", %error, "cannot save the bans; they are in force until the node ends");
        }
        Ok(kept.is_ok())
    }
}

/// Without the token nothing under `/admin` can be seen, not even which paths exist.
pub async fn guard(State(state): State<HttpState>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_guarded = path == "/admin" || path.starts_with("/admin/");
    if !is_guarded {
        return next.run(request).await;
    }
    let admin = &state.parts.admin;
    let peer = request.extensions().get().map(|ConnectInfo(peer): &ConnectInfo<SocketAddr>| *peer);
    let problem = match given_token(request.headers()).zip(peer) {
        Some((token, peer)) => match state.token_guesses.guess(peer.ip(), || admin.is_token(token).then_some(())) {
            Ok(Some(())) => return next.run(request).await,
            Ok(None) => unauthorized(admin),
            Err(problem) => problem,
        },
        None => unauthorized(admin),
    };
    admin.refused.fetch_add(1, Ordering::Relaxed);
    tracing::warn!(?peer, "unauthenticated admin request");
    let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
    (challenge, problem).into_response()
}

/// The token of a request, right or wrong.
fn given_token(headers: &HeaderMap) -> Option<&[u8]> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.as_bytes().split_first_chunk::<7>()?;
    scheme.eq_ignore_ascii_case(b"bearer ").then_some(token)
}

fn unauthorized(admin: &Admin) -> Problem {
    let why = match admin.token {
        Some(_) => "admin token missing or wrong; send the header Authorization: Bearer TOKEN",
        None => "this node has no admin token; start it with --data DIR, or with admin_token in a --config file",
    };
    Problem::new(StatusCode::UNAUTHORIZED, why)
}

/// A session, as the host sees it.
#[derive(Debug, Serialize)]
pub struct SessionOverview {
    address: SocketAddr,
    dialect: &'static str,
    lobby: Option<String>,
    seat: Option<u8>,
    name: String,
    seconds: u64,
    bytes_in: u64,
    bytes_out: u64,
    proved: bool,
}

impl SessionOverview {
    fn new(view: SessionView, now_seconds: u64) -> SessionOverview {
        SessionOverview {
            address: SocketAddr::new(view.address.ip().to_canonical(), view.address.port()),
            dialect: view.dialect.name(),
            lobby: view.lobby,
            seat: view.seat.map(Seat::number),
            name: view.name,
            seconds: now_seconds.saturating_sub(view.opened.seconds()),
            bytes_in: view.bytes_in,
            bytes_out: view.bytes_out,
            proved: view.is_proved,
        }
    }
}

/// `GET /admin/sessions`: every session.
pub async fn sessions(State(state): State<HttpState>) -> Json<Vec<SessionOverview>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let sessions = state.parts.overview.read_now().await.sessions;
    Json(sessions.into_iter().map(|view| SessionOverview::new(view, now)).collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kick {
    lobby: String,
    seat: u8,
}

/// `POST /admin/kick`: ends a player's session.
pub async fn kick(State(state): State<HttpState>, body: Bytes) -> Result<StatusCode, Problem> {
    let kick: Kick = parse(&body)?;
    let lobby = known_lobby(&state, &kick.lobby).await?;
    let seat = Seat::new(kick.seat).ok_or_else(|| Problem::bad_request("seat must be a number from 0 to 3"))?;
    let sessions = state.parts.overview.read_now().await.sessions;
    let is_in = |name: &Option<String>| name.as_deref().is_some_and(|name| LobbyId::new(name) == Ok(lobby));
    if !sessions.iter().any(|session| session.seat == Some(seat) && is_in(&session.lobby)) {
        return Err(Problem::not_found("that seat is empty; GET /admin/sessions lists the players"));
    }
    state.parts.admin.order_sender.send(&Order::Kick { lobby, seat });
    tracing::info!(target: "host", seat = seat.number(), "the host kicks a player; the next line says where from");
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /admin/lobbies/ID/close`: closes a lobby and ends the sessions in it.
pub async fn close_lobby(State(state): State<HttpState>, Path(id): Path<String>) -> Result<StatusCode, Problem> {
    let lobby = known_lobby(&state, &id).await?;
    state.parts.admin.order_sender.send(&Order::CloseLobby(lobby));
    Ok(StatusCode::NO_CONTENT)
}

/// `GET /admin/bans`: every banned range.
pub async fn bans(State(state): State<HttpState>) -> Json<Vec<String>> {
    let bans = state.parts.admin.bans.lock().unwrap_or_else(PoisonError::into_inner);
    Json(bans.iter().map(Range::to_string).collect())
}

/// The answer to a ban or its end: `kept` says whether it was saved to disk.
#[derive(Debug, Serialize)]
pub struct ChangedBan {
    range: String,
    kept: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BanRequest {
    range: String,
}

impl BanRequest {
    fn range(&self) -> Result<Range, Problem> {
        self.range.parse().map_err(|why| Problem::bad_request(format!("{:?}: {why}", self.range)))
    }
}

/// `POST /admin/bans`: bans a range of addresses.
pub async fn ban(State(state): State<HttpState>, body: Bytes) -> Result<Json<ChangedBan>, Problem> {
    let range = parse::<BanRequest>(&body)?.range()?;
    let kept = state.parts.admin.change_bans(|bans| {
        if bans.len() >= BANS_MAX && !bans.contains(&range) {
            return Err(Problem::new(
                StatusCode::CONFLICT,
                format!("there are already {BANS_MAX} bans; lift some first"),
            ));
        }
        bans.insert(range);
        Ok(())
    })?;
    tracing::info!(target: "host", %range, "the host banned a range");
    Ok(Json(ChangedBan { range: range.to_string(), kept }))
}

/// `DELETE /admin/bans?range=R`: lifts a ban.
pub async fn lift(
    State(state): State<HttpState>,
    request: Result<Query<BanRequest>, QueryRejection>,
) -> Result<Json<ChangedBan>, Problem> {
    let Query(request) = request.map_err(|rejection| Problem::bad_request(rejection.body_text()))?;
    let range = request.range()?;
    let kept = state.parts.admin.change_bans(|bans| match bans.remove(&range) {
        true => Ok(()),
        false => Err(Problem::not_found("this exact range is not banned; GET /admin/bans lists the bans")),
    })?;
    tracing::info!(target: "host", %range, "the host lifted a ban");
    Ok(Json(ChangedBan { range: range.to_string(), kept }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerName {
    name: String,
}

/// What became of a player's records.
#[derive(Debug, Serialize)]
pub struct ForgottenPlayer {
    name: String,
    games: usize,
    names: usize,
}

/// `DELETE /admin/players?name=NAME`: takes a player out of all records.
pub async fn forget_player(
    State(state): State<HttpState>,
    request: Result<Query<PlayerName>, QueryRejection>,
) -> Result<Json<ForgottenPlayer>, Problem> {
    let Query(PlayerName { name }) = request.map_err(|rejection| Problem::bad_request(rejection.body_text()))?;
    if name.is_empty() {
        return Err(Problem::bad_request("name must not be empty"));
    }
    let forgotten = state.parts.archive.forget(name.clone()).await;
    let Forgotten { games, names } =
        forgotten.map_err(|_| Problem::unavailable("the archive cannot be written right now; try again later"))?;
    if games + names == 0 {
        return Err(Problem::not_found("no record has this name; names are compared letter by letter"));
    }
    tracing::info!(target: "host", games, names, "the host deleted the records of a player");
    Ok(Json(ForgottenPlayer { name, games, names }))
}

/// `POST /admin/drain`: opens no new lobbies, and ends the node when it is empty.
pub async fn drain(State(state): State<HttpState>) -> StatusCode {
    state.parts.shutdown.retire();
    StatusCode::ACCEPTED
}

async fn known_lobby(state: &HttpState, id: &str) -> Result<LobbyId, Problem> {
    let is_known = state.parts.overview.read_now().await.lobby(id).is_some();
    let id = LobbyId::new(id).ok().filter(|_| is_known);
    id.ok_or_else(|| Problem::not_found("no such lobby"))
}

fn parse<T: DeserializeOwned>(body: &Bytes) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|error| Problem::bad_request(format!("cannot read the body: {error}")))
}
