//! A Frame from WORLDs: shown when all of its parts have come, and only if it is newer than the last.

use game::{Entity, Event, Frame, Kind, Player, SEATS, Seat, Tick};

use super::wire::Part;
use crate::FrameBuilder;

/// The Frame, and the parts of the next.
#[derive(Debug, Default)]
pub(super) struct WorldReader {
    builder: FrameBuilder,
    /// The number of the Frame that is being put together, or was last.
    number: u32,
    /// Which of its parts are here, as bits.
    parts: u64,
    entities: Vec<Entity>,
}

impl WorldReader {
    /// Takes in a part.
    pub fn receive(&mut self, part: &Part) {
        if part.number < self.number {
            return;
        }
        if part.number > self.number {
            (self.number, self.parts) = (part.number, 0);
            self.entities.clear();
        }
        let bit = 1_u64 << part.part;
        if self.parts & bit != 0 {
            return;
        }
        self.parts |= bit;
        self.entities.extend_from_slice(&part.entities);
        if self.parts.count_ones() == u32::from(part.parts) {
            self.show(part);
        }
    }

    /// Copies the Frame out if it is new.
    pub fn take(&mut self, frame: &mut Frame) -> bool {
        self.builder.take(frame)
    }

    fn show(&mut self, part: &Part) {
        self.entities.sort_by_key(|entity| entity.id);
        let entities = &self.entities;
        self.builder.retain(|old| entities.binary_search_by_key(&old.id, |entity| entity.id).is_ok());
        for entity in entities {
            self.builder.insert(*entity);
        }
        let players = players(entities, part.lives);
        self.tell_changes(&players);
        let frame = self.builder.frame();
        (frame.tick, frame.state, frame.score, frame.players) = (Tick(part.number), part.state, part.score, players);
    }

    /// Who joined, died and left is not said, but can be seen.
    fn tell_changes(&mut self, players: &[Option<Player>; SEATS]) {
        for seat in Seat::ALL {
            let before = self.builder.peek().players[seat.index()];
            match (before, players[seat.index()]) {
                (None, Some(_)) => self.builder.event(Event::Joined { seat }),
                (Some(_), None) => self.builder.event(Event::Left { seat }),
                (Some(Player { ship: Some(ship), .. }), Some(Player { ship: None, .. })) => {
                    self.builder.event(Event::Killed { seat, ship, by: None });
                }
                _ => {}
            }
        }
    }
}

fn players(entities: &[Entity], lives: [Option<u8>; SEATS]) -> [Option<Player>; SEATS] {
    Seat::ALL.map(|seat| {
        let ship = entities.iter().find(|entity| entity.kind == Kind::Player && entity.seat == Some(seat));
        lives[seat.index()].map(|lives| Player { ship: ship.map(|ship| ship.id), lives, ..Player::of(seat) })
    })
}
