//! When something is announced over the game: a stage that begins, a boss that comes, a boss that is there.

use game::{EntityId, Frame, GameState, Kind, Mode, px};

use super::Client;
use crate::{
    campaign::{self, boss_name},
    draw::{
        Picture,
        announcements::{BossBar, TitleCard, Warning},
    },
    game_view::GameView,
    language::Phrase,
    screens::mutator_phrases,
};

/// A stage that has scrolled no further than this has just begun, in pixels.
const BEGINNING_PX: u32 = 120;

/// What there is to announce.
#[derive(Clone, Debug, Default)]
pub struct Announcements {
    /// The stage and the state of the last Frame.
    last: Option<(u8, GameState)>,
    /// The tick in which the stage began.
    stage_began: Option<u32>,
    /// How often the campaign went back to an earlier stage: each time it is harder.
    rounds: u32,
    /// The hull of the boss that is there, and the tick in which it came.
    boss: Option<(EntityId, u32)>,
    /// What closes in from behind, and the tick in which it came.
    pursuer: Option<(EntityId, u32)>,
}

impl Announcements {
    /// Takes in what is shown now.
    pub fn observe(&mut self, frame: &Frame, tick: u32) {
        let now = (frame.stage, frame.state);
        let is_beginning = frame.state == GameState::Running && frame.scroll_px < BEGINNING_PX;
        if self.last != Some(now) && is_beginning {
            self.stage_began = Some(tick);
            self.rounds = match self.last {
                Some((before, GameState::Won)) => self.rounds + u32::from(frame.stage <= before),
                _ => 0,
            };
        }
        self.last = Some(now);
        // One that is in the field already has been announced: the player joined, or came back.
        let hull = frame.boss().and_then(|boss| frame.entity(boss.hull));
        let is_in_field = hull.is_some_and(|hull| hull.position.x < px(Picture::WIDTH));
        let came = if is_in_field { tick.saturating_sub(Warning::LIFE) } else { tick };
        self.boss = since(self.boss, hull.map(|hull| hull.id), came);
        let pursuer = frame.entities.iter().find(|entity| entity.kind == Kind::Grinder);
        self.pursuer = since(self.pursuer, pursuer.map(|pursuer| pursuer.id), tick);
    }
}

/// What is there, and since when; what was not known came at that tick.
fn since(known: Option<(EntityId, u32)>, here: Option<EntityId>, tick: u32) -> Option<(EntityId, u32)> {
    let here = here?;
    known.filter(|(id, _)| *id == here).or(Some((here, tick)))
}

impl Client {
    /// The card of a stage, over the game.
    pub(super) fn draw_announcements(&self, game: &GameView, tick: u32, picture: &mut Picture) {
        let (frame, known) = (game.frame(), &self.announcements);
        if frame.state != GameState::Running {
            return;
        }
        if let Some(age) = known.stage_began.map(|began| tick.saturating_sub(began)) {
            TitleCard { stage: &self.stage_label(frame), title: self.stage_title(game), age }.draw(picture);
        }
    }

    /// What is left of a boss.
    pub(super) fn draw_boss_bar(&self, frame: &Frame, picture: &mut Picture) {
        if frame.state != GameState::Running {
            return;
        }
        let boss = frame.boss().filter(|boss| boss.health > 0 && boss.health_max > 0);
        if let Some(boss) = boss.filter(|_| !self.is_boss_announced()) {
            let name = self.boss_name(boss.kind);
            BossBar { name, health: boss.health.into(), health_max: boss.health_max.into() }.draw(picture);
        }
    }

    /// Whether a boss is announced now. The warning has its name, and is over when it fights.
    pub(super) fn is_boss_announced(&self) -> bool {
        let tick = self.clock.ticks();
        self.announcements.boss.is_some_and(|(_, since)| tick.saturating_sub(since) < Warning::LIFE)
    }

    /// Whether the card of a stage or a warning is shown.
    pub(super) fn is_announced(&self) -> bool {
        let tick = self.clock.ticks();
        let is_younger = |since: Option<u32>, life: u32| since.is_some_and(|since| tick.saturating_sub(since) < life);
        let Announcements { stage_began, pursuer, .. } = &self.announcements;
        is_younger(*stage_began, TitleCard::LIFE)
            || is_younger(pursuer.map(|(_, since)| since), Warning::LIFE)
            || self.is_boss_announced()
    }

    /// The warnings before a boss and before a chase.
    pub(super) fn draw_warnings(&self, game: &GameView, tick: u32, picture: &mut Picture) {
        let (frame, known) = (game.frame(), &self.announcements);
        if frame.state != GameState::Running {
            return;
        }
        if let Some((_, since)) = known.pursuer {
            let name = self.translate(Phrase::FromBehind);
            self.draw_warning(name, Warning::CHASE_Y, tick.saturating_sub(since), picture);
        }
        if let Some((boss, (_, since))) = frame.boss().zip(known.boss) {
            let middle_y = Warning::boss_y(picture.letters());
            self.draw_warning(self.boss_name(boss.kind), middle_y, tick.saturating_sub(since), picture);
        }
    }

    fn boss_name(&self, kind: Kind) -> &str {
        boss_name(kind).map_or("", |name| self.translate(name))
    }

