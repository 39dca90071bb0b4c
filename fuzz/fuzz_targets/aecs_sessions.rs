//! Both halves of an `aecs` session, with a real game, between the bytes of a stranger: no panic, and no datagram above
//! 1,200 bytes but one that holds a single merged change.
//!
//! Each byte is a deed, and takes what it needs of the next.

#![no_main]

use std::time::Duration;

use game::{Buttons, Frame, Input, Kind, Rules, SEATS, Seat, Stage, Vec2, World, px};
use libfuzzer_sys::fuzz_target;
use protocol::aecs::wire::{DATAGRAM_MAX_BYTES, FromClient, FromServer};
use protocol::aecs::{DATAGRAM_LIMIT_BYTES, DOOR};
use protocol::{Channel, ClientSession, Output, Plan, Scale, Scene, ServerSession, Time, Welcome};

/// Ten seconds: more than any time-out.
const TICKS_MAX: u32 = 600;

struct Table {
    now: Time,
    world: World,
    scene: Scene,
    server: Box<dyn ServerSession>,
    client: Box<dyn ClientSession>,
    frame: Frame,
    /// Whether what the halves say reaches the other.
    is_joined: bool,
}

fuzz_target!(|bytes: &[u8]| {
    let Some(stage) = Stage::built_in("endless") else { return };
    let now = Time::from_micros(1_700_000_000_000_000);
    let mut world = World::new(stage, Rules::default(), 1);
    world.join(Seat::ALL[0]);
    world.start();
    let scale = Scale::default();
    let server = (DOOR.accept)(Welcome { seat: Seat::ALL[0], now, started: now, scale });
    let client = (DOOR.connect)(Plan { now, name: String::new(), lobby: None, stage: String::new(), scale });
    let (scene, frame) = (Scene::new("endless"), Frame::default());
    let mut table = Table { now, world, scene, server, client, frame, is_joined: true };
    let mut rest = bytes;
    let mut ticks = 0;
    while let Some((&deed, behind)) = rest.split_first()
        && ticks < TICKS_MAX
    {
        rest = behind;
        ticks += table.act(deed, &mut rest);
    }
});

impl Table {
    fn act(&mut self, deed: u8, rest: &mut &[u8]) -> u32 {
        let parameter = deed >> 3;
        match deed & 7 {
            0 => _ = self.server.receive(self.now, Channel::Datagram, packet(rest, parameter)),
            1 => _ = self.client.receive(self.now, Channel::Datagram, packet(rest, parameter)),
            2 => _ = self.client.receive(self.now, Channel::Stream, packet(rest, parameter)),
            3 => self.pong(parameter),
            4 => self.is_joined = parameter & 1 == 0,
            5 => self.arrive(parameter, take(rest, 3)),
            6 => return self.tick(1, parameter),
            _ => return self.tick(1 << (parameter & 7), take(rest, 1).first().copied().unwrap_or_default()),
        }
        0
    }

    /// A confirmation of about now, which random bytes would hardly hit.
    fn pong(&mut self, behind: u8) {
        let tick = self.scene.frame.tick.0.wrapping_add(2).wrapping_sub(behind.into());
        let mut packet = Vec::new();
        FromClient::ClientPong { tick }.write(&mut packet);
        self.server.receive(self.now, Channel::Datagram, &packet).expect("what we write reads");
    }

    fn arrive(&mut self, count: u8, place: &[u8]) {
        let &[kind, x, y] = place else { return };
        let kind = Kind::ALL[usize::from(kind) % Kind::ALL.len()];
        for _ in 0..count {
            self.world.spawn(kind, Vec2::new(px(i32::from(x) * 2), px(y.into())));
        }
    }

    fn tick(&mut self, count: u32, buttons: u8) -> u32 {
        for _ in 0..count {
            self.now = self.now + Duration::from_micros(16_667);
            self.server.advance(self.now);
            let mut inputs = [Input::IDLE; SEATS];
            inputs[0] = self.server.input(self.now);
            self.world.tick(&inputs);
            self.world.frame_into(&mut self.scene.frame);
            self.scene.update(self.now);
            self.server.publish(self.now, &self.scene);
            self.client.advance(self.now);
            self.client.press(self.now, Input::holding(Buttons::from_bits(buttons)));
            self.talk();
            self.client.take_frame(&mut self.frame);
        }
        count
    }

    fn talk(&mut self) {
        let mut buffer = Vec::new();
        while let Some(output) = self.server.poll(self.now, &mut buffer) {
            let channel = match output {
                Output::Datagram => Channel::Datagram,
                Output::Stream => Channel::Stream,
                Output::CloseStream => continue,
                Output::DatagramsTo(_) => panic!("a server does not redirect"),
            };
            let said = FromServer::read(&buffer).expect("what we write reads");
            if let FromServer::GameChanges { changes } = said {
                let is_long = buffer.len() > DATAGRAM_MAX_BYTES;
                assert!(!is_long || (changes.iter().count() == 1 && buffer.len() <= DATAGRAM_LIMIT_BYTES));
            }
            if self.is_joined {
                // The stranger may have broken off the stream in the middle of a packet.
                let _ = self.client.receive(self.now, channel, &buffer);
            }
        }
        while let Some(output) = self.client.poll(self.now, &mut buffer) {
            if output == Output::Datagram {
                FromClient::read(&buffer).expect("what we write reads");
                if self.is_joined {
                    self.server.receive(self.now, Channel::Datagram, &buffer).expect("what we write reads");
                }
            }
        }
    }
}

/// Short ones to the byte; of longer ones the game has some that no short one could say.
fn packet<'a>(rest: &mut &'a [u8], size: u8) -> &'a [u8] {
    take(rest, if size < 24 { size.into() } else { usize::from(size - 23) * 32 })
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, behind) = rest.split_at(count.min(rest.len()));
    *rest = behind;
    taken
}
