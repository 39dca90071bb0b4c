//! A game as the player sees it: Frames come in, what is shown comes out.
//!
//! With a seat and our own dialect, everything is shown at the time of the player's own ship, except other players: they
//! are interpolated. In any other dialect, and for watchers, everything is interpolated.

use std::sync::Arc;

use game::{
    Class, Event, FIELD_WIDTH_PX, Frame, GameState, Input, Rules, Seat, Stage,
    stage::{Spawn, Terrain},
    tuning,
    units::SUBPIXELS,
};
use protocol::{Pace, Time};

use crate::{
    draw::ZoneStart,
    netcode::{Interpolation, Prediction},
    shown_events::ShownEvents,
};

/// What a stage brings comes into being this far right of the field, in pixels.
const SPAWN_MARGIN_PX: u32 = 16;

/// A game as the player sees it.
pub struct GameView {
    own: Option<Seat>,
    stage: Arc<Stage>,
    /// Where the zones of the stage begin.
    zones: Vec<ZoneStart>,
    /// Whether the server sent the terrain of the stage. If not, the walls of its Frames are all that is known of it.
    is_terrain_told: bool,
    prediction: Option<Prediction>,
    interpolation: Interpolation,
    shown_events: ShownEvents,
    /// The newest Frame that came, and when.
    newest: Frame,
    newest_at: Time,
    /// What is shown.
    shown: Frame,
    /// What is shown of other players; kept for its memory.
    past: Frame,
    /// Events to be shown with the next Frame.
    events: Vec<Event>,
}

impl GameView {
    /// A game of which nothing was seen yet. It is predicted if there is a seat and the dialect confirms inputs.
    pub fn new(now: Time, own: Option<Seat>, predicts: bool) -> GameView {
        let stage = Stage::endless();
        let prediction = own.filter(|_| predicts).map(|own| Prediction::new(stage.clone(), own));
        GameView {
            own,
            zones: ZoneStart::all_of(&stage),
            stage,
            is_terrain_told: false,
            prediction,
            interpolation: Interpolation::default(),
            shown_events: ShownEvents::default(),
            newest: Frame::default(),
            newest_at: now,
            shown: Frame::default(),
            past: Frame::default(),
            events: Vec::new(),
        }
    }

    /// The game is in another stage from now on.
    pub fn enter(&mut self, stage: Arc<Stage>) {
        if let Some(prediction) = &mut self.prediction {
            prediction.enter(stage.clone());
        }
        self.zones = ZoneStart::all_of(&stage);
        self.stage = stage;
        self.is_terrain_told = true;
    }

    /// The lobby plays by these rules.
    pub fn play_by(&mut self, rules: Rules) {
        if let Some(prediction) = &mut self.prediction {
            prediction.play_by(rules);
        }
    }

    /// The player has this seat; some dialects say so late.
    pub fn sit(&mut self, own: Option<Seat>) {
        self.own = self.own.or(own);
    }

    /// Time passes at this pace from now on.
    pub fn set_pace(&mut self, pace: Pace) {
        self.interpolation.set_pace(pace);
    }

    /// A Frame came. `applied` is the last of our inputs that is in it, where the dialect says so.
    pub fn receive(&mut self, now: Time, frame: &Frame, applied: Option<u32>) {
        self.interpolation.push(now, frame);
        if let (Some(prediction), Some(applied)) = (&mut self.prediction, applied) {
            prediction.correct(frame, applied);
        } else if frame.stage != self.stage.number {
            // Only our own dialect sends the terrain of a stage.
            self.stage = stage_of(frame.stage, None);
            self.zones = ZoneStart::all_of(&self.stage);
        }
        let events = self.shown_events.confirmed(frame, self.own, self.prediction.is_some());
        self.events.extend(events);
        self.newest.clone_from(frame);
        self.newest_at = now;
    }

    /// What the player does in the next tick, and the sequence under which it was sent.
    pub fn press(&mut self, sequence: Option<u32>, input: Input) {
        let (Some(prediction), Some(sequence), Some(own)) = (&mut self.prediction, sequence, self.own) else { return };
        prediction.press(sequence, input);
        let events = prediction.take_events();
        self.events.extend(self.shown_events.predicted(events, prediction.frame().tick, own));
    }

    /// Updates what is shown, with the events since the last call.
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
        // Scores and lives are never predicted.
        self.shown.players = self.newest.players;
        self.shown.score = self.newest.score;
        self.shown.state = self.newest.state;
        self.shown.stage = self.newest.stage;
        self.shown.wave = self.newest.wave;
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

    pub fn stage_name(&self) -> &str {
        &self.stage.name
    }

