//! What a player's connection carries in each dialect. Four bots play, and the same Frames are shown to four clients of every
//! dialect in turn, each in a lobby of its own. If there are walls, this is done once more without them.
//!
//! `cargo run --release -p toolkit --example traffic -- [SECONDS [SEED [ROUND_TRIP_MS [LOSS_PERCENT [STAGE]]]]]`

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use game::{Dice, Frame, GameState, Input, Inputs, Kind, Rules, SEATS, Seat, Stage, World};
use protocol::{
    Channel, ClientSession, Desk, DeskAnswer, Dialect, LobbyId, Output, Plan, Scale, Scene, ServerSession, StreamUse,
    Time, Welcome,
};
use toolkit::bot::{Bot, Ground};

const TICK: Duration = Duration::from_micros(16_667);
const START: Time = Time::from_micros(1_700_000_000_000_000);
/// The first seconds of a game are calm, and joining is not playing.
const WARM_UP_TICKS: usize = 10 * 60;

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default| given.get(index).map_or(default, |text| text.parse().expect("a number"));
    let stage = toolkit::stages::find(given.get(4).map_or("endless", String::as_str)).expect("a stage");
    let (seconds, seed, round_trip_ms, loss_percent) = (number(0, 120), number(1, 1), number(2, 0), number(3, 0));
    let game = record(&stage, seconds as usize * 60, seed);
    let played = &game[WARM_UP_TICKS.min(game.len() - 1)..];
    let entities: usize = played.iter().map(|(frame, _)| frame.entities.len()).sum::<usize>() / played.len();
    let most = played.iter().map(|(frame, _)| frame.entities.len()).max().unwrap_or(0);
    let events: usize = played.iter().map(|(frame, _)| frame.events.len()).sum();
    println!(
        "{seconds} s of {} with four bots, seed {seed}: {entities} entities on average, {most} at most,",
        stage.name
    );
    println!("{} events a second; round trip {round_trip_ms} ms, {loss_percent} % lost", events * 60 / played.len());
    println!(
        "{:<9} {:>12} {:>12} {:>14} {:>10} {:>9}",
        "dialect", "down B/s", "down B/tick", "most in tick", "up B/s", "node \u{b5}s/s"
    );
    let with_walls = [("", game.clone()), (", no walls", without_walls(&game))];
    let has_walls = !stage.walls.is_empty();
    for (dialect, (remark, game)) in Dialect::ALL
        .into_iter()
        .flat_map(|dialect| with_walls.iter().take(1 + usize::from(has_walls)).map(move |told| (dialect, told)))
    {
        let totals = Seat::ALL.map(|seat| SimulatedPlayer::new(dialect, seat, round_trip_ms, loss_percent).play(game));
        let ticks = played.len() as f64;
        let down = totals.iter().map(|total| total.down).sum::<u64>() as f64 / SEATS as f64 / ticks;
        let up = totals.iter().map(|total| total.up).sum::<u64>() as f64 / SEATS as f64 / ticks;
        let most = totals.iter().map(|total| total.most).max().unwrap_or(0);
        let busy_us = totals.iter().map(|total| total.server_time.as_secs_f64()).sum::<f64>() * 1e6 / SEATS as f64;
        let (name, node) = (dialect.name(), busy_us / ticks * 60.0);
        println!("{name:<9} {:>12.0} {down:>12.1} {most:>14} {:>10.0} {node:>9.0}{remark}", down * 60.0, up * 60.0);
    }
}

/// The same game as a dialect told it that knows no walls.
fn without_walls(game: &[(Frame, Inputs)]) -> Vec<(Frame, Inputs)> {
    let mut game = game.to_vec();
    game.iter_mut().for_each(|(frame, _)| frame.entities.retain(|entity| entity.kind != Kind::Wall));
    game
}

/// Plays a game to its end, and the next, until the time is over.
fn record(stage: &Arc<Stage>, ticks: usize, seed: u64) -> Vec<(Frame, Inputs)> {
    let mut world = World::new(Arc::clone(stage), Rules::default(), seed);
    Seat::ALL.iter().for_each(|seat| assert!(world.join(*seat)));
    world.start();
    let mut bots = Seat::ALL.map(|seat| Bot::new(seed * 31 + u64::from(seat.number())));
    let mut frame = world.frame();
    let mut game = Vec::with_capacity(ticks);
    for _ in 0..ticks {
        if matches!(frame.state, GameState::Lost | GameState::Won) {
            world.restart();
        }
        let inputs = Seat::ALL.map(|seat| bots[seat.index()].decide(&frame, seat, Ground::Stage(world.stage())));
        world.tick(&inputs);
        world.frame_into(&mut frame);
        game.push((frame.clone(), inputs));
    }
    game
}

/// Bytes after the warm-up.
#[derive(Default)]
struct Total {
    down: u64,
    up: u64,
    most: u64,
    /// What the server's half took.
    server_time: Duration,
}

/// One client and its session, with the way between them.
struct SimulatedPlayer {
    now: Time,
    dialect: Dialect,
    seat: Seat,
    client: Box<dyn ClientSession>,
    server: Option<Box<dyn ServerSession>>,
    desk: Option<Box<dyn Desk>>,
    down: VecDeque<InFlight>,
    up: VecDeque<InFlight>,
    delay: Duration,
    loss_percent: u32,
    dice: Dice,
}

