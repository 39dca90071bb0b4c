//! What saving costs a node with a thousand lobbies of four players: in their turns, and on the thread that writes.
//!
//! `cargo bench -p server --bench saves`, or with another number of lobbies behind `--`. It prints a table of CPU time.

#[path = "../tests/simulated/settings.rs"]
mod settings;

use std::{collections::BTreeMap, net::SocketAddr, time::Duration};

use nix::{
    sys::resource::{UsageWho, getrusage},
    sys::time::TimeValLike,
};
use protocol::{Dialect, LobbyId};
use server::{
    core::{Core, Effect, PeerKey},
    saves::Saves,
};
use settings::{START, settings};

const LOBBIES: usize = 1_000;
const TICK: Duration = Duration::from_micros(16_667);
/// How far games have come when they are measured.
const PLAYED_SECONDS: u64 = 20;
const MEASURED_SECONDS: u64 = 5;
/// How often the file is written.
const WRITES: u32 = 10;
const PATIENCE: Duration = Duration::from_secs(60);

fn main() {
    let lobbies = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(LOBBIES);
    let (without, _) = busy(lobbies, false);
    let (with, saves) = busy(lobbies, true);
    let bytes: usize = saves.iter().map(|(_, bytes)| bytes.len()).sum();
    let per_second = |time: Duration| time.as_secs_f64() * 1000.0 / MEASURED_SECONDS as f64;
    println!("{lobbies} lobbies of 4 players, for each second of play:");
    println!("{:<48} {:>10.2} ms", "all turns, without saving", per_second(without));
    println!("{:<48} {:>10.2} ms", "all turns, with saving", per_second(with));
    println!("{:<48} {:>10.2} ms", "writing the file once", write(&saves).as_secs_f64() * 1000.0);
    println!("{:<48} {:>10.1} kB", "a lobby", bytes as f64 / 1000.0 / saves.len().max(1) as f64);
}

/// The time that the turns of all lobbies take in some seconds of play, and what was saved last.
fn busy(lobbies: usize, keeps_saves: bool) -> (Duration, Vec<(LobbyId, Vec<u8>)>) {
    let mut core = Core::new(START, settings(1, lobbies));
    let peers: Vec<PeerKey> = (0..lobbies * 4).map(peer).collect();
    peers.iter().for_each(|peer| core.datagram(START, *peer, &[]));
    if keeps_saves {
        core.keep_saves();
    }
    let (mut took, mut saves) = (Duration::ZERO, BTreeMap::new());
    for tick in 0..(PLAYED_SECONDS + MEASURED_SECONDS) * 60 {
        let now = START + TICK * tick as u32;
        // Everybody presses fire, or lets go of it, four times a second.
        if tick.is_multiple_of(15) {
            let event = [if tick.is_multiple_of(30) { 0x8 } else { 0x9 }];
            peers.iter().for_each(|peer| core.datagram(now, *peer, &event));
        }
        let began = cpu_time();
        core.advance(now);
        while let Some(effect) = core.poll() {
            if let Effect::Save(lobby, Some(bytes)) = effect {
                saves.insert(lobby, bytes);
            }
        }
        if tick >= PLAYED_SECONDS * 60 {
            took += cpu_time() - began;
        }
    }
    (took, saves.into_iter().collect())
}

/// The time that it takes to write all of them once.
fn write(lobbies: &[(LobbyId, Vec<u8>)]) -> Duration {
    let folder = tempfile::tempdir().expect("a folder");
    let saves = Saves::default();
    saves.keep_in(folder.path()).expect("a thread");
    lobbies.iter().for_each(|(lobby, bytes)| saves.put(START, *lobby, bytes.clone()));
    let began = cpu_time();
    (0..WRITES).for_each(|_| assert!(saves.flush(PATIENCE), "they are written"));
    (cpu_time() - began) / WRITES
}

/// What this process has used.
fn cpu_time() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("a figure");
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Duration::from_micros(micros.unsigned_abs())
}

fn peer(number: usize) -> PeerKey {
    let address = [10, (number >> 16) as u8, (number >> 8) as u8, number as u8];
    PeerKey::at_door(Dialect::Typeuh, SocketAddr::from((address, 5000)))
}
