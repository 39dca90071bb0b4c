//! Any bytes as what an earlier process of a node left: refused, or lobbies that go on without a panic.
//!
//! The first byte chooses between a whole file, the save of a lobby, and a real save that the rest damages here and there.

#![no_main]

#[path = "../../crates/server/tests/simulated/settings.rs"]
mod settings;

use std::{net::SocketAddr, sync::LazyLock, time::Duration};

use libfuzzer_sys::fuzz_target;
use protocol::{Dialect, Time};
use server::{
    core::{Core, Effect, PeerKey},
    saves::Left,
};
use settings::{START, settings};

const TICK: Duration = Duration::from_micros(16_667);
const PLAYED_TICKS: u32 = 200;
/// Longer than a lobby waits for its players.
const TICKS_AFTER: u32 = 240;

/// A lobby with four players, as it was saved last.
static SAVE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut core = Core::new(START, settings(1, 4));
    core.keep_saves();
    peers().for_each(|peer| core.datagram(START, peer, b""));
    let mut save = Vec::new();
    for tick in 0..PLAYED_TICKS {
        core.advance(START + TICK * tick);
        while let Some(effect) = core.poll() {
            if let Effect::Save(_, Some(bytes)) = effect {
                save = bytes;
            }
        }
    }
    assert!(!save.is_empty(), "nothing was saved");
    save
});

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, rest)) = bytes.split_first() else { return };
    let saves = match choice % 4 {
        0 => Left::decode(rest).map_or(Vec::new(), |left| left.lobbies),
        // The version of a save is its first byte.
        1 => vec![[&SAVE[..1], rest].concat()],
        _ => vec![damaged(rest)],
    };
    let now = START + TICK * PLAYED_TICKS;
    let mut core = Core::new(now, settings(2, 4));
    core.keep_saves();
    if saves.iter().filter(|save| core.restore(now, save).is_ok()).count() > 0 {
        go_on(&mut core, now, rest);
    }
});

fn peers() -> impl Iterator<Item = PeerKey> {
    (0..4).map(|number| PeerKey::at_door(Dialect::Typeuh, SocketAddr::from(([127, 0, 0, 1], 5_000 + number))))
}

/// The save with some bytes replaced: three bytes of `how` are a place and what to write there.
fn damaged(how: &[u8]) -> Vec<u8> {
    let mut bytes = SAVE.clone();
    for patch in how.chunks_exact(3) {
        let place = usize::from(u16::from_le_bytes([patch[0], patch[1]])) % bytes.len();
        bytes[place] = patch[2];
    }
    bytes
}

/// Its players come back and say something, and it plays on.
fn go_on(core: &mut Core, since: Time, bytes: &[u8]) {
    for tick in 0..TICKS_AFTER {
        let now = since + TICK * tick;
        if tick % 30 == 0 {
            peers().for_each(|peer| core.datagram(now, peer, &bytes[..bytes.len().min(64)]));
        }
        core.advance(now);
        while core.poll().is_some() {}
    }
    assert_eq!(core.counters().lobbies_broken, 0);
}
