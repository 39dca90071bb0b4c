//! Who is in a lobby: players in their seats, seats that are kept for players whose link is lost, and watchers.

use std::{net::IpAddr, time::Duration};

use game::{SEATS, Seat};
use protocol::{Dialect, Time, Token};
use slab::Slab;

use super::KEPT_SEAT_LASTS;
use crate::{address_group::address_group, peer::PeerKey, session::Session};

/// Watchers of one lobby, at most; of one address; and of a neighbour's, where a proxy may run.
const WATCHERS_MAX: usize = 32;
const WATCHERS_PER_ADDRESS: usize = WATCHERS_MAX / 4;
const WATCHERS_PER_NEIGHBOUR: usize = WATCHERS_MAX / 4 * 3;

/// Somebody whose session is in a lobby.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberKey {
    Seat(Seat),
    Watcher(usize),
}

/// Everybody in a lobby.
#[derive(Default)]
pub(super) struct Members {
    seats: [SeatState; SEATS],
    /// How many players have ever sat down.
    arrivals: u64,
    watchers: Slab<Box<Session>>,
}

/// How a seat stands.
#[derive(Default)]
enum SeatState {
    #[default]
    Free,
    Taken {
        session: Box<Session>,
        details: SeatDetails,
    },
    Kept {
        seat: KeptSeat,
        details: SeatDetails,
    },
}

/// What belongs to a player's seat whether they are here or away.
#[derive(Clone, Copy)]
struct SeatDetails {
    is_ready: bool,
    /// Whether others sat down earlier.
    arrival: u64,
    /// What brings the player of a link back.
    token: Option<Token>,
}

/// The seat of a player whose link is lost.
#[derive(Clone, Copy)]
pub(super) struct KeptSeat {
    pub since: Time,
    pub peer: PeerKey,
}

impl KeptSeat {
    pub fn is_kept_too_long(&self, now: Time) -> bool {
        now.since(self.since) >= KEPT_SEAT_LASTS
    }
}

/// The player whom a seat belongs to, whether here or away.
#[derive(Clone, Copy)]
pub(super) struct Occupant {
    pub dialect: Dialect,
    pub from: IpAddr,
    pub is_ready: bool,
    /// Whether the link is lost.
    pub is_away: bool,
}

impl Members {
    pub fn get(&self, key: MemberKey) -> Option<&Session> {
        match key {
            MemberKey::Seat(seat) => self.seats[seat.index()].session(),
            MemberKey::Watcher(index) => self.watchers.get(index).map(Box::as_ref),
        }
    }

    pub fn get_mut(&mut self, key: MemberKey) -> Option<&mut Session> {
        match key {
            MemberKey::Seat(seat) => self.seats[seat.index()].session_mut(),
            MemberKey::Watcher(index) => self.watchers.get_mut(index).map(Box::as_mut),
        }
    }

    /// Everybody who is here, players first.
    pub fn iter(&self) -> impl Iterator<Item = (MemberKey, &Session)> {
        let seats = Seat::ALL.into_iter().zip(&self.seats);
        let players = seats.filter_map(|(seat, state)| Some((MemberKey::Seat(seat), state.session()?)));
        let watchers = self.watchers.iter().map(|(index, session)| (MemberKey::Watcher(index), session.as_ref()));
        players.chain(watchers)
    }

