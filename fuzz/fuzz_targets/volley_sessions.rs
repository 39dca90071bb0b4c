//! Both halves of a `volley` session, with a real game, between the bytes of a stranger: no panic, and no datagram above
//! 1,200 bytes.

#![no_main]

use game::Seat;
use libfuzzer_sys::fuzz_target;
use protocol::{
    Channel, ClientSession, LinkSession, LobbyId, LobbyNotice, LobbyRequest, Output, ServerSession, Token,
    volley::{Client, DATAGRAM_MAX_BYTES, Server},
};
use volley_fuzz::{Deed, START, plan, take};

/// Fifteen seconds: more than any time-out.
const TICKS_MAX: u32 = 900;

type Table = volley_fuzz::Table<Server, Client>;

fuzz_target!(|bytes: &[u8]| {
    let mut table = Table::new(Box::new(Server::new(START)), Box::new(Client::new(plan("Ann"))));
    table.play(bytes, TICKS_MAX, stranger, talk);
});

fn stranger(table: &mut Table, deed: Deed, rest: &mut &[u8]) {
    let (now, count) = (table.now, usize::from(deed.parameter));
    let _ = match deed.number {
        0 => table.server.receive(now, Channel::Datagram, take(rest, count)).map(drop),
        1 => table.client.receive(now, Channel::Datagram, take(rest, count * 3)),
        2 => table.client.receive(now, Channel::Stream, take(rest, count)),
        _ => table.server.receive(now, Channel::Stream, take(rest, count)).map(drop),
    };
}

fn talk(table: &mut Table) {
    grant(table);
    let mut buffer = Vec::new();
    while let Some(output) = table.server.poll(table.now, &mut buffer) {
        assert!(output != Output::Datagram || buffer.len() <= DATAGRAM_MAX_BYTES);
        if let (Some(channel), true) = (channel(output), table.is_joined) {
            // The stranger may have broken off the stream, or shown Frames of its own.
            let _ = table.client.receive(table.now, channel, &buffer);
        }
    }
    while let Some(output) = table.client.poll(table.now, &mut buffer) {
        if let (Some(channel), true) = (channel(output), table.is_joined) {
            let _ = table.server.receive(table.now, channel, &buffer);
        }
    }
    while table.client.news().is_some() {}
    table.client.stats();
}

fn grant(table: &mut Table) {
    while let Some(wish) = table.server.lobby_request() {
        let (code, seat) = (LobbyId::from_number(1), Seat::ALL[0]);
        let grant = match &wish {
            LobbyRequest::Quick | LobbyRequest::Join { .. } => {
                LobbyNotice::Seated { code, seat, token: Token([1; 16]) }
            }
            LobbyRequest::Watch { .. } => LobbyNotice::Watching { code },
            LobbyRequest::LeaveLobby => LobbyNotice::LeftLobby,
            LobbyRequest::Say { text } => LobbyNotice::Said { seat: Some(seat), name: "Ann", text },
            _ => LobbyNotice::Stage(table.world.stage()),
        };
        table.server.notify(table.now, &grant);
    }
}

fn channel(output: Output) -> Option<Channel> {
    match output {
        Output::Datagram => Some(Channel::Datagram),
        Output::Stream => Some(Channel::Stream),
        Output::CloseStream | Output::DatagramsTo(_) => None,
    }
}
