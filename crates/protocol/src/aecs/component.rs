//! The components of `aecs`. The document leaves them to the game, so ruling A6 lays them down; all is little-endian.
//!
//! ```text
//!  1 Position    x f32 · y f32        5 Animation   u8                        9 Score   u32
//!  2 Velocity    x f32 · y f32        6 Player      seat u8                  10 Lives   u8
//!  3 Kind        u16                  7 Attached    entity u32 · side u8     11 Game    state u8 · stage u8
//!  4 Health      now u16 · max u16    8 Charge      u8                       12 Size    width f32 · height f32 (ruling C12)
//! ```
//!
//! A component with another id is kept as it came: its size is beside it, so it can be passed over. Values are as they
//! came too: a float may not be a number, and a kind or a side may be unknown. A session decides.

use crate::{Malformed, Reader};

/// `component ID` and `data size`.
const HEADER_BYTES: usize = 4;

/// The longest data of those that we know.
const DATA_MAX_BYTES: usize = 8;

/// One component of an entity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Component<'a> {
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
        entity: u32,
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
    /// How large it is; walls only (ruling C12).
    Size {
        /// From left to right.
        width: f32,
        /// From top to bottom.
        height: f32,
    },
    /// Something of another game's.
    Unknown {
        /// None of the above: 0, or 13 and up.
        component_id: u16,
        /// As it came.
        data: &'a [u8],
    },
}

impl<'a> Component<'a> {
    const POSITION: u16 = 1;
    const VELOCITY: u16 = 2;
    const KIND: u16 = 3;
    const HEALTH: u16 = 4;
    const ANIMATION: u16 = 5;
    const PLAYER: u16 = 6;
    const ATTACHED: u16 = 7;
    const CHARGE: u16 = 8;
    const SCORE: u16 = 9;
    const LIVES: u16 = 10;
    const GAME: u16 = 11;
    const SIZE: u16 = 12;

    /// Its `component ID` (ruling A6).
    pub const fn component_id(&self) -> u16 {
        match self {
            Component::Position { .. } => Self::POSITION,
            Component::Velocity { .. } => Self::VELOCITY,
            Component::Kind(_) => Self::KIND,
            Component::Health { .. } => Self::HEALTH,
            Component::Animation(_) => Self::ANIMATION,
            Component::Player { .. } => Self::PLAYER,
            Component::Attached { .. } => Self::ATTACHED,
            Component::Charge(_) => Self::CHARGE,
            Component::Score(_) => Self::SCORE,
            Component::Lives(_) => Self::LIVES,
            Component::Game { .. } => Self::GAME,
            Component::Size { .. } => Self::SIZE,
            Component::Unknown { component_id, .. } => *component_id,
        }
    }

    /// Reads `component ID`, `data size` and `data`.
    pub(super) fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        let component_id = reader.u16_le()?;
        let data_size = reader.u16_le()?;
        let data = reader.take(data_size.into())?;
        // A component that we know has exactly its size.
        Self::from_data(component_id, data).map_err(|_| Malformed::WrongSize)
    }

    fn from_data(component_id: u16, data: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(data);
        let component = match component_id {
            Self::POSITION => Component::Position { x: reader.f32_le()?, y: reader.f32_le()? },
            Self::VELOCITY => Component::Velocity { x: reader.f32_le()?, y: reader.f32_le()? },
            Self::KIND => Component::Kind(reader.u16_le()?),
            Self::HEALTH => Component::Health { now: reader.u16_le()?, max: reader.u16_le()? },
            Self::ANIMATION => Component::Animation(reader.u8()?),
            Self::PLAYER => Component::Player { seat: reader.u8()? },
            Self::ATTACHED => Component::Attached { entity: reader.u32_le()?, side: reader.u8()? },
            Self::CHARGE => Component::Charge(reader.u8()?),
            Self::SCORE => Component::Score(reader.u32_le()?),
            Self::LIVES => Component::Lives(reader.u8()?),
            Self::GAME => Component::Game { state: reader.u8()?, stage: reader.u8()? },
            Self::SIZE => Component::Size { width: reader.f32_le()?, height: reader.f32_le()? },
            _ => Component::Unknown { component_id, data: reader.take_rest() },
        };
        reader.finish()?;
        Ok(component)
    }

    /// Appends `component ID`, `data size` and `data`. The caller knows which component it is, and then there is little left to do:
    /// a call would cost more.
    #[inline(always)]
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let mut bytes = [0; HEADER_BYTES + DATA_MAX_BYTES];
        let [id_low, id_high, size_low, size_high, data @ ..] = &mut bytes;
        let size = match *self {
            Component::Unknown { data, .. } => return self.write_unknown(data, out),
            _ => self.write_data(data),
        };
        [*id_low, *id_high] = self.component_id().to_le_bytes();
        [*size_low, *size_high] = (size as u16).to_le_bytes();
        // Copying as much each time, and taking back what is too much, is quicker than copying just that many bytes.
        out.extend_from_slice(&bytes);
        out.truncate(out.len() - (DATA_MAX_BYTES - size));
    }

    /// Writes the data of one that we know, and says how long it is.
    #[inline(always)]
    fn write_data(&self, data: &mut [u8; DATA_MAX_BYTES]) -> usize {
        match *self {
            Component::Position { x, y } | Component::Velocity { x, y } | Component::Size { width: x, height: y } => {
                data[..4].copy_from_slice(&x.to_le_bytes());
                data[4..].copy_from_slice(&y.to_le_bytes());
                8
            }
            Component::Kind(kind) => {
                data[..2].copy_from_slice(&kind.to_le_bytes());
                2
            }
            Component::Health { now, max } => {
                data[..2].copy_from_slice(&now.to_le_bytes());
                data[2..4].copy_from_slice(&max.to_le_bytes());
                4
            }
            Component::Attached { entity, side } => {
                data[..4].copy_from_slice(&entity.to_le_bytes());
                data[4] = side;
                5
            }
            Component::Score(score) => {
                data[..4].copy_from_slice(&score.to_le_bytes());
                4
            }
            Component::Game { state, stage } => {
                data[..2].copy_from_slice(&[state, stage]);
                2
            }
            Component::Animation(byte)
            | Component::Player { seat: byte }
            | Component::Charge(byte)
            | Component::Lives(byte) => {
                data[0] = byte;
                1
            }
            Component::Unknown { .. } => 0,
        }
    }

    fn write_unknown(&self, data: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(&self.component_id().to_le_bytes());
        // Data too long for its size is too long for its entity too, and left out with it.
        out.extend_from_slice(&(data.len() as u16).to_le_bytes());
        out.extend_from_slice(data);
    }
}
