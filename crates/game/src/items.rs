//! Items: what a carrier drops, and what taking it does.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{
    EntityId, Event, Kind, Seat, Vec2, World, bits, force,
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

/// Moves items by one step.
pub(crate) fn fly(world: &mut World) {
    for item in &mut world.state.items {
        item.position += item.velocity;
    }
}

/// Lets ships take what they touch. Of two ships that touch the same item, the lower seat has it.
pub(crate) fn take(world: &mut World) {
    for index in 0..world.state.items.len() {
        let item = &world.state.items[index];
        let hitbox = item.hitbox();
        let (kind, object) = (item.kind, item.id);
        let taker = world.ships().find(|(_, ship)| ship.hitbox().touches(&hitbox)).map(|(seat, ship)| (seat, ship.id));
        if let Some((seat, ship)) = taker {
            world.state.items[index].taken = true;
            world.emit(Event::Grabbed { ship, object, side: None });
            world.award(seat, u32::from(tuning::body(kind).score));
            apply(world, seat, kind);
        }
    }
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
