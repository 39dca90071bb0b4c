//! Any text as a list of ranges, as in `bans.txt`, at `/admin/bans` and in `--own-networks`: refused, or written and read as the
//! same; and an address is banned if one of the ranges contains it.

#![no_main]

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use libfuzzer_sys::fuzz_target;
use server::{
    core::{Bans, Range},
    edge::Origin,
    own_networks::OwnNetworksRule,
};

fuzz_target!(|bytes: &[u8]| {
    let (probes, text) = bytes.split_at(bytes.len().min(32));
    let text = String::from_utf8_lossy(text);
    let ranges: Vec<Range> = text.split(['\n', ',']).filter_map(|line| line.trim().parse().ok()).collect();
    for range in &ranges {
        assert_eq!(range.to_string().parse(), Ok(*range), "{range}");
    }
    let bans = Bans::new(&ranges);
    for address in probes.chunks_exact(4).map(v4).chain(probes.chunks_exact(16).map(v6)) {
        let is_in_one = ranges.iter().any(|range| range.contains(address));
        assert_eq!(bans.contain(address), is_in_one, "{address} in {ranges:?}");
    }
    if let Ok(rule) = text.parse::<OwnNetworksRule>() {
        let networks = rule.resolve(IpAddr::V6(Ipv6Addr::UNSPECIFIED), &[]);
        networks.ranges();
        probes.chunks_exact(16).for_each(|probe| _ = networks.contain(v6(probe), Some(1)));
    }
    let _ = text.parse::<Origin>();
});

fn v4(bytes: &[u8]) -> IpAddr {
    Ipv4Addr::new(bytes[0], bytes[1], bytes[2], bytes[3]).into()
}

fn v6(bytes: &[u8]) -> IpAddr {
    let bytes: [u8; 16] = bytes.try_into().expect("sixteen bytes");
    Ipv6Addr::from(bytes).into()
}
