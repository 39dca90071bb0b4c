//! The Frame that a client rebuilds, from packets that may come late, twice, or out of order, and from any server.
//!
//! What a packet says is kept with its timestamp: an older one changes nothing. Between two MoveEntity an entity flies
//! on with its velocity. Nothing here grows without bound.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    time::Duration,
};

use game::{Attached, Class, Entity, EntityId, Event, Frame, Kind, Seat, Vec2};

use super::{ENTRY, description::Update};
use crate::{FrameBuilder, Scale, Time, roster::Roster};

/// Destroyed ids remembered, so that a late CreateEntity does not bring one back (F4).
const DESTROYED_MAX: usize = 8192;
/// Updates kept for entities that are not created yet (F4).
const EARLY_MAX: usize = 1024;
/// Ticks for which an entity flies on without a MoveEntity: half a second.
const FLY_ON_TICKS_MAX: i32 = 30;
/// A wall moves on for longer, because its MoveEntity comes twice a second: four seconds, after which the session is over.
const WALLS_MOVE_TICKS_MAX: i32 = 240;

/// A shot that was created and for this long has not moved is not there: where a network loses and doubles packets, validations that are
/// counted (F4) may pass for those of its DestroyEntity. As long as a session may be silent.
const STILL_SHOT_MAX: Duration = Duration::from_secs(4);

/// What a client knows of its lobby.
#[derive(Debug)]
pub struct WorldReader {
    scale: Scale,
    rebuilt: FrameBuilder,
    roster: Roster,
    tracks: BTreeMap<u32, Track>,
    destroyed: Destroyed,
    early: VecDeque<(u32, u64, Fact)>,
    score_at: u64,
    state_at: u64,
    seat: Option<Seat>,
}

/// Where an entity was last said to be, and when what was said of it.
#[derive(Clone, Copy, Debug)]
struct Track {
    position: Vec2,
    velocity: Vec2,
    since: Time,
    moved_at: u64,
    is_own: bool,
    /// By [`Fact::index`].
    told_at: [u64; 6],
}

/// What an UpdateEntity says of one entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fact {
    Lives(u8),
    Health(u16),
    Seat(Seat),
    Attached(Option<Attached>),
    Own,
    Size(u16, u16),
}

/// A MoveEntity.
#[derive(Clone, Copy, Debug)]
pub struct EntityMove {
    pub id: u32,
    pub timestamp: u64,
    pub place: (f32, f32),
    pub direction: (f32, f32),
}

impl WorldReader {
    /// Nothing is known yet.
    pub fn new(scale: Scale) -> WorldReader {
        WorldReader {
            scale,
            rebuilt: FrameBuilder::default(),
            roster: Roster::new(ENTRY.tells),
            tracks: BTreeMap::new(),
            destroyed: Destroyed::default(),
            early: VecDeque::new(),
            score_at: 0,
            state_at: 0,
            seat: None,
        }
    }

    /// Copies the Frame out if it is new.
    pub fn take(&mut self, frame: &mut Frame) -> bool {
        self.roster.settle(self.seat, &mut self.rebuilt);
        self.rebuilt.take(frame)
    }

    /// The player's seat, once `own` and `seat` of one ship came.
    pub fn seat(&self) -> Option<Seat> {
        self.seat
    }

    pub fn create(&mut self, now: Time, id: u32, prefab: &str, (x, y): (f32, f32)) {
        if self.tracks.contains_key(&id) || self.destroyed.contains(id) {
            return;
        }
        let position = self.scale.read_position(x, y);
        if !self.rebuilt.insert(Entity::new(EntityId(id), kind_of(prefab), position)) {
            return;
        }
        let track = Track {
            position,
            velocity: Vec2::ZERO,
            since: now,
            moved_at: 0,
            is_own: false,
            told_at: Default::default(),
        };
        self.tracks.insert(id, track);
        for index in 0..self.early.len() {
            let (early_id, timestamp, fact) = self.early[index];
            if early_id == id {
                self.apply(id, timestamp, fact);
            }
        }
        self.early.retain(|(early_id, ..)| *early_id != id);
    }

