//! Several `volley` clients of one lobby. What is the same for several players is written once for all of them. Here each must
//! still see the Frame of each tick, to the last bit, however late it arrives and is confirmed.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use game::{Buttons, Frame, Input, Rules, Seat, Stage, World};
use protocol::{
    Channel, ClientSession, LinkSession, LobbyId, LobbyNotice, Output, Scene, ServerSession, Time, Token,
    volley::{Client, Server},
};

const TICK: Duration = Duration::from_micros(16_667);

/// What is on its way, with the tick at which it arrives.
type Way = VecDeque<(usize, Channel, Vec<u8>)>;

/// A client, its session, and what is on its way between them.
struct Player {
    server: Server,
    client: Client,
    ticks_late: usize,
    up: Way,
    down: Way,
    frame: Frame,
    exact: usize,
}

impl Player {
    /// Somebody who has a seat there, or watches.
    fn new(now: Time, seat: Option<Seat>, ticks_late: usize) -> Player {
        let (mut server, client) = (Server::new(now), Client::without_lobby(now, "Ann"));
        let code = LobbyId::from_number(0);
        server.notify(
            now,
            &seat.map_or(LobbyNotice::Watching { code }, |seat| LobbyNotice::Seated {
                code,
                seat,
                token: Token([0; 16]),
            }),
        );
        let (up, down) = (VecDeque::new(), VecDeque::new());
        Player { server, client, ticks_late, up, down, frame: Frame::default(), exact: 0 }
    }

    fn say(&mut self, now: Time, tick: usize, input: Input) {
        self.client.advance(now);
        self.client.press(now, input);
        let mut buffer = Vec::new();
        while let Some(output) = self.client.poll(now, &mut buffer) {
            self.up.push_back((tick + self.ticks_late, channel(output), buffer.clone()));
        }
        while let Some((channel, bytes)) = next(&mut self.up, tick) {
            self.server.receive(now, channel, &bytes).expect("the client speaks well");
        }
    }

    fn see(&mut self, now: Time, tick: usize, scene: &Scene) {
        self.server.publish(now, scene);
        let mut buffer = Vec::new();
        while let Some(output) = self.server.poll(now, &mut buffer) {
            self.down.push_back((tick + self.ticks_late, channel(output), buffer.clone()));
        }
        while let Some((channel, bytes)) = next(&mut self.down, tick) {
            self.client.receive(now, channel, &bytes).expect("the server speaks well");
        }
    }

    fn compare(&mut self, shown: &BTreeMap<u32, Frame>) {
        if self.client.take_frame(&mut self.frame) {
            self.frame.events.clear();
            assert_eq!(Some(&self.frame), shown.get(&self.frame.tick.0));
            self.exact += 1;
        }
    }
}

/// What arrives by this tick.
fn next(way: &mut Way, tick: usize) -> Option<(Channel, Vec<u8>)> {
    let is_there = way.front().is_some_and(|(due, ..)| *due <= tick);
    if is_there { way.pop_front().map(|(_, channel, bytes)| (channel, bytes)) } else { None }
}

fn channel(output: Output) -> Channel {
    if output == Output::Datagram { Channel::Datagram } else { Channel::Stream }
}

#[test]
fn v3_each_sees_every_frame_exactly_whoever_shares_what_with_whom() {
    let mut world = World::new(Stage::endless(), Rules::default(), 5);
    let mut scene = Scene::new("endless");
    let mut shown = BTreeMap::new();
    let mut players: Vec<Player> = Vec::new();
    // Some are as far away as others, some come together, two watch.
    let arrivals = [(0, 0), (0, 0), (100, 2), (160, 2), (160, 2), (300, 9)];
    for tick in 0..1200 {
        let now = Time::from_micros(1_000_000) + TICK * tick as u32;
        for &(_, ticks_late) in arrivals.iter().filter(|(when, _)| *when == tick) {
            let seat = Seat::new(players.len() as u8);
            assert!(seat.is_none_or(|seat| world.join(seat)));
            world.start();
            players.push(Player::new(now, seat, ticks_late));
        }
        for (index, player) in players.iter_mut().enumerate() {
            player.say(now, tick, fly(tick, index));
        }
        let mut inputs = [Input::IDLE; 4];
        inputs.iter_mut().zip(&mut players).for_each(|(input, player)| *input = player.server.input(now));
        world.tick(&inputs);
        world.frame_into(&mut scene.frame);
        scene.update(now);
        shown.insert(scene.frame.tick.0, Frame { events: Vec::new(), ..scene.frame.clone() });
        for player in &mut players {
            player.see(now, tick, &scene);
            player.compare(&shown);
        }
    }
    for (player, (came, late)) in players.iter().zip(arrivals) {
        assert!(player.exact >= 1200 - came - late - 1, "{} Frames of the player who came at {came}", player.exact);
    }
}

fn fly(tick: usize, index: usize) -> Input {
    let ways = [Buttons::UP, Buttons::RIGHT, Buttons::DOWN, Buttons::LEFT, Buttons::NONE];
    let fire = if tick.is_multiple_of(8) { Buttons::FIRE } else { Buttons::NONE };
    Input { held: ways[(tick / 20 + index) % ways.len()] | fire, pressed: fire }
}
