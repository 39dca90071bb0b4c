//! What a peer has been told of its lobby, and how a new Frame becomes SPAWN, DESTROY, GRAB, DROP, HIT, GAME_STATE and
//! POSITION (server's side).
//!
//! The order within a tick is such that no message is about something unknown or gone: ships that are replaced go first,
//! then everything new comes, then what happened is reported, then the rest goes.

use std::{collections::VecDeque, fmt::Write, time::Duration};

use game::{Attached, Class, Entity, EntityId, Event, Frame, GameState, SEATS, Seat, Side, Vec2};

use super::{
    entity_json::{Described, EntityJson},
    reliability::{PendingRequests, RequestName, Stamps},
    wire::{FromServer, GrabDirection, Message, Method, State},
};
use crate::{Scale, Scene, Time};

/// How often the state is said again (R7).
pub(super) const STATE_EVERY: Duration = Duration::from_secs(1);
/// Ticks until what rests is said again, because its last POSITION may have been lost.
const REST_EVERY: u64 = 60;
/// Ticks from one POSITION of a wall to the next.
const WALL_EVERY: u64 = 6;
/// With this many requests unconfirmed, a peer does without HIT and GRAB of items, which change nothing.
const EVENTS_UNTIL: usize = 512;

/// Requests under way to a peer.
#[derive(Debug, Default)]
pub(super) struct OutgoingRequests {
    pub stamps: Stamps,
    pub pending: PendingRequests,
}

impl OutgoingRequests {
    fn request(&mut self, now: Time, method: Method, about: u64, body: FromServer) {
        let creation_timestamp = self.stamps.next(now);
        let write = |bytes: &mut Vec<u8>| Message { creation_timestamp, body }.write(bytes);
        self.pending.push(now, RequestName { method, timestamp: creation_timestamp, about }, write);
    }
}

/// What a peer has been told.
#[derive(Debug)]
pub(super) struct WorldWriter {
    scale: Scale,
    /// Everything that the peer knows of, sorted by the game's id.
    things: Vec<KnownEntity>,
    previous: Vec<KnownEntity>,
    gone: Vec<KnownEntity>,
    state: Option<(GameState, Time)>,
    /// POSITIONs of this tick.
    positions: VecDeque<(u64, (i64, i64))>,
    ticks: u64,
    json: String,
    hits: Vec<u64>,
    /// Whether everything is to be said again, whatever the peer knows.
    tells_again: bool,
    /// Whether the peer may know entities from before the node was started again (ruling C16).
    has_ghosts: bool,
}

#[derive(Clone, Copy, Debug)]
struct KnownEntity {
    id: EntityId,
    entity_id: u64,
    /// As said last.
    place: (i64, i64),
    has_moved: bool,
    /// Whether the last POSITION was another than the one before.
    is_moving: bool,
    /// Whether the peer may know it from an earlier SPAWN than the last.
    was_told: bool,
    attached: Option<Attached>,
}

impl WorldWriter {
    pub(super) fn new(scale: Scale) -> WorldWriter {
        WorldWriter {
            scale,
            things: Vec::new(),
            previous: Vec::new(),
            gone: Vec::new(),
            state: None,
            positions: VecDeque::new(),
            ticks: 0,
            json: String::new(),
            hits: Vec::new(),
            tells_again: false,
            has_ghosts: false,
        }
    }

    /// For a peer that knows entities from before the node was started again.
    pub(super) fn resume(scale: Scale) -> WorldWriter {
        WorldWriter { has_ghosts: true, ..WorldWriter::new(scale) }
    }

    /// The state that was sent last.
    pub(super) fn state(&self) -> Option<GameState> {
        self.state.map(|(state, _)| state)
    }

