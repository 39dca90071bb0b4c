//! Fetches the table of high scores from a node, on a thread of its own: the game does not wait for it.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::Duration,
};

use anyhow::{Context, ensure};
use client::{Score, Table};
use serde::Deserialize;

/// How long a node may take for each step of an answer.
const PATIENCE: Duration = Duration::from_secs(3);
/// Far more than a table needs.
const ANSWER_MAX_BYTES: u64 = 256 << 10;
/// Far more than a recording of a long day.
const REPLAY_MAX_BYTES: u64 = 16 << 20;

/// Fetches the table.
pub struct Scores {
    node: SocketAddr,
    fetched: Receiver<Fetched>,
    deliver: Sender<Fetched>,
    replays: Receiver<Vec<u8>>,
    deliver_replay: Sender<Vec<u8>>,
    recordings: Receiver<(String, Vec<u8>)>,
    deliver_recording: Sender<(String, Vec<u8>)>,
}

/// A query, and the table that came of it.
pub type Fetched = (String, Table);

/// A game in the node's answer; other fields are ignored.
#[derive(Deserialize)]
struct Match {
    score: u32,
    players: Vec<ScoredPlayer>,
    game: Option<String>,
    /// A node of an earlier version does not tell it.
    #[serde(default)]
    replay: Option<String>,
}

#[derive(Deserialize)]
struct ScoredPlayer {
    name: String,
    rank: Option<String>,
}

impl Scores {
    /// From the node whose HTTP is at this address.
    pub fn of(node: SocketAddr) -> Scores {
        let (deliver, fetched) = channel();
        let (deliver_replay, replays) = channel();
        let (deliver_recording, recordings) = channel();
        Scores { node, fetched, deliver, replays, deliver_replay, recordings, deliver_recording }
    }

    /// Begins to fetch the table of this query. If it fails, a line says so.
    pub fn fetch(&self, query: String) {
        let (node, deliver) = (self.node, self.deliver.clone());
        let begun = thread::Builder::new().name("scores".into()).spawn(move || {
            let table = match fetch(node, &query) {
                Ok(scores) => Table::Scores(scores),
                Err(error) => {
                    eprintln!("volley-desktop: cannot fetch the high scores from {node}: {error:#}");
                    Table::Unavailable
                }
            };
            // If the window was closed, nobody receives it.
            drop(deliver.send((query, table)));
        });
        if let Err(error) = begun {
            eprintln!("volley-desktop: cannot fetch the high scores: {error}");
        }
    }

    /// Begins to fetch the recording of a game. If it fails, a line says so.
    pub fn fetch_replay(&self, game: String) {
        let (node, deliver) = (self.node, self.deliver_replay.clone());
        let begun = thread::Builder::new().name("replay".into()).spawn(move || match get_replay(node, &game) {
            // If the window was closed, nobody receives it.
            Ok(file) => drop(deliver.send(file)),
            Err(error) => eprintln!("volley-desktop: cannot fetch the replay from {node}: {error:#}"),
        });
        if let Err(error) = begun {
            eprintln!("volley-desktop: cannot fetch the replay: {error}");
        }
    }

    /// Begins to fetch the player's own recording, by its key. A server that has none is not an error.
    pub fn fetch_recording(&self, key: String) {
        let (node, deliver) = (self.node, self.deliver_recording.clone());
        let begun = thread::Builder::new().name("recording".into()).spawn(move || {
            if let Ok(file) = get_replay(node, &key) {
                // If the window was closed, nobody receives it.
                drop(deliver.send((key, file)));
            }
        });
        if let Err(error) = begun {
            eprintln!("volley-desktop: cannot fetch the recording: {error}");
        }
    }

    /// The key and the file of the player's own recording that has arrived.
    pub fn fetched_recording(&self) -> Option<(String, Vec<u8>)> {
        self.recordings.try_recv().ok()
    }

    /// A recording that has arrived.
    pub fn fetched_replay(&self) -> Option<Vec<u8>> {
        self.replays.try_recv().ok()
    }

    /// A table that has arrived.
    pub fn fetched(&self) -> Option<Fetched> {
        self.fetched.try_recv().ok()
    }
}

fn fetch(node: SocketAddr, query: &str) -> anyhow::Result<Vec<Score>> {
    read(&get(node, &format!("/api/scores?{query}"), ANSWER_MAX_BYTES)?)
}

fn get_replay(node: SocketAddr, game: &str) -> anyhow::Result<Vec<u8>> {
    let answer = get(node, &format!("/api/replays/{game}"), REPLAY_MAX_BYTES)?;
    body(&answer).map(<[u8]>::to_vec)
}

/// A whole HTTP response.
fn get(node: SocketAddr, path: &str, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    let mut stream = TcpStream::connect_timeout(&node, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {node}\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(bytes_max).read_to_end(&mut answer)?;
    Ok(answer)
}

/// What an HTTP response is about, if it is a good one.
fn body(answer: &[u8]) -> anyhow::Result<&[u8]> {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").context("the response is incomplete")?;
    let head = str::from_utf8(&answer[..end])?;
    let status = head.split(' ').nth(1).unwrap_or_default();
    ensure!(status == "200", "the node answered with status {status}");
    Ok(&answer[end + 4..])
}

/// The scores in an HTTP response.
fn read(answer: &[u8]) -> anyhow::Result<Vec<Score>> {
    let matches: Vec<Match> = serde_json::from_slice(body(answer)?)?;
    Ok(matches.into_iter().map(score).collect())
}

fn score(game: Match) -> Score {
    let names = game.players.iter().map(|player| player.name.as_str()).filter(|name| !name.is_empty());
    let ranks = game.players.iter().filter_map(|player| player.rank.as_deref()).collect();
    Score {
        name: names.collect::<Vec<_>>().join(", "),
        points: game.score,
        ranks,
        game: game.game,
        is_recorded: game.replay.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read() {
        let body = r#"[{"id":3,"stage":"endless","game":"00ff","replay":"/api/replays/00ff","score":4200,"players":[{"name":"Ann","rank":"A"},{"name":"","rank":null},{"name":"Bob","rank":"C"}]}]"#;
        let answer = format!("HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n{body}");
        let expected = Score {
            name: "Ann, Bob".into(),
            points: 4200,
            ranks: "AC".into(),
            game: Some("00ff".into()),
            is_recorded: true,
        };
        assert_eq!(read(answer.as_bytes()).expect("a table"), [expected]);
    }

    #[test]
    fn anything_else_is_refused() {
        for answer in ["", "HTTP/1.0 404 Not Found\r\n\r\n[]", "HTTP/1.0 200 OK\r\n\r\n{}", "HTTP/1.0 200 OK\r\n"] {
            assert!(read(answer.as_bytes()).is_err(), "{answer}");
        }
        assert!(read(&[0xFF, 0xFE]).is_err());
    }
}
