//! Whether a client sees what its server shows, to the precision of the dialect.
//!
//! A datagram takes a moment, and some dialects do not say every thing in every tick. So each thing that a client sees
//! must be where that thing was in one of the last ticks, and each thing that was there in all of them must be seen.

use std::collections::VecDeque;

use game::{Class, Entity, Frame, Kind, Seat, Vec2, px};
use protocol::Dialect;

/// How old a thing may be shown: 100 ms.
pub const WINDOW_TICKS: usize = 6;

/// How well a dialect can tell.
struct Precision {
    /// In sub-pixels.
    position: i32,
    /// Whether a datagram may be too small for everything.
    is_capped: bool,
    /// Whether health is sent.
    health: bool,
    /// Whether it tells whose shots are whose.
    seat_of_shots: bool,
    /// Whether the score is sent.
    score: bool,
}

fn precision(dialect: Dialect) -> Precision {
    let exact = Precision { position: 0, is_capped: false, health: true, seat_of_shots: true, score: true };
    match dialect {
        Dialect::Snapshot => Precision { is_capped: true, health: false, seat_of_shots: false, score: false, ..exact },
        // Whole units at four units a pixel.
        Dialect::Rfc2020 => {
            Precision { position: px(1) / 4, health: false, seat_of_shots: false, score: false, ..exact }
        }
        // What flies straight is sent less often, and moves on by its direction.
        Dialect::Rfc53952 => Precision { position: px(1), seat_of_shots: false, ..exact },
        // A dialect is held to the whole truth unless it is excused here.
        _ => exact,
    }
}

/// The ship of a seat as a client sees it.
pub fn own_ship(frame: &Frame, seat: Seat) -> Option<&Entity> {
    frame.ship(seat)
}

/// The server's Frames of the last ticks.
#[derive(Default)]
pub struct History {
    frames: VecDeque<Frame>,
}

impl History {
    pub fn push(&mut self, frame: &Frame) {
        self.frames.push_back(frame.clone());
        if self.frames.len() > WINDOW_TICKS {
            self.frames.pop_front();
        }
    }

    #[track_caller]
    pub fn assert_agrees(&self, dialect: Dialect, seen: &Frame, seat: Seat) {
        if let Err(difference) = self.agrees(dialect, seen, seat) {
            panic!("{}: {difference}", dialect.name());
        }
    }

    /// Whether a client's Frame says the same as these.
    pub fn agrees(&self, dialect: Dialect, seen: &Frame, seat: Seat) -> Result<(), String> {
        let precision = precision(dialect);
        let newest = self.frames.back().ok_or("the server showed nothing")?;
        if self.frames.len() < WINDOW_TICKS {
            return Err("not yet a whole window".into());
        }
        let mut left: Vec<&Entity> = seen.entities.iter().collect();
        for entity in newest.entities.iter().filter(|entity| self.is_settled(entity)) {
            let found = left.iter().position(|other| self.is_seen_as(entity, other, &precision));
            match found {
                Some(index) => drop(left.swap_remove(index)),
                None if precision.is_capped && entity.kind.class() > Class::Boss => {}
                None => return Err(format!("not seen: {entity:?}\nseen of its kind: {:#?}", alike(seen, entity.kind))),
            }
        }
        let ghost = left.iter().find(|ghost| !self.was_there(ghost, &precision));
        if let Some(ghost) = ghost {
            return Err(format!("seen but not there: {ghost:?}"));
        }
        if precision.score && !self.frames.iter().any(|frame| frame.score == seen.score) {
            return Err(format!("score {} is none of the last", seen.score));
        }
        match newest.ship(seat).is_some() == seen.ship(seat).is_some() || !self.ship_is_settled(seat) {
            true => Ok(()),
            false => Err("the player's own ship".into()),
        }
    }

    /// It was there in all of the last ticks.
    fn is_settled(&self, entity: &Entity) -> bool {
        self.frames.iter().all(|frame| frame.entity(entity.id).is_some())
    }

    fn ship_is_settled(&self, seat: Seat) -> bool {
        let flying = self.frames.iter().filter(|frame| frame.ship(seat).is_some()).count();
        flying == 0 || flying == self.frames.len()
    }

    /// Whether `seen` is that entity as it was in one of the last ticks.
    fn is_seen_as(&self, entity: &Entity, seen: &Entity, precision: &Precision) -> bool {
        self.frames.iter().filter_map(|frame| frame.entity(entity.id)).any(|then| same(then, seen, precision))
    }

    /// Whether `seen` is any entity of the last ticks.
    fn was_there(&self, seen: &Entity, precision: &Precision) -> bool {
        self.frames.iter().flat_map(|frame| &frame.entities).any(|then| same(then, seen, precision))
    }
}

fn same(then: &Entity, seen: &Entity, precision: &Precision) -> bool {
    let class = then.kind.class();
    let owner_told = precision.seat_of_shots || matches!(class, Class::Player);
    then.kind == seen.kind
        && near(then.position, seen.position, precision.position)
        && (!owner_told || then.seat == seen.seat)
        && (!precision.health || then.health == seen.health)
}

fn near(a: Vec2, b: Vec2, tolerance: i32) -> bool {
    (a.x - b.x).abs() <= tolerance && (a.y - b.y).abs() <= tolerance
}

fn alike(frame: &Frame, kind: Kind) -> Vec<&Entity> {
    frame.entities.iter().filter(|entity| entity.kind == kind).collect()
}
