//! What a server said of its lobby, as a Frame (client's side).
//!
//! Messages overtake each other, and repeats come late. For every ENTITY_ID it is known when it was last spawned, moved
//! and destroyed, by the server's own timestamps; what is older is ignored (R13). The server may be anybody's: any id,
//! any number, any text, any amount.

use std::collections::BTreeMap;

use game::{
    Attached, Class, Entity, EntityId, Event, Frame, GameState, Kind, SEATS, SUBPIXELS, Seat, Side, Stage, Vec2,
    units::{TICKS_PER_SECOND, TILE_PX},
};

use super::{
    ENTRY,
    entity_json::{Described, EntityJson},
    reliability::{Executed, RequestStatus},
    wire::{GrabDirection, Method, State},
};
use crate::{FrameBuilder, Scale, Time, roster::Roster};

/// ENTITY_IDs remembered, the living and the dead. There are never more than 4,096 living ones in a [`FrameBuilder`].
const RECORDS_MAX: usize = 8192;
/// ENTITY_IDs from here on do not fit into a Frame, and get the next free id above this.
const FIRST_ALIAS: u32 = 1 << 31;

/// Ticks for which a wall flies on of which nothing is heard: two of its POSITIONs may be lost.
const WALL_ONWARD_TICKS_MAX: i32 = 18;
/// POSITIONs of a wall that are further apart do not tell how fast it is now.
const WALL_GAP_MAX_MICROS: i64 = 500_000;
/// In sub-pixels a tick.
const WALL_VELOCITY_MAX: i64 = TILE_PX as i64 * SUBPIXELS as i64;

/// What a server said.
#[derive(Debug)]
pub(super) struct WorldReader {
    scale: Scale,
    rebuilt: FrameBuilder,
    roster: Roster,
    records: BTreeMap<u64, EntityHistory>,
    /// Entities destroyed up to here are no longer remembered.
    forgotten: Option<u64>,
    holds: [Hold; SEATS],
    state_at: Option<u64>,
    /// GRABs and HITs, which are not to be reported twice.
    executed: Executed<()>,
    next_alias: u32,
    /// Walls, which move between two POSITIONs (ruling C12).
    walls: BTreeMap<EntityId, Wall>,
}

/// A wall where it was last told to be.
#[derive(Clone, Copy, Debug)]
struct Wall {
    position: Vec2,
    /// The server's timestamp of it, in microseconds.
    told: u64,
    heard: Time,
}

#[derive(Clone, Copy, Debug)]
enum EntityHistory {
    Alive { id: EntityId, spawned: u64, moved: u64 },
    Dead { destroyed: u64 },
}

/// What is docked at a ship.
#[derive(Clone, Copy, Debug, Default)]
struct Hold {
    /// The newest GRAB or DROP.
    at: Option<u64>,
    object: Option<(u64, Side)>,
}

impl WorldReader {
    pub(super) fn new(scale: Scale) -> WorldReader {
        WorldReader {
            scale,
            rebuilt: FrameBuilder::default(),
            roster: Roster::new(ENTRY.tells),
            records: BTreeMap::new(),
            forgotten: None,
            holds: [Hold::default(); SEATS],
            state_at: None,
            executed: Executed::new(),
            next_alias: FIRST_ALIAS,
            walls: BTreeMap::new(),
        }
    }

    /// Time passes. It moves walls on, which are sent only every sixth tick.
    pub(super) fn advance(&mut self, now: Time) {
        self.rebuilt.advance(now);
        for (&id, wall) in &self.walls {
            let Some(velocity) = self.rebuilt.peek().entity(id).map(|entity| entity.velocity) else { continue };
            let ticks = now.ticks_since(wall.heard).min(WALL_ONWARD_TICKS_MAX);
            let position = wall.position.moved(velocity, ticks);
            if velocity != Vec2::ZERO
                && let Some(entity) = self.rebuilt.entity(id)
            {
                entity.position = position;
            }
        }
    }

    pub(super) fn take(&mut self, own: Option<Seat>, frame: &mut Frame) -> bool {
        self.roster.settle(own, &mut self.rebuilt);
        self.rebuilt.take(frame)
    }

    pub(super) fn game_state(&self) -> GameState {
        self.rebuilt.peek().state
    }

    /// JOIN's answer names the map. One that is not ours has the number in its name, if there is one.
    pub(super) fn map(&mut self, map_name: &str) {
        let built_in = Stage::built_in(map_name).map(|stage| stage.number);
        let named = || map_name.strip_prefix("stage")?.parse().ok();
        self.rebuilt.frame().stage = built_in.or_else(named).unwrap_or(0);
    }

