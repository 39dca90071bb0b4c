//! Both halves of a `snapshot` session, with a real game between them and any datagrams among theirs: never a panic,
//! never a datagram above 1,024 bytes, never a Frame that grows.
//!
//! Each byte is a deed, and takes what it needs of the next.

#![no_main]

use std::time::Duration;

use game::{Buttons, Event, Frame, Input, Kind, Rules, SEATS, Seat, Stage, Vec2, World, px};
use libfuzzer_sys::fuzz_target;
use protocol::{
    Channel, ClientSession, End, Output, Plan, Scale, Scene, ServerSession, Time, Welcome,
    snapshot::{ENTRY, wire::DATAGRAM_MAX_BYTES},
};

const START: Time = Time::from_micros(1_700_000_000_000_000);
/// Enough for every timer, short enough for hundreds of sessions a second.
const TICKS_MAX: u32 = 2400;
/// More entities than Entity IDs.
const ENTITIES_MAX: usize = 256;

struct Session {
    now: Time,
    ticks: u32,
    world: World,
    scene: Scene,
    server: Box<dyn ServerSession>,
    client: Box<dyn ClientSession>,
    frame: Frame,
    buffer: Vec<u8>,
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.iter().copied();
    let mut session = Session::open();
    while let Some(deed) = bytes.next()
        && session.ticks < TICKS_MAX
    {
        session.act(deed, &mut bytes);
    }
});

impl Session {
    fn open() -> Session {
        let mut world = World::new(Stage::endless(), Rules::default(), 1);
        world.join(Seat::ALL[0]);
        world.start();
        let scale = Scale::default();
        let plan = Plan { name: "Ann".into(), scale, ..Plan::at(START) };
        Session {
            now: START,
            ticks: 0,
            world,
            scene: Scene::new("endless"),
            server: (ENTRY.accept)(Welcome {
                seat: Seat::ALL[0],
                now: START,
                started: START,
                scale,
                numbers: protocol::Numbers::default(),
            }),
            client: (ENTRY.connect)(plan),
            frame: Frame::default(),
            buffer: Vec::new(),
        }
    }

    /// Refused bytes are as good as any here: only a panic is a failure.
    fn act(&mut self, deed: u8, bytes: &mut impl Iterator<Item = u8>) {
        let mut take = |count: usize| bytes.by_ref().take(count).collect::<Vec<u8>>();
        match deed & 7 {
            0 => _ = self.server.receive(self.now, Channel::Datagram, &take(usize::from(deed >> 3))),
            1 => _ = self.client.receive(self.now, Channel::Datagram, &take(usize::from(deed >> 3) * 4)),
            2 => self.now = self.now + Duration::from_millis(u64::from(deed >> 3) * 1000),
            3 => self.arrive(&take(3)),
            4 => self.scene.frame.events.push(event(deed >> 3)),
            5 => self.client.press(self.now, Input::holding(Buttons::from_bits(deed >> 1))),
            6 if deed == u8::MAX - 1 => self.server.end(self.now, End::Closed),
            6 if deed >> 3 == 30 => self.client.leave(self.now),
            _ => self.tick(deed & 0x10 == 0, deed & 0x20 == 0, deed & 0x40 == 0),
        }
    }

    fn arrive(&mut self, bytes: &[u8]) {
        let &[kind, x, y] = bytes else { return };
        let kind = Kind::ALL[usize::from(kind) % Kind::ALL.len()];
        self.world.spawn(kind, Vec2::new(px(i32::from(x) * 2), px(y.into())));
    }

    fn tick(&mut self, is_polled: bool, client_hears: bool, server_hears: bool) {
        self.ticks += 1;
        self.now = self.now + Duration::from_micros(16_667);
        self.server.advance(self.now);
        let mut inputs = [Input::IDLE; SEATS];
        inputs[0] = self.server.input(self.now);
        self.world.tick(&inputs);
        let told = std::mem::take(&mut self.scene.frame.events);
        self.world.frame_into(&mut self.scene.frame);
        self.scene.frame.events.extend(told);
        self.scene.update(self.now);
        self.server.publish(self.now, &self.scene);
        self.scene.frame.events.clear();
        if is_polled {
            self.speak(client_hears, server_hears);
        }
    }

    fn speak(&mut self, client_hears: bool, server_hears: bool) {
        while let Some(output) = self.server.poll(self.now, &mut self.buffer) {
            assert!(output == Output::Datagram && self.buffer.len() <= DATAGRAM_MAX_BYTES);
            if client_hears {
                let heard = self.client.receive(self.now, Channel::Datagram, &self.buffer);
                assert!(heard.is_ok(), "our own client reads our own server");
            }
        }
        self.client.advance(self.now);
        while let Some(output) = self.client.poll(self.now, &mut self.buffer) {
            assert!(output == Output::Datagram && self.buffer.len() <= DATAGRAM_MAX_BYTES);
            if server_hears {
                let heard = self.server.receive(self.now, Channel::Datagram, &self.buffer);
                assert!(heard.is_ok(), "our own server reads our own client");
            }
        }
        self.client.take_frame(&mut self.frame);
        assert!(self.frame.entities.len() <= ENTITIES_MAX);
        assert!(self.frame.entities.is_sorted_by(|a, b| a.id < b.id));
    }
}

fn event(choice: u8) -> Event {
    let seat = Seat::ALL[usize::from(choice) % SEATS];
    match choice >> 2 & 3 {
        0 => Event::Killed { seat, ship: game::EntityId(1), by: None },
        1 => Event::Left { seat },
        _ => Event::TimedOut { seat },
    }
}
