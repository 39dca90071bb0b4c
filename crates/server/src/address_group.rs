//! Addresses that count as one for every limit per address: an IPv4 address, or the /64 network of an IPv6 address,
//! because an IPv6 host usually has a whole /64 to itself. And networks, which have limits of their own, because somebody may
//! have a whole one: a /24 of IPv4, a /48 of IPv6.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

/// The group of an address, named by its first address.
pub(crate) fn address_group(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)))
        }
        address => address,
    }
}

/// The network of an address, named by its first address.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & (u32::MAX << 8))),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 80))),
    }
}

/// How many of something each address group has. A group with none takes no memory.
pub(crate) struct AddressCounts {
    group: fn(IpAddr) -> IpAddr,
    total: usize,
    counts: HashMap<IpAddr, usize>,
}

impl Default for AddressCounts {
    fn default() -> AddressCounts {
        AddressCounts { group: address_group, total: 0, counts: HashMap::new() }
    }
}

impl AddressCounts {
    /// Counts by network rather than by address.
    pub fn by_network() -> AddressCounts {
        AddressCounts { group: network, ..AddressCounts::default() }
    }

    pub fn total(&self) -> usize {
        self.total
    }

    pub fn count(&self, address: IpAddr) -> usize {
        self.counts.get(&(self.group)(address)).copied().unwrap_or(0)
    }

    pub fn add(&mut self, address: IpAddr) {
        self.add_many(address, 1);
    }

    pub fn add_many(&mut self, address: IpAddr, number: usize) {
        self.total += number;
        *self.counts.entry((self.group)(address)).or_insert(0) += number;
    }

    /// Takes away one that was added.
    pub fn remove(&mut self, address: IpAddr) {
        self.remove_many(address, 1);
    }

    /// Takes away some of those that were added.
    pub fn remove_many(&mut self, address: IpAddr, number: usize) {
        let group = (self.group)(address);
        let Some(count) = self.counts.get_mut(&group) else { return };
        self.total -= number;
        *count -= number;
        if *count == 0 {
            self.counts.remove(&group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn an_ipv6_network_counts_as_one_address_and_empty_groups_are_forgotten() {
        let mut counts = AddressCounts::default();
        for address in ["2001:db8::1", "2001:db8::2", "192.0.2.1", "::ffff:192.0.2.1", "2001:db8::3"] {
            counts.add(ip(address));
        }
        assert_eq!((counts.count(ip("2001:db8::9")), counts.count(ip("192.0.2.1"))), (3, 2));
        assert_eq!(counts.total(), 5);
        for address in ["2001:db8::9", "2001:db8::9", "2001:db8::9", "192.0.2.1", "192.0.2.1", "192.0.2.1"] {
            counts.remove(ip(address));
        }
        assert!(counts.counts.is_empty() && counts.total() == 0);
    }

    #[test]
    fn networks_count_their_addresses_together() {
        let mut counts = AddressCounts::by_network();
        for address in
            ["192.0.2.1", "::ffff:192.0.2.77", "192.0.3.1", "2001:db8:1:2::1", "2001:db8:1:3::1", "2001:db8:2::1"]
        {
            counts.add(ip(address));
        }
        assert_eq!((counts.count(ip("192.0.2.200")), counts.count(ip("2001:db8:1:ffff::"))), (2, 2));
    }
}
