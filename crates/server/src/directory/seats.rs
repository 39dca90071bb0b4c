//! How seats are given, found again and freed.

use protocol::{Dialect, LobbyId, Refusal, Time, Token};

use super::{Directory, DirectoryEntry, LobbyChoice, SeatKey, peers::Peer};
use crate::{
    address_group::address_group,
    peer::{Endpoint, PeerKey, ShardId, ShardSet},
    remote::RemoteWish,
};

/// A peer that asks for a seat, when, and at which shard.
#[derive(Clone, Copy)]
pub(crate) struct Asker {
    pub now: Time,
    pub shard: ShardId,
    pub peer: PeerKey,
    /// Whether it is known to be there: it has answered over a stream.
    pub is_proved: bool,
}

/// How a player who chooses wants to be seated.
pub(crate) enum SeatRequest {
    Any,
    /// In that lobby.
    Lobby(LobbyId),
    /// In a new one.
    New(LobbyChoice),
    /// In the seat that is kept for them.
    Kept(Token),
}

/// Where a peer that asks for a seat belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Assignment {
    /// It has a seat already, on this shard.
    Known(ShardId),
    /// The seat is its own now.
    New(SeatKey),
    /// There is none.
    Full,
    /// Its address or its network has as many as it may have.
    ShareTaken,
    /// There is one if it asks again (ruling C14). Until then it is not answered.
    AskAgain,
}

impl Directory {
    /// Finds a seat for a peer, or where it has one already. The shard that asked knows the way from now on.
    pub fn seat(&mut self, asker: Asker) -> Assignment {
        if let Some(shard) = self.find_peer(asker.shard, asker.peer) {
            return Assignment::Known(shard);
        }
        if !self.has_share(asker.peer) {
            return Assignment::ShareTaken;
        }
        match self.new_seat(asker) {
            Some(seat) => Assignment::New(seat),
            None if self.may_ask_again(asker) => Assignment::AskAgain,
            None => Assignment::Full,
        }
    }

    /// Whether the address and the network of a peer may have one more seat.
    pub fn has_share(&self, peer: PeerKey) -> bool {
        self.peers.have_room_for(peer, &self.settings.shares)
    }

    /// Whether one more peer of a door that proves no address may have a seat, if one is free: the door and all such doors together
    /// have their shares.
    pub(super) fn have_room_for_unproved_at(&self, door: Dialect) -> bool {
        self.provisional.count_at(door) < self.settings.shares.provisional_per_door
            && self.peers.have_room_for_unproved(&self.settings.shares)
    }

    fn new_seat(&mut self, asker: Asker) -> Option<SeatKey> {
        let Asker { now, shard, peer, is_proved } = asker;
        if !is_proved && !self.have_room_for_unproved_at(peer.dialect()) {
            return self.take_yielded_seat(asker);
        }
        let Some(lobby) = self.find_lobby(asker) else { return self.take_yielded_seat(asker) };
        let entry = self.lobbies.get(&lobby)?;
        let has_port = matches!(peer.endpoint, Endpoint::Lobby(..));
        let may_be_maker = has_port && entry.is_from_desk && entry.maker == address_group(peer.ip());
        let is_invited = !entry.plan.identity.is_private || !has_port || entry.invited.contain(now, peer.ip());
        let is_kept_out = entry.is_over() || entry.kicks.contain(now, peer) || !is_invited;
        if is_kept_out {
            return None;
        }
        if !may_be_maker && !entry.has_room_for_anybody(self.clock.at(now)) {
            return self.take_yielded_seat_in(asker, lobby);
        }
        let Some(seat) = self.take_seat(lobby, may_be_maker) else { return self.take_yielded_seat_in(asker, lobby) };
        let provisional_since = (!is_proved).then(|| self.clock.at(now));
        if let Some(since) = provisional_since {
            self.provisional.insert(since, lobby, peer);
        }
        self.peers.insert(peer, Peer { provisional_since, ..Peer::new(seat, shard) });
        Some(seat)
    }

