//! The Frame that a client's half rebuilds from its dialect.

use game::{Class, Entity, EntityId, Event, Frame, Kind, SEATS, px};

use crate::{Time, disappearances::Disappearances};

/// A foreign server may announce any number of entities; more than this are not kept.
const ENTITIES_MAX: usize = 4096;
/// Events kept until they are taken.
const EVENTS_MAX: usize = 1024;
/// A new shot this near a ship or its gear was fired there just now.
const MUZZLE: i32 = px(64);

/// A Frame under construction. Entities are found by the id that the dialect gives them.
#[derive(Clone, Debug, Default)]
pub struct FrameBuilder {
    frame: Frame,
    is_new: bool,
    /// Behind the entity that was put in last: servers say them in order, so that is where the next one is.
    next: usize,
    now: Time,
    disappearances: Disappearances,
    /// Who has fired since the Frame was last taken.
    fired: [bool; SEATS],
}

impl FrameBuilder {
    /// The Frame, to change anything but its entities. It counts as new from now on.
    pub fn frame(&mut self) -> &mut Frame {
        self.is_new = true;
        &mut self.frame
    }

    /// The Frame as it stands.
    pub fn peek(&self) -> &Frame {
        &self.frame
    }

    /// The entity of that id, to change it.
    pub fn entity(&mut self, id: EntityId) -> Option<&mut Entity> {
        let index = self.index(id).ok()?;
        self.is_new = true;
        Some(&mut self.frame.entities[index])
    }

    /// Puts an entity in, in place of one of the same id. False if there is no room.
    pub fn insert(&mut self, entity: Entity) -> bool {
        self.is_new = true;
        let is_next = self.frame.entities.get(self.next).is_some_and(|other| other.id == entity.id);
        let index = if is_next { Ok(self.next) } else { self.index(entity.id) };
        self.next = index.unwrap_or_else(|index| index) + 1;
        match index {
            Ok(index) => self.frame.entities[index] = entity,
            Err(_) if self.frame.entities.len() >= ENTITIES_MAX => return false,
            Err(index) => {
                self.frame.entities.insert(index, entity);
                // Nothing happens to walls: they come and go without events.
                if entity.kind != Kind::Wall {
                    self.event(Event::Spawned { entity: entity.id });
                    self.disappearances.appeared(&entity);
                    self.note_shot(&entity);
                }
            }
        }
        true
    }

    /// Takes an entity out.
    pub fn remove(&mut self, id: EntityId) {
        if let Ok(index) = self.index(id) {
            self.is_new = true;
            let entity = self.frame.entities.remove(index);
            if entity.kind == Kind::Wall {
                return;
            }
            if let Some(gone) = self.disappearances.disappeared(self.now, &entity) {
                self.event(Event::Destroyed { entity: id, gone });
            }
        }
    }

    /// Lets time pass.
    pub fn advance(&mut self, now: Time) {
        self.now = self.now.max(now);
    }

    /// The latest time that was passed in.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Whether what the server shows may leave out explosions for want of room.
    pub fn set_crowded(&mut self, is_crowded: bool) {
        self.disappearances.set_crowded(is_crowded);
    }

    /// Takes out every entity that is not to stay.
    pub fn retain(&mut self, mut stays: impl FnMut(&Entity) -> bool) {
        let gone: Vec<EntityId> =
            self.frame.entities.iter().filter(|entity| !stays(entity)).map(|entity| entity.id).collect();
        gone.into_iter().for_each(|id| self.remove(id));
    }

    /// Moves walls on by some ticks, in a dialect that sends them only when they change (ruling C12).
    pub fn move_walls(&mut self, ticks: i32) {
        for wall in self.frame.entities.iter_mut().filter(|entity| entity.kind == Kind::Wall) {
            wall.position = wall.position.moved(wall.velocity, ticks);
        }
    }

    /// Notes that something happened.
    pub fn event(&mut self, event: Event) {
        self.is_new = true;
        if self.frame.events.len() < EVENTS_MAX {
            self.frame.events.push(event);
        }
    }

    /// Copies the Frame out if it is new, with the events since the last time.
    pub fn take(&mut self, frame: &mut Frame) -> bool {
        self.decide_disappearances();
        let is_new = std::mem::take(&mut self.is_new);
        if is_new {
            frame.clone_from(&self.frame);
            self.frame.events.clear();
            self.fired = [false; SEATS];
        }
        is_new
    }

    fn decide_disappearances(&mut self) {
        let mut decided = Vec::new();
        self.disappearances
            .decide(self.now, &self.frame, |entity, gone| decided.push(Event::Destroyed { entity, gone }));
        decided.into_iter().for_each(|event| self.event(event));
    }

    /// No document tells that somebody fires: a new shot at a ship does. Whose it is, if that is not told, is known by which.
    /// A volley is one event, however many shots it has.
    fn note_shot(&mut self, shot: &Entity) {
        if shot.kind.class() != Class::PlayerShot {
            return;
        }
        let away = |from: &Entity| {
            let way = from.position - shot.position;
            way.x.abs().max(way.y.abs())
        };
        let is_armed = |entity: &&Entity| matches!(entity.kind.class(), Class::Player | Class::Gear);
        let is_owner = |entity: &&Entity| shot.seat.is_none() || entity.seat == shot.seat;
        let owners =
            self.frame.entities.iter().filter(is_armed).filter(is_owner).filter(|entity| away(entity) <= MUZZLE);
        // It leaves at the height of its ship, some way ahead.
        let off = |entity: &&Entity| ((entity.position.y - shot.position.y).abs(), away(entity));
        let seat = owners.min_by_key(off).and_then(|entity| entity.seat);
        if let Some(seat) = seat
            && !std::mem::replace(&mut self.fired[seat.index()], true)
        {
            self.event(Event::Fired { seat, shot: shot.id });
        }
    }

    fn index(&self, id: EntityId) -> Result<usize, usize> {
        self.frame.entities.binary_search_by_key(&id, |entity| entity.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Vec2;

    #[test]
    fn a_frame_is_new_until_it_is_taken_and_its_events_are_given_once() {
        let mut rebuilt = FrameBuilder::default();
        let mut frame = Frame::default();
        assert!(!rebuilt.take(&mut frame));
        rebuilt.insert(Entity::new(EntityId(7), Kind::Drone, Vec2::ZERO));
        rebuilt.insert(Entity::new(EntityId(3), Kind::Player, Vec2::ZERO));
        assert!(rebuilt.take(&mut frame));
        assert_eq!(frame.entities.iter().map(|entity| entity.id.0).collect::<Vec<_>>(), [3, 7]);
        assert_eq!(frame.events.len(), 2);
        rebuilt.remove(EntityId(7));
        assert!(rebuilt.take(&mut frame));
        assert_eq!(frame.events, [Event::Destroyed { entity: EntityId(7), gone: game::Gone::Destroyed }]);
        assert!(!rebuilt.take(&mut frame));
    }

    #[test]
    fn a_server_that_announces_without_end_does_not_fill_our_memory() {
        let mut rebuilt = FrameBuilder::default();
        let kept = (0..100_000).filter(|&id| rebuilt.insert(Entity::new(EntityId(id), Kind::Drone, Vec2::ZERO)));
        assert_eq!(kept.count(), ENTITIES_MAX);
        assert_eq!(rebuilt.peek().events.len(), EVENTS_MAX);
    }
}
