//! The components of `typeuh`. The document leaves them to the game, so ruling T4 lays them down; all is big-endian.
//!
//! ```text
//! Position   x f32 · y f32            Health     now u16 · max u16      Charge   0–255 u8      Game   state u8 · stage u8
//! Velocity   x f32 · y f32 a second   Animation  u8                     Score    u32           Own    nothing
//! Kind       u16                      Player     seat u8                Lives    u8
//! Attached   entity u16 · side u8 (0 front, 1 back)
//! Size       width f32 · height f32, of walls only (ruling C12)
//! ```
//!
//! Values are as they came: a float may not be a number, and a kind or a side may be unknown. A session decides.

use super::wire::Initialisation;
use crate::{Malformed, Reader, UnknownNames};

/// Which component: a name that we know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ComponentName {
    /// Where the entity is.
    Position,
    /// How it moves.
    Velocity,
    Kind,
    /// What it can bear.
    Health,
    /// Which of its pictures to show.
    Animation,
    /// The player it belongs to.
    Player,
    /// What it is attached to.
    Attached,
    /// How far the beam is charged.
    Charge,
    /// The score of all players.
    Score,
    /// Lives left, on a ship.
    Lives,
    /// State and stage of the game.
    Game,
    /// Marks the receiver's own ship.
    Own,
    /// How large it is.
    Size,
}

impl ComponentName {
    /// All of them, in the order in which our own initialisation names them.
    pub const ALL: [ComponentName; 13] = [
        ComponentName::Position,
        ComponentName::Velocity,
        ComponentName::Kind,
        ComponentName::Health,
        ComponentName::Animation,
        ComponentName::Player,
        ComponentName::Attached,
        ComponentName::Charge,
        ComponentName::Score,
        ComponentName::Lives,
        ComponentName::Game,
        ComponentName::Own,
        ComponentName::Size,
    ];

    /// The name as the initialisation says it.
    pub const fn as_str(self) -> &'static str {
        match self {
            ComponentName::Position => "Position",
            ComponentName::Velocity => "Velocity",
            ComponentName::Kind => "Kind",
            ComponentName::Health => "Health",
            ComponentName::Animation => "Animation",
            ComponentName::Player => "Player",
            ComponentName::Attached => "Attached",
            ComponentName::Charge => "Charge",
            ComponentName::Score => "Score",
            ComponentName::Lives => "Lives",
            ComponentName::Game => "Game",
            ComponentName::Own => "Own",
            ComponentName::Size => "Size",
        }
    }

    pub fn from_name(name: &str) -> Option<ComponentName> {
        ComponentName::ALL.into_iter().find(|known| known.as_str() == name)
    }

    /// Its `component_id` in a session that begins with our own initialisation.
    pub const fn own_id(self) -> u16 {
        self as u16
    }
}

/// The state of one component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Component {
    /// Where the entity is.
    Position {
        /// To the right.
        x: f32,
        /// Downwards.
        y: f32,
    },
    /// How it moves, per second.
    Velocity {
        /// To the right.
        x: f32,
        /// Downwards.
        y: f32,
    },
    /// What it is: the number of its kind.
    Kind(u16),
    /// What it can bear.
    Health {
        /// Left.
        now: u16,
        /// At first.
        max: u16,
    },
    /// Which of its pictures to show.
    Animation(u8),
    /// The player it belongs to.
    Player {
        /// 0 to 3.
        seat: u8,
    },
    /// What it is attached to.
    Attached {
        /// The other entity.
        entity: u16,
        /// 0 front, 1 back.
        side: u8,
    },
    /// How far the beam is charged.
    Charge(u8),
    /// The score of all players.
    Score(u32),
    /// Lives left.
    Lives(u8),
    /// The game's own state.
    Game {
        /// The number of the state.
        state: u8,
        /// 1 and up, 0 for endless.
        stage: u8,
    },
    /// Marks the receiver's own ship.
    Own,
    /// How large it is.
    Size {
        /// From left to right.
        width: f32,
        /// From top to bottom.
        height: f32,
    },
}

