//! What one client has not confirmed yet (ruling A3): the changes of each tick, or all of them merged into one.
//!
//! Beside the changes themselves, which are kept as bytes, stands what the client was told of each entity and when. From
//! that a merged change is made in one pass, and it takes no more memory however long a client confirms nothing. The bytes
//! of an entity are the same for all clients of a lobby, and written once.

use std::collections::VecDeque;

use game::{Entity, Frame};

use super::{
    translation::{self, GAME_ENTITY, Game},
    wire::{self, CHANGES_MAX, DATAGRAM_MAX_BYTES, Entities, GameStateWriter, PACKET_MAX_BYTES, STATE_OFFSET_BYTES},
};
use crate::{Scale, Scene};

/// The longest datagram that UDP over IPv4 carries. A merged change that does not fit in [`DATAGRAM_MAX_BYTES`] may
/// become so long: the dialect cannot say it in several datagrams, because one CLIENT_PONG confirms a whole tick.
pub const DATAGRAM_LIMIT_BYTES: usize = 65_507;

/// Removals that are kept of entities which the client never confirmed to know: five seconds of a hundred a second. It
/// may have heard of them, but one that confirms nothing for longer is not told for ever.
pub const DOUBTFUL_REMOVALS_MAX: usize = 512;

/// The unconfirmed changes of one client.
#[derive(Debug)]
pub(super) struct Changes {
    scale: Scale,
    /// The tick of the Frame that was recorded last.
    shown: u32,
    /// The tick of the newest change.
    newest: u32,
    /// The client has every change up to this tick.
    confirmed: u32,
    /// Sorted by id.
    known: Vec<Known>,
    /// Memory for the next `known`.
    spare: Vec<Known>,
    /// GAME_STATEs one behind the other, and the tick and size of each.
    pending: Vec<u8>,
    sizes: VecDeque<(u32, usize)>,
}

/// What a client was told of one entity.
#[derive(Clone, Copy, Debug)]
struct Known {
    id: u32,
    appeared: u32,
    changed: u32,
    said: Said,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Said {
    Game(Game),
    Entity(Entity),
    Removed,
}

impl Changes {
    /// Writes the whole state into a CONNECTED, and starts from there: its tick counts as confirmed. What does not fit
    /// stays unknown, so that the next tick finds it new.
    pub(super) fn connect(client_id: u8, scene: &Scene, scale: Scale, connected: &mut Vec<u8>) -> Changes {
        let tick = scene.frame.tick.0;
        let mut state = Vec::new();
        let mut writer = GameStateWriter::begin(tick, PACKET_MAX_BYTES - STATE_OFFSET_BYTES, &mut state);
        let mut known: Vec<Known> = shown(&scene.frame).map(|(id, said)| Known::new(id, tick, said)).collect();
        let page = scene.aecs.read(scale, |state| draw(&scene.frame, scale, state));
        let mut drawn = Entities::written(&page).iter();
        known.retain(|known| known.write(&mut drawn, &mut writer));
        wire::write_connected(client_id, &state, connected);
        let (spare, pending, sizes) = (Vec::new(), Vec::new(), VecDeque::new());
        Changes { scale, shown: tick, newest: tick, confirmed: tick, known, spare, pending, sizes }
    }

    /// Adds the change of a new Frame. A Frame of the same tick again adds none.
    pub(super) fn record(&mut self, scene: &Scene) {
        let frame = &scene.frame;
        let passed = frame.tick.0.wrapping_sub(self.shown);
        self.shown = frame.tick.0;
        if passed == 0 {
            return;
        }
        // A world that was wound back goes on for the client, who would ignore older ticks.
        let is_back = passed > u32::MAX / 2;
        self.newest = self.newest.wrapping_add(if is_back { 1 } else { passed });
        self.compare(frame);
        self.forget_removals();
        let page = scene.aecs.read(self.scale, |state| draw(frame, self.scale, state));
        let drawn = Entities::written(&page);
        if self.is_surely_too_much() {
            self.merge(drawn);
            return;
        }
        self.append(drawn);
        if self.is_too_much() {
            self.merge(drawn);
        }
    }

    /// The client has every change up to this tick. One that is confirmed already, or has not been, changes nothing.
    pub(super) fn confirm(&mut self, tick: u32) {
        if !self.is_unconfirmed(tick) {
            return;
        }
        self.confirmed = tick;
        let mut bytes = 0;
        while let Some(&(tick, size)) = self.sizes.front()
            && !self.is_unconfirmed(tick)
        {
            self.sizes.pop_front();
            bytes += size;
        }
        self.pending.drain(..bytes);
    }

    /// Appends a GAME_CHANGES of all that is unconfirmed. False: there is nothing.
    pub(super) fn write(&self, out: &mut Vec<u8>) -> bool {
        if self.sizes.is_empty() {
            return false;
        }
        let mut rest = &self.pending[..];
        let changes = self.sizes.iter().map(|&(_, size)| {
            let (change, behind) = rest.split_at(size);
            rest = behind;
            change
        });
        wire::write_game_changes(changes, out);
        true
    }

    /// Ticks wrap: a tick is unconfirmed if going back from the newest meets it before the confirmed one.
    fn is_unconfirmed(&self, tick: u32) -> bool {
        self.newest.wrapping_sub(tick) < self.newest.wrapping_sub(self.confirmed)
    }

