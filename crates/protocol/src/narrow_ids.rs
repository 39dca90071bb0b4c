//! Ids for dialects whose ids are narrower than the game's (ruling C4): one map per lobby, lowest free id first, and an
//! id rests two seconds before it is used again. With no free id an entity waits, unseen.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
    time::Duration,
};

use game::{Entity, EntityId};

use crate::Time;

/// How long an id rests: two seconds, and three ticks more, so that it is two seconds also to a peer whom the end of its
/// last entity reached late.
pub const REST: Duration = Duration::from_millis(2_050);

/// Ruling C16: how many ids may have been given since it was last noted which were.
const UNKNOWN_MAX: u32 = 256;

/// A map from the game's ids to narrower ones.
#[derive(Clone, Debug)]
pub struct NarrowIds {
    /// Sorted by the game's id.
    live: Vec<(EntityId, u16)>,
    resting: VecDeque<(Time, u16)>,
    rested: BinaryHeap<Reverse<u16>>,
    /// The lowest id never used; above `last` when all were.
    fresh: u32,
    last: u16,
}

impl NarrowIds {
    /// A map to the ids from `first` to `last`.
    pub fn new(first: u16, last: u16) -> NarrowIds {
        let (resting, rested) = (VecDeque::new(), BinaryHeap::new());
        NarrowIds { live: Vec::new(), resting, rested, fresh: first.into(), last }
    }

    /// Ruling C16: a map that begins above those ids of an earlier one that meant something when its [`NarrowIds::end`] was noted.
    /// What is below, or may have been given since, rests first. Where few are left, most of them are for what there is to see now.
    pub fn after(now: Time, first: u16, last: u16, end: u32) -> NarrowIds {
        let end = end.clamp(first.into(), u32::from(last) + 1);
        let left = u32::from(last) + 1 - end;
        let fresh = end + UNKNOWN_MAX.min(left / 4);
        let rests = (u32::from(first)..fresh).filter_map(|id| Some((now, u16::try_from(id).ok()?)));
        NarrowIds { resting: rests.collect(), fresh, ..NarrowIds::new(first, last) }
    }

    /// All ids that mean something, or did until a moment ago, are below this.
    pub fn end(&self) -> u32 {
        let live = self.live.iter().map(|&(_, id)| id);
        let highest = live.chain(self.resting.iter().map(|&(_, id)| id)).max();
        highest.map_or(0, |id| u32::from(id) + 1)
    }

    /// The narrow id of an entity, unless it is gone or still waits for one.
    pub fn get(&self, entity: EntityId) -> Option<u16> {
        let index = self.live.binary_search_by_key(&entity, |&(entity, _)| entity).ok()?;
        Some(self.live[index].1)
    }

