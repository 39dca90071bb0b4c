//! What the player hears: cues, the hum, the song, and how loud they are. Great cues make the music step back.

use game::{Frame, tuning};

use super::{Client, NOTICE_TICKS};
use crate::{
    cues::{self, GateWatch},
    language::Phrase,
    screens::Screen,
    settings::VOLUME_MAX,
    sound::{Cue, Heard, Song},
};

/// The most cues that wait to be taken; later ones are dropped.
const CUES_MAX: usize = 32;
/// How loud the music is behind a great cue, and while the game is paused.
const DUCKED: f32 = 0.4;
const PAUSED: f32 = 0.5;
/// Ticks after a great cue until the music is as loud as before.
const RECOVERS_TICKS: u32 = 40;

/// What is to be heard, and what was.
#[derive(Debug, Default)]
pub(super) struct Listening {
    heard: Vec<Heard>,
    /// The caption of a cue, and the tick until which it is shown.
    caption: Option<(Cue, u32)>,
    /// The tick until which the music steps back.
    ducked_until: Option<u32>,
    was_paused: bool,
    /// The checkpoint that was passed last.
    checkpoint: Option<u8>,
    gates: GateWatch,
}

impl Listening {
    fn hear(&mut self, heard: Heard, tick: u32) {
        if self.heard.len() < CUES_MAX {
            self.heard.push(heard);
        }
        let ducks = heard.cue.ducks_ticks();
        if ducks > 0 {
            let until = tick.wrapping_add(ducks);
            let longest = self.ducked_until.filter(|other| other.wrapping_sub(until).cast_signed() > 0);
            self.ducked_until = Some(longest.unwrap_or(until));
        }
        // What matters more stays readable.
        let is_minor =
            |&(shown, until): &(Cue, u32)| until.wrapping_sub(tick).cast_signed() <= 0 || shown.ducks_ticks() <= ducks;
        if cues::caption(heard.cue).is_some() && self.caption.as_ref().is_none_or(is_minor) {
            self.caption = Some((heard.cue, tick.wrapping_add(NOTICE_TICKS / 2)));
        }
    }

    /// The share of the music that is left behind great cues.
    fn ducking(&self, tick: u32) -> f32 {
        let Some(until) = self.ducked_until else { return 1.0 };
        let over = tick.wrapping_sub(until).cast_signed();
        let recovered = over.clamp(0, RECOVERS_TICKS.cast_signed()) as f32 / RECOVERS_TICKS as f32;
        DUCKED + (1.0 - DUCKED) * recovered
    }

    fn caption(&self, tick: u32) -> Option<Phrase> {
        let (cue, until) = self.caption?;
        (until.wrapping_sub(tick).cast_signed() > 0).then(|| cues::caption(cue)).flatten()
    }
}

impl Client {
    /// Takes out the sounds that begin now.
    pub fn sounds(&mut self) -> Vec<Heard> {
        std::mem::take(&mut self.listening.heard)
    }

    /// How loud [`Cue::ChargeHum`] is now, 0 (silent) to 255. Its pitch rises with it, by an octave in all.
    pub fn hum(&self) -> u8 {
        let view = self.game_view.as_ref().filter(|_| !self.is_paused());
        view.map_or(0, |view| cues::hum(view.frame(), view.own()))
    }

    /// The music to play now; none while a jingle has its place.
    pub fn song(&self) -> Option<Song> {
        match &self.game_view {
            Some(view) if view.is_won_soon() => None,
            Some(view) => song_of(view.newest()),
            None if matches!(self.screen, Screen::Scores { .. }) => Some(Song::Scores),
            None => Some(Song::Title),
        }
    }

    /// The volumes of music and of sounds, 0 to 1: what the player chose, and behind great cues less of the music.
    pub fn volumes(&self) -> (f32, f32) {
        let share = |volume: u8| f32::from(volume) / f32::from(VOLUME_MAX);
        let paused = if self.is_paused() { PAUSED } else { 1.0 };
        let music = share(self.settings.music) * self.listening.ducking(self.clock.ticks()).min(paused);
        (music, share(self.settings.sound))
    }

    /// Plays a cue that has no place in the field.
    pub(super) fn play_cue(&mut self, cue: Cue) {
        self.hear(Heard { cue, pan: 0 });
    }

    /// Plays the cues of what is shown now, after what was shown before.
    pub(super) fn hear_game(&mut self, before: &Frame) {
        let Some(view) = &self.game_view else { return };
        let passed = view.checkpoint();
        let is_next = self.listening.checkpoint.is_some_and(|before| passed == before.checked_add(1));
        let gates = view.terrain().map_or(&[][..], |terrain| terrain.gates());
        let mut heard = cues::cues(before, view.frame(), view.own());
        heard.extend(self.listening.gates.observe(gates, view.scroll()));
        heard.into_iter().for_each(|heard| self.hear(heard));
        if is_next {
            self.play_cue(Cue::Checkpoint);
        }
        self.listening.checkpoint = passed;
    }

