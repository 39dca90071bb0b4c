//! What is seen on the other server, as the player here is to see it: the player's seat is the seat here, and entities have ids that
//! are never used again, whatever the other server does with its own.
//!
//! It knows Frames and no dialect.

use std::collections::HashMap;

use game::{Attached, Entity, EntityId, Event, Frame, Killer, Kind, Player, SEATS, Seat, TerrainWalls, Tick};

use super::scroll::Scroll;

/// Frames for which it is remembered what an id meant: events about an entity may come after it is gone.
const REMEMBERED_FRAMES: u64 = 240;

/// Turns the Frames of one game into those that the player here is shown.
#[derive(Debug)]
pub struct Translation {
    /// The seat here.
    own: Seat,
    tick: u32,
    next_id: u32,
    /// Frames so far.
    frames: u64,
    known: HashMap<EntityId, TranslatedEntity>,
    walls: Option<TerrainWalls>,
    /// The ids of walls that are near, by their numbers.
    near_walls: HashMap<EntityId, TranslatedEntity>,
    scroll: Scroll,
}

/// What an id of the other server means here.
#[derive(Clone, Copy, Debug)]
struct TranslatedEntity {
    id: EntityId,
    kind: Kind,
    /// The Frame that it was last in.
    seen: u64,
}

impl Translation {
    /// For the player in that seat here.
    pub fn new(own: Seat) -> Translation {
        Translation {
            own,
            tick: 0,
            next_id: 1,
            frames: 0,
            known: HashMap::new(),
            walls: None,
            near_walls: HashMap::new(),
            scroll: Scroll::default(),
        }
    }

    /// Another connection, or none: nothing means what it meant before.
    pub fn forget(&mut self) {
        self.known.clear();
        self.near_walls.clear();
        (self.walls, self.scroll) = (None, Scroll::default());
    }

    /// What kills on touch, where the other server sends it at once rather than as entities.
    pub fn set_walls(&mut self, walls: TerrainWalls) {
        self.near_walls.clear();
        self.walls = Some(walls);
    }

    /// A tick in which nothing new was seen. What was shown stays.
    pub fn rest(&mut self, here: &mut Frame) {
        self.tick += 1;
        here.tick = Tick(self.tick);
        here.events.clear();
    }

    /// Nothing is seen any more.
    pub fn clear(&mut self, here: &mut Frame) {
        let names = here.names;
        *here = Frame { names, ..Frame::default() };
        self.rest(here);
    }

    /// Shows a Frame of the other server, where the player sits in that seat.
    pub fn show(&mut self, there: &Frame, seat: Option<Seat>, here: &mut Frame) {
        self.frames += 1;
        let swap = Swap { here: self.own, there: seat.unwrap_or(self.own) };
        self.rest(here);
        (here.state, here.stage, here.wave) = (there.state, there.stage, there.wave);
        (here.scroll_px, here.score) = (there.scroll_px, there.score);
        // An entity may be named by another one before it.
        there.entities.iter().for_each(|entity| self.notice(entity));
        here.entities.clear();
        here.entities.extend(there.entities.iter().map(|entity| self.entity(entity, swap)));
        self.add_walls(there, here);
        here.entities.sort_unstable_by_key(|entity| entity.id);
        for seat in Seat::ALL {
            let from = swap.seat(seat).index();
            here.names[seat.index()] = there.names[from];
            here.players[seat.index()] = there.players[from].map(|player| self.player(&player, there.tick));
        }
        here.events.extend(there.events.iter().map(|event| self.event(*event, swap)));
        let (frames, remembered) = (self.frames, REMEMBERED_FRAMES);
        self.known.retain(|_, known| frames - known.seen < remembered);
    }

    fn entity(&mut self, there: &Entity, swap: Swap) -> Entity {
        let attached = there.attached.map(|attached| Attached { to: self.id(attached.to), ..attached });
        Entity { id: self.id(there.id), seat: there.seat.map(|seat| swap.seat(seat)), attached, ..*there }
    }

    fn player(&mut self, there: &Player, tick: Tick) -> Player {
        let ticks_left = there.chain_ends.0.saturating_sub(tick.0);
        let chain_ends = if there.chain == 0 { Tick(0) } else { Tick(self.tick + ticks_left) };
        Player { ship: there.ship.map(|ship| self.id(ship)), chain_ends, ..*there }
    }

