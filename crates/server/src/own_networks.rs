//! The host's own networks. A peer in one of them is a neighbour: served without proof of the address (ruling C5).
//!
//! A private source address alone says little, because anybody can write one into a datagram. It counts if it belongs to a
//! network of the host's, and if the datagram came in by an interface of that network, where the system names the interface.

use std::{fmt, net::IpAddr, str::FromStr};

use ipnet::IpNet;
use protocol::amplification::is_local;

/// The networks of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnNetworks {
    networks: Vec<OwnNetwork>,
    /// The interfaces by which this machine talks to itself: what comes in there was sent from here.
    loopback: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct OwnNetwork {
    range: IpNet,
    /// The interfaces by which its datagrams come in. None: any.
    interfaces: Vec<u32>,
}

/// An address of an interface of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The system's number for it.
    pub number: u32,
    /// Its address, and the network that can be reached by it.
    pub range: IpNet,
    pub is_loopback: bool,
}

/// What a host says about its own networks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OwnNetworksRule {
    /// The private networks of the interfaces that the node listens on.
    #[default]
    OfInterfaces,
    /// These.
    Listed(Vec<IpNet>),
}

/// Not a list of networks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotNetworks(String);

impl fmt::Display for NotNetworks {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(
            formatter,
            "{:?} is not a network; write a list such as 192.168.1.0/24,fd00::/8, or auto, or none",
            self.0
        )
    }
}

impl std::error::Error for NotNetworks {}

impl FromStr for OwnNetworksRule {
    type Err = NotNetworks;

    fn from_str(text: &str) -> Result<OwnNetworksRule, NotNetworks> {
        let range = |text: &str| {
            let text = text.trim();
            let address = text.parse().map(|address: IpAddr| IpNet::from(address));
            address.or_else(|_| text.parse()).map_err(|_| NotNetworks(text.to_owned()))
        };
        match text {
            "auto" => Ok(OwnNetworksRule::OfInterfaces),
            "none" => Ok(OwnNetworksRule::Listed(Vec::new())),
            list => Ok(OwnNetworksRule::Listed(list.split(',').map(range).collect::<Result<_, _>>()?)),
        }
    }
}

impl OwnNetworksRule {
    /// The networks of a node that is bound to that address, on a machine with these interfaces.
    pub fn resolve(&self, bind: IpAddr, interfaces: &[Interface]) -> OwnNetworks {
        match self {
            OwnNetworksRule::OfInterfaces => OwnNetworks::of_interfaces(bind, interfaces),
            OwnNetworksRule::Listed(ranges) => OwnNetworks::listed(ranges, interfaces),
        }
    }
}

impl OwnNetworks {
    /// Every private network, whatever interface it comes in by: where nobody knows the interfaces.
    pub fn any_private() -> OwnNetworks {
        let ranges = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10"];
        let ranges = ranges.iter().filter_map(|range| range.parse().ok());
        let networks = ranges.map(|range| OwnNetwork { range, interfaces: Vec::new() }).collect();
        OwnNetworks { networks, loopback: Vec::new() }
    }

    fn of_interfaces(bind: IpAddr, interfaces: &[Interface]) -> OwnNetworks {
        let is_bound = |number: u32| {
            let mut own = interfaces.iter().filter(|interface| interface.number == number);
            bind.is_unspecified() || own.any(|interface| interface.range.addr() == bind.to_canonical())
        };
        let mut own = OwnNetworks { networks: Vec::new(), loopback: loopback(interfaces) };
        for interface in interfaces {
            if !interface.is_loopback && is_local(interface.range.addr()) && is_bound(interface.number) {
                own.add(interface.range.trunc(), interface.number);
            }
        }
        own
    }

    /// A network comes in by the interfaces that have an address in it; if none has, a router leads there, by any of them.
    fn listed(ranges: &[IpNet], interfaces: &[Interface]) -> OwnNetworks {
        let reaches = |range: &IpNet, interface: &Interface| {
            range.contains(&interface.range.addr()) || interface.range.contains(&range.network())
        };
        let network = |range: &IpNet| {
            let own = interfaces.iter().filter(|interface| reaches(range, interface));
            OwnNetwork { range: range.trunc(), interfaces: own.map(|interface| interface.number).collect() }
        };
        OwnNetworks { networks: ranges.iter().map(network).collect(), loopback: loopback(interfaces) }
    }

    fn add(&mut self, range: IpNet, interface: u32) {
        match self.networks.iter_mut().find(|network| network.range == range) {
            Some(network) => network.interfaces.push(interface),
            None => self.networks.push(OwnNetwork { range, interfaces: vec![interface] }),
        }
    }

