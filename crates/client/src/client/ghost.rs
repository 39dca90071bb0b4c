//! The ghost: the player's best run of a table that is played alone, flown again beside the game. It is seen and nothing else: it
//! touches nothing, makes no sound and causes no event.
//!
//! After each game that was played alone its recording is fetched, by a key that only this player has. The best one of each table is
//! kept by the shell, with its score before it. A run that cannot be played, such as one of other rules, is as good as none.

use game::{Frame, GameState, Seat};
use protocol::{GameId, RecordingKey, Tally, Time};
use replay::{EXTENSION, Reel, Replay};

use super::{Client, Task};
use crate::{draw::GhostShip, game_view::GameView, language::Phrase};

/// Ticks after the end of a game until the server has finished its recording.
const FETCH_AFTER_TICKS: u32 = 180;
/// Ticks that the ghost flies in one tick at most, when it was loaded late or the game made a leap.
const CATCH_UP_TICKS: u32 = 16;
/// How late the first Frame of a game may be: the ghost is to be where the stage is.
const ALIGN_TICKS_MAX: u32 = 240;
/// Bytes of the score before a kept run.
const POINTS_BYTES: usize = 4;

/// What is known of the player's own runs.
#[derive(Default)]
pub(super) struct Ghosts {
    /// The best run of the table that is played, once the shell was asked for it.
    best: Option<Best>,
    /// When the game began that is played.
    began: Option<Beginning>,
    flight: Option<Flight>,
    /// A recording that is to be fetched.
    expected: Option<Expected>,
    /// The player's last game.
    recorded: Option<Recorded>,
}

impl Ghosts {
    /// The ship to draw, if there is one.
    pub fn ship(&self) -> Option<GhostShip> {
        self.flight.as_ref().and_then(Flight::ship)
    }
}

struct Best {
    table: String,
    /// None: the shell has not answered yet.
    run: Option<Kept>,
}

/// What the shell keeps.
enum Kept {
    Nothing,
    Run { points: u32, replay: Replay },
}

/// The first Frame that was seen of a game.
#[derive(Clone, Copy)]
struct Beginning {
    tick: u32,
    scroll_px: u32,
}

struct Expected {
    key: RecordingKey,
    game: GameId,
    /// The clock's tick at which it is fetched.
    due: u32,
    /// The table that it may be the best of, and its score.
    result: Option<(String, u32)>,
}

struct Recorded {
    game: GameId,
    file: Vec<u8>,
}

/// The best run while it is flown.
struct Flight {
    reel: Reel,
    frame: Frame,
    /// The tick of the recording at which the game began for this client.
    offset: u32,
}

impl Flight {
    fn new(replay: &Replay, began: Beginning) -> Option<Flight> {
        let (mut reel, mut frame) = (Reel::new(replay).ok()?, Frame::default());
        reel.frame_into(&mut frame);
        while frame.scroll_px < began.scroll_px && reel.now() < ALIGN_TICKS_MAX && reel.tick().ok()? {
            reel.frame_into(&mut frame);
        }
        Some(Flight { offset: reel.now(), reel, frame })
    }

    /// Flies on to this many ticks after the beginning. False: it is over.
    fn advance(&mut self, ticks: u32) -> bool {
        let until = ticks.saturating_add(self.offset);
        for _ in 0..CATCH_UP_TICKS {
            if self.reel.now() >= until {
                break;
            }
            if !self.reel.tick().unwrap_or(false) {
                return false;
            }
        }
        self.reel.frame_into(&mut self.frame);
        true
    }

    /// The ship of the only player, if there is one now.
    fn ship(&self) -> Option<GhostShip> {
        let seat = Seat::ALL.into_iter().find(|seat| self.frame.players[seat.index()].is_some())?;
        let ship = self.frame.ship(seat)?;
        let model = self.frame.players[seat.index()]?.model;
        Some(GhostShip { position: ship.position, model, animation: ship.animation })
    }
}

impl Client {
    // ---- What the shell answers ----

    /// What the shell keeps for a table, as [`Task::LoadGhost`] asked: what [`Task::StoreGhost`] gave it, or nothing.
    pub fn ghost(&mut self, now: Time, table: &str, kept: &[u8]) {
        self.set_time(now);
        if let Some(best) = self.ghosts.best.as_mut().filter(|best| best.table == table && best.run.is_none()) {
            best.run = Some(read_kept(kept).unwrap_or(Kept::Nothing));
        }
    }

    /// The recording of a game that the player has just played alone, as [`Task::FetchRecording`] asked.
    pub fn recorded(&mut self, now: Time, key: &str, file: Vec<u8>) {
        self.set_time(now);
        let Some(expected) = self.ghosts.expected.take_if(|expected| expected.key.to_string() == key) else { return };
        let Ok(replay) = Replay::read(file.clone()) else { return };
        if let Some((table, points)) = expected.result {
            self.keep_if_best(table, points, replay);
        }
        self.ghosts.recorded = Some(Recorded { game: expected.game, file });
    }

    /// The replay is stored, or could not be, after [`Task::SaveReplay`].
    pub fn replay_saved(&mut self, now: Time, is_saved: bool) {
        self.set_time(now);
        self.notify(if is_saved { Phrase::ReplaySaved } else { Phrase::ReplayNotSaved });
    }