impl Component {
    /// Which component it is the state of.
    pub const fn name(&self) -> ComponentName {
        match self {
            Component::Position { .. } => ComponentName::Position,
            Component::Velocity { .. } => ComponentName::Velocity,
            Component::Kind(_) => ComponentName::Kind,
            Component::Health { .. } => ComponentName::Health,
            Component::Animation(_) => ComponentName::Animation,
            Component::Player { .. } => ComponentName::Player,
            Component::Attached { .. } => ComponentName::Attached,
            Component::Charge(_) => ComponentName::Charge,
            Component::Score(_) => ComponentName::Score,
            Component::Lives(_) => ComponentName::Lives,
            Component::Game { .. } => ComponentName::Game,
            Component::Own => ComponentName::Own,
            Component::Size { .. } => ComponentName::Size,
        }
    }

    pub(super) fn read(name: ComponentName, reader: &mut Reader) -> Result<Component, Malformed> {
        Ok(match name {
            ComponentName::Position => Component::Position { x: reader.f32_be()?, y: reader.f32_be()? },
            ComponentName::Velocity => Component::Velocity { x: reader.f32_be()?, y: reader.f32_be()? },
            ComponentName::Kind => Component::Kind(reader.u16_be()?),
            ComponentName::Health => Component::Health { now: reader.u16_be()?, max: reader.u16_be()? },
            ComponentName::Animation => Component::Animation(reader.u8()?),
            ComponentName::Player => Component::Player { seat: reader.u8()? },
            ComponentName::Attached => Component::Attached { entity: reader.u16_be()?, side: reader.u8()? },
            ComponentName::Charge => Component::Charge(reader.u8()?),
            ComponentName::Score => Component::Score(reader.u32_be()?),
            ComponentName::Lives => Component::Lives(reader.u8()?),
            ComponentName::Game => Component::Game { state: reader.u8()?, stage: reader.u8()? },
            ComponentName::Own => Component::Own,
            ComponentName::Size => Component::Size { width: reader.f32_be()?, height: reader.f32_be()? },
        })
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match *self {
            Component::Position { x, y } | Component::Velocity { x, y } | Component::Size { width: x, height: y } => {
                out.extend(x.to_be_bytes());
                out.extend(y.to_be_bytes());
            }
            Component::Kind(kind) => out.extend(kind.to_be_bytes()),
            Component::Health { now, max } => {
                out.extend(now.to_be_bytes());
                out.extend(max.to_be_bytes());
            }
            Component::Attached { entity, side } => {
                out.extend(entity.to_be_bytes());
                out.push(side);
            }
            Component::Score(score) => out.extend(score.to_be_bytes()),
            Component::Game { state, stage } => out.extend([state, stage]),
            Component::Animation(byte)
            | Component::Player { seat: byte }
            | Component::Charge(byte)
            | Component::Lives(byte) => out.push(byte),
            Component::Own => {}
        }
    }
}

/// Which component each `component_id` of a session means: what the initialisation told.
///
/// Only a name tells how long a component's data is. An id without a name, or with one that we do not know, has an
/// unknown size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentTable {
    names: Vec<Option<ComponentName>>,
    unknown: UnknownNames,
}

impl ComponentTable {
    /// The table of that initialisation, as long as the list of names in its bytes.
    pub fn new(initialisation: &Initialisation) -> ComponentTable {
        let mut unknown = UnknownNames::default();
        let mut known = |name| {
            let known = ComponentName::from_name(name);
            if known.is_none() {
                unknown.push(name);
            }
            known
        };
        let names = initialisation.names().map(&mut known).collect();
        ComponentTable { names, unknown }
    }

    /// The table of our own initialisation.
    pub fn own() -> ComponentTable {
        ComponentTable { names: ComponentName::ALL.map(Some).to_vec(), unknown: UnknownNames::default() }
    }

    /// The names that we do not know.
    pub fn unknown(&self) -> &UnknownNames {
        &self.unknown
    }

    /// What that id means, if it is a name that we know.
    pub fn name(&self, component_id: u16) -> Option<ComponentName> {
        self.names.get(usize::from(component_id)).copied().flatten()
    }
}
