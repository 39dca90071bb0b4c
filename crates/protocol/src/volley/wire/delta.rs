//! The difference between two views in bits: what a client has, advanced to now, and what it should see.
//!
//! Writing also gives the view that the reader will have, which is the truth unless the room was too small: what did not
//! fit stays as predicted. That view, and no other, is what a later difference is taken from once the client says
//! that it has it. `game_delta.rs` is the part about the game as a whole, `entity_delta.rs` that about one thing.

use game::EntityId;

use super::{
    bits::{BitReader, BitWriter},
    entity_delta, game_delta, new_entity,
    priority::urgency,
    view::{ENTITIES_MAX, ViewedEntity, WorldView},
};
use crate::Malformed;

/// Two views to be compared.
pub struct Delta<'a> {
    /// What the client has.
    pub base: &'a WorldView,
    /// The same, advanced to now.
    pub predicted: &'a WorldView,
    /// What it should see.
    pub target: &'a WorldView,
}

/// What is sent of the things. It is kept for its memory.
#[derive(Debug, Default)]
pub struct Notes {
    told: Vec<Written>,
    new: Vec<ViewedEntity>,
}

/// A thing that is other than predicted.
#[derive(Debug)]
struct Written {
    /// Its place in the prediction.
    index: usize,
    /// What is predicted.
    old: ViewedEntity,
    /// What it is; nothing if it is gone.
    now: Option<ViewedEntity>,
}

impl Delta<'_> {
    /// Appends the difference, from a new byte on, in at most `room` bits, if that is possible at all, and returns how many
    /// it has. `view` becomes what the reader will have.
    pub fn write(&self, room: usize, notes: &mut Notes, out: &mut Vec<u8>, view: &mut WorldView) -> usize {
        let start = out.len();
        let mut length = self.encode(&|_| true, notes, out, view);
        let mut share = room;
        while length > room && share > 0 {
            share = share * 7 / 8;
            let urgent = self.urgent(share, notes, view);
            out.truncate(start);
            length = self.encode(&|id| urgent.binary_search(&id).is_ok(), notes, out, view);
        }
        length
    }

    fn encode(
        &self,
        may_tell: &dyn Fn(EntityId) -> bool,
        notes: &mut Notes,
        out: &mut Vec<u8>,
        view: &mut WorldView,
    ) -> usize {
        let before = out.len() * 8;
        let mut writer = BitWriter::new(out);
        self.tell(may_tell, notes, view);
        game_delta::write(&mut writer, self.predicted, self.target, view);
        writer.gamma(notes.told.len() as u32);
        let scale = gap_scale(self.predicted.entities.len(), notes.told.len());
        let mut next = 0;
        for Written { index, old, now } in &notes.told {
            writer.rice((index - next) as u32, scale);
            next = index + 1;
            writer.flag(now.is_none());
            if let Some(now) = now {
                entity_delta::write(&mut writer, view, old, now);
            }
        }
        writer.gamma(notes.new.len() as u32);
        let mut last = newest(self.base);
        for viewed in &notes.new {
            new_entity::write(&mut writer, view, last, viewed);
            last = viewed.entity.id;
            insert(view, *viewed);
        }
        writer.length() - before
    }

    /// Goes through the prediction in order, as the reader will.
    fn tell(&self, may_tell: &dyn Fn(EntityId) -> bool, notes: &mut Notes, view: &mut WorldView) {
        let Notes { told, new } = notes;
        told.clear();
        new.clear();
        view.entities.clear();
        let mut there = self.target.entities.iter().peekable();
        for (index, predicted) in self.predicted.entities.iter().enumerate() {
            let id = predicted.entity.id;
            while let Some(viewed) = there.next_if(|viewed| viewed.entity.id < id) {
                new.push(*viewed);
            }
            let old = entity_delta::ride(self.base, view, predicted);
            let now = there.next_if(|viewed| viewed.entity.id == id).copied();
            let is_other = now.is_none_or(|now| now.entity != old.entity);
            let is_told = is_other && may_tell(id);
            let known = if is_told { now.map(|now| entity_delta::known(&old, &now)) } else { Some(old) };
            view.entities.extend(known);
            if is_told {
                told.push(Written { index, old, now });
            }
        }
        new.extend(there);
        new.retain(|viewed| may_tell(viewed.entity.id));
    }

    /// The ids of the most urgent changes that have room in this many bits, sorted.
    fn urgent(&self, room: usize, notes: &mut Notes, view: &mut WorldView) -> Vec<EntityId> {
        self.tell(&|_| true, notes, view);
        let mut bytes = Vec::new();
        let mut cost = |write: &dyn Fn(&mut BitWriter)| {
            bytes.clear();
            let mut writer = BitWriter::new(&mut bytes);
            write(&mut writer);
            // Where it stands costs some bits as well.
            writer.length() + 8
        };
        let mut changes: Vec<(u8, EntityId, usize)> = Vec::new();
        for Written { old, now, .. } in &notes.told {
            let bits = now.map_or(8, |now| cost(&|writer| entity_delta::write(writer, self.target, old, &now)));
            changes.push((urgency(&old.entity), old.entity.id, bits));
        }
        for new in &notes.new {
            let bits = cost(&|writer| new_entity::write(writer, view, new.entity.id, new));
            changes.push((urgency(&new.entity), new.entity.id, bits));
        }
        changes.sort_unstable();
        let mut left = room;
        let fits = |(.., bits): &(u8, EntityId, usize)| {
            left = left.saturating_sub(*bits);
            left > 0
        };
        let mut urgent: Vec<EntityId> = changes.into_iter().take_while(fits).map(|(_, id, _)| id).collect();
        urgent.sort_unstable();
        urgent
    }
}

