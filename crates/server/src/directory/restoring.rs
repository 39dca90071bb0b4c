//! Lobbies of an earlier process of the node, which it goes on with: their seats are taken from the start.

use std::net::Ipv4Addr;

use protocol::Time;

use super::{Directory, DirectoryEntry, SeatKey, peers::Peer};
use crate::{
    address_group::address_group,
    lobby::{LobbyPlan, RestoredSeat},
    peer::{Endpoint, ShardId, ShardSet},
};

impl Directory {
    /// Enters a lobby on a shard, with the seats that are kept in it. False: there is no room for it, or its code, a peer or a token
    /// is known already.
    pub fn restore(&mut self, now: Time, shard: ShardId, plan: &LobbyPlan, seats: &[RestoredSeat]) -> bool {
        let is_known = |seat: &RestoredSeat| {
            self.peers.get(&seat.peer).is_some() || seat.token.is_some_and(|token| self.tokens.contains_key(&token))
        };
        let has_number = self.lobbies.values().any(|entry| entry.plan.identity.number == plan.identity.number);
        let is_full = self.lobbies.len() >= self.settings.lobbies_max;
        if is_full || has_number || self.lobbies.contains_key(&plan.identity.id) || seats.iter().any(is_known) {
            return false;
        }
        self.opened = self.opened.max(plan.identity.number.saturating_add(1));
        self.loads[shard.index()] += 1 + seats.len();
        let first = seats.first().map_or(Ipv4Addr::UNSPECIFIED.into(), |seat| seat.peer.ip());
        let maker = address_group(plan.identity.made_by.unwrap_or(first));
        if plan.identity.made_by.is_some() {
            self.made.add(maker);
        }
        let mut entry = DirectoryEntry { is_awaiting: true, ..DirectoryEntry::new(shard, maker, plan.clone()) };
        for restored in seats {
            let seat = SeatKey { shard, lobby: plan.identity.id, seat: restored.seat };
            entry.seats[restored.seat.index()] = true;
            let is_link = restored.token.is_some();
            let routes = if is_link { ShardSet::default() } else { ShardSet::of(shard) };
            // A player of a link is away until the token comes; of any other dialect there is a session, which is awaited.
            entry.present += usize::from(!is_link);
            let provisional_since = restored.is_provisional.then(|| self.clock.at(now));
            let token = restored.token;
            let peer = Peer { routes, token, is_away: is_link, provisional_since, ..Peer::new(seat, shard) };
            self.peers.insert(restored.peer, peer);
            if let Some(since) = provisional_since {
                self.provisional.insert(since, plan.identity.id, restored.peer);
            }
            self.tokens.extend(restored.token.map(|token| (token, restored.peer)));
            // It had its exchange with the process before.
            if let Endpoint::Lobby(..) = restored.peer.endpoint {
                self.proofs.lock().note(now, restored.peer.ip(), 0);
            }
        }
        self.lobbies.insert(plan.identity.id, entry);
        true
    }

    /// Takes a port that a lobby had before. False: it is not one of the lobbies' ports, or is taken.
    pub fn take_port_again(&mut self, port: u16) -> bool {
        self.ports.take_again(port)
    }
}
