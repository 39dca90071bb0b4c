//! Any bytes from a `rfc2020` server: no panic, and what reads is written back to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::rfc2020::entity_json::EntityJson;
use protocol::rfc2020::wire::{FromServer, Message};

fuzz_target!(|bytes: &[u8]| {
    let Ok(message) = Message::<FromServer>::read(bytes) else { return };
    let mut out = Vec::new();
    message.write(&mut out);
    assert_eq!(out, bytes);
    if let FromServer::Spawn { entity_json, .. } = message.body {
        check_description(entity_json);
    }
});

/// What an ENTITY_JSON says, it says again when we write it in our way.
fn check_description(entity_json: EntityJson) {
    let Ok(described) = entity_json.parse() else { return };
    let text = described.to_string();
    assert_eq!(EntityJson::new(&text).and_then(EntityJson::parse), Ok(described));
}
