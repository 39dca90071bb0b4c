//! Addresses that a host does not serve.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr},
    str::FromStr,
};

use ipnet::{IpNet, Ipv4Net};

/// Ranges that can be banned at once, at most.
pub const BANS_MAX: usize = 10_000;

/// A range of addresses; a single address is a range of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Range(IpNet);

/// Not an address and not a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotARange;

impl fmt::Display for NotARange {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a range is an address such as 192.0.2.7 or a block such as 192.0.2.0/24 or 2001:db8::/32")
    }
}

impl FromStr for Range {
    type Err = NotARange;

    fn from_str(text: &str) -> Result<Range, NotARange> {
        let net = match text.parse::<IpAddr>() {
            Ok(address) => IpNet::from(address),
            Err(_) => text.parse().map_err(|_| NotARange)?,
        };
        Ok(Range(canonical(net.trunc())))
    }
}

impl fmt::Display for Range {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self.0.prefix_len() == self.0.max_prefix_len() {
            true => self.0.addr().fmt(formatter),
            false => self.0.fmt(formatter),
        }
    }
}

impl Range {
    /// Whether the address is one of it, also where IPv4 is written as IPv6.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }

    /// Its first and last address.
    fn ends(&self) -> (Position, Position) {
        (position(self.0.network()), position(self.0.broadcast()))
    }
}

/// Every range that is banned.
#[derive(Clone, Debug, Default)]
pub struct Bans {
    /// Without overlaps and in order, so that one look-up is a few comparisons however many there are: strangers knock
    /// as often as they like.
    ends: Vec<(Position, Position)>,
}

/// Where an address is among all: those of IPv4 first, so that no block of IPv6 holds any.
type Position = (bool, u128);

impl Bans {
    /// All of these.
    pub fn new<'r>(ranges: impl IntoIterator<Item = &'r Range>) -> Bans {
        let mut all: Vec<(Position, Position)> = ranges.into_iter().map(Range::ends).collect();
        all.sort_unstable();
        let mut ends: Vec<(Position, Position)> = Vec::with_capacity(all.len());
        for (first, last) in all {
            match ends.last_mut() {
                Some(before) if first <= before.1 => before.1 = before.1.max(last),
                _ => ends.push((first, last)),
            }
        }
        Bans { ends }
    }

    /// Whether an address is banned.
    pub fn contain(&self, address: IpAddr) -> bool {
        let address = position(address.to_canonical());
        let after = self.ends.partition_point(|(first, _)| *first <= address);
        after.checked_sub(1).is_some_and(|before| address <= self.ends[before].1)
    }
}

fn position(address: IpAddr) -> Position {
    match address {
        IpAddr::V4(address) => (false, address.to_bits().into()),
        IpAddr::V6(address) => (true, address.to_bits()),
    }
}

/// A block of IPv4 that is written as IPv6 is one of IPv4.
fn canonical(net: IpNet) -> IpNet {
    let IpNet::V6(mapped) = net else { return net };
    let v4: Option<Ipv4Addr> = mapped.addr().to_ipv4_mapped();
    let prefix = mapped.prefix_len().checked_sub(96);
    match v4.zip(prefix).and_then(|(address, prefix)| Ipv4Net::new(address, prefix).ok()) {
        Some(v4) => IpNet::V4(v4),
        None => net,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bans(ranges: &[&str]) -> Bans {
        let ranges: Vec<Range> = ranges.iter().map(|range| range.parse().expect("a range")).collect();
        Bans::new(&ranges)
    }

    fn is_banned(bans: &Bans, address: &str) -> bool {
        bans.contain(address.parse().expect("an address"))
    }

    #[test]
    fn a_block_of_ipv6_bans_nobody_who_speaks_ipv4() {
        for block in ["::/0", "::/64", "::fff0:0:0/90"] {
            let bans = bans(&[block]);
            assert!(!is_banned(&bans, "192.0.2.7") && !is_banned(&bans, "::ffff:192.0.2.7"), "{block}");
            assert!(is_banned(&bans, "::1") || block == "::fff0:0:0/90", "{block}");
        }
        assert!(is_banned(&bans(&["::ffff:192.0.2.0/120"]), "192.0.2.7"));
    }

    #[test]
    fn a_range_is_an_address_or_a_block_and_is_written_shortly() {
        for (text, written) in [
            ("192.0.2.7", "192.0.2.7"),
            ("192.0.2.7/24", "192.0.2.0/24"),
            ("2001:db8::1/32", "2001:db8::/32"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.0/120", "192.0.2.0/24"),
            ("0.0.0.0/0", "0.0.0.0/0"),
        ] {
            assert_eq!(text.parse::<Range>().map(|range| range.to_string()), Ok(written.into()), "{text}");
        }
        for wrong in ["", "banana", "192.0.2.0/33", "192.0.2", "::/129", "10.0.0.0-10.0.0.9"] {
            assert_eq!(wrong.parse::<Range>(), Err(NotARange), "{wrong}");
        }
    }

    #[test]
    fn an_address_in_any_banned_range_is_banned_however_it_is_written() {
        let bans = bans(&["192.0.2.0/24", "192.0.2.7", "10.1.2.3", "2001:db8::/32"]);
        for banned in ["192.0.2.0", "192.0.2.255", "::ffff:192.0.2.9", "10.1.2.3", "2001:db8:ffff::"] {
            assert!(is_banned(&bans, banned), "{banned}");
        }
        for free in ["192.0.1.255", "192.0.3.0", "10.1.2.2", "10.1.2.4", "2001:db9::", "::1", "255.255.255.255"] {
            assert!(!is_banned(&bans, free), "{free}");
        }
        assert!(!is_banned(&Bans::default(), "127.0.0.1"));
    }

    #[test]
    fn all_of_ipv4_is_not_all_of_ipv6() {
        let bans = bans(&["0.0.0.0/0"]);
        assert!(is_banned(&bans, "127.0.0.1") && is_banned(&bans, "::ffff:8.8.8.8"));
        assert!(!is_banned(&bans, "::1") && !is_banned(&bans, "2001:db8::1"));
    }
}