    fn event(&mut self, there: Event, swap: Swap) -> Event {
        match there {
            Event::Spawned { entity } => Event::Spawned { entity: self.id(entity) },
            Event::Destroyed { entity, gone } => Event::Destroyed { entity: self.id(entity), gone },
            Event::Fired { seat, shot } => Event::Fired { seat: swap.seat(seat), shot: self.id(shot) },
            Event::Hit { by, target } => Event::Hit { by: self.id(by), target: self.id(target) },
            Event::Killed { seat, ship, by } => {
                let by = by.map(|by| Killer { seat: by.seat.map(|seat| swap.seat(seat)), ..by });
                Event::Killed { seat: swap.seat(seat), ship: self.id(ship), by }
            }
            Event::Grabbed { ship, object, side } => {
                Event::Grabbed { ship: self.id(ship), object: self.id(object), side }
            }
            Event::Dropped { ship, force } => Event::Dropped { ship: self.id(ship), force: self.id(force) },
            Event::Joined { seat } => Event::Joined { seat: swap.seat(seat) },
            Event::Left { seat } => Event::Left { seat: swap.seat(seat) },
            Event::TimedOut { seat } => Event::TimedOut { seat: swap.seat(seat) },
            Event::ExtraLife { seat } => Event::ExtraLife { seat: swap.seat(seat) },
            Event::StateChanged { state } => Event::StateChanged { state },
        }
    }

    /// An entity is seen. It has another id here from now on if its id meant something else, or nothing, in the last Frame.
    fn notice(&mut self, there: &Entity) {
        let frames = self.frames;
        let is_same = |known: &&mut TranslatedEntity| known.kind == there.kind && frames - known.seen <= 1;
        match self.known.get_mut(&there.id).filter(is_same) {
            Some(known) => known.seen = frames,
            None => {
                let id = self.new_id();
                self.known.insert(there.id, TranslatedEntity { id, kind: there.kind, seen: frames });
            }
        }
    }

    /// The id here of an entity that is named. One that was never seen is none of those that are.
    fn id(&mut self, there: EntityId) -> EntityId {
        match self.known.get(&there) {
            Some(known) => known.id,
            None => self.new_id(),
        }
    }

    fn new_id(&mut self) -> EntityId {
        let id = EntityId(self.next_id);
        self.next_id = self.next_id.saturating_add(1);
        id
    }

    fn add_walls(&mut self, there: &Frame, here: &mut Frame) {
        let Some(walls) = &self.walls else { return };
        let (scroll, scrolled) = self.scroll.tell(there.tick, there.scroll_px);
        let near: Vec<Entity> = walls.near(scroll, scrolled).collect();
        for wall in near {
            let id = match self.near_walls.get_mut(&wall.id) {
                Some(known) => {
                    known.seen = self.frames;
                    known.id
                }
                None => {
                    let id = self.new_id();
                    self.near_walls.insert(wall.id, TranslatedEntity { id, kind: Kind::Wall, seen: self.frames });
                    id
                }
            };
            here.entities.push(Entity { id, ..wall });
        }
        let frames = self.frames;
        self.near_walls.retain(|_, known| known.seen == frames);
    }
}

/// The player's seats here and there change places.
#[derive(Clone, Copy)]
struct Swap {
    here: Seat,
    there: Seat,
}

impl Swap {
    fn seat(self, seat: Seat) -> Seat {
        match seat {
            seat if seat == self.there => self.here,
            seat if seat == self.here => self.there,
            seat => seat,
        }
    }
}

/// What is said by seat over there, by seat here.
pub(super) fn seat_here(own: Seat, there: Option<Seat>, seat: Seat) -> Seat {
    Swap { here: own, there: there.unwrap_or(own) }.seat(seat)
}

const _: () = assert!(SEATS <= u8::MAX as usize, "seats are small numbers");

#[cfg(test)]
mod tests {
    use game::{Gone, Name, Vec2, stage::Terrain};

    use super::*;

    const OWN: Seat = Seat::ALL[0];
    const THERE: Seat = Seat::ALL[2];

    fn ship(id: u32, seat: Seat) -> Entity {
        Entity { seat: Some(seat), ..Entity::new(EntityId(id), Kind::Player, Vec2::ZERO) }
    }

    fn frame(entities: Vec<Entity>) -> Frame {
        Frame { entities, ..Frame::default() }
    }

