//! Who plays, where a dialect shows ships only: a ship that appears is a player who joined, a ship that explodes is a player
//! who died, and a ship that is gone without an explosion is a player who left.

use std::time::Duration;

use game::{Entity, EntityId, Event, GameState, Player, SEATS, Seat, Vec2};

use crate::{FrameBuilder, Tells, Time, disappearances::has_exploded};

/// How long after the end of a ship its explosion may come.
const EXPLODES_WITHIN: Duration = Duration::from_millis(500);
/// How long a player with lives left may have no ship before they count as gone: a ship returns after two seconds.
const RETURNS_WITHIN: Duration = Duration::from_secs(10);

/// The players of a lobby, as far as their ships tell.
#[derive(Clone, Debug)]
pub(crate) struct Roster {
    /// Whether the dialect sends lives.
    tells_lives: bool,
    seats: [RosterSeat; SEATS],
    /// The state of the game when this was last brought up to date.
    state: GameState,
}

/// What is known of one seat.
#[derive(Clone, Copy, Debug, Default)]
enum RosterSeat {
    #[default]
    Empty,
    Flying {
        ship: EntityId,
        position: Vec2,
    },
    /// The ship is gone, and it is not known yet how.
    Missing {
        ship: EntityId,
        position: Vec2,
        since: Time,
    },
    Dead {
        since: Time,
        /// Whether another game has begun since, in which everybody has lives.
        in_new_game: bool,
    },
}

impl Roster {
    /// Nobody is seen yet.
    pub fn new(tells: Tells) -> Roster {
        Roster { tells_lives: tells.lives, seats: [RosterSeat::Empty; SEATS], state: GameState::default() }
    }

    /// Brings the players of the Frame up to date with its ships, and tells who joined, died and left.
    /// The player in our own seat is known to be there.
    pub fn settle(&mut self, own: Option<Seat>, rebuilt: &mut FrameBuilder) {
        let before = std::mem::replace(&mut self.state, rebuilt.peek().state);
        if before == GameState::Lost && is_on(rebuilt) {
            self.begin_new_game(rebuilt.now());
        }
        for seat in Seat::ALL {
            let ship = rebuilt.peek().ship(seat).copied();
            match ship {
                Some(ship) => self.flies(seat, &ship, rebuilt),
                None => self.is_without_ship(seat, own == Some(seat), rebuilt),
            }
        }
    }

    /// Whoever was out of lives is given some, and comes back.
    fn begin_new_game(&mut self, now: Time) {
        for seat in &mut self.seats {
            if let RosterSeat::Dead { .. } = seat {
                *seat = RosterSeat::Dead { since: now, in_new_game: true };
            }
        }
    }

    fn flies(&mut self, seat: Seat, ship: &Entity, rebuilt: &mut FrameBuilder) {
        let now = RosterSeat::Flying { ship: ship.id, position: ship.position };
        match std::mem::replace(&mut self.seats[seat.index()], now) {
            RosterSeat::Empty => rebuilt.event(Event::Joined { seat }),
            // It died and is back, and we missed what was between.
            RosterSeat::Flying { ship: other, position } | RosterSeat::Missing { ship: other, position, .. }
                if other != ship.id && has_exploded(rebuilt.peek(), position) =>
            {
                rebuilt.event(Event::Killed { seat, ship: other, by: None });
            }
            RosterSeat::Flying { .. } | RosterSeat::Missing { .. } | RosterSeat::Dead { .. } => {}
        }
        // A ship that flies has a life, even where none is reported.
        set_player(seat, Some(player(seat, Some(ship.id), ship.lives.max(1))), rebuilt);
    }

