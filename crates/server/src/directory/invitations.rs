//! Who may sit down at the port of a private lobby: addresses that have named its code at a desk, for a while. A port can be found
//! by trying all of them; a code cannot.

use std::{net::IpAddr, time::Duration};

use protocol::{LobbyId, Refusal, Time};

use super::{Directory, Found};
use crate::address_group::address_group;

/// As long as what is said at a desk proves an address.
const INVITATION_LASTS: Duration = Duration::from_secs(60);
/// Addresses that are invited to one lobby; the oldest are forgotten.
const INVITED_MAX: usize = 16;

/// The address groups that are invited to a lobby, the oldest first.
#[derive(Default)]
pub(super) struct Invitations(Vec<(IpAddr, Time)>);

impl Invitations {
    pub fn contain(&self, now: Time, ip: IpAddr) -> bool {
        let group = address_group(ip);
        self.0.iter().any(|(invited, since)| *invited == group && now.since(*since) < INVITATION_LASTS)
    }

    fn add(&mut self, now: Time, ip: IpAddr) {
        let group = address_group(ip);
        self.0.retain(|(invited, since)| *invited != group && now.since(*since) < INVITATION_LASTS);
        if self.0.len() >= INVITED_MAX {
            self.0.remove(0);
        }
        self.0.push((group, now));
    }
}

impl Directory {
    /// Where a lobby is found by somebody who names its code at a desk, and may sit down at its port from now on.
    pub fn find_at_desk(&mut self, now: Time, from: IpAddr, id: LobbyId) -> Result<Found, Refusal> {
        let found = self.find_by_code(now, from, id)?;
        if let Some(entry) = self.lobbies.get_mut(&id).filter(|entry| entry.plan.identity.is_private) {
            entry.invited.add(now, from);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_lasts_a_minute_and_the_oldest_of_many_is_forgotten() {
        let ip = |last: u8| IpAddr::from([10, 0, 0, last]);
        let at = |seconds: u64| Time::from_micros(seconds * 1_000_000);
        let mut invited = Invitations::default();
        (0..100).for_each(|_| invited.add(at(0), ip(1)));
        assert!(invited.contain(at(59), ip(1)) && !invited.contain(at(60), ip(1)) && !invited.contain(at(1), ip(2)));
        (0..INVITED_MAX as u8).for_each(|last| invited.add(at(1), ip(10 + last)));
        assert!(!invited.contain(at(2), ip(1)) && invited.contain(at(2), ip(10)));
        assert_eq!(invited.0.len(), INVITED_MAX);
    }
}
