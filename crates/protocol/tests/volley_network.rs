//! `volley` over networks that lose, repeat and reorder: what a client shows is the server's Frame of that tick, to the
//! last bit, and every event comes once, in order. When not everything has room, it comes to be right all the same.

mod simulation;

use std::collections::BTreeMap;

use game::{Buttons, Event, Frame, Kind, Vec2, px};
use proptest::prelude::*;
use protocol::{DialectEntry, volley::ENTRY};
use simulation::{ClientId, Conditions, Simulation};

/// The doors of the simulated node.
pub const ENTRIES: &[&DialectEntry] = &[&ENTRY];

/// What the server showed by tick, and the events of all ticks in order.
#[derive(Default)]
struct Ledger {
    frames: BTreeMap<u32, Frame>,
    happened: Vec<Event>,
    told: Vec<Event>,
    compared: usize,
    /// Frames that were not what the server showed.
    incomplete: usize,
    seen: usize,
}

impl Ledger {
    /// Lets a tick pass, and compares what is new with what was shown then.
    fn tick(&mut self, sim: &mut Simulation, ann: ClientId, is_exact: bool) {
        sim.tick();
        if sim.node.lobby_of(ann).is_some() {
            let frame = sim.lobby(ann).scene.frame.clone();
            self.happened.extend(&frame.events);
            self.frames.insert(frame.tick.0, frame);
        }
        let client = &sim.clients[ann.0];
        if client.frames == self.seen {
            return;
        }
        self.seen = client.frames;
        self.told.extend(&client.frame.events);
        let Some(then) = self.frames.get(&client.frame.tick.0) else {
            assert!(!is_exact, "a tick that was never shown");
            return;
        };
        let mut seen = client.frame.clone();
        seen.events.clone_from(&then.events);
        self.incomplete += usize::from(&seen != then);
        if is_exact {
            assert_eq!(&seen, then);
            self.compared += 1;
        }
    }
}

fn fly(sim: &mut Simulation, ann: ClientId, turn: usize) {
    let moves =
        [Buttons::UP, Buttons::RIGHT | Buttons::FIRE, Buttons::DOWN, Buttons::LEFT | Buttons::UP, Buttons::FIRE];
    sim.hold(ann, moves[turn % moves.len()]);
    if turn.is_multiple_of(3) {
        sim.tap(ann, Buttons::FIRE | Buttons::FORCE);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn v3_whatever_the_network_does_a_frame_is_exact_and_every_event_comes_once_in_order(
        seed in 1_u64..1_000,
        loss_percent in 0_u32..40,
        duplicate_percent in 0_u32..30,
        delay_ms in 0_u32..300,
        jitter_ms in 0_u32..80,
    ) {
        let mut sim = Simulation::new(seed);
        let ann = sim.join(&ENTRY, "Ann");
        let mut ledger = Ledger::default();
        sim.network.conditions = Conditions::PERFECT.delay_ms(delay_ms).shuffle_ms(jitter_ms).loss_percent(loss_percent).duplicate_percent(duplicate_percent);
        for turn in 0..60 {
            fly(&mut sim, ann, turn);
            for _ in 0..15 {
                ledger.tick(&mut sim, ann, true);
            }
        }
        sim.network.conditions = Conditions::PERFECT;
        for _ in 0..120 {
            ledger.tick(&mut sim, ann, true);
        }
        prop_assert!(ledger.compared > 100, "only {} Frames came", ledger.compared);
        prop_assert_eq!(sim.clients[ann.0].malformed, 0);
        prop_assert!(sim.node.dropped.is_empty());
        let (told, happened) = (&ledger.told, &ledger.happened);
        prop_assert!(told.len() > 10 && happened.ends_with(told), "{} of {}", told.len(), happened.len());
    }
}

/// A hundred enemies and as many shots at once are more than a datagram holds.
#[test]
fn v4_what_has_no_room_waits_and_the_client_comes_to_be_right() {
    for conditions in [Conditions::PERFECT, Conditions::PERFECT.delay_ms(50).loss_percent(20)] {
        let mut sim = Simulation::new(5);
        let ann = sim.join(&ENTRY, "Ann");
        sim.run_ms(1_000);
        sim.network.conditions = conditions;
        for place in 0..200 {
            let kind = if place % 2 == 0 { Kind::Debris } else { Kind::Pellet };
            let at = Vec2::new(px(250 + place * 37 % 200), px(10 + place * 53 % 250));
            sim.lobby_mut(ann).world.spawn(kind, at);
        }
        let mut ledger = Ledger::default();
        for _ in 0..120 {
            ledger.tick(&mut sim, ann, false);
        }
        sim.network.conditions = Conditions::PERFECT;
        for _ in 0..20 {
            ledger.tick(&mut sim, ann, false);
        }
        for _ in 0..10 {
            ledger.tick(&mut sim, ann, true);
        }
        assert!(ledger.compared >= 10);
        assert!(ledger.incomplete > 0, "everything had room: {} bytes", sim.network.longest_datagram);
        assert!(sim.network.longest_datagram <= 1_200);
    }
}