    fn is_without_ship(&mut self, seat: Seat, is_own: bool, rebuilt: &mut FrameBuilder) {
        let now = rebuilt.now();
        let lives = rebuilt.peek().players[seat.index()].map_or(0, |player| player.lives);
        match self.seats[seat.index()] {
            RosterSeat::Flying { ship, position } => {
                self.seats[seat.index()] = RosterSeat::Missing { ship, position, since: now };
                set_player(seat, Some(player(seat, None, lives)), rebuilt);
                self.explain(seat, is_own, rebuilt);
            }
            RosterSeat::Missing { .. } => self.explain(seat, is_own, rebuilt),
            RosterSeat::Dead { .. } if is_own => {}
            // Out of lives, and watching. Where lives are not told, that may be so.
            RosterSeat::Dead { in_new_game: false, .. } if !self.tells_lives || lives == 0 => {}
            RosterSeat::Dead { since, .. } if now.since(since) >= RETURNS_WITHIN && is_on(rebuilt) => {
                self.leaves(seat, rebuilt)
            }
            RosterSeat::Dead { .. } | RosterSeat::Empty => {}
        }
        if is_own && rebuilt.peek().players[seat.index()].is_none() {
            set_player(seat, Some(player(seat, None, lives)), rebuilt);
        }
    }

    /// Tells what became of a ship that is missing, if that is known by now.
    fn explain(&mut self, seat: Seat, is_own: bool, rebuilt: &mut FrameBuilder) {
        let RosterSeat::Missing { ship, position, since } = self.seats[seat.index()] else { return };
        let is_late = rebuilt.now().since(since) >= EXPLODES_WITHIN;
        // We have not left: whatever became of our ship, it is lost.
        if has_exploded(rebuilt.peek(), position) || is_late && is_own && is_on(rebuilt) {
            self.seats[seat.index()] = RosterSeat::Dead { since, in_new_game: false };
            let lives = rebuilt.peek().players[seat.index()].map_or(0, |player| player.lives);
            set_player(seat, Some(player(seat, None, lives.saturating_sub(1))), rebuilt);
            rebuilt.event(Event::Killed { seat, ship, by: None });
        } else if is_late && !is_own {
            self.leaves(seat, rebuilt);
        }
    }

    fn leaves(&mut self, seat: Seat, rebuilt: &mut FrameBuilder) {
        self.seats[seat.index()] = RosterSeat::Empty;
        set_player(seat, None, rebuilt);
        rebuilt.event(Event::Left { seat });
    }
}

/// Whether ships fly in this state of the game; when it is over they go without having left.
fn is_on(rebuilt: &FrameBuilder) -> bool {
    matches!(rebuilt.peek().state, GameState::Running | GameState::Waiting)
}

/// What a ship shows of its player.
fn player(seat: Seat, ship: Option<EntityId>, lives: u8) -> Player {
    Player { ship, lives, ..Player::of(seat) }
}

fn set_player(seat: Seat, player: Option<Player>, rebuilt: &mut FrameBuilder) {
    if rebuilt.peek().players[seat.index()] != player {
        rebuilt.frame().players[seat.index()] = player;
    }
}

#[cfg(test)]
mod tests {
    use game::{Frame, Kind, px};

    use super::*;

    const START: Time = Time::from_micros(1_000_000);
    const BOB: Seat = Seat::ALL[1];
    const HERE: Vec2 = Vec2::new(px(100), px(100));

    struct RosterOfLobby {
        roster: Roster,
        rebuilt: FrameBuilder,
        frame: Frame,
        own: Option<Seat>,
    }

    impl RosterOfLobby {
        fn new(own: Option<Seat>) -> RosterOfLobby {
            let (roster, rebuilt) = (Roster::new(Tells::ALL), FrameBuilder::default());
            RosterOfLobby { roster, rebuilt, frame: Frame::default(), own }
        }

        fn ship(&mut self, id: u32, lives: u8) {
            self.rebuilt.frame().state = GameState::Running;
            self.rebuilt.insert(Entity { seat: Some(BOB), lives, ..Entity::new(EntityId(id), Kind::Player, HERE) });
        }