    fn keep_if_best(&mut self, table: String, points: u32, replay: Replay) {
        let known = self.ghosts.best.as_ref().filter(|best| best.table == table).and_then(|best| best.run.as_ref());
        let is_best = match known {
            // Without the shell's answer nothing is written over.
            None => false,
            Some(Kept::Nothing) => true,
            Some(Kept::Run { points: before, .. }) => points > *before,
        };
        if is_best {
            let mut task = format!("{table}\n").into_bytes();
            task.extend(points.to_le_bytes());
            task.extend(replay.bytes());
            self.tasks.push_back((Task::StoreGhost, task));
            self.ghosts.best = Some(Best { table, run: Some(Kept::Run { points, replay }) });
        }
    }

    // ---- The player's last game ----

    /// The recording of the game whose result is shown, if the player played it alone.
    pub(super) fn own_recording(&self) -> Option<&[u8]> {
        let recorded = self.ghosts.recorded.as_ref().filter(|recorded| Some(recorded.game) == self.last_game)?;
        Some(&recorded.file)
    }

    /// Has the shell store the recording as a file of the player's. The name of the file comes first, in a line.
    pub(super) fn save_replay(&mut self) {
        let (Some(file), Some(game)) = (self.own_recording(), self.last_game) else { return };
        let task = [format!("{game}.{EXTENSION}\n").as_bytes(), file].concat();
        self.tasks.push_back((Task::SaveReplay, task));
    }

    /// A game has ended: if the player was alone in it, its recording is fetched when it is finished.
    pub(super) fn expect_recording(&mut self, tally: &Tally) {
        let [_] = &tally.players[..] else { return };
        let Some(token) = self.connection.token().filter(|_| self.is_alone()) else { return };
        let key = RecordingKey::new(token, tally.game);
        let table =
            self.board.as_ref().filter(|board| tally.is_scored && board.players == 1).map(|board| board.query());
        let due = self.clock.ticks().wrapping_add(FETCH_AFTER_TICKS);
        let result = table.map(|table| (table, tally.score));
        self.ghosts.expected = Some(Expected { key, game: tally.game, due, result });
        // A short game may be over before its best run was asked for.
        self.load_ghost();
    }

    // ---- The ghost ----

    /// A game or a stage begins. Whoever comes into the middle of one sees no ghost.
    pub(super) fn begin_ghost(&mut self, is_fresh: bool) {
        let newest = self.game_view.as_ref().map(GameView::newest).filter(|_| is_fresh);
        self.ghosts.began = newest.map(|frame| Beginning { tick: frame.tick.0, scroll_px: frame.scroll_px });
        self.ghosts.flight = None;
    }

    /// Once a tick: asks for what is due, and flies the ghost on.
    pub(super) fn follow_ghost(&mut self) {
        let now = self.clock.ticks();
        if let Some(expected) = self.ghosts.expected.as_ref().filter(|expected| expected.due == now) {
            let key = expected.key.to_string();
            self.request(Task::FetchRecording, &key);
        }
        if self.state_seen != Some(GameState::Running) || !self.is_alone() {
            self.ghosts.flight = None;
            return;
        }
        self.load_ghost();
        self.fly_ghost();
    }

    /// Asks the shell for the best run of the table that is played.
    fn load_ghost(&mut self) {
        let Some(table) = self.board.as_ref().filter(|board| board.players == 1).map(|board| board.query()) else {
            return;
        };
        if self.ghosts.best.as_ref().is_none_or(|best| best.table != table) {
            self.request(Task::LoadGhost, &table);
            self.ghosts.flight = None;
            self.ghosts.best = Some(Best { table, run: None });
        }
    }

    fn fly_ghost(&mut self) {
        let (Some(began), Some(view), true) = (self.ghosts.began, &self.game_view, self.settings.ghost) else {
            self.ghosts.flight = None;
            return;
        };
        if self.ghosts.flight.is_none() {
            let Some(Best { run: Some(Kept::Run { replay, .. }), .. }) = &self.ghosts.best else { return };
            self.ghosts.flight = Flight::new(replay, began);
        }
        let ticks = view.frame().tick.0.saturating_sub(began.tick);
        let goes_on = self.ghosts.flight.as_mut().is_some_and(|flight| flight.advance(ticks));
        if !goes_on {
            // It is over, or cannot be played.
            (self.ghosts.flight, self.ghosts.began) = (None, None);
        }
    }

    /// Where the ghost is: the tick of its recording, and the Frame of that moment. None: there is none.
    pub fn ghost_frame(&self) -> Option<(u32, &Frame)> {
        self.ghosts.flight.as_ref().map(|flight| (flight.reel.now(), &flight.frame))
    }
}

/// A run as it was kept: its score, then its recording.
fn read_kept(kept: &[u8]) -> Option<Kept> {
    let (points, file) = kept.split_first_chunk::<POINTS_BYTES>()?;
    let replay = Replay::read(file.to_vec()).ok()?;
    Some(Kept::Run { points: u32::from_le_bytes(*points), replay })
}
