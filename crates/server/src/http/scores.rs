//! High scores and the history of matches, from the archive.

use axum::{
    Json,
    extract::{Query, State, rejection::QueryRejection},
};
use game::{Difficulty, Mode, SEATS};
use protocol::utc_day::is_date;
use serde::Deserialize;

use super::{HttpState, Problem, replays::add_links};
use crate::archive::{self, Match, Unavailable};

const LIMIT_DEFAULT: u32 = 10;
const LIMIT_MAX: u32 = 100;
const STAGE_MAX_CHARS: usize = 64;

/// The query of a request for high scores.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoresParameters {
    mode: Option<String>,
    stage: Option<String>,
    difficulty: Option<String>,
    players: Option<u8>,
    day: Option<String>,
    after: Option<i64>,
    limit: Option<u32>,
}

/// The query of a request for games.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchesParameters {
    stage: Option<String>,
    before: Option<i64>,
    limit: Option<u32>,
}

/// `GET /api/scores`: the best games of all tables that the filters leave, page by page.
pub async fn scores(
    State(state): State<HttpState>,
    parameters: Result<Query<ScoresParameters>, QueryRejection>,
) -> Result<Json<Vec<Match>>, Problem> {
    let Query(parameters) = parameters.map_err(bad_request)?;
    let ScoresParameters { mode, stage, difficulty, players, day, after, limit } = parameters;
    one_of("mode", mode.as_deref(), &Mode::NAMES)?;
    one_of("difficulty", difficulty.as_deref(), &Difficulty::ALL.map(Difficulty::name))?;
    if players.is_some_and(|players| !(1..=SEATS).contains(&usize::from(players))) {
        return Err(Problem::bad_request("players must be a number from 1 to 4"));
    }
    if day.as_ref().is_some_and(|day| !is_date(day)) {
        return Err(Problem::bad_request("day must be a date such as 2026-11-16"));
    }
    if day.is_some() && mode.as_deref() != Some("daily") {
        return Err(Problem::bad_request("day needs mode=daily"));
    }
    let query = archive::Query { mode, difficulty, players, day, ..query(stage, after, limit)? };
    let scores = state.parts.archive.scores(query).await.map_err(unavailable)?;
    Ok(Json(add_links(&state, scores)))
}

fn one_of(name: &str, given: Option<&str>, known: &[&str]) -> Result<(), Problem> {
    match given {
        Some(given) if !known.contains(&given) => {
            Err(Problem::bad_request(format!("{name} must be one of {}", known.join(", "))))
        }
        _ => Ok(()),
    }
}

/// `GET /api/matches`: games, the newest first, page by page.
pub async fn matches(
    State(state): State<HttpState>,
    parameters: Result<Query<MatchesParameters>, QueryRejection>,
) -> Result<Json<Vec<Match>>, Problem> {
    let Query(MatchesParameters { stage, before, limit }) = parameters.map_err(bad_request)?;
    let matches = state.parts.archive.matches(query(stage, before, limit)?).await.map_err(unavailable)?;
    Ok(Json(add_links(&state, matches)))
}

fn query(stage: Option<String>, after: Option<i64>, limit: Option<u32>) -> Result<archive::Query, Problem> {
    let limit = limit.unwrap_or(LIMIT_DEFAULT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(Problem::bad_request(format!("limit must be a number from 1 to {LIMIT_MAX}")));
    }
    if stage.as_ref().is_some_and(|stage| stage.chars().count() > STAGE_MAX_CHARS) {
        return Err(Problem::bad_request(format!("stage must have at most {STAGE_MAX_CHARS} characters")));
    }
    Ok(archive::Query { stage, after, limit, ..archive::Query::default() })
}

fn bad_request(rejection: QueryRejection) -> Problem {
    Problem::bad_request(rejection.body_text())
}

fn unavailable(_: Unavailable) -> Problem {
    Problem::unavailable("the archive cannot be read right now; try again later")
}
