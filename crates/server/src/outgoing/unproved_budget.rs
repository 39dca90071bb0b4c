//! A shard's share of what all unproved public peers of the node together are sent (ruling C5).
//!
//! The node's rate is divided by how many such peers each shard has, so nothing is locked for a datagram.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use protocol::{Time, amplification::Budget};

/// A shard's share of the budget.
pub(crate) struct UnprovedBudget {
    bytes_per_second: u64,
    budget: Budget,
    /// This shard's sessions that take part, the oldest first.
    members: Vec<BudgetMember>,
    next: u64,
    /// How many take part on all shards.
    in_all: Arc<AtomicUsize>,
}

/// A session that takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BudgetMember(u64);

impl UnprovedBudget {
    pub fn new(now: Time, bytes_per_second: u64, in_all: Arc<AtomicUsize>) -> UnprovedBudget {
        let budget = Budget::new(now, bytes_per_second);
        UnprovedBudget { bytes_per_second, budget, members: Vec::new(), next: 0, in_all }
    }

    /// A session takes part from now on.
    pub fn join(&mut self) -> BudgetMember {
        let member = BudgetMember(self.next);
        self.next += 1;
        self.members.push(member);
        self.in_all.fetch_add(1, Ordering::Relaxed);
        member
    }

    pub fn leave(&mut self, member: BudgetMember) {
        if let Ok(index) = self.members.binary_search(&member) {
            self.members.remove(index);
            self.in_all.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Whether a datagram may go to this session now; if so it counts as sent.
    pub fn spend(&mut self, now: Time, member: BudgetMember, bytes: usize) -> bool {
        let (own, in_all) = (self.members.len() as u64, self.in_all.load(Ordering::Relaxed).max(1) as u64);
        self.budget.set_rate(self.bytes_per_second * own.min(in_all) / in_all);
        let rank = self.members.binary_search(&member).unwrap_or(self.members.len());
        self.budget.spend(now, bytes, rank, self.members.len())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn c5_shards_share_the_budget_by_their_public_peers() {
        let start = Time::from_micros(0);
        let in_all = Arc::new(AtomicUsize::new(0));
        let mut shards = [1, 3].map(|peers| {
            let mut budget = UnprovedBudget::new(start, 10_000, Arc::clone(&in_all));
            let members: Vec<BudgetMember> = (0..peers).map(|_| budget.join()).collect();
            (budget, members)
        });
        let mut sent = [0; 2];
        for ms in 0..10_000 {
            for ((budget, members), sent) in shards.iter_mut().zip(&mut sent) {
                // Half of a bucket is kept back from newer sessions, so the oldest of each asks.
                *sent += 100 * usize::from(budget.spend(start + Duration::from_millis(ms), members[0], 100));
            }
        }
        assert!((25_000..=28_000).contains(&sent[0]) && (75_000..=84_000).contains(&sent[1]), "{sent:?}");
        let (budget, members) = &mut shards[1];
        members.iter().for_each(|member| budget.leave(*member));
        assert_eq!(in_all.load(Ordering::Relaxed), 1);
    }
}
