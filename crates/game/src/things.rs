//! What fills the field besides ships: foes, shots, enemy shots, items, effects. Plain data; rules are elsewhere.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{EntityId, Kind, Seat, Side, Vec2, hitbox::Hitbox, tuning, units::px};

/// An enemy, a boss part or a destructible block.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Foe {
    pub id: EntityId,
    pub kind: Kind,
    pub position: Vec2,
    pub velocity: Vec2,
    /// 0 with a `health_max`: it is dead. Without: nothing hurts it.
    pub health: u16,
    pub health_max: u16,
    /// Steps since it came, up to the largest number.
    pub age: u16,
    /// Steps until it may fire.
    pub fire_in: u16,
    /// Steps for which it is shown as hurt.
    pub hurt: u8,
    /// A warden protects it.
    pub shielded: bool,
    /// Who dealt the last blow.
    pub killer: Option<Seat>,
    pub habit: Habit,
}

/// How a foe behaves, and what it must remember to do so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) enum Habit {
    /// Flies left, weaving about a height.
    Weave { base_y: i32, angle: u8 },
    /// Cruises, aims once, dives.
    Dive { aimed: bool },
    /// Walks on the floor, turning at edges and walls.
    Walk { rightwards: bool },
    /// Clings to the ceiling, then falls.
    Cling { fallen: bool },
    /// Sits on terrain, aiming.
    Sit,
    /// Homes in on the nearest ship.
    Home,
    /// Comes from behind, turns, and flies back out.
    Chase { turned: bool },
    /// Goes straight at the velocity it was given.
    Drift,
    /// Stays with the terrain and spawns larvae.
    Brood { left: u8 },
    /// Weaves gently with an item on board.
    Carry { item: Kind, base_y: i32, angle: u8 },
    /// Takes a place at the right, hovers, leaves.
    Hover { base_y: i32, angle: u8 },
    /// Drifts until a ship comes near, then bursts.
    Lurk,
    /// Flies level and drops bombs.
    Bomb,
    /// Follows a path of the stage.
    Follow { path: u16, next: u16, origin: Vec2 },
    /// A boss's hull.
    Command { base_y: i32, angle: u8, leaving: bool },
    /// A part of a boss, at this place from the hull's centre.
    Part { hull: EntityId, offset: Vec2, open: bool },
    /// Moves with the terrain and does nothing.
    Rest,
}

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
    /// A blue ray with so many reflections left.
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
        wall: Turn,
        life: u16,
    },
    /// A missile, turning one way or the other or not at all.
    Seek {
        angle: u8,
        turn: Option<Turn>,
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
pub(crate) enum Turn {
    Clockwise,
    Counterclockwise,
}

/// Something deadly that an enemy fired.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Bullet {
    pub id: EntityId,
    pub kind: Kind,
    pub position: Vec2,
    pub velocity: Vec2,
    /// Hit something that stops it.
    pub spent: bool,
}

/// Something to pick up.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Item {
    pub id: EntityId,
    pub kind: Kind,
    pub position: Vec2,
    pub velocity: Vec2,
    pub taken: bool,
}

/// Something to look at.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Effect {
    pub id: EntityId,
    pub kind: Kind,
    pub position: Vec2,
    /// Steps until it is over.
    pub life: u16,
}

impl Foe {
    pub(crate) fn hitbox(&self) -> Hitbox {
        Hitbox::of(self.kind, self.position)
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.health_max > 0 && self.health == 0
    }

    /// Whether a hit hurts it now: not a hull, not a shielded one, not a closed weak point.
    pub(crate) fn is_vulnerable(&self) -> bool {
        let closed = matches!(self.habit, Habit::Part { open: false, .. });
        self.health > 0 && !self.shielded && !closed
    }

    /// Whether what it remembers is within bounds, for a world restored from bytes.
    pub(crate) fn is_sound(&self) -> bool {
        const FAR: i32 = px(4096);
        match self.habit {
            Habit::Weave { base_y, .. }
            | Habit::Carry { base_y, .. }
            | Habit::Hover { base_y, .. }
            | Habit::Command { base_y, .. } => base_y.abs() < FAR,
            Habit::Follow { origin: point, .. } | Habit::Part { offset: point, .. } => {
                point.x.abs() < FAR && point.y.abs() < FAR
            }
            _ => true,
        }
    }

    /// Takes damage and returns how much of it was dealt.
    pub(crate) fn hurt(&mut self, damage: u16, by: Seat) -> u16 {
        /// How long a hit shows.
        const HURT_STEPS: u8 = 8;
        if !self.is_vulnerable() {
            return 0;
        }
        let dealt = damage.min(self.health);
        self.health -= dealt;
        self.hurt = HURT_STEPS;
        if self.health == 0 {
            self.killer = Some(by);
        }
        dealt
    }
}

impl Shot {
    pub(crate) fn hitbox(&self) -> Hitbox {
        match self.flight {
            Flight::Beam { size } => Hitbox::sized(tuning::BEAMS[usize::from(size & 3)].size_px, self.position),
            _ => Hitbox::of(self.kind, self.position),
        }
    }
}

impl Shot {
    /// Whether what it remembers is within bounds, for a world restored from bytes.
    pub(crate) fn is_sound(&self) -> bool {
        match self.flight {
            Flight::Strand { base_y, .. } => base_y.abs() < px(4096),
            _ => true,
        }
    }
}

impl Bullet {
    pub(crate) fn hitbox(&self) -> Hitbox {
        Hitbox::of(self.kind, self.position)
    }
}

impl Item {
    pub(crate) fn hitbox(&self) -> Hitbox {
        Hitbox::of(self.kind, self.position)
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
    pub(crate) fn turned(self, turn: Turn) -> Heading {
        const CLOCKWISE: [Heading; 4] = [Heading::Right, Heading::Down, Heading::Left, Heading::Up];
        let quarters = match turn {
            Turn::Clockwise => 1,
            Turn::Counterclockwise => 3,
        };
        CLOCKWISE[(self as usize + quarters) % 4]
    }
}

impl Turn {
    pub(crate) fn opposite(self) -> Turn {
        match self {
            Turn::Clockwise => Turn::Counterclockwise,
            Turn::Counterclockwise => Turn::Clockwise,
        }
    }
}
