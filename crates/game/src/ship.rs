//! How a ship flies. [`glide`] is also what a client predicts with.

use crate::{
    Buttons, Input, Seat, Vec2, World, tuning,
    units::{FIELD_HEIGHT_PX, FIELD_WIDTH_PX, px},
};

/// What a ship's velocity is while these buttons are held, in sub-pixels per step. `speed` counts speed-ups.
pub fn steer(held: Buttons, speed: u8) -> Vec2 {
    let axis = |less: Buttons, more: Buttons| i32::from(held.contains(more)) - i32::from(held.contains(less));
    let (x, y) = (axis(Buttons::LEFT, Buttons::RIGHT), axis(Buttons::UP, Buttons::DOWN));
    let top = tuning::SHIP_SPEEDS[usize::from(speed).min(tuning::SHIP_SPEEDS.len() - 1)];
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
    ship.position = glide(from, steer(input.held | input.pressed, ship.speed));
    // What it did, not what was asked: at the edge of the field it is at rest.
    ship.velocity = ship.position - from;
    ship.invulnerable = ship.invulnerable.saturating_sub(1);
    ship.cooldown = ship.cooldown.saturating_sub(1);
}

/// Keeps what was held, to tell presses and releases in the next step.
pub(crate) fn remember(world: &mut World, seat: Seat, input: Input) {
    if let Some(player) = &mut world.state.players[seat.index()] {
        player.held = input.held;
    }
}
