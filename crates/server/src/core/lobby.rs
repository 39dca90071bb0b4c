//! A lobby: a game, and who plays it.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use game::{GameState, SEATS, Seat, Stage, World};
use protocol::{LobbyId, Pace, Scene, Time};

use super::{Endpoint, SessionKey, directory::Birth, pace::Pacing, records::Scorebook};

/// A lobby that is empty for so long is closed.
pub(super) const EMPTY_MAX: Duration = Duration::from_secs(30);
/// How long the seat of a player is kept whose link is lost.
const SEAT_KEPT: Duration = Duration::from_secs(60);
/// Watchers of one lobby, at most.
const WATCHERS_MAX: usize = 32;
/// How long the end of a game stays, before the next stage or the next try.
const CURTAIN: Duration = Duration::from_secs(6);

/// A game and who plays it.
pub(super) struct Lobby {
    pub id: LobbyId,
    /// Its place among all lobbies of the node, by age.
    pub number: u64,
    pub world: World,
    pub scene: Scene,
    pub seats: [Option<SessionKey>; SEATS],
    /// Its own UDP port, once somebody asked for it.
    pub port: Option<u16>,
    pub empty_since: Option<Time>,
    /// From where the last one was who left it empty.
    pub left_by: Option<IpAddr>,
    pub is_private: bool,
    /// Who said that they are ready.
    pub ready: [bool; SEATS],
    /// Whose link is lost and whose seat is kept.
    pub away: [Option<Away>; SEATS],
    watchers: Vec<SessionKey>,
    /// Those in the lobby have not been told yet.
    pub room_has_changed: bool,
    /// The state of the game as the directory knows it.
    pub state_told: Option<GameState>,
    pub scorebook: Scorebook,
    pub pacing: Pacing,
    /// When the game was won or lost.
    over_since: Option<Time>,
}

/// A player whose link is lost.
#[derive(Clone, Copy)]
pub(super) struct Away {
    pub since: Time,
    pub at: Endpoint,
    pub from: SocketAddr,
}

impl Away {
    pub fn is_too_long(&self, now: Time) -> bool {
        now.since(self.since) >= SEAT_KEPT
    }
}

impl Lobby {
    /// A waiting lobby.
    pub fn new(now: Time, birth: Birth) -> Lobby {
        let Birth { id, number, stage, seed, rules, is_private } = birth;
        let scene = Scene::new(&stage.name);
        Lobby {
            id,
            number,
            world: World::new(stage, rules, seed),
            scene,
            seats: [None; SEATS],
            port: None,
            empty_since: Some(now),
            left_by: None,
            is_private,
            ready: [false; SEATS],
            away: [None; SEATS],
            watchers: Vec::new(),
            room_has_changed: true,
            state_told: None,
            scorebook: Scorebook::default(),
            pacing: Pacing::default(),
            over_since: None,
        }
    }

    /// Somebody sits down. Ruling C11: a player of a dialect without lobbies starts a waiting one.
    pub fn take_seat(&mut self, seat: Seat, key: SessionKey, name: &str, from: IpAddr, has_lobbies: bool) {
        if self.left_by.take().is_some_and(|last| last != from) {
            self.begin_anew();
        }
        self.stand_up(seat);
        self.seats[seat.index()] = Some(key);
        self.empty_since = None;
        // No change for who comes back to a seat that was kept.
        self.world.join(seat);
        self.scene.seat_taken(seat, name);
        if !has_lobbies {
            self.world.start();
        }
    }

    /// A game that everybody left may be taken up again by who left it last; a stranger gets one of their own.
    fn begin_anew(&mut self) {
        self.scorebook = Scorebook::default();
        if self.world.game_state() != GameState::Waiting {
            self.world.restart();
        }
    }

    /// Nobody's seat any more, as far as the lobby knows.
    pub fn stand_up(&mut self, seat: Seat) {
        self.seats[seat.index()] = None;
        self.away[seat.index()] = None;
        self.ready[seat.index()] = false;
        self.pacing.wish(seat, Pace::Full);
        self.room_has_changed = true;
    }

    /// The player in a seat has lost the link; the seat is kept.
    pub fn go_away(&mut self, seat: Seat, away: Away) {
        self.seats[seat.index()] = None;
        self.away[seat.index()] = Some(away);
        self.pacing.wish(seat, Pace::Full);
        self.room_has_changed = true;
    }

