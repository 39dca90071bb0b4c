//! Any bytes from a `rfc2020` client: no panic, and what reads is written back to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::rfc2020::wire::{FromClient, Message, whole_message};

fuzz_target!(|bytes: &[u8]| {
    // On TCP the same bytes are a stream: what is cut off it is never longer than it.
    if let Ok(Some(size)) = whole_message(bytes) {
        assert!(size <= bytes.len());
    }
    let Ok(message) = Message::<FromClient>::read(bytes) else { return };
    let mut out = Vec::new();
    message.write(&mut out);
    assert_eq!(out, bytes);
});