/// Reads a difference from what the reader has, advanced to now.
pub fn read(base: &WorldView, predicted: &WorldView, reader: &mut BitReader) -> Result<WorldView, Malformed> {
    let mut view = WorldView { head: predicted.head.clone(), scroll: predicted.scroll, entities: Vec::new() };
    game_delta::read(reader, &mut view)?;
    let count = reader.gamma()? as usize;
    let places = predicted.entities.len();
    if count > places {
        return Err(Malformed::BadValue);
    }
    let scale = gap_scale(places, count);
    let mut next = 0;
    for _ in 0..count {
        let index = next + reader.rice(scale)? as usize;
        let told = predicted.entities.get(index).ok_or(Malformed::BadValue)?;
        keep(base, &mut view, &predicted.entities[next..index]);
        next = index + 1;
        let old = entity_delta::ride(base, &view, told);
        if !reader.flag()? {
            let viewed = entity_delta::read(reader, &view, &old)?;
            view.entities.push(viewed);
        }
    }
    keep(base, &mut view, &predicted.entities[next..]);
    read_new(base, reader, &mut view)?;
    Ok(view)
}

fn keep(base: &WorldView, view: &mut WorldView, entities: &[ViewedEntity]) {
    for viewed in entities {
        let viewed = entity_delta::ride(base, view, viewed);
        view.entities.push(viewed);
    }
}

fn read_new(base: &WorldView, reader: &mut BitReader, view: &mut WorldView) -> Result<(), Malformed> {
    let count = reader.gamma()? as usize;
    let mut last = newest(base);
    for _ in 0..count {
        if view.entities.len() >= ENTITIES_MAX {
            return Err(Malformed::BadValue);
        }
        let viewed = new_entity::read(reader, view, last)?;
        last = viewed.entity.id;
        if !insert(view, viewed) {
            return Err(Malformed::BadValue);
        }
    }
    Ok(())
}

/// Puts a thing in its place; false if there is one of its id.
fn insert(view: &mut WorldView, viewed: ViewedEntity) -> bool {
    match view.entities.binary_search_by_key(&viewed.entity.id, |other| other.entity.id) {
        Ok(_) => false,
        Err(place) => {
            view.entities.insert(place, viewed);
            true
        }
    }
}

/// The newest id, from which those of new things are counted.
pub fn newest(view: &WorldView) -> EntityId {
    view.entities.last().map_or(EntityId(0), |viewed| viewed.entity.id)
}

/// How many low bits a gap between two changes has: about the logarithm of the usual gap.
fn gap_scale(places: usize, changes: usize) -> u32 {
    (places / (changes + 1)).max(1).ilog2()
}