    /// Everybody who is here, players first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Session> {
        let players = self.seats.iter_mut().filter_map(SeatState::session_mut);
        players.chain(self.watchers.iter_mut().map(|(_, session)| session.as_mut()))
    }

    /// The sessions of the players, by seat.
    pub fn players_mut(&mut self) -> impl Iterator<Item = Option<&mut Session>> {
        self.seats.iter_mut().map(SeatState::session_mut)
    }

    /// The node itself lost time: it is nobody's silence, and nobody's being away (ruling C15).
    pub fn lose_time(&mut self, lost: Duration) {
        self.iter_mut().for_each(|session| session.lose_time(lost));
        for state in &mut self.seats {
            if let SeatState::Kept { seat, .. } = state {
                seat.since = seat.since + lost;
            }
        }
    }

    /// Somebody whose session is over.
    pub fn first_ended(&self) -> Option<MemberKey> {
        self.iter().find(|(_, session)| session.ended().is_some()).map(|(key, _)| key)
    }

    pub fn first_watcher(&self) -> Option<MemberKey> {
        self.watchers.iter().next().map(|(index, _)| MemberKey::Watcher(index))
    }

    /// Puts a player into a seat. It must be free, or kept: one who comes back sat down when they first did.
    pub fn sit(&mut self, seat: Seat, session: Box<Session>, token: Option<Token>) {
        self.arrivals += 1;
        let state = &mut self.seats[seat.index()];
        let arrival = if let SeatState::Kept { details, .. } = state { details.arrival } else { self.arrivals };
        *state = SeatState::Taken { session, details: SeatDetails { is_ready: false, arrival, token } };
    }

    /// Of the players with a link, the one who sat down first; one whose link is lost only if there is no other.
    pub fn first_with_link(&self) -> Option<Seat> {
        let standing = |seat: Seat| match &self.seats[seat.index()] {
            SeatState::Taken { session, details } if session.is_link() => Some((false, details.arrival, seat)),
            SeatState::Kept { details, .. } => Some((true, details.arrival, seat)),
            SeatState::Taken { .. } | SeatState::Free => None,
        };
        Seat::ALL.into_iter().filter_map(standing).min().map(|(_, _, seat)| seat)
    }

    /// Lets somebody watch. If too many do, the session comes back.
    pub fn watch(&mut self, session: Box<Session>) -> Result<MemberKey, Box<Session>> {
        let group = address_group(session.peer.ip());
        let own = self.watchers.iter().filter(|(_, other)| address_group(other.peer.ip()) == group).count();
        let share = if session.peer.is_neighbour { WATCHERS_PER_NEIGHBOUR } else { WATCHERS_PER_ADDRESS };
        if self.watchers.len() >= WATCHERS_MAX || own >= share {
            return Err(session);
        }
        Ok(MemberKey::Watcher(self.watchers.insert(session)))
    }

    /// Takes somebody out. A player's seat is free then.
    pub fn take(&mut self, key: MemberKey) -> Option<Box<Session>> {
        match key {
            MemberKey::Watcher(index) => self.watchers.try_remove(index),
            MemberKey::Seat(seat) => {
                let state = &mut self.seats[seat.index()];
                state.session()?;
                match std::mem::take(state) {
                    SeatState::Taken { session, .. } => Some(session),
                    SeatState::Free | SeatState::Kept { .. } => None,
                }
            }
        }
    }

    /// Takes a player out and keeps the seat.
    pub fn take_and_keep(&mut self, now: Time, seat: Seat) -> Option<Box<Session>> {
        let state = &mut self.seats[seat.index()];
        match std::mem::take(state) {
            SeatState::Taken { session, details } => {
                *state = SeatState::Kept { seat: KeptSeat { since: now, peer: session.peer }, details };
                Some(session)
            }
            other => {
                *state = other;
                None
            }
        }
    }

    /// Keeps a seat for a player who comes back over a link.
    pub fn keep(&mut self, seat: Seat, kept: KeptSeat, token: Token, is_ready: bool) {
        self.arrivals += 1;
        let details = SeatDetails { is_ready, arrival: self.arrivals, token: Some(token) };
        self.seats[seat.index()] = SeatState::Kept { seat: kept, details };
    }

    /// What the player of that seat can come back with.
    pub fn token(&self, seat: Seat) -> Option<Token> {
        match &self.seats[seat.index()] {
            SeatState::Free => None,
            SeatState::Taken { details, .. } | SeatState::Kept { details, .. } => details.token,
        }
    }

    /// How many players are here, and how many are away.
    pub fn presence(&self) -> (usize, usize) {
        let all = Seat::ALL.into_iter().filter_map(|seat| self.occupant(seat));
        all.fold((0, 0), |(here, away), occupant| match occupant.is_away {
            true => (here, away + 1),
            false => (here + 1, away),
        })
    }

    /// Somebody whom nobody awaits any longer.
    pub fn first_given_up(&self, now: Time) -> Option<MemberKey> {
        let is_given_up = |session: &Session| session.is_awaited_for(now, KEPT_SEAT_LASTS);
        self.iter().find(|(_, session)| is_given_up(session)).map(|(key, _)| key)
    }

    /// The seat is kept for this player.
    pub fn kept(&self, seat: Seat) -> Option<KeptSeat> {
        match &self.seats[seat.index()] {
            SeatState::Kept { seat, .. } => Some(*seat),
            SeatState::Free | SeatState::Taken { .. } => None,
        }
    }

    pub fn free_kept(&mut self, seat: Seat) {
        if self.kept(seat).is_some() {
            self.seats[seat.index()] = SeatState::Free;
        }
    }

    pub fn occupant(&self, seat: Seat) -> Option<Occupant> {
        let (peer, is_ready, is_away) = match &self.seats[seat.index()] {
            SeatState::Free => return None,
            SeatState::Taken { session, details } => (session.peer, details.is_ready, session.is_awaited()),
            SeatState::Kept { seat, details } => (seat.peer, details.is_ready, true),
        };
        Some(Occupant { dialect: peer.dialect(), from: peer.ip(), is_ready, is_away })
    }

    /// A player says to be ready, or not.
    pub fn set_ready(&mut self, seat: Seat, on: bool) {
        if let SeatState::Taken { details, .. } = &mut self.seats[seat.index()] {
            details.is_ready = on;
        }
    }

    /// Whether every player who can say so is ready: only those with a link can.
    pub fn all_are_ready(&self) -> bool {
        self.seats.iter().all(|state| match state {
            SeatState::Taken { session, details } => details.is_ready || !session.is_link(),
            SeatState::Free | SeatState::Kept { .. } => true,
        })
    }

    /// The seat that is taken, or kept for somebody, if there is exactly one.
    pub fn only_seat(&self) -> Option<Seat> {
        let mut taken = Seat::ALL.into_iter().filter(|seat| !self.is_free(*seat));
        taken.next().filter(|_| taken.next().is_none())
    }

    /// Whether no seat is taken or kept.
    pub fn have_no_player(&self) -> bool {
        Seat::ALL.into_iter().all(|seat| self.is_free(seat))
    }

    pub fn watcher_count(&self) -> usize {
        self.watchers.len()
    }

    fn is_free(&self, seat: Seat) -> bool {
        matches!(self.seats[seat.index()], SeatState::Free)
    }
}

impl SeatState {
    fn session(&self) -> Option<&Session> {
        match self {
            SeatState::Taken { session, .. } => Some(session),
            SeatState::Free | SeatState::Kept { .. } => None,
        }
    }

    fn session_mut(&mut self) -> Option<&mut Session> {
        match self {
            SeatState::Taken { session, .. } => Some(session),
            SeatState::Free | SeatState::Kept { .. } => None,
        }
    }
}
