//! What can be played: the game of the day, and the stages with their checkpoints.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::{Json, extract::State};
use game::{Rules, Stage};
use protocol::{
    Time,
    utc_day::{date_of, day_of},
};
use serde::Serialize;

use super::HttpState;

/// Today's game.
#[derive(Debug, Serialize)]
pub struct Daily {
    /// The date, in UTC.
    day: String,
    /// What is different today.
    mutator: Option<&'static str>,
    /// Lives at first.
    lives: u8,
    /// Until the next one begins.
    seconds_left: u64,
}

/// `GET /api/daily`: the game of the day, which is the same on every node.
pub async fn daily() -> Json<Daily> {
    const DAY_SECONDS: u64 = 24 * 60 * 60;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let day = day_of(Time::from_micros(now.as_micros() as u64));
    let rules = Rules::of_day(day);
    Json(Daily {
        day: date_of(day),
        mutator: rules.mutator().map(game::Mutator::name),
        lives: rules.lives,
        seconds_left: DAY_SECONDS - now.as_secs() % DAY_SECONDS,
    })
}

/// A stage that a lobby may be created with.
#[derive(Debug, Serialize)]
pub struct PlayableStage {
    name: String,
    title: String,
    /// 1 and up; 0 for endless.
    number: u8,
    /// The names of its checkpoints, the beginning first: practice may start at each of them.
    checkpoints: Vec<String>,
}

/// `GET /api/stages`: every stage, by number.
pub async fn stages(State(state): State<HttpState>) -> Json<Vec<PlayableStage>> {
    let mut stages: Vec<&Stage> = state.parts.stages.iter().map(AsRef::as_ref).collect();
    stages.sort_by_key(|stage| stage.number);
    let playable = |stage: &Stage| PlayableStage {
        name: stage.name.clone(),
        title: stage.title.clone(),
        number: stage.number,
        checkpoints: stage.checkpoint_names.clone(),
    };
    Json(stages.into_iter().map(playable).collect())
}
