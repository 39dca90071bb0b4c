//! Four bots in a game of a stage, under a seed: as `volley watch` has them, which know the stage; or in a lobby of a node in
//! memory, where they know only what their dialect told them.

#[path = "../../../protocol/tests/simulation/mod.rs"]
mod simulation;

use std::sync::Arc;

use game::{Event, Frame, Input, Kind, Rules, SEATS, Seat, Stage, World};
use protocol::{Dialect, Status};
use simulation::{ClientId, Simulation};
use toolkit::bot::{Bot, Ground};

/// What bots know that play without a dialect.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Knowledge {
    /// The stage, as `volley watch` tells it.
    Stage,
    /// What is in a Frame, but no walls.
    NoWalls,
}

/// What is played.
#[derive(Clone)]
pub struct Game {
    pub stage: Arc<Stage>,
    pub seed: u64,
    pub ticks_max: u32,
}

impl Game {
    fn bots(&self) -> [Bot; SEATS] {
        Seat::ALL.map(|seat| Bot::new(self.seed * 31 + u64::from(seat.number())))
    }

    /// Ships that bots lose who know this.
    pub fn played_with(&self, knowledge: Knowledge) -> u32 {
        let mut world = World::new(Arc::clone(&self.stage), Rules::default(), self.seed);
        assert!(Seat::ALL.into_iter().all(|seat| world.join(seat)));
        world.start();
        let (mut bots, mut frame, mut lost) = (self.bots(), world.frame(), 0);
        for _ in 0..self.ticks_max {
            let ground = match knowledge {
                Knowledge::Stage => Ground::Stage(world.stage()),
                Knowledge::NoWalls => Ground::Unknown,
            };
            let inputs = Seat::ALL.map(|seat| bots[seat.index()].decide(&frame, seat, ground));
            world.tick(&inputs);
            world.frame_into(&mut frame);
            lost += ships_lost(&frame);
            if knowledge == Knowledge::NoWalls {
                frame.entities.retain(|entity| entity.kind != Kind::Wall);
            }
        }
        lost
    }

    /// Ships that bots of that dialect lose.
    pub fn told_by(&self, dialect: Dialect) -> u32 {
        let mut sim = Simulation::new(self.seed);
        sim.node.stage.clone_from(&self.stage.name);
        let clients = seat_four(&mut sim, dialect);
        // All of them from the beginning of the stage.
        sim.lobby_mut(clients[0]).world.start();
        sim.lobby_mut(clients[0]).world.enter(Arc::clone(&self.stage));
        let (mut bots, mut lost) = (self.bots(), 0);
        for _ in 0..self.ticks_max {
            sim.tick();
            lost += ships_lost(&sim.lobby(clients[0]).scene.frame);
            for client in clients {
                let input = decide(&sim, client, &mut bots);
                sim.clients[client.0].input = input;
            }
        }
        lost
    }
}

fn ships_lost(frame: &Frame) -> u32 {
    frame.events.iter().filter(|event| matches!(event, Event::Killed { .. })).count() as u32
}

fn decide(sim: &Simulation, client: ClientId, bots: &mut [Bot; SEATS]) -> Input {
    let session = &sim.clients[client.0].session;
    let Some(seat) = session.seat() else { return Input::IDLE };
    bots[seat.index()].decide(sim.seen(client), seat, Ground::of_terrain(session.terrain()))
}

fn seat_four(sim: &mut Simulation, dialect: Dialect) -> [ClientId; SEATS] {
    let first = seat_one(sim, dialect, None);
    let lobby = sim.lobby(first).id.to_string();
    let rest = [(); SEATS - 1].map(|()| seat_one(sim, dialect, Some(lobby.clone())));
    [first, rest[0], rest[1], rest[2]]
}

fn seat_one(sim: &mut Simulation, dialect: Dialect, lobby: Option<String>) -> ClientId {
    let client = sim.join_lobby(dialect.entry(), "bot", lobby);
    let is_seated =
        |sim: &mut Simulation| sim.status(client) == Status::Playing && sim.clients[client.0].session.seat().is_some();
    assert!(sim.run_until(5_000, is_seated), "{} does not get into the game", dialect.name());
    client
}
