//! Items: what a carrier drops, and what taking it does.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{
    EntityId, Event, Kind, Seat, Vec2, World, bits,
    evasion::{self, Flier},
    force,
    hitbox::Hitbox,
    player_state::{Crystal, Ship},
    tuning,
};

/// Something to pick up.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Item {
    pub id: EntityId,
    pub kind: Kind,
    pub position: Vec2,
    pub velocity: Vec2,
    pub taken: bool,
}

impl Item {
    pub(crate) fn hitbox(&self) -> Hitbox {
        Hitbox::of(self.kind, self.position)
    }
}

/// Moves items by one step: they drift, and rise or sink out of the way of terrain, so that they can always be taken.
pub(crate) fn fly(world: &mut World) {
    let mut items = std::mem::take(&mut world.state.items);
    for item in &mut items {
        item.velocity = Vec2::new(tuning::ITEM_DRIFT, evasion_of(world, item));
        item.position += item.velocity;
    }
    world.state.items = items;
}

/// How fast an item rises or sinks to where it is free. Terrain scrolls faster than items drift: they meet what is to their
/// right.
fn evasion_of(world: &World, item: &Item) -> i32 {
    let size_px = tuning::body(item.kind).hit_px;
    let flier = Flier { centre: item.position, size_px, ahead: tuning::ITEM_LOOKS_AHEAD, minds_blocks: true };
    evasion::offset(world, &flier).clamp(-tuning::ITEM_EVADES_SPEED, tuning::ITEM_EVADES_SPEED)
}

/// Lets ships take what they touch. Of two ships that touch the same item, the lower seat has it.
pub(crate) fn take(world: &mut World) {
    for index in 0..world.state.items.len() {
        let item = &world.state.items[index];
        let hitbox = item.hitbox();
        let (kind, object) = (item.kind, item.id);
        let taker = world.ships().find(|(_, ship)| reach_of(ship).touches(&hitbox)).map(|(seat, ship)| (seat, ship.id));
        if let Some((seat, ship)) = taker {
            world.state.items[index].taken = true;
            world.emit(Event::Grabbed { ship, object, side: None });
            world.award(seat, u32::from(tuning::body(kind).score));
            apply(world, seat, kind);
        }
    }
}

/// What a ship takes items with: more than the small box on which it is hit, so that what is seen to touch is taken.
fn reach_of(ship: &Ship) -> Hitbox {
    let (width, height) = tuning::body(Kind::Player).hit_px;
    let size = (width + 2 * tuning::ITEM_REACH_PX, height + 2 * tuning::ITEM_REACH_PX);
    Hitbox::sized(size, ship.position)
}

/// What taking an item does for a ship.
#[derive(Clone, Copy)]
enum Gain {
    Crystal(Crystal),
    Bit,
    Missiles,
    Speed,
}

/// Every kind of item; a test holds it to that.
const GAINS: [(Kind, Gain); 6] = [
    (Kind::RedCrystal, Gain::Crystal(Crystal::Red)),
    (Kind::BlueCrystal, Gain::Crystal(Crystal::Blue)),
    (Kind::YellowCrystal, Gain::Crystal(Crystal::Yellow)),
    (Kind::BitPack, Gain::Bit),
    (Kind::MissilePack, Gain::Missiles),
    (Kind::SpeedUp, Gain::Speed),
];

fn apply(world: &mut World, seat: Seat, item: Kind) {
    let Some((_, gain)) = GAINS.iter().find(|(kind, _)| *kind == item) else { return };
    match *gain {
        Gain::Crystal(crystal) => force::strengthen(world, seat, crystal),
        Gain::Bit => bits::add(world, seat),
        Gain::Missiles => change_ship(world, seat, |ship| ship.missiles = true),
        Gain::Speed => change_ship(world, seat, |ship| ship.speed = (ship.speed + 1).min(tuning::SPEED_UPS_MAX)),
    }
}

fn change_ship(world: &mut World, seat: Seat, change: impl FnOnce(&mut Ship)) {
    if let Some(ship) = world.state.ship_mut(seat) {
        change(ship);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Class;

    #[test]
    fn every_item_does_something_for_a_ship() {
        let items: Vec<Kind> = Kind::ALL.iter().copied().filter(|kind| kind.class() == Class::Item).collect();
        let has_gain = |item: &Kind| GAINS.iter().any(|(kind, _)| kind == item);
        assert_eq!(items.len(), GAINS.len());
        assert!(items.iter().all(has_gain), "{items:?}");
    }
}
