//! A dialect's field table and its `wire` never disagree about what is valid or what a value is. The first byte chooses the dialect,
//! the end and the channel; the rest is what was said.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::{Channel, Dialect, field_table::Sender};

#[allow(dead_code, reason = "tests also ask for each reading by itself")]
#[path = "../../crates/protocol/tests/wire_agreement/mod.rs"]
mod wire_agreement;

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else { return };
    let dialect = Dialect::ALL[usize::from(choice >> 2) % Dialect::ALL.len()];
    let sender = if choice & 1 == 0 { Sender::Client } else { Sender::Server };
    let has_stream = dialect.entry().fields.sentences(sender).stream.is_some();
    let channel = if choice & 2 == 0 || !has_stream { Channel::Datagram } else { Channel::Stream };
    if let Err(difference) = wire_agreement::check(dialect, sender, channel, bytes) {
        panic!("{} {sender:?} {channel:?}: {difference}", dialect.name());
    }
});