    /// Seats a player who chooses, with a token by which they can come back.
    pub fn enter(&mut self, asker: Asker, request: SeatRequest) -> Result<(SeatKey, Token), Refusal> {
        let Asker { now, shard, peer, .. } = asker;
        if self.recent_peers.lock().is_kept_out(now, peer) {
            return Err(Refusal::Kicked);
        }
        let lobby = match request {
            SeatRequest::Kept(token) => return self.come_back(shard, peer, token).ok_or(Refusal::TooLate),
            _ if !self.has_share(peer) => return Err(Refusal::NodeFull),
            SeatRequest::Any => match self.find_lobby(asker) {
                Some(lobby) => lobby,
                None => return self.enter_yielded(asker).ok_or(Refusal::NodeFull),
            },
            SeatRequest::Lobby(id) if self.settings.is_bridge => {
                let wish = self.wish_for(id);
                self.open_any(asker, wish).ok_or(Refusal::NodeFull)?
            }
            SeatRequest::Lobby(id) => {
                self.find_by_code(now, peer.ip(), id)?;
                let entry = self.lobbies.get(&id).ok_or(Refusal::NoLobby)?;
                if entry.kicks.contain(now, peer) {
                    return Err(Refusal::Kicked);
                }
                if !entry.has_room_for_anybody(self.clock.at(now)) {
                    return Err(Refusal::Full);
                }
                if entry.is_over() {
                    return Err(Refusal::NotNow);
                }
                id
            }
            SeatRequest::New(choice) => self.make_lobby(shard, peer, choice).ok_or(Refusal::NodeFull)?,
        };
        let seat = self.take_seat(lobby, false).ok_or(Refusal::Full)?;
        self.peers.insert(peer, Peer::new(seat, shard));
        Ok((seat, self.give_token(peer)))
    }

    fn enter_yielded(&mut self, asker: Asker) -> Option<(SeatKey, Token)> {
        let seat = self.take_yielded_seat(asker)?;
        Some((seat, self.give_token(asker.peer)))
    }

    /// Gives a player a token by which they can come back.
    fn give_token(&mut self, peer: PeerKey) -> Token {
        let token = self.secrets.token();
        if let Some(known) = self.peers.get_mut(&peer) {
            known.token = Some(token);
            self.tokens.insert(token, peer);
        }
        token
    }

    fn come_back(&mut self, shard: ShardId, peer: PeerKey, token: Token) -> Option<(SeatKey, Token)> {
        let earlier = self.tokens.insert(token, peer);
        let Some(known) = earlier.and_then(|earlier| self.peers.remove(&earlier)) else {
            self.tokens.remove(&token);
            return None;
        };
        self.peers.insert(peer, Peer { routes: ShardSet::of(shard), is_away: false, ..known });
        if known.is_away {
            self.count_present(known.seat.lobby, 1);
        }
        Some((known.seat, token))
    }

    /// Rulings C1 and C17: the first open lobby with a free seat, or a new one; at a lobby's port, that lobby.
    fn find_lobby(&mut self, asker: Asker) -> Option<LobbyId> {
        if let Endpoint::Lobby(_, port) = asker.peer.endpoint {
            return self.ports.lobby(port);
        }
        let now = self.clock.at(asker.now);
        let has_room =
            |entry: &DirectoryEntry| entry.has_room_for_anybody(now) && self.may_send_to(asker.now, asker.peer, entry);
        let open = self.index.open.values().find(|id| self.lobbies.get(*id).is_some_and(has_room)).copied();
        open.or_else(|| self.open_any(asker, RemoteWish::default()))
    }

