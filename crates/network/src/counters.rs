//! What became of messages.

use crate::SendOutcome;

/// Why a datagram was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossReason {
    /// By chance.
    Chance,
    /// In a burst.
    Burst,
    /// It found no room in the queue before a slow line, or too many were under way.
    Queue,
    /// In an outage.
    Outage,
    /// It was sent to a binding that the client's NAT has forgotten.
    Forgotten,
}

/// What became of the messages of one direction, over all peers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Messages sent.
    pub sent: u64,
    /// Messages that arrive, or will, copies included.
    pub delivered: u64,
    /// Datagrams that arrive, or will, a second time.
    pub duplicated: u64,
    /// Datagrams that were held back.
    pub held_back: u64,
    /// Datagrams lost by chance.
    pub lost_by_chance: u64,
    /// Datagrams lost in bursts.
    pub lost_in_bursts: u64,
    /// Datagrams that found no room.
    pub lost_in_queue: u64,
    /// Datagrams lost in outages.
    pub lost_in_outages: u64,
    /// Datagrams to a binding that was forgotten.
    pub lost_as_forgotten: u64,
}

impl Counters {
    /// Datagrams lost for any reason.
    pub fn lost(&self) -> u64 {
        self.lost_by_chance + self.lost_in_bursts + self.lost_in_queue + self.lost_in_outages + self.lost_as_forgotten
    }

    pub(crate) fn count(&mut self, outcome: SendOutcome) {
        self.sent += 1;
        match outcome {
            SendOutcome::Lost(why) => self.lose(why),
            SendOutcome::Arrives { again, is_held_back, .. } => {
                self.delivered += 1 + u64::from(again.is_some());
                self.duplicated += u64::from(again.is_some());
                self.held_back += u64::from(is_held_back);
            }
        }
    }

    fn lose(&mut self, why: LossReason) {
        *match why {
            LossReason::Chance => &mut self.lost_by_chance,
            LossReason::Burst => &mut self.lost_in_bursts,
            LossReason::Queue => &mut self.lost_in_queue,
            LossReason::Outage => &mut self.lost_in_outages,
            LossReason::Forgotten => &mut self.lost_as_forgotten,
        } += 1;
    }
}
