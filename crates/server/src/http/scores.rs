//! High scores and the history of matches, from the archive.

use axum::{
    Json,
    extract::{Query, State, rejection::QueryRejection},
};
use game::{Difficulty, Mode, SEATS};
use serde::Deserialize;

use super::{HttpState, Problem};
use crate::{
    archive::{self, Match, Unavailable},
    utc_day::is_date,
};

const LIMIT_DEFAULT: u32 = 10;
const LIMIT_MAX: u32 = 100;
const STAGE_MAX_CHARS: usize = 64;

/// The query of a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    mode: Option<String>,
    stage: Option<String>,
    difficulty: Option<String>,
    players: Option<u8>,
    day: Option<String>,
    before: Option<i64>,
    limit: Option<u32>,
}

/// `GET /api/scores`: the best games, of those that the filters leave.
pub async fn scores(
    State(state): State<HttpState>,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Json<Vec<Match>>, Problem> {
    let query = query(parameters)?;
    if query.before.is_some() {
        return Err(Problem::bad_request("unknown parameter before; only /api/matches has it"));
    }
    state.parts.archive.scores(query).await.map(Json).map_err(unavailable)
}

/// `GET /api/matches`: games, the newest first.
pub async fn matches(
    State(state): State<HttpState>,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Json<Vec<Match>>, Problem> {
    state.parts.archive.matches(query(parameters)?).await.map(Json).map_err(unavailable)
}

fn query(parameters: Result<Query<Parameters>, QueryRejection>) -> Result<archive::Query, Problem> {
    let Query(parameters) = parameters.map_err(|rejection| Problem::bad_request(rejection.body_text()))?;
    let limit = parameters.limit.unwrap_or(LIMIT_DEFAULT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(Problem::bad_request(format!("limit must be a number from 1 to {LIMIT_MAX}")));
    }
    if parameters.stage.as_ref().is_some_and(|stage| stage.chars().count() > STAGE_MAX_CHARS) {
        return Err(Problem::bad_request(format!("stage must have at most {STAGE_MAX_CHARS} characters")));
    }
    let Parameters { mode, stage, difficulty, players, day, before, .. } = parameters;
    one_of("mode", mode.as_deref(), &Mode::NAMES)?;
    one_of("difficulty", difficulty.as_deref(), &Difficulty::ALL.map(Difficulty::name))?;
    if players.is_some_and(|players| !(1..=SEATS).contains(&usize::from(players))) {
        return Err(Problem::bad_request("players must be a number from 1 to 4"));
    }
    if day.as_ref().is_some_and(|day| !is_date(day)) {
        return Err(Problem::bad_request("day must be a date such as 2026-11-16"));
    }
    Ok(archive::Query { mode, stage, difficulty, players, day, before, limit })
}

fn one_of(name: &str, given: Option<&str>, known: &[&str]) -> Result<(), Problem> {
    match given {
        Some(given) if !known.contains(&given) => {
            Err(Problem::bad_request(format!("{name} must be one of {}", known.join(", "))))
        }
        _ => Ok(()),
    }
}

fn unavailable(_: Unavailable) -> Problem {
    Problem::unavailable("the archive cannot be read right now; try again later")
}
