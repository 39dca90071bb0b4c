//! A game that bots play by themselves, one after the other: what `volley watch` watches.

use std::sync::Arc;

use game::{Frame, GameState, Input, Inputs, Rules, Seat, Stage, World};

use crate::bot::Bot;

/// Ticks for which the end of a game stays on the screen.
const CURTAIN_TICKS: u32 = 180;

/// A game played by bots. When it is lost, the next begins with the next seed; when it is won, the next stage.
pub struct Play {
    first_stage: Arc<Stage>,
    players: usize,
    seed: u64,
    world: World,
    bots: Vec<Bot>,
    frame: Frame,
    /// Ticks since the game was won or lost.
    curtain: u32,
}

impl Play {
    /// A game for that many bots, one to four.
    pub fn new(stage: Arc<Stage>, players: usize, seed: u64) -> Play {
        let world = begin(&stage, players, seed);
        let frame = world.frame();
        Play { first_stage: stage, players, seed, world, bots: bots(players, seed), frame, curtain: 0 }
    }

    /// One tick.
    pub fn tick(&mut self) {
        if self.over() && self.curtain >= CURTAIN_TICKS {
            self.go_on();
        }
        let inputs = self.decide();
        self.world.tick(&inputs);
        self.world.frame_into(&mut self.frame);
        self.curtain = if self.over() { self.curtain + 1 } else { 0 };
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

    /// Begins anew with the next seed.
    pub fn next_seed(&mut self) {
        *self = Play::new(Arc::clone(&self.first_stage), self.players, self.seed.wrapping_add(1));
    }

    fn over(&self) -> bool {
        matches!(self.frame.state, GameState::Won | GameState::Lost)
    }

    fn decide(&mut self) -> Inputs {
        let mut inputs = [Input::IDLE; game::SEATS];
        for (bot, seat) in self.bots.iter_mut().zip(Seat::ALL) {
            inputs[seat.index()] = bot.decide(&self.frame, seat, Some(self.world.stage()));
        }
        inputs
    }

    fn go_on(&mut self) {
        if self.frame.state == GameState::Won {
            let next = following(self.world.stage());
            self.world.enter(next);
            self.world.frame_into(&mut self.frame);
            self.curtain = 0;
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

fn bots(players: usize, seed: u64) -> Vec<Bot> {
    (0..players as u64).map(|index| Bot::new(seed.wrapping_mul(31).wrapping_add(index))).collect()
}

/// The built-in stage after that one; after the last the first, and a stage of the user's own follows itself.
fn following(stage: &Arc<Stage>) -> Arc<Stage> {
    let built_in = Stage::built_in(&stage.name).is_some_and(|known| known.fingerprint == stage.fingerprint);
    if !built_in {
        return Arc::clone(stage);
    }
    let next = |number: u8| Stage::built_in(&format!("stage{number}"));
    next(stage.number.saturating_add(1)).or_else(|| next(1)).unwrap_or_else(|| Arc::clone(stage))
}

#[cfg(test)]
mod tests {
    use game::{Kind, Vec2, px};

    use super::*;

    /// Whether it comes to pass within two minutes.
    fn comes(play: &mut Play, what: impl Fn(&Play) -> bool) -> bool {
        (0..7200).any(|_| {
            play.tick();
            what(play)
        })
    }

    #[test]
    fn the_same_seed_gives_the_same_game() {
        let play = |seed| {
            let mut play = Play::new(Stage::endless(), 4, seed);
            (0..600).for_each(|_| play.tick());
            play.hash()
        };
        assert_eq!(play(1), play(1));
        assert_ne!(play(1), play(2));
    }

    #[test]
    fn a_lost_game_is_followed_by_the_next_seed() {
        let wall = "#".repeat(30);
        let mut play = Play::new(Stage::sketch(&[wall.as_str(); 17]), 2, 5);
        assert!(comes(&mut play, |play| play.frame().state == GameState::Lost));
        assert_eq!(play.seed(), 5, "the end cannot be seen");
        assert!(comes(&mut play, |play| play.seed() == 6 && play.frame().state == GameState::Running));
    }

    #[test]
    fn a_stage_that_is_won_is_followed_by_another_or_itself() {
        let mut play = Play::new(Stage::sketch(&[]), 1, 5);
        // A stage is won when its boss is gone, shot down or not.
        assert!(play.world.spawn(Kind::Salvager, Vec2::new(px(500), px(135))).is_some());
        assert!(comes(&mut play, |play| play.frame().state == GameState::Won));
        assert!(comes(&mut play, |play| play.frame().state == GameState::Running));
        assert_eq!((play.seed(), play.stage().name.as_str()), (5, "sketch"));
        assert_eq!(following(&Stage::built_in("stage1").expect("built in")).number, 1);
    }

    #[test]
    fn the_next_seed_begins_with_the_first_stage_and_as_many_players() {
        let mut play = Play::new(Stage::endless(), 3, u64::MAX);
        play.tick();
        play.next_seed();
        assert_eq!((play.seed(), play.frame().tick.0), (0, 0));
        assert_eq!(play.frame().players.iter().flatten().count(), 3);
    }
}