    pub fn destroy(&mut self, id: u32) {
        self.destroyed.insert(id);
        self.early.retain(|(early_id, ..)| *early_id != id);
        if self.tracks.remove(&id).is_none() {
            return;
        }
        self.rebuilt.remove(EntityId(id));
    }

    /// MoveEntity. One of an unknown entity is of no use.
    pub fn move_entity(&mut self, now: Time, moved: EntityMove) {
        let EntityMove { id, timestamp, place, direction } = moved;
        let Some(track) = self.tracks.get_mut(&id) else { return };
        if timestamp < track.moved_at {
            return;
        }
        track.moved_at = timestamp;
        track.since = now;
        track.position = self.scale.read_position(place.0, place.1);
        track.velocity = self.scale.read_velocity(direction.0, direction.1);
        if let Some(entity) = self.rebuilt.entity(EntityId(id)) {
            (entity.position, entity.velocity) = (track.position, track.velocity);
        }
    }

    pub fn update(&mut self, id: u32, timestamp: u64, update: Update) {
        let fact = match update {
            Update::Score(score) => return self.update_score(id, timestamp, score),
            Update::State(state) => return self.update_state(id, timestamp, state),
            Update::Lives(lives) => Fact::Lives(lives),
            Update::Health(health) => Fact::Health(health),
            Update::Seat(seat) => Fact::Seat(seat),
            Update::Attached(to, side) => Fact::Attached(Some(Attached { to: EntityId(to), side })),
            Update::Detached => Fact::Attached(None),
            Update::Own => Fact::Own,
            Update::Size(width, height) => {
                let (width_px, height_px) = self.scale.read_size(width as f32, height as f32);
                Fact::Size(width_px, height_px)
            }
            Update::Unknown(_) => return,
        };
        if self.tracks.contains_key(&id) {
            self.apply(id, timestamp, fact);
        } else if !self.destroyed.contains(id) {
            self.keep_early(id, timestamp, fact);
        }
    }

    /// Moves everything on to where it is by now.
    pub fn advance(&mut self, now: Time) {
        self.rebuilt.advance(now);
        while let Some(id) = self.still_shot(now) {
            self.destroy(id);
        }
        for (&id, track) in self.tracks.iter().filter(|(_, track)| track.velocity != Vec2::ZERO) {
            let id = EntityId(id);
            let is_wall = self.rebuilt.peek().entity(id).is_some_and(|entity| entity.kind == Kind::Wall);
            let ticks_max = if is_wall { WALLS_MOVE_TICKS_MAX } else { FLY_ON_TICKS_MAX };
            let position = track.position.moved(track.velocity, now.ticks_since(track.since).min(ticks_max));
            if self.rebuilt.peek().entity(id).is_some_and(|entity| entity.position != position)
                && let Some(entity) = self.rebuilt.entity(id)
            {
                entity.position = position;
            }
        }
    }

    fn still_shot(&self, now: Time) -> Option<u32> {
        let is_still = |track: &Track| track.velocity == Vec2::ZERO && now.since(track.since) >= STILL_SHOT_MAX;
        let is_shot = |id: u32| {
            let kind = self.rebuilt.peek().entity(EntityId(id)).map(|entity| entity.kind);
            kind.is_some_and(|kind| matches!(kind.class(), Class::PlayerShot | Class::EnemyShot))
        };
        self.tracks.iter().find(|&(&id, track)| is_still(track) && is_shot(id)).map(|(&id, _)| id)
    }

    fn update_score(&mut self, id: u32, timestamp: u64, score: u32) {
        if id == 0 && timestamp >= self.score_at {
            self.score_at = timestamp;
            self.rebuilt.frame().score = score;
        }
    }

