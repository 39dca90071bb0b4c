//! Both halves of a `typeuh` session around a real game, with any datagrams, presses and pauses between: no panic, no
//! datagram above the limit, and no more entities than a client keeps.
//!
//! Each byte is a deed and takes what it needs of the next.

#![no_main]

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use game::{Buttons, Frame, Input, Kind, Rules, Seat, Stage, Vec2, World, px};
use libfuzzer_sys::fuzz_target;
use protocol::typeuh::{ENTRY, wire::DATAGRAM_MAX_BYTES};
use protocol::{Channel, ClientSession, Plan, Scale, Scene, ServerSession, Time, Welcome};

const TICK: Duration = Duration::from_micros(16_667);
/// Ten seconds of play: short enough for many games a second.
const TICKS_MAX: u32 = 600;
const ENTITIES_MAX: usize = 4096;

static STAGE: LazyLock<Arc<Stage>> = LazyLock::new(|| Stage::built_in("endless").expect("it is built in"));

fuzz_target!(|bytes: &[u8]| {
    let mut table = Table::new();
    let mut bytes = bytes.iter().copied();
    while let Some(deed) = bytes.next()
        && table.ticks < TICKS_MAX
    {
        table.act(deed, &mut bytes);
    }
});

/// A game for one, its player, and the wire between.
struct Table {
    now: Time,
    ticks: u32,
    world: World,
    scene: Scene,
    server: Box<dyn ServerSession>,
    client: Box<dyn ClientSession>,
    frame: Frame,
    buffer: Vec<u8>,
}

impl Table {
    fn new() -> Table {
        let now = Time::from_micros(1_700_000_000_000_000);
        let (seat, scale) = (Seat::ALL[0], Scale::default());
        let mut world = World::new(STAGE.clone(), Rules::default(), 1);
        world.join(seat);
        world.start();
        let plan = Plan { scale, ..Plan::at(now) };
        Table {
            now,
            ticks: 0,
            world,
            scene: Scene::new("endless"),
            server: (ENTRY.accept)(Welcome { seat, now, started: now, scale, numbers: protocol::Numbers::default() }),
            client: (ENTRY.connect)(plan),
            frame: Frame::default(),
            buffer: Vec::new(),
        }
    }

    fn act(&mut self, deed: u8, bytes: &mut impl Iterator<Item = u8>) {
        let mut next = || bytes.next().unwrap_or_default();
        match deed & 7 {
            0 => {
                let datagram = take(bytes);
                _ = self.server.receive(self.now, Channel::Datagram, &datagram);
            }
            1 | 2 => {
                let datagram = take(bytes);
                _ = self.client.receive(self.now, Channel::Datagram, &datagram);
            }
            3 => self.now = self.now + Duration::from_millis(u64::from(next()) * 20),
            4 => {
                let kind = Kind::ALL[usize::from(next()) % Kind::ALL.len()];
                self.world.spawn(kind, Vec2::new(px(i32::from(next()) * 2), px(i32::from(next()))));
            }
            5 if deed == 0xfd => self.client.leave(self.now),
            // Ticks in which datagrams arrive, or do not.
            _ => {
                let held = Buttons::from_bits(next());
                (0..1 + (deed >> 4)).for_each(|_| self.tick(held, deed & 8 == 0));
            }
        }
    }

    fn tick(&mut self, held: Buttons, arrives: bool) {
        self.now = self.now + TICK;
        self.ticks += 1;
        self.server.advance(self.now);
        let mut inputs = [Input::IDLE; game::SEATS];
        inputs[0] = self.server.input(self.now);
        self.world.tick(&inputs);
        self.world.frame_into(&mut self.scene.frame);
        self.scene.update(self.now);
        self.server.publish(self.now, &self.scene);
        while self.server.poll(self.now, &mut self.buffer).is_some() {
            assert!(self.buffer.len() <= DATAGRAM_MAX_BYTES);
            if arrives {
                // It may follow bytes of the fuzzer's that changed what components there are.
                _ = self.client.receive(self.now, Channel::Datagram, &self.buffer);
            }
        }
        self.client.advance(self.now);
        self.client.press(self.now, Input { held, pressed: held });
        while self.client.poll(self.now, &mut self.buffer).is_some() {
            assert!(self.buffer.len() <= DATAGRAM_MAX_BYTES);
            if arrives {
                assert!(self.server.receive(self.now, Channel::Datagram, &self.buffer).is_ok());
            }
        }
        self.client.take_frame(&mut self.frame);
        assert!(self.frame.entities.len() <= ENTITIES_MAX);
        assert!(self.frame.entities.is_sorted_by(|a, b| a.id < b.id));
    }
}

/// A datagram: a byte that tells its length, and the bytes.
fn take(bytes: &mut impl Iterator<Item = u8>) -> Vec<u8> {
    let length = bytes.next().unwrap_or_default();
    bytes.take(length.into()).collect()
}