    /// The seat that is taken, or kept for somebody, if there is exactly one.
    pub fn only_seat(&self) -> Option<Seat> {
        let is_taken = |seat: &Seat| self.seats[seat.index()].is_some() || self.away[seat.index()].is_some();
        let mut taken = Seat::ALL.into_iter().filter(is_taken);
        taken.next().filter(|_| taken.next().is_none())
    }

    pub fn is_empty(&self) -> bool {
        self.seats.iter().all(Option::is_none) && self.away.iter().all(Option::is_none)
    }

    /// Whether everybody who can say that they are ready has said so.
    pub fn all_are_ready(&self, can_say_so: impl Fn(SessionKey) -> bool) -> bool {
        self.seats.iter().zip(self.ready).all(|(seat, ready)| ready || !seat.is_some_and(&can_say_so))
    }

    /// Lets somebody watch. False: too many do.
    pub fn add_watcher(&mut self, key: SessionKey) -> bool {
        let has_room = self.watchers.len() < WATCHERS_MAX;
        if has_room {
            self.watchers.push(key);
            self.room_has_changed = true;
        }
        has_room
    }

    pub fn remove_watcher(&mut self, key: SessionKey) {
        self.watchers.retain(|other| *other != key);
        self.room_has_changed = true;
    }

    pub fn watcher(&self, index: usize) -> Option<SessionKey> {
        self.watchers.get(index).copied()
    }

    pub fn watcher_count(&self) -> u8 {
        self.watchers.len() as u8
    }

    /// Those who watch, who do so no longer.
    pub fn take_watchers(&mut self) -> Vec<SessionKey> {
        std::mem::take(&mut self.watchers)
    }

    /// Everybody who is here, players first.
    pub fn everybody(&self) -> impl Iterator<Item = SessionKey> {
        self.seats.iter().flatten().chain(&self.watchers).copied()
    }

    /// After a stage the next one, after the last the first again; after a lost game another try.
    pub fn go_on(&mut self, now: Time, stages: &[Arc<Stage>]) {
        let state = self.world.game_state();
        if !matches!(state, GameState::Won | GameState::Lost) {
            self.over_since = None;
            return;
        }
        let since = *self.over_since.get_or_insert(now);
        if now.since(since) < CURTAIN {
            return;
        }
        self.over_since = None;
        match state {
            GameState::Lost => self.world.restart(),
            _ => {
                let next = following(self.world.stage(), stages);
                self.scene.stage_name.clone_from(&next.name);
                self.world.enter(next);
            }
        }
    }
}

fn following(stage: &Arc<Stage>, stages: &[Arc<Stage>]) -> Arc<Stage> {
    let numbered = |number: u8| stages.iter().find(|other| other.number == number).cloned();
    numbered(stage.number.saturating_add(1)).or_else(|| numbered(1)).unwrap_or_else(|| stage.clone())
}

#[cfg(test)]
mod tests {
    use game::{Departure, Input, Rules};

    use super::*;

    const NOW: Time = Time::from_micros(0);

    /// A lobby in which the only player, at 10.0.0.1, has played for a while and left.
    fn left() -> Lobby {
        let id = LobbyId::from_number(1);
        let rules = Rules::default();
        let mut lobby =
            Lobby::new(NOW, Birth { id, number: 0, stage: Stage::endless(), seed: 1, rules, is_private: false });
        sit_down(&mut lobby, [10, 0, 0, 1]);
        (0..600).for_each(|_| lobby.world.tick(&[Input::IDLE; SEATS]));
        lobby.stand_up(Seat::ALL[0]);
        lobby.world.leave(Seat::ALL[0], Departure::Left);
        lobby.left_by = Some([10, 0, 0, 1].into());
        lobby
    }

    fn sit_down(lobby: &mut Lobby, from: [u8; 4]) {
        lobby.take_seat(Seat::ALL[0], SessionKey(0), "", from.into(), false);
    }

    /// What flies about that belongs to no player.
    fn others(lobby: &Lobby) -> usize {
        let mut frame = game::Frame::default();
        lobby.world.frame_into(&mut frame);
        frame.entities.iter().filter(|entity| entity.seat.is_none()).count()
    }

    #[test]
    fn who_comes_back_plays_on_and_a_stranger_begins_anew() {
        let mut lobby = left();
        let before = others(&lobby);
        assert!(before > 0);
        sit_down(&mut lobby, [10, 0, 0, 1]);
        assert_eq!(others(&lobby), before);
        let mut lobby = left();
        sit_down(&mut lobby, [10, 0, 0, 2]);
        assert_eq!((others(&lobby), lobby.world.game_state()), (0, GameState::Running));
    }
}