    /// Whether a datagram from that address that came in by that interface, if the system says which, is a neighbour's.
    pub fn contain(&self, address: IpAddr, interface: Option<u32>) -> bool {
        let address = address.to_canonical();
        // The system lets nobody else use it.
        address.is_loopback()
            || self.networks.iter().any(|network| network.range.contains(&address) && self.admits(network, interface))
    }

    fn admits(&self, network: &OwnNetwork, interface: Option<u32>) -> bool {
        let came_by = |interface: u32| network.interfaces.contains(&interface) || self.loopback.contains(&interface);
        network.interfaces.is_empty() || interface.is_none_or(came_by)
    }

    /// The ranges, for the log.
    pub fn ranges(&self) -> Vec<String> {
        self.networks.iter().map(|network| network.range.to_string()).collect()
    }
}

fn loopback(interfaces: &[Interface]) -> Vec<u32> {
    interfaces.iter().filter(|interface| interface.is_loopback).map(|interface| interface.number).collect()
}

/// The host's own networks as they are now. Interfaces come and go, so this is to be asked again.
pub fn current(rule: &OwnNetworksRule, bind: IpAddr) -> OwnNetworks {
    known(rule, bind, interfaces())
}

/// A system that has interfaces and does not show them, because the node is shut in, leaves nobody but this machine: whatever seems
/// to be private may then come from anywhere.
fn known(rule: &OwnNetworksRule, bind: IpAddr, interfaces: Option<Vec<Interface>>) -> OwnNetworks {
    match (interfaces, rule) {
        (Some(interfaces), rule) => rule.resolve(bind, &interfaces),
        (None, OwnNetworksRule::OfInterfaces) if !cfg!(unix) => OwnNetworks::any_private(),
        (None, rule) => rule.resolve(bind, &[]),
    }
}

/// Whether the networks would have to be known from interfaces that the system does not show.
pub fn are_hidden(rule: &OwnNetworksRule) -> bool {
    cfg!(unix) && *rule == OwnNetworksRule::OfInterfaces && interfaces().is_none()
}

/// The interfaces of this machine; none if the system does not say.
#[cfg(unix)]
pub fn interfaces() -> Option<Vec<Interface>> {
    use nix::net::if_::{InterfaceFlags, if_nametoindex};
    let mut interfaces = Vec::new();
    for part in nix::ifaddrs::getifaddrs().ok()? {
        let address = part.address.as_ref().and_then(ip);
        let mask = part.netmask.as_ref().and_then(ip);
        let range = address.zip(mask).and_then(|(address, mask)| IpNet::with_netmask(address, mask).ok());
        // One that has gone meanwhile has no number any more.
        if let (Some(range), Ok(number)) = (range, if_nametoindex(part.interface_name.as_str())) {
            let is_loopback = part.flags.contains(InterfaceFlags::IFF_LOOPBACK);
            interfaces.push(Interface { number, range, is_loopback });
        }
    }
    Some(interfaces)
}

#[cfg(unix)]
fn ip(address: &nix::sys::socket::SockaddrStorage) -> Option<IpAddr> {
    let v4 = address.as_sockaddr_in().map(|address| IpAddr::V4(address.ip()));
    v4.or_else(|| address.as_sockaddr_in6().map(|address| IpAddr::V6(address.ip())))
}

