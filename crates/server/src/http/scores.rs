//! High scores and the history of matches, from the archive.

use axum::{
    Json,
    extract::{Query, State, rejection::QueryRejection},
};
use serde::Deserialize;

use super::{HttpState, Problem};
use crate::archive::{self, Match, Unavailable};

const LIMIT_DEFAULT: u32 = 10;
const LIMIT_MAX: u32 = 100;
const STAGE_MAX_CHARS: usize = 64;

/// The query of a request for high scores.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoresParameters {
    stage: Option<String>,
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

/// `GET /api/scores`: the best games of each stage, or of one, page by page.
pub async fn scores(
    State(state): State<HttpState>,
    parameters: Result<Query<ScoresParameters>, QueryRejection>,
) -> Result<Json<Vec<Match>>, Problem> {
    let Query(ScoresParameters { stage, after, limit }) = parameters.map_err(bad_request)?;
    if stage.is_none() && after.is_some() {
        return Err(Problem::bad_request("after needs stage: only one stage has pages"));
    }
    state.parts.archive.scores(query(stage, after, limit)?).await.map(Json).map_err(unavailable)
}

/// `GET /api/matches`: games, the newest first, page by page.
pub async fn matches(
    State(state): State<HttpState>,
    parameters: Result<Query<MatchesParameters>, QueryRejection>,
) -> Result<Json<Vec<Match>>, Problem> {
    let Query(MatchesParameters { stage, before, limit }) = parameters.map_err(bad_request)?;
    state.parts.archive.matches(query(stage, before, limit)?).await.map(Json).map_err(unavailable)
}

fn query(stage: Option<String>, after: Option<i64>, limit: Option<u32>) -> Result<archive::Query, Problem> {
    let limit = limit.unwrap_or(LIMIT_DEFAULT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(Problem::bad_request(format!("limit must be a number from 1 to {LIMIT_MAX}")));
    }
    if stage.as_ref().is_some_and(|stage| stage.chars().count() > STAGE_MAX_CHARS) {
        return Err(Problem::bad_request(format!("stage must have at most {STAGE_MAX_CHARS} characters")));
    }
    Ok(archive::Query { stage, after, limit })
}

fn bad_request(rejection: QueryRejection) -> Problem {
    Problem::bad_request(rejection.body_text())
}

fn unavailable(_: Unavailable) -> Problem {
    Problem::unavailable("the archive cannot be read right now; try again later")
}
