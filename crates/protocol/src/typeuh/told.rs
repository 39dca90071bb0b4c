//! What a peer was told of the game, and what to tell it next: new entities, changes, deletions, and the repair of what
//! may have been lost (ruling T5). Nothing is ever confirmed, so this holds what was said, not what was heard.

use std::{collections::VecDeque, time::Duration};

use game::{EntityId, Seat};

use super::{
    FORGET,
    component::{Component, ComponentName},
    outbox::Outbox,
    portrait::{Portrait, Seen},
    wire::Instruction,
};
use crate::{Scale, Scene, Time};

/// The entity that carries score and state of the game; a scene's own ids start at 1.
const GAME_ID: u16 = 0;
/// Its place in the order of the game's ids, which are never 0.
const GAME_ENTITY: EntityId = EntityId(0);

/// Every entity is said in full once in so many slots, 900 ms in all, so that "at least once a second" holds although
/// ticks are uneven. Ids are dense, so taking the slot from the id spreads the entities evenly.
const REPAIR_SLOTS: u64 = 60;
const REPAIR_SLOT: Duration = Duration::from_millis(15);
/// A deletion is said again after this: with ticks of 17 ms between them, "at least every 100 ms".
const DELETION_AGAIN: Duration = Duration::from_millis(80);
/// For so long: a second, and a tick to reach its end. Ids rest longer than this (ruling C4).
const DELETION_LASTS: Duration = Duration::from_millis(1020);

/// For so long the repairs of an id that was used before take from it what its last bearer had. A client that still has
/// the last bearer hears of the next within a second of its arrival: an id rests two seconds, and a client forgets
/// after three. The rest is for repairs that are lost.
const CLEANING: Duration = Duration::from_secs(4);

/// What a peer was told. Its size is that of the scene and of what went in the last second.
#[derive(Debug)]
pub(super) struct Told {
    scale: Scale,
    own: Seat,
    /// By the game's id.
    entries: Vec<Entry>,
    /// The memory of the tick before last, to be used again.
    spare: Vec<Entry>,
    deleted: VecDeque<Deleted>,
    /// By the peer's id. Ids are given out lowest first, so this stays short; there are 65,536 at most.
    bearers: Vec<Bearer>,
    repaired: Option<u64>,
    anew: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    entity: EntityId,
    id: u16,
    seen: Seen,
}

#[derive(Clone, Copy, Debug)]
struct Deleted {
    id: u16,
    since: Time,
    said: Time,
}

/// What an id was said to have: sets of components, one bit each.
#[derive(Clone, Copy, Debug, Default)]
struct Bearer {
    /// Its bearer, at any time.
    own: u16,
    /// The bearer before, if a client may still take the one for the other.
    former: u16,
    since: Option<Time>,
    until: Option<Time>,
}

impl Told {
    /// For a peer that was told nothing yet and sits in the seat `own`.
    pub fn new(scale: Scale, own: Seat) -> Told {
        Told {
            scale,
            own,
            entries: Vec::new(),
            spare: Vec::new(),
            deleted: VecDeque::new(),
            bearers: Vec::new(),
            repaired: None,
            anew: false,
        }
    }

    /// The peer asked for the whole state: introduce everything next time, as if it were new.
    pub fn tell_anew(&mut self) {
        self.anew = true;
    }

    /// Says what there is to say of a new scene.
    pub fn tell(&mut self, now: Time, scene: &Scene, out: &mut Outbox) {
        let repairs = self.repairs(now);
        let anew = std::mem::take(&mut self.anew);
        let mut entries = std::mem::take(&mut self.spare);
        let mut before = std::mem::take(&mut self.entries);
        let mut old = before.drain(..).peekable();
        for entry in entries_of(scene) {
            while let Some(gone) = old.next_if(|old| old.entity < entry.entity) {
                self.bury(now, gone.id, out);
            }
            match old.next_if(|old| old.entity == entry.entity) {
                Some(_) if anew => self.introduce(&entry, out),
                Some(_) if repairs.includes(entry.id) => self.say_again(now, &entry, out),
                Some(old) => self.say_changes(&old, &entry, out),
                None => {
                    self.bearer(entry.id).succeed(now);
                    self.introduce(&entry, out);
                }
            }
            entries.push(entry);
        }
        old.for_each(|gone| self.bury(now, gone.id, out));
        self.spare = before;
        self.entries = entries;
        self.say_deletions(now, out);
    }

    /// An entity at first sight. By the document a component is attached before it is updated.
    fn introduce(&mut self, entry: &Entry, out: &mut Outbox) {
        self.deleted.retain(|deleted| deleted.id != entry.id);
        out.push(&Instruction::CreateEntity { entity_id: entry.id });
        let portrait = entry.seen.portrait(self.scale, self.own);
        for component in portrait.iter().flatten() {
            attach(entry.id, component, out);
        }
        self.note(entry.id, &portrait);
    }

    /// All of an entity: ruling T5. What it was said to have and has no longer is detached again too, as nothing else
    /// would make up for a Detach that was lost, or, for a while, for all Deletes of the last bearer of its id.
    fn say_again(&mut self, now: Time, entry: &Entry, out: &mut Outbox) {
        out.push(&Instruction::CreateEntity { entity_id: entry.id });
        let portrait = entry.seen.portrait(self.scale, self.own);
        for component in portrait.iter().flatten() {
            match component {
                // It has no state: to a reader of the document alone only Attach says it.
                Component::Own => attach(entry.id, component, out),
                _ => out.push(&Instruction::update(entry.id, *component)),
            }
        }
        let said = self.bearer(entry.id).said(now);
        for name in ComponentName::ALL {
            if said & bit(name) != 0 && portrait[name as usize].is_none() {
                out.push(&Instruction::DetachComponent { entity_id: entry.id, component_id: name.own_id() });
            }
        }
        self.note(entry.id, &portrait);
    }

