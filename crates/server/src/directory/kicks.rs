//! Players whom the host of a lobby has kicked: they get no seat in that lobby for a while.

use std::{net::IpAddr, time::Duration};

use protocol::{Dialect, LobbyId, Refusal, Time};

use super::{Directory, Found};
use crate::{address_group::address_group, peer::PeerKey};

/// How long a player whom the host kicked stays out of the lobby.
const KICK_LASTS: Duration = Duration::from_secs(60);
/// Kicks of one lobby that are kept in mind; the oldest are forgotten.
const KICKS_MAX: usize = 16;

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

    fn add(&mut self, now: Time, peer: PeerKey) {
        self.0.retain(|kick| now.since(kick.at) < KICK_LASTS);
        if self.0.len() >= KICKS_MAX {
            self.0.remove(0);
        }
        self.0.push(Kick { dialect: peer.dialect(), from: address_group(peer.ip()), at: now });
    }
}

impl Directory {
    pub fn note_kicked(&mut self, now: Time, id: LobbyId, peer: PeerKey) {
        if let Some(entry) = self.lobbies.get_mut(&id) {
            entry.kicks.add(now, peer);
        }
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
}
