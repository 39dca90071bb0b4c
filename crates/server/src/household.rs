//! Whose address that is, for limits that hold for each host, and how many of what they have.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
};

use protocol::amplification::is_local;

/// What belongs to one host: an address of IPv4, or the 2^64 of IPv6 that everybody is given.
pub(crate) fn household(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)))
        }
        address => address,
    }
}

/// How many of something each household has. Who has none takes no memory.
#[derive(Default)]
pub(crate) struct Households {
    total: usize,
    counts: HashMap<IpAddr, usize>,
}

impl Households {
    pub fn total(&self) -> usize {
        self.total
    }

    /// How many the household of that address has.
    pub fn count(&self, address: IpAddr) -> usize {
        self.counts.get(&household(address)).copied().unwrap_or(0)
    }

    /// Whether the household of that address has fewer than so many. A local one always has: there a proxy may sit, or the
    /// host, who tries out what the node can bear.
    pub fn has_fewer(&self, address: IpAddr, than: usize) -> bool {
        is_local(address) || self.count(address) < than
    }

    /// Who has most.
    pub fn greatest(&self) -> Option<IpAddr> {
        self.counts.iter().max_by_key(|(_, count)| **count).map(|(household, _)| *household)
    }

    pub fn add(&mut self, address: IpAddr) {
        self.total += 1;
        *self.counts.entry(household(address)).or_insert(0) += 1;
    }

    /// Takes away one that was added.
    pub fn remove(&mut self, address: IpAddr) {
        let household = household(address);
        let Some(count) = self.counts.get_mut(&household) else { return };
        self.total -= 1;
        *count -= 1;
        if *count == 0 {
            self.counts.remove(&household);
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
    fn a_network_of_ipv6_is_one_household_and_what_is_taken_away_is_forgotten() {
        let mut households = Households::default();
        for address in ["2001:db8::1", "2001:db8::2", "192.0.2.1", "::ffff:192.0.2.1", "2001:db8::3"] {
            households.add(ip(address));
        }
        assert_eq!((households.count(ip("2001:db8::9")), households.count(ip("192.0.2.1"))), (3, 2));
        assert_eq!((households.greatest(), households.total()), (Some(ip("2001:db8::")), 5));
        assert!(households.has_fewer(ip("192.0.2.1"), 3) && !households.has_fewer(ip("192.0.2.1"), 2));
        for address in ["2001:db8::9", "2001:db8::9", "2001:db8::9", "192.0.2.1", "192.0.2.1", "192.0.2.1"] {
            households.remove(ip(address));
        }
        assert!(households.counts.is_empty() && households.total() == 0);
    }

    #[test]
    fn local_addresses_always_have_room() {
        let mut households = Households::default();
        for address in ["127.0.0.1", "::1", "192.168.1.7", "10.1.2.3", "fd00::7", "::ffff:10.1.2.3"] {
            households.add(ip(address));
            assert!(households.has_fewer(ip(address), 1));
        }
    }
}
