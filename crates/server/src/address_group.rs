//! Addresses that count as one for every limit per address: an IPv4 address, or the /64 network of an IPv6 address,
//! because an IPv6 host usually has a whole /64 to itself.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
};

use protocol::amplification::is_local;

/// The group of an address, named by its first address.
pub(crate) fn address_group(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)))
        }
        address => address,
    }
}

/// How many of something each address group has. A group with none takes no memory.
#[derive(Default)]
pub(crate) struct AddressCounts {
    total: usize,
    counts: HashMap<IpAddr, usize>,
}

impl AddressCounts {
    pub fn total(&self) -> usize {
        self.total
    }

    pub fn count(&self, address: IpAddr) -> usize {
        self.counts.get(&address_group(address)).copied().unwrap_or(0)
    }

    /// Whether the group of an address has fewer than `limit`. Local addresses always pass: a proxy may run there, or the
    /// host may be testing how much the node can take.
    pub fn is_below(&self, address: IpAddr, limit: usize) -> bool {
        is_local(address) || self.count(address) < limit
    }

    /// The largest count of all groups.
    pub fn most(&self) -> usize {
        self.counts.values().copied().max().unwrap_or(0)
    }

    pub fn add(&mut self, address: IpAddr) {
        self.add_many(address, 1);
    }

    pub fn add_many(&mut self, address: IpAddr, number: usize) {
        self.total += number;
        *self.counts.entry(address_group(address)).or_insert(0) += number;
    }

    /// Takes away one that was added.
    pub fn remove(&mut self, address: IpAddr) {
        self.remove_many(address, 1);
    }

    /// Takes away some of those that were added.
    pub fn remove_many(&mut self, address: IpAddr, number: usize) {
        let group = address_group(address);
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
        assert_eq!((counts.most(), counts.total()), (3, 5));
        assert!(counts.is_below(ip("192.0.2.1"), 3) && !counts.is_below(ip("192.0.2.1"), 2));
        for address in ["2001:db8::9", "2001:db8::9", "2001:db8::9", "192.0.2.1", "192.0.2.1", "192.0.2.1"] {
            counts.remove(ip(address));
        }
        assert!(counts.counts.is_empty() && counts.total() == 0);
    }

    #[test]
    fn local_addresses_always_have_room() {
        let mut counts = AddressCounts::default();
        for address in ["127.0.0.1", "::1", "192.168.1.7", "10.1.2.3", "fd00::7", "::ffff:10.1.2.3"] {
            counts.add(ip(address));
            assert!(counts.is_below(ip(address), 1));
        }
    }
}
