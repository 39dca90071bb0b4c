//! Any bytes from a `rfc53952` client: no panic, and what reads is written back to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::rfc53952::description::ClientEvent;
use protocol::rfc53952::wire::{FromClient, Packet};

fuzz_target!(|bytes: &[u8]| {
    let Ok(packet) = Packet::<FromClient>::read(bytes) else { return };
    let mut out = Vec::new();
    packet.write(&mut out);
    assert_eq!(out, bytes);
    if let FromClient::ClientEvents { id_event, description } = packet.data {
        check_event(ClientEvent::read(id_event, description));
    }
});

/// An event means the same after it is written in our way.
fn check_event(event: ClientEvent) {
    let Some(FromClient::ClientEvents { id_event, description }) = event.packet() else { panic!("{event:?}") };
    assert_eq!(ClientEvent::read(id_event, description), event);
}
