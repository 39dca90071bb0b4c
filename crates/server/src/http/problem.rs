//! An error as the API reports it: a status and one sentence.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Serialize;

/// An error answer.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    error: String,
}

#[derive(Serialize)]
struct Body<'a> {
    error: &'a str,
}

impl Problem {
    pub fn new(status: StatusCode, error: impl Into<String>) -> Problem {
        Problem { status, error: error.into() }
    }

    pub fn not_found(error: &str) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, error)
    }

    pub fn bad_request(error: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, error)
    }

    pub fn unavailable(error: &str) -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, error)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, Json(Body { error: &self.error })).into_response()
    }
}
