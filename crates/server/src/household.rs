//! Whose address that is, for limits that hold for each host.

use std::net::{IpAddr, Ipv6Addr};

/// What belongs to one host: an address of IPv4, or the 2^64 of IPv6 that everybody is given.
pub(crate) fn household(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)))
        }
        address => address,
    }
}
