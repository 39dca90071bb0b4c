//! What the players of a lobby were told of the game, and what to tell them next: new entities, changes, deletions, and
//! the repair of what may have been lost (ruling T5). Nothing is ever confirmed, so this holds what was said, not what
//! was heard. And so it is the same for all who were there in the tick before, but for whose ship is whose.

use std::{collections::VecDeque, time::Duration};

use game::{EntityId, Seat};

use super::{
    FORGET,
    component::{Component, ComponentName},
    entity::{Components, EntityState},
    instruction_queue::{InstructionQueue, Lines},
    wire::Instruction,
};
use crate::{NarrowIds, Scale, Scene, Time};

/// The entity that carries score and state of the game; a scene's own ids start at 1.
const GAME_ID: u16 = 0;
/// Its place in the order of the game's ids, which are never 0.
const GAME_ENTITY: EntityId = EntityId(0);

/// Slots in which every entity is said in full once, 900 ms in all, so that "at least once a second" holds although
/// ticks are uneven. Ids are dense, so taking the slot from the id spreads the entities evenly.
const REPAIR_SLOTS: u64 = 60;
const REPAIR_SLOT: Duration = Duration::from_millis(15);
/// A deletion is said again after this, which with ticks of 17 ms is every 67 ms: "at least every 100 ms" even when a tick
/// or two are late.
const DELETION_AGAIN: Duration = Duration::from_millis(60);
/// How long it is said again: a second, and a tick to reach its end. Ids rest longer than this (ruling C4).
const DELETION_LASTS: Duration = Duration::from_millis(1020);

/// How long the repairs of an id that was used before take from it what its last entity had. A client that still has
/// the last entity hears of the next within a second of its arrival: an id rests two seconds, and a client forgets
/// after three. The rest is for repairs that are lost.
const CLEANING: Duration = Duration::from_secs(4);

/// What the players of a lobby were told. Its size is that of the scene and of what went in the last second.
#[derive(Clone, Debug)]
pub(crate) struct SharedWorld {
    scale: Scale,
    /// How often it started again.
    epoch: u64,
    /// The number of the scene's update that it reports.
    update: Option<u64>,
    /// By the game's id.
    entries: Vec<SharedEntity>,
    /// The memory of the tick before last, to be used again.
    spare: Vec<SharedEntity>,
    deleted: VecDeque<Deleted>,
    /// By the peer's id. Ids are given out lowest first, so this stays short; there are 65,536 at most.
    id_histories: Vec<IdHistory>,
    repaired: Option<u64>,
    /// What is said in this tick of what is there, to those who were told in the tick before.
    changes: Lines,
    /// And of what is not.
    deletions: Lines,
    /// To others, once somebody asks: all that there is.
    whole: Option<Lines>,
}

/// A player, as far as what to tell depends on them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subscriber {
    seat: Seat,
    knows: Knows,
    cleaning: Cleaning,
}

/// Ruling C16: whether the ids that a player knows from before the node was started again are still being deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cleaning {
    /// There are none, or they are.
    Done,
    /// Nothing was said of them yet.
    Due,
    /// They were said to be gone.
    Since { first: Time, last: Time },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Knows {
    Nothing,
    /// What was said since that started again.
    Since(u64),
    /// Something, but asks for all of it.
    TooLittle,
}

impl Subscriber {
    /// A player in that seat who was told nothing yet.
    pub fn new(seat: Seat) -> Subscriber {
        Subscriber { seat, knows: Knows::Nothing, cleaning: Cleaning::Done }
    }

    /// A player who knows entities by ids that mean nothing any more.
    pub fn resume(seat: Seat) -> Subscriber {
        Subscriber { cleaning: Cleaning::Due, ..Subscriber::new(seat) }
    }

    /// Whether those ids are to be deleted now: as often and as long as any other (ruling T5).
    fn cleans(&mut self, now: Time) -> bool {
        let first = match self.cleaning {
            Cleaning::Done => return false,
            Cleaning::Due => now,
            Cleaning::Since { last, .. } if now.since(last) < DELETION_AGAIN => return false,
            Cleaning::Since { first, .. } => first,
        };
        let is_over = now.since(first) >= DELETION_LASTS;
        self.cleaning = if is_over { Cleaning::Done } else { Cleaning::Since { first, last: now } };
        true
    }

