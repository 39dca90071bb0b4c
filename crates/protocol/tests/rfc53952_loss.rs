//! What loss costs in `rfc53952`: four players in endless for a minute, with and without it.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use game::{Buttons, Departure, GameState, Seat};
use protocol::{
    DialectEntry,
    rfc53952::{self, wire::PacketType},
};

mod simulation;
use simulation::{ClientId, Conditions, Simulation};

const ENTRIES: &[&DialectEntry] = &[&rfc53952::ENTRY];
const SECONDS: u64 = 60;
const SEEDS: [u64; 4] = [40, 41, 42, 43];

/// What the node sent to a player in a second, on average.
#[derive(Debug)]
struct Cost {
    bytes: f64,
    /// Packets of types that are said again until they are validated.
    reliable: f64,
    /// Of these, the ones that said something again.
    again: f64,
}

/// The mean of some games: how much there is to tell differs from one to another.
fn cost(loss_percent: u32, delay_ms: u32) -> Cost {
    let games = SEEDS.map(|seed| minute(seed, loss_percent, delay_ms));
    let mean = |of: fn(&Cost) -> f64| games.iter().map(of).sum::<f64>() / games.len() as f64;
    Cost { bytes: mean(|it| it.bytes), reliable: mean(|it| it.reliable), again: mean(|it| it.again) }
}

fn minute(seed: u64, loss_percent: u32, delay_ms: u32) -> Cost {
    let mut sim = Simulation::new(seed);
    sim.network.conditions = Conditions::PERFECT.delay_ms(delay_ms).shuffle_ms(10).loss_percent(loss_percent);
    let players: Vec<ClientId> = (0..4).map(|_| sim.join(&rfc53952::ENTRY, "")).collect();
    sim.run_ms(5_000);
    let said: Rc<RefCell<BTreeMap<u8, (u64, u64)>>> = Rc::default();
    let heard = Rc::clone(&said);
    sim.network.listener = Some(Box::new(move |bytes| {
        let mut heard = heard.borrow_mut();
        let (packets, total) = heard.entry(bytes[4]).or_default();
        (*packets, *total) = (*packets + 1, *total + bytes.len() as u64);
    }));
    for second in 0..SECONDS as usize {
        let held = [Buttons::LEFT, Buttons::UP | Buttons::FIRE, Buttons::RIGHT | Buttons::FIRE, Buttons::DOWN];
        for (index, player) in players.iter().enumerate() {
            sim.hold(*player, held[(second + index) % held.len()]);
        }
        sim.run_ms(1_000);
        begin_again(&mut sim, players[0]);
    }
    assert_eq!(sim.node.ended, [], "no session is lost");
    let per_second = |sum: u64| sum as f64 / (players.len() as u64 * SECONDS) as f64;
    let said = said.borrow();
    let of = |kind: PacketType| said.get(&(kind as u8)).copied().unwrap_or_default();
    let reliable = [PacketType::CreateEntity, PacketType::DestroyEntity, PacketType::UpdateEntity];
    let again: u64 = sim.node.peers.iter().map(|peer| peer.session.retransmissions()).sum();
    Cost {
        bytes: per_second(said.values().map(|(_, bytes)| bytes).sum()),
        reliable: per_second(reliable.map(|kind| of(kind).0).iter().sum()),
        again: per_second(again),
    }
}

/// A lost game begins again, so that there is always much to tell.
fn begin_again(sim: &mut Simulation, player: ClientId) {
    let world = &mut sim.lobby_mut(player).world;
    if world.game_state() == GameState::Lost {
        for seat in Seat::ALL {
            world.leave(seat, Departure::Left);
            world.join(seat);
        }
        world.enter(world.stage().clone());
    }
}

#[test]
fn loss_and_delay_cost_what_the_rulings_make_them_cost_and_little_is_said_again() {
    let clean = cost(0, 20);
    assert_eq!(clean.again, 0.0);
    // A fifth is lost each way, so that of a group of ten hardly ever all are validated in one round: they are sent until
    // none is likely to be missing. The more of them share a second, the longer that takes: it depends on what happens in the game. With
    // answers that take longer than 250 ms everything is sent twice at least.
    for (loss_percent, delay_ms, times_max) in [(20, 20, 23.0), (0, 150, 5.0), (20, 150, 24.0)] {
        let cost = cost(loss_percent, delay_ms);
        println!("{loss_percent} % and {delay_ms} ms: {cost:?}, without: {clean:?}");
        assert!(cost.reliable < clean.reliable * times_max, "{loss_percent} % and {delay_ms} ms: {cost:?}");
        let first = cost.reliable - cost.again;
        assert!(first < clean.reliable * 1.75, "{loss_percent} % and {delay_ms} ms: {first} a second are said again");
        assert!(cost.bytes < clean.bytes * 2.5, "{loss_percent} % and {delay_ms} ms: {cost:?}");
    }
}
