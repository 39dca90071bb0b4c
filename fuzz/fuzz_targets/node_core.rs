//! A whole node without sockets: any sequence of datagrams, streams, links, ICMP, orders, time and restarts. No panic, no lobby that
//! breaks, and nothing left behind when everybody is gone.

#![no_main]

#[path = "../../crates/server/tests/any_sequence/attempt.rs"]
mod attempt;
#[path = "../../crates/server/tests/simulated/settings.rs"]
mod settings;

use attempt::{Attempt, Chance};
use libfuzzer_sys::fuzz_target;
use volley_fuzz::take;

/// Longer inputs find nothing that shorter ones cannot.
const DEEDS_MAX: usize = 400;

/// Each choice is one byte, or three where there is more to choose from. After the last byte every choice is the first.
struct Chosen<'b>(&'b [u8]);

impl Chance for Chosen<'_> {
    fn below(&mut self, limit: u32) -> u32 {
        let length = if limit <= 256 { 1 } else { 3 };
        let number = take(&mut self.0, length).iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
        number % limit
    }

    fn is_over(&self) -> bool {
        self.0.is_empty()
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut attempt = Attempt::new(1, Chosen(bytes));
    attempt.run(DEEDS_MAX);
    attempt.assert_all_can_end("after these bytes");
});
