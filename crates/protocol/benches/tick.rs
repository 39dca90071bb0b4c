//! What one tick of a lobby costs in each dialect without the game and the sockets: `cargo bench -p protocol --bench tick`.
//!
//! Four sessions are shown the same Frames, from a real game, and polled until they have nothing more to say. The time of
//! an item is that of one tick for all four.

use divan::{Bencher, black_box, counter::ItemsCount};
use game::{Buttons, Frame, Input, Rules, Seat, Stage, World};
use protocol::{
    Channel, Dialect, Scale, Scene, ServerSession, Time, Welcome, aecs, snapshot,
    volley::wire::report::{Acknowledged, Report},
};

/// Half a minute of the endless stage goes by first, so that there is something to tell.
const BEFORE: u32 = 1800;
/// Ticks in one sample.
const TICKS: u32 = 256;

fn main() {
    divan::main();
}

#[divan::bench]
fn typeuh(bencher: Bencher) {
    ticks(bencher, Dialect::Typeuh, |_, _, _| Vec::new());
}

#[divan::bench]
fn aecs_confirmed_at_once(bencher: Bencher) {
    ticks(bencher, Dialect::Aecs, |frames, index, _| {
        let mut bytes = Vec::new();
        aecs::wire::FromClient::ClientPong { tick: frames[index].tick.0 }.write(&mut bytes);
        bytes
    });
}

#[divan::bench]
fn snapshot(bencher: Bencher) {
    ticks(bencher, Dialect::Snapshot, |_, _, _| {
        let (header, username) = (snapshot::wire::Header { packet_id: 0, timestamp: 0 }, Default::default());
        let mut bytes = Vec::new();
        snapshot::wire::FromClient::Join { username }.write(header, &mut bytes);
        bytes
    });
}

/// By seat: how many ticks late a Frame is confirmed. A hundred milliseconds are six ticks.
#[divan::bench(args = [[0, 0, 0, 0], [6, 6, 6, 6], [0, 2, 4, 6]])]
fn volley_confirmed_late(bencher: Bencher, ticks_late: [usize; 4]) {
    ticks(bencher, Dialect::Volley, |frames, index, seat| {
        let ticks_late = ticks_late[seat.index()];
        let has = (index + 1).saturating_sub(ticks_late);
        let events: usize = frames[..has].iter().map(|frame| frame.events.len()).sum();
        let frames = (has > 0).then_some(Acknowledged { newest: has as u16, earlier: u32::MAX });
        let inputs = vec![Input::holding(Buttons::FIRE); ticks_late + 1];
        let mut bytes = Vec::new();
        Report { frames, next_event: events as u16, newest_input: index as u16, inputs }.write(&mut bytes);
        bytes
    });
}

/// `said` is what a client says before the first tick, and again after each in dialects in which that is confirmed.
fn ticks(bencher: Bencher, dialect: Dialect, said: impl Fn(&[Frame], usize, Seat) -> Vec<u8> + Sync) {
    let frames = frames();
    let confirms = [Dialect::Aecs, Dialect::Volley].contains(&dialect);
    let words: Vec<_> = (0..frames.len()).map(|index| Seat::ALL.map(|seat| said(&frames, index, seat))).collect();
    let open = |seat: Seat| session(dialect, seat, &words[0][seat.index()]);
    let inputs = || (Seat::ALL.map(open), Scene::new("endless"), frames.clone());
    bencher.counter(ItemsCount::new(TICKS)).with_inputs(inputs).bench_local_refs(|(sessions, scene, frames)| {
        let mut buffer = Vec::new();
        for (frame, words) in frames.iter_mut().zip(&words) {
            let now = time_of(frame);
            std::mem::swap(&mut scene.frame, frame);
            scene.update(now);
            for (session, words) in sessions.iter_mut().zip(words) {
                session.publish(now, scene);
                while session.poll(now, &mut buffer).is_some() {
                    black_box(&buffer);
                }
                if confirms {
                    session.receive(now, Channel::Datagram, words).unwrap_or_default();
                }
            }
        }
    });
}

fn session(dialect: Dialect, seat: Seat, hello: &[u8]) -> Box<dyn ServerSession> {
    let now = Time::from_micros(0);
    let mut session = dialect.accept(Welcome {
        seat,
        now,
        started: now,
        scale: Scale::default(),
        numbers: protocol::Numbers::default(),
    });
    session.receive(now, Channel::Datagram, hello).unwrap_or_default();
    session
}

fn frames() -> Vec<Frame> {
    let mut world = World::new(Stage::endless(), Rules::default(), 7);
    for seat in Seat::ALL {
        world.join(seat);
    }
    world.start();
    let mut frames = Vec::new();
    for tick in 0..BEFORE + TICKS {
        world.tick(&Seat::ALL.map(|seat| input(tick, seat)));
        if tick >= BEFORE {
            let mut frame = Frame::default();
            world.frame_into(&mut frame);
            frames.push(frame);
        }
    }
    frames
}

/// Everybody flies up and down and fires.
fn input(tick: u32, seat: Seat) -> Input {
    let way = if (tick / 40 + u32::from(seat.number())).is_multiple_of(2) { Buttons::UP } else { Buttons::DOWN };
    let fire = if tick.is_multiple_of(8) { Buttons::FIRE } else { Buttons::NONE };
    Input { held: way | fire, pressed: fire }
}

fn time_of(frame: &Frame) -> Time {
    Time::from_micros(u64::from(frame.tick.0) * 16_667)
}
