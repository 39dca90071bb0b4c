//! High scores and the history of matches, from the archive.

use axum::{
    Json,
    extract::{Query, State, rejection::QueryRejection},
};
use serde::Deserialize;

use super::{Front, Problem};
use crate::archive::{self, Match, Unavailable};

const LIMIT_DEFAULT: u32 = 10;
const LIMIT_MAX: u32 = 100;
const STAGE_MAX_CHARS: usize = 64;

/// What may be asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    stage: Option<String>,
    before: Option<i64>,
    limit: Option<u32>,
}

/// `GET /api/scores`: the best games of each stage, or of one.
pub async fn scores(
    State(front): State<Front>,
    asked: Result<Query<Asked>, QueryRejection>,
) -> Result<Json<Vec<Match>>, Problem> {
    let query = query(asked)?;
    if query.before.is_some() {
        return Err(Problem::bad_request("before is for /api/matches"));
    }
    front.0.archive.scores(query).await.map(Json).map_err(unavailable)
}

/// `GET /api/matches`: games, the newest first.
pub async fn matches(
    State(front): State<Front>,
    asked: Result<Query<Asked>, QueryRejection>,
) -> Result<Json<Vec<Match>>, Problem> {
    front.0.archive.matches(query(asked)?).await.map(Json).map_err(unavailable)
}

fn query(asked: Result<Query<Asked>, QueryRejection>) -> Result<archive::Query, Problem> {
    let Query(asked) = asked.map_err(|rejection| Problem::bad_request(rejection.body_text()))?;
    let limit = asked.limit.unwrap_or(LIMIT_DEFAULT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(Problem::bad_request(format!("limit is a number from 1 to {LIMIT_MAX}")));
    }
    if asked.stage.as_ref().is_some_and(|stage| stage.chars().count() > STAGE_MAX_CHARS) {
        return Err(Problem::bad_request(format!("a stage's name has at most {STAGE_MAX_CHARS} characters")));
    }
    Ok(archive::Query { stage: asked.stage, before: asked.before, limit })
}

fn unavailable(_: Unavailable) -> Problem {
    Problem::unavailable("the archive cannot be read at the moment")
}
