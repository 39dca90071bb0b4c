//! When lobbies tick: in eight groups, spread over the length of a tick, so that work never bunches.
//!
//! Slot `n` of the table is at `n` eighths of a tick after the start, and in it the lobbies of group `n % 8` tick.

use std::time::Duration;

use protocol::Time;

use crate::lobby::LobbyKey;

/// One tick, in microseconds.
const TICK_US: u64 = 16_667;
/// Groups of lobbies.
const PHASES: usize = 8;
/// A shard that is late by this many ticks leaves them out.
const CATCH_UP_MAX: u64 = 6;

/// Which lobbies tick when.
pub(super) struct Timetable {
    started: Time,
    groups: [Vec<LobbyKey>; PHASES],
    /// The slot that comes next.
    next: u64,
    /// The slot whose lobbies are having their turns.
    current: Option<Slot>,
}

/// A slot that has begun.
#[derive(Clone, Copy)]
struct Slot {
    due: Time,
    group: usize,
    /// How many of the group have had their turn.
    taken: usize,
}

impl Timetable {
    pub fn new(started: Time) -> Timetable {
        Timetable { started, groups: Default::default(), next: 0, current: None }
    }

    /// Adds a lobby to the smallest group.
    pub fn add(&mut self, now: Time, lobby: LobbyKey) {
        if self.groups.iter().all(Vec::is_empty) {
            self.begin_again(now);
        }
        if let Some(smallest) = self.groups.iter_mut().min_by_key(|group| group.len()) {
            smallest.push(lobby);
        }
    }

    pub fn remove(&mut self, lobby: LobbyKey) {
        for (number, group) in self.groups.iter_mut().enumerate() {
            let Some(mut index) = group.iter().position(|other| *other == lobby) else { continue };
            if let Some(current) = self.current.as_mut().filter(|current| current.group == number)
                && index < current.taken
            {
                // Its place is taken by one that had its turn, so that the last of the group still has its own.
                current.taken -= 1;
                group.swap(index, current.taken);
                index = current.taken;
            }
            group.swap_remove(index);
        }
    }

    /// When the next slot is.
    pub fn next_time(&self) -> Time {
        self.time_of(self.next)
    }

    /// Leaves out the ticks for which it is far too late; how many there were, over all lobbies in which time passes.
    pub fn catch_up(&mut self, now: Time, passes: impl Fn(LobbyKey) -> bool) -> u64 {
        let late = now.since(self.next_time()).as_micros() as u64 / TICK_US;
        if late < CATCH_UP_MAX {
            return 0;
        }
        self.next += late * PHASES as u64;
        late * self.groups.iter().flatten().filter(|lobby| passes(**lobby)).count() as u64
    }

    /// The next lobby whose turn it is by now, and since when.
    pub fn next_turn(&mut self, now: Time) -> Option<(Time, LobbyKey)> {
        loop {
            if let Some(current) = &mut self.current
                && let Some(lobby) = self.groups[current.group].get(current.taken)
            {
                current.taken += 1;
                return Some((current.due, *lobby));
            }
            let due = self.next_time();
            if due > now {
                self.current = None;
                return None;
            }
            self.current = Some(Slot { due, group: (self.next % PHASES as u64) as usize, taken: 0 });
            self.next += 1;
        }
    }

    /// Slots that passed while there was no lobby are nobody's.
    fn begin_again(&mut self, now: Time) {
        let ticks = now.since(self.started).as_micros() as u64 / TICK_US;
        self.next = self.next.max(ticks * PHASES as u64);
        while self.next_time() <= now {
            self.next += 1;
        }
    }

    fn time_of(&self, slot: u64) -> Time {
        let phases = PHASES as u64;
        self.started + Duration::from_micros(slot / phases * TICK_US + slot % phases * TICK_US / phases)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Time = Time::from_micros(1_000_000);

    fn at(us: u64) -> Time {
        START + Duration::from_micros(us)
    }

    /// The lobbies that tick until then.
    fn due(table: &mut Timetable, now: Time) -> Vec<usize> {
        std::iter::from_fn(|| table.next_turn(now)).map(|(_, lobby)| lobby.0).collect()
    }

    #[test]
    fn every_lobby_ticks_once_a_tick_spread_over_its_length() {
        let mut table = Timetable::new(START);
        (0..16).for_each(|lobby| table.add(START, LobbyKey(lobby)));
        assert!(due(&mut table, at(2_082)).is_empty());
        assert_eq!(due(&mut table, at(2_083)), [1, 9]);
        assert_eq!(due(&mut table, at(4_166)), [2, 10]);
        assert_eq!(due(&mut table, at(16_667)).len(), 12);
        let second: usize = (2..=61).map(|tick| due(&mut table, at(tick * 16_667)).len()).sum();
        assert_eq!(second, 16 * 60);
    }

    #[test]
    fn a_shard_that_is_far_too_late_leaves_ticks_out_and_one_that_is_a_little_late_does_not() {
        let mut table = Timetable::new(START);
        (0..8).for_each(|lobby| table.add(START, LobbyKey(lobby)));
        assert_eq!(table.catch_up(at(5 * 16_667), |_| true), 0);
        assert_eq!(due(&mut table, at(5 * 16_667)).len(), 40);
        assert_eq!(table.catch_up(at(100 * 16_667), |_| true), 94 * 8);
        assert_eq!(due(&mut table, at(100 * 16_667)).len(), 8);
        assert_eq!(table.catch_up(at(200 * 16_667), |lobby| lobby.0 < 2), 99 * 2, "a paused lobby misses nothing");
    }

    #[test]
    fn a_lobby_that_opens_after_a_long_rest_is_not_late() {
        let mut table = Timetable::new(START);
        table.add(at(3_600_000_050), LobbyKey(0));
        assert_eq!(table.catch_up(at(3_600_000_050), |_| true), 0);
        assert!(due(&mut table, at(3_600_000_050)).is_empty());
        assert_eq!(due(&mut table, at(3_600_000_050 + 16_667)), [0]);
    }

    #[test]
    fn a_lobby_that_is_gone_ticks_no_more() {
        let mut table = Timetable::new(START);
        (0..3).for_each(|lobby| table.add(START, LobbyKey(lobby)));
        table.remove(LobbyKey(1));
        assert_eq!(due(&mut table, at(16_667)), [2, 0]);
        table.add(at(16_667), LobbyKey(7));
        assert_eq!(table.groups[1], [LobbyKey(7)], "its place is taken first");
    }

    #[test]
    fn every_other_lobby_of_a_group_has_its_turn_once_whichever_is_removed_meanwhile() {
        for removed in [0, 8, 16, 24] {
            let mut table = Timetable::new(START);
            (0..32).for_each(|lobby| table.add(START, LobbyKey(lobby)));
            let mut turns = Vec::new();
            while let Some((_, lobby)) = table.next_turn(at(16_667)) {
                turns.extend(Some(lobby.0).filter(|lobby| lobby % 8 == 0));
                if turns.len() == 2 {
                    table.remove(LobbyKey(removed));
                }
            }
            turns.retain(|lobby| *lobby != removed);
            turns.sort_unstable();
            let others: Vec<usize> = [0, 8, 16, 24].into_iter().filter(|lobby| *lobby != removed).collect();
            assert_eq!(turns, others, "without {removed}");
        }
    }
}