    /// Whether this is the newest that was said of the state.
    pub(super) fn state(&mut self, timestamp: u64, state: State) -> bool {
        let is_newest = self.state_at.is_none_or(|newest| timestamp > newest);
        if is_newest {
            self.state_at = Some(timestamp);
            let state = game_state(state);
            if self.game_state() != state {
                self.rebuilt.frame().state = state;
                self.rebuilt.event(Event::StateChanged { state });
            }
        }
        is_newest
    }

    /// A text that says nothing to us, or a kind that we do not know, is something unseen.
    pub(super) fn spawn(&mut self, now: Time, timestamp: u64, entity_id: u64, json: EntityJson) {
        let id = match self.records.get(&entity_id) {
            Some(EntityHistory::Alive { spawned, .. }) if *spawned >= timestamp => return,
            Some(EntityHistory::Alive { id, .. }) => *id,
            Some(EntityHistory::Dead { destroyed }) if *destroyed > timestamp => return,
            None if self.forgotten.is_some_and(|forgotten| forgotten > timestamp) => return,
            Some(EntityHistory::Dead { .. }) | None => self.new_id(entity_id),
        };
        let Ok(described) = json.parse() else { return };
        let Some(entity) = self.entity(id, entity_id, &described) else { return };
        if self.rebuilt.insert(entity) {
            self.records.insert(entity_id, EntityHistory::Alive { id, spawned: timestamp, moved: timestamp });
            if entity.kind == Kind::Wall {
                self.walls.insert(id, Wall { position: entity.position, told: timestamp, heard: now });
            } else {
                self.walls.remove(&id);
            }
            self.forget_some();
        }
    }

    /// R13 the other way round: a DESTROY older than the SPAWN was meant for the one before it.
    pub(super) fn destroy(&mut self, timestamp: u64, entity_id: u64) {
        match self.records.get(&entity_id) {
            Some(EntityHistory::Alive { spawned, .. }) if *spawned > timestamp => return,
            Some(EntityHistory::Alive { id, .. }) => {
                let id = *id;
                self.rebuilt.remove(id);
                self.walls.remove(&id);
            }
            Some(EntityHistory::Dead { destroyed }) if *destroyed > timestamp => return,
            Some(EntityHistory::Dead { .. }) | None => {}
        }
        self.records.insert(entity_id, EntityHistory::Dead { destroyed: timestamp });
        self.forget_some();
    }

    pub(super) fn position(&mut self, now: Time, timestamp: u64, entity_id: u64, (x, y): (i64, i64)) {
        let Some(EntityHistory::Alive { id, moved, .. }) = self.records.get_mut(&entity_id) else { return };
        if timestamp > *moved
            && let Some(entity) = self.rebuilt.entity(*id)
        {
            *moved = timestamp;
            entity.position = self.scale.read_whole_position(x, y);
            if let Some(wall) = self.walls.get_mut(id) {
                entity.velocity = wall.velocity(entity, timestamp, self.scale);
                *wall = Wall { position: entity.position, told: timestamp, heard: now };
            }
        }
    }

    pub(super) fn grab(&mut self, timestamp: u64, ship: u64, object: u64, direction: Option<GrabDirection>) {
        let is_new = self.executed.look_up(Method::Grab, timestamp) == RequestStatus::New;
        if !is_new || self.is_outdated(timestamp, ship) || self.is_outdated(timestamp, object) {
            return;
        }
        self.executed.remember(Method::Grab, timestamp, ());
        let side = direction.map(side);
        if let Some(side) = side {
            self.hold(timestamp, ship, Some((object, side)));
        }
        if let (Some(ship), Some(object)) = (self.id(ship), self.id(object)) {
            self.rebuilt.event(Event::Grabbed { ship, object, side });
        }
    }

    pub(super) fn drop_force(&mut self, timestamp: u64, ship: u64) {
        if let Some((force, _)) = self.hold(timestamp, ship, None)
            && let (Some(ship), Some(force)) = (self.id(ship), self.id(force))
        {
            self.rebuilt.event(Event::Dropped { ship, force });
        }
    }

    /// The dialect does not say what was hit: the shot stands for it, being where it is.
    pub(super) fn hit(&mut self, timestamp: u64, entity_id: u64) {
        let is_new = self.executed.look_up(Method::Hit, timestamp) == RequestStatus::New;
        if is_new && let Some(id) = self.id(entity_id) {
            self.executed.remember(Method::Hit, timestamp, ());
            self.rebuilt.event(Event::Hit { by: id, target: id });
        }
    }

