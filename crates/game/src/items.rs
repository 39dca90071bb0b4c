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

fn apply(world: &mut World, seat: Seat, item: Kind) {
    match item {
        Kind::RedCrystal => force::strengthen(world, seat, Crystal::Red),
        Kind::BlueCrystal => force::strengthen(world, seat, Crystal::Blue),
        Kind::YellowCrystal => force::strengthen(world, seat, Crystal::Yellow),
        Kind::BitPack => bits::add(world, seat),
        Kind::MissilePack => change_ship(world, seat, |ship| ship.missiles = true),
        Kind::SpeedUp => change_ship(world, seat, |ship| {
            ship.speed = (ship.speed + 1).min(tuning::SPEED_UPS_MAX);
        }),
        // Nothing else is ever in the table of items: see `validation.rs` and `World::spawn`.
        Kind::Player | Kind::Force | Kind::Bit => {}
        Kind::Shot | Kind::Beam | Kind::RedLaser | Kind::BlueLaser | Kind::YellowLaser | Kind::Missile => {}
        Kind::Drone
        | Kind::Dart
        | Kind::Walker
        | Kind::Clinger
        | Kind::Turret
        | Kind::Seeker
        | Kind::Chaser
        | Kind::Splitter
        | Kind::Shard
        | Kind::Warden
        | Kind::Hive
        | Kind::Larva
        | Kind::Carrier => {}
        Kind::Gunship
        | Kind::Mine
        | Kind::Bomber
        | Kind::Debris
        | Kind::Sentry
        | Kind::Spore
        | Kind::Leech
        | Kind::Polyp
        | Kind::Mite
        | Kind::Lancer
        | Kind::Hatch
        | Kind::Rover
        | Kind::Grinder => {}
        Kind::Salvager | Kind::Keeper | Kind::Brood | Kind::Matriarch | Kind::Gatehouse | Kind::Heart => {}
        Kind::SalvagerClaw
        | Kind::SalvagerEye
        | Kind::KeeperGun
        | Kind::KeeperCore
        | Kind::BroodSac
        | Kind::BroodMaw => {}
        Kind::MatriarchArm
        | Kind::MatriarchEye
        | Kind::GatehouseGun
        | Kind::GatehouseLock
        | Kind::HeartCoil
        | Kind::HeartCore => {}
        Kind::Pellet | Kind::Bomb | Kind::Lance | Kind::Block | Kind::Wall | Kind::Explosion | Kind::BigExplosion => {}
    }
}

fn change_ship(world: &mut World, seat: Seat, change: impl FnOnce(&mut Ship)) {
    if let Some(ship) = world.state.ship_mut(seat) {
        change(ship);
    }
}
