//! What changed in a lobby, and when (ruling A3): kept once for all its clients, which differ only in what they have confirmed.
//!
//! Each entity stands here as it was last seen, with the tick in which it last changed. From that a merged change is made
//! for any confirmed tick in one pass, and it takes no more memory however long a client confirms nothing. The first
//! session that is shown a Frame brings the change log up to it; those that confirmed the same tick are told the same
//! packet, written once.

use std::{collections::VecDeque, sync::Arc};

use game::{EntityId, Frame};

use super::{
    entity::EntityState,
    wire::{self, CHANGES_MAX, DATAGRAM_MAX_BYTES, GameStateWriter, PACKET_MAX_BYTES, STATE_OFFSET_BYTES},
};
use crate::Scale;

/// The longest datagram that UDP over IPv4 carries. A merged change that does not fit in [`DATAGRAM_MAX_BYTES`] may
/// become that long: the dialect cannot say it in several datagrams, because one CLIENT_PONG confirms a whole tick.
pub const DATAGRAM_LIMIT_BYTES: usize = 65_507;

/// Removals that are kept of entities which no client confirmed to know: more than a minute of a busy game. A client may
/// have heard of them, but one that confirms nothing for longer is not told for ever.
pub const DOUBTFUL_REMOVALS_MAX: usize = 2048;

/// What is left for a GAME_STATE in the longest datagram.
const CHANGE_LIMIT_BYTES: usize = DATAGRAM_LIMIT_BYTES - STATE_OFFSET_BYTES;

/// A GAME_CHANGES, for every client that is told the same. No session holds it for longer than a tick.
pub(super) type SharedPacket = Arc<Vec<u8>>;

/// The change log of a lobby, at one scale.
#[derive(Clone, Debug)]
pub(crate) struct ChangeLog {
    scale: Scale,
    /// The tick of the Frame that was looked at last.
    shown: u32,
    /// The tick of the newest change. It goes on by one where a world is wound back, for clients ignore older ticks.
    newest: u32,
    /// All that the Frame shows, sorted by id.
    entries: Vec<LoggedEntity>,
    /// Sorted by id.
    removals: Vec<Removal>,
    recent: Recent,
    /// What the clients that were here since the last Frame have confirmed.
    confirmed: Vec<u32>,
    /// By the tick that was confirmed. The first `packets_written` are this Frame's, the others memory for more.
    packets: Vec<(u32, SharedPacket)>,
    packets_written: usize,
    /// Memory for a merged change.
    merged: Vec<u8>,
    /// Entities from this id on did not fit in a packet. They count as changed in the next tick.
    unsaid: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct LoggedEntity {
    seen: EntityState,
    appeared: u32,
    changed: u32,
}

#[derive(Clone, Copy, Debug)]
struct Removal {
    id: u32,
    appeared: u32,
    removed: u32,
}

/// The changes of the last ticks one by one, as many as a datagram holds.
#[derive(Clone, Debug, Default)]
struct Recent {
    /// They are all that changed since this tick.
    since: u32,
    /// GAME_STATEs one behind the other, and the tick and size of each.
    states: Vec<u8>,
    sizes: VecDeque<(u32, usize)>,
}

impl ChangeLog {
    /// That of a lobby which shows this Frame.
    pub(super) fn new(frame: &Frame, scale: Scale) -> ChangeLog {
        // As if it had looked at the tick before: whoever reads first brings it up to the Frame.
        let before = frame.tick.0.wrapping_sub(1);
        ChangeLog {
            scale,
            shown: before,
            newest: before,
            entries: Vec::new(),
            removals: Vec::new(),
            recent: Recent { since: before, ..Recent::default() },
            confirmed: Vec::new(),
            packets: Vec::new(),
            packets_written: 0,
            merged: Vec::new(),
            unsaid: None,
        }
    }

    /// The tick of the newest change.
    pub(super) fn newest(&self) -> u32 {
        self.newest
    }

    /// Ruling C16: everything counts as changed, and these as removed, in a tick above one that a client may have been told. The
    /// tick that such a client has confirmed: none that means anything.
    pub(super) fn begin_again_above(&mut self, last: u32, ghosts: impl Iterator<Item = EntityId>) -> u32 {
        let is_above = self.newest.wrapping_sub(last).wrapping_sub(1) < u32::MAX / 2;
        self.newest = if is_above { self.newest } else { last }.wrapping_add(1);
        let confirmed = self.newest.wrapping_sub(u32::MAX / 2);
        for ghost in ghosts {
            if self.removals.binary_search_by_key(&ghost.0, |removal| removal.id).is_err() {
                insert(&mut self.removals, Removal { id: ghost.0, appeared: confirmed, removed: self.newest });
            }
        }
        self.entries.iter_mut().for_each(|entry| entry.changed = self.newest);
        self.recent = Recent { since: self.newest, ..Recent::default() };
        self.packets_written = 0;
        confirmed
    }

