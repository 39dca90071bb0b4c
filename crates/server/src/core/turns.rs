//! Time: lobbies tick when they are due, one turn each, and those that have been empty for long are closed.

use std::time::Duration;

use protocol::Time;

use super::Core;
use crate::{lobby::LobbyKey, outgoing::Context};

/// A shard that is called again later than this has lost time.
const LATE_MAX: Duration = Duration::from_millis(500);

/// The turn that a lobby had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// When it was due.
    pub due: Time,
    /// Whether its game took a tick. A paused one does not: it is neither late nor busy.
    pub is_tick: bool,
}

impl Core {
    /// Does all that is due by now. To be called at [`Core::next_due`], or a few times a tick.
    pub fn advance(&mut self, now: Time) {
        self.begin_round(now);
        while self.take_turn(now).is_some() {}
    }

    /// Does what is due by now, except for the lobbies' turns: [`Core::take_turn`] is to be called next until there are none.
    pub fn begin_round(&mut self, now: Time) {
        self.notice_lost_time(now);
        self.notice_stall(now);
        self.router.advance(&mut Context { now, out: &mut self.out });
        self.exchange(now);
        self.out.counters.ticks_skipped += self.lobbies.catch_up(now);
    }

    /// Gives the next lobby that is due its turn. None: no lobby is due.
    pub fn take_turn(&mut self, now: Time) -> Option<Turn> {
        let (due, key) = self.lobbies.timetable.next_turn(now)?;
        let cx = &mut Context { now, out: &mut self.out };
        let is_tick = self.lobbies.visit(cx, key, |lobby, cx| lobby.tick(cx)).unwrap_or(false);
        self.out.counters.ticks += u64::from(is_tick);
        self.keep_save(now, key);
        self.exchange(now);
        self.close_if_long_empty(now, key);
        Some(Turn { due, is_tick })
    }

    /// Ruling C15: a shard that has sessions is called many times a second. If it was not, the node was stopped, starved or
    /// suspended, and that time is nobody's silence.
    pub(super) fn notice_lost_time(&mut self, now: Time) {
        let lost = now.since(std::mem::replace(&mut self.called, now));
        if lost <= LATE_MAX || self.next_due().is_none() {
            return;
        }
        tracing::warn!(?lost, "the node did not run for a while; that is not counted as anybody's silence");
        self.lose_time(now, lost);
        self.stall_counted = now;
    }

    /// Ruling C15: what a player says may come by way of another thread. While that one stands still, nobody here is silent.
    fn notice_stall(&mut self, now: Time) {
        self.heartbeats.beat(self.shard, now, self.next_due().is_none());
        let Some(since) = self.heartbeats.stalled_since(self.shard, now, LATE_MAX) else { return };
        if since >= self.stall_counted {
            tracing::warn!("another thread stands still; that time is not counted as anybody's silence");
        }
        self.lose_time(now, now.since(since.max(self.stall_counted)));
        self.stall_counted = now;
    }

    fn lose_time(&mut self, now: Time, lost: Duration) {
        self.lobbies.iter_mut().for_each(|lobby| lobby.lose_time(lost));
        self.router.lose_time(now, lost);
    }

    /// When there is something to do even if nothing arrives; none while the shard has nothing at all.
    pub fn next_due(&self) -> Option<Time> {
        let is_idle = self.lobbies.len() == 0 && self.router.is_idle();
        (!is_idle).then(|| self.lobbies.timetable.next_time())
    }

    /// The same, for a shard that rests now. If it has nothing at all, it sleeps until something arrives, and the others have
    /// to know that. What it had last may have gone since its round began, and they would believe that it stands still.
    pub fn begin_rest(&mut self, now: Time) -> Option<Time> {
        let due = self.next_due();
        if due.is_none() {
            self.heartbeats.beat(self.shard, now, true);
        }
        due
    }

    /// When something times out on a shard that has nothing else to do.
    pub fn next_timeout(&self) -> Option<Time> {
        self.router.next_timeout()
    }

    fn close_if_long_empty(&mut self, now: Time, key: LobbyKey) {
        let Some(lobby) = self.lobbies.get(key).filter(|lobby| lobby.is_long_empty(now)) else { return };
        let (id, name) = (lobby.id(), lobby.log_name());
        let cx = &mut Context { now, out: &mut self.out };
        if self.router.close_if_empty(cx, id) {
            self.lobbies.visit(cx, key, |lobby, cx| lobby.dismiss_watchers(cx.now));
            self.lobbies.remove(key);
            tracing::info!(lobby = %name, "closed an empty lobby");
            self.exchange(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use protocol::Dialect;

    use super::*;
    use crate::{http::core_for_tests, peer::PeerKey, peer::StreamId};

    /// How many sessions there are after a link has said nothing for fifteen seconds, because its thread stood still or not.
    fn sessions_after_silence(is_stalled: bool) -> usize {
        let mut now = Time::from_micros(1_700_000_000_000_000);
        let mut core = core_for_tests(now);
        let heartbeat = core.heartbeats.edge_thread();
        let peer = PeerKey::at_door(Dialect::Volley, SocketAddr::from(([192, 0, 2, 1], 5000)));
        core.link_opened(now, peer, StreamId(1 << 48));
        heartbeat.beat(now, false);
        assert_eq!(core.all_sessions().count(), 1);
        for _ in 0..15 * 60 {
            now = now + Duration::from_micros(16_667);
            if !is_stalled {
                heartbeat.beat(now, false);
            }
            core.advance(now);
            while core.poll().is_some() {}
        }
        core.all_sessions().count()
    }

    #[test]
    fn c15_time_in_which_the_thread_of_a_link_stood_still_is_not_its_players_silence() {
        assert_eq!((sessions_after_silence(false), sessions_after_silence(true)), (0, 1));
    }
}
