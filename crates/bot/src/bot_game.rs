//! A game that bots play by themselves, one after the other: what `volley watch` watches.

use std::sync::Arc;

use game::{Frame, GameState, Input, Inputs, Rules, Seat, Skill, Stage, World, stage::BUILT_IN};

use crate::{Bot, Ground};

/// Ticks for which the end of a game stays on the screen.
const END_SHOWN_TICKS: u32 = 180;

/// A game played by bots. When it is lost, the next begins with the next seed; when it is won, the next stage.
pub struct BotGame {
    first_stage: Arc<Stage>,
    players: usize,
    skill: Skill,
    seed: u64,
    world: World,
    bots: Vec<Bot>,
    frame: Frame,
    /// Ticks since the game was won or lost.
    ticks_since_end: u32,
}

impl BotGame {
    /// A game for that many good bots, one to four.
    pub fn new(stage: Arc<Stage>, players: usize, seed: u64) -> BotGame {
        let world = begin(&stage, players, seed);
        let (skill, frame) = (Skill::Good, world.frame());
        let bots = bots(players, skill, seed);
        BotGame { first_stage: stage, players, skill, seed, world, bots, frame, ticks_since_end: 0 }
    }

    /// The same game from its beginning, with bots of that skill.
    #[must_use]
    pub fn with_skill(self, skill: Skill) -> BotGame {
        let bots = bots(self.players, skill, self.seed);
        BotGame { skill, bots, ..BotGame::new(self.first_stage, self.players, self.seed) }
    }

    pub fn tick(&mut self) {
        if self.over() && self.ticks_since_end >= END_SHOWN_TICKS {
            self.go_on();
        }
        let inputs = self.decide();
        self.world.tick(&inputs);
        self.world.frame_into(&mut self.frame);
        self.ticks_since_end = if self.over() { self.ticks_since_end + 1 } else { 0 };
    }

    /// What there is to see.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The stage that is played.
    pub fn stage(&self) -> &Stage {
        self.world.stage()
    }

    /// The seed of the game that is played.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The hash of the whole state of the game.
    pub fn hash(&self) -> u64 {
        self.world.hash()
    }

    /// Starts again with the next seed.
    pub fn next_seed(&mut self) {
        let next = BotGame::new(Arc::clone(&self.first_stage), self.players, self.seed.wrapping_add(1));
        *self = next.with_skill(self.skill);
    }

    fn over(&self) -> bool {
        matches!(self.frame.state, GameState::Won | GameState::Lost)
    }

    fn decide(&mut self) -> Inputs {
        let mut inputs = [Input::IDLE; game::SEATS];
        for (bot, seat) in self.bots.iter_mut().zip(Seat::ALL) {
            inputs[seat.index()] = bot.decide(&self.frame, seat, Ground::Stage(self.world.stage()));
        }
        inputs
    }

    fn go_on(&mut self) {
        if self.frame.state == GameState::Won {
            let next = following(self.world.stage());
            self.world.enter(next);
            self.world.frame_into(&mut self.frame);
            self.ticks_since_end = 0;
        } else {
            self.next_seed();
        }
    }
}

fn begin(stage: &Arc<Stage>, players: usize, seed: u64) -> World {
    let mut world = World::new(Arc::clone(stage), Rules::default(), seed);
    for seat in Seat::ALL.into_iter().take(players) {
        world.join(seat);
    }
    world.start();
    world
}

fn bots(players: usize, skill: Skill, seed: u64) -> Vec<Bot> {
    (0..players as u64).map(|index| Bot::with_skill(skill, seed.wrapping_mul(31).wrapping_add(index))).collect()
}

/// The built-in stage after that one; after the last the first, and a stage of the user's own follows itself.
fn following(stage: &Arc<Stage>) -> Arc<Stage> {
    let built_in = Stage::built_in(&stage.name).is_some_and(|known| known.fingerprint == stage.fingerprint);
    if !built_in {
        return Arc::clone(stage);
    }
    let all: Vec<_> = BUILT_IN.iter().filter_map(|(name, _)| Stage::built_in(name)).collect();
    Stage::following(stage, &all)
}

#[cfg(test)]
mod tests {
    use game::{Kind, Vec2, px};

    use super::*;

    /// Whether it comes to pass within two minutes.
    fn comes(game: &mut BotGame, what: impl Fn(&BotGame) -> bool) -> bool {
        (0..7200).any(|_| {
            game.tick();
            what(game)
        })
    }

    #[test]
    fn the_same_seed_gives_the_same_game() {
        let game = |seed| {
            let mut game = BotGame::new(Stage::endless(), 4, seed);
            (0..600).for_each(|_| game.tick());
            game.hash()
        };
        assert_eq!(game(1), game(1));
        assert_ne!(game(1), game(2));
    }

    #[test]
    fn a_lost_game_is_followed_by_the_next_seed() {
        let wall = "#".repeat(30);
        let mut game = BotGame::new(Stage::sketch(&[wall.as_str(); 17]), 2, 5);
        assert!(comes(&mut game, |game| game.frame().state == GameState::Lost));
        assert_eq!(game.seed(), 5, "the end cannot be seen");
        assert!(comes(&mut game, |game| game.seed() == 6 && game.frame().state == GameState::Running));
    }

    #[test]
    fn a_stage_that_is_won_is_followed_by_another_or_itself() {
        let mut game = BotGame::new(Stage::sketch(&[]), 4, 5);
        // A stage is won when its boss is gone, shot down or not.
        assert!(game.world.spawn(Kind::Salvager, Vec2::new(px(500), px(135))).is_some());
        assert!(comes(&mut game, |game| game.frame().state == GameState::Won));
        assert!(comes(&mut game, |game| game.frame().state == GameState::Running));
        assert_eq!((game.seed(), game.stage().name.as_str()), (5, "sketch"));
        assert_eq!(following(&Stage::built_in("stage1").expect("built in")).number, 2);
        assert_eq!(following(&Stage::built_in("stage3").expect("built in")).number, 1);
    }

    #[test]
    fn the_next_seed_begins_with_the_first_stage_and_as_many_players() {
        let mut game = BotGame::new(Stage::endless(), 3, u64::MAX);
        game.tick();
        game.next_seed();
        assert_eq!((game.seed(), game.frame().tick.0), (0, 0));
        assert_eq!(game.frame().players.iter().flatten().count(), 3);
    }
}
