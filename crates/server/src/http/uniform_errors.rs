//! Gives every error answer the same form, a [`Problem`], and rejects requests that no route may see.
//!
//! The framework answers in plain text if it cannot read a path, a query or a body. Here that becomes JSON as
//! `openapi.json` describes it, so that no route has to think of it.

use axum::{
    body::{HttpBody, to_bytes},
    extract::Request,
    http::{HeaderValue, StatusCode, Version, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{BODY_MAX_BYTES, Problem};

/// The longest message of the framework that is passed on.
const MESSAGE_MAX_BYTES: usize = 1024;
/// Load balancers read this one as plain text.
const HEALTH: &str = "/healthz";

/// Checks the request, and gives an error answer its form.
pub async fn apply(request: Request, next: Next) -> Response {
    if let Err(problem) = check(&request) {
        return problem.into_response();
    }
    let may_be_plain = request.uri().path() == HEALTH;
    let response = next.run(request).await;
    if may_be_plain || !is_error(response.status()) || is_json(&response) {
        return response;
    }
    into_problem(response).await
}

fn check(request: &Request) -> Result<(), Problem> {
    // RFC 9112, section 3.2.
    if request.version() == Version::HTTP_11 && request.headers().get_all(header::HOST).iter().count() != 1 {
        return Err(Problem::bad_request("an HTTP/1.1 request needs exactly one Host header"));
    }
    // A body that announces that it is too long is not read at all.
    match request.body().size_hint().lower() > BODY_MAX_BYTES as u64 {
        true => Err(too_long()),
        false => Ok(()),
    }
}

fn too_long() -> Problem {
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the body may have at most {BODY_MAX_BYTES} bytes"))
}

fn is_error(status: StatusCode) -> bool {
    status.is_client_error() || status.is_server_error()
}

fn is_json(response: &Response) -> bool {
    response.headers().get(header::CONTENT_TYPE) == Some(&HeaderValue::from_static("application/json"))
}

/// The same error, with its headers, as a problem.
async fn into_problem(response: Response) -> Response {
    let (head, body) = response.into_parts();
    let message = to_bytes(body, MESSAGE_MAX_BYTES).await.unwrap_or_default();
    let message = String::from_utf8_lossy(&message).trim().to_owned();
    let problem = match (head.status, message.is_empty()) {
        (StatusCode::PAYLOAD_TOO_LARGE, _) => too_long(),
        (status, true) => Problem::new(status, status.canonical_reason().unwrap_or("error")),
        (status, false) => Problem::new(status, message),
    };
    let mut answer = problem.into_response();
    let replaced = [header::CONTENT_TYPE, header::CONTENT_LENGTH];
    let kept = head.headers.into_iter().filter_map(|(name, value)| Some((name?, value)));
    answer.headers_mut().extend(kept.filter(|(name, _)| !replaced.contains(name)));
    answer
}