    #[test]
    fn a_players_seat_is_the_seat_here_and_the_others_keep_theirs() {
        let mut there = frame(vec![ship(7, THERE), ship(9, Seat::ALL[1])]);
        there.players[THERE.index()] = Some(Player { ship: Some(EntityId(7)), lives: 3, ..Player::of(THERE) });
        there.names[THERE.index()] = Name::new("Ann");
        there.events = vec![Event::Killed { seat: THERE, ship: EntityId(7), by: None }];
        let (mut translation, mut here) = (Translation::new(OWN), Frame::default());
        translation.show(&there, Some(THERE), &mut here);
        let own = here.ship(OWN).expect("it is the player's own");
        assert_eq!(here.players[OWN.index()].map(|player| (player.ship, player.lives)), Some((Some(own.id), 3)));
        assert_eq!(here.players[THERE.index()], None);
        assert_eq!(here.names[OWN.index()].as_str(), "Ann");
        assert!(here.ship(Seat::ALL[1]).is_some());
        assert_eq!(here.events, [Event::Killed { seat: OWN, ship: own.id, by: None }]);
    }

    #[test]
    fn an_id_that_is_used_again_means_something_else() {
        let (mut translation, mut here) = (Translation::new(OWN), Frame::default());
        let drone = |id| Entity::new(EntityId(id), Kind::Drone, Vec2::ZERO);
        translation.show(&frame(vec![drone(4)]), None, &mut here);
        let first = here.entities[0].id;
        translation.show(&frame(vec![drone(4)]), None, &mut here);
        assert_eq!(here.entities[0].id, first, "it is still there");
        translation.show(&frame(vec![Entity { kind: Kind::Explosion, ..drone(4) }]), None, &mut here);
        let second = here.entities[0].id;
        assert!(second > first, "another kind");
        translation.show(&frame(vec![]), None, &mut here);
        translation.show(&frame(vec![drone(4)]), None, &mut here);
        assert!(here.entities[0].id > second, "it was away");
        translation.forget();
        let last = here.entities[0].id;
        translation.show(&frame(vec![drone(4)]), None, &mut here);
        assert!(here.entities[0].id > last, "another connection");
    }

    #[test]
    fn events_about_what_is_gone_name_what_it_was() {
        let (mut translation, mut here) = (Translation::new(OWN), Frame::default());
        translation.show(&frame(vec![ship(7, OWN)]), None, &mut here);
        let id = here.entities[0].id;
        let gone = Event::Destroyed { entity: EntityId(7), gone: Gone::Destroyed };
        translation.show(&Frame { events: vec![gone], ..Frame::default() }, None, &mut here);
        assert_eq!(here.events, [Event::Destroyed { entity: id, gone: Gone::Destroyed }]);
    }

    #[test]
    fn ticks_go_on_and_entities_are_sorted_whatever_the_other_server_says() {
        let (mut translation, mut here) = (Translation::new(OWN), Frame::default());
        let mut ticks = Vec::new();
        for (tick, ids) in [(900, [5, 6]), (900, [6, 9]), (3, [2, 6])] {
            let entities = ids.map(|id| ship(id, Seat::ALL[id as usize % 4])).to_vec();
            translation.show(&Frame { tick: Tick(tick), ..frame(entities) }, None, &mut here);
            assert!(here.entities.is_sorted_by_key(|entity| entity.id));
            ticks.push(here.tick.0);
        }
        translation.rest(&mut here);
        assert_eq!((ticks, here.tick.0, here.entities.len()), (vec![1, 2, 3], 4, 2));
        translation.clear(&mut here);
        assert_eq!((here.tick.0, here.entities.len()), (5, 0));
    }

    #[test]
    fn a_terrain_that_is_known_at_once_is_shown_as_walls() {
        let mut terrain = Terrain::open(40);
        terrain.place(2, 3, 1);
        let (mut translation, mut here) = (Translation::new(OWN), Frame::default());
        translation.set_walls(TerrainWalls::of(&terrain));
        translation.show(&Frame { tick: Tick(1), ..Frame::default() }, None, &mut here);
        let walls: Vec<_> = here.entities.iter().map(|wall| (wall.kind, wall.size_px)).collect();
        assert_eq!(walls, [(Kind::Wall, Some((16, 16)))]);
        translation.show(&Frame { tick: Tick(2), scroll_px: 300, ..Frame::default() }, None, &mut here);
        assert!(here.entities.is_empty(), "it has gone by");
    }
}