        /// The events about players at that moment.
        fn at(&mut self, ms: u64) -> Vec<Event> {
            self.rebuilt.advance(START + Duration::from_millis(ms));
            self.roster.settle(self.own, &mut self.rebuilt);
            self.rebuilt.take(&mut self.frame);
            let events = std::mem::take(&mut self.frame.events);
            let is_about_entities = |event: &Event| matches!(event, Event::Spawned { .. } | Event::Destroyed { .. });
            events.into_iter().filter(|event| !is_about_entities(event)).collect()
        }
    }

    #[test]
    fn a_ship_that_explodes_is_a_death_and_its_player_stays() {
        let mut lobby = RosterOfLobby::new(None);
        lobby.ship(1, 3);
        assert_eq!(lobby.at(0), [Event::Joined { seat: BOB }]);
        lobby.rebuilt.remove(EntityId(1));
        assert_eq!(lobby.at(20), [], "it is not known yet");
        lobby.rebuilt.insert(Entity::new(EntityId(2), Kind::BigExplosion, HERE));
        assert_eq!(lobby.at(40), [Event::Killed { seat: BOB, ship: EntityId(1), by: None }]);
        let bob = lobby.frame.players[1].expect("he is here");
        assert_eq!((bob.ship, bob.lives), (None, 2));
        lobby.ship(3, 2);
        assert_eq!(lobby.at(2_000), []);
        assert_eq!(lobby.frame.players[1].and_then(|player| player.ship), Some(EntityId(3)));
    }

    #[test]
    fn a_ship_that_is_gone_without_an_explosion_is_a_player_who_left() {
        let mut lobby = RosterOfLobby::new(None);
        lobby.ship(1, 3);
        lobby.at(0);
        lobby.rebuilt.remove(EntityId(1));
        assert_eq!((lobby.at(20), lobby.at(500)), (vec![], vec![]));
        assert_eq!(lobby.at(520), [Event::Left { seat: BOB }]);
        assert_eq!(lobby.frame.players[1], None);
    }

    #[test]
    fn a_dead_player_who_could_return_and_does_not_has_left_and_one_out_of_lives_watches() {
        for (lives, events) in [(3, vec![Event::Left { seat: BOB }]), (1, vec![])] {
            let mut lobby = RosterOfLobby::new(None);
            lobby.ship(1, lives);
            lobby.at(0);
            lobby.rebuilt.insert(Entity::new(EntityId(2), Kind::BigExplosion, HERE));
            lobby.rebuilt.remove(EntityId(1));
            assert_eq!(lobby.at(20).len(), 1);
            assert_eq!(lobby.at(9_000), []);
            assert_eq!(lobby.at(11_000), events, "{lives}");
        }
    }

    #[test]
    fn a_player_out_of_lives_who_does_not_come_to_the_next_game_has_left() {
        for tells in [Tells::ALL, Tells { lives: false, ..Tells::ALL }] {
            let mut lobby = RosterOfLobby::new(None);
            lobby.roster = Roster::new(tells);
            lobby.ship(1, 1);
            lobby.at(0);
            lobby.rebuilt.insert(Entity::new(EntityId(2), Kind::BigExplosion, HERE));
            lobby.rebuilt.remove(EntityId(1));
            assert_eq!(lobby.at(20).len(), 1);
            lobby.rebuilt.frame().state = GameState::Lost;
            assert_eq!(lobby.at(60_000), []);
            lobby.rebuilt.frame().state = GameState::Running;
            assert_eq!((lobby.at(61_000), lobby.at(70_900)), (vec![], vec![]), "the ship may still come");
            assert_eq!(lobby.at(71_000), [Event::Left { seat: BOB }]);
            assert_eq!(lobby.frame.players[1], None);
        }
    }

    #[test]
    fn the_clients_own_player_never_leaves() {
        let mut lobby = RosterOfLobby::new(Some(BOB));
        lobby.ship(1, 3);
        lobby.at(0);
        lobby.rebuilt.remove(EntityId(1));
        lobby.at(20);
        assert_eq!(lobby.at(600), [Event::Killed { seat: BOB, ship: EntityId(1), by: None }]);
        assert!(lobby.frame.players[1].is_some_and(|player| player.ship.is_none() && player.lives == 2));
    }
}