    fn draw_warning(&self, name: &str, middle_y: i32, age: u32, picture: &mut Picture) {
        let (word, flashes) = (self.translate(Phrase::Warning), self.settings.look.flashes);
        Warning { word, name, middle_y, age, flashes }.draw(picture);
    }

    /// Which stage it is, and in which round; in a daily game, that it is one.
    fn stage_label(&self, frame: &Frame) -> String {
        let numbered = |phrase: Phrase, number: u32| self.translate(phrase).replace("{}", &number.to_string());
        // Practice begins at the same place again, and never gets harder.
        let is_practice = self.rules.is_some_and(|rules| matches!(rules.mode, Mode::Practice(_)));
        let rounds = if is_practice { 0 } else { self.announcements.rounds };
        match (frame.stage, rounds) {
            (0, _) if self.day().is_some() => self.translate(Phrase::Daily).into(),
            (0, _) => String::new(),
            (stage, 0) => numbered(Phrase::StageNumber, stage.into()),
            (stage, rounds) => {
                let round = numbered(Phrase::RoundNumber, rounds + 1);
                format!("{} · {round}", numbered(Phrase::StageNumber, stage.into()))
            }
        }
    }

    /// The day of a daily game.
    fn day(&self) -> Option<u32> {
        match self.rules?.mode {
            Mode::Daily(daily) => Some(daily.day),
            Mode::Campaign | Mode::Endless | Mode::Practice(_) => None,
        }
    }

    /// What the stage is called: ours in the player's language, another as its author wrote it.
    fn stage_title<'a>(&self, game: &'a GameView) -> &'a str {
        if let Some(day) = self.day() {
            return self.translate(mutator_phrases(day).0);
        }
        let title = game.stage_title();
        campaign::translated(title).map_or(title, |phrase| self.translate(phrase))
    }
}

#[cfg(test)]
mod tests {
    use game::{Entity, Vec2};

    use super::*;

    fn frame(stage: u8, state: GameState, scroll_px: u32) -> Frame {
        Frame { stage, state, scroll_px, ..Frame::default() }
    }

    fn with_boss(id: u32, x: i32) -> Frame {
        let hull = Entity::new(EntityId(id), Kind::Keeper, Vec2::new(px(x), px(130)));
        let core = Entity { health: 40, health_max: 90, ..Entity::new(EntityId(id + 1), Kind::KeeperCore, Vec2::ZERO) };
        Frame { entities: vec![hull, core], ..frame(1, GameState::Running, 5000) }
    }

    #[test]
    fn a_card_is_shown_when_a_stage_begins_and_not_at_a_checkpoint() {
        let mut announcements = Announcements::default();
        announcements.observe(&frame(1, GameState::Waiting, 0), 5);
        assert_eq!(announcements.stage_began, None);
        announcements.observe(&frame(1, GameState::Running, 0), 10);
        announcements.observe(&frame(1, GameState::Running, 1), 11);
        assert_eq!(announcements.stage_began, Some(10));
        announcements.observe(&frame(1, GameState::Running, 3000), 900);
        announcements.observe(&frame(1, GameState::Running, 50), 950);
        assert_eq!(announcements.stage_began, Some(10), "back to the first checkpoint");
        announcements.observe(&frame(1, GameState::Won, 7000), 1000);
        announcements.observe(&frame(2, GameState::Running, 0), 1200);
        assert_eq!((announcements.stage_began, announcements.rounds), (Some(1200), 0));
        announcements.observe(&frame(2, GameState::Won, 7000), 2000);
        announcements.observe(&frame(1, GameState::Running, 0), 2200);
        assert_eq!(announcements.rounds, 1, "the first stage again is the second round");
        announcements.observe(&frame(1, GameState::Lost, 700), 2300);
        announcements.observe(&frame(1, GameState::Running, 0), 2400);
        assert_eq!(announcements.rounds, 0, "a new game");
        let mut late = Announcements::default();
        late.observe(&frame(1, GameState::Running, 3000), 5);
        assert_eq!(late.stage_began, None);
    }

    #[test]
    fn each_boss_is_announced_once() {
        let mut announcements = Announcements::default();
        (10..20).for_each(|tick| announcements.observe(&with_boss(7, 600 - 10 * tick as i32), tick));
        assert_eq!(announcements.boss, Some((EntityId(7), 10)));
        announcements.observe(&frame(1, GameState::Running, 5000), 20);
        assert_eq!(announcements.boss, None);
        announcements.observe(&with_boss(9, 560), 30);
        assert_eq!(announcements.boss, Some((EntityId(9), 30)));
    }

    #[test]
    fn a_boss_that_fights_already_when_the_player_comes_is_not_announced() {
        let mut announcements = Announcements::default();
        announcements.observe(&with_boss(7, 400), 1_000);
        assert_eq!(announcements.boss, Some((EntityId(7), 1_000 - Warning::LIFE)));
    }

    #[test]
    fn a_chase_is_announced_once() {
        let mut announcements = Announcements::default();
        let grinder = Entity::new(EntityId(7), Kind::Grinder, Vec2::ZERO);
        let chase = Frame { entities: vec![grinder], ..frame(3, GameState::Running, 5400) };
        (10..20).for_each(|tick| announcements.observe(&chase, tick));
        assert_eq!((announcements.pursuer, announcements.boss), (Some((EntityId(7), 10)), None));
        announcements.observe(&frame(3, GameState::Running, 6400), 20);
        assert_eq!(announcements.pursuer, None);
    }
}