struct InFlight {
    due: Time,
    channel: Channel,
    bytes: Vec<u8>,
}

impl SimulatedPlayer {
    fn new(dialect: Dialect, seat: Seat, round_trip_ms: u64, loss_percent: u64) -> SimulatedPlayer {
        let plan = Plan { name: "Ann".into(), ..Plan::at(START) };
        let mut player = SimulatedPlayer {
            now: START,
            dialect,
            seat,
            client: dialect.connect(plan),
            server: None,
            desk: None,
            down: VecDeque::new(),
            up: VecDeque::new(),
            delay: Duration::from_micros(round_trip_ms * 500),
            loss_percent: loss_percent as u32,
            dice: Dice::new(u64::from(seat.number()) + 1),
        };
        match dialect.entry().stream {
            StreamUse::None => {}
            StreamUse::Desk(open) => player.desk = Some(open(START)),
            StreamUse::OpensSession | StreamUse::Link(_) => player.accept(),
        }
        player
    }

    fn accept(&mut self) {
        let welcome = Welcome {
            seat: self.seat,
            now: self.now,
            started: START,
            scale: Scale::default(),
            numbers: protocol::Numbers::default(),
        };
        self.server = Some(self.dialect.accept(welcome));
    }

    fn play(mut self, game: &[(Frame, Inputs)]) -> Total {
        let mut scene = Scene::new("endless");
        let mut total = Total::default();
        let mut seen = Frame::default();
        for (tick, (frame, inputs)) in game.iter().enumerate() {
            self.now = self.now + TICK;
            scene.frame.clone_from(frame);
            scene.update(self.now);
            let up = self.drive_client(inputs[self.seat.index()]);
            self.deliver_up();
            let began = Instant::now();
            let down = self.drive_server(&scene);
            let took = began.elapsed();
            self.deliver_down();
            self.client.take_frame(&mut seen);
            if tick >= WARM_UP_TICKS {
                total.up += up;
                total.down += down;
                total.most = total.most.max(down);
                total.server_time += took;
            }
        }
        assert!(!seen.entities.is_empty(), "{} shows nothing", self.dialect.name());
        total
    }

    fn drive_client(&mut self, input: Input) -> u64 {
        self.client.advance(self.now);
        self.client.press(self.now, input);
        let mut bytes = 0;
        let mut buffer = Vec::new();
        while let Some(output) = self.client.poll(self.now, &mut buffer) {
            bytes += buffer.len() as u64;
            let parcel = self.parcel(output, &buffer);
            self.up.extend(parcel);
        }
        bytes
    }

    fn drive_server(&mut self, scene: &Scene) -> u64 {
        let mut bytes = 0;
        let mut buffer = Vec::new();
        if let Some(mut server) = self.server.take() {
            server.advance(self.now);
            server.input(self.now);
            server.publish(self.now, scene);
            while let Some(output) = server.poll(self.now, &mut buffer) {
                bytes += buffer.len() as u64;
                let parcel = self.parcel(output, &buffer);
                self.down.extend(parcel);
            }
            self.server = Some(server);
        }
        if let Some(mut desk) = self.desk.take() {
            while desk.question().is_some() {
                desk.answer(self.now, DeskAnswer::Lobby { port: 24_500, id: LobbyId::from_number(1) });
            }
            while let Some(output) = desk.poll(&mut buffer) {
                let parcel = self.parcel(output, &buffer);
                self.down.extend(parcel);
            }
            self.desk = Some(desk);
        }
        bytes
    }

    fn parcel(&mut self, output: Output, bytes: &[u8]) -> Option<InFlight> {
        let channel = match output {
            Output::Datagram => Channel::Datagram,
            Output::Stream => Channel::Stream,
            Output::CloseStream | Output::DatagramsTo(_) => return None,
        };
        let is_lost = channel == Channel::Datagram && self.dice.below(100) < self.loss_percent;
        (!is_lost).then(|| InFlight { due: self.now + self.delay, channel, bytes: bytes.to_vec() })
    }

    fn deliver_up(&mut self) {
        while self.up.front().is_some_and(|parcel| parcel.due <= self.now)
            && let Some(parcel) = self.up.pop_front()
        {
            if self.server.is_none() && parcel.channel == Channel::Datagram {
                self.accept();
            }
            let result = match (&mut self.server, &mut self.desk, parcel.channel) {
                (_, Some(desk), Channel::Stream) => desk.receive(self.now, &parcel.bytes),
                (Some(server), _, channel) => server.receive(self.now, channel, &parcel.bytes).map(drop),
                (None, None, _) | (None, Some(_), Channel::Datagram) => Ok(()),
            };
            result.expect("our own client speaks well");
        }
    }

    fn deliver_down(&mut self) {
        while self.down.front().is_some_and(|parcel| parcel.due <= self.now)
            && let Some(parcel) = self.down.pop_front()
        {
            self.client.receive(self.now, parcel.channel, &parcel.bytes).expect("our own server speaks well");
        }
    }
}
