//! What an operator might choose for a node that runs without sockets, and when it begins.

use game::{Rules, Stage};
use protocol::{Scale, Time, amplification::Budget};
use server::{core::Settings, limits::Limits, own_networks::OwnNetworksRule};

pub const START: Time = Time::from_micros(1_700_000_000_000_000);

pub fn settings(seed: u64, lobbies_max: usize) -> Settings {
    let stages: Vec<_> = ["endless", "stage1"].iter().filter_map(|name| Stage::built_in(name)).collect();
    Settings {
        stage: stages[0].clone(),
        stages,
        rules: Rules::default(),
        lobbies_max,
        // tidy: allow(ports) nothing is opened
        lobby_ports: 24_500..=24_999,
        scale: Scale::default(),
        open_unproved: false,
        limit_loopback: false,
        own_networks: OwnNetworksRule::default(),
        limits: Limits::default(),
        unproved_bytes_per_second: Budget::DEFAULT_BYTES_PER_SECOND,
        seed,
        secret: [7; 32],
        remote: None,
    }
}
