//! The pictures that the clients of a lobby have or may have, and the differences from them that are told in a tick.
//!
//! Who has the same picture is told the same difference, which is written once. A picture that nobody needs any more is
//! drawn over: in the steady state nothing is allocated.

use std::sync::Arc;

use super::{
    delta::{Delta, Notes},
    picture::Picture,
};

/// Pictures that are kept to be drawn over; those of a client that has confirmed nothing for a second are many more.
const SPARE_MAX: usize = 16;

/// The pictures of a lobby, and what is told in this tick.
#[derive(Debug, Default)]
pub struct Gallery {
    /// All of them; one that nobody else holds may be drawn over.
    pictures: Vec<Arc<Picture>>,
    told: Vec<Told>,
    /// The bits of what is told, each difference from a new byte on.
    bytes: Vec<u8>,
    predicted: Picture,
    notes: Notes,
}

/// A difference that is written.
#[derive(Debug)]
struct Told {
    /// What it differs from, if anything.
    base: Option<Arc<Picture>>,
    /// How many ticks that was ago.
    distance: u16,
    /// Its first byte.
    start: usize,
    /// Its bits.
    length: usize,
    /// What who reads it will have.
    picture: Arc<Picture>,
}

/// Bits that were written before: so many, and the bytes that begin with them.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// How many bits.
    pub length: usize,
}

impl Gallery {
    /// Another tick begins: what was told is over.
    pub fn turn(&mut self) {
        self.told.clear();
        self.bytes.clear();
        let mut spare = 0;
        self.pictures.retain(|picture| {
            let is_free = Arc::strong_count(picture) == 1;
            spare += usize::from(is_free);
            !is_free || spare <= SPARE_MAX
        });
    }

    /// The difference between a picture of so many ticks ago, or nothing, and the truth of this tick, in `room` bits; and
    /// what its reader will have.
    pub fn tell(
        &mut self,
        base: Option<(u16, &Arc<Picture>)>,
        truth: &Picture,
        room: usize,
    ) -> (Bits<'_>, Arc<Picture>) {
        let is_same = |told: &&Told| match (base, &told.base) {
            (Some((distance, base)), Some(other)) => distance == told.distance && Arc::ptr_eq(base, other),
            (base, other) => base.is_none() && other.is_none(),
        };
        let index = self.told.iter().position(|told| is_same(&told)).unwrap_or_else(|| self.write(base, truth, room));
        let Told { start, length, ref picture, .. } = self.told[index];
        (Bits { bytes: &self.bytes[start..], length }, Arc::clone(picture))
    }

    /// How many differences were written in this tick.
    #[cfg(test)]
    pub fn written(&self) -> usize {
        self.told.len()
    }

    /// Writes a difference that nobody was told yet, and returns its place.
    fn write(&mut self, base: Option<(u16, &Arc<Picture>)>, truth: &Picture, room: usize) -> usize {
        let mut picture = self.blank();
        let nothing = Picture::default();
        let (distance, old) = base.map_or((0, &nothing), |(distance, old)| (distance, old));
        old.advance_into(distance.into(), &mut self.predicted);
        let start = self.bytes.len();
        let delta = Delta { base: old, predicted: &self.predicted, truth };
        let length = delta.write(room, &mut self.notes, &mut self.bytes, Arc::make_mut(&mut picture));
        let picture = self.hang(picture);
        self.told.push(Told { base: base.map(|(_, old)| Arc::clone(old)), distance, start, length, picture });
        self.told.len() - 1
    }

    /// A picture to draw on.
    fn blank(&mut self) -> Arc<Picture> {
        let free = self.pictures.iter().position(|picture| Arc::strong_count(picture) == 1);
        free.map_or_else(Arc::default, |index| self.pictures.swap_remove(index))
    }

    /// Keeps a picture. If another client is about to have the same, they share it, and are told the same from then on.
    fn hang(&mut self, picture: Arc<Picture>) -> Arc<Picture> {
        let same = self.told.iter().find(|told| told.picture == picture).map(|told| Arc::clone(&told.picture));
        self.pictures.push(Arc::clone(&picture));
        same.unwrap_or(picture)
    }
}

#[cfg(test)]
mod tests {
    use game::{Entity, EntityId, Frame, Kind, Tick, Vec2, px};

    use super::*;

    const ROOM: usize = 7_000;

    /// A pellet that flies through the middle.
    fn truth(tick: u32) -> Picture {
        let mut pellet = Entity::new(EntityId(1), Kind::Pellet, Vec2::new(px(100), px(100 + tick as i32)));
        pellet.velocity = Vec2::new(0, px(1));
        Picture::from(&Frame { tick: Tick(tick), entities: vec![pellet], ..Frame::default() })
    }

    #[test]
    fn who_has_the_same_is_told_the_same_and_it_is_written_once() {
        let mut gallery = Gallery::default();
        let (_, first) = gallery.tell(None, &truth(1), ROOM);
        let (_, second) = gallery.tell(None, &truth(1), ROOM);
        assert!(Arc::ptr_eq(&first, &second) && gallery.told.len() == 1);
        gallery.turn();
        let length = gallery.tell(Some((1, &first)), &truth(2), ROOM).0.length;
        assert_eq!(gallery.tell(Some((1, &second)), &truth(2), ROOM).0.length, length);
        assert_eq!(gallery.told.len(), 1);
        assert_ne!(gallery.tell(Some((2, &first)), &truth(2), ROOM).0.length, length, "it would have flown on");
    }

    #[test]
    fn who_comes_to_have_the_same_shares_it() {
        let mut gallery = Gallery::default();
        let (_, early) = gallery.tell(None, &truth(1), ROOM);
        gallery.turn();
        let (_, early) = gallery.tell(Some((1, &early)), &truth(2), ROOM);
        // What nothing is known of has no age.
        let (_, late) = gallery.tell(None, &Picture { things: early.things.clone(), ..truth(2) }, ROOM);
        assert!(Arc::ptr_eq(&early, &late) && gallery.told.len() == 2);
    }

    #[test]
    fn what_nobody_needs_is_drawn_over_and_little_of_it_is_kept() {
        let mut gallery = Gallery::default();
        let mut held: Vec<Arc<Picture>> = Vec::new();
        for tick in 1..=60 {
            gallery.turn();
            held.push(gallery.tell(None, &truth(tick), ROOM).1);
        }
        assert_eq!(gallery.pictures.len(), 60);
        assert_eq!(held[0].things[0].entity.position.y, px(101), "what is held is left alone");
        held.clear();
        for tick in 61..=120 {
            gallery.turn();
            held.push(gallery.tell(None, &truth(tick), ROOM).1);
            held.drain(..held.len().saturating_sub(3));
        }
        assert!(gallery.pictures.len() <= SPARE_MAX + 3, "{}", gallery.pictures.len());
    }
}
