//! Bits: small orbs that keep above and below a ship, block shots and hurt what they touch.

use crate::{Seat, Vec2, World, player_state::Bit, tuning};

/// Moves the Bits of a seat by one step towards where they belong.
pub(crate) fn fly(world: &mut World, seat: Seat) {
    let Some(ship) = world.state.ship_mut(seat) else { return };
    let centre = ship.position;
    for (slot, bit) in ship.bits.iter_mut().enumerate() {
        let Some(bit) = bit else { continue };
        let way = position_of(centre, slot) - bit.position;
        let speed = tuning::BIT_SPEED;
        bit.velocity = Vec2::new(way.x.clamp(-speed, speed), way.y.clamp(-speed, speed));
        bit.position += bit.velocity;
        bit.touch_in = bit.touch_in.saturating_sub(1);
    }
}

/// Gives a ship one more Bit: the first above, the second below, never a third.
pub(crate) fn add(world: &mut World, seat: Seat) {
    let free = world.ships().find(|(own, _)| *own == seat);
    let Some((_, ship)) = free else { return };
    let Some(slot) = ship.bits.iter().position(Option::is_none) else { return };
    let Some(id) = world.new_id() else { return };
    let Some(ship) = world.state.ship_mut(seat) else { return };
    let position = position_of(ship.position, slot);
    ship.bits[slot] = Some(Bit { id, position, velocity: Vec2::ZERO, touch_in: 0 });
}

fn position_of(ship: Vec2, slot: usize) -> Vec2 {
    let above_or_below = if slot == 0 { -1 } else { 1 };
    ship + Vec2::new(0, above_or_below * tuning::BIT_OFFSET_Y)
}
