//! The difference between two pictures in bits: what a client has, advanced to now, and what it should see.
//!
//! Writing also gives the picture that the reader will have, which is the truth unless the room was too small: what did not
//! fit stays as predicted. That picture, and no other, is what a later difference is taken from once the client says
//! that it has it. `overview.rs` is the part about the game as a whole, `thing.rs` that about one thing.

use game::EntityId;

use super::{
    bits::{BitReader, BitWriter},
    newcomer, overview,
    picture::{Picture, THINGS_MAX, Thing},
    priority::urgency,
    thing,
};
use crate::Malformed;

/// Two pictures to be compared.
pub struct Delta<'a> {
    /// What the client has.
    pub base: &'a Picture,
    /// The same, advanced to now.
    pub predicted: &'a Picture,
    /// What it should see.
    pub truth: &'a Picture,
}

/// What is told of the things. It is kept for its memory.
#[derive(Debug, Default)]
pub struct Notes {
    told: Vec<Told>,
    new: Vec<Thing>,
}

/// A thing that is other than predicted.
#[derive(Debug)]
struct Told {
    /// Its place in the prediction.
    index: usize,
    /// What is predicted.
    old: Thing,
    /// What it is; nothing if it is gone.
    now: Option<Thing>,
}

impl Delta<'_> {
    /// Appends the difference, from a new byte on, in at most `room` bits, if that is possible at all, and returns how many
    /// it has. `picture` becomes what the reader will have.
    pub fn write(&self, room: usize, notes: &mut Notes, out: &mut Vec<u8>, picture: &mut Picture) -> usize {
        let start = out.len();
        let mut length = self.encode(&|_| true, notes, out, picture);
        let mut share = room;
        while length > room && share > 0 {
            share = share * 7 / 8;
            let urgent = self.urgent(share, notes, picture);
            out.truncate(start);
            length = self.encode(&|id| urgent.binary_search(&id).is_ok(), notes, out, picture);
        }
        length
    }

    fn encode(
        &self,
        may_tell: &dyn Fn(EntityId) -> bool,
        notes: &mut Notes,
        out: &mut Vec<u8>,
        picture: &mut Picture,
    ) -> usize {
        let before = out.len() * 8;
        let mut writer = BitWriter::new(out);
        self.tell(may_tell, notes, picture);
        overview::write(&mut writer, self.predicted, self.truth, picture);
        writer.gamma(notes.told.len() as u32);
        let scale = gap_scale(self.predicted.things.len(), notes.told.len());
        let mut next = 0;
        for Told { index, old, now } in &notes.told {
            writer.rice((index - next) as u32, scale);
            next = index + 1;
            writer.flag(now.is_none());
            if let Some(now) = now {
                thing::write(&mut writer, picture, old, now);
            }
        }
        writer.gamma(notes.new.len() as u32);
        let mut last = newest(self.base);
        for thing in &notes.new {
            newcomer::write(&mut writer, picture, last, thing);
            last = thing.entity.id;
            insert(picture, *thing);
        }
        writer.length() - before
    }

    /// Goes through the prediction in order, as the reader will.
    fn tell(&self, may_tell: &dyn Fn(EntityId) -> bool, notes: &mut Notes, picture: &mut Picture) {
        let Notes { told, new } = notes;
        told.clear();
        new.clear();
        picture.things.clear();
        let mut there = self.truth.things.iter().peekable();
        for (index, predicted) in self.predicted.things.iter().enumerate() {
            let id = predicted.entity.id;
            while let Some(thing) = there.next_if(|thing| thing.entity.id < id) {
                new.push(*thing);
            }
            let old = thing::ride(self.base, picture, predicted);
            let now = there.next_if(|thing| thing.entity.id == id).copied();
            let is_other = now.is_none_or(|now| now.entity != old.entity);
            let is_told = is_other && may_tell(id);
            picture.things.extend(if is_told { now } else { Some(old) });
            if is_told {
                told.push(Told { index, old, now });
            }
        }
        new.extend(there);
        new.retain(|thing| may_tell(thing.entity.id));
    }

    /// The ids of the most urgent changes that have room in so many bits, sorted.
    fn urgent(&self, room: usize, notes: &mut Notes, picture: &mut Picture) -> Vec<EntityId> {
        self.tell(&|_| true, notes, picture);
        let mut bytes = Vec::new();
        let mut cost = |write: &dyn Fn(&mut BitWriter)| {
            bytes.clear();
            let mut writer = BitWriter::new(&mut bytes);
            write(&mut writer);
            // Where it stands costs some bits as well.
            writer.length() + 8
        };
        let mut changes: Vec<(u8, EntityId, usize)> = Vec::new();
        for Told { old, now, .. } in &notes.told {
            let bits = now.map_or(8, |now| cost(&|writer| thing::write(writer, self.truth, old, &now)));
            changes.push((urgency(&old.entity), old.entity.id, bits));
        }
        for new in &notes.new {
            let bits = cost(&|writer| newcomer::write(writer, picture, new.entity.id, new));
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
pub fn read(base: &Picture, predicted: &Picture, reader: &mut BitReader) -> Result<Picture, Malformed> {
    let mut picture = Picture { head: predicted.head.clone(), scroll: predicted.scroll, things: Vec::new() };
    overview::read(reader, &mut picture)?;
    let count = reader.gamma()? as usize;
    let places = predicted.things.len();
    if count > places {
        return Err(Malformed::BadValue);
    }
    let scale = gap_scale(places, count);
    let mut next = 0;
    for _ in 0..count {
        let index = next + reader.rice(scale)? as usize;
        let told = predicted.things.get(index).ok_or(Malformed::BadValue)?;
        keep(base, &mut picture, &predicted.things[next..index]);
        next = index + 1;
        let old = thing::ride(base, &picture, told);
        if !reader.flag()? {
            let thing = thing::read(reader, &picture, &old)?;
            picture.things.push(thing);
        }
    }
    keep(base, &mut picture, &predicted.things[next..]);
    read_new(base, reader, &mut picture)?;
    Ok(picture)
}

fn keep(base: &Picture, picture: &mut Picture, things: &[Thing]) {
    for thing in things {
        let thing = thing::ride(base, picture, thing);
        picture.things.push(thing);
    }
}

fn read_new(base: &Picture, reader: &mut BitReader, picture: &mut Picture) -> Result<(), Malformed> {
    let count = reader.gamma()? as usize;
    let mut last = newest(base);
    for _ in 0..count {
        if picture.things.len() >= THINGS_MAX {
            return Err(Malformed::BadValue);
        }
        let thing = newcomer::read(reader, picture, last)?;
        last = thing.entity.id;
        if !insert(picture, thing) {
            return Err(Malformed::BadValue);
        }
    }
    Ok(())
}

/// Puts a thing in its place; false if there is one of its id.
fn insert(picture: &mut Picture, thing: Thing) -> bool {
    match picture.things.binary_search_by_key(&thing.entity.id, |other| other.entity.id) {
        Ok(_) => false,
        Err(place) => {
            picture.things.insert(place, thing);
            true
        }
    }
}

/// The newest id, from which those of new things are counted.
pub fn newest(picture: &Picture) -> EntityId {
    picture.things.last().map_or(EntityId(0), |thing| thing.entity.id)
}

/// How many low bits a gap between two changes has: about the logarithm of the usual gap.
fn gap_scale(places: usize, changes: usize) -> u32 {
    (places / (changes + 1)).max(1).ilog2()
}
