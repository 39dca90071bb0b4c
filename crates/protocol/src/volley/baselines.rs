//! The views that the clients of a lobby have or may have, and the differences from them that are sent in a tick.
//!
//! Clients that have the same view are sent the same difference, which is written once. A view that nobody needs any more is
//! drawn over: in the steady state nothing is allocated.

use std::sync::Arc;

use super::{
    wire::delta::{Delta, Notes},
    wire::view::WorldView,
};

/// Pictures that are kept to be drawn over; those of a client that has confirmed nothing for a second are many more.
const SPARE_MAX: usize = 16;

/// The views of a lobby, and what is sent in this tick.
#[derive(Debug, Default)]
pub struct Baselines {
    /// All of them; one that nobody else holds may be drawn over.
    views: Vec<Arc<WorldView>>,
    told: Vec<WrittenDelta>,
    /// The bits of what is sent, each difference from a new byte on.
    bytes: Vec<u8>,
    predicted: WorldView,
    notes: Notes,
}

/// A difference that is written.
#[derive(Debug)]
struct WrittenDelta {
    /// What it differs from, if anything.
    base: Option<Arc<WorldView>>,
    /// How many ticks that was ago.
    distance: u16,
    /// Its first byte.
    start: usize,
    /// Its bits.
    length: usize,
    /// The view that its reader will have.
    view: Arc<WorldView>,
}

/// Bits that were written before: their number, and the bytes that begin with them.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    pub bytes: &'a [u8],
    /// How many bits.
    pub length: usize,
}

impl Baselines {
    /// Another tick begins: what was sent is over.
    pub fn turn(&mut self) {
        self.told.clear();
        self.bytes.clear();
        let mut spare = 0;
        self.views.retain(|view| {
            let is_free = Arc::strong_count(view) == 1;
            spare += usize::from(is_free);
            !is_free || spare <= SPARE_MAX
        });
    }

    /// The difference between a view of some ticks ago, or nothing, and the truth of this tick, in `room` bits; and
    /// what its reader will have.
    pub fn tell(
        &mut self,
        base: Option<(u16, &Arc<WorldView>)>,
        target: &WorldView,
        room: usize,
    ) -> (Bits<'_>, Arc<WorldView>) {
        let is_same = |told: &&WrittenDelta| match (base, &told.base) {
            (Some((distance, base)), Some(other)) => distance == told.distance && Arc::ptr_eq(base, other),
            (base, other) => base.is_none() && other.is_none(),
        };
        let index = self.told.iter().position(|told| is_same(&told)).unwrap_or_else(|| self.write(base, target, room));
        let WrittenDelta { start, length, ref view, .. } = self.told[index];
        (Bits { bytes: &self.bytes[start..], length }, Arc::clone(view))
    }

    /// How many differences were written in this tick.
    #[cfg(test)]
    pub fn written(&self) -> usize {
        self.told.len()
    }

    /// Writes a difference that nobody was sent yet, and returns its place.
    fn write(&mut self, base: Option<(u16, &Arc<WorldView>)>, target: &WorldView, room: usize) -> usize {
        let mut view = self.blank();
        let nothing = WorldView::default();
        let (distance, old) = base.map_or((0, &nothing), |(distance, old)| (distance, old));
        old.advance_into(distance.into(), &mut self.predicted);
        let start = self.bytes.len();
        let delta = Delta { base: old, predicted: &self.predicted, target };
        let length = delta.write(room, &mut self.notes, &mut self.bytes, Arc::make_mut(&mut view));
        let view = self.hang(view);
        self.told.push(WrittenDelta { base: base.map(|(_, old)| Arc::clone(old)), distance, start, length, view });
        self.told.len() - 1
    }

    /// A view to draw on.
    fn blank(&mut self) -> Arc<WorldView> {
        let free = self.views.iter().position(|view| Arc::strong_count(view) == 1);
        free.map_or_else(Arc::default, |index| self.views.swap_remove(index))
    }

    /// Keeps a view. If another client is about to have the same, they share it, and are sent the same from then on.
    fn hang(&mut self, view: Arc<WorldView>) -> Arc<WorldView> {
        let same = self.told.iter().find(|told| told.view == view).map(|told| Arc::clone(&told.view));
        self.views.push(Arc::clone(&view));
        same.unwrap_or(view)
    }
}

#[cfg(test)]
mod tests {
    use game::{Entity, EntityId, Frame, Kind, Tick, Vec2, px};

    use super::*;

    const ROOM: usize = 7_000;

    /// A pellet that flies through the middle.
    fn target(tick: u32) -> WorldView {
        let mut pellet = Entity::new(EntityId(1), Kind::Pellet, Vec2::new(px(100), px(100 + tick as i32)));
        pellet.velocity = Vec2::new(0, px(1));
        WorldView::from(&Frame { tick: Tick(tick), entities: vec![pellet], ..Frame::default() })
    }

    #[test]
    fn clients_with_the_same_view_are_sent_the_same_bytes_written_once() {
        let mut baselines = Baselines::default();
        let (_, first) = baselines.tell(None, &target(1), ROOM);
        let (_, second) = baselines.tell(None, &target(1), ROOM);
        assert!(Arc::ptr_eq(&first, &second) && baselines.told.len() == 1);
        baselines.turn();
        let length = baselines.tell(Some((1, &first)), &target(2), ROOM).0.length;
        assert_eq!(baselines.tell(Some((1, &second)), &target(2), ROOM).0.length, length);
        assert_eq!(baselines.told.len(), 1);
        assert_ne!(baselines.tell(Some((2, &first)), &target(2), ROOM).0.length, length, "it would have flown on");
    }

    #[test]
    fn clients_that_reach_the_same_view_share_it() {
        let mut baselines = Baselines::default();
        let (_, early) = baselines.tell(None, &target(1), ROOM);
        baselines.turn();
        let (_, early) = baselines.tell(Some((1, &early)), &target(2), ROOM);
        // What nothing is known of has no age.
        let (_, late) = baselines.tell(None, &WorldView { entities: early.entities.clone(), ..target(2) }, ROOM);
        assert!(Arc::ptr_eq(&early, &late) && baselines.told.len() == 2);
    }

    #[test]
    fn what_nobody_needs_is_drawn_over_and_little_of_it_is_kept() {
        let mut baselines = Baselines::default();
        let mut held: Vec<Arc<WorldView>> = Vec::new();
        for tick in 1..=60 {
            baselines.turn();
            held.push(baselines.tell(None, &target(tick), ROOM).1);
        }
        assert_eq!(baselines.views.len(), 60);
        assert_eq!(held[0].entities[0].entity.position.y, px(101), "what is held is left alone");
        held.clear();
        for tick in 61..=120 {
            baselines.turn();
            held.push(baselines.tell(None, &target(tick), ROOM).1);
            held.drain(..held.len().saturating_sub(3));
        }
        assert!(baselines.views.len() <= SPARE_MAX + 3, "{}", baselines.views.len());
    }
}
