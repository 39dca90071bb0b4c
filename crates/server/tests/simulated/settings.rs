//! What an operator might choose for a node that runs without sockets, and when it begins.

use game::Stage;
use protocol::Time;
use server::core::Settings;

pub const START: Time = Time::from_micros(1_700_000_000_000_000);

pub fn settings(seed: u64, lobbies_max: usize) -> Settings {
    let stages: Vec<_> = ["endless", "stage1"].iter().filter_map(|name| Stage::built_in(name)).collect();
    let stage = stages[0].clone();
    Settings { lobbies_max, ..Settings::new(stages, stage, seed, [7; 32]) }
}