    /// Ruling C16: destroys what the peer may know and is not there. A ship that holds no Force is said to have dropped it.
    pub(super) fn tell_ghosts(&mut self, now: Time, scene: &Scene, requests: &mut OutgoingRequests) {
        if !std::mem::take(&mut self.has_ghosts) {
            return;
        }
        let holds_force = |ship: &Entity| {
            scene.frame.entities.iter().any(|entity| entity.attached.is_some_and(|attached| attached.to == ship.id))
        };
        let others = scene.ghosts().map(other_entity_id);
        let ships = Seat::ALL.into_iter().filter(|seat| scene.frame.ship(*seat).is_none());
        for entity_id in ships.map(|seat| seat.number().into()).chain(others) {
            requests.request(now, Method::Destroy, entity_id, FromServer::Destroy { entity_id });
        }
        for ship in Seat::ALL.into_iter().filter_map(|seat| scene.frame.ship(seat)).filter(|ship| !holds_force(ship)) {
            let entity_id = entity_id(ship);
            requests.request(now, Method::Drop, entity_id, FromServer::Drop { entity_id });
        }
    }

    /// With the next Frame the state and everything in it are said again. What the peer knows and is gone is still destroyed.
    pub(super) fn tell_again(&mut self) {
        self.state = None;
        self.tells_again = true;
    }

    /// Tells what is new in a Frame.
    pub(super) fn tell(&mut self, now: Time, frame: &Frame, requests: &mut OutgoingRequests) {
        self.ticks += 1;
        self.tell_state(now, frame.state, requests);
        self.find_gone(frame);
        self.destroy(now, requests, |thing| {
            let seat = thing.entity_id as usize;
            thing.entity_id < SEATS as u64 && frame.ship(Seat::ALL[seat]).is_some()
        });
        self.positions.clear();
        std::mem::swap(&mut self.things, &mut self.previous);
        self.things.clear();
        let mut previous = 0;
        for entity in &frame.entities {
            while self.previous.get(previous).is_some_and(|thing| thing.id < entity.id) {
                previous += 1;
            }
            let known = self.previous.get(previous).filter(|thing| thing.id == entity.id).copied();
            let thing = match known {
                Some(thing) if !self.tells_again => thing,
                Some(thing) => self.spawn_again(now, thing, entity, requests),
                None => self.spawn(now, entity, requests),
            };
            let thing = self.moved(thing, entity);
            self.things.push(thing);
        }
        self.tells_again = false;
        self.tell_docking(now, frame, requests);
        self.tell_events(now, frame, requests);
        self.destroy(now, requests, |_| true);
    }

    /// Fills the buffer with the next POSITION. They are stamped as they leave: none is older than what was sent before.
    pub(super) fn poll(&mut self, now: Time, stamps: &mut Stamps, buffer: &mut Vec<u8>) -> bool {
        let Some((entity_id, (x_coordinate, y_coordinate))) = self.positions.pop_front() else { return false };
        let body = FromServer::Position { entity_id, x_coordinate, y_coordinate };
        Message { creation_timestamp: stamps.next(now), body }.write(buffer);
        true
    }

    /// R7: the state at once when it changes, and once a second; a newer one replaces an unconfirmed one.
    fn tell_state(&mut self, now: Time, state: GameState, requests: &mut OutgoingRequests) {
        let is_said = |(said, at): (GameState, Time)| said == state && now.since(at) < STATE_EVERY;
        if !self.state.is_some_and(is_said) {
            self.state = Some((state, now));
            requests.pending.cancel(Method::GameState, 0);
            requests.request(now, Method::GameState, 0, FromServer::GameState { state: wire_state(state) });
        }
    }

    fn find_gone(&mut self, frame: &Frame) {
        self.gone.clear();
        let mut entities = frame.entities.iter().peekable();
        for thing in &self.things {
            while entities.next_if(|entity| entity.id < thing.id).is_some() {}
            if entities.peek().is_none_or(|entity| entity.id != thing.id) {
                self.gone.push(*thing);
            }
        }
    }

