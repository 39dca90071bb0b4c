//! Files for other people's clients, under `/assets/`: sprite sheets, sounds, a table of kinds.
//!
//! The node has none of its own: whoever starts it hands them over. Each is made when it is first asked for, once, beside the
//! threads that serve HTTP, and then kept. `/assets/` lists them.

use std::{
    fmt,
    hash::{DefaultHasher, Hasher},
    sync::{Arc, OnceLock},
};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use serde::Serialize;

use super::{HttpState, pages::lists, problem::Problem};

/// Makes the bytes of a file, or says why it cannot.
type Make = Box<dyn Fn() -> Result<Vec<u8>, String> + Send + Sync>;

pub struct Asset {
    path: String,
    content_type: &'static str,
    make: Make,
    made: OnceLock<Result<Made, String>>,
}

/// The bytes of a file.
#[derive(Clone)]
struct Made {
    bytes: Bytes,
    /// Changes with the bytes.
    tag: HeaderValue,
}

/// All files. Clones share them.
#[derive(Clone, Default)]
pub struct Assets(Arc<[Asset]>);

impl Asset {
    /// A file at that path below `/assets/`, made when it is needed.
    pub fn new(
        path: impl Into<String>,
        content_type: &'static str,
        make: impl Fn() -> Result<Vec<u8>, String> + Send + Sync + 'static,
    ) -> Asset {
        Asset { path: path.into(), content_type, make: Box::new(make), made: OnceLock::new() }
    }

    /// Its path below `/assets/`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Makes its bytes.
    ///
    /// # Errors
    /// Says why it cannot be made.
    pub fn make(&self) -> Result<Vec<u8>, String> {
        (self.make)()
    }

    /// The same for everybody: whoever comes while it is being made waits.
    fn made(&self) -> Result<Made, String> {
        self.made.get_or_init(|| self.make().and_then(Made::new)).clone()
    }
}

impl Made {
    fn new(bytes: Vec<u8>) -> Result<Made, String> {
        let mut hasher = DefaultHasher::new();
        hasher.write(&bytes);
        let tag = HeaderValue::from_str(&format!("\"{:016x}\"", hasher.finish())).map_err(|error| error.to_string())?;
        Ok(Made { bytes: bytes.into(), tag })
    }
}

impl Assets {
    /// These files.
    pub fn new(files: Vec<Asset>) -> Assets {
        Assets(files.into())
    }

    /// Where the file of that path is.
    fn position(&self, path: &str) -> Option<usize> {
        self.0.iter().position(|asset| asset.path == path)
    }

    /// Makes a file on a thread where it holds nobody up. The work goes on, and is kept, even if nobody waits for it any more.
    async fn made(&self, index: usize) -> Result<Made, String> {
        if let Some(made) = self.0[index].made.get() {
            return made.clone();
        }
        let assets = self.clone();
        let making = tokio::task::spawn_blocking(move || assets.0[index].made());
        making.await.unwrap_or_else(|error| Err(error.to_string()))
    }
}

impl fmt::Debug for Assets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(Asset::path)).finish()
    }
}

pub(super) fn routes() -> Router<HttpState> {
    Router::new().route("/assets", get(list)).route("/assets/", get(list)).route("/assets/{*path}", get(file))
}

#[derive(Serialize)]
struct List<'a> {
    files: Vec<&'a str>,
}

async fn list(State(state): State<HttpState>) -> Response {
    Json(List { files: state.parts.assets.0.iter().map(Asset::path).collect() }).into_response()
}

async fn file(State(state): State<HttpState>, Path(path): Path<String>, request: HeaderMap) -> Response {
    let assets = &state.parts.assets;
    let Some(index) = assets.position(&path) else {
        return Problem::not_found("no such file; /assets/ lists them all").into_response();
    };
    match assets.made(index).await {
        Ok(made) => answer(&made, assets.0[index].content_type, &request),
        Err(why) => {
            tracing::error!(target: "host", path, why, "cannot make a file for /assets/");
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "this file cannot be made; the log says why")
                .into_response()
        }
    }
}

/// As with the files of the page, a client asks each time whether its copy is still the newest.
fn answer(made: &Made, content_type: &'static str, request: &HeaderMap) -> Response {
    let is_known = made.tag.to_str().is_ok_and(|tag| lists(request, &header::IF_NONE_MATCH, tag));
    let headers = [
        (header::ETAG, made.tag.clone()),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::CONTENT_TYPE, HeaderValue::from_static(content_type)),
    ];
    match is_known {
        true => (StatusCode::NOT_MODIFIED, headers).into_response(),
        false => (headers, made.bytes.clone()).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_file_is_made_once_however_many_ask_for_it() {
        let made = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&made);
        let assets = Assets::new(vec![Asset::new("a/b", "text/plain", move || {
            count.fetch_add(1, Ordering::Relaxed);
            Ok(b"bytes".to_vec())
        })]);
        assert_eq!((assets.position("a/b"), assets.position("a")), (Some(0), None));
        assert_eq!(made.load(Ordering::Relaxed), 0, "nobody has asked yet");
        let answers = futures_util::future::join_all((0..8).map(|_| assets.made(0))).await;
        assert!(answers.iter().all(|answer| answer.as_ref().is_ok_and(|file| file.bytes == "bytes")));
        assert_eq!(made.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_file_comes_with_its_type_and_its_tag_and_who_has_it_gets_nothing() {
        let made = Made::new(b"bytes".to_vec()).expect("a tag");
        let first = answer(&made, "image/png", &HeaderMap::new());
        assert_eq!(
            (first.status(), &first.headers()[header::CONTENT_TYPE]),
            (StatusCode::OK, &HeaderValue::from_static("image/png"))
        );
        let again: HeaderMap = [(header::IF_NONE_MATCH, first.headers()[header::ETAG].clone())].into_iter().collect();
        assert_eq!(answer(&made, "image/png", &again).status(), StatusCode::NOT_MODIFIED);
    }
}
