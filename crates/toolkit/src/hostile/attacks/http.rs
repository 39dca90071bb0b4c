//! HTTP and WebSockets: readers, slow readers, guesses.

use std::{
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use game::{Counts, Rules, Seat, ShipModel};
use protocol::{Dialect, GameId, LobbyId, PlayerKind, Time};
use server::{
    archive::Archive,
    core::{Outcome as GameOutcome, Record, RecordedPlayer},
};

use super::{AttackOutcome, Target, streams::connect};
use crate::{bots::allow_most_files, node_process::DataFolder};

const HELD_MAX: usize = 2_000;
/// Who ask at the same time.
const READERS: u64 = 24;
/// Recorded games.
const GAMES: u32 = 30_000;
/// Far more than writing them takes.
const PATIENCE: Duration = Duration::from_secs(120);
/// A queue for far fewer games than that is in between.
const GAMES_AT_ONCE: u32 = 900;

/// Requests whose head never ends.
pub fn endless_requests(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    hold(target, until, "GET /status HTTP/1.1\r\nHost: local")
}

/// Makes a link of a connection.
const UPGRADE: &str = "GET /volley HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                       Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
/// Links that send frames without a message.
const FLOODING: usize = 16;

/// Links over which nothing is read.
pub fn unread_links(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    hold(target, until, UPGRADE)
}

/// Links that are closed as soon as they are open.
pub fn links_opened_and_closed(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    let (door, mut opened) = (target.node.http()?, 0);
    while Instant::now() < until {
        let Some(mut stream) = connect(door) else { continue };
        opened += u64::from(stream.write_all(UPGRADE.as_bytes()).is_ok() && stream.read(&mut [0; 512]).is_ok());
    }
    Ok(AttackOutcome::Done(opened))
}

/// Links that begin a message and go on with it for ever, with nothing in it.
pub fn empty_continuations(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    let mut links = Vec::new();
    for mut stream in (0..FLOODING).filter_map(|_| connect(target.node.http().ok()?)) {
        stream.write_all(UPGRADE.as_bytes())?;
        if stream.read(&mut [0; 512]).is_ok() {
            // A binary frame of one byte that is not the last of its message; the mask is zeros.
            stream.write_all(&[0x02, 0x81, 0, 0, 0, 0, 0])?;
            stream.set_nonblocking(true)?;
            links.push(stream);
        }
    }
    let (empty, mut sent) = ([0x00, 0x80, 0, 0, 0, 0].repeat(1 << 12), 0);
    while Instant::now() < until {
        // A link that takes no more, or is closed, is what is hoped for. After a frame that was cut off, the link is over.
        links.retain_mut(|stream| match stream.write(&empty) {
            Ok(written) => {
                sent += written as u64 / 6;
                written.is_multiple_of(6)
            }
            Err(error) => error.kind() == std::io::ErrorKind::WouldBlock,
        });
        thread::sleep(Duration::from_millis(1));
    }
    Ok(AttackOutcome::Done(sent))
}

/// Readers who ask for as much as they may, again and again, and read nothing of it.
pub fn slow_readers(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    hold(target, until, &"GET /api/scores?limit=100 HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(40))
}

/// Opens connections that say this, and holds them.
fn hold(target: &Target<'_>, until: Instant, words: &str) -> anyhow::Result<AttackOutcome> {
    allow_most_files();
    let (mut held, door): (Vec<TcpStream>, _) = (Vec::new(), target.node.http()?);
    while Instant::now() < until {
        let Some(mut stream) = connect(door).filter(|_| held.len() < HELD_MAX) else {
            thread::sleep(Duration::from_millis(10));
            continue;
        };
        if stream.write_all(words.as_bytes()).is_ok() {
            held.push(stream);
        }
    }
    Ok(AttackOutcome::Done(held.len() as u64))
}

/// Asks for these paths, one connection each, from many connections at once. How many were answered.
fn ask_until(
    target: &Target<'_>,
    until: Instant,
    path: impl Fn(u64) -> String + Sync,
) -> anyhow::Result<AttackOutcome> {
    let door = target.node.http()?;
    let ask = |number: u64| {
        let mut stream = connect(door)?;
        let request = format!("GET {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path(number));
        stream.write_all(request.as_bytes()).ok()?;
        stream.read_to_end(&mut Vec::new()).ok()
    };
    let count = |reader: u64| {
        let asked = (0..).take_while(|_| Instant::now() < until).filter(|number| ask(reader << 32 | number).is_some());
        asked.count()
    };
    let asked = thread::scope(|scope| {
        let count = &count;
        let readers: Vec<_> = (0..READERS).map(|reader| scope.spawn(move || count(reader))).collect();
        readers.into_iter().map(|reader| reader.join().unwrap_or(0)).sum::<usize>()
    });
    Ok(AttackOutcome::Done(asked as u64))
}

pub fn score_readers(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    ask_until(target, until, |_| "/api/scores?limit=100".into())
}

pub fn code_guesses(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    ask_until(target, until, |number| format!("/api/lobbies/{}", LobbyId::from_number(number as u32)))
}

pub fn token_guesses(target: &Target<'_>, until: Instant) -> anyhow::Result<AttackOutcome> {
    let door = target.node.http()?;
    let mut asked = 0;
    while Instant::now() < until {
        let Some(mut stream) = connect(door) else { continue };
        let request = format!(
            "GET /admin/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {asked:024}\r\nConnection: close\r\n\r\n"
        );
        let is_answered = stream.write_all(request.as_bytes()).is_ok() && stream.read(&mut [0; 512]).is_ok();
        asked += u64::from(is_answered);
    }
    Ok(AttackOutcome::Done(asked))
}

/// Fills a data directory with games, as a node would.
pub fn record_games(folder: &DataFolder) -> anyhow::Result<()> {
    let archive = Archive::in_directory(folder.path(), None)?;
    for number in 0..GAMES {
        archive.offer(record(number));
        if number % GAMES_AT_ONCE == 0 || number + 1 == GAMES {
            anyhow::ensure!(archive.flush(PATIENCE), "cannot record games in {}", folder.path().display());
        }
    }
    Ok(())
}

fn record(number: u32) -> Record {
    let score = number.wrapping_mul(7919) % 100_000;
    let player = RecordedPlayer {
        seat: Seat::ALL[0],
        name: format!("Ann {}", number % 1000),
        kind: PlayerKind::Person(Dialect::Snapshot),
        score,
        ship: ShipModel::Arrow,
        rank: None,
        counts: Counts { score, ..Counts::default() },
    };
    let ended = Time::from_micros(1_700_000_000_000_000 + u64::from(number) * 1_000_000);
    Record {
        game: GameId(number.into()),
        rules: Rules::default(),
        lobby: LobbyId::from_number(number).to_string(),
        is_private: false,
        stage: "endless".into(),
        outcome: GameOutcome::Lost,
        began: ended,
        ended,
        ticks: 3600,
        score,
        is_assisted: false,
        pauses: 0,
        paused_seconds: 0,
        lives: 3,
        players: vec![player],
    }
}