/// The interfaces of this machine; none if the system does not say.
#[cfg(not(unix))]
pub fn interfaces() -> Option<Vec<Interface>> {
    None
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use super::*;

    const LOOPBACK: u32 = 1;
    const INSIDE: u32 = 2;
    const OUTSIDE: u32 = 3;

    fn interfaces() -> Vec<Interface> {
        let interface = |number, range: &str| Interface {
            number,
            range: range.parse().expect("a range"),
            is_loopback: number == LOOPBACK,
        };
        vec![
            interface(LOOPBACK, "127.0.0.1/8"),
            interface(LOOPBACK, "::1/128"),
            interface(INSIDE, "192.168.1.5/24"),
            interface(INSIDE, "fe80::5/64"),
            interface(OUTSIDE, "203.0.113.5/24"),
            interface(OUTSIDE, "fe80::6/64"),
        ]
    }

    fn contain(own: &OwnNetworks, address: &str, interface: Option<u32>) -> bool {
        own.contain(address.parse().expect("an address"), interface)
    }

    #[test]
    fn c5_by_default_a_neighbour_is_in_a_private_network_of_an_interface_and_comes_in_by_it() {
        let own = OwnNetworksRule::default().resolve("0.0.0.0".parse().expect("an address"), &interfaces());
        for address in ["192.168.1.77", "::ffff:192.168.1.77"] {
            assert!(contain(&own, address, Some(INSIDE)) && contain(&own, address, None), "{address}");
            assert!(!contain(&own, address, Some(OUTSIDE)), "a forged source comes in from outside");
            assert!(contain(&own, address, Some(LOOPBACK)), "this machine may speak to its own address");
        }
        for stranger in ["192.168.2.77", "10.1.2.3", "203.0.113.77", "8.8.8.8", "fd00::1"] {
            assert!(!contain(&own, stranger, Some(INSIDE)) && !contain(&own, stranger, None), "{stranger}");
        }
        assert!(contain(&own, "fe80::77", Some(INSIDE)) && contain(&own, "fe80::77", Some(OUTSIDE)));
        assert!(contain(&own, "127.0.0.1", Some(LOOPBACK)) && contain(&own, "::1", None));
    }

    #[test]
    fn a_node_that_listens_at_one_address_has_the_networks_of_its_interface() {
        let bound =
            |bind: &str| OwnNetworksRule::default().resolve(bind.parse().expect("an address"), &interfaces()).ranges();
        assert_eq!(bound("192.168.1.5"), ["192.168.1.0/24", "fe80::/64"]);
        assert_eq!(bound("203.0.113.5"), ["fe80::/64"]);
        assert_eq!(bound("127.0.0.1"), [""; 0]);
        assert_eq!(bound("::"), ["192.168.1.0/24", "fe80::/64"]);
    }

    #[test]
    fn listed_networks_come_in_by_the_interfaces_that_have_an_address_there_or_by_any_if_none_has() {
        let ranges = ["192.168.0.0/16", "10.0.0.0/8", "198.51.100.0/24"].map(|range| range.parse().expect("a range"));
        let rule = OwnNetworksRule::Listed(ranges.into());
        let own = rule.resolve("::".parse().expect("an address"), &interfaces());
        assert!(contain(&own, "192.168.7.7", Some(INSIDE)) && !contain(&own, "192.168.7.7", Some(OUTSIDE)));
        assert!(contain(&own, "10.7.7.7", Some(INSIDE)) && contain(&own, "10.7.7.7", Some(OUTSIDE)));
        assert!(contain(&own, "198.51.100.7", Some(OUTSIDE)), "a public network may be the host's own too");
        assert!(!contain(&own, "172.16.0.1", Some(INSIDE)) && !contain(&own, "fe80::1", Some(INSIDE)));
        let nobody = OwnNetworksRule::Listed(Vec::new()).resolve("::".parse().expect("an address"), &interfaces());
        assert!(!contain(&nobody, "192.168.1.77", Some(INSIDE)) && contain(&nobody, "127.0.0.1", None));
    }

    #[test]
    fn a_list_is_read_and_a_mistake_is_named() {
        let listed = |text: &str| match text.parse() {
            Ok(OwnNetworksRule::Listed(ranges)) => ranges.iter().map(IpNet::to_string).collect::<Vec<_>>(),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!("auto".parse(), Ok(OwnNetworksRule::OfInterfaces));
        assert_eq!(listed("none"), [""; 0]);
        assert_eq!(listed("192.168.1.0/24, fd00::/8,10.1.2.3"), ["192.168.1.0/24", "fd00::/8", "10.1.2.3/32"]);
        for wrong in ["", "banana", "192.168.1.0/24,", "10.0.0.0/33"] {
            assert!(wrong.parse::<OwnNetworksRule>().is_err(), "{wrong}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn this_machine_has_a_loopback_interface() {
        let interfaces = super::interfaces().expect("the system says");
        assert!(interfaces.iter().any(|interface| interface.is_loopback), "{interfaces:?}");
    }

    #[cfg(unix)]
    #[test]
    fn c5_where_the_interfaces_are_hidden_nobody_but_this_machine_is_a_neighbour() {
        let networks = known(&OwnNetworksRule::OfInterfaces, Ipv6Addr::UNSPECIFIED.into(), None);
        let contains = |address: &str| networks.contain(address.parse().expect("an address"), Some(OUTSIDE));
        assert_eq!(
            ["127.0.0.1", "::1", "10.0.0.1", "192.168.1.5", "fd00::1"].map(contains),
            [true, true, false, false, false]
        );
    }

    /// The system reports interfaces over a socket of its own kind.
    #[test]
    fn the_packaged_service_may_look_at_the_interfaces() {
        let unit = include_str!("../../../packaging/volley.service");
        let families = unit.lines().find_map(|line| line.strip_prefix("RestrictAddressFamilies=")).expect("a list");
        assert!(families.split_whitespace().any(|family| family == "AF_NETLINK"), "{families}");
    }
}
