//! The address of a server, as a person types it: a name or an IP address, and perhaps a port.

use std::{
    net::{Ipv6Addr, SocketAddr, ToSocketAddrs},
    str::FromStr,
};

use anyhow::{Context, ensure};

/// A host and perhaps a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub host: String,
    pub port: Option<u16>,
}

impl Address {
    /// As it stands in a link, with this port if none was given.
    pub fn with_port(&self, default_port: u16) -> String {
        let port = self.port.unwrap_or(default_port);
        if self.host.contains(':') { format!("[{}]:{port}", self.host) } else { format!("{}:{port}", self.host) }
    }

    /// All its addresses, with this port if none was given. A name may have several: `localhost` is often both 127.0.0.1
    /// and ::1.
    pub fn resolve(&self, default_port: u16) -> anyhow::Result<Vec<SocketAddr>> {
        let found = (self.host.as_str(), self.port.unwrap_or(default_port)).to_socket_addrs();
        let found: Vec<SocketAddr> = found
            .with_context(|| format!("cannot find the server {}; check its name and your connection", self.host))?
            .collect();
        ensure!(!found.is_empty(), "the server {} has no address", self.host);
        Ok(found)
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        // An IPv6 address contains colons: with a port it is written in brackets.
        if text.parse::<Ipv6Addr>().is_ok() {
            return Ok(Address { host: text.into(), port: None });
        }
        if let Some((host, rest)) = text.strip_prefix('[').and_then(|text| text.split_once(']')) {
            let port = if rest.is_empty() { None } else { Some(port(rest.strip_prefix(':').unwrap_or(rest))?) };
            return Ok(Address { host: host.into(), port });
        }
        let (host, port) = match text.split_once(':') {
            Some((host, number)) => (host, Some(port(number)?)),
            None => (text, None),
        };
        if host.is_empty() || host.contains('/') {
            return Err("expected a host, or a host and a port, such as example.org:4240".into());
        }
        Ok(Address { host: host.into(), port })
    }
}

fn port(text: &str) -> Result<u16, String> {
    text.parse()
        .ok()
        .filter(|&port| port > 0)
        .ok_or_else(|| format!("{text:?} is not a port: expected a number from 1 to 65535"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, Option<u16>)> {
        text.parse().ok().map(|Address { host, port }| (host, port))
    }

    #[test]
    fn names_and_addresses_are_read_with_or_without_a_port() {
        assert_eq!(read("example.org"), Some(("example.org".into(), None)));
        assert_eq!(read("example.org:81"), Some(("example.org".into(), Some(81))));
        assert_eq!(read("::1"), Some(("::1".into(), None)));
        assert_eq!(read("[::1]"), Some(("::1".into(), None)));
        assert_eq!(read("[::1]:4240"), Some(("::1".into(), Some(4240))));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", ":80", "host:", "host:0", "host:70000", "http://host", "[::1]4x"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn an_ip_address_needs_no_name_server() {
        let address: Address = "127.0.0.1:5".parse().expect("an address");
        assert_eq!(address.resolve(9).expect("itself"), [SocketAddr::from(([127, 0, 0, 1], 5))]);
    }
}
