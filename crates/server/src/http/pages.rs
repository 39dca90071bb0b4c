//! The web client: the files that the build script put into the node.
//!
//! A browser asks each time whether its copy is still the newest, so a new node never meets an old client. A node that was
//! built without the client serves a page that says so.

use axum::{
    Router,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};

/// One file of the client.
struct PageFile {
    name: &'static str,
    /// Its content type.
    kind: &'static str,
    /// Changes with its bytes.
    tag: u64,
    bytes: &'static [u8],
    /// The same bytes, compressed.
    gzip: Option<&'static [u8]>,
}

const BUNDLE: &[PageFile] = include!(concat!(env!("OUT_DIR"), "/bundle.rs"));

/// The page at `/`.
const INDEX: &str = "index.html";

/// A page may load, run and talk to only what this node serves: a foreign script could not run even if one slipped in.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; \
                      img-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 5] = [
    (header::CACHE_CONTROL, "no-cache"),
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::VARY, "accept-encoding"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
];

const WITHOUT_CLIENT: &str = include_str!("without_client.html");

/// Whether this node was built with the client.
pub fn has_client() -> bool {
    BUNDLE.iter().any(|file| file.name == INDEX)
}

/// A route for the page and one for each file beside it.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let mut router = Router::new();
    if !has_client() {
        return router.route("/", get(|| async { (HEADERS, [(header::CONTENT_TYPE, HTML)], WITHOUT_CLIENT) }));
    }
    for file in BUNDLE {
        let path = if file.name == INDEX { "/".to_owned() } else { format!("/{}", file.name) };
        router = router.route(&path, get(async |headers: HeaderMap| answer(file, &headers)));
    }
    router
}

const HTML: &str = "text/html; charset=utf-8";

fn answer(file: &PageFile, request: &HeaderMap) -> Response {
    let gzip = file.gzip.filter(|_| lists(request, &header::ACCEPT_ENCODING, "gzip"));
    // A strong tag stands for exact bytes, so the compressed ones need their own.
    let tag = format!("\"{:016x}{}\"", file.tag, if gzip.is_some() { "-gzip" } else { "" });
    let mut response = match lists(request, &header::IF_NONE_MATCH, &tag) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(header::CONTENT_TYPE, file.kind)], gzip.unwrap_or(file.bytes)).into_response(),
    };
    let headers = response.headers_mut();
    headers.extend(HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value))));
    headers.extend(HeaderValue::from_str(&tag).ok().map(|tag| (header::ETAG, tag)));
    if gzip.is_some() {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

/// Whether a header is a list with this word in it, whatever its parameters; `q=0` excludes it.
pub(super) fn lists(headers: &HeaderMap, name: &HeaderName, word: &str) -> bool {
    let lines = headers.get_all(name).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|item| {
        let mut parts = item.split(';').map(str::trim);
        let named = parts.next().map(|item| item.strip_prefix("W/").unwrap_or(item)) == Some(word);
        named && !parts.any(|parameter| matches!(parameter, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;

    use super::*;

    const SCRIPT: PageFile =
        PageFile { name: "a.js", kind: "text/javascript", tag: 0x2a, bytes: b"plain", gzip: Some(b"packed") };

    fn asked(headers: &[(HeaderName, &'static str)]) -> Response {
        let headers = headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        answer(&SCRIPT, &headers.collect())
    }

    fn body(response: Response) -> Vec<u8> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(to_bytes(response.into_body(), 1000)).expect("a body").into()
    }

    #[test]
    fn a_file_comes_with_its_type_its_tag_and_the_policy() {
        let response = asked(&[]);
        assert_eq!(response.status(), StatusCode::OK);
        let headers = response.headers();
        assert_eq!(headers[header::CONTENT_TYPE], "text/javascript");
        assert_eq!(headers[header::ETAG], "\"000000000000002a\"");
        assert_eq!(headers[header::CONTENT_SECURITY_POLICY], POLICY);
        assert!(!headers.contains_key(header::CONTENT_ENCODING));
        assert_eq!(body(response), b"plain");
    }

    #[test]
    fn a_browser_that_can_decompress_gets_the_smaller_file() {
        let response = asked(&[(header::ACCEPT_ENCODING, "br;q=1.0, gzip;q=0.8")]);
        assert_eq!(response.headers()[header::CONTENT_ENCODING], "gzip");
        assert_eq!(response.headers()[header::ETAG], "\"000000000000002a-gzip\"");
        assert_eq!(body(response), b"packed");
        assert_eq!(body(asked(&[(header::ACCEPT_ENCODING, "gzip;q=0, identity")])), b"plain");
    }

    #[test]
    fn a_browser_that_has_the_newest_file_gets_an_empty_answer() {
        for tag in ["\"000000000000002a\"", "\"1\", W/\"000000000000002a\""] {
            let response = asked(&[(header::IF_NONE_MATCH, tag)]);
            assert_eq!(response.status(), StatusCode::NOT_MODIFIED, "{tag}");
            assert_eq!(body(response), b"");
        }
        // It has the compressed file, and would now get the plain one.
        let other = asked(&[(header::IF_NONE_MATCH, "\"000000000000002a-gzip\"")]);
        assert_eq!(other.status(), StatusCode::OK);
    }

    #[test]
    fn the_page_of_a_node_without_the_client_says_how_to_add_it() {
        assert!(WITHOUT_CLIENT.contains("cargo xtask web"));
    }
}
