//! A player's shot, and the flight that it is on. How it flies is in `flight.rs`.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{EntityId, Kind, Seat, Side, Vec2, hitbox::Hitbox, tuning, units::px};

/// Something that a player fired.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Shot {
    pub id: EntityId,
    pub kind: Kind,
    pub seat: Seat,
    pub position: Vec2,
    pub velocity: Vec2,
    /// Damage it can still deal; 0 when it is spent.
    pub power: u16,
    pub flight: Flight,
}

/// How a shot flies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) enum Flight {
    Straight,
    /// The charged beam of one of four sizes.
    Beam {
        size: u8,
    },
    /// One strand of the red laser, winding about a height.
    Strand {
        base_y: i32,
        angle: u8,
    },
    /// A blue ray, and how many reflections it has left.
    Bounce {
        left: u8,
    },
    /// A yellow flame that has not found ground yet, and will turn to that side.
    Fall {
        forward: Side,
        life: u16,
    },
    /// A yellow flame on the ground.
    Crawl {
        heading: Heading,
        wall: QuarterTurn,
        life: u16,
    },
    /// A missile, turning one way or the other or not at all.
    Seek {
        angle: u8,
        turn: Option<QuarterTurn>,
        life: u16,
    },
}

/// One of the four directions of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) enum Heading {
    Right,
    Down,
    Left,
    Up,
}

/// A quarter turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) enum QuarterTurn {
    Clockwise,
    Counterclockwise,
}

impl Shot {
    pub(crate) fn hitbox(&self) -> Hitbox {
        match self.flight {
            Flight::Beam { size } => Hitbox::sized(tuning::BEAMS[usize::from(size & 3)].size_px, self.position),
            _ => Hitbox::of(self.kind, self.position),
        }
    }

    /// Whether what it remembers is within bounds, for a world restored from bytes.
    pub(crate) fn is_within_bounds(&self) -> bool {
        match self.flight {
            Flight::Strand { base_y, .. } => base_y.abs() < px(4096),
            Flight::Straight | Flight::Beam { .. } | Flight::Bounce { .. } => true,
            Flight::Fall { .. } | Flight::Crawl { .. } | Flight::Seek { .. } => true,
        }
    }
}

impl Heading {
    /// The unit vector of the direction.
    pub(crate) fn unit(self) -> Vec2 {
        match self {
            Heading::Right => Vec2::new(1, 0),
            Heading::Down => Vec2::new(0, 1),
            Heading::Left => Vec2::new(-1, 0),
            Heading::Up => Vec2::new(0, -1),
        }
    }

    /// The direction after a quarter turn.
    pub(crate) fn turned(self, turn: QuarterTurn) -> Heading {
        const CLOCKWISE: [Heading; 4] = [Heading::Right, Heading::Down, Heading::Left, Heading::Up];
        let quarters = match turn {
            QuarterTurn::Clockwise => 1,
            QuarterTurn::Counterclockwise => 3,
        };
        CLOCKWISE[(self as usize + quarters) % 4]
    }
}

impl QuarterTurn {
    pub(crate) fn opposite(self) -> QuarterTurn {
        match self {
            QuarterTurn::Clockwise => QuarterTurn::Counterclockwise,
            QuarterTurn::Counterclockwise => QuarterTurn::Clockwise,
        }
    }
}
