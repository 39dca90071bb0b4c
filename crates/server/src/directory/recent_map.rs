//! A table of the newest entries: when there are too many, the oldest go. Whatever comes, one more costs the same.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
};

/// The newest entries, at most so many.
pub(super) struct RecentMap<K, V> {
    capacity: usize,
    entries: HashMap<K, Numbered<V>>,
    /// Every insertion, the oldest first; those that were followed by another of the same key mean nothing any more.
    insertions: VecDeque<(u64, K)>,
    /// How many insertions there ever were.
    inserted: u64,
}

struct Numbered<V> {
    insertion: u64,
    value: V,
}

impl<K: Copy + Eq + Hash, V> RecentMap<K, V> {
    pub fn new(capacity: usize) -> RecentMap<K, V> {
        RecentMap { capacity, entries: HashMap::new(), insertions: VecDeque::new(), inserted: 0 }
    }

    pub fn get(&self, key: &K) -> Option<&V> {
        self.entries.get(key).map(|entry| &entry.value)
    }

    /// Adds an entry, or replaces it. Each call looks at no more than two entries.
    pub fn insert(&mut self, key: K, value: V) {
        self.inserted += 1;
        self.entries.insert(key, Numbered { insertion: self.inserted, value });
        self.insertions.push_back((self.inserted, key));
        if self.insertions.len() > self.capacity {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        let Some((insertion, key)) = self.insertions.pop_front() else { return };
        if self.entries.get(&key).is_some_and(|entry| entry.insertion == insertion) {
            self.entries.remove(&key);
        }
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
        assert_eq!((recent.entries.len(), recent.insertions.len()), (3, 3));
        (0..100).for_each(|_| recent.insert(6, 61));
        assert_eq!((recent.entries.len(), recent.insertions.len()), (1, 3));
    }

    #[test]
    fn c13_one_more_costs_the_same_however_many_there_are() {
        let mut recent = RecentMap::new(65_536);
        let began = Instant::now();
        (0..1_000_000u64).for_each(|key| recent.insert(key, key));
        // Looking through a full table for each would take hours.
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
        assert_eq!(recent.entries.len(), 65_536);
    }
}
