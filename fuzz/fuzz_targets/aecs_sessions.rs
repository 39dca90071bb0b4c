//! Both halves of an `aecs` session, with a real game, between the bytes of a stranger: no panic, and no datagram above
//! 1,200 bytes but one that holds a single merged change.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::aecs::wire::{DATAGRAM_MAX_BYTES, FromClient, FromServer};
use protocol::aecs::{DATAGRAM_LIMIT_BYTES, ENTRY};
use protocol::{Channel, ClientSession, Output, ServerSession};
use volley_fuzz::{Deed, plan, take, welcome};

/// Ten seconds: more than any time-out.
const TICKS_MAX: u32 = 600;

type Table = volley_fuzz::Table<dyn ServerSession, dyn ClientSession>;

fuzz_target!(|bytes: &[u8]| {
    let mut table = Table::new((ENTRY.accept)(welcome()), (ENTRY.connect)(plan("")));
    table.play(bytes, TICKS_MAX, stranger, talk);
});

fn stranger(table: &mut Table, deed: Deed, rest: &mut &[u8]) {
    let now = table.now;
    match deed.number {
        0 => _ = table.server.receive(now, Channel::Datagram, packet(rest, deed.parameter)),
        1 => _ = table.client.receive(now, Channel::Datagram, packet(rest, deed.parameter)),
        2 => _ = table.client.receive(now, Channel::Stream, packet(rest, deed.parameter)),
        _ => pong(table, deed.parameter),
    }
}

/// A confirmation of about now, which random bytes would hardly hit.
fn pong(table: &mut Table, behind: u8) {
    let tick = table.scene.frame.tick.0.wrapping_add(2).wrapping_sub(behind.into());
    let mut packet = Vec::new();
    FromClient::ClientPong { tick }.write(&mut packet);
    table.server.receive(table.now, Channel::Datagram, &packet).expect("what we write reads");
}

/// Short ones to the byte; of longer ones the game has some that no short one could say.
fn packet<'a>(rest: &mut &'a [u8], size: u8) -> &'a [u8] {
    take(rest, if size < 24 { size.into() } else { usize::from(size - 23) * 32 })
}

fn talk(table: &mut Table) {
    let mut buffer = Vec::new();
    while let Some(output) = table.server.poll(table.now, &mut buffer) {
        let channel = match output {
            Output::Datagram => Channel::Datagram,
            Output::Stream => Channel::Stream,
            Output::CloseStream => continue,
            Output::DatagramsTo(_) => panic!("a server does not redirect"),
        };
        let said = FromServer::read(&buffer).expect("what we write reads");
        if let FromServer::GameChanges { changes } = said {
            let is_long = buffer.len() > DATAGRAM_MAX_BYTES;
            assert!(!is_long || (changes.iter().count() == 1 && buffer.len() <= DATAGRAM_LIMIT_BYTES));
        }
        if table.is_joined {
            // The stranger may have broken off the stream in the middle of a packet.
            let _ = table.client.receive(table.now, channel, &buffer);
        }
    }
    while let Some(output) = table.client.poll(table.now, &mut buffer) {
        if output == Output::Datagram {
            FromClient::read(&buffer).expect("what we write reads");
            if table.is_joined {
                table.server.receive(table.now, Channel::Datagram, &buffer).expect("what we write reads");
            }
        }
    }
}
