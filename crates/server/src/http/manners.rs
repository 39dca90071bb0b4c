//! What every request has to have, and the one shape in which every refusal is told, whoever refuses.
//!
//! The framework refuses in plain text where a path, a query or a body cannot be read. Here it becomes what the document
//! says, so that no route has to think of it.

use axum::{
    body::{HttpBody, to_bytes},
    extract::Request,
    http::{HeaderValue, StatusCode, Version, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{BODY_MAX_BYTES, Problem};

/// The longest sentence of somebody else's that is passed on.
const SENTENCE_MAX_BYTES: usize = 1024;
/// Load balancers read this one, as plain text.
const HEALTH: &str = "/healthz";

/// Refuses what is not as it has to be, and tells all refusals alike.
pub async fn mind(request: Request, next: Next) -> Response {
    if let Err(problem) = check(&request) {
        return problem.into_response();
    }
    let may_be_plain = request.uri().path() == HEALTH;
    let response = next.run(request).await;
    if may_be_plain || !is_refusal(response.status()) || is_json(&response) {
        return response;
    }
    say_again(response).await
}

fn check(request: &Request) -> Result<(), Problem> {
    // RFC 9112, section 3.2.
    if request.version() == Version::HTTP_11 && request.headers().get_all(header::HOST).iter().count() != 1 {
        return Err(Problem::bad_request("a request of HTTP/1.1 has one header Host"));
    }
    // One that says beforehand that it is too long is not asked to go on.
    match request.body().size_hint().lower() > BODY_MAX_BYTES as u64 {
        true => Err(too_long()),
        false => Ok(()),
    }
}

fn too_long() -> Problem {
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, format!("a body has at most {BODY_MAX_BYTES} bytes"))
}

fn is_refusal(status: StatusCode) -> bool {
    status.is_client_error() || status.is_server_error()
}

fn is_json(response: &Response) -> bool {
    response.headers().get(header::CONTENT_TYPE) == Some(&HeaderValue::from_static("application/json"))
}

/// The same refusal, with its headers, as a problem.
async fn say_again(response: Response) -> Response {
    let (head, body) = response.into_parts();
    let said = to_bytes(body, SENTENCE_MAX_BYTES).await.unwrap_or_default();
    let said = String::from_utf8_lossy(&said).trim().to_owned();
    let problem = match (head.status, said.is_empty()) {
        (StatusCode::PAYLOAD_TOO_LARGE, _) => too_long(),
        (status, true) => Problem::new(status, status.canonical_reason().unwrap_or("this is not answered")),
        (status, false) => Problem::new(status, said),
    };
    let mut answer = problem.into_response();
    let told_anew = [header::CONTENT_TYPE, header::CONTENT_LENGTH];
    let kept = head.headers.into_iter().filter_map(|(name, value)| Some((name?, value)));
    answer.headers_mut().extend(kept.filter(|(name, _)| !told_anew.contains(name)));
    answer
}
