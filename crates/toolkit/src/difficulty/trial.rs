//! One game of bots, from its beginning until it is lost or through, and what is remembered of it.

use bot::{Bot, Ground};
use game::{
    BossView, Class, Event, FIELD_WIDTH_PX, Frame, GameState, Input, Inputs, Kind, Rules, SEATS, Seat, Stage, World,
    px, units::TICKS_PER_SECOND,
};

use super::{Options, Setting, spots::screen_at};

/// What became of one game.
#[derive(Clone, Debug, Default)]
pub struct PlayedGame {
    /// The stages that were begun, in order.
    pub stages: Vec<StageRun>,
    pub score: u32,
    /// Ticks that it lasted.
    pub ticks: u32,
    pub is_lost: bool,
}

/// What became of one stage.
#[derive(Clone, Debug, Default)]
pub struct StageRun {
    pub is_won: bool,
    /// How far it was seen, in pixels of scrolling.
    pub reached_px: u32,
    /// The last wave of an endless stage.
    pub wave: u32,
    pub deaths: Vec<Death>,
    pub bosses: Vec<BossFight>,
    /// Ticks for which ships flew in each screen of the stage, bosses apart.
    pub ticks_by_screen: Vec<u32>,
    /// Enemy shots in the field: the sum over all ticks, and the most in one.
    pub shots_sum: u64,
    pub shots_max: usize,
    pub ticks: u32,
}

/// A ship that was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Death {
    /// How far the stage had scrolled.
    pub scroll_px: u32,
    /// What did it.
    pub by: Option<Kind>,
    pub with_boss: bool,
}

/// A fight with a boss, from its entrance to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BossFight {
    pub kind: Kind,
    pub ticks: u32,
    /// Whether it was beaten; otherwise it left, or the players were sent back.
    pub is_beaten: bool,
}

/// A game under way.
struct Play {
    world: World,
    bots: Vec<Bot>,
    frame: Frame,
    run: StageRun,
    /// The boss that is here, with the ticks since it came in.
    fight: Option<(BossView, u32)>,
}

/// Plays one game.
pub(super) fn play(options: &Options, setting: Setting, seed: u64) -> PlayedGame {
    let mut trial = PlayedGame::default();
    let Some(first) = options.stages.first() else { return trial };
    let mut play = Play::begin(first, options, setting, seed);
    let mut following = options.stages[1..].iter();
    let ticks_max = options.minutes_max * 60 * TICKS_PER_SECOND as u32;
    while trial.ticks < ticks_max {
        play.tick();
        trial.ticks += 1;
        match play.frame.state {
            GameState::Lost => {
                trial.is_lost = true;
                break;
            }
            GameState::Won => {
                trial.stages.push(std::mem::take(&mut play.run));
                match following.next() {
                    Some(stage) => play.enter(stage),
                    None => break,
                }
            }
            GameState::Running | GameState::Waiting | GameState::TimedOut => {}
        }
    }
    trial.score = play.frame.score;
    if play.run.ticks > 0 {
        trial.stages.push(play.run);
    }
    trial
}

impl Play {
    fn begin(stage: &std::sync::Arc<Stage>, options: &Options, setting: Setting, seed: u64) -> Play {
        let mut world = World::new(stage.clone(), Rules::of(setting.difficulty), seed);
        let seats = &Seat::ALL[..options.players.clamp(1, SEATS)];
        for &seat in seats {
            world.join(seat);
        }
        world.start();
        let bots = (0..seats.len() as u64).map(|index| Bot::with_skill(setting.skill, seed * 31 + index)).collect();
        let frame = world.frame();
        Play { world, bots, frame, run: StageRun::default(), fight: None }
    }

    fn enter(&mut self, stage: &std::sync::Arc<Stage>) {
        self.world.enter(stage.clone());
        self.world.frame_into(&mut self.frame);
        self.fight = None;
    }

    fn tick(&mut self) {
        let mut inputs: Inputs = [Input::IDLE; SEATS];
        for (bot, seat) in self.bots.iter_mut().zip(Seat::ALL) {
            inputs[seat.index()] = bot.decide(&self.frame, seat, Ground::Stage(self.world.stage()));
        }
        self.world.tick(&inputs);
        self.world.frame_into(&mut self.frame);
        self.count();
        self.watch_boss();
    }

    fn count(&mut self) {
        let (run, frame) = (&mut self.run, &self.frame);
        run.ticks += 1;
        run.is_won = frame.state == GameState::Won;
        run.reached_px = run.reached_px.max(frame.scroll_px);
        run.wave = run.wave.max(frame.wave);
        let in_view = |x: i32| (0..px(FIELD_WIDTH_PX)).contains(&x);
        let is_shot = |entity: &&game::Entity| entity.kind.class() == Class::EnemyShot && in_view(entity.position.x);
        let shots = frame.entities.iter().filter(is_shot).count();
        run.shots_sum += shots as u64;
        run.shots_max = run.shots_max.max(shots);
        if self.fight.is_none()
            && frame.state == GameState::Running
            && Seat::ALL.iter().any(|&seat| frame.ship(seat).is_some())
        {
            let screen = screen_at(frame.scroll_px);
            run.ticks_by_screen.resize(run.ticks_by_screen.len().max(screen + 1), 0);
            run.ticks_by_screen[screen] += 1;
        }
        for event in &frame.events {
            if let Event::Killed { by, .. } = event {
                let with_boss = self.fight.is_some();
                run.deaths.push(Death { scroll_px: frame.scroll_px, by: by.map(|by| by.kind), with_boss });
            }
        }
    }

    fn watch_boss(&mut self) {
        let here = self.frame.boss().filter(|boss| !boss.is_coming);
        self.fight = match (self.fight, here) {
            (Some((before, ticks)), Some(now)) if before.hull == now.hull => Some((now, ticks + 1)),
            (Some((before, ticks)), now) => {
                let destroyed = Event::Destroyed { entity: before.hull, gone: game::Gone::Destroyed };
                let is_beaten = self.frame.events.contains(&destroyed);
                self.run.bosses.push(BossFight { kind: before.kind, ticks, is_beaten });
                now.map(|boss| (boss, 0))
            }
            (None, now) => now.map(|boss| (boss, 0)),
        };
    }
}
