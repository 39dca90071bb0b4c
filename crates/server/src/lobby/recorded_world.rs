//! The world of a lobby. Whatever changes it goes through here, so that a recording of its game misses nothing.

use std::{collections::VecDeque, ops::Deref, sync::Arc};

use game::{Departure, Inputs, Seat, ShipModel, Stage, World};
use protocol::{GameId, RecordingKey};
use replay::{Header, Recorder};

use crate::recordings::{RecordedGames, RecordingContent, RecordingPiece};

/// A world, and what is recorded of it at the moment. It can be looked at like any world.
pub(super) struct RecordedWorld {
    world: World,
    /// Whether its games are to be recorded, and with names and chat.
    recorded_games: RecordedGames,
    recording: Option<Box<Recording>>,
    /// What was recorded, until it is taken out.
    pieces: VecDeque<RecordingPiece>,
}

struct Recording {
    game: GameId,
    key: Option<RecordingKey>,
    recorder: Recorder,
}

/// A recording that begins.
pub(super) struct Beginning {
    pub game: GameId,
    /// If somebody plays alone: what they will ask for it by.
    pub key: Option<RecordingKey>,
    pub header: Header,
    /// Whether something of it was recorded before.
    pub has_gap: bool,
}

impl RecordedWorld {
    pub fn new(world: World) -> RecordedWorld {
        RecordedWorld { world, recorded_games: RecordedGames::None, recording: None, pieces: VecDeque::new() }
    }

    // ---- The recording ----

    pub fn recorded_games(&self) -> RecordedGames {
        self.recorded_games
    }

    /// These games are to be recorded from now on.
    pub fn keep_recordings(&mut self, games: RecordedGames) {
        self.recorded_games = games;
    }

    pub fn is_recorded(&self) -> bool {
        self.recording.is_some()
    }

    /// Records a game from now on.
    pub fn record(&mut self, beginning: Beginning) {
        let Beginning { game, key, header, has_gap } = beginning;
        let recorder = if has_gap { Recorder::after_gap(&self.world) } else { Recorder::new(&self.world) };
        self.recording = Some(Box::new(Recording { game, key, recorder }));
        self.pieces.push_back(RecordingPiece { game, key, content: RecordingContent::Begin(Box::new(header)) });
    }

    /// Whether the recording is one for the player who plays alone.
    pub fn is_recorded_for_player(&self) -> bool {
        self.recording.as_ref().is_some_and(|recording| recording.key.is_some())
    }

    /// The game is no longer one that somebody plays alone, to its end.
    pub fn withdraw_key(&mut self) {
        if let Some(recording) = &mut self.recording {
            recording.key = None;
        }
    }

    /// Records no more.
    pub fn finish_recording(&mut self) {
        if let Some(recording) = self.recording.take() {
            let Recording { game, key, recorder } = *recording;
            let content = RecordingContent::Block(recorder.finish(&self.world));
            self.pieces.push_back(RecordingPiece { game, key, content });
        }
    }

    /// Takes out the next piece that was recorded.
    pub fn next_piece(&mut self) -> Option<RecordingPiece> {
        if let Some(recording) = self.recording.as_mut().filter(|recording| recording.recorder.is_full()) {
            let content = RecordingContent::Block(recording.recorder.split(&self.world));
            self.pieces.push_back(RecordingPiece { game: recording.game, key: recording.key, content });
        }
        self.pieces.pop_front()
    }

    fn note(&mut self, note: impl FnOnce(&mut Recorder)) {
        if let Some(recording) = &mut self.recording {
            note(&mut recording.recorder);
        }
    }

    /// Notes what a player is called.
    pub fn note_name(&mut self, seat: Seat, name: &str) {
        self.note(|recorder| recorder.name(seat, name));
    }

    /// Notes what a player says.
    pub fn note_chat(&mut self, seat: Seat, text: &str) {
        self.note(|recorder| recorder.say(seat, text));
    }

    // ---- The world ----

    pub fn tick(&mut self, inputs: &Inputs) {
        self.world.tick(inputs);
        if let Some(recording) = &mut self.recording {
            recording.recorder.tick(inputs, &self.world);
        }
    }

    pub fn join(&mut self, seat: Seat) {
        self.join_with(seat, ShipModel::of_seat(seat));
    }

    pub fn join_with(&mut self, seat: Seat, ship: ShipModel) {
        if self.world.join_with(seat, ship) {
            self.note(|recorder| recorder.join(seat, ship));
        }
    }

    pub fn leave(&mut self, seat: Seat, why: Departure) {
        self.world.leave(seat, why);
        self.note(|recorder| recorder.leave(seat, why));
    }

    pub fn choose_ship(&mut self, seat: Seat, ship: ShipModel) {
        self.world.choose_ship(seat, ship);
        self.note(|recorder| recorder.choose_ship(seat, ship));
    }

    pub fn start(&mut self) {
        self.world.start();
        self.note(Recorder::start);
    }

    /// Goes on to a stage: another game, for those who keep records.
    pub fn enter(&mut self, stage: Arc<Stage>) {
        self.finish_recording();
        self.world.enter(stage);
    }

    /// Starts again: another game.
    pub fn restart(&mut self) {
        self.finish_recording();
        self.world.restart();
    }
}

impl Deref for RecordedWorld {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}
