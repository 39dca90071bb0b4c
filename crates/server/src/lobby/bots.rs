//! The bots of a lobby: players of the node itself, which the host of the lobby adds in free seats.
//!
//! A bot is shown the Frame that the others are sent, and says what it holds like them. The directory does not count it: it
//! gives its seat up to whoever joins. A lobby without bots pays nothing for them.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use bot::{Bot, Ground};
use game::{Departure, Frame, Inputs, SEATS, Seat, ShipModel, Skill, Stage};
use protocol::{LobbyNotice, Refusal};

use super::{Lobby, MemberKey};
use crate::outgoing::Context;

/// Bots of one shard, at most: their decisions are a part of every tick (`cargo run --release -p bot --example cost`).
pub const BOTS_PER_SHARD_MAX: usize = 128;

/// How many bots a shard runs. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct BotBudget(Arc<AtomicUsize>);

/// A bot's share of the budget, which is given back when it is gone.
struct BotShare(BotBudget);

impl BotBudget {
    pub fn in_use(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn take(&self) -> Option<BotShare> {
        // Only one thread takes, the shard's own.
        if self.in_use() >= BOTS_PER_SHARD_MAX {
            return None;
        }
        self.0.fetch_add(1, Ordering::Relaxed);
        Some(BotShare(self.clone()))
    }
}

impl Drop for BotShare {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The bots of a lobby, by seat.
pub(super) struct Bots {
    seats: [Option<Box<SeatedBot>>; SEATS],
    /// What they come out of.
    budget: BotBudget,
}

struct SeatedBot {
    bot: Bot,
    _share: BotShare,
}

impl Bots {
    /// No bot yet.
    pub fn new(budget: BotBudget) -> Bots {
        Bots { seats: Default::default(), budget }
    }

    /// Lets a bot play in a seat. False: the shard runs as many as it may.
    fn seat(&mut self, seat: Seat, bot: Bot) -> bool {
        let Some(share) = self.budget.take() else { return false };
        self.seats[seat.index()] = Some(Box::new(SeatedBot { bot, _share: share }));
        true
    }

    /// How well the bot in that seat plays, if there is one.
    pub fn skill(&self, seat: Seat) -> Option<Skill> {
        self.seats[seat.index()].as_ref().map(|seated| seated.bot.skill())
    }

    pub fn are_there(&self) -> bool {
        self.seats.iter().any(Option::is_some)
    }

    /// What the bots hold, in answer to the Frame that everybody was shown last.
    pub fn decide(&mut self, frame: &Frame, stage: &Stage, inputs: &mut Inputs) {
        for (seat, seated) in Seat::ALL.into_iter().zip(&mut self.seats) {
            if let Some(seated) = seated {
                inputs[seat.index()] = seated.bot.decide(frame, seat, Ground::Stage(stage));
            }
        }
    }
}

impl Lobby {
    /// The host asks for a bot in a free seat.
    pub(super) fn add_bot(&mut self, cx: &mut Context, host: Seat, skill: Skill) {
        let free = Seat::ALL.into_iter().find(|seat| self.is_free(*seat));
        let seated = free.filter(|seat| self.seat_bot(*seat, skill, BOT_NAMES[seat.index()]));
        let Some(seat) = seated else {
            cx.out.counters.bots_refused += 1;
            return self.notify(cx.now, MemberKey::Seat(host), &LobbyNotice::Refused(Refusal::NoBot));
        };
        self.world.join_with(seat, ShipModel::of_seat(seat));
        let (seat, skill) = (seat.number(), skill.name());
        tracing::info!(lobby = %self.log_name(), seat, skill, "the lobby host added a bot");
    }

    /// Lets a bot play in a seat. False: the shard runs as many as it may.
    pub(super) fn seat_bot(&mut self, seat: Seat, skill: Skill, name: &str) -> bool {
        // Another one in another game, and the same one in a game that is played again.
        let seed = self.identity.seed ^ (u64::from(self.world.now().0) << 8) ^ u64::from(seat.number());
        if !self.bots.seat(seat, Bot::with_skill(skill, seed)) {
            return false;
        }
        self.scene.seat_taken(seat, name);
        self.announced.change_details();
        true
    }

    /// Takes the bot out of a seat, if there is one.
    pub fn remove_bot(&mut self, seat: Seat) {
        if self.bots.skill(seat).is_none() {
            return;
        }
        self.remember(seat);
        self.bots.seats[seat.index()] = None;
        self.world.leave(seat, Departure::Left);
        self.scene.seat_left(seat);
        self.announced.change_details();
    }

    /// A lobby that everybody has left is nobody's, and its bots go too.
    pub(super) fn remove_all_bots(&mut self) {
        Seat::ALL.into_iter().for_each(|seat| self.remove_bot(seat));
    }

    /// Whether nobody sits there, no bot either.
    fn is_free(&self, seat: Seat) -> bool {
        self.members.occupant(seat).is_none() && self.bots.skill(seat).is_none()
    }
}

/// What bots are called, by seat.
const BOT_NAMES: [&str; SEATS] = ["Bot 1", "Bot 2", "Bot 3", "Bot 4"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_runs_its_most_bots_and_no_more() {
        let budget = BotBudget::default();
        let mut shares: Vec<BotShare> = (0..BOTS_PER_SHARD_MAX).filter_map(|_| budget.take()).collect();
        assert!(budget.take().is_none());
        shares.pop();
        assert_eq!(budget.in_use(), BOTS_PER_SHARD_MAX - 1);
        assert!(budget.take().is_some());
    }
}
