//! With normal rules and lives, one to four good bots finish every stage, and go on from every checkpoint with a bare ship. One
//! bot alone beats every boss in a time that is neither dull nor hopeless.

use std::sync::Arc;

use game::{
    Arms, Difficulty, Event, Frame, GameState, Gone, Input, Kind, Mode, Practice, Rules, SEATS, Seat, Stage, World,
    tuning,
};
use toolkit::bot::{Bot, Ground};

/// Chance decides a single game: one of this many seeds must do.
const SEEDS: u64 = 4;
/// How long a bare ship must last from a checkpoint on, in ticks; in company every one of them, so chance has more to say.
const CHECKPOINT_TICKS: u32 = 15 * 60;
const CHECKPOINT_SEEDS: u64 = 12;
/// Nobody needs longer for a stage, in ticks.
const TICKS_MAX: u32 = 15 * 60 * 60;
/// Fights, and the seconds that the median one takes an able player.
const FIGHTS: u64 = 7;
const BOSS_S: std::ops::RangeInclusive<u32> = 40..=90;

/// A game of good bots.
struct Game {
    world: World,
    bots: Vec<Bot>,
    frame: Frame,
}

impl Game {
    fn new(mut world: World, players: usize, seed: u64) -> Game {
        Seat::ALL[..players].iter().for_each(|&seat| assert!(world.join(seat)));
        world.start();
        let bots = (0..players as u64).map(|index| Bot::new(seed * 31 + index)).collect();
        let frame = world.frame();
        Game { world, bots, frame }
    }

    fn practice(stage: &Arc<Stage>, checkpoint: usize, players: usize, seed: u64) -> Game {
        let practice = Practice { checkpoint: checkpoint as u8, arms: Arms::default() };
        let rules = Rules { mode: Mode::Practice(practice), ..Rules::default() };
        Game::new(World::new(stage.clone(), rules, seed), players, seed)
    }

    fn tick(&mut self) {
        let mut inputs = [Input::IDLE; SEATS];
        for (bot, seat) in self.bots.iter_mut().zip(Seat::ALL) {
            inputs[seat.index()] = bot.decide(&self.frame, seat, Ground::Stage(self.world.stage()));
        }
        self.world.tick(&inputs);
        self.world.frame_into(&mut self.frame);
    }

    fn is_ship_lost(&self) -> bool {
        self.frame.events.iter().any(|event| matches!(event, Event::Killed { .. }))
    }

    fn wins(mut self) -> bool {
        let over = |game: &Game| matches!(game.frame.state, GameState::Won | GameState::Lost);
        (0..TICKS_MAX).any(|_| {
            self.tick();
            over(&self)
        }) && self.frame.state == GameState::Won
    }

    /// Plays until that boss is beaten, and tells how many seconds the fight took that ended so.
    fn seconds_to_beat(mut self, boss: Kind) -> Option<u32> {
        let (mut ticks, mut hull) = (0, None);
        for _ in 0..TICKS_MAX {
            self.tick();
            let here = self.frame.boss().filter(|here| here.kind == boss && !here.is_coming).map(|here| here.hull);
            if here.is_none()
                && let Some(entity) = hull
                && self.frame.events.contains(&Event::Destroyed { entity, gone: Gone::Destroyed })
            {
                return Some(ticks / 60);
            }
            let is_over = matches!(self.frame.state, GameState::Won | GameState::Lost);
            if is_over || self.frame.scroll_px > self.scroll_of(boss) {
                return None;
            }
            ticks = if here.is_some() && here == hull { ticks + 1 } else { 0 };
            hull = here;
        }
        None
    }

    /// How far the stage has scrolled when a boss comes, in pixels, with room for a tick more.
    fn scroll_of(&self, boss: Kind) -> u32 {
        let stage = self.world.stage();
        stage.spawns.iter().find(|spawn| spawn.kind == boss).map_or(0, |spawn| spawn.x_px)
    }
}

fn stage(name: &str) -> Arc<Stage> {
    Stage::built_in(name).expect("it is built in")
}

fn check_finished(name: &str) {
    let stage = stage(name);
    for players in 1..=SEATS {
        let finishes = |seed| Game::new(World::new(stage.clone(), Rules::default(), seed), players, seed).wins();
        assert!((0..SEEDS).any(finishes), "{name} with {players}");
    }
}

