//! The search for the largest number that holds: doubling until one does not, then halving the gap. Pure.

/// Numbers are multiples of a full lobby.
const STEP: usize = 4;
/// The gap is narrow enough when it is no more than this part of what holds.
const GAP_PART: usize = 10;

/// What is known so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    /// The largest that held.
    held: usize,
    /// The smallest that did not.
    failed: Option<usize>,
    most: usize,
}

impl Search {
    /// A search from a number that held, up to `most`.
    pub(super) fn new(held: usize, failed: Option<usize>, most: usize) -> Search {
        Search { held, failed, most }
    }

    /// The next number to try; none: it is found well enough.
    pub(super) fn next(&self) -> Option<usize> {
        let next = match self.failed {
            None => (self.held * 2).min(self.most),
            Some(failed) if failed.saturating_sub(self.held) <= self.held / GAP_PART => return None,
            Some(failed) => (self.held + failed) / 2,
        };
        let next = next / STEP * STEP;
        (next > self.held && self.failed.is_none_or(|failed| next < failed)).then_some(next)
    }

    /// The largest number that held.
    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// Whether some number did not hold, now or before the search.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Notes how a try went.
    pub(super) fn note(&mut self, number: usize, holds: bool) {
        if holds {
            self.held = self.held.max(number);
        } else {
            self.failed = Some(self.failed.map_or(number, |failed| failed.min(number)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found if everything up to `limit` holds, and after how many tries.
    fn found(limit: usize, held: usize, failed: Option<usize>, most: usize) -> (usize, usize) {
        let mut search = Search::new(held, failed, most);
        let mut tries = 0;
        while let Some(number) = search.next() {
            search.note(number, number <= limit);
            tries += 1;
        }
        (search.held(), tries)
    }

    #[test]
    fn the_limit_is_found_within_a_tenth_and_in_few_tries() {
        for limit in [64, 65, 300, 1023, 1500, 4000] {
            let (held, tries) = found(limit, 64, None, 8192);
            assert!(held <= limit && limit < held + held / GAP_PART + 2 * STEP, "{limit}: {held}");
            assert!(tries <= 12, "{limit}: {tries}");
        }
        assert_eq!(found(usize::MAX, 1024, None, 4096), (4096, 2), "no more than was asked for");
        assert_eq!(found(300, 256, Some(1024), 4096).0, 280);
        assert_eq!(found(64, 64, Some(65), 4096), (64, 0));
    }

    #[test]
    fn what_failed_before_the_search_counts_as_failed() {
        assert!(Search::new(64, Some(65), 4096).has_failed());
        let mut search = Search::new(64, None, 4096);
        assert!(!search.has_failed());
        search.note(128, false);
        assert!(search.has_failed());
    }
}
