//! Bots in a game of a stage, under a seed: as `volley watch` has them, which know the stage; or in a lobby of a node in
//! memory, where they know only what their dialect told them.

#[path = "../../../protocol/tests/simulation/mod.rs"]
mod simulation;

use std::sync::Arc;

use game::{Event, Frame, GameState, Input, Inputs, Kind, Rules, SEATS, Seat, Stage, World};
use protocol::{Dialect, Status};
use simulation::{ClientId, Simulation};
use toolkit::bot::{Bot, Ground};

/// What bots know that play without a dialect.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Knowledge {
    /// The stage, as `volley watch` names it.
    Stage,
    /// What is in a Frame, but no walls.
    NoWalls,
}

/// How a game went until it was won or lost, or its time was over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    pub ships_lost: u32,
    pub lost_to_walls: u32,
    pub reached_px: u32,
    pub ticks: u32,
    pub state: GameState,
}

impl Played {
    fn note(&mut self, frame: &Frame) {
        for event in &frame.events {
            if let Event::Killed { by, .. } = event {
                self.ships_lost += 1;
                self.lost_to_walls += u32::from(by.is_some_and(|killer| killer.kind == Kind::Wall));
            }
        }
        self.reached_px = self.reached_px.max(frame.scroll_px);
        self.ticks += 1;
        self.state = frame.state;
    }

    fn is_over(&self, game: &Game) -> bool {
        matches!(self.state, GameState::Won | GameState::Lost) || self.ticks >= game.ticks_max
    }
}

/// What is played.
#[derive(Clone)]
pub struct Game {
    pub stage: Arc<Stage>,
    /// One to four.
    pub players: usize,
    pub seed: u64,
    pub ticks_max: u32,
}

impl Game {
    fn seats(&self) -> impl Iterator<Item = Seat> {
        Seat::ALL.into_iter().take(self.players)
    }

    fn bots(&self) -> [Bot; SEATS] {
        Seat::ALL.map(|seat| Bot::new(self.seed * 31 + u64::from(seat.number())))
    }

    /// The game of bots who know this.
    pub fn played_with(&self, knowledge: Knowledge) -> Played {
        let mut world = World::new(Arc::clone(&self.stage), Rules::default(), self.seed);
        assert!(self.seats().all(|seat| world.join(seat)));
        world.start();
        let (mut bots, mut frame, mut played) = (self.bots(), world.frame(), Played::default());
        while !played.is_over(self) {
            let ground = match knowledge {
                Knowledge::Stage => Ground::Stage(world.stage()),
                Knowledge::NoWalls => Ground::Unknown,
            };
            let mut inputs = Inputs::default();
            self.seats().for_each(|seat| inputs[seat.index()] = bots[seat.index()].decide(&frame, seat, ground));
            world.tick(&inputs);
            world.frame_into(&mut frame);
            played.note(&frame);
            if knowledge == Knowledge::NoWalls {
                frame.entities.retain(|entity| entity.kind != Kind::Wall);
            }
        }
        played
    }

    /// The game of bots of that dialect.
    pub fn told_by(&self, dialect: Dialect) -> Played {
        let mut sim = Simulation::new(self.seed);
        sim.node.stage.clone_from(&self.stage.name);
        let clients = seat(&mut sim, dialect, self.players);
        // All of them from the beginning of the stage.
        sim.lobby_mut(clients[0]).world.start();
        sim.lobby_mut(clients[0]).world.enter(Arc::clone(&self.stage));
        let (mut bots, mut played) = (self.bots(), Played::default());
        while !played.is_over(self) {
            sim.tick();
            played.note(&sim.lobby(clients[0]).scene.frame);
            for &client in &clients {
                let input = decide(&sim, client, &mut bots);
                sim.clients[client.0].input = input;
            }
        }
        played
    }
}

fn decide(sim: &Simulation, client: ClientId, bots: &mut [Bot; SEATS]) -> Input {
    let session = &sim.clients[client.0].session;
    let Some(seat) = session.seat() else { return Input::IDLE };
    bots[seat.index()].decide(sim.seen(client), seat, Ground::of_terrain(session.terrain()))
}

fn seat(sim: &mut Simulation, dialect: Dialect, players: usize) -> Vec<ClientId> {
    let first = seat_one(sim, dialect, None);
    let lobby = sim.lobby(first).id.to_string();
    let others = (1..players).map(|_| seat_one(sim, dialect, Some(lobby.clone())));
    std::iter::once(first).chain(others).collect()
}

fn seat_one(sim: &mut Simulation, dialect: Dialect, lobby: Option<String>) -> ClientId {
    let client = sim.join_lobby(dialect.entry(), "bot", lobby);
    let is_seated =
        |sim: &mut Simulation| sim.status(client) == Status::Playing && sim.clients[client.0].session.seat().is_some();
    assert!(sim.run_until(5_000, is_seated), "{} does not get into the game", dialect.name());
    client
}
