//! Both halves of an `rfc53952` session, with a real game, between the bytes of a stranger: no panic, every packet that
//! either says is well-formed, and none is above 1,200 bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::rfc53952::ENTRY;
use protocol::rfc53952::wire::{FromClient, FromServer, HEADER_SIZE, Packet};
use protocol::{Channel, ClientSession, Output, ServerSession, Time};
use volley_fuzz::{Deed, plan, take, welcome};

/// Ten seconds: more than any time-out but that of connecting.
const TICKS_MAX: u32 = 600;
/// The longest datagram (C2).
const DATAGRAM_MAX_BYTES: usize = 1200;

type Table = volley_fuzz::Table<dyn ServerSession, dyn ClientSession>;

fuzz_target!(|bytes: &[u8]| {
    let mut table = Table::new((ENTRY.accept)(welcome()), (ENTRY.connect)(plan("")));
    table.play(bytes, TICKS_MAX, stranger, talk);
});

fn stranger(table: &mut Table, deed: Deed, rest: &mut &[u8]) {
    let now = table.now;
    let _ = match deed.number {
        0 => table.server.receive(now, Channel::Datagram, take(rest, deed.parameter.into())).map(drop),
        1 => table.client.receive(now, Channel::Datagram, take(rest, deed.parameter.into())),
        2 => table.server.receive(now, Channel::Datagram, &packet(now, deed.parameter, rest)).map(drop),
        _ => table.client.receive(now, Channel::Datagram, &packet(now, deed.parameter, rest)),
    };
}

/// A packet whose header is right and of about now, which random bytes would hardly hit.
fn packet(now: Time, size: u8, rest: &mut &[u8]) -> Vec<u8> {
    let data = take(rest, usize::from(size) + 2);
    let (&[packet_type, age], data) = data.split_first_chunk().unwrap_or((&[4, 0], &[]));
    let timestamp = now.seconds().wrapping_add(2).wrapping_sub(age.into());
    let length = (HEADER_SIZE + data.len()) as u32;
    let datasize = data.len() as u16;
    [&length.to_le_bytes()[..], &[packet_type], &timestamp.to_le_bytes(), &datasize.to_le_bytes(), data].concat()
}

fn talk(table: &mut Table) {
    let mut buffer = Vec::new();
    while let Some(output) = table.server.poll(table.now, &mut buffer) {
        assert!(output == Output::Datagram && buffer.len() <= DATAGRAM_MAX_BYTES);
        Packet::<FromServer>::read(&buffer).expect("what we write reads");
        if table.is_joined {
            table.client.receive(table.now, Channel::Datagram, &buffer).expect("what we write reads");
        }
    }
    while let Some(output) = table.client.poll(table.now, &mut buffer) {
        assert!(output == Output::Datagram && buffer.len() <= DATAGRAM_MAX_BYTES);
        Packet::<FromClient>::read(&buffer).expect("what we write reads");
        if table.is_joined {
            table.server.receive(table.now, Channel::Datagram, &buffer).expect("what we write reads");
        }
    }
}
