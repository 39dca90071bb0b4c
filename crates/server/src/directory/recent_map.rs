//! A table of the newest entries: when there are too many, the oldest go. Whatever comes, one more costs the same.

use std::hash::Hash;

use hashlink::LinkedHashMap;

/// The newest entries, up to a limit. One that is inserted again is new again, and counts once.
pub(super) struct RecentMap<K, V> {
    capacity: usize,
    /// The oldest first.
    entries: LinkedHashMap<K, V>,
}

impl<K: Copy + Eq + Hash, V> RecentMap<K, V> {
    pub fn new(capacity: usize) -> RecentMap<K, V> {
        RecentMap { capacity, entries: LinkedHashMap::new() }
    }

    pub fn get(&self, key: &K) -> Option<&V> {
        self.entries.get(key)
    }

    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.entries.get_mut(key)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds an entry, or replaces it. If there are too many then, the oldest goes.
    pub fn insert(&mut self, key: K, value: V) {
        // An entry that is replaced goes to the back.
        self.entries.insert(key, value);
        if self.entries.len() > self.capacity {
            self.entries.pop_front();
        }
    }

    pub fn remove(&mut self, key: &K) -> Option<V> {
        self.entries.remove(key)
    }

    /// Takes out the oldest entry.
    pub fn pop_oldest(&mut self) -> Option<(K, V)> {
        self.entries.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn the_newest_stay_and_the_oldest_go() {
        let mut recent = RecentMap::new(3);
        (0..5).for_each(|key| recent.insert(key, key * 10));
        assert_eq!([0, 1, 2, 3, 4].map(|key| recent.get(&key).copied()), [None, None, Some(20), Some(30), Some(40)]);
        recent.insert(2, 21);
        recent.insert(5, 50);
        recent.insert(6, 60);
        assert_eq!(
            [2, 4, 5].map(|key| recent.get(&key).copied()),
            [Some(21), None, Some(50)],
            "what is renewed is new"
        );
        (0..100).for_each(|_| recent.insert(6, 61));
        assert_eq!((recent.len(), recent.get(&2)), (3, Some(&21)), "one that comes again and again pushes nobody out");
    }

    #[test]
    fn c13_one_more_costs_the_same_however_many_there_are() {
        let mut recent = RecentMap::new(65_536);
        let began = Instant::now();
        (0..1_000_000u64).for_each(|key| recent.insert(key, key));
        // Looking through a full table for each would take hours.
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
        assert_eq!(recent.len(), 65_536);
    }
}
