//! Any bytes from a `snapshot` server: no panic, and what reads is written back to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::snapshot::wire::FromServer;

fuzz_target!(|bytes: &[u8]| {
    let Ok((header, packet)) = FromServer::read(bytes) else { return };
    let mut out = Vec::new();
    packet.write(header, &mut out);
    assert_eq!(out, bytes);
});
