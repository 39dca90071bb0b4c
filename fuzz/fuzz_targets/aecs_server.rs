//! Any bytes from an `aecs` server, as a datagram or a TCP stream: no panic, and what reads is written back to the same
//! bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::aecs::wire::{FromServer, PACKET_MAX_BYTES, whole_packet};

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    if let Ok(Some(size)) = whole_packet(bytes, PACKET_MAX_BYTES) {
        check(&bytes[..size]);
    }
});

fn check(bytes: &[u8]) {
    let Ok(packet) = FromServer::read(bytes) else { return };
    let mut out = Vec::new();
    packet.write(&mut out);
    assert_eq!(out, bytes);
}
