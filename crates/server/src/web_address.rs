//! Where browsers find a node: the address for this machine, and the one for other machines.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// Addresses of the web client that a browser can open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebAddresses {
    /// On this machine.
    pub here: String,
    /// On other machines; none if they cannot reach the node, or if this machine has no address on a network.
    pub elsewhere: Option<String>,
}

/// How the page is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageScheme {
    /// Plain.
    Http,
    /// Over TLS.
    Https {
        /// The name in the certificate under which others can call the node.
        name: Option<String>,
    },
}

impl WebAddresses {
    /// The addresses of a node that serves its page at this socket.
    pub fn of(page: SocketAddr, scheme: &PageScheme) -> WebAddresses {
        let network = network_address(page.ip()).map(|ip| SocketAddr::new(ip, page.port()));
        let url = |host: String| match scheme {
            PageScheme::Http => format!("http://{host}/"),
            PageScheme::Https { .. } => format!("https://{host}/"),
        };
        match scheme {
            // A browser accepts a certificate only for the name in it.
            PageScheme::Https { name: Some(name) } => {
                let here = url(format!("{name}:{}", page.port()));
                WebAddresses { elsewhere: network.map(|_| here.clone()), here }
            }
            PageScheme::Http | PageScheme::Https { name: None } => {
                WebAddresses { here: url(host_here(page)), elsewhere: network.map(|address| url(address.to_string())) }
            }
        }
    }
}

/// `localhost` may mean either loopback address, so it is only used where the node listens at both.
fn host_here(page: SocketAddr) -> String {
    let port = page.port();
    match page.ip() {
        IpAddr::V4(Ipv4Addr::LOCALHOST) | IpAddr::V6(Ipv6Addr::UNSPECIFIED) => format!("localhost:{port}"),
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port).to_string(),
        _ => page.to_string(),
    }
}

/// The address at which other machines reach a node that is bound to this one.
fn network_address(bind: IpAddr) -> Option<IpAddr> {
    const ANYWHERE_V4: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    const ANYWHERE_V6: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1));
    match bind {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => source_towards(ANYWHERE_V4),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => source_towards(ANYWHERE_V4).or_else(|| source_towards(ANYWHERE_V6)),
        bind => Some(bind).filter(|bind| !bind.is_loopback()),
    }
}

/// The address that this machine would send from. Nothing is sent: to connect a UDP socket only chooses a route.
fn source_towards(destination: IpAddr) -> Option<IpAddr> {
    let any = if destination.is_ipv4() { IpAddr::from(Ipv4Addr::UNSPECIFIED) } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect((destination, 9)).ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_loopback() && !ip.is_unspecified()).then_some(ip)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(at: &str) -> WebAddresses {
        WebAddresses::of(at.parse().expect("an address"), &PageScheme::Http)
    }

    #[test]
    fn the_address_here_leads_to_the_node_whichever_loopback_address_localhost_means() {
        let here = |at: &str| addresses(at).here;
        assert_eq!(["127.0.0.1:1", "[::]:1"].map(here), ["http://localhost:1/"; 2].map(String::from));
        assert_eq!(here("127.0.0.5:1"), "http://127.0.0.5:1/");
        assert_eq!(here("0.0.0.0:1"), "http://127.0.0.1:1/");
        assert_eq!(here("[::1]:1"), "http://[::1]:1/");
        assert_eq!(here("192.0.2.1:1"), "http://192.0.2.1:1/");
    }

    #[test]
    fn other_machines_reach_only_a_node_that_listens_for_them() {
        for local in ["127.0.0.1:1", "127.0.0.5:1", "[::1]:1"] {
            assert_eq!(addresses(local).elsewhere, None, "{local}");
        }
        assert_eq!(addresses("192.0.2.1:1").elsewhere.as_deref(), Some("http://192.0.2.1:1/"));
        assert_eq!(addresses("[2001:db8::1]:1").elsewhere.as_deref(), Some("http://[2001:db8::1]:1/"));
    }

    #[test]
    fn with_a_certificate_the_page_is_called_by_its_name() {
        let of = |at: &str, name: Option<&str>| {
            let scheme = PageScheme::Https { name: name.map(str::to_owned) };
            WebAddresses::of(at.parse().expect("an address"), &scheme)
        };
        let named = of("192.0.2.1:4240", Some("play.example"));
        assert_eq!(named.here, "https://play.example:4240/");
        assert_eq!(named.elsewhere, Some(named.here));
        assert_eq!(of("127.0.0.1:1", Some("play.example")).elsewhere, None);
        assert_eq!(of("127.0.0.1:1", None).here, "https://localhost:1/");
        assert_eq!(of("192.0.2.1:1", None).elsewhere.as_deref(), Some("https://192.0.2.1:1/"));
    }

    #[test]
    fn the_address_on_the_network_is_one_of_this_machine() {
        // A machine without a network has none.
        if let Some(ip) = network_address(Ipv4Addr::UNSPECIFIED.into()) {
            assert!(ip.is_ipv4() && !ip.is_loopback());
            UdpSocket::bind((ip, 0)).expect("only an own address can be bound");
        }
    }
}
