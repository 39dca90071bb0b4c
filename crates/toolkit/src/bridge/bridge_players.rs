//! Who plays through a bridge and how that goes: kept by the games, read by the table that is shown meanwhile.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

use game::Seat;
use protocol::Dialect;

use super::bridged_server::TickTraffic;

/// The last errors that are reported at the end.
const ERRORS_MAX: usize = 8;

/// Everybody who plays, and what those did who are gone.
#[derive(Debug, Default)]
pub(super) struct BridgePlayers {
    state: Mutex<BridgePlayersState>,
}

#[derive(Debug, Default)]
struct BridgePlayersState {
    rows: BTreeMap<u64, PlayerRow>,
    gone: Totals,
    /// How many ever came.
    players: u64,
    errors: Vec<String>,
}

/// How one player's connection to the other server stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    Joining,
    Playing,
    Away,
}

/// What is shown of a player.
#[derive(Clone, Debug)]
pub(super) struct PlayerRow {
    pub dialect: Dialect,
    pub name: String,
    pub condition: Condition,
    /// The seat on the other server.
    pub seat: Option<Seat>,
    /// The lobby there.
    pub lobby: String,
    pub frames: u64,
    pub reconnects: u64,
    pub traffic: TickTraffic,
}

/// What several players did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    pub frames: u64,
    pub bytes_in: u64,
    pub bytes_out: u64,
    pub malformed: u64,
    pub reconnects: u64,
}

/// What became of everybody who played through a bridge.
#[derive(Clone, Debug)]
pub struct Report {
    /// How many ever came, and how many play now.
    pub players: u64,
    pub playing: usize,
    pub totals: Totals,
    /// The last reasons for which a connection to the other server was lost.
    pub errors: Vec<String>,
    /// Why the dump is not whole.
    pub dump_error: Option<String>,
}

impl PlayerRow {
    pub fn new(dialect: Dialect, name: &str) -> PlayerRow {
        PlayerRow {
            dialect,
            name: name.into(),
            condition: Condition::Joining,
            seat: None,
            lobby: String::new(),
            frames: 0,
            reconnects: 0,
            traffic: TickTraffic::default(),
        }
    }

    pub fn note(&mut self, condition: Condition, seat: Option<Seat>, has_frame: bool) {
        (self.condition, self.seat) = (condition, seat);
        self.frames += u64::from(has_frame);
    }

    pub fn add(&mut self, traffic: TickTraffic) {
        self.traffic.bytes_in += traffic.bytes_in;
        self.traffic.bytes_out += traffic.bytes_out;
        self.traffic.malformed += traffic.malformed;
    }
}

impl BridgePlayers {
    /// Somebody comes. The number by which they are known.
    pub fn add(&self, row: PlayerRow) -> u64 {
        let mut state = self.lock();
        state.players += 1;
        let number = state.players;
        state.rows.insert(number, row);
        number
    }

    pub fn update(&self, number: u64, change: impl FnOnce(&mut PlayerRow)) {
        if let Some(row) = self.lock().rows.get_mut(&number) {
            change(row);
        }
    }

    /// A connection was lost.
    pub fn fail(&self, number: u64, why: String) {
        let mut state = self.lock();
        if let Some(row) = state.rows.get_mut(&number) {
            row.condition = Condition::Away;
        }
        if state.errors.len() >= ERRORS_MAX {
            state.errors.remove(0);
        }
        state.errors.push(format!("player {number}: {why}"));
    }

    /// Somebody is gone.
    pub fn remove(&self, number: u64) {
        let mut state = self.lock();
        if let Some(row) = state.rows.remove(&number) {
            state.gone.add(&row);
        }
    }

    pub fn report(&self) -> Report {
        let state = self.lock();
        let mut totals = state.gone;
        state.rows.values().for_each(|row| totals.add(row));
        let playing = state.rows.values().filter(|row| row.condition == Condition::Playing).count();
        Report { players: state.players, playing, totals, errors: state.errors.clone(), dump_error: None }
    }

    /// Everybody who is here, as lines of a table.
    pub fn table(&self) -> Vec<String> {
        let head = format!(
            "{:>6}  {:<9} {:<16} {:<8} {:>4} {:<7} {:>9} {:>9} {:>9} {:>6} {:>6}",
            "player", "speaks", "name", "state", "seat", "lobby", "frames", "KB in", "KB out", "bad", "again"
        );
        let state = self.lock();
        let rows = state.rows.iter().map(|(number, row)| format!("{number:>6}  {row}"));
        std::iter::once(head).chain(rows).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BridgePlayersState> {
        // Nothing panics between two changes that belong together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for PlayerRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let condition = match self.condition {
            Condition::Joining => "joining",
            Condition::Playing => "playing",
            Condition::Away => "away",
        };
        let seat = self.seat.map_or("-".into(), |seat| seat.number().to_string());
        let TickTraffic { bytes_in, bytes_out, malformed } = self.traffic;
        write!(
            f,
            "{:<9} {:<16} {condition:<8} {seat:>4} {:<7} {:>9} {:>9} {:>9} {malformed:>6} {:>6}",
            self.dialect.name(),
            self.name,
            self.lobby,
            self.frames,
            bytes_in / 1024,
            bytes_out / 1024,
            self.reconnects
        )
    }
}

impl Totals {
    fn add(&mut self, row: &PlayerRow) {
        self.frames += row.frames;
        self.bytes_in += row.traffic.bytes_in;
        self.bytes_out += row.traffic.bytes_out;
        self.malformed += row.traffic.malformed;
        self.reconnects += row.reconnects;
    }
}

impl Report {
    /// In one line.
    pub fn line(&self) -> String {
        let Totals { frames, bytes_in, bytes_out, malformed, reconnects } = self.totals;
        format!(
            "{} players so far, {} playing; from the server {frames} frames in {} KB, {malformed} messages malformed; \
             to it {} KB; {reconnects} reconnects",
            self.players,
            self.playing,
            bytes_in / 1024,
            bytes_out / 1024
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.line())?;
        self.errors.iter().try_for_each(|error| writeln!(f, "{error}"))?;
        match &self.dump_error {
            Some(error) => writeln!(f, "the dump is not whole: {error}"),
            None => Ok(()),
        }
    }
}