    fn say_changes(&mut self, old: &Entry, new: &Entry, out: &mut Outbox) {
        if old.seen == new.seen {
            return;
        }
        // Most entities have only moved: there is no need to draw the rest of them.
        if let Some(moves) = new.seen.moves_since(&old.seen, self.scale) {
            for component in moves.into_iter().flatten() {
                out.push(&Instruction::update(new.id, component));
            }
            return;
        }
        let portrait = new.seen.portrait(self.scale, self.own);
        say_differences(new.id, &old.seen.portrait(self.scale, self.own), &portrait, out);
        self.note(new.id, &portrait);
    }

    fn note(&mut self, id: u16, portrait: &Portrait) {
        let bits = portrait.iter().flatten().map(|component| bit(component.name()));
        self.bearer(id).own |= bits.fold(0, |all, bit| all | bit);
    }

    fn bearer(&mut self, id: u16) -> &mut Bearer {
        let index = usize::from(id);
        if self.bearers.len() <= index {
            self.bearers.resize(index + 1, Bearer::default());
        }
        &mut self.bearers[index]
    }

    fn bury(&mut self, now: Time, id: u16, out: &mut Outbox) {
        self.bearer(id).until = Some(now);
        out.push(&Instruction::DeleteEntity { entity_id: id });
        self.deleted.push_back(Deleted { id, since: now, said: now });
    }

    fn say_deletions(&mut self, now: Time, out: &mut Outbox) {
        while self.deleted.front().is_some_and(|deleted| now.since(deleted.since) > DELETION_LASTS) {
            self.deleted.pop_front();
        }
        for deleted in &mut self.deleted {
            if now.since(deleted.said) >= DELETION_AGAIN {
                deleted.said = now;
                out.push(&Instruction::DeleteEntity { entity_id: deleted.id });
            }
        }
    }

    /// The slots that went by since the last tick.
    fn repairs(&mut self, now: Time) -> Repairs {
        let slot = now.micros() / REPAIR_SLOT.as_micros() as u64;
        let last = self.repaired.replace(slot).unwrap_or(slot);
        Repairs { first: last + 1, count: slot.saturating_sub(last) }
    }
}

impl Bearer {
    /// Another one has the id now.
    fn succeed(&mut self, now: Time) {
        let is_known_still = self.until.is_some_and(|until| now.since(until) < FORGET);
        *self = Bearer { own: 0, former: if is_known_still { self.own } else { 0 }, since: Some(now), until: None };
    }

    /// The components that a client may believe it to have.
    fn said(&self, now: Time) -> u16 {
        let is_young = self.since.is_some_and(|since| now.since(since) < CLEANING);
        if is_young { self.own | self.former } else { self.own }
    }
}

/// Some slots in a row.
#[derive(Clone, Copy, Debug)]
struct Repairs {
    first: u64,
    count: u64,
}

impl Repairs {
    /// Whether the slot of that id is among them.
    fn includes(self, id: u16) -> bool {
        let after_first = (u64::from(id) + REPAIR_SLOTS - self.first % REPAIR_SLOTS) % REPAIR_SLOTS;
        after_first < self.count
    }
}

/// The game's own entity, then all that have an id, by the game's id.
fn entries_of(scene: &Scene) -> impl Iterator<Item = Entry> {
    let game = Entry { entity: GAME_ENTITY, id: GAME_ID, seen: Seen::game(&scene.frame) };
    let entities =
        scene.entities16().map(|(id, entity)| Entry { entity: entity.id, id, seen: Seen::entity(entity, scene) });
    std::iter::once(game).chain(entities)
}

fn say_differences(entity_id: u16, old: &Portrait, new: &Portrait, out: &mut Outbox) {
    for name in ComponentName::ALL {
        match (&old[name as usize], &new[name as usize]) {
            (Some(old), Some(component)) if old == component => {}
            (Some(_), Some(component)) => out.push(&Instruction::update(entity_id, *component)),
            (None, Some(component)) => attach(entity_id, component, out),
            (Some(_), None) => {
                out.push(&Instruction::DetachComponent { entity_id, component_id: name.own_id() });
            }
            (None, None) => {}
        }
    }
}

fn attach(entity_id: u16, component: &Component, out: &mut Outbox) {
    out.push(&Instruction::AttachComponent { entity_id, component_id: component.name().own_id() });
    out.push(&Instruction::update(entity_id, *component));
}

const fn bit(name: ComponentName) -> u16 {
    1 << name as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t5_over_the_slots_of_a_period_every_id_is_repaired_exactly_once() {
        for first in [0, 59, 1_000_003] {
            for id in [0, 1, 59, 60, 61, 65_535] {
                let slots = (first..first + REPAIR_SLOTS).map(|first| Repairs { first, count: 1 });
                assert_eq!(slots.filter(|repairs| repairs.includes(id)).count(), 1, "{first} {id}");
            }
        }
    }

    #[test]
    fn t5_a_late_tick_makes_up_for_the_slots_that_it_missed() {
        let included = |repairs: Repairs| (0..60).filter(|&id| repairs.includes(id)).collect::<Vec<_>>();
        assert_eq!(included(Repairs { first: 59, count: 3 }), [0, 1, 59]);
        assert!(included(Repairs { first: 59, count: 0 }).is_empty());
        assert_eq!(included(Repairs { first: 7, count: 60 }).len(), 60);
        assert_eq!(included(Repairs { first: 7, count: u64::MAX }).len(), 60);
    }
}
