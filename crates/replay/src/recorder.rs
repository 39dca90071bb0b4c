//! What a lobby notes of its game while it is played: cheap, in memory, and a block at a time.

use game::{Buttons, Departure, Inputs, SEATS, Seat, ShipModel, World};

use crate::{
    Block,
    block::{BLOCK_BYTES, BLOCK_TICKS},
    op::{Op, RUN_MAX},
};

/// Ticks between two hashes: a second.
const HASH_EVERY_TICKS: u16 = 60;

/// Notes what a world is told. Everything that changes the world has to be noted, in order: a joining player before the tick
/// that follows, for instance.
#[derive(Debug)]
pub struct Recorder {
    body: Vec<u8>,
    held: [Buttons; SEATS],
    names: [String; SEATS],
    /// Ticks that went by since the last thing was written.
    run: u8,
    ticks: u16,
    /// Ticks at the last hash.
    hashed: u16,
    is_cut: bool,
}

impl Recorder {
    /// Begins with the world as it is.
    pub fn new(world: &World) -> Recorder {
        let (body, names) = (Vec::new(), Default::default());
        let mut recorder =
            Recorder { body, held: [Buttons::NONE; SEATS], names, run: 0, ticks: 0, hashed: 0, is_cut: false };
        recorder.write_save(world);
        recorder
    }

    /// Begins with the world as it is, in the middle of a recording that somebody else began: what was played in between is
    /// missing.
    pub fn after_gap(world: &World) -> Recorder {
        Recorder { is_cut: true, ..Recorder::new(world) }
    }

    /// A tick was played with these inputs, and the world is now so.
    pub fn tick(&mut self, inputs: &Inputs, after: &World) {
        for seat in Seat::ALL.into_iter().filter(|&seat| after.is_seated(seat)) {
            let input = inputs[seat.index()];
            if std::mem::replace(&mut self.held[seat.index()], input.held) != input.held {
                self.write(Op::Hold(seat, input.held));
            }
            if input.pressed != Buttons::NONE {
                self.write(Op::Press(seat, input.pressed));
            }
        }
        self.run += 1;
        self.ticks += 1;
        if self.run == RUN_MAX {
            self.write_run();
        }
        if self.ticks - self.hashed >= HASH_EVERY_TICKS {
            self.write_hash(after);
        }
    }

    pub fn join(&mut self, seat: Seat, ship: ShipModel) {
        self.write(Op::Join(seat, ship));
    }

    pub fn leave(&mut self, seat: Seat, why: Departure) {
        self.names[seat.index()].clear();
        self.write(Op::Leave(seat, why));
    }

    pub fn choose_ship(&mut self, seat: Seat, ship: ShipModel) {
        self.write(Op::ChooseShip(seat, ship));
    }

    pub fn start(&mut self) {
        self.write(Op::Start);
    }

    /// A player is called so from now on.
    pub fn name(&mut self, seat: Seat, name: &str) {
        if self.names[seat.index()] != name {
            name.clone_into(&mut self.names[seat.index()]);
            self.write(Op::Name(seat, name));
        }
    }

    /// A player says something.
    pub fn say(&mut self, seat: Seat, text: &str) {
        self.write(Op::Say(seat, text));
    }

    /// Whether [`Recorder::split`] is due.
    pub fn is_full(&self) -> bool {
        self.ticks >= BLOCK_TICKS || self.body.len() >= BLOCK_BYTES
    }

    /// Takes out what was noted so far, and goes on with the world as it is.
    pub fn split(&mut self, world: &World) -> Block {
        let block = self.close(world);
        self.write_save(world);
        for seat in Seat::ALL.into_iter().filter(|seat| !self.names[seat.index()].is_empty()) {
            Op::Name(seat, &self.names[seat.index()]).write(&mut self.body);
        }
        block
    }

    /// Takes out the last block.
    pub fn finish(mut self, world: &World) -> Block {
        Block { is_last: true, ..self.close(world) }
    }

    fn close(&mut self, world: &World) -> Block {
        if self.ticks > self.hashed {
            self.write_hash(world);
        }
        let block =
            Block { ticks: self.ticks, is_cut: self.is_cut, is_last: false, body: std::mem::take(&mut self.body) };
        (self.ticks, self.hashed, self.is_cut, self.held) = (0, 0, false, [Buttons::NONE; SEATS]);
        block
    }

    fn write_save(&mut self, world: &World) {
        self.body.extend([0; 4]);
        world.save_into(&mut self.body);
        let length = (self.body.len() - 4) as u32;
        self.body[..4].copy_from_slice(&length.to_le_bytes());
    }

    fn write_hash(&mut self, world: &World) {
        self.hashed = self.ticks;
        self.write(Op::Hash(world.hash()));
    }

    fn write(&mut self, op: Op) {
        self.write_run();
        op.write(&mut self.body);
    }

    fn write_run(&mut self) {
        if self.run > 0 {
            Op::Ticks(self.run).write(&mut self.body);
            self.run = 0;
        }
    }
}