    /// The checkpoint of the stage that was passed last, if the stage is known and has any.
    pub fn checkpoint(&self) -> Option<u8> {
        let is_here = self.stage.number == self.newest.stage && !self.stage.endless && self.stage.fingerprint != 0;
        let passed = self.stage.checkpoints_px.partition_point(|&checkpoint| checkpoint <= self.newest.scroll_px);
        u8::try_from(passed.checked_sub(1)?).ok().filter(|_| is_here)
    }

    /// Whether the last boss of the stage has come and is gone: all that is left is to see its end.
    pub fn is_won_soon(&self) -> bool {
        let is_here = self.stage.number == self.newest.stage && self.newest.state == GameState::Running;
        let edge_px = self.newest.scroll_px + FIELD_WIDTH_PX as u32 + SPAWN_MARGIN_PX;
        let is_boss = |spawn: &&Spawn| tuning::boss(spawn.kind).is_some();
        let last = self.stage.spawns.last().filter(is_boss);
        is_here && self.newest.boss().is_none() && last.is_some_and(|boss| boss.x_px <= edge_px)
    }

    /// The terrain of the stage, if the server sent it.
    pub fn terrain(&self) -> Option<&Terrain> {
        self.is_terrain_told.then_some(&self.stage.terrain)
    }

    /// Where the zones of the stage begin, from left to right.
    pub fn zones(&self) -> &[ZoneStart] {
        &self.zones
    }

    /// What the stage is called, as its author wrote it; empty if that is not known.
    pub fn stage_title(&self) -> &str {
        &self.stage.title
    }

    /// The player's seat; none for a watcher.
    pub fn own(&self) -> Option<Seat> {
        self.own
    }

    /// Whether the player's ship touches something deadly and is held there until the server has decided what happened.
    pub fn is_held(&self) -> bool {
        self.prediction.as_ref().is_some_and(Prediction::is_colliding)
    }

    /// How far in the past other players are shown, in milliseconds.
    pub fn delay_ms(&self) -> u32 {
        self.interpolation.delay_ms() as u32
    }

    /// How far the player's ship was corrected since the last call, in sub-pixels.
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

/// The stage that a server plays, by its number and, if they are known, its name and terrain. A built-in stage that matches
/// is preferred, because its spawns are known.
pub fn stage_of(number: u8, told: Option<(&str, &Terrain)>) -> Arc<Stage> {
    let built_in = game::stage::BUILT_IN.iter().filter_map(|(name, _)| Stage::built_in(name));
    let is_it = |stage: &Arc<Stage>| {
        stage.number == number && told.is_none_or(|(name, terrain)| stage.name == name && stage.terrain == *terrain)
    };
    built_in.into_iter().find(is_it).unwrap_or_else(|| unknown_stage(number, told))
}

/// A stage that only the server has: its terrain is all that is known, and it is assumed to scroll as usual.
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
        // The server says what its own walls are.
        walls: Vec::new(),
        terrain,
        spawns: Vec::new(),
        paths: Vec::new(),
        checkpoints_px: vec![0],
        quiet_px: 0,
        checkpoint_names: vec![game::stage::BEGINNING.into()],
        zones: Vec::new(),
        fingerprint: 0,
    })
}

#[cfg(test)]
mod tests {
    use game::{Mode, Practice, SEATS, World};

    use super::*;

    /// What is shown of a stage that is played from its last checkpoint until this is so.
    fn played(stage: &Arc<Stage>, until: impl Fn(&Frame) -> bool, check: impl Fn(&GameView)) -> GameView {
        let checkpoint = (stage.checkpoints_px.len() - 1) as u8;
        let mode = Mode::Practice(Practice { checkpoint, ..Practice::default() });
        let mut world = World::new(stage.clone(), Rules { mode, lives: tuning::LIVES_MAX, ..Rules::default() }, 1);
        // In company nobody who is lost takes the game back to the checkpoint.
        Seat::ALL[..2].iter().for_each(|&seat| assert!(world.join(seat)));
        world.start();
        let mut view = GameView::new(Time::from_micros(0), None, false);
        view.enter(stage.clone());
        for _ in 0..1_000 {
            world.tick(&[Input::IDLE; SEATS]);
            view.receive(Time::from_micros(0), &world.frame(), None);
            if until(view.newest()) {
                return view;
            }
            check(&view);
        }
        panic!("{}: it never comes to that", stage.name)
    }

    #[test]
    fn a_stage_is_won_soon_when_its_last_boss_is_gone_and_no_sooner() {
        for stage in crate::campaign::stages() {
            let mut view = played(stage, |frame| frame.boss().is_some(), |view| assert!(!view.is_won_soon()));
            assert!(!view.is_won_soon(), "{}: the boss is here", stage.name);
            view.newest.entities.clear();
            assert!(view.is_won_soon(), "{}: it is gone", stage.name);
            view.newest.state = GameState::Won;
            assert!(!view.is_won_soon(), "{}: it is won", stage.name);
        }
    }
}
