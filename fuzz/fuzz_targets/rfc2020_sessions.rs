//! Both halves of a `rfc2020` session and its desk, with a real game behind: any bytes at any time, between what they say
//! to each other, never make either panic, nor send a datagram above 1,200 bytes.
//!
//! Each byte is a deed, and takes what it needs of the next.

#![no_main]

use std::time::Duration;

use game::{Buttons, Frame, Input, Kind, Rules, SEATS, Seat, Stage, Vec2, World, px};
use libfuzzer_sys::fuzz_target;
use protocol::{
    Channel, ClientSession, Desk, DeskAnswer, DeskQuestion, LobbyId, Output, Plan, Scale, Scene, ServerSession,
    StreamUse, Time, Welcome, rfc2020::ENTRY,
};

/// Ticks of one run: enough for time-outs, short enough for hundreds of runs a second.
const TICKS_MAX: u32 = 1500;
/// Ruling C2.
const DATAGRAM_MAX: usize = 1200;

fuzz_target!(|bytes: &[u8]| {
    let mut lobby = Lobby::new();
    let mut bytes = bytes.iter().copied();
    while let Some(deed) = bytes.next()
        && lobby.ticks < TICKS_MAX
    {
        lobby.act(deed, &mut bytes);
    }
});

struct Lobby {
    now: Time,
    ticks: u32,
    world: World,
    scene: Scene,
    desk: Box<dyn Desk>,
    server: Box<dyn ServerSession>,
    client: Box<dyn ClientSession>,
    input: Input,
    /// The last datagrams each way, to be delivered again or spoilt.
    to_client: Vec<u8>,
    to_server: Vec<u8>,
    frame: Frame,
}

impl Lobby {
    fn new() -> Lobby {
        let now = Time::from_micros(1_700_000_000_000_000);
        let StreamUse::Desk(open) = ENTRY.stream else { panic!("it has a desk") };
        let mut world = World::new(Stage::endless(), Rules::default(), 1);
        world.join(Seat::ALL[0]);
        let scale = Scale::default();
        let plan = Plan { scale, ..Plan::at(now) };
        Lobby {
            now,
            ticks: 0,
            world,
            scene: Scene::new("endless"),
            desk: open(now),
            server: (ENTRY.accept)(Welcome {
                seat: Seat::ALL[0],
                now,
                started: now,
                scale,
                numbers: protocol::Numbers::default(),
            }),
            client: (ENTRY.connect)(plan),
            input: Input::IDLE,
            to_client: Vec::new(),
            to_server: Vec::new(),
            frame: Frame::default(),
        }
    }

    fn act(&mut self, deed: u8, bytes: &mut impl Iterator<Item = u8>) {
        let mut next = || bytes.next().unwrap_or_default();
        let now = self.now;
        // Malformed bytes are an answer like any other here.
        match deed & 7 {
            0 => {
                let noise: Vec<u8> = (0..deed >> 3).map(|_| next()).collect();
                let _ = self.server.receive(now, Channel::Datagram, &noise);
                let _ = self.client.receive(now, Channel::Datagram, &noise);
                let _ = self.desk.receive(now, &noise);
            }
            1 => {
                spoil(&mut self.to_server, next(), next());
                let _ = self.server.receive(now, Channel::Datagram, &self.to_server);
            }
            2 => {
                spoil(&mut self.to_client, next(), next());
                let _ = self.client.receive(now, Channel::Datagram, &self.to_client);
            }
            3 => self.input = Input { held: Buttons::from_bits(next()), pressed: Buttons::from_bits(next()) },
            4 => {
                let kind = Kind::ALL[usize::from(next()) % Kind::ALL.len()];
                self.world.spawn(kind, Vec2::new(px(i32::from(next()) * 2), px(i32::from(next()))));
            }
            5 if deed == 0xfd => self.client.leave(now),
            5 => self.client.start(now),
            // Bit 3: what the server says is lost, bit 4: what the client says.
            _ => (0..=deed >> 5).for_each(|_| self.tick(deed & 8 != 0, deed & 16 != 0)),
        }
    }

    fn tick(&mut self, loses_to_client: bool, loses_to_server: bool) {
        self.ticks += 1;
        self.now = self.now + Duration::from_micros(16_667);
        self.server.advance(self.now);
        let mut inputs = [Input::IDLE; SEATS];
        inputs[0] = self.server.input(self.now);
        while self.server.request().is_some() {
            self.world.start();
        }
        self.world.tick(&inputs);
        self.world.frame_into(&mut self.scene.frame);
        self.scene.update(self.now);
        self.server.publish(self.now, &self.scene);
        self.serve(loses_to_client);
        self.client.advance(self.now);
        self.client.press(self.now, self.input);
        self.input = self.input.without_presses();
        self.play(loses_to_server);
        self.client.take_frame(&mut self.frame);
    }

    fn serve(&mut self, loses: bool) {
        let mut buffer = Vec::new();
        while let Some(output) = self.server.poll(self.now, &mut buffer) {
            assert_eq!(output, Output::Datagram);
            assert!(buffer.len() <= DATAGRAM_MAX);
            self.to_client.clone_from(&buffer);
            if !loses {
                let _ = self.client.receive(self.now, Channel::Datagram, &buffer);
            }
        }
        self.desk.advance(self.now);
        while let Some(question) = self.desk.question() {
            let answer = match question {
                DeskQuestion::Find(id) => DeskAnswer::Lobby { port: 24_500, id },
                DeskQuestion::Create { stage } if stage == "endless" => {
                    DeskAnswer::Lobby { port: 24_500, id: LobbyId::from_number(0) }
                }
                DeskQuestion::Create { .. } | DeskQuestion::Impossible => DeskAnswer::Nothing,
            };
            self.desk.answer(self.now, answer);
        }
        while self.desk.poll(&mut buffer).is_some() {
            let _ = self.client.receive(self.now, Channel::Stream, &buffer);
        }
    }

    fn play(&mut self, loses: bool) {
        let mut buffer = Vec::new();
        while let Some(output) = self.client.poll(self.now, &mut buffer) {
            match output {
                Output::Stream => _ = self.desk.receive(self.now, &buffer),
                Output::Datagram => {
                    assert!(buffer.len() <= DATAGRAM_MAX);
                    self.to_server.clone_from(&buffer);
                    if !loses {
                        let _ = self.server.receive(self.now, Channel::Datagram, &buffer);
                    }
                }
                Output::CloseStream | Output::DatagramsTo(_) => {}
            }
        }
    }
}

/// Changes one byte of a datagram.
fn spoil(datagram: &mut [u8], at: u8, change: u8) {
    if !datagram.is_empty() {
        let at = usize::from(at) % datagram.len();
        datagram[at] ^= change;
    }
}
