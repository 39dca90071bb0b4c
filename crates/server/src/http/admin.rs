//! What only the host may see and do, under `/admin`, with a bearer token. It is never taken from an address, and no
//! page of another site is allowed to ask.

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

use super::{Front, Problem};
use crate::{
    core::{BANS_MAX, Bans, Order, Range, SessionView},
    data::DataDir,
    ending::Ending,
    switchboard::Switchboard,
};

/// The host's part of a node.
pub struct Admin {
    token: String,
    switchboard: Switchboard,
    ending: Ending,
    bans: Mutex<BTreeSet<Range>>,
    data: Option<DataDir>,
    refused: AtomicU64,
}

impl Admin {
    /// With these bans in force already.
    pub fn new(
        token: String,
        switchboard: Switchboard,
        ending: Ending,
        bans: Vec<Range>,
        data: Option<DataDir>,
    ) -> Admin {
        let bans = Mutex::new(bans.into_iter().collect());
        Admin { token, switchboard, ending, bans, data, refused: AtomicU64::new(0) }
    }

    /// How often somebody came without the token.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    fn knows(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.as_bytes().split_first_chunk::<7>());
        // How long the comparison takes tells nothing of where two tokens differ.
        given.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case(b"bearer ") && bool::from(token.ct_eq(self.token.as_bytes()))
        })
    }

    /// Changes what is banned, everywhere and on disk. Whether it is kept on disk.
    fn change_bans(&self, change: impl FnOnce(&mut BTreeSet<Range>) -> Result<(), Problem>) -> Result<bool, Problem> {
        let mut bans = self.bans.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut bans)?;
        self.switchboard.tell(&Order::Ban(Arc::new(Bans::new(bans.iter()))));
        let Some(data) = &self.data else { return Ok(false) };
        let ranges: Vec<Range> = bans.iter().copied().collect();
        let kept = data.keep_bans(&ranges);
        if let Err(error) = &kept {
            tracing::error!(target: "host", %error, "the bans are in force but cannot be kept on disk");
        }
        Ok(kept.is_ok())
    }
}

/// Lets nobody without the token see what is under `/admin`, not even what there is.
pub async fn guard(State(front): State<Front>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_guarded = path == "/admin" || path.starts_with("/admin/");
    if !is_guarded || front.0.admin.knows(request.headers()) {
        return next.run(request).await;
    }
    front.0.admin.refused.fetch_add(1, Ordering::Relaxed);
    let peer = request.extensions().get().map(|ConnectInfo(peer): &ConnectInfo<SocketAddr>| *peer);
    tracing::warn!(?peer, "somebody without the token asked for the host's part");
    let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
    let problem = Problem::new(StatusCode::UNAUTHORIZED, "this needs the header Authorization: Bearer TOKEN");
    (challenge, problem).into_response()
}

/// A player, as the host sees them.
#[derive(Debug, Serialize)]
pub struct Session {
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

impl Session {
    fn new(view: SessionView, now_seconds: u64) -> Session {
        Session {
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

/// `GET /admin/sessions`: every player.
pub async fn sessions(State(front): State<Front>) -> Json<Vec<Session>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let sessions = front.0.board.read_now().await.sessions;
    Json(sessions.into_iter().map(|view| Session::new(view, now)).collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kick {
    lobby: String,
    seat: u8,
}

/// `POST /admin/kick`: throws a player out.
pub async fn kick(State(front): State<Front>, body: Bytes) -> Result<StatusCode, Problem> {
    let kick: Kick = parse(&body)?;
    let lobby = known_lobby(&front, &kick.lobby).await?;
    let seat = Seat::new(kick.seat).ok_or_else(|| Problem::bad_request("a seat is a number from 0 to 3"))?;
    let sessions = front.0.board.read_now().await.sessions;
    let is_in = |name: &Option<String>| name.as_deref().is_some_and(|name| LobbyId::new(name) == Ok(lobby));
    if !sessions.iter().any(|session| session.seat == Some(seat) && is_in(&session.lobby)) {
        return Err(Problem::not_found("nobody sits there"));
    }
    front.0.admin.switchboard.tell(&Order::Kick { lobby, seat });
    tracing::info!(target: "host", %lobby, seat = seat.number(), "the host throws a player out");
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /admin/lobbies/ID/close`: ends a lobby and the sessions in it.
pub async fn close_lobby(State(front): State<Front>, Path(id): Path<String>) -> Result<StatusCode, Problem> {
    let lobby = known_lobby(&front, &id).await?;
    front.0.admin.switchboard.tell(&Order::CloseLobby(lobby));
    Ok(StatusCode::NO_CONTENT)
}

/// `GET /admin/bans`: every range that is not served.
pub async fn bans(State(front): State<Front>) -> Json<Vec<String>> {
    let bans = front.0.admin.bans.lock().unwrap_or_else(PoisonError::into_inner);
    Json(bans.iter().map(Range::to_string).collect())
}

/// A range that was banned, or is free again.
#[derive(Debug, Serialize)]
pub struct Changed {
    range: String,
    kept: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    range: String,
}

impl Asked {
    fn range(&self) -> Result<Range, Problem> {
        self.range.parse().map_err(|why| Problem::bad_request(format!("{:?}: {why}", self.range)))
    }
}

/// `POST /admin/bans`: serves nobody of a range from now on.
pub async fn ban(State(front): State<Front>, body: Bytes) -> Result<Json<Changed>, Problem> {
    let range = parse::<Asked>(&body)?.range()?;
    let kept = front.0.admin.change_bans(|bans| {
        if bans.len() >= BANS_MAX && !bans.contains(&range) {
            return Err(Problem::new(StatusCode::CONFLICT, format!("there are {BANS_MAX} ranges already: lift some")));
        }
        bans.insert(range);
        Ok(())
    })?;
    tracing::info!(target: "host", %range, "the host bans a range");
    Ok(Json(Changed { range: range.to_string(), kept }))
}

/// `DELETE /admin/bans?range=R`: serves a range again.
pub async fn lift(
    State(front): State<Front>,
    asked: Result<Query<Asked>, QueryRejection>,
) -> Result<Json<Changed>, Problem> {
    let Query(asked) = asked.map_err(|rejection| Problem::bad_request(rejection.body_text()))?;
    let range = asked.range()?;
    let kept = front.0.admin.change_bans(|bans| match bans.remove(&range) {
        true => Ok(()),
        false => Err(Problem::not_found("this very range is not banned; GET /admin/bans lists those that are")),
    })?;
    tracing::info!(target: "host", %range, "the host lifts a ban");
    Ok(Json(Changed { range: range.to_string(), kept }))
}

/// `POST /admin/drain`: no new lobbies, and an end when the node is empty.
pub async fn drain(State(front): State<Front>) -> StatusCode {
    front.0.admin.ending.drain(None);
    StatusCode::ACCEPTED
}

async fn known_lobby(front: &Front, id: &str) -> Result<LobbyId, Problem> {
    let lobbies = front.0.board.read_now().await.lobbies;
    let is_known = lobbies.iter().any(|lobby| lobby.id.eq_ignore_ascii_case(id));
    let id = LobbyId::new(id).ok().filter(|_| is_known);
    id.ok_or_else(|| Problem::not_found("there is no such lobby"))
}

fn parse<T: DeserializeOwned>(body: &Bytes) -> Result<T, Problem> {
    serde_json::from_slice(body)
        .map_err(|error| Problem::bad_request(format!("the body is not as it should be: {error}")))
}