    /// R13 makes a SPAWN older than the DESTROY void, so its repeats stop.
    fn destroy(&mut self, now: Time, requests: &mut OutgoingRequests, mut applies: impl FnMut(&KnownEntity) -> bool) {
        self.gone.retain(|thing| {
            let entity_id = thing.entity_id;
            let goes = applies(thing);
            if goes && (!requests.pending.cancel(Method::Spawn, entity_id) || thing.was_told) {
                requests.request(now, Method::Destroy, entity_id, FromServer::Destroy { entity_id });
            }
            !goes
        });
    }

    fn spawn(&mut self, now: Time, entity: &Entity, requests: &mut OutgoingRequests) -> KnownEntity {
        let entity_id = entity_id(entity);
        let place = self.scale.whole_position(entity.position);
        self.json.clear();
        // Writing to a String does not fail.
        let _ = write!(self.json, "{}", describe(entity, place, self.scale));
        if let Ok(entity_json) = EntityJson::new(&self.json) {
            requests.request(now, Method::Spawn, entity_id, FromServer::Spawn { entity_id, entity_json });
        }
        KnownEntity {
            id: entity.id,
            entity_id,
            place,
            has_moved: false,
            is_moving: false,
            was_told: false,
            attached: None,
        }
    }

    fn spawn_again(
        &mut self,
        now: Time,
        thing: KnownEntity,
        entity: &Entity,
        requests: &mut OutgoingRequests,
    ) -> KnownEntity {
        requests.pending.cancel(Method::Spawn, thing.entity_id);
        KnownEntity { was_told: true, ..self.spawn(now, entity, requests) }
    }

    /// R12: a POSITION for what moved, players and shots every tick, others every second tick.
    fn moved(&mut self, mut thing: KnownEntity, entity: &Entity) -> KnownEntity {
        let place = self.scale.whole_position(entity.position);
        let turn = self.ticks.wrapping_add(thing.entity_id);
        let is_due = match entity.kind.class() {
            Class::Player | Class::PlayerShot | Class::EnemyShot => true,
            // An exception to R12, for the walls of a stage move together (ruling C12).
            Class::Wall => turn.is_multiple_of(WALL_EVERY),
            Class::Gear | Class::Boss | Class::Enemy | Class::Item | Class::Block | Class::Effect => {
                turn.is_multiple_of(2)
            }
        };
        let is_new = place != thing.place && is_due;
        // Clients move walls on by themselves: the same POSITION twice says that one has stopped.
        let has_stopped = entity.kind.class() == Class::Wall && is_due && thing.is_moving;
        if is_new || has_stopped || (thing.has_moved && turn.is_multiple_of(REST_EVERY)) {
            thing.has_moved = true;
            thing.is_moving = place != thing.place;
            thing.place = place;
            self.positions.push_back((thing.entity_id, place));
        }
        thing
    }

    /// R10: GRAB with DIRECTION when a Force docks, or is seen docked for the first time; DROP when it leaves its ship.
    fn tell_docking(&mut self, now: Time, frame: &Frame, requests: &mut OutgoingRequests) {
        for index in 0..self.things.len() {
            let thing = self.things[index];
            let attached = frame.entities[index].attached;
            if attached == thing.attached {
                continue;
            }
            self.things[index].attached = attached;
            let ship = attached.or(thing.attached).and_then(|attached| self.entity_id_of(attached.to));
            let Some(entity_id) = ship else { continue };
            match attached {
                Some(Attached { side, .. }) => {
                    let direction = Some(grab_direction(side));
                    let grab = FromServer::Grab { entity_id, grabbed_entity_id: thing.entity_id, direction };
                    requests.request(now, Method::Grab, entity_id, grab);
                }
                None => requests.request(now, Method::Drop, entity_id, FromServer::Drop { entity_id }),
            }
        }
    }

