//! Any bytes from a `rfc53952` server: no panic, and what reads is written back to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::rfc53952::description::Update;
use protocol::rfc53952::wire::{FromServer, Packet, Text};

fuzz_target!(|bytes: &[u8]| {
    let Ok(packet) = Packet::<FromServer>::read(bytes) else { return };
    let mut out = Vec::new();
    packet.write(&mut out);
    assert_eq!(out, bytes);
    if let FromServer::UpdateEntity { description, .. } = packet.data {
        check_update(Update::read(description));
    }
});

/// An update means the same after it is written in our way.
fn check_update(update: Update) {
    let text = update.to_string();
    assert_eq!(Text::new(&text).map(Update::read), Ok(update));
}