    /// Of entities in rising order those that have a narrow id, with it. One walk along both lists.
    pub fn along<'a>(&'a self, entities: impl Iterator<Item = &'a Entity>) -> impl Iterator<Item = (u16, &'a Entity)> {
        let mut live = self.live.iter().peekable();
        entities.filter_map(move |entity| {
            while live.next_if(|(known, _)| *known < entity.id).is_some() {}
            let (_, id) = live.next_if(|(known, _)| *known == entity.id)?;
            Some((*id, entity))
        })
    }

    /// Makes the map fit what is there now, given in rising order.
    pub fn update(&mut self, now: Time, entities: impl Iterator<Item = EntityId> + Clone) {
        while self.resting.front().is_some_and(|&(since, _)| now.since(since) >= REST) {
            let rested = self.resting.pop_front();
            self.rested.extend(rested.map(|(_, id)| Reverse(id)));
        }
        // In most ticks nothing appears or goes.
        if self.live.iter().map(|&(entity, _)| entity).eq(entities.clone()) {
            return;
        }
        self.release(now, entities.clone());
        self.admit(entities);
    }

    /// Gives ids to those that have none. Both lists are in rising order, so one walk along them is enough.
    fn admit(&mut self, entities: impl Iterator<Item = EntityId>) {
        let mut index = 0;
        for entity in entities {
            while self.live.get(index).is_some_and(|&(known, _)| known < entity) {
                index += 1;
            }
            if self.live.get(index).is_none_or(|&(known, _)| known != entity) {
                let Some(id) = self.lowest_free() else { return };
                self.live.insert(index, (entity, id));
            }
        }
    }

    fn release(&mut self, now: Time, mut entities: impl Iterator<Item = EntityId>) {
        let resting = &mut self.resting;
        let mut next = entities.next();
        self.live.retain(|&(entity, id)| {
            while next.is_some_and(|next| next < entity) {
                next = entities.next();
            }
            let stays = next == Some(entity);
            if !stays {
                resting.push_back((now, id));
            }
            stays
        });
    }

    /// Used ids are all below fresh ones.
    fn lowest_free(&mut self) -> Option<u16> {
        if let Some(Reverse(id)) = self.rested.pop() {
            return Some(id);
        }
        let id = u16::try_from(self.fresh).ok().filter(|&id| id <= self.last)?;
        self.fresh += 1;
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Kind, Vec2};

    fn update(ids: &mut NarrowIds, at_ms: u64, entities: &[u32]) {
        let entities = entities.iter().map(|&id| EntityId(id));
        ids.update(Time::from_micros(at_ms * 1000), entities);
    }

    #[test]
    fn c4_the_lowest_free_id_is_given_and_rests_two_seconds() {
        let mut ids = NarrowIds::new(4, 255);
        update(&mut ids, 0, &[10, 20, 30]);
        assert_eq!([10, 20, 30].map(|id| ids.get(EntityId(id))), [Some(4), Some(5), Some(6)]);
        update(&mut ids, 100, &[10, 30]);
        update(&mut ids, 2149, &[10, 30, 40]);
        assert_eq!(ids.get(EntityId(40)), Some(7), "5 still rests");
        update(&mut ids, 2150, &[10, 30, 40, 50]);
        assert_eq!(ids.get(EntityId(50)), Some(5));
        assert_eq!(ids.get(EntityId(20)), None);
    }

    #[test]
    fn c16_ids_go_on_above_those_that_were_given_and_what_is_below_rests() {
        let mut ids = NarrowIds::new(4, 255);
        update(&mut ids, 0, &[10, 20, 30]);
        let at = |ms: u64| Time::from_micros(ms * 1000);
        let mut next = NarrowIds::after(at(100), 4, 255, ids.end());
        update(&mut next, 100, &[10, 40]);
        let fresh = next.get(EntityId(10)).expect("an id");
        assert!(fresh > 6 && next.get(EntityId(40)) == Some(fresh + 1), "{fresh}");
        update(&mut next, 2150, &[10, 40, 50]);
        assert_eq!(next.get(EntityId(50)), Some(4), "those below have rested");
        update(&mut next, 9000, &[50]);
        update(&mut next, 11_050, &[50]);
        assert_eq!(next.end(), 5, "those above have rested too");
        let mut full = NarrowIds::after(at(0), 4, 255, 256);
        update(&mut full, 0, &[1]);
        assert_eq!(full.get(EntityId(1)), None);
        update(&mut full, 2050, &[1]);
        assert_eq!(full.get(EntityId(1)), Some(4), "even if all were given");
    }

    #[test]
    fn walking_along_finds_what_looking_up_finds() {
        let mut ids = NarrowIds::new(4, 7);
        update(&mut ids, 0, &[10, 20, 30, 40, 50]);
        let entities = [5, 10, 30, 35, 40, 50, 60].map(|id| Entity::new(EntityId(id), Kind::Drone, Vec2::ZERO));
        let walked: Vec<_> = ids.along(entities.iter()).map(|(id, entity)| (entity.id.0, id)).collect();
        assert_eq!(walked, [(10, 4), (30, 6), (40, 7)]);
        let found = entities.iter().filter_map(|entity| Some((entity.id.0, ids.get(entity.id)?)));
        assert_eq!(found.collect::<Vec<_>>(), walked);
    }

    #[test]
    fn c4_with_no_free_id_an_entity_waits_unseen() {
        let mut ids = NarrowIds::new(4, 5);
        update(&mut ids, 0, &[1, 2, 3]);
        assert_eq!(ids.get(EntityId(3)), None);
        update(&mut ids, 10, &[2, 3]);
        assert_eq!(ids.get(EntityId(3)), None, "4 rests");
        update(&mut ids, 2060, &[2, 3]);
        assert_eq!(ids.get(EntityId(3)), Some(4));
    }
}