    /// They ask for the whole state: to be told everything next time, as if it were new.
    pub fn ask_again(&mut self) {
        if self.knows != Knows::Nothing {
            self.knows = Knows::TooLittle;
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct SharedEntity {
    entity: EntityId,
    id: u16,
    seen: EntityState,
}

#[derive(Clone, Copy, Debug)]
struct Deleted {
    id: u16,
    since: Time,
    said: Time,
}

/// What an id was said to have: sets of components, one bit each.
#[derive(Clone, Copy, Debug, Default)]
struct IdHistory {
    /// The entity that has the id, at any time.
    own: u16,
    /// The entity that had it before, if a client may still take the one for the other.
    former: u16,
    /// The players whose ships they are. Only they are told so.
    pilot: Option<Seat>,
    former_pilot: Option<Seat>,
    since: Option<Time>,
    until: Option<Time>,
}

impl SharedWorld {
    /// That of a lobby in which nobody was told anything yet.
    pub(super) fn new(scale: Scale) -> SharedWorld {
        SharedWorld {
            scale,
            epoch: 0,
            update: None,
            entries: Vec::new(),
            spare: Vec::new(),
            deleted: VecDeque::new(),
            id_histories: Vec::new(),
            repaired: None,
            changes: Lines::default(),
            deletions: Lines::default(),
            whole: None,
        }
    }

    /// Says to a player what there is to say of a scene.
    pub(super) fn tell(&mut self, now: Time, scene: &Scene, subscriber: &mut Subscriber, out: &mut InstructionQueue) {
        self.look(now, scene);
        let knows = std::mem::replace(&mut subscriber.knows, Knows::Since(self.epoch));
        match knows {
            Knows::Since(epoch) if epoch == self.epoch => out.append(&self.changes, subscriber.seat),
            _ => out.append(self.whole(), subscriber.seat),
        }
        if knows != Knows::Nothing {
            out.append(&self.deletions, subscriber.seat);
        }
        if subscriber.cleans(now) {
            let mut deletions = Lines::default();
            let is_used = |id: &u16| self.entries.iter().any(|entry| entry.id == *id);
            let meaningless = (GAME_ID + 1..=scene.before_restart().last_id16).filter(|id| !is_used(id));
            meaningless.for_each(|entity_id| deletions.push(&Instruction::DeleteEntity { entity_id }));
            out.append(&deletions, subscriber.seat);
        }
    }

    /// Looks what there is to say of a scene, once.
    fn look(&mut self, now: Time, scene: &Scene) {
        let last = self.update.replace(scene.updates());
        if last == self.update {
            return;
        }
        if last.map(|last| last + 1) != self.update {
            // Nobody was there for a while: those who are there now have been told nothing of what it last told.
            *self = SharedWorld { epoch: self.epoch + 1, update: self.update, ..SharedWorld::new(self.scale) };
        }
        let (mut changes, mut deletions) = (std::mem::take(&mut self.changes), std::mem::take(&mut self.deletions));
        changes.clear();
        deletions.clear();
        self.compare(now, scene, &mut changes, &mut deletions);
        self.say_deletions(now, &mut deletions);
        (self.changes, self.deletions, self.whole) = (changes, deletions, None);
    }

    fn compare(&mut self, now: Time, scene: &Scene, changes: &mut Lines, deletions: &mut Lines) {
        let repairs = self.repairs(now);
        let mut entries = std::mem::take(&mut self.spare);
        let mut before = std::mem::take(&mut self.entries);
        let mut old = before.drain(..).peekable();
        for entry in entries_of(scene, &scene.ids16()) {
            while let Some(gone) = old.next_if(|old| old.entity < entry.entity) {
                self.remove(now, gone.id, deletions);
            }
            match old.next_if(|old| old.entity == entry.entity) {
                Some(_) if repairs.includes(entry.id) => self.say_again(now, &entry, changes),
                Some(old) => self.say_changes(&old, &entry, changes),
                None => {
                    self.id_history(entry.id).succeed(now);
                    self.deleted.retain(|deleted| deleted.id != entry.id);
                    self.introduce(&entry, changes);
                }
            }
            entries.push(entry);
        }
        old.for_each(|gone| self.remove(now, gone.id, deletions));
        self.spare = before;
        self.entries = entries;
    }

    /// Introduces everything, as if it were new.
    fn whole(&mut self) -> &Lines {
        if self.whole.is_none() {
            let mut whole = Lines::default();
            let entries = std::mem::take(&mut self.entries);
            entries.iter().for_each(|entry| self.introduce(entry, &mut whole));
            self.entries = entries;
            self.whole = Some(whole);
        }
        self.whole.get_or_insert_default()
    }

    /// An entity at first sight. By the document a component is attached before it is updated.
    fn introduce(&mut self, entry: &SharedEntity, out: &mut Lines) {
        out.push(&Instruction::CreateEntity { entity_id: entry.id });
        let components = entry.seen.components(self.scale);
        for component in components.iter().flatten() {
            attach(entry, component, out);
        }
        self.note(entry, &components);
    }

    /// All of an entity: ruling T5. Components that it was said to have and no longer has are detached again too. Nothing else
    /// would make up for a lost Detach, or, for a while, for lost Deletes of the last entity with its id.
    fn say_again(&mut self, now: Time, entry: &SharedEntity, out: &mut Lines) {
        let entity_id = entry.id;
        out.push(&Instruction::CreateEntity { entity_id });
        let components = entry.seen.components(self.scale);
        for component in components.iter().flatten() {
            match component {
                // It has no state: to a reader of the document alone only Attach says it.
                Component::Own => attach(entry, component, out),
                _ => out.push(&Instruction::update(entity_id, *component)),
            }
        }
        let detach = |name: ComponentName| Instruction::DetachComponent { entity_id, component_id: name.own_id() };
        let history = *self.id_history(entity_id);
        for name in ComponentName::ALL.into_iter().filter(|&name| name != ComponentName::Own) {
            if history.said(now) & bit(name) != 0 && components[name as usize].is_none() {
                out.push(&detach(name));
            }
        }
        let no_longer = history.former_pilot(now).filter(|&pilot| Some(pilot) != entry.seen.pilot());
        if no_longer.is_some() {
            out.push_only(no_longer, &detach(ComponentName::Own));
        }
        self.note(entry, &components);
    }

    fn say_changes(&mut self, old: &SharedEntity, new: &SharedEntity, out: &mut Lines) {
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
        let components = new.seen.components(self.scale);
        say_differences(new, &old.seen.components(self.scale), &components, out);
        self.note(new, &components);
    }

    fn note(&mut self, entry: &SharedEntity, components: &Components) {
        let bits = components.iter().flatten().map(|component| bit(component.name()));
        let history = self.id_history(entry.id);
        history.own |= bits.fold(0, |all, bit| all | bit);
        history.pilot = entry.seen.pilot();
    }

    fn id_history(&mut self, id: u16) -> &mut IdHistory {
        let index = usize::from(id);
        if self.id_histories.len() <= index {
            self.id_histories.resize(index + 1, IdHistory::default());
        }
        &mut self.id_histories[index]
    }

    fn remove(&mut self, now: Time, id: u16, out: &mut Lines) {
        self.id_history(id).until = Some(now);
        out.push(&Instruction::DeleteEntity { entity_id: id });
        self.deleted.push_back(Deleted { id, since: now, said: now });
    }

    fn say_deletions(&mut self, now: Time, out: &mut Lines) {
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

impl IdHistory {
    /// Another one has the id now.
    fn succeed(&mut self, now: Time) {
        let is_known_still = self.until.is_some_and(|until| now.since(until) < FORGET);
        let (former, former_pilot) = if is_known_still { (self.own, self.pilot) } else { (0, None) };
        *self = IdHistory { former, former_pilot, since: Some(now), ..IdHistory::default() };
    }

    /// The components that a client may believe it to have.
    fn said(&self, now: Time) -> u16 {
        if self.is_young(now) { self.own | self.former } else { self.own }
    }

    /// The players who may believe it to be their ship, because it was before.
    fn former_pilot(&self, now: Time) -> Option<Seat> {
        self.former_pilot.filter(|_| self.is_young(now))
    }

    fn is_young(&self, now: Time) -> bool {
        self.since.is_some_and(|since| now.since(since) < CLEANING)
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
fn entries_of<'s>(scene: &'s Scene, ids: &'s NarrowIds) -> impl Iterator<Item = SharedEntity> {
    let game = SharedEntity { entity: GAME_ENTITY, id: GAME_ID, seen: EntityState::game(&scene.frame) };
    let entities = ids.along(scene.frame.entities.iter());
    std::iter::once(game).chain(entities.map(|(id, entity)| SharedEntity {
        entity: entity.id,
        id,
        seen: EntityState::entity(entity, ids),
    }))
}

fn say_differences(entry: &SharedEntity, old: &Components, new: &Components, out: &mut Lines) {
    let entity_id = entry.id;
    for name in ComponentName::ALL {
        match (&old[name as usize], &new[name as usize]) {
            (Some(old), Some(component)) if old == component => {}
            (Some(_), Some(component)) => out.push(&Instruction::update(entity_id, *component)),
            (None, Some(component)) => attach(entry, component, out),
            (Some(_), None) => {
                out.push(&Instruction::DetachComponent { entity_id, component_id: name.own_id() });
            }
            (None, None) => {}
        }
    }
}

fn attach(entry: &SharedEntity, component: &Component, out: &mut Lines) {
    let entity_id = entry.id;
    let only = entry.seen.pilot().filter(|_| *component == Component::Own);
    out.push_only(only, &Instruction::AttachComponent { entity_id, component_id: component.name().own_id() });
    out.push_only(only, &Instruction::update(entity_id, *component));
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
