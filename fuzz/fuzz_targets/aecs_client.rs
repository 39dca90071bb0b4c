//! Any bytes from an `aecs` client: no panic, and what reads is written back to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::aecs::wire::FromClient;

fuzz_target!(|bytes: &[u8]| {
    let Ok(packet) = FromClient::read(bytes) else { return };
    let mut out = Vec::new();
    packet.write(&mut out);
    assert_eq!(out, bytes);
});
