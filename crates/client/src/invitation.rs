//! What others need to join a lobby: its code, and the link to it where there is a page.

use protocol::LobbyId;

/// The way into a lobby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    pub code: LobbyId,
    /// The page that leads into the lobby, if there is one.
    pub link: Option<String>,
    pub reach: Reach,
}

/// From where a link can be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only from the machine that the player sits at.
    ThisMachine,
    /// From others too, as far as a client can know.
    Elsewhere,
}

impl Invitation {
    /// The invitation to a lobby of the server whose page is at that address, such as `http://192.0.2.7:4240/`.
    pub fn new(code: LobbyId, page: Option<&str>) -> Invitation {
        let link = page.map(|page| format!("{}/?lobby={code}", page.trim_end_matches('/')));
        Invitation { code, link, reach: page.map_or(Reach::Elsewhere, reach) }
    }
}

fn reach(page: &str) -> Reach {
    let host = host(page);
    let is_here = host == "localhost" || host.ends_with(".localhost") || host == "::1" || is_loopback(host);
    if is_here { Reach::ThisMachine } else { Reach::Elsewhere }
}

fn is_loopback(host: &str) -> bool {
    host.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

/// The host of an address such as `http://[::1]:4240/`, without brackets.
fn host(page: &str) -> &str {
    let rest = page.split_once("://").map_or(page, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    match authority.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next().unwrap_or(bracketed),
        None => authority.split(':').next().unwrap_or(authority),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_says_from_where_it_can_be_opened() {
        let code = LobbyId::new("K7QX2M").expect("a code");
        let of = |page: &str| Invitation::new(code, Some(page));
        for here in ["http://localhost:4240/", "http://127.0.0.1:4240", "http://127.8.0.1/", "http://[::1]:4240/"] {
            assert_eq!(of(here).reach, Reach::ThisMachine, "{here}");
        }
        for there in [
            "http://192.168.1.20:4240/",
            "https://play.example.org",
            "http://[2001:db8::1]:4240/",
            "http://127.example.org/",
        ] {
            assert_eq!(of(there).reach, Reach::Elsewhere, "{there}");
        }
        assert_eq!(of("http://192.0.2.7:4240/").link.as_deref(), Some("http://192.0.2.7:4240/?lobby=K7QX2M"));
        assert_eq!(of("https://play.example.org").link.as_deref(), Some("https://play.example.org/?lobby=K7QX2M"));
        assert_eq!(Invitation::new(code, None).link, None);
    }
}
