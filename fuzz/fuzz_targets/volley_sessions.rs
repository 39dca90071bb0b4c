//! Both halves of a `volley` session, with a real game, between the bytes of a stranger: no panic, and no datagram above
//! 1,200 bytes.
//!
//! Each byte is a deed, and takes what it needs of the next.

#![no_main]

use std::time::Duration;

use game::{Buttons, Frame, Input, Kind, Rules, SEATS, Seat, Stage, Vec2, World, px};
use libfuzzer_sys::fuzz_target;
use protocol::{
    Channel, ClientSession, Grant, Output, Plan, Scale, Scene, ServerSession, Time, Token, Wish,
    rfc2020::LobbyId,
    volley::{Client, DATAGRAM_MAX_BYTES, Server},
};

/// Fifteen seconds: more than any time-out.
const TICKS_MAX: u32 = 900;

struct Table {
    now: Time,
    world: World,
    scene: Scene,
    server: Server,
    client: Client,
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
    let plan = Plan { now, name: "Ann".into(), lobby: None, stage: String::new(), scale: Scale::default() };
    let (server, client) = (Server::new(now), Client::new(plan));
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
            0 => _ = self.server.receive(self.now, Channel::Datagram, take(rest, parameter.into())),
            1 => _ = self.client.receive(self.now, Channel::Datagram, take(rest, usize::from(parameter) * 3)),
            2 => _ = self.client.receive(self.now, Channel::Stream, take(rest, parameter.into())),
            3 => _ = self.server.receive(self.now, Channel::Stream, take(rest, parameter.into())),
            4 => self.is_joined = parameter & 1 == 0,
            5 => self.arrive(parameter, take(rest, 3)),
            6 => return self.tick(1, parameter),
            _ => return self.tick(1 << (parameter & 7), take(rest, 1).first().copied().unwrap_or_default()),
        }
        0
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
            self.grant();
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
            while self.client.news().is_some() {}
            self.client.stats();
        }
        count
    }

    fn grant(&mut self) {
        while let Some(wish) = self.server.wish() {
            let (code, seat) = (LobbyId::from_number(1), Seat::ALL[0]);
            let grant = match &wish {
                Wish::Quick | Wish::Join { .. } => Grant::Seated { code, seat, token: Token([1; 16]) },
                Wish::Watch { .. } => Grant::Watching { code },
                Wish::LeaveLobby => Grant::Out,
                Wish::Say { text } => Grant::Said { seat: Some(seat), name: "Ann", text },
                _ => Grant::Stage(self.world.stage()),
            };
            self.server.grant(self.now, &grant);
        }
    }

    fn talk(&mut self) {
        let mut buffer = Vec::new();
        while let Some(output) = self.server.poll(self.now, &mut buffer) {
            assert!(output != Output::Datagram || buffer.len() <= DATAGRAM_MAX_BYTES);
            if let (Some(channel), true) = (channel(output), self.is_joined) {
                // The stranger may have broken off the stream, or shown Frames of its own.
                let _ = self.client.receive(self.now, channel, &buffer);
            }
        }
        while let Some(output) = self.client.poll(self.now, &mut buffer) {
            if let (Some(channel), true) = (channel(output), self.is_joined) {
                let _ = self.server.receive(self.now, channel, &buffer);
            }
        }
    }
}

fn channel(output: Output) -> Option<Channel> {
    match output {
        Output::Datagram => Some(Channel::Datagram),
        Output::Stream => Some(Channel::Stream),
        Output::CloseStream | Output::DatagramsTo(_) => None,
    }
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, behind) = rest.split_at(count.min(rest.len()));
    *rest = behind;
    taken
}
