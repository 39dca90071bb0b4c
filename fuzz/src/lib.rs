//! What targets of whole sessions share: a game for one, both halves of a dialect, and the loop in which each byte is a
//! deed and takes what it needs of the next.
//!
//! What a dialect says and what a stranger says to it is the target's own.

use std::time::Duration;

use game::{Buttons, Frame, Input, Kind, Rules, SEATS, Seat, Stage, Vec2, World, px};
use protocol::{ClientSession, Plan, Scale, Scene, ServerSession, Time, Welcome};

/// When every session begins.
pub const START: Time = Time::from_micros(1_700_000_000_000_000);
const TICK: Duration = Duration::from_micros(16_667);

/// A game for one, its player, and the wire between.
pub struct Table<S: ?Sized, C: ?Sized> {
    pub now: Time,
    pub world: World,
    pub scene: Scene,
    pub server: Box<S>,
    pub client: Box<C>,
    pub frame: Frame,
    /// Whether what the halves say reaches the other.
    pub is_joined: bool,
}

/// A byte of a stranger's.
pub struct Deed {
    /// Which of the target's own four it is.
    pub number: u8,
    /// Five bits to go with it.
    pub parameter: u8,
}

impl<S: ServerSession + ?Sized, C: ClientSession + ?Sized> Table<S, C> {
    /// A game that has begun.
    pub fn new(server: Box<S>, client: Box<C>) -> Table<S, C> {
        let mut world = World::new(Stage::endless(), Rules::default(), 1);
        world.join(Seat::ALL[0]);
        world.start();
        let (scene, frame) = (Scene::new("endless"), Frame::default());
        Table { now: START, world, scene, server, client, frame, is_joined: true }
    }

    /// Carries out what the bytes say, for a limited number of ticks: `stranger` the deeds of the target's own, `talk` what the
    /// halves say to each other at the end of each tick.
    pub fn play(
        &mut self,
        mut rest: &[u8],
        ticks_max: u32,
        stranger: impl Fn(&mut Self, Deed, &mut &[u8]),
        talk: impl Fn(&mut Self),
    ) {
        let mut ticks = 0;
        while let [deed, behind @ ..] = rest
            && ticks < ticks_max
        {
            rest = behind;
            let parameter = deed >> 3;
            let (count, held) = match deed & 7 {
                number @ 0..=3 => {
                    stranger(self, Deed { number, parameter }, &mut rest);
                    continue;
                }
                4 => {
                    self.is_joined = parameter & 1 == 0;
                    continue;
                }
                5 => {
                    self.arrive(parameter, take(&mut rest, 3));
                    continue;
                }
                6 => (1, parameter),
                _ => (1 << (parameter & 7), take(&mut rest, 1).first().copied().unwrap_or_default()),
            };
            (0..count).for_each(|_| self.tick(Buttons::from_bits(held), &talk));
            ticks += count;
        }
    }

    fn arrive(&mut self, count: u8, place: &[u8]) {
        let &[kind, x, y] = place else { return };
        let kind = Kind::ALL[usize::from(kind) % Kind::ALL.len()];
        for _ in 0..count {
            self.world.spawn(kind, Vec2::new(px(i32::from(x) * 2), px(y.into())));
        }
    }

    fn tick(&mut self, held: Buttons, talk: &impl Fn(&mut Self)) {
        self.now = self.now + TICK;
        self.server.advance(self.now);
        let mut inputs = [Input::IDLE; SEATS];
        inputs[0] = self.server.input(self.now);
        self.world.tick(&inputs);
        self.world.frame_into(&mut self.scene.frame);
        self.scene.update(self.now);
        self.server.publish(self.now, &self.scene);
        self.client.advance(self.now);
        self.client.press(self.now, Input::holding(held));
        talk(self);
        self.client.take_frame(&mut self.frame);
    }
}

/// What the first seat's server half is opened with.
pub fn welcome() -> Welcome {
    Welcome {
        seat: Seat::ALL[0],
        now: START,
        started: START,
        scale: Scale::default(),
        numbers: protocol::Numbers::default(),
    }
}

/// What the client half of somebody of this name is opened with.
pub fn plan(name: &str) -> Plan {
    Plan { name: name.into(), ..Plan::at(START) }
}

/// The next bytes, or what there is of them.
pub fn take<'a>(rest: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, behind) = rest.split_at(count.min(rest.len()));
    *rest = behind;
    taken
}
