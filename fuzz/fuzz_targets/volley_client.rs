//! Any bytes from a `volley` client, as a datagram or of the stream: no panic, and what reads is written back to the same
//! bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::volley::{
    wire::control::{FROM_CLIENT_MAX_BYTES, FromClient, next_message},
    wire::report::Report,
};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(report) = Report::read(bytes) {
        let mut out = Vec::new();
        report.write(&mut out);
        assert_eq!(out, bytes);
    }
    let Ok(Some(message)) = next_message(bytes, FROM_CLIENT_MAX_BYTES) else { return };
    let Ok(read) = FromClient::read(message) else { return };
    let mut out = Vec::new();
    read.write(&mut out);
    assert_eq!(&out[2..], message);
});