    /// Notes what a ship holds now, unless something newer is known. Gives out what it held before.
    fn hold(&mut self, timestamp: u64, ship: u64, object: Option<(u64, Side)>) -> Option<(u64, Side)> {
        let hold = self.holds.get_mut(usize::try_from(ship).ok()?)?;
        if hold.at.is_some_and(|at| at >= timestamp) {
            return None;
        }
        hold.at = Some(timestamp);
        let before = std::mem::replace(&mut hold.object, object);
        for (object, _) in [before, object].into_iter().flatten() {
            let attached = self.attached(object);
            if let Some(entity) = self.id(object).and_then(|id| self.rebuilt.entity(id)) {
                entity.attached = attached;
            }
        }
        before
    }

    /// The ship that holds an object. Ships are 0 to 3 on the wire and in the Frame.
    fn attached(&self, object: u64) -> Option<Attached> {
        let holds = |hold: &Hold| hold.object.filter(|(held, _)| *held == object);
        let held = self.holds.iter().enumerate().find_map(|(ship, hold)| Some((ship, holds(hold)?)));
        held.map(|(ship, (_, side))| Attached { to: EntityId(ship as u32), side })
    }

    fn entity(&self, id: EntityId, entity_id: u64, described: &Described) -> Option<Entity> {
        let kind = Kind::from_name(&described.kind)?;
        let position = self.scale.read_whole_position(described.x, described.y);
        let (vx, vy) = (described.vx.unwrap_or(0), described.vy.unwrap_or(0));
        let health = described.health.unwrap_or(0).min(u16::MAX.into()) as u16;
        let own_seat = u8::try_from(entity_id).ok().filter(|_| kind.class() == Class::Player);
        let owner = described.owner.and_then(|owner| u8::try_from(owner).ok());
        Some(Entity {
            velocity: self.scale.read_velocity(vx as f32, vy as f32),
            health,
            health_max: health,
            seat: described.seat.or(own_seat).or(owner).and_then(Seat::new),
            attached: self.attached(entity_id),
            size_px: described.w.zip(described.h).map(|(w, h)| self.scale.read_size(w as f32, h as f32)),
            ..Entity::new(id, kind, position)
        })
    }

    fn id(&self, entity_id: u64) -> Option<EntityId> {
        match self.records.get(&entity_id) {
            Some(EntityHistory::Alive { id, .. }) => Some(*id),
            Some(EntityHistory::Dead { .. }) | None => None,
        }
    }

    fn is_outdated(&self, timestamp: u64, entity_id: u64) -> bool {
        matches!(self.records.get(&entity_id), Some(EntityHistory::Dead { destroyed }) if *destroyed > timestamp)
    }

    fn new_id(&mut self, entity_id: u64) -> EntityId {
        match u32::try_from(entity_id) {
            Ok(id) if id < FIRST_ALIAS => EntityId(id),
            _ => {
                let alias = self.next_alias;
                self.next_alias = alias.wrapping_add(1).max(FIRST_ALIAS);
                EntityId(alias)
            }
        }
    }

    /// Forgets the older half of the dead when there are too many: what is older than they were is ignored from then on.
    fn forget_some(&mut self) {
        if self.records.len() <= RECORDS_MAX {
            return;
        }
        let destroyed_at = |record: &EntityHistory| match *record {
            EntityHistory::Dead { destroyed } => Some(destroyed),
            EntityHistory::Alive { .. } => None,
        };
        let mut times: Vec<u64> = self.records.values().filter_map(destroyed_at).collect();
        times.sort_unstable();
        let middle = times.get(times.len() / 2).copied();
        self.forgotten = self.forgotten.max(middle);
        self.records.retain(|_, record| destroyed_at(record).is_none_or(|at| Some(at) > middle));
    }
}

impl Wall {
    /// How fast a wall is that has come to where the entity is now. Velocity is sent only with SPAWN, but a wall may stop.
    fn velocity(&self, entity: &Entity, timestamp: u64, scale: Scale) -> Vec2 {
        let micros = i64::try_from(timestamp - self.told).unwrap_or(i64::MAX);
        if !(1..=WALL_GAP_MAX_MICROS).contains(&micros) {
            return entity.velocity;
        }
        let tick_micros = 1_000_000 / i64::from(TICKS_PER_SECOND);
        let unit = i64::from(scale.read_whole_position(1, 0).x);
        let along = |from: i32, to: i32, velocity: i32| {
            let way = i64::from(to) - i64::from(from);
            let expected = i64::from(velocity) * micros / tick_micros;
            // Positions are whole units, and a tick may be late: what SPAWN said is more exact.
            let is_as_told = (way - expected).abs() <= 2 * unit;
            if is_as_told { velocity } else { clamped(way * tick_micros / micros) }
        };
        let (from, to) = (self.position, entity.position);
        Vec2::new(along(from.x, to.x, entity.velocity.x), along(from.y, to.y, entity.velocity.y))
    }
}

