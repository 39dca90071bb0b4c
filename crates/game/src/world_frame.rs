//! Shows a world as a [`Frame`].

use crate::{
    Attached, Entity, Event, Frame, Kind, Player, Seat, Tick, Vec2, World,
    foe::Foe,
    player_state::{Bit, Force, PlayerState, Ship},
    score::Chain,
    shot::{Flight, Shot},
    units::STEPS_PER_TICK,
    walls,
};

impl World {
    /// Everything that a watcher can see now, with the events of the tick that is over.
    pub fn frame(&self) -> Frame {
        let mut frame = Frame::default();
        self.frame_into(&mut frame);
        frame
    }

    /// As [`World::frame`], into a Frame whose memory is used again.
    pub fn frame_into(&self, frame: &mut Frame) {
        let state = &self.state;
        frame.tick = self.now();
        frame.state = state.game;
        frame.stage = self.stage.number;
        frame.wave = if self.stage.endless { state.waves.number } else { 0 };
        frame.scroll_px = self.scroll_px();
        frame.score = state.score;
        frame.players = std::array::from_fn(|index| state.players[index].as_ref().map(|it| self.show_player(it)));
        frame.events.clear();
        frame.events.extend_from_slice(self.events());
        frame.entities.clear();
        self.show_entities(&mut frame.entities);
        frame.entities.sort_unstable_by_key(|entity| entity.id);
    }

    /// What happened in the tick that is over.
    pub fn events(&self) -> &[Event] {
        &self.state.events[..self.state.events_shown as usize]
    }

    fn show_player(&self, player: &PlayerState) -> Player {
        let ship = player.ship();
        let Chain { links, left } = player.chain;
        let ends = (self.state.step + u64::from(left)).div_ceil(STEPS_PER_TICK as u64) as u32;
        Player {
            ship: ship.map(|ship| ship.id),
            lives: player.lives,
            score: player.score,
            force_level: ship.and_then(|ship| ship.force).map_or(0, |force| force.level),
            speed: ship.map_or(0, |ship| ship.speed),
            missiles: ship.is_some_and(|ship| ship.missiles),
            model: player.flown(),
            chain: links,
            chain_ends: Tick(if links > 0 { ends } else { 0 }),
        }
    }

    fn show_entities(&self, entities: &mut Vec<Entity>) {
        let state = &self.state;
        for (seat, player) in Seat::ALL.into_iter().zip(&state.players) {
            let Some(player) = player else { continue };
            let Some(ship) = player.ship() else { continue };
            entities.push(show_ship(seat, player, ship));
            entities.extend(ship.force.iter().map(|force| show_force(seat, ship, force)));
            entities.extend(ship.bits.iter().flatten().map(|bit| show_bit(seat, bit)));
        }
        entities.extend(state.foes.iter().map(show_foe));
        entities.extend(state.shots.iter().map(show_shot));
        let moving =
            |id, kind, position, velocity| Entity { velocity: per_tick(velocity), ..Entity::new(id, kind, position) };
        entities.extend(state.bullets.iter().map(|it| moving(it.id, it.kind, it.position, it.velocity)));
        entities.extend(state.items.iter().map(|it| moving(it.id, it.kind, it.position, it.velocity)));
        entities.extend(state.walls.iter().filter_map(|wall| walls::show(self, wall)));
        let drift = Vec2::new(-state.scrolled, 0);
        entities.extend(state.effects.iter().map(|it| moving(it.id, it.kind, it.position, drift)));
    }
}

fn per_tick(velocity: Vec2) -> Vec2 {
    Vec2::new(velocity.x * STEPS_PER_TICK, velocity.y * STEPS_PER_TICK)
}

/// Animation: 0 level, 1 rising, 2 sinking; 3 more while nothing hurts it.
fn show_ship(seat: Seat, player: &PlayerState, ship: &Ship) -> Entity {
    let tilt = match ship.velocity.y.signum() {
        -1 => 1,
        1 => 2,
        _ => 0,
    };
    Entity {
        velocity: per_tick(ship.velocity),
        health: 1,
        health_max: 1,
        animation: tilt + if ship.invulnerable > 0 { 3 } else { 0 },
        seat: Some(seat),
        charge: ship.gauge(),
        lives: player.lives,
        ..Entity::new(ship.id, Kind::Player, ship.position)
    }
}

/// Animation: the level, 1 to 3, and 4 more for blue, 8 for yellow.
fn show_force(seat: Seat, ship: &Ship, force: &Force) -> Entity {
    Entity {
        velocity: per_tick(force.velocity),
        animation: force.level + 4 * force.crystal as u8,
        seat: Some(seat),
        attached: force.docked().map(|side| Attached { to: ship.id, side }),
        ..Entity::new(force.id, Kind::Force, force.position)
    }
}

fn show_bit(seat: Seat, bit: &Bit) -> Entity {
    Entity { velocity: per_tick(bit.velocity), seat: Some(seat), ..Entity::new(bit.id, Kind::Bit, bit.position) }
}

/// Animation: 0 usual, 1 just hurt, 2 shielded by a warden, 3 open.
fn show_foe(foe: &Foe) -> Entity {
    let animation = match () {
        () if foe.hurt > 0 => 1,
        () if foe.shielded => 2,
        () if foe.is_open() => 3,
        () => 0,
    };
    Entity {
        velocity: per_tick(foe.velocity),
        health: foe.health,
        health_max: foe.health_max,
        animation,
        ..Entity::new(foe.id, foe.kind, foe.position)
    }
}

/// Animation: a beam's size, a missile's direction in 1/8 turns.
fn show_shot(shot: &Shot) -> Entity {
    let animation = match shot.flight {
        Flight::Beam { size } => size,
        Flight::Seek { angle, .. } => angle.wrapping_add(16) >> 5,
        Flight::Straight | Flight::Strand { .. } | Flight::Bounce { .. } => 0,
        Flight::Fall { .. } | Flight::Crawl { .. } => 0,
    };
    Entity {
        velocity: per_tick(shot.velocity),
        animation,
        seat: Some(shot.seat),
        ..Entity::new(shot.id, shot.kind, shot.position)
    }
}