    /// A client is here that has every change up to this tick: what it may have to be told is kept until the next Frame.
    pub(super) fn attend(&mut self, confirmed: u32) {
        if !self.confirmed.contains(&confirmed) {
            self.confirmed.push(confirmed);
        }
    }

    /// Appends a CONNECTED of all there is.
    pub(super) fn write_connected(&mut self, client_id: u8, out: &mut Vec<u8>) {
        let mut state = Vec::new();
        let mut writer = GameStateWriter::begin(self.newest, PACKET_MAX_BYTES - STATE_OFFSET_BYTES, &mut state);
        let left_out = self.entries.iter().find(|entry| !writer.add(|out| entry.seen.write(self.scale, out)));
        self.unsaid = earlier(self.unsaid, left_out.map(|entry| entry.seen.id()));
        wire::write_connected(client_id, &state, out);
    }

    /// The GAME_CHANGES of all since a confirmed tick, if there is anything.
    pub(super) fn game_changes(&mut self, confirmed: u32) -> Option<SharedPacket> {
        if confirmed == self.newest {
            return None;
        }
        let written = self.packets[..self.packets_written].iter().position(|&(since, _)| since == confirmed);
        let index = written.unwrap_or_else(|| self.write_game_changes(confirmed));
        Some(Arc::clone(&self.packets[index].1))
    }

    fn write_game_changes(&mut self, confirmed: u32) -> usize {
        let index = self.packets_written;
        self.packets_written += 1;
        let mut packets = std::mem::take(&mut self.packets);
        if index == packets.len() {
            packets.push(Default::default());
        }
        packets[index].0 = confirmed;
        let packet = Arc::make_mut(&mut packets[index].1);
        packet.clear();
        if self.is_after(self.recent.since, confirmed) {
            self.write_merged(confirmed, packet);
        } else {
            self.recent.write(|tick| self.is_after(tick, confirmed), packet);
        }
        self.packets = packets;
        index
    }

    /// One change instead of many: the newest state of every entity that changed since the confirmed tick.
    fn write_merged(&mut self, confirmed: u32, packet: &mut Vec<u8>) {
        let mut state = std::mem::take(&mut self.merged);
        state.clear();
        let left_out = self.write_change(|tick| self.is_after(tick, confirmed), CHANGE_LIMIT_BYTES, &mut state);
        self.unsaid = earlier(self.unsaid, left_out);
        wire::write_game_changes([&state[..]], packet);
        self.merged = state;
    }

    /// Appends a GAME_STATE of what changed in some ticks, in the order of ids. Says from which id on it did not fit.
    fn write_change(&self, is_told: impl Fn(u32) -> bool, limit_bytes: usize, out: &mut Vec<u8>) -> Option<u32> {
        let mut writer = GameStateWriter::begin(self.newest, limit_bytes, out);
        let mut removals = self.removals.iter().filter(|removal| is_told(removal.removed)).peekable();
        for entry in self.entries.iter().filter(|entry| is_told(entry.changed)) {
            while let Some(removal) = removals.next_if(|removal| removal.id < entry.seen.id()) {
                if !writer.push(removal.id, []) {
                    return Some(removal.id);
                }
            }
            if !writer.add(|out| entry.seen.write(self.scale, out)) {
                return Some(entry.seen.id());
            }
        }
        removals.find(|removal| !writer.push(removal.id, [])).map(|removal| removal.id)
    }

    /// Ticks wrap: a tick is after a confirmed one if going back from the newest meets it first.
    fn is_after(&self, tick: u32, confirmed: u32) -> bool {
        self.newest.wrapping_sub(tick) < self.newest.wrapping_sub(confirmed)
    }

    /// Adds the change of a new Frame. A Frame of the same tick again adds none.
    pub(super) fn update(&mut self, frame: &Frame) {
        let passed = frame.tick.0.wrapping_sub(self.shown);
        self.shown = frame.tick.0;
        if passed == 0 {
            return;
        }
        let is_back = passed > u32::MAX / 2;
        self.newest = self.newest.wrapping_add(if is_back { 1 } else { passed });
        self.packets_written = 0;
        self.note_changes(frame);
        self.forget_removals();
        self.remember_change();
    }