/// No wall is faster than a tile a tick, whatever a server says.
fn clamped(velocity: i64) -> i32 {
    velocity.clamp(-WALL_VELOCITY_MAX, WALL_VELOCITY_MAX) as i32
}

fn game_state(state: State) -> GameState {
    match state {
        State::AwaitingStart => GameState::Waiting,
        State::Running => GameState::Running,
        State::Won => GameState::Won,
        State::Lost => GameState::Lost,
        State::Timeout => GameState::TimedOut,
    }
}

fn side(direction: GrabDirection) -> Side {
    match direction {
        GrabDirection::Front => Side::Front,
        GrabDirection::Back => Side::Back,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRONE: &str = r#"{"kind":"drone","x":40,"y":80,"vx":-240,"vy":0,"health":3}"#;
    const FORCE: &str = r#"{"kind":"force","x":0,"y":0,"seat":1}"#;

    const NOW: Time = Time::from_micros(1_000_000);

    fn heard() -> WorldReader {
        WorldReader::new(Scale::default())
    }

    fn spawn(heard: &mut WorldReader, timestamp: u64, entity_id: u64, json: &str) {
        heard.spawn(NOW, timestamp, entity_id, EntityJson::new(json).unwrap());
    }

    fn seen(heard: &WorldReader) -> Vec<u32> {
        heard.rebuilt.peek().entities.iter().map(|entity| entity.id.0).collect()
    }

    #[test]
    fn r13_a_late_spawn_does_not_raise_the_dead_and_a_late_destroy_kills_no_successor() {
        let mut heard = heard();
        heard.destroy(20, 9);
        spawn(&mut heard, 10, 9, DRONE);
        assert!(seen(&heard).is_empty());
        spawn(&mut heard, 30, 9, DRONE);
        heard.destroy(25, 9);
        assert_eq!(seen(&heard), [9]);
        heard.destroy(40, 9);
        heard.position(NOW, 50, 9, (1, 1));
        assert!(seen(&heard).is_empty());
    }

    #[test]
    fn r12_an_older_position_is_ignored() {
        let mut heard = heard();
        spawn(&mut heard, 10, 9, DRONE);
        heard.position(NOW, 30, 9, (4, 8));
        heard.position(NOW, 20, 9, (400, 800));
        spawn(&mut heard, 10, 9, DRONE);
        let drone = heard.rebuilt.peek().entities[0];
        assert_eq!((drone.position.x, drone.position.y), (256, 512));
        assert_eq!((drone.velocity.x, drone.health), (-256, 3));
    }

    #[test]
    fn r10_the_newest_grab_or_drop_holds_even_when_the_force_is_spawned_after_it() {
        let mut heard = heard();
        heard.grab(10, 1, 9, Some(GrabDirection::Back));
        spawn(&mut heard, 5, 9, FORCE);
        let attached = Some(Attached { to: EntityId(1), side: Side::Back });
        assert_eq!(heard.rebuilt.peek().entities[0].attached, attached);
        heard.drop_force(30, 1);
        heard.grab(20, 1, 9, Some(GrabDirection::Front));
        assert_eq!(heard.rebuilt.peek().entities[0].attached, None);
    }

    #[test]
    fn foreign_ids_texts_and_kinds_do_no_harm() {
        let mut heard = heard();
        spawn(&mut heard, 1, u64::MAX, DRONE);
        spawn(&mut heard, 2, u64::MAX - 1, DRONE);
        assert_eq!(seen(&heard), [FIRST_ALIAS, FIRST_ALIAS + 1]);
        spawn(&mut heard, 3, 7, r#"{"kind":"unheard of","x":0,"y":0}"#);
        spawn(&mut heard, 4, 8, "no JSON");
        heard.grab(5, u64::MAX, u64::MAX, Some(GrabDirection::Back));
        heard.drop_force(6, u64::MAX);
        heard.position(NOW, 7, u64::MAX, (i64::MIN, i64::MAX));
        assert_eq!(seen(&heard).len(), 2);
    }

    #[test]
    fn a_server_that_spawns_and_destroys_without_end_does_not_fill_our_memory() {
        let mut heard = heard();
        for number in 0..30_000 {
            spawn(&mut heard, 2 * number, number, DRONE);
            heard.destroy(2 * number + 1, number);
            assert!(heard.records.len() <= RECORDS_MAX);
        }
        spawn(&mut heard, 100, 50, DRONE);
        assert!(seen(&heard).is_empty(), "forgotten, but not raised");
    }
}
