//! Which pages may open a link: those of the node itself, and those that the host allows.
//!
//! A browser says in `Origin` which page opens a connection, and no page can change that. Other programs send no `Origin`, or
//! any that they like: this does not protect them, and they do not need it.

use std::{fmt, str::FromStr};

/// Where a page comes from: scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

/// A text that is not an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnOrigin;

impl fmt::Display for NotAnOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an origin is http:// or https://, a host, and a port if it is not the usual one, as in https://play.example")
    }
}

impl std::error::Error for NotAnOrigin {}

impl FromStr for Origin {
    type Err = NotAnOrigin;

    fn from_str(text: &str) -> Result<Origin, NotAnOrigin> {
        let (scheme, authority) = text.split_once("://").ok_or(NotAnOrigin)?;
        let scheme = scheme.to_ascii_lowercase();
        let usual_port = usual_port(&scheme).ok_or(NotAnOrigin)?;
        let (host, port) = split_authority(authority, usual_port).ok_or(NotAnOrigin)?;
        Ok(Origin { scheme, host, port })
    }
}

/// The origins that a host allows beside the node's own.
#[derive(Clone, Debug, Default)]
pub struct AllowedOrigins(Vec<Origin>);

impl AllowedOrigins {
    /// Allows these beside the node's own.
    pub fn new(also: Vec<Origin>) -> AllowedOrigins {
        AllowedOrigins(also)
    }

    /// Whether a page of that origin may open a WebSocket at a node that it calls by that `Host`.
    pub(super) fn allow_websocket(&self, origin: Option<&str>, host: &str) -> bool {
        self.allow(origin, |origin| split_authority(host, usual_port(&origin.scheme)?).map(|at| at == origin.at()))
    }

    /// Whether a page of that origin may open a WebTransport session at a node that it calls by that authority. QUIC may
    /// have another port than the page, if a proxy serves the page: only the hosts are compared.
    pub(super) fn allow_webtransport(&self, origin: Option<&str>, authority: &str) -> bool {
        self.allow(origin, |origin| split_authority(authority, origin.port).map(|(host, _)| host == origin.host))
    }

    fn allow(&self, origin: Option<&str>, is_own: impl FnOnce(&Origin) -> Option<bool>) -> bool {
        let Some(origin) = origin else { return true };
        // Pages without an origin of their own say "null".
        let Ok(origin) = origin.parse::<Origin>() else { return false };
        self.0.contains(&origin) || is_own(&origin).unwrap_or(false)
    }
}

impl Origin {
    fn at(&self) -> (String, u16) {
        (self.host.clone(), self.port)
    }
}

fn usual_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

/// The host, in lower case, and the port.
fn split_authority(authority: &str, usual_port: u16) -> Option<(String, u16)> {
    // Colons within brackets belong to an IPv6 address.
    let after_brackets = authority.rfind(']').map_or(0, |end| end + 1);
    let (host, port) = match authority[after_brackets..].find(':') {
        Some(colon) => {
            let (host, port) = authority.split_at(after_brackets + colon);
            (host, port[1..].parse().ok()?)
        }
        None => (authority, usual_port),
    };
    let is_host = |c: char| c.is_ascii_alphanumeric() || "-._[]:".contains(c);
    (!host.is_empty() && host.chars().all(is_host)).then(|| (host.to_ascii_lowercase(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(also: &[&str]) -> AllowedOrigins {
        AllowedOrigins::new(also.iter().map(|text| text.parse().expect("an origin")).collect())
    }

    #[test]
    fn a_page_of_the_node_itself_may_open_a_websocket_and_another_may_not() {
        let own = allowed(&[]);
        for (origin, host) in [
            ("http://localhost:4240", "localhost:4240"),
            ("http://[::1]:4240", "[::1]:4240"),
            ("https://Play.example", "play.example"),
            ("https://play.example", "play.example:443"),
            ("http://192.0.2.1:80", "192.0.2.1"),
        ] {
            assert!(own.allow_websocket(Some(origin), host), "{origin} at {host}");
        }
        for (origin, host) in [
            ("http://evil.example", "localhost:4240"),
            ("http://localhost:8080", "localhost:4240"),
            ("http://localhost:4240.evil.example", "localhost:4240"),
            ("http://evil.example/localhost:4240", "localhost:4240"),
            ("http://localhost:4240@evil.example", "localhost:4240"),
            ("https://play.example", "play.example:80"),
            ("file://localhost:4240", "localhost:4240"),
            ("null", "localhost:4240"),
            ("", ""),
            ("http://", ""),
        ] {
            assert!(!own.allow_websocket(Some(origin), host), "{origin} at {host}");
        }
        assert!(own.allow_websocket(None, "anything"), "a program that is not a browser");
    }

    #[test]
    fn the_host_of_a_node_may_allow_other_origins() {
        let also = allowed(&["https://portal.example", "http://games.example:8080"]);
        assert!(also.allow_websocket(Some("https://portal.example:443"), "play.example"));
        assert!(also.allow_webtransport(Some("http://games.example:8080"), "play.example:4240"));
        assert!(!also.allow_websocket(Some("http://portal.example"), "play.example"), "another scheme");
        assert!(!also.allow_websocket(Some("http://games.example"), "play.example"), "another port");
        for wrong in ["portal.example", "*", "https://", "ftp://portal.example", "https://portal.example/"] {
            assert_eq!(wrong.parse::<Origin>(), Err(NotAnOrigin), "{wrong}");
        }
    }

    #[test]
    fn webtransport_may_be_at_another_port_of_the_same_host() {
        let own = allowed(&[]);
        assert!(own.allow_webtransport(Some("https://play.example"), "play.example:4240"));
        assert!(own.allow_webtransport(None, "play.example:4240"));
        assert!(!own.allow_webtransport(Some("https://evil.example"), "play.example:4240"));
    }
}
