//! The cues of what a Frame reports.

use game::{Class, Entity, EntityId, Event, Frame, GameState, Gone, Kind, Seat, tuning};

use super::{
    at,
    material::{Material, material},
};
use crate::sound::{Cue, Heard};

/// An enemy that is this wide, in pixels, explodes loudly.
const LARGE_PX: i32 = 28;
/// What shows that an enemy is shielded, and that a weak point is open.
const SHIELDED: u8 = 2;
const OPEN: u8 = 3;
const JUST_HURT: u8 = 1;

/// The cue of an event.
pub fn cue(event: &Event, before: &Frame, now: &Frame, own: Option<Seat>) -> Option<Heard> {
    let seen = |id: EntityId| now.entity(id).or_else(|| before.entity(id));
    let of = |entity: &Entity, cue: Cue| Some(at(cue, entity.position));
    let middle = |cue: Cue| Some(Heard { cue, pan: 0 });
    match *event {
        Event::Fired { seat, shot } => {
            let cue = seen(shot).map_or(Cue::Shot, fired);
            now.ship(seat).or_else(|| seen(shot)).map_or(middle(cue), |entity| of(entity, cue))
        }
        Event::Spawned { entity } => of(seen(entity)?, spawned(seen(entity)?.kind)?),
        Event::Hit { target, .. } => of(seen(target)?, hit(seen(target)?)?),
        Event::Destroyed { entity, gone: Gone::Destroyed } => {
            let entity = before.entity(entity)?;
            of(entity, destroyed(entity.kind)?)
        }
        Event::Destroyed { gone: Gone::Departed, .. } => None,
        Event::Killed { seat, ship, .. } => {
            let cue = if own.is_none_or(|own| own == seat) { Cue::Death } else { Cue::AllyLost };
            seen(ship).map_or(middle(cue), |entity| of(entity, cue))
        }
        Event::Grabbed { ship, object, side } => {
            let cue = if side.is_some() { Cue::ForceDock } else { item(seen(object).map(|entity| entity.kind)) };
            seen(ship).or_else(|| seen(object)).map_or(middle(cue), |entity| of(entity, cue))
        }
        Event::Dropped { ship, .. } => seen(ship).map_or(middle(Cue::ForceLaunch), |it| of(it, Cue::ForceLaunch)),
        Event::ExtraLife { .. } => middle(Cue::ExtraLife),
        // Those who were there already did not join.
        Event::Joined { seat } if before.tick.0 > 0 && own != Some(seat) => middle(Cue::Join),
        Event::Joined { .. } => None,
        Event::Left { .. } | Event::TimedOut { .. } => middle(Cue::Leave),
        Event::StateChanged { state: GameState::Running } => middle(Cue::StageStart),
        Event::StateChanged { state: GameState::Won } => middle(Cue::StageClear),
        Event::StateChanged { state: GameState::Lost } => middle(Cue::GameOver),
        Event::StateChanged { state: GameState::Waiting | GameState::TimedOut } => None,
    }
}

fn fired(shot: &Entity) -> Cue {
    match shot.kind {
        Kind::Beam => match shot.animation {
            0 => Cue::BeamSmall,
            1 | 2 => Cue::BeamLarge,
            3.. => Cue::BeamFull,
        },
        Kind::RedLaser => Cue::RedLaser,
        Kind::BlueLaser => Cue::BlueLaser,
        Kind::YellowLaser => Cue::YellowLaser,
        Kind::Missile => Cue::Missile,
        // A test asks for a cue of its own for each kind that players fire.
        _ => Cue::Shot,
    }
}

/// What enemies fire is heard as it appears. What players fire has an event of its own, except missiles beside a shot.
fn spawned(kind: Kind) -> Option<Cue> {
    match kind {
        Kind::Missile => Some(Cue::Missile),
        Kind::Bomb => Some(Cue::EnemyBomb),
        Kind::Lance => Some(Cue::EnemyLance),
        other => match other.class() {
            Class::EnemyShot => Some(Cue::EnemyShot),
            Class::Player | Class::Gear | Class::PlayerShot | Class::Item => None,
            Class::Enemy | Class::Boss | Class::Block | Class::Wall | Class::Effect => None,
        },
    }
}

fn hit(target: &Entity) -> Option<Cue> {
    Some(match target.kind.class() {
        Class::Boss if tuning::boss(target.kind).is_some() => Cue::HitArmour,
        Class::Boss if tuning::is_weak_point(target.kind) => match target.animation {
            OPEN | JUST_HURT => Cue::HitCore,
            _ => Cue::HitArmour,
        },
        Class::Enemy if target.animation == SHIELDED => Cue::HitArmour,
        Class::Enemy | Class::Boss | Class::Block => match material(target.kind) {
            Material::Metal => Cue::HitMetal,
            Material::Flesh => Cue::HitFlesh,
            Material::Rock => Cue::HitRock,
        },
        Class::Player | Class::Gear | Class::PlayerShot | Class::EnemyShot => return None,
        Class::Item | Class::Wall | Class::Effect => return None,
    })
}

fn destroyed(kind: Kind) -> Option<Cue> {
    let is_large = kind.size_px().0 >= LARGE_PX;
    Some(match kind.class() {
        Class::Boss if tuning::boss(kind).is_some() => Cue::BossDestroyed,
        // With its weak point the whole boss goes.
        Class::Boss if tuning::is_weak_point(kind) => return None,
        Class::Boss => Cue::PartBreaks,
        Class::Enemy | Class::Block => match material(kind) {
            Material::Rock => Cue::Crumble,
            Material::Flesh if is_large => Cue::BurstLarge,
            Material::Flesh => Cue::BurstSmall,
            Material::Metal if is_large => Cue::ExplosionLarge,
            Material::Metal => Cue::ExplosionSmall,
        },
        // The death of a ship is an event of its own.
        Class::Player | Class::Gear | Class::PlayerShot | Class::EnemyShot => return None,
        Class::Item | Class::Wall | Class::Effect => return None,
    })
}

/// The cue of an item; not every protocol says which one it was.
fn item(kind: Option<Kind>) -> Cue {
    match kind {
        Some(Kind::BlueCrystal) => Cue::ItemBlue,
        Some(Kind::YellowCrystal) => Cue::ItemYellow,
        Some(Kind::MissilePack) => Cue::ItemMissiles,
        Some(Kind::BitPack) => Cue::ItemBit,
        Some(Kind::SpeedUp) => Cue::ItemSpeed,
        // A test asks for a cue of its own for each item.
        Some(_) | None => Cue::ItemRed,
    }
}

#[cfg(test)]
mod tests {
    use game::{EntityId, Vec2};

    use super::*;

    /// The cues of all kinds of a class must differ: one that was forgotten sounds like another.
    fn assert_distinct(class: Class, cue: impl Fn(Kind) -> Cue) {
        let kinds = Kind::ALL.iter().copied().filter(|kind| kind.class() == class);
        let cues: Vec<Cue> = kinds.map(cue).collect();
        for (index, cue) in cues.iter().enumerate() {
            assert!(!cues[..index].contains(cue), "{cue:?} is heard for two kinds of {class:?}");
        }
    }

    #[test]
    fn each_kind_of_shot_and_item_is_heard_as_itself() {
        assert_distinct(Class::PlayerShot, |kind| fired(&Entity::new(EntityId(1), kind, Vec2::new(0, 0))));
        assert_distinct(Class::Item, |kind| item(Some(kind)));
    }
}
