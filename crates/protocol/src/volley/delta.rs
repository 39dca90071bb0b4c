//! The difference between two pictures in bits: what a client has, advanced to now, and what it should see.
//!
//! Writing returns the picture that the reader will have, which is the truth unless the room was too small: what did not
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

/// What is told of the things, and what the reader then has.
struct Telling<'a> {
    told: Vec<Told>,
    new: Vec<&'a Thing>,
    picture: Picture,
}

/// A thing that is other than predicted.
struct Told {
    /// Its place in the prediction.
    index: usize,
    /// What is predicted.
    old: Thing,
    /// What it is; nothing if it is gone.
    now: Option<Thing>,
}

impl Delta<'_> {
    /// Appends the difference in at most `room` bits, if that is possible at all, and returns what the reader will have.
    pub fn write(&self, room: usize, writer: &mut BitWriter) -> Picture {
        let (mut bytes, mut length, mut picture) = self.encode(&|_| true);
        let mut share = room;
        while length > room && share > 0 {
            share = share * 7 / 8;
            let urgent = self.urgent(share);
            (bytes, length, picture) = self.encode(&|id| urgent.binary_search(&id).is_ok());
        }
        writer.append(&bytes, length);
        picture
    }

    fn encode(&self, may_tell: &dyn Fn(EntityId) -> bool) -> (Vec<u8>, usize, Picture) {
        let mut bytes = Vec::new();
        let mut writer = BitWriter::new(&mut bytes);
        let telling = self.tell(may_tell);
        let mut picture = telling.picture;
        overview::write(&mut writer, self.predicted, self.truth, &mut picture);
        writer.gamma(telling.told.len() as u32);
        let scale = gap_scale(self.predicted.things.len(), telling.told.len());
        let mut next = 0;
        for Told { index, old, now } in &telling.told {
            writer.rice((index - next) as u32, scale);
            next = index + 1;
            writer.flag(now.is_none());
            if let Some(now) = now {
                thing::write(&mut writer, &picture, old, now);
            }
        }
        writer.gamma(telling.new.len() as u32);
        let mut last = newest(self.base);
        for thing in telling.new {
            newcomer::write(&mut writer, &picture, last, thing);
            last = thing.entity.id;
            insert(&mut picture, *thing);
        }
        let length = writer.length();
        (bytes, length, picture)
    }

    /// Goes through the prediction in order, as the reader will.
    fn tell(&self, may_tell: &dyn Fn(EntityId) -> bool) -> Telling<'_> {
        let mut picture = Picture { things: Vec::with_capacity(self.truth.things.len()), ..Picture::default() };
        let (mut told, mut new) = (Vec::new(), Vec::new());
        let mut there = self.truth.things.iter().peekable();
        for (index, predicted) in self.predicted.things.iter().enumerate() {
            let id = predicted.entity.id;
            while let Some(thing) = there.next_if(|thing| thing.entity.id < id) {
                new.push(thing);
            }
            let old = thing::ride(self.base, &picture, predicted);
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
        Telling { told, new, picture }
    }

    /// The ids of the most urgent changes that have room in so many bits, sorted.
    fn urgent(&self, room: usize) -> Vec<EntityId> {
        let all = self.tell(&|_| true);
        let mut bytes = Vec::new();
        let mut cost = |write: &dyn Fn(&mut BitWriter)| {
            bytes.clear();
            let mut writer = BitWriter::new(&mut bytes);
            write(&mut writer);
            // Where it stands costs some bits as well.
            writer.length() + 8
        };
        let mut changes: Vec<(u8, EntityId, usize)> = Vec::new();
        for Told { old, now, .. } in &all.told {
            let bits = now.map_or(8, |now| cost(&|writer| thing::write(writer, self.truth, old, &now)));
            changes.push((urgency(&old.entity), old.entity.id, bits));
        }
        for new in &all.new {
            let bits = cost(&|writer| newcomer::write(writer, &all.picture, new.entity.id, new));
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