    /// Opens a lobby for which nothing was chosen but perhaps where its game is played.
    fn open_any(&mut self, asker: Asker, wish: RemoteWish) -> Option<LobbyId> {
        let (stage, rules) = (self.settings.stage.clone(), self.settings.rules);
        let choice = LobbyChoice { stage, rules, is_private: false, has_host: false, wish };
        self.open_lobby(asker.shard, asker.peer.ip(), choice)
    }

    fn take_seat(&mut self, lobby: LobbyId, may_be_maker: bool) -> Option<SeatKey> {
        let entry = self.lobbies.get_mut(&lobby)?;
        let seat = entry.free_seat()?;
        entry.seats[seat.index()] = true;
        if may_be_maker {
            entry.maker_since = None;
        }
        let shard = entry.shard;
        self.loads[shard.index()] += 1;
        self.note_openness(lobby);
        self.count_present(lobby, 1);
        Some(SeatKey { shard, lobby, seat })
    }

    /// How many more players are here in a lobby, or fewer.
    fn count_present(&mut self, lobby: LobbyId, change: isize) {
        if let Some(entry) = self.lobbies.get_mut(&lobby) {
            entry.present = entry.present.saturating_add_signed(change);
            self.note_idleness(lobby);
        }
    }

    /// A player is gone. The shards that knew the way to them.
    pub fn leave(&mut self, peer: PeerKey) -> ShardSet {
        self.confirm(peer);
        let Some(known) = self.peers.remove(&peer) else { return ShardSet::default() };
        let Peer { seat, routes, token, has_lost_seat, is_away, .. } = known;
        if let Some(token) = token {
            self.tokens.remove(&token);
        }
        if has_lost_seat {
            return routes;
        }
        if let Some(entry) = self.lobbies.get_mut(&seat.lobby) {
            entry.seats[seat.seat.index()] = false;
            let watching = entry.watching;
            self.loads[entry.shard.index()] -= 1;
            self.note_openness(seat.lobby);
            self.note_unused_seats(seat.lobby, watching);
        }
        if !is_away {
            self.count_present(seat.lobby, -1);
        }
        routes
    }

    /// A player's address has changed. The shard of the player, and those that knew the way to the old address.
    pub fn move_peer(&mut self, shard: ShardId, from: PeerKey, to: PeerKey) -> Option<(ShardId, ShardSet)> {
        let known = self.peers.remove(&from)?;
        self.peers.insert(to, Peer { routes: ShardSet::of(shard), has_moved: true, ..known });
        Some((known.seat.shard, known.routes))
    }

    /// The shards that knew the way to a player whose seat is kept. They know it no longer.
    pub fn take_routes(&mut self, peer: PeerKey) -> ShardSet {
        let Some(known) = self.peers.get_mut(&peer) else { return ShardSet::default() };
        let (routes, lobby) = (std::mem::take(&mut known.routes), known.seat.lobby);
        if !std::mem::replace(&mut known.is_away, true) {
            self.count_present(lobby, -1);
        }
        routes
    }

    /// The shard of a player, to which `shard` knows the way from now on.
    pub fn find_peer(&mut self, shard: ShardId, peer: PeerKey) -> Option<ShardId> {
        let known = self.peers.get_mut(&peer)?;
        known.routes.insert(shard);
        Some(known.seat.shard)
    }

    /// The shard of a player.
    pub fn find_shard(&self, peer: PeerKey) -> Option<ShardId> {
        self.peers.get(&peer).map(|known| known.seat.shard)
    }

    /// Whether the player at that address has come to it from another one.
    pub fn has_moved(&self, peer: PeerKey) -> bool {
        self.peers.get(&peer).is_some_and(|known| known.has_moved)
    }

    /// Whether a token brings somebody back to a seat.
    pub fn keeps_seat_for(&self, token: Token) -> bool {
        self.tokens.contains_key(&token)
    }

    /// Whether that seat is still that player's.
    pub fn is_seated(&self, peer: PeerKey, seat: SeatKey) -> bool {
        self.peers.get(&peer).is_some_and(|known| known.seat == seat)
    }
}
