//! Which addresses have lately had an answer over a stream: what proves them to lobby ports (ruling C5).
//!
//! An IPv6 network counts as one address, and every /24 and /48 has its share of the table, so nobody who has many addresses
//! can make the node forget those of others. One more costs the same however many there are.

use std::{net::IpAddr, time::Duration};

use protocol::Time;

use super::recent_map::RecentMap;
use crate::address_group::{address_group, network};

/// How long an exchange proves an address.
const PROOF_LASTS: Duration = Duration::from_secs(60);
/// Addresses in all, and of one network.
const PROOFS_MAX: usize = 65_536;
const PER_NETWORK_MAX: usize = 256;
/// Exchanges of one address that are remembered until sessions are opened after them.
const EXCHANGES_MAX: u32 = 256;

/// Addresses with a proof.
pub(crate) struct Proofs {
    /// By network, the one that has been silent for longest first.
    networks: RecentMap<IpAddr, RecentMap<IpAddr, ProvedAddress>>,
    count: usize,
}

#[derive(Clone, Copy)]
struct ProvedAddress {
    since: Time,
    /// Exchanges that no session was opened after yet, and what the address sent in them.
    exchanges: u32,
    stream_bytes: u64,
}

impl Default for Proofs {
    fn default() -> Proofs {
        // There are no more networks than addresses, and one too many goes below.
        Proofs { networks: RecentMap::new(PROOFS_MAX + 1), count: 0 }
    }
}

impl Proofs {
    /// An address was answered over a stream, after it sent this many bytes.
    pub fn note(&mut self, now: Time, from: IpAddr, stream_bytes: usize) {
        let (group, network) = (address_group(from), network(from));
        let mut own = self.networks.remove(&network).unwrap_or_else(|| RecentMap::new(PER_NETWORK_MAX));
        let before = own.len();
        let mut proof = own.get(&group).copied().unwrap_or(ProvedAddress { since: now, exchanges: 0, stream_bytes: 0 });
        proof.since = now;
        if proof.exchanges < EXCHANGES_MAX && stream_bytes > 0 {
            proof.exchanges += 1;
            proof.stream_bytes += stream_bytes as u64;
        }
        own.insert(group, proof);
        self.count += own.len() - before;
        self.networks.insert(network, own);
        if self.count > PROOFS_MAX {
            self.forget_one();
        }
    }

    /// Whether an address is proved.
    pub fn contain(&self, now: Time, from: IpAddr) -> bool {
        let proof = self.networks.get(&network(from)).and_then(|own| own.get(&address_group(from)));
        proof.is_some_and(|proof| now.since(proof.since) < PROOF_LASTS)
    }

    /// What a proved address has sent over a stream, for one session: players behind one address each have an exchange of
    /// their own. Each byte is counted once.
    pub fn take_stream_bytes(&mut self, from: IpAddr) -> u64 {
        let own = self.networks.get_mut(&network(from));
        let proof = own.and_then(|own| own.get_mut(&address_group(from)));
        let Some(proof) = proof.filter(|proof| proof.exchanges > 0) else { return 0 };
        let share = proof.stream_bytes / u64::from(proof.exchanges);
        proof.exchanges -= 1;
        proof.stream_bytes -= share;
        share
    }

    /// Forgets the oldest proof of the network that has been silent for longest.
    fn forget_one(&mut self) {
        let Some((network, mut own)) = self.networks.pop_oldest() else { return };
        self.count -= usize::from(own.pop_oldest().is_some());
        if own.len() > 0 {
            self.networks.insert(network, own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Time = Time::from_micros(1_000_000_000);

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn c13_no_network_pushes_others_out_however_many_addresses_it_has() {
        let mut proofs = Proofs::default();
        proofs.note(START, ip("203.0.113.5"), 23);
        let of_one_64 = |number: u32| IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, (number >> 16) as u16, number as u16]);
        (0..200_000).for_each(|number| proofs.note(START, of_one_64(number), 23));
        assert_eq!(proofs.count, 2, "a /64 is one address");
        let of_one_48 = |number: u32| IpAddr::from([0x2001, 0xdb8, 0, number as u16, 0, 0, 0, (number >> 16) as u16]);
        (0..200_000).for_each(|number| proofs.note(START, of_one_48(number), 23));
        assert_eq!(proofs.count, 1 + PER_NETWORK_MAX);
        assert!(proofs.contain(START, ip("203.0.113.5")) && proofs.contain(START, of_one_48(199_999)));
        (0..200_000).for_each(|_| proofs.note(START, ip("198.51.100.1"), 23));
        assert!(proofs.contain(START, ip("203.0.113.5")), "nor does an address that asks again and again");
        assert!(!proofs.contain(START + PROOF_LASTS, ip("203.0.113.5")));
        assert!(!proofs.contain(START, ip("203.0.113.6")));
    }

    #[test]
    fn the_table_is_bounded_and_stream_bytes_count_once() {
        let mut proofs = Proofs::default();
        (0..100_000u32).for_each(|number| proofs.note(START, IpAddr::from((number << 8).to_be_bytes()), 23));
        assert_eq!((proofs.count, proofs.networks.len()), (PROOFS_MAX, PROOFS_MAX));
        let last = IpAddr::from((99_999u32 << 8).to_be_bytes());
        assert_eq!((proofs.take_stream_bytes(last), proofs.take_stream_bytes(last)), (23, 0));
        assert!(proofs.contain(START, last));
        for bytes in [23, 24, 23] {
            proofs.note(START, last, bytes);
        }
        let taken: Vec<u64> = (0..4).map(|_| proofs.take_stream_bytes(last)).collect();
        assert_eq!((taken.iter().sum::<u64>(), taken[3]), (70, 0), "three players behind one address: {taken:?}");
        assert!(taken[..3].iter().all(|share| *share >= 23), "{taken:?}");
    }
}