    /// Brings the entries up to what the Frame shows. Both are sorted by id, and mostly the same.
    fn note_changes(&mut self, frame: &Frame) {
        let tick = self.newest;
        let unsaid = self.unsaid.take().unwrap_or(u32::MAX);
        for removal in self.removals.iter_mut().filter(|removal| removal.id >= unsaid) {
            removal.removed = tick;
        }
        let mut index = 0;
        for seen in EntityState::all(frame) {
            while self.entries.get(index).is_some_and(|entry| entry.seen.id() < seen.id()) {
                self.note_removal(index);
            }
            match self.entries.get_mut(index).filter(|entry| entry.seen.id() == seen.id()) {
                Some(entry) => {
                    if seen.id() >= unsaid || seen.differs_from(&entry.seen) {
                        entry.changed = tick;
                    }
                    entry.seen = seen;
                }
                None => {
                    let appeared = self.take_back(seen.id()).unwrap_or(tick);
                    self.entries.insert(index, LoggedEntity { seen, appeared, changed: tick });
                }
            }
            index += 1;
        }
        while self.entries.len() > index {
            self.note_removal(index);
        }
    }

    /// Takes out an entry that is shown no longer.
    fn note_removal(&mut self, index: usize) {
        let LoggedEntity { seen, appeared, .. } = self.entries.remove(index);
        insert(&mut self.removals, Removal { id: seen.id(), appeared, removed: self.newest });
    }

    /// A game that starts again may use an id again that some have not heard the end of. When did that one appear?
    fn take_back(&mut self, id: u32) -> Option<u32> {
        let index = self.removals.binary_search_by_key(&id, |removal| removal.id).ok()?;
        Some(self.removals.remove(index).appeared)
    }

    /// Removals that every client has confirmed are done with. The others stay; of the doubtful ones only the newest.
    fn forget_removals(&mut self) {
        let mut removals = std::mem::take(&mut self.removals);
        let mut confirmed = std::mem::take(&mut self.confirmed);
        removals.retain(|removal| confirmed.iter().any(|&confirmed| self.is_after(removal.removed, confirmed)));
        let is_known = |removal: &Removal, confirmed: u32| {
            self.is_after(removal.removed, confirmed) && !self.is_after(removal.appeared, confirmed)
        };
        let is_doubtful = |removal: &Removal| !confirmed.iter().any(|&confirmed| is_known(removal, confirmed));
        let age = |removal: &Removal| self.newest.wrapping_sub(removal.removed);
        let surplus =
            removals.iter().filter(|removal| is_doubtful(removal)).count().saturating_sub(DOUBTFUL_REMOVALS_MAX);
        for _ in 0..surplus {
            let doubtful = removals.iter().enumerate().filter(|(_, removal)| is_doubtful(removal));
            let oldest = doubtful.max_by_key(|(_, removal)| age(removal)).map(|(index, _)| index);
            oldest.map(|index| removals.remove(index));
        }
        confirmed.clear();
        (self.removals, self.confirmed) = (removals, confirmed);
    }

    /// Keeps the change of the newest tick as it is, beside those before it as far as all fit in a datagram.
    fn remember_change(&mut self) {
        let mut recent = std::mem::take(&mut self.recent);
        let start = recent.states.len();
        self.write_change(|tick| tick == self.newest, usize::MAX, &mut recent.states);
        recent.sizes.push_back((self.newest, recent.states.len() - start));
        recent.shorten();
        self.recent = recent;
    }
}

impl Recent {
    /// Appends a GAME_CHANGES of those whose ticks are sent.
    fn write(&self, is_told: impl Fn(u32) -> bool, packet: &mut Vec<u8>) {
        let mut rest = &self.states[..];
        let changes = self.sizes.iter().filter_map(|&(tick, size)| {
            let (change, behind) = rest.split_at(size);
            rest = behind;
            is_told(tick).then_some(change)
        });
        wire::write_game_changes(changes, packet);
    }

    /// Forgets the oldest until a datagram holds the others.
    fn shorten(&mut self) {
        let mut dropped = 0;
        while STATE_OFFSET_BYTES + self.states.len() - dropped > DATAGRAM_MAX_BYTES || self.sizes.len() > CHANGES_MAX {
            let Some((tick, size)) = self.sizes.pop_front() else { break };
            self.since = tick;
            dropped += size;
        }
        self.states.drain(..dropped);
    }
}

fn insert(removals: &mut Vec<Removal>, removal: Removal) {
    let index = removals.partition_point(|other| other.id < removal.id);
    removals.insert(index, removal);
}

/// The lower of two ids that may be none.
fn earlier(one: Option<u32>, other: Option<u32>) -> Option<u32> {
    one.into_iter().chain(other).min()
}
