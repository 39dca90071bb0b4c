//! A player in a seat, and all that their ship carries.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{
    Buttons, EntityId, Kind, ShipModel, Side, Vec2,
    hitbox::Hitbox,
    score::Chain,
    tally::{Counts, PastMerit},
    tuning,
};

/// A player in a seat.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct PlayerState {
    /// Lives left, the flying one included.
    pub lives: u8,
    /// The player's share of the score.
    pub score: u32,
    /// What was held in the last step, to tell presses and releases.
    pub held: Buttons,
    /// The ship that the next one will be.
    pub model: ShipModel,
    pub chain: Chain,
    /// What the player did in this stage.
    pub in_stage: Counts,
    /// What the player did in this game, up to the stage before this one.
    pub before: Counts,
    /// How well the player did in those stages.
    pub past_merit: PastMerit,
    pub life: Life,
}

/// What a player is doing.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) enum Life {
    Flying(Ship),
    /// The ship is lost; under co-op rules it returns after `returns_in` steps, else with everyone else.
    Lost {
        returns_in: u16,
    },
    /// No lives left: watching.
    Out,
}

/// A ship and what it carries. Losing the ship loses it all.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Ship {
    pub id: EntityId,
    pub model: ShipModel,
    pub position: Vec2,
    /// Sub-pixels per step.
    pub velocity: Vec2,
    /// Steps for which nothing hurts it.
    pub invulnerable: u16,
    /// Steps for which enemies take no aim at it, unless its player flies it.
    pub unnoticed: u16,
    /// Where it has stayed, give or take a few pixels, and for how many steps.
    pub stays_at: Vec2,
    pub stays_for: u16,
    /// Steps for which fire has been held.
    pub charging: u16,
    /// Steps until it can fire again.
    pub cooldown: u16,
    /// Steps until a Force at the back may fire its laser again.
    pub laser_cooldown: u16,
    /// Speed-ups taken.
    pub speed: u8,
    pub missiles: bool,
    pub force: Option<Force>,
    /// Above, then below.
    pub bits: [Option<Bit>; tuning::BITS_MAX],
}

/// The Force of a ship.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Force {
    pub id: EntityId,
    pub position: Vec2,
    pub velocity: Vec2,
    /// 1 to 3.
    pub level: u8,
    pub crystal: Crystal,
    pub mode: ForceMode,
    /// Steps until it fires, while away.
    pub fire_in: u16,
    /// Steps until its touch hurts again.
    pub touch_in: u16,
}

/// Where the Force is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) enum ForceMode {
    /// On its way to the ship: arriving, or called back.
    Homing,
    Docked(Side),
    /// Flying out on that side.
    Launched(Side),
    /// Keeping its distance, on whichever side it is.
    Holding,
}

/// The crystal taken last: which laser the docked Force fires. The numbers are stable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
#[borsh(use_discriminant = true)]
#[repr(u8)]
pub enum Crystal {
    /// Straight and strong.
    #[default]
    Red = 0,
    /// Reflects off terrain.
    Blue = 1,
    /// Crawls along ceiling and floor.
    Yellow = 2,
}

impl Crystal {
    /// All of them, by number.
    pub const ALL: [Crystal; 3] = [Crystal::Red, Crystal::Blue, Crystal::Yellow];
}

/// A Bit of a ship.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Bit {
    pub id: EntityId,
    pub position: Vec2,
    pub velocity: Vec2,
    pub touch_in: u16,
}

impl PlayerState {
    pub(crate) fn ship(&self) -> Option<&Ship> {
        match &self.life {
            Life::Flying(ship) => Some(ship),
            Life::Lost { .. } | Life::Out => None,
        }
    }

    /// The ship in flight, or the next one.
    pub(crate) fn flown(&self) -> ShipModel {
        self.ship().map_or(self.model, |ship| ship.model)
    }

    pub(crate) fn ship_mut(&mut self) -> Option<&mut Ship> {
        match &mut self.life {
            Life::Flying(ship) => Some(ship),
            Life::Lost { .. } | Life::Out => None,
        }
    }
}

impl Ship {
    pub(crate) fn new(id: EntityId, model: ShipModel, position: Vec2) -> Ship {
        Ship {
            id,
            model,
            position,
            velocity: Vec2::ZERO,
            invulnerable: tuning::INVULNERABLE,
            unnoticed: 0,
            stays_at: position,
            stays_for: 0,
            charging: 0,
            cooldown: 0,
            laser_cooldown: 0,
            speed: 0,
            missiles: false,
            force: None,
            bits: [None; tuning::BITS_MAX],
        }
    }

    pub(crate) fn hitbox(&self) -> Hitbox {
        Hitbox::of(Kind::Player, self.position)
    }

    /// The ids of the ship, its Force and its Bits.
    pub(crate) fn ids(&self) -> impl Iterator<Item = EntityId> {
        let force = self.force.iter().map(|force| force.id);
        std::iter::once(self.id).chain(force).chain(self.bits.iter().flatten().map(|bit| bit.id))
    }

    /// Puts it elsewhere at once, with what is at its side.
    pub(crate) fn move_to(&mut self, position: Vec2) {
        let way = position - self.position;
        self.position = position;
        self.bits.iter_mut().flatten().for_each(|bit| bit.position += way);
        if let Some(force) = self.force.as_mut().filter(|force| force.docked().is_some()) {
            force.position += way;
        }
    }

    /// The beam gauge, 0 to 255.
    pub(crate) fn gauge(&self) -> u8 {
        let charged = u32::from(self.charging.saturating_sub(tuning::CHARGE_DELAY));
        (charged * 255 / u32::from(self.model.numbers().charge_full)).min(255) as u8
    }
}

impl Force {
    pub(crate) fn docked(&self) -> Option<Side> {
        match self.mode {
            ForceMode::Docked(side) => Some(side),
            ForceMode::Homing | ForceMode::Launched(_) | ForceMode::Holding => None,
        }
    }

    pub(crate) fn hitbox(&self) -> Hitbox {
        Hitbox::of(Kind::Force, self.position)
    }
}

impl Bit {
    pub(crate) fn hitbox(&self) -> Hitbox {
        Hitbox::of(Kind::Bit, self.position)
    }
}
