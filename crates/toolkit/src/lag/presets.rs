//! Networks that people know.

use std::time::Duration;

use network::{Bursts, Chance, Conditions, Faults, Jitter, Outages, Rate, Reorder};

/// A network that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    pub name: &'static str,
    /// For whom it stands, in one line.
    pub description: &'static str,
    pub conditions: Conditions,
}

/// All of them, from good to bad.
pub const ALL: [Preset; 4] = [
    Preset {
        name: "wifi",
        description: "a laptop two walls away from its access point",
        conditions: both(Faults {
            bursts: Some(bursts(5, 3)),
            reorder: Reorder { chance: Chance::millionths(1_000), at_most: Duration::from_millis(10) },
            ..delayed(4, 4)
        }),
    },
    Preset {
        name: "4g",
        description: "a phone in a moving train",
        conditions: Conditions {
            up: Faults { bursts: Some(bursts(15, 6)), rate: Some(rate(2_000_000, 256 << 10)), ..delayed(35, 15) },
            down: Faults { bursts: Some(bursts(10, 6)), rate: Some(rate(10_000_000, 1 << 20)), ..delayed(30, 12) },
            rebinding: None,
        },
    },
    Preset {
        name: "transatlantic",
        description: "a good line across an ocean",
        conditions: both(Faults { loss: Chance::millionths(2_000), ..delayed(45, 2) }),
    },
    Preset {
        name: "awful",
        description: "a satellite line at the end of an overcrowded hotel network",
        conditions: both(Faults {
            loss: Chance::percent(2),
            bursts: Some(bursts(60, 8)),
            duplicate: Chance::percent(1),
            reorder: Reorder { chance: Chance::percent(2), at_most: Duration::from_millis(60) },
            rate: Some(rate(256_000, 32 << 10)),
            outages: Some(Outages { every: Duration::from_secs(60), lasting: Duration::from_secs(2) }),
            ..delayed(150, 40)
        }),
    },
];

/// The preset of that name.
pub fn find(name: &str) -> Option<Preset> {
    ALL.into_iter().find(|preset| preset.name == name)
}

const fn both(faults: Faults) -> Conditions {
    Conditions::both(faults)
}

/// One way takes `delay_ms`, and on average `jitter_ms` more.
const fn delayed(delay_ms: u64, jitter_ms: u64) -> Faults {
    let jitter = Jitter { mean: Duration::from_millis(jitter_ms), memory: super::units::JITTER_MEMORY };
    Faults { delay: Duration::from_millis(delay_ms), jitter, ..Faults::NONE }
}

/// Of a thousand datagrams `per_mille` are lost, in bursts of `length` on average.
const fn bursts(per_mille: u32, length: u32) -> Bursts {
    super::units::bursts(Chance::millionths(per_mille * 1_000), length)
}

const fn rate(bits_per_second: u32, queue_bytes: u32) -> Rate {
    Rate { bytes_per_second: bits_per_second / 8, queue_bytes }
}