    fn tell_events(&mut self, now: Time, frame: &Frame, requests: &mut OutgoingRequests) {
        self.hits.clear();
        for event in &frame.events {
            if requests.pending.len() >= EVENTS_UNTIL {
                return;
            }
            match *event {
                Event::Grabbed { ship, object, side: None } => self.tell_taken(now, ship, object, requests),
                Event::Hit { by, .. } => self.tell_hit(now, frame, by, requests),
                // The Force is told by `tell_docking`.
                Event::Grabbed { side: Some(_), .. } | Event::Dropped { .. } => {}
                Event::Spawned { .. } | Event::Destroyed { .. } | Event::Fired { .. } | Event::Killed { .. } => {}
                Event::Joined { .. } | Event::Left { .. } | Event::TimedOut { .. } => {}
                Event::ExtraLife { .. } | Event::StateChanged { .. } => {}
            }
        }
    }

    /// An item is taken: GRAB without DIRECTION.
    fn tell_taken(&self, now: Time, ship: EntityId, object: EntityId, requests: &mut OutgoingRequests) {
        if let (Some(entity_id), Some(grabbed_entity_id)) = (self.entity_id_of(ship), self.entity_id_of(object)) {
            let grab = FromServer::Grab { entity_id, grabbed_entity_id, direction: None };
            requests.request(now, Method::Grab, entity_id, grab);
        }
    }

    /// HIT names the shot, once a tick. What a Force or a Bit touches is not a shot, and a shot that never was in a Frame is
    /// not known to the peer.
    fn tell_hit(&mut self, now: Time, frame: &Frame, by: EntityId, requests: &mut OutgoingRequests) {
        let Some(entity_id) = self.entity_id_of(by) else { return };
        let is_gear = frame.entity(by).is_some_and(|entity| entity.kind.class() == Class::Gear);
        if !is_gear && !self.hits.contains(&entity_id) {
            self.hits.push(entity_id);
            requests.request(now, Method::Hit, entity_id, FromServer::Hit { entity_id });
        }
    }

    /// The ENTITY_ID of what the peer knows, or knew until this tick.
    fn entity_id_of(&self, id: EntityId) -> Option<u64> {
        let known = self.things.binary_search_by_key(&id, |thing| thing.id).ok().map(|index| &self.things[index]);
        let gone = || self.gone.iter().find(|thing| thing.id == id);
        known.or_else(gone).map(|thing| thing.entity_id)
    }
}

/// R6: a ship's ENTITY_ID is its seat; the game counts from 1, so others start at 4.
fn entity_id(entity: &Entity) -> u64 {
    match (entity.kind.class(), entity.seat) {
        (Class::Player, Some(seat)) => seat.number().into(),
        _ => other_entity_id(entity.id),
    }
}

/// The ENTITY_ID of what is not a ship.
pub(super) fn other_entity_id(id: EntityId) -> u64 {
    u64::from(id.0) + SEATS as u64 - 1
}

fn describe(entity: &Entity, (x, y): (i64, i64), scale: Scale) -> Described<'static> {
    let (vx, vy) = scale.velocity(entity.velocity);
    let moves = entity.velocity != Vec2::ZERO;
    let seat = entity.seat.map(|seat| seat.number());
    let size = entity.size_px.map(|size_px| scale.whole_size(size_px));
    Described {
        kind: entity.kind.name().into(),
        x,
        y,
        vx: moves.then(|| vx.round() as i64),
        vy: moves.then(|| vy.round() as i64),
        health: (entity.health_max > 0).then(|| entity.health.into()),
        seat,
        owner: seat.filter(|_| entity.kind.class() != Class::Player).map(u64::from),
        w: size.map(|(width, _)| width),
        h: size.map(|(_, height)| height),
    }
}

pub(super) fn wire_state(state: GameState) -> State {
    match state {
        GameState::Waiting => State::AwaitingStart,
        GameState::Running => State::Running,
        GameState::Won => State::Won,
        GameState::Lost => State::Lost,
        GameState::TimedOut => State::Timeout,
    }
}

fn grab_direction(side: Side) -> GrabDirection {
    match side {
        Side::Front => GrabDirection::Front,
        Side::Back => GrabDirection::Back,
    }
}