    /// Brings `known` up to this Frame. Both are sorted by id.
    fn compare(&mut self, frame: &Frame) {
        let tick = self.newest;
        let mut shown = shown(frame).peekable();
        for known in self.known.drain(..) {
            while let Some((id, said)) = shown.next_if(|&(id, _)| id < known.id) {
                self.spare.push(Known::new(id, tick, said));
            }
            let said = shown.next_if(|&(id, _)| id == known.id).map_or(Said::Removed, |(_, said)| said);
            let changed = if said == known.said { known.changed } else { tick };
            self.spare.push(Known { changed, said, ..known });
        }
        self.spare.extend(shown.map(|(id, said)| Known::new(id, tick, said)));
        std::mem::swap(&mut self.known, &mut self.spare);
    }

    /// Confirmed removals are done with. The others stay; of the doubtful ones only the newest.
    fn forget_removals(&mut self) {
        let mut known = std::mem::take(&mut self.known);
        known.retain(|known| known.said != Said::Removed || self.is_unconfirmed(known.changed));
        let is_doubtful = |known: &Known| known.said == Said::Removed && self.is_unconfirmed(known.appeared);
        let doubtful = known.iter().filter(|known| is_doubtful(known)).count();
        for _ in DOUBTFUL_REMOVALS_MAX..doubtful {
            let age = |known: &Known| if is_doubtful(known) { self.newest.wrapping_sub(known.changed) } else { 0 };
            let oldest = known.iter().enumerate().max_by_key(|(_, known)| age(known)).map(|(index, _)| index);
            oldest.map(|index| known.remove(index));
        }
        self.known = known;
    }

    fn is_too_much(&self) -> bool {
        STATE_OFFSET_BYTES + self.pending.len() > DATAGRAM_MAX_BYTES || self.sizes.len() > CHANGES_MAX
    }

    /// Whether the newest change need not even be written to know that all will be merged: the usual case in a busy game.
    fn is_surely_too_much(&self) -> bool {
        let is_said = |known: &&Known| known.changed == self.newest && matches!(known.said, Said::Entity(_));
        let least_bytes = self.known.iter().filter(is_said).count() * ENTITY_LEAST_BYTES;
        STATE_OFFSET_BYTES + self.pending.len() + least_bytes > DATAGRAM_MAX_BYTES
    }

    /// Adds what changed in the newest tick.
    fn append(&mut self, drawn: Entities) {
        let mut drawn = drawn.iter();
        let start = self.pending.len();
        let mut writer = GameStateWriter::begin(self.newest, CHANGE_LIMIT_BYTES, &mut self.pending);
        for known in self.known.iter().filter(|known| known.changed == self.newest) {
            // Should one not fit, the pending changes are merged at once, and that sees to it.
            known.write(&mut drawn, &mut writer);
        }
        self.sizes.push_back((self.newest, self.pending.len() - start));
    }

    /// Replaces the pending changes by one: the newest state of every entity that changed since the confirmed tick. What
    /// does not fit is forgotten, so that the next tick finds it new.
    fn merge(&mut self, drawn: Entities) {
        let mut drawn = drawn.iter();
        let mut known = std::mem::take(&mut self.known);
        let mut pending = std::mem::take(&mut self.pending);
        pending.clear();
        let mut writer = GameStateWriter::begin(self.newest, CHANGE_LIMIT_BYTES, &mut pending);
        known.retain(|known| !self.is_unconfirmed(known.changed) || known.write(&mut drawn, &mut writer));
        self.sizes.clear();
        self.sizes.push_back((self.newest, pending.len()));
        (self.known, self.pending) = (known, pending);
    }
}

/// An entity with the components that everything has: Position, Velocity, Kind, Animation.
const ENTITY_LEAST_BYTES: usize = 6 + 12 + 12 + 6 + 5;

/// What is left for a GAME_STATE in the longest datagram.
const CHANGE_LIMIT_BYTES: usize = DATAGRAM_LIMIT_BYTES - STATE_OFFSET_BYTES;

/// All that a Frame shows, in the order of ids.
fn shown(frame: &Frame) -> impl Iterator<Item = (u32, Said)> {
    let game = (GAME_ENTITY, Said::Game(Game::of(frame)));
    std::iter::once(game).chain(frame.entities.iter().map(|entity| (entity.id.0, Said::Entity(*entity))))
}

/// A GAME_STATE of all that a Frame shows, for its entities to be copied from.
fn draw(frame: &Frame, scale: Scale, state: &mut Vec<u8>) {
    let mut writer = GameStateWriter::begin(frame.tick.0, usize::MAX, state);
    writer.push(GAME_ENTITY, Game::of(frame).components());
    for entity in &frame.entities {
        writer.push(entity.id.0, translation::components(entity, scale));
    }
}

impl Known {
    fn new(id: u32, tick: u32, said: Said) -> Known {
        Known { id, appeared: tick, changed: tick, said }
    }

    /// Looks for it further on in what is drawn, which is in the order of ids, and holds all but what is removed. False if
    /// it does not fit.
    fn write<'d>(&self, drawn: &mut impl Iterator<Item = wire::Entity<'d>>, writer: &mut GameStateWriter) -> bool {
        match &self.said {
            Said::Game(_) | Said::Entity(_) => {
                drawn.find(|entity| entity.entity_id == self.id).is_some_and(|entity| writer.push_written(&entity))
            }
            Said::Removed => writer.push(self.id, []),
        }
    }
}