    fn update_state(&mut self, id: u32, timestamp: u64, state: game::GameState) {
        if id != 0 || timestamp < self.state_at {
            return;
        }
        self.state_at = timestamp;
        if self.rebuilt.peek().state != state {
            self.rebuilt.frame().state = state;
            self.rebuilt.event(Event::StateChanged { state });
        }
    }

    /// Entity 0 is the game: it is never created, so nothing is kept for it.
    fn keep_early(&mut self, id: u32, timestamp: u64, fact: Fact) {
        if id == 0 || self.early.contains(&(id, timestamp, fact)) {
            return;
        }
        if self.early.len() == EARLY_MAX {
            self.early.pop_front();
        }
        self.early.push_back((id, timestamp, fact));
    }

    fn apply(&mut self, id: u32, timestamp: u64, fact: Fact) {
        let Some(track) = self.tracks.get_mut(&id) else { return };
        let told_at = &mut track.told_at[fact.index()];
        if timestamp < *told_at {
            return;
        }
        *told_at = timestamp;
        track.is_own |= fact == Fact::Own;
        let is_own = track.is_own;
        let Some(entity) = self.rebuilt.entity(EntityId(id)) else { return };
        match fact {
            Fact::Lives(lives) => entity.lives = lives,
            Fact::Health(health) => {
                entity.health = health;
                // The dialect does not say it: the most that was heard of.
                entity.health_max = entity.health_max.max(health);
            }
            Fact::Seat(seat) => entity.seat = Some(seat),
            Fact::Attached(attached) => entity.attached = attached,
            Fact::Own => {}
            Fact::Size(width_px, height_px) => entity.size_px = Some((width_px, height_px)),
        }
        if is_own {
            self.seat = entity.seat.or(self.seat);
        }
    }
}

impl Fact {
    fn index(self) -> usize {
        match self {
            Fact::Lives(_) => 0,
            Fact::Health(_) => 1,
            Fact::Seat(_) => 2,
            Fact::Attached(_) => 3,
            Fact::Own => 4,
            Fact::Size(..) => 5,
        }
    }
}

/// What a prefab shows. A foreign server may name a file by its path; what we do not know is something in the way.
fn kind_of(prefab: &str) -> Kind {
    let file = prefab.rsplit(['/', '\\']).next().unwrap_or(prefab);
    let stem = file.split('.').next().unwrap_or(file);
    Kind::from_name(stem).unwrap_or(Kind::Debris)
}

/// The ids that were destroyed last.
#[derive(Debug, Default)]
struct Destroyed {
    ids: BTreeSet<u32>,
    order: VecDeque<u32>,
}

impl Destroyed {
    fn contains(&self, id: u32) -> bool {
        self.ids.contains(&id)
    }

    fn insert(&mut self, id: u32) {
        if !self.ids.insert(id) {
            return;
        }
        self.order.push_back(id);
        if self.order.len() > DESTROYED_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shot_that_never_moves_is_gone_after_a_while_and_nothing_else_is() {
        let start = Time::from_micros(1_000_000);
        let mut world = WorldReader::new(Scale::default());
        for (id, prefab) in (4..).zip(["shot", "shot", "pellet", "red_crystal", "mine"]) {
            world.create(start, id, prefab, (400.0, 400.0));
        }
        let moved = EntityMove { id: 5, timestamp: 1, place: (400.0, 400.0), direction: (40.0, 0.0) };
        world.move_entity(start, moved);
        let ids = |world: &mut WorldReader, now: Time| -> Vec<u32> {
            world.advance(now);
            world.rebuilt.peek().entities.iter().map(|entity| entity.id.0).collect()
        };
        assert_eq!(ids(&mut world, start + STILL_SHOT_MAX - Duration::from_millis(1)), [4, 5, 6, 7, 8]);
        assert_eq!(ids(&mut world, start + STILL_SHOT_MAX), [5, 7, 8]);
    }
}
