//! A replay while it is simulated, tick by tick. It compares every hash that it comes across.

use game::{Frame, Input, Inputs, Name, SEATS, Seat, World};

use crate::{Replay, ReplayError, block::unpack, op::Op, replay_file::BlockSpan};

/// Something that a player said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chat {
    pub seat: Seat,
    pub text: String,
}

/// A replay while it is simulated.
#[derive(Clone, Debug)]
pub struct Reel {
    replay: Replay,
    world: World,
    /// The block that is played.
    block: usize,
    body: Vec<u8>,
    /// What of the body was read.
    at: usize,
    /// Ticks that are to go by before more is read.
    run: u8,
    inputs: Inputs,
    /// What was held and pressed in the tick played last.
    played: Inputs,
    /// Ticks of the game that have gone by.
    tick: u32,
    /// The tick at which the world was last compared.
    same_until: u32,
    hashes: u32,
    names: [Name; SEATS],
    chat: Vec<Chat>,
}

impl Reel {
    /// The beginning of a game.
    pub fn new(replay: &Replay) -> Result<Reel, ReplayError> {
        let first = replay.place(0).ok_or(ReplayError::NotAReplay)?;
        let (world, body, at) = open(replay, first)?;
        let mut reel = Reel {
            replay: replay.clone(),
            world,
            block: 0,
            body,
            at,
            run: 0,
            inputs: [Input::IDLE; SEATS],
            played: [Input::IDLE; SEATS],
            tick: 0,
            same_until: 0,
            hashes: 0,
            names: Default::default(),
            chat: Vec::new(),
        };
        reel.read_names();
        Ok(reel)
    }

    /// Plays the next tick. False: the game is at its end.
    pub fn tick(&mut self) -> Result<bool, ReplayError> {
        self.chat.clear();
        while self.run == 0 {
            if self.at == self.body.len() {
                if !self.enter_next_block()? {
                    return Ok(false);
                }
                continue;
            }
            self.read_op()?;
        }
        self.run -= 1;
        self.tick += 1;
        if self.tick > self.place().end_tick() {
            return Err(self.impossible());
        }
        self.world.tick(&self.inputs);
        self.played = self.inputs;
        self.inputs = self.inputs.map(Input::without_presses);
        Ok(true)
    }

    /// Goes to the end of a tick of the game, or to its end if it is shorter.
    pub fn seek(&mut self, tick: u32) -> Result<(), ReplayError> {
        let block = self.replay.block_at(tick);
        if tick < self.tick || block > self.block {
            self.load(block)?;
        }
        while self.tick < tick && self.tick()? {}
        Ok(())
    }

    /// Ticks of the game that have gone by.
    pub fn now(&self) -> u32 {
        self.tick
    }

    /// The world as it is now.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// What is played.
    pub fn replay(&self) -> &Replay {
        &self.replay
    }

    /// How many hashes were compared.
    pub fn hashes(&self) -> u32 {
        self.hashes
    }

    /// What everybody held and pressed in the tick played last.
    pub fn played(&self) -> &Inputs {
        &self.played
    }

    /// What was said in the tick played last.
    pub fn chat(&self) -> &[Chat] {
        &self.chat
    }

    /// Writes what there is to see into a Frame, in place of what was in it.
    pub fn frame_into(&self, frame: &mut Frame) {
        self.world.frame_into(frame);
        frame.names = self.names;
    }

    fn place(&self) -> &BlockSpan {
        self.replay.place(self.block).expect("it plays a block that there is")
    }

    fn read_op(&mut self) -> Result<(), ReplayError> {
        let mut rest = &self.body[self.at..];
        let op = Op::read(&mut rest).ok_or_else(|| self.impossible())?;
        match op {
            Op::Ticks(count) => self.run = count,
            Op::Hold(seat, buttons) => self.inputs[seat.index()].held = buttons,
            Op::Press(seat, buttons) => self.inputs[seat.index()].pressed = buttons,
            Op::Join(seat, ship) => drop(self.world.join_with(seat, ship)),
            Op::ChooseShip(seat, ship) => self.world.choose_ship(seat, ship),
            Op::Leave(seat, why) => {
                self.world.leave(seat, why);
                self.names[seat.index()] = Name::default();
            }
            Op::Start => self.world.start(),
            Op::Name(seat, name) => self.names[seat.index()] = Name::new(name),
            Op::Say(seat, text) => self.chat.push(Chat { seat, text: text.to_owned() }),
            Op::Hash(hash) => {
                let (at, is_new) = (self.body.len() - rest.len(), self.tick > self.same_until);
                self.at = at;
                // Otherwise a small file could ask for a great many of them.
                return if is_new { self.compare(hash) } else { Err(self.impossible()) };
            }
        }
        self.at = self.body.len() - rest.len();
        Ok(())
    }

    fn compare(&mut self, hash: u64) -> Result<(), ReplayError> {
        if self.world.hash() != hash {
            return Err(ReplayError::Differs { same_until: self.same_until, by: self.tick });
        }
        self.same_until = self.tick;
        self.hashes += 1;
        Ok(())
    }

    /// Goes on with the next block, whose save has to be the world as it is, unless time is missing in between.
    fn enter_next_block(&mut self) -> Result<bool, ReplayError> {
        if self.tick != self.place().end_tick() {
            return Err(self.impossible());
        }
        let Some(next) = self.replay.place(self.block + 1) else { return Ok(false) };
        let is_cut = next.is_cut;
        let before = self.world.hash();
        let same_until = self.same_until;
        self.load(self.block + 1)?;
        if !is_cut && self.world.hash() != before {
            return Err(ReplayError::Differs { same_until, by: self.tick });
        }
        Ok(true)
    }

    /// Begins a block with its save.
    fn load(&mut self, block: usize) -> Result<(), ReplayError> {
        let place = self.replay.place(block).ok_or(ReplayError::NotAReplay)?;
        let (world, body, at) = open(&self.replay, place)?;
        let tick = place.first_tick;
        (self.world, self.body, self.at, self.block) = (world, body, at, block);
        (self.tick, self.same_until, self.run) = (tick, tick, 0);
        (self.inputs, self.played) = ([Input::IDLE; SEATS], [Input::IDLE; SEATS]);
        self.names = Default::default();
        self.chat.clear();
        self.read_names();
        Ok(())
    }

    /// Names stand at the beginning of each block, so that they are known wherever somebody begins to watch.
    fn read_names(&mut self) {
        let mut rest = &self.body[self.at..];
        while let Some(Op::Name(seat, name)) = Op::read(&mut rest) {
            self.names[seat.index()] = Name::new(name);
            self.at = self.body.len() - rest.len();
        }
    }

    fn impossible(&self) -> ReplayError {
        impossible(self.place())
    }
}

/// The world that a block begins with, its body, and where in it the rest begins.
fn open(replay: &Replay, place: &BlockSpan) -> Result<(World, Vec<u8>, usize), ReplayError> {
    let (body, at) = unpack(replay.packed(place)).ok_or_else(|| impossible(place))?;
    let world = World::restore(replay.stage().clone(), &body[4..at]).map_err(|_| impossible(place))?;
    if world.rules() != replay.header().rules {
        return Err(impossible(place));
    }
    Ok((world, body, at))
}

fn impossible(place: &BlockSpan) -> ReplayError {
    ReplayError::Impossible { from_tick: place.first_tick, to_tick: place.end_tick() }
}
