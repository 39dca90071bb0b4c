//! Both halves of a session of any dialect in the table, with a real game, between the bytes of a stranger: no panic. The
//! first byte chooses the dialect, so that a new one is fuzzed as soon as it is in the table.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::{Channel, ClientSession, Dialect, Output, ServerSession};
use volley_fuzz::{Deed, START, plan, take, welcome};

/// Ten seconds: more than most time-outs.
const TICKS_MAX: u32 = 600;

type Table = volley_fuzz::Table<dyn ServerSession, dyn ClientSession>;

fuzz_target!(|bytes: &[u8]| {
    let [chosen, rest @ ..] = bytes else { return };
    let dialect = Dialect::ALL[usize::from(*chosen) % Dialect::ALL.len()];
    knock(dialect, rest);
    let mut table = Table::new(dialect.accept(welcome()), dialect.connect(plan("Ann")));
    table.play(rest, TICKS_MAX, stranger, talk);
});

/// What a stranger's first datagram meets.
fn knock(dialect: Dialect, datagram: &[u8]) {
    let (entry, mut numbers) = (dialect.entry(), protocol::Numbers::default());
    let _ = (entry.read_join)(datagram);
    let refusals = (entry.refuse)(protocol::NodeTime { now: START, started: START }, &mut numbers, datagram);
    assert!(refusals.iter().map(Vec::len).sum::<usize>() <= 3 * datagram.len(), "no amplification (C5)");
    (entry.answer_repeated_leave)(START, datagram, &mut Vec::new());
}

fn stranger(table: &mut Table, deed: Deed, rest: &mut &[u8]) {
    let (now, count) = (table.now, usize::from(deed.parameter));
    let _ = match deed.number {
        0 => table.server.receive(now, Channel::Datagram, take(rest, count)).map(drop),
        1 => table.client.receive(now, Channel::Datagram, take(rest, count * 3)),
        2 => table.client.receive(now, Channel::Stream, take(rest, count)),
        _ => table.server.receive(now, Channel::Stream, take(rest, count)).map(drop),
    };
}

/// The stranger may have broken off a stream or a session: what one half says need not suit the other.
fn talk(table: &mut Table) {
    let mut buffer = Vec::new();
    while let Some(output) = table.server.poll(table.now, &mut buffer) {
        if let (Some(channel), true) = (channel(output), table.is_joined) {
            let _ = table.client.receive(table.now, channel, &buffer);
        }
    }
    while let Some(output) = table.client.poll(table.now, &mut buffer) {
        if let (Some(channel), true) = (channel(output), table.is_joined) {
            let _ = table.server.receive(table.now, channel, &buffer);
        }
    }
}

fn channel(output: Output) -> Option<Channel> {
    match output {
        Output::Datagram => Some(Channel::Datagram),
        Output::Stream => Some(Channel::Stream),
        Output::CloseStream | Output::DatagramsTo(_) => None,
    }
}