fn check_checkpoints(name: &str) {
    let stage = stage(name);
    for (checkpoint, place) in stage.checkpoint_names.iter().enumerate() {
        for players in 1..=SEATS {
            let survives = |seed| {
                let mut game = Game::practice(&stage, checkpoint, players, seed);
                (0..CHECKPOINT_TICKS).all(|_| {
                    game.tick();
                    !game.is_ship_lost()
                })
            };
            assert!((0..CHECKPOINT_SEEDS).any(survives), "{name}, from {place} with {players}");
        }
    }
}

/// The median of some fights from the checkpoint before each boss; one that was not won counts as the longest.
fn check_bosses(name: &str) {
    let stage = stage(name);
    let bosses: Vec<_> = stage.spawns.iter().filter(|spawn| tuning::boss(spawn.kind).is_some()).collect();
    assert_eq!(bosses.len(), 2, "{name}");
    for boss in bosses {
        let is_before = |&checkpoint_px: &u32| checkpoint_px + (game::FIELD_WIDTH_PX as u32) < boss.x_px;
        let checkpoint = stage.checkpoints_px.iter().rposition(is_before).expect("the beginning is before it");
        let fight = |seed| Game::practice(&stage, checkpoint, 1, seed).seconds_to_beat(boss.kind).unwrap_or(u32::MAX);
        let mut seconds: Vec<u32> = (0..FIGHTS).map(fight).collect();
        seconds.sort_unstable();
        println!("{:<10} {seconds:?} s", boss.kind.name());
        let median = seconds[seconds.len() / 2];
        assert!(BOSS_S.contains(&median), "{}: {seconds:?} s", boss.kind.name());
    }
}

/// Under any difficulty bots pass the chase from the checkpoint before it, with bare ships.
#[test]
fn one_to_four_good_bots_survive_the_chase() {
    let stage = stage("stage3");
    let chase_px = stage.spawns.iter().find(|spawn| spawn.kind == Kind::Grinder).expect("the chase").x_px;
    let is_before = |&checkpoint_px: &u32| checkpoint_px + (game::FIELD_WIDTH_PX as u32) < chase_px;
    let checkpoint = stage.checkpoints_px.iter().rposition(is_before).expect("the beginning is before it");
    let mode = Mode::Practice(Practice { checkpoint: checkpoint as u8, arms: Arms::default() });
    for (difficulty, players) in
        Difficulty::ALL.into_iter().flat_map(|it| (1..=SEATS).map(move |players| (it, players)))
    {
        let passes = |seed| {
            let rules = Rules { mode, ..Rules::of(difficulty) };
            let mut game = Game::new(World::new(stage.clone(), rules, seed), players, seed);
            (0..CHECKPOINT_TICKS * 2).any(|_| {
                game.tick();
                game.frame.scroll_px > stage.checkpoints_px[checkpoint + 1]
            }) && game.frame.players.iter().flatten().all(|player| player.lives > 0)
        };
        assert!((0..CHECKPOINT_SEEDS).any(passes), "{} with {players}", difficulty.name());
    }
}

#[test]
fn one_to_four_good_bots_finish_stage_1() {
    check_finished("stage1");
}

#[test]
fn one_to_four_good_bots_finish_stage_2() {
    check_finished("stage2");
}

#[test]
fn one_to_four_good_bots_finish_stage_3() {
    check_finished("stage3");
}

#[test]
fn every_checkpoint_of_stage_1_can_be_survived_with_bare_ships() {
    check_checkpoints("stage1");
}

#[test]
fn every_checkpoint_of_stage_2_can_be_survived_with_bare_ships() {
    check_checkpoints("stage2");
}

#[test]
fn every_checkpoint_of_stage_3_can_be_survived_with_bare_ships() {
    check_checkpoints("stage3");
}

/// `cargo nextest run -p toolkit --test stages_can_be_played --no-capture bosses` shows the times.
#[test]
fn the_bosses_of_stage_1_take_a_good_bot_40_to_90_seconds() {
    check_bosses("stage1");
}

#[test]
fn the_bosses_of_stage_2_take_a_good_bot_40_to_90_seconds() {
    check_bosses("stage2");
}

#[test]
fn the_bosses_of_stage_3_take_a_good_bot_40_to_90_seconds() {
    check_bosses("stage3");
}