    /// A game that is paused, or goes on, says so.
    pub(super) fn hear_pause(&mut self) {
        let is_paused = self.is_paused() && self.screen.is_menu_open();
        if std::mem::replace(&mut self.listening.was_paused, is_paused) != is_paused && self.game_view.is_some() {
            self.play_cue(if is_paused { Cue::Pause } else { Cue::Resume });
        }
    }

    /// What is heard now, as text, if the player wants that.
    pub(super) fn caption(&self) -> Option<Phrase> {
        let charging = || (self.hum() > 0).then_some(Phrase::CaptionCharge);
        self.listening.caption(self.clock.ticks()).or_else(charging).filter(|_| self.settings.captions)
    }

    fn hear(&mut self, heard: Heard) {
        self.listening.hear(heard, self.clock.ticks());
    }
}

/// The song of a game.
fn song_of(frame: &Frame) -> Option<Song> {
    let boss = frame.boss();
    Some(match (frame.state, frame.stage) {
        (game::GameState::Lost, _) => Song::GameOver,
        // The fanfare, then the tally.
        (game::GameState::Won, _) => return None,
        (_, stage) if boss.is_some_and(|boss| is_last(boss.kind, stage)) => Song::LastBoss,
        _ if boss.is_some() => Song::Boss,
        (_, 0) => Song::Endless,
        (_, stage) => [Song::Stage3, Song::Stage1, Song::Stage2][usize::from(stage) % 3],
    })
}

/// Whether a boss is the last one: nothing is worth as much, and it comes in every third stage, or in the endless one.
fn is_last(hull: game::Kind, stage: u8) -> bool {
    let worth = |kind: game::Kind| tuning::body(kind).score;
    let all = game::Kind::ALL.iter().filter(|kind| tuning::boss(**kind).is_some());
    stage.is_multiple_of(3) && all.map(|kind| worth(*kind)).max() == Some(worth(hull))
}

#[cfg(test)]
mod tests {
    use game::{Entity, EntityId, GameState, Kind, Vec2};

    use super::*;

    fn hear(listening: &mut Listening, cue: Cue, tick: u32) {
        listening.hear(Heard { cue, pan: 0 }, tick);
    }

    #[test]
    fn the_music_steps_back_behind_great_cues_and_returns() {
        let mut listening = Listening::default();
        hear(&mut listening, Cue::Shot, 10);
        assert_eq!(listening.ducking(10), 1.0);
        hear(&mut listening, Cue::Warning, 10);
        hear(&mut listening, Cue::PartBreaks, 12);
        let end = 10 + Cue::Warning.ducks_ticks();
        assert_eq!((listening.ducking(10), listening.ducking(end)), (DUCKED, DUCKED), "the longer one counts");
        let halfway = listening.ducking(end + RECOVERS_TICKS / 2);
        assert!(halfway > DUCKED && halfway < 1.0, "{halfway}");
        assert_eq!(listening.ducking(end + RECOVERS_TICKS), 1.0);
    }

    #[test]
    fn a_great_cue_keeps_its_caption() {
        let mut listening = Listening::default();
        hear(&mut listening, Cue::ExplosionLarge, 10);
        hear(&mut listening, Cue::Warning, 11);
        hear(&mut listening, Cue::ExplosionLarge, 12);
        assert_eq!(listening.caption(12), Some(Phrase::CaptionWarning));
        assert_eq!(listening.caption(11 + NOTICE_TICKS / 2), None);
        hear(&mut listening, Cue::ExplosionLarge, 11 + NOTICE_TICKS / 2);
        assert_eq!(listening.caption(12 + NOTICE_TICKS / 2), Some(Phrase::CaptionExplosion));
    }

    #[test]
    fn cues_that_nobody_takes_are_bounded() {
        let mut listening = Listening::default();
        (0..1_000).for_each(|tick| hear(&mut listening, Cue::Shot, tick));
        assert_eq!(listening.heard.len(), CUES_MAX);
    }

    fn song(state: GameState, stage: u8, boss: Option<Kind>) -> Option<Song> {
        let entities = boss.map(|kind| Entity::new(EntityId(1), kind, Vec2::ZERO)).into_iter().collect();
        song_of(&Frame { state, stage, entities, ..Frame::default() })
    }

    #[test]
    fn each_stage_and_state_has_its_song() {
        let stages = [0, 1, 2, 3, 4].map(|stage| song(GameState::Running, stage, None));
        let expected = [Song::Endless, Song::Stage1, Song::Stage2, Song::Stage3, Song::Stage1];
        assert_eq!(stages, expected.map(Some));
        assert_eq!(song(GameState::Lost, 1, Some(Kind::Keeper)), Some(Song::GameOver));
        assert_eq!(song(GameState::Won, 1, None), None);
        assert_eq!(song(GameState::Running, 1, Some(Kind::Salvager)), Some(Song::Boss));
        let bosses = Kind::ALL.iter().copied().filter(|kind| tuning::boss(*kind).is_some());
        let last = bosses.max_by_key(|kind| tuning::body(*kind).score);
        assert_eq!(song(GameState::Running, 3, last), Some(Song::LastBoss));
        assert_eq!(song(GameState::Running, 3, Some(Kind::Salvager)), Some(Song::Boss));
    }
}
