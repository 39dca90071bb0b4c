//! Games to record, which bots play.

#![allow(dead_code, reason = "not every test needs all of it")]

use std::sync::Arc;

use bot::{Bot, Ground};
use game::{Buttons, Departure, Dice, Frame, Input, Inputs, Rules, SEATS, Seat, ShipModel, Skill, Stage, World};
use replay::{Block, Header, Recorder, RecordingWriter};

/// A game that is played by bots and recorded.
pub struct RecordedGame {
    pub world: World,
    pub header: Header,
    pub recorder: Recorder,
    pub blocks: Vec<Block>,
    pilots: Pilots,
    frame: Frame,
}

/// Who flies.
enum Pilots {
    Bots(Vec<Bot>),
    /// People who have no idea: they hold on to something for half a second, and press fire five times a second.
    Fidgets(Dice, [Buttons; SEATS]),
}

impl RecordedGame {
    pub fn new(stage: Arc<Stage>, players: usize, seed: u64) -> RecordedGame {
        let mut world = World::new(stage, Rules { lives: 9, ..Rules::default() }, seed);
        Seat::ALL.into_iter().take(players).for_each(|seat| assert!(world.join(seat)));
        world.start();
        let header = Header { game: seed, began_ms: 1_700_000_000_000, has_talk: true, ..Header::of(&world) };
        let bots = (0..SEATS as u64).map(|seat| Bot::with_skill(Skill::Good, seed * 31 + seat)).collect();
        let pilots = Pilots::Bots(bots);
        let (recorder, frame) = (Recorder::new(&world), world.frame());
        RecordedGame { world, header, recorder, blocks: Vec::new(), pilots, frame }
    }

    /// The same game with people who have no idea, and are lost often.
    pub fn with_fidgets(self) -> RecordedGame {
        let pilots = Pilots::Fidgets(Dice::new(self.header.seed), [Buttons::NONE; SEATS]);
        RecordedGame { pilots, ..self }
    }

    /// Plays some ticks. A player who is out of lives leaves and comes back, so that the game goes on.
    pub fn play(&mut self, ticks: u32) {
        for tick in 0..ticks {
            let inputs = self.decide();
            self.world.tick(&inputs);
            self.recorder.tick(&inputs, &self.world);
            self.world.frame_into(&mut self.frame);
            if tick % 30 == 0 {
                self.rejoin();
            }
            if self.recorder.is_full() {
                self.blocks.push(self.recorder.split(&self.world));
            }
        }
    }

    fn decide(&mut self) -> Inputs {
        let stage = Arc::clone(self.world.stage());
        Seat::ALL.map(|seat| match &mut self.pilots {
            Pilots::Bots(bots) => bots[seat.index()].decide(&self.frame, seat, Ground::Stage(&stage)),
            Pilots::Fidgets(dice, held) => {
                if dice.below(30) == 0 {
                    held[seat.index()] = Buttons::from_bits(dice.bits() as u8);
                }
                let pressed = if dice.below(12) == 0 { Buttons::FIRE } else { Buttons::NONE };
                Input { held: held[seat.index()], pressed }
            }
        })
    }

    fn rejoin(&mut self) {
        for (seat, player) in Seat::ALL.into_iter().zip(self.frame.players) {
            if player.is_some_and(|player| player.lives == 0) {
                self.leave(seat, Departure::Left);
                self.join(seat, ShipModel::of_seat(seat));
            }
        }
    }

    pub fn join(&mut self, seat: Seat, ship: ShipModel) {
        assert!(self.world.join_with(seat, ship));
        self.recorder.join(seat, ship);
    }

    pub fn leave(&mut self, seat: Seat, why: Departure) {
        self.world.leave(seat, why);
        self.recorder.leave(seat, why);
    }

    pub fn choose_ship(&mut self, seat: Seat, ship: ShipModel) {
        self.world.choose_ship(seat, ship);
        self.recorder.choose_ship(seat, ship);
    }

    /// All blocks, the last one too.
    pub fn finish(mut self) -> (Header, Vec<Block>) {
        self.blocks.push(self.recorder.finish(&self.world));
        (self.header, self.blocks)
    }

    /// The file.
    pub fn file(self) -> Vec<u8> {
        let (header, blocks) = self.finish();
        file(&header, &blocks)
    }
}

/// The file of these blocks.
pub fn file(header: &Header, blocks: &[Block]) -> Vec<u8> {
    let (mut writer, mut bytes) = RecordingWriter::begin(header);
    blocks.iter().for_each(|block| bytes.extend(writer.block(block)));
    bytes
}

/// Plays a game, and returns its file.
pub type Recorded = fn() -> Vec<u8>;

/// The recordings in the repository: their names, and how they come about.
pub const RECORDINGS: [(&str, Recorded); 3] = [
    ("alone-in-stage1", alone_in_stage1),
    ("four-in-endless", four_in_endless),
    ("coming-and-going", coming_and_going),
];

fn alone_in_stage1() -> Vec<u8> {
    let mut game = RecordedGame::new(Stage::built_in("stage1").expect("it is built in"), 1, 7);
    game.play(75 * 60);
    game.file()
}

fn four_in_endless() -> Vec<u8> {
    let mut game = RecordedGame::new(Stage::endless(), 4, 2026);
    game.play(60 * 60);
    game.file()
}

/// Everything that can happen in a game happens in it.
fn coming_and_going() -> Vec<u8> {
    let [first, second, third, _] = Seat::ALL;
    let mut game = RecordedGame::new(Stage::built_in("stage2").expect("it is built in"), 1, 11);
    game.recorder.name(first, "Ada");
    game.play(300);
    game.join(second, ShipModel::Lynx);
    game.recorder.name(second, "Zoë");
    game.play(300);
    game.recorder.say(second, "hello");
    game.choose_ship(first, ShipModel::Anvil);
    game.join(third, ShipModel::Wasp);
    game.play(600);
    game.leave(second, Departure::Left);
    game.play(900);
    game.leave(third, Departure::TimedOut);
    game.join(second, ShipModel::Arrow);
    game.play(100);
    game.file()
}
