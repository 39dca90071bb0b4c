//! The four ships, and how a ship flies. [`glide`] is also what a client predicts with.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{
    Buttons, Input, Seat, Vec2, World,
    player_state::Ship,
    tuning::{self, ShipNumbers},
    units::{FIELD_HEIGHT_PX, FIELD_WIDTH_PX, px},
};

/// One of the four ships that a player may choose. The numbers are stable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
#[borsh(use_discriminant = true)]
#[repr(u8)]
pub enum ShipModel {
    /// Good at everything.
    #[default]
    Arrow = 0,
    /// Fast, with a weaker beam that takes longer.
    Wasp = 1,
    /// Slow, with the strongest beam.
    Anvil = 2,
    /// Charges fastest, with the weakest beam.
    Lynx = 3,
}

impl ShipModel {
    /// All of them, by number.
    pub const ALL: [ShipModel; 4] = [ShipModel::Arrow, ShipModel::Wasp, ShipModel::Anvil, ShipModel::Lynx];

    /// The ship of a player who chose none.
    pub const fn of_seat(seat: Seat) -> ShipModel {
        ShipModel::ALL[seat.index()]
    }

    pub fn from_number(number: u8) -> Option<ShipModel> {
        ShipModel::ALL.get(usize::from(number)).copied()
    }

    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            ShipModel::Arrow => "arrow",
            ShipModel::Wasp => "wasp",
            ShipModel::Anvil => "anvil",
            ShipModel::Lynx => "lynx",
        }
    }

    /// What it differs in from the others.
    pub const fn numbers(self) -> &'static ShipNumbers {
        &tuning::SHIPS[self as usize]
    }

    /// Its speed with some speed-ups, in sub-pixels per step along one axis.
    pub fn speed(self, speed_ups: u8) -> i32 {
        self.numbers().speeds[usize::from(speed_ups.min(tuning::SPEED_UPS_MAX))]
    }
}

/// What a ship's velocity is while these buttons are held, in sub-pixels per step. `speed` counts speed-ups.
pub fn steer(model: ShipModel, held: Buttons, speed: u8) -> Vec2 {
    let axis = |less: Buttons, more: Buttons| i32::from(held.contains(more)) - i32::from(held.contains(less));
    let (x, y) = (axis(Buttons::LEFT, Buttons::RIGHT), axis(Buttons::UP, Buttons::DOWN));
    let top = model.speed(speed);
    // cos 45° = 181/256: flying diagonally is no faster.
    let pace = if x != 0 && y != 0 { top * 181 / 256 } else { top };
    Vec2::new(x * pace, y * pace)
}

/// Where a ship is one step later: it never leaves the field.
pub fn glide(position: Vec2, velocity: Vec2) -> Vec2 {
    let (margin_x, margin_y) = tuning::SHIP_MARGIN;
    let next = position + velocity;
    Vec2::new(
        next.x.clamp(margin_x, px(FIELD_WIDTH_PX) - margin_x),
        next.y.clamp(margin_y, px(FIELD_HEIGHT_PX) - margin_y),
    )
}

/// Flies the ship of a seat for one step.
pub(crate) fn fly(world: &mut World, seat: Seat, input: Input) {
    let Some(ship) = world.state.ship_mut(seat) else { return };
    let from = ship.position;
    let buttons = input.held | input.pressed;
    ship.position = glide(from, steer(ship.model, buttons, ship.speed));
    // Whoever only fires may not have found out yet how to fly.
    ship.unnoticed = if buttons.intersects(Buttons::DIRECTIONS) { 0 } else { ship.unnoticed.saturating_sub(1) };
    notice_rest(ship);
    // What it did, not what was asked: at the edge of the field it is at rest.
    ship.velocity = ship.position - from;
    ship.invulnerable = ship.invulnerable.saturating_sub(1);
    ship.cooldown = ship.cooldown.saturating_sub(1);
    ship.laser_cooldown = ship.laser_cooldown.saturating_sub(1);
}

/// Counts for how long a ship has stayed where it is.
fn notice_rest(ship: &mut Ship) {
    let way = ship.position - ship.stays_at;
    if way.x.abs().max(way.y.abs()) > tuning::STAYING_ROOM {
        (ship.stays_at, ship.stays_for) = (ship.position, 0);
    } else {
        ship.stays_for = ship.stays_for.saturating_add(1);
    }
}

/// Keeps what was held, to tell presses and releases in the next step.
pub(crate) fn remember(world: &mut World, seat: Seat, input: Input) {
    if let Some(player) = &mut world.state.players[seat.index()] {
        player.held = input.held;
    }
}
