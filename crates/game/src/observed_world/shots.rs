//! What an observed world makes of shots, enemy shots, items and effects.

use super::{is_imagined, is_near, pace, place};
use crate::{
    Class, Entity, Frame, Kind, World,
    things::{Bullet, Effect, Flight, Item, Shot},
    tuning::{self, limits},
};

/// Takes over everything that flies and is neither a ship nor a foe.
pub(super) fn adopt(world: &mut World, frame: &Frame) {
    let state = &mut world.state;
    let old = std::mem::take(&mut state.shots);
    let of = |class: Class| frame.entities.iter().filter(move |entity| entity.kind.class() == class);
    state.shots = of(Class::PlayerShot).take(limits::SHOTS).filter_map(|seen| shot(seen, &old)).collect();
    state.bullets = of(Class::EnemyShot).take(limits::BULLETS).map(bullet).collect();
    state.items = of(Class::Item).take(limits::ITEMS).map(item).collect();
    let old = std::mem::take(&mut state.effects);
    state.effects = of(Class::Effect).take(limits::EFFECTS).map(|seen| effect(seen, &old)).collect();
}

fn shot(seen: &Entity, old: &[Shot]) -> Option<Shot> {
    let seat = seen.seat?;
    let position = place(seen.position);
    let is_it = |shot: &&Shot| {
        shot.id == seen.id
            || is_imagined(shot.id) && shot.kind == seen.kind && shot.seat == seat && is_near(shot.position, position)
    };
    let (power, flight) = match old.iter().find(is_it) {
        Some(known) => (known.power.max(1), known.flight),
        None => (power(seen), flight(seen)),
    };
    Some(Shot { id: seen.id, kind: seen.kind, seat, position, velocity: pace(seen.velocity), power, flight })
}

fn power(seen: &Entity) -> u16 {
    match seen.kind {
        Kind::Beam => tuning::BEAMS[usize::from(seen.animation & 3)].power,
        Kind::RedLaser => tuning::RED_DAMAGE[0],
        Kind::BlueLaser => tuning::BLUE_DAMAGE[0],
        Kind::YellowLaser => tuning::YELLOW_DAMAGE[0],
        Kind::Missile => tuning::MISSILE_DAMAGE,
        _ => tuning::SHOT_DAMAGE,
    }
}

/// How a shot that was not seen to be fired flies on.
fn flight(seen: &Entity) -> Flight {
    match seen.kind {
        Kind::Beam => Flight::Beam { size: seen.animation & 3 },
        Kind::BlueLaser => Flight::Bounce { left: tuning::BLUE_BOUNCES_MAX },
        Kind::Missile => Flight::Seek { angle: seen.animation << 5, turn: None, life: tuning::MISSILE_LIFE },
        _ => Flight::Straight,
    }
}

fn bullet(seen: &Entity) -> Bullet {
    let (position, velocity) = (place(seen.position), pace(seen.velocity));
    Bullet { id: seen.id, kind: seen.kind, position, velocity, spent: false }
}

fn item(seen: &Entity) -> Item {
    let (position, velocity) = (place(seen.position), pace(seen.velocity));
    Item { id: seen.id, kind: seen.kind, position, velocity, taken: false }
}

fn effect(seen: &Entity, old: &[Effect]) -> Effect {
    let life = if seen.kind == Kind::BigExplosion { tuning::BIG_EXPLOSION_LIFE } else { tuning::EXPLOSION_LIFE };
    let life = old.iter().find(|effect| effect.id == seen.id).map_or(life, |effect| effect.life.max(1));
    Effect { id: seen.id, kind: seen.kind, position: place(seen.position), life }
}
