//! The options of `volley bridge`.

use std::{net::IpAddr, ops::RangeInclusive, path::PathBuf};

use clap::Args;
use game::Name;
use protocol::{Dialect, LobbyId};

use super::values::{address, dialect, ports};

/// The options of `volley bridge`.
#[derive(Debug, Args)]
pub struct Bridge {
    /// The dialect of the clients, and the port at which they connect; without a port, the dialect's own. Can be
    /// given several times.
    #[arg(long, value_name = "DIALECT:PORT", required = true, value_parser = listen)]
    pub listen: Vec<Listen>,

    /// The dialect of the server, and where it is; without a port, the dialect's own.
    #[arg(long, value_name = "DIALECT@HOST:PORT", value_parser = to)]
    pub to: To,

    /// The address to listen at. By default only this machine can connect; 0.0.0.0 or :: lets everybody connect.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = address)]
    pub bind: IpAddr,

    /// The lobby on the server for players who ask for none, where the server has lobbies.
    #[arg(long, value_name = "CODE", value_parser = lobby)]
    pub lobby: Option<LobbyId>,

    /// The name that the server is given for players whose own dialect has no names.
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true, value_parser = name)]
    pub name: String,

    /// Reach a volley server over a WebSocket instead of WebTransport: for networks that let no UDP through.
    #[arg(long)]
    pub websocket: bool,

    /// The most players at once. Each has a connection of their own to the server.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub players: u32,

    /// The UDP ports for rfc2020's lobbies, one for each player.
    #[arg(long, value_name = "FIRST-LAST", allow_negative_numbers = true, default_value = "24500-24999", value_parser = ports)]
    pub rfc2020_lobbies: RangeInclusive<u16>,

    /// Also serve public addresses in the dialects that cannot prove an address. An attacker could forge an address and so
    /// direct traffic at a victim; therefore all such peers together get at most 2 Mbit/s.
    #[arg(long)]
    pub open_unproved: bool,

    /// Write everything that passes between the bridge and the server to this file, for a bug report.
    #[arg(long, value_name = "FILE")]
    pub dump: Option<PathBuf>,
}

/// A door for clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listen {
    pub dialect: Dialect,
    pub port: u16,
}

/// The server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct To {
    pub dialect: Dialect,
    pub host: String,
    pub port: u16,
}

fn listen(text: &str) -> Result<Listen, String> {
    let (name, given) = text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port)));
    let dialect = dialect(name)?;
    let port = given.map_or(Ok(dialect.entry().port), port_number)?;
    Ok(Listen { dialect, port })
}

fn to(text: &str) -> Result<To, String> {
    let (name, place) = text.split_once('@').ok_or("write DIALECT@HOST:PORT, such as volley@play.example:4240")?;
    let dialect = dialect(name)?;
    let is_bare_ipv6 = place.matches(':').count() > 1 && !place.ends_with(']') && !place.contains("]:");
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if !is_bare_ipv6 && !place.ends_with(']') => (host, port_number(port)?),
        _ => (place, dialect.entry().port),
    };
    if host.is_empty() {
        return Err("the host is missing: write DIALECT@HOST:PORT".into());
    }
    Ok(To { dialect, host: host.into(), port })
}

fn port_number(text: &str) -> Result<u16, String> {
    text.parse().ok().filter(|port| *port > 0).ok_or_else(|| format!("{text:?} is not a port: choose 1 to 65535"))
}

fn lobby(text: &str) -> Result<LobbyId, String> {
    LobbyId::new(text).map_err(|_| "a lobby's code is six letters or digits, such as K7Q2ZD".into())
}

fn name(text: &str) -> Result<String, String> {
    let name = Name::new(text);
    if name.as_str() == text.trim() {
        Ok(name.as_str().into())
    } else {
        Err(format!("a name has at most {} bytes and no control characters", Name::MAX_BYTES))
    }
}

pub(super) const BRIDGE_EXAMPLES: &str = "\
Examples:
  volley bridge --listen typeuh:4241 --to volley@play.example:4240
                                            clients of typeuh on this machine play on a server far away, encrypted
  volley bridge --listen volley:4240 --to aecs@localhost:4242
                                            play on your own aecs server in the browser, at http://localhost:4240
  volley bridge --listen snapshot --listen rfc53952 --to rfc2020@localhost --lobby K7Q2ZD
                                            clients of two dialects join one lobby
  volley bench bridge                       play every pair, and print what each of them loses";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_door_is_a_dialect_and_perhaps_a_port() {
        assert_eq!(listen("aecs:9"), Ok(Listen { dialect: Dialect::Aecs, port: 9 }));
        assert_eq!(listen("snapshot").map(|listen| listen.port), Ok(Dialect::Snapshot.entry().port));
        for wrong in ["", "4241", "aecs:", "aecs:0", "aecs:70000", "aecs:x", "udp:1"] {
            assert!(listen(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_server_is_a_dialect_at_a_place() {
        let place = |text: &str| to(text).map(|to| (to.dialect, to.host, to.port));
        assert_eq!(place("volley@play.example:9"), Ok((Dialect::Volley, "play.example".into(), 9)));
        assert_eq!(place("rfc2020@localhost"), Ok((Dialect::Rfc2020, "localhost".into(), 4244)));
        assert_eq!(place("typeuh@[::1]:9"), Ok((Dialect::Typeuh, "[::1]".into(), 9)));
        assert_eq!(place("typeuh@[::1]"), Ok((Dialect::Typeuh, "[::1]".into(), 4241)));
        assert_eq!(place("typeuh@::1"), Ok((Dialect::Typeuh, "::1".into(), 4241)));
        for wrong in ["", "localhost:1", "volley@", "volley@:1", "@localhost:1", "volley@localhost:0", "x@localhost"] {
            assert!(to(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn names_and_codes_are_checked() {
        assert_eq!(name(" Zoé "), Ok("Zoé".into()));
        assert!(name(&"x".repeat(33)).is_err() && name("a\nb").is_err());
        assert!(lobby("K7Q2ZD").is_ok() && lobby("K7Q2").is_err() && lobby("K7 2ZD").is_err());
    }
}
