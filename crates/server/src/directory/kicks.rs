//! Players whom the host of a lobby has kicked: they get no seat in that lobby for a while. A host who kicks one after the other is
//! sent no more players; whoever knows the code of the lobby still finds it.

use std::{net::IpAddr, time::Duration};

use protocol::{Dialect, LobbyId, Refusal, Time};

use super::{Directory, DirectoryEntry, Found, recent_map::RecentMap};
use crate::{address_group::address_group, peer::PeerKey};

/// How long a player whom the lobby host kicked stays out of the lobby.
const KICK_LASTS: Duration = Duration::from_secs(60);
/// Kicks of one lobby that are kept in mind; the oldest are forgotten.
const KICKS_MAX: usize = 16;
/// A host who has kicked this many within [`KICK_LASTS`] is sent no more players: fewer than a lobby keeps in mind, so that none of them is
/// sent back.
const KICKS_OF_HOST_MAX: usize = 4;
/// Addresses of hosts who kicked somebody that are kept in mind.
const KICKERS_MAX: usize = 1024;

/// The kicks of a lobby, the oldest first. A player is known by address and dialect, as there is nothing else to know them by.
#[derive(Default)]
pub(super) struct Kicks(Vec<Kick>);

struct Kick {
    dialect: Dialect,
    from: IpAddr,
    at: Time,
}

impl Kicks {
    pub fn contain(&self, now: Time, peer: PeerKey) -> bool {
        let is_of = |kick: &Kick| kick.dialect == peer.dialect() && kick.from == address_group(peer.ip());
        self.0.iter().any(|kick| is_of(kick) && now.since(kick.at) < KICK_LASTS)
    }

    fn are_many(&self, now: Time) -> bool {
        self.0.iter().filter(|kick| now.since(kick.at) < KICK_LASTS).count() >= KICKS_OF_HOST_MAX
    }

    fn add(&mut self, now: Time, peer: PeerKey) {
        self.0.retain(|kick| now.since(kick.at) < KICK_LASTS);
        if self.0.len() >= KICKS_MAX {
            self.0.remove(0);
        }
        self.0.push(Kick { dialect: peer.dialect(), from: address_group(peer.ip()), at: now });
    }
}

/// Address groups of hosts, and when they last kicked somebody, the newest first. Another lobby does not make a host another one.
pub(super) struct Kickers(RecentMap<IpAddr, [Option<Time>; KICKS_OF_HOST_MAX]>);

impl Kickers {
    pub fn new() -> Kickers {
        Kickers(RecentMap::new(KICKERS_MAX))
    }

    fn add(&mut self, now: Time, host: PeerKey) {
        let group = address_group(host.ip());
        let mut kicks = self.0.get(&group).copied().unwrap_or_default();
        kicks.rotate_right(1);
        kicks[0] = Some(now);
        self.0.insert(group, kicks);
    }

    fn kicked_many(&self, now: Time, group: IpAddr) -> bool {
        let kicks = self.0.get(&group);
        kicks.is_some_and(|kicks| kicks.iter().all(|kick| kick.is_some_and(|at| now.since(at) < KICK_LASTS)))
    }
}

impl Directory {
    pub fn note_kicked(&mut self, now: Time, id: LobbyId, player: PeerKey, host: Option<PeerKey>) {
        if let Some(entry) = self.lobbies.get_mut(&id) {
            entry.kicks.add(now, player);
        }
        if let Some(host) = host {
            self.kickers.add(now, host);
        }
    }

    /// Whether a player who asks for any seat may be sent to that lobby.
    pub(super) fn may_send_to(&self, now: Time, peer: PeerKey, entry: &DirectoryEntry) -> bool {
        !entry.kicks.contain(now, peer) && !entry.kicks.are_many(now) && !self.kickers.kicked_many(now, entry.maker)
    }

    /// Where a lobby is found by somebody who names its code to watch it.
    pub fn find_to_watch(&mut self, now: Time, peer: PeerKey, id: LobbyId) -> Result<Found, Refusal> {
        let found = self.find_by_code(now, peer.ip(), id)?;
        match self.lobbies.get(&id) {
            Some(entry) if entry.kicks.contain(now, peer) => Err(Refusal::Kicked),
            _ => Ok(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;

    #[test]
    fn a_kick_lasts_a_minute_and_the_oldest_of_many_is_forgotten() {
        let peer = |last: u8, dialect| PeerKey::at_door(dialect, SocketAddr::from(([10, 0, 0, last], 5000)));
        let at = |seconds: u64| Time::from_micros(seconds * 1_000_000);
        let mut kicks = Kicks::default();
        kicks.add(at(0), peer(1, Dialect::Typeuh));
        assert!(kicks.contain(at(59), peer(1, Dialect::Typeuh)) && !kicks.contain(at(60), peer(1, Dialect::Typeuh)));
        assert!(!kicks.contain(at(1), peer(1, Dialect::Aecs)) && !kicks.contain(at(1), peer(2, Dialect::Typeuh)));
        (0..KICKS_MAX as u8).for_each(|last| kicks.add(at(1), peer(10 + last, Dialect::Typeuh)));
        assert!(!kicks.contain(at(2), peer(1, Dialect::Typeuh)) && kicks.contain(at(2), peer(10, Dialect::Typeuh)));
        assert_eq!(kicks.0.len(), KICKS_MAX);
    }

    #[test]
    fn a_host_has_kicked_many_for_a_minute_whatever_lobby_it_was_in() {
        let host = |last: u8| PeerKey::at_door(Dialect::Volley, SocketAddr::from(([10, 0, 0, last], 5000)));
        let group = |last: u8| address_group(host(last).ip());
        let at = |seconds: u64| Time::from_micros(seconds * 1_000_000);
        let mut kickers = Kickers::new();
        for second in 0..KICKS_OF_HOST_MAX as u64 {
            assert!(!kickers.kicked_many(at(second), group(1)));
            kickers.add(at(second), host(1));
        }
        assert!(kickers.kicked_many(at(59), group(1)) && !kickers.kicked_many(at(59), group(2)));
        assert!(!kickers.kicked_many(at(60), group(1)), "the first is too long ago");
    }
}
