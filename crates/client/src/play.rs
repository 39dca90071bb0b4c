//! A game as the player sees it: Frames come in, what is shown comes out.
//!
//! With a seat and our own dialect everything is shown at the time of the own ship, but for other players, who are
//! interpolated. Over any other dialect, and for who only watches, everything is interpolated.

use std::sync::Arc;

use game::{Class, Event, Frame, Input, Seat, Stage, stage::Terrain, units::SUBPIXELS};
use protocol::{Pace, Time};

use crate::{
    netcode::{Interpolation, Prediction},
    told::Told,
};

/// A game as the player sees it.
pub struct Play {
    own: Option<Seat>,
    stage: Arc<Stage>,
    prediction: Option<Prediction>,
    interpolation: Interpolation,
    told: Told,
    /// The newest Frame that came, and when.
    newest: Frame,
    newest_at: Time,
    /// What is shown.
    shown: Frame,
    /// What is shown of others; kept for its memory.
    past: Frame,
    /// What is to be shown of what happened.
    events: Vec<Event>,
}

impl Play {
    /// A game that begins to be seen. It is predicted if the dialect gives a basis for it and there is a seat.
    pub fn new(now: Time, own: Option<Seat>, predicts: bool) -> Play {
        let stage = Stage::endless();
        let prediction = own.filter(|_| predicts).map(|own| Prediction::new(stage.clone(), own));
        Play {
            own,
            stage,
            prediction,
            interpolation: Interpolation::default(),
            told: Told::default(),
            newest: Frame::default(),
            newest_at: now,
            shown: Frame::default(),
            past: Frame::default(),
            events: Vec::new(),
        }
    }

    /// Another stage is played from now on.
    pub fn enter(&mut self, stage: Arc<Stage>) {
        if let Some(prediction) = &mut self.prediction {
            prediction.enter(stage.clone());
        }
        self.stage = stage;
    }

    /// A seat became known, over a dialect that tells it late.
    pub fn sit(&mut self, own: Option<Seat>) {
        self.own = self.own.or(own);
    }

    /// Time passes otherwise from now on.
    pub fn set_pace(&mut self, pace: Pace) {
        self.interpolation.set_pace(pace);
    }

    /// A Frame came. `applied` is the last of our inputs that is in it, where the dialect says so.
    pub fn receive(&mut self, now: Time, frame: &Frame, applied: Option<u32>) {
        self.interpolation.push(now, frame);
        if let (Some(prediction), Some(applied)) = (&mut self.prediction, applied) {
            prediction.correct(frame, applied);
        } else if frame.stage != self.stage.number {
            // No dialect but ours tells the stage itself.
            self.stage = stage_of(frame.stage, None);
        }
        let news = self.told.confirmed(frame, self.own, self.prediction.is_some());
        self.events.extend(news);
        self.newest.clone_from(frame);
        self.newest_at = now;
    }

    /// The player did this in the next tick, and it was sent under that sequence.
    pub fn press(&mut self, sequence: Option<u32>, input: Input) {
        let (Some(prediction), Some(sequence), Some(own)) = (&mut self.prediction, sequence, self.own) else { return };
        prediction.press(sequence, input);
        let events = prediction.take_events();
        self.events.extend(self.told.predicted(events, prediction.frame().tick, own));
    }

    /// Makes up what is shown now, with what happened since the last time.
    pub fn show(&mut self, now: Time) {
        match &self.prediction {
            Some(prediction) if self.newest.tick.0 > 0 => {
                prediction.show(&mut self.shown);
                self.show_others(now);
            }
            _ => {
                self.interpolation.show(now, &mut self.shown);
            }
        }
        // What is counted is counted by the server.
        self.shown.players = self.newest.players;
        self.shown.score = self.newest.score;
        self.shown.state = self.newest.state;
        self.shown.stage = self.newest.stage;
        self.shown.events = std::mem::take(&mut self.events);
    }

    /// What is shown.
    pub fn frame(&self) -> &Frame {
        &self.shown
    }

    /// The newest Frame that came.
    pub fn newest(&self) -> &Frame {
        &self.newest
    }

    /// How old the newest Frame is, in milliseconds.
    pub fn age_ms(&self, now: Time) -> u32 {
        now.since(self.newest_at).as_millis().min(9_999) as u32
    }

    /// How far the stage has scrolled in what is shown, in sub-pixels.
    pub fn scroll(&self) -> i64 {
        match &self.prediction {
            Some(prediction) => prediction.scroll(),
            None => i64::from(self.shown.scroll_px) * i64::from(SUBPIXELS),
        }
    }

    /// The terrain of the stage.
    pub fn terrain(&self) -> &Terrain {
        &self.stage.terrain
    }

    /// The own seat, unless the player only watches.
    pub fn own(&self) -> Option<Seat> {
        self.own
    }

    /// Whether the own ship touches something deadly and is held there until the server has said what came of it.
    pub fn is_held(&self) -> bool {
        self.prediction.as_ref().is_some_and(Prediction::is_met)
    }

    /// How far in the past other players are shown, in milliseconds.
    pub fn delay_ms(&self) -> u32 {
        self.interpolation.delay_ms() as u32
    }

    /// How far the own ship was corrected since this was last called, in sub-pixels.
    pub fn take_correction(&mut self) -> u32 {
        self.prediction.as_mut().map_or(0, Prediction::take_correction)
    }

    /// Puts other players, their gear and their shots where they were a moment ago.
    fn show_others(&mut self, now: Time) {
        let own = self.own;
        let is_others = |entity: &game::Entity| {
            let is_theirs = matches!(entity.kind.class(), Class::Player | Class::Gear | Class::PlayerShot);
            is_theirs && entity.seat != own
        };
        if !self.newest.entities.iter().any(is_others) || !self.interpolation.show(now, &mut self.past) {
            return;
        }
        self.shown.entities.retain(|entity| !is_others(entity));
        self.shown.entities.extend(self.past.entities.iter().filter(|entity| is_others(entity)));
        self.shown.entities.sort_unstable_by_key(|entity| entity.id);
    }
}

/// A stage of which a server tells the number, and perhaps name and terrain: the one that the game brings along, if it
/// is that one, because then it is known what comes in it.
pub fn stage_of(number: u8, told: Option<(&str, &Terrain)>) -> Arc<Stage> {
    let built_in = game::stage::BUILT_IN.iter().filter_map(|(name, _)| Stage::built_in(name));
    let is_it = |stage: &Arc<Stage>| {
        stage.number == number && told.is_none_or(|(name, terrain)| stage.name == name && stage.terrain == *terrain)
    };
    built_in.into_iter().find(is_it).unwrap_or_else(|| unknown_stage(number, told))
}

/// A stage that only the server has: nothing of it is foreseen but its terrain and its pace, which is that of others.
fn unknown_stage(number: u8, told: Option<(&str, &Terrain)>) -> Arc<Stage> {
    let usual = Stage::endless();
    let (name, terrain) = told.map_or(("", Terrain::default()), |(name, terrain)| (name, terrain.clone()));
    Arc::new(Stage {
        name: name.into(),
        title: name.into(),
        number,
        endless: number == 0,
        scroll: usual.scroll,
        length_px: terrain.columns() as u32 * game::units::TILE_PX as u32,
        terrain,
        spawns: Vec::new(),
        paths: Vec::new(),
        checkpoints_px: vec![0],
        fingerprint: 0,
    })
}
