//! Any bytes from a `snapshot` client: no panic, and what reads, reads the same after it is written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::snapshot::wire::FromClient;

fuzz_target!(|bytes: &[u8]| {
    let Ok((header, packet)) = FromClient::read(bytes) else { return };
    let mut out = Vec::new();
    packet.write(header, &mut out);
    match packet {
        FromClient::Input { .. } => assert_eq!(out, bytes),
        // A name comes in several forms and is written bare (ruling S2).
        FromClient::Join { .. } => assert_eq!(FromClient::read(&out), Ok((header, packet))),
    }
});
