//! Chance that is the same in every run.

use std::net::IpAddr;

pub struct AttackDice(u64);

impl AttackDice {
    pub fn new(seed: u64) -> AttackDice {
        AttackDice(seed | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// An address of this machine that nobody else uses.
    pub fn address(&mut self) -> IpAddr {
        let [.., a, b, c] = self.next().to_be_bytes();
        IpAddr::from([127, a | 1, b, c])
    }

    pub fn fill(&mut self, bytes: &mut Vec<u8>, length: usize) {
        bytes.extend((0..length).map(|_| (self.next() >> 32) as u8));
    }
}
