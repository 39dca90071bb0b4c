//! An enemy, a boss part or a block, and the habit that it acts by. How habits act is in `foes/` and `bosses.rs`.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{
    EntityId, Kind, Seat, Vec2,
    hitbox::Hitbox,
    shot::{Flight, Shot},
    tuning,
    units::{FIELD_WIDTH_PX, px},
};

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
    /// Steps until it may fire. A mine fires but once: for it these are the fuse, and more than that while it is not lit.
    pub fire_in: u16,
    /// Steps for which it is shown as hurt.
    pub hurt: u8,
    /// A warden protects it.
    pub shielded: bool,
    /// The player that destroyed it.
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
    /// Flies to the right of the field, hovers there, leaves.
    Hover { base_y: i32, angle: u8 },
    /// Drifts until a ship comes near, then bursts after a short fuse.
    Lurk,
    /// Flies level and drops bombs.
    Bomb,
    /// Follows a path of the stage.
    Follow { path: u16, next: u16, origin: Vec2 },
    /// A boss's hull.
    Command {
        base_y: i32,
        angle: u8,
        leaving: bool,
        /// The index of its phase.
        phase: u8,
        /// Steps since its weak point last closed.
        turn: u16,
    },
    /// A part of a boss, at this offset from the hull's centre.
    Part { hull: EntityId, offset: Vec2, open: bool },
    /// Moves with the terrain and does nothing.
    Rest,
    /// Goes straight on, firing ahead.
    Guard,
    /// Is rooted on terrain, spitting arcs.
    Spit,
    /// Is drawn to the nearest ship, and overshoots.
    Swarm,
    /// Takes a ship's height, glows, fires along it.
    Joust { glowing: bool },
    /// Stays with the terrain, opens and releases darts.
    Release { left: u8, open: bool },
    /// Rides along floor or ceiling, turning at edges and walls.
    Ride { rightwards: bool },
    /// Shows itself at the left edge, closes in, falls back.
    Pursue,
}

impl Foe {
    pub(crate) fn hitbox(&self) -> Hitbox {
        Hitbox::of(self.kind, self.position)
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.health_max > 0 && self.health == 0
    }

    /// Whether a hit hurts it now: not a hull, not a shielded one, not a closed weak point or hatch, and no part of a boss
    /// that is still outside the field.
    pub(crate) fn is_vulnerable(&self) -> bool {
        let closed = matches!(self.habit, Habit::Part { open: false, .. } | Habit::Release { open: false, .. });
        self.health > 0 && !self.shielded && !closed && !self.is_still_to_be_seen()
    }

    /// Whether it is a part of a boss that is not wholly inside the field: what waits there was not seen by anybody.
    fn is_still_to_be_seen(&self) -> bool {
        let is_part = matches!(self.habit, Habit::Part { .. });
        is_part && self.position.x + px(tuning::body(self.kind).hit_px.0) / 2 > px(FIELD_WIDTH_PX)
    }

    /// Whether it is a mine whose fuse burns.
    pub(crate) fn is_lit(&self) -> bool {
        self.habit == Habit::Lurk && self.fire_in <= tuning::MINE_FUSE
    }

    /// Whether it shows that it can be hurt or is about to fire: an open weak point or hatch, a lancer that glows, a mine
    /// whose fuse burns.
    pub(crate) fn is_open(&self) -> bool {
        match self.habit {
            Habit::Part { open, .. } => open && tuning::is_weak_point(self.kind),
            Habit::Release { open, .. } => open,
            Habit::Joust { glowing } => glowing,
            Habit::Weave { .. } | Habit::Dive { .. } | Habit::Walk { .. } | Habit::Cling { .. } | Habit::Sit => false,
            Habit::Home | Habit::Chase { .. } | Habit::Drift | Habit::Brood { .. } | Habit::Carry { .. } => false,
            Habit::Lurk => self.is_lit(),
            Habit::Hover { .. } | Habit::Bomb | Habit::Follow { .. } | Habit::Command { .. } => false,
            Habit::Rest | Habit::Guard | Habit::Spit | Habit::Swarm | Habit::Ride { .. } => false,
            Habit::Pursue => false,
        }
    }

    /// Whether what it remembers is within bounds, for a world restored from bytes.
    pub(crate) fn is_within_bounds(&self) -> bool {
        const FAR: i32 = px(4096);
        match self.habit {
            Habit::Weave { base_y, .. }
            | Habit::Carry { base_y, .. }
            | Habit::Hover { base_y, .. }
            | Habit::Command { base_y, .. } => base_y.abs() < FAR,
            Habit::Follow { origin: point, .. } | Habit::Part { offset: point, .. } => {
                point.x.abs() < FAR && point.y.abs() < FAR
            }
            Habit::Dive { .. } | Habit::Walk { .. } | Habit::Cling { .. } | Habit::Chase { .. } => true,
            Habit::Sit | Habit::Home | Habit::Drift | Habit::Brood { .. } | Habit::Lurk | Habit::Bomb | Habit::Rest => {
                true
            }
            Habit::Guard | Habit::Spit | Habit::Swarm | Habit::Pursue => true,
            Habit::Joust { .. } | Habit::Release { .. } | Habit::Ride { .. } => true,
        }
    }

    /// Takes the damage of a shot and returns how much of it was dealt. A weak point divides the damage of plain shots by `armour`,
    /// and of a burst only the first hit counts; a beam always counts in full.
    pub(crate) fn hurt_by_shot(&mut self, shot: &Shot, armour: u16) -> u16 {
        let is_beam = matches!(shot.flight, Flight::Beam { .. });
        if is_beam || !tuning::is_weak_point(self.kind) {
            return self.hurt(shot.power, shot.seat);
        }
        let armour = if shot.kind == Kind::Shot { armour } else { tuning::LASER_ARMOUR };
        if self.hurt > 0 { 0 } else { self.hurt((shot.power / armour).max(1), shot.seat) }
    }

    /// Takes damage and returns how much of it was dealt.
    pub(crate) fn hurt(&mut self, damage: u16, by: Seat) -> u16 {
        if !self.is_vulnerable() {
            return 0;
        }
        let dealt = damage.min(self.health);
        self.health -= dealt;
        self.hurt = tuning::HURT_SHOWN;
        if self.health == 0 {
            self.killer = Some(by);
        }
        dealt
    }
}
