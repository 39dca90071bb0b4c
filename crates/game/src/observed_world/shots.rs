//! What an observed world makes of shots, enemy shots, items and effects.

use super::{bounded, is_near, is_predicted, per_step};
use crate::{
    Class, Entity, Frame, Kind, World,
    bullets::Bullet,
    effects::Effect,
    items::Item,
    shot::{Flight, Shot},
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
    let position = bounded(seen.position);
    let is_it = |shot: &&Shot| {
        shot.id == seen.id
            || is_predicted(shot.id) && shot.kind == seen.kind && shot.seat == seat && is_near(shot.position, position)
    };
    let known = old.iter().find(is_it).map(|known| (known.power.max(1), known.flight));
    let (power, flight) = known.or_else(|| power_and_flight(seen))?;
    Some(Shot { id: seen.id, kind: seen.kind, seat, position, velocity: per_step(seen.velocity), power, flight })
}

/// Tells the damage of a shot and how it flies on, from its animation.
type Behaviour = fn(u8) -> (u16, Flight);

/// Every kind of player's shot; a test holds it to that.
const BEHAVIOURS: [(Kind, Behaviour); 6] = [
    (Kind::Shot, |_| (tuning::SHOT_DAMAGE, Flight::Straight)),
    (Kind::Beam, |animation| {
        let size = animation & 3;
        (tuning::BEAMS[usize::from(size)].power, Flight::Beam { size })
    }),
    (Kind::RedLaser, |_| (tuning::RED_DAMAGE[0], Flight::Straight)),
    (Kind::BlueLaser, |_| (tuning::BLUE_DAMAGE[0], Flight::Bounce { left: tuning::BLUE_BOUNCES_MAX })),
    (Kind::YellowLaser, |_| (tuning::YELLOW_DAMAGE[0], Flight::Straight)),
    (Kind::Missile, |animation| {
        let flight = Flight::Seek { angle: animation << 5, turn: None, life: tuning::MISSILE_LIFE };
        (tuning::MISSILE_DAMAGE, flight)
    }),
];

/// The damage of a shot that was not seen to be fired, and how it flies on. What is not a shot has neither.
fn power_and_flight(seen: &Entity) -> Option<(u16, Flight)> {
    let (_, behaviour) = BEHAVIOURS.iter().find(|(kind, _)| *kind == seen.kind)?;
    Some(behaviour(seen.animation))
}

fn bullet(seen: &Entity) -> Bullet {
    let (position, velocity) = (bounded(seen.position), per_step(seen.velocity));
    Bullet { id: seen.id, kind: seen.kind, position, velocity, spent: false }
}

fn item(seen: &Entity) -> Item {
    let (position, velocity) = (bounded(seen.position), per_step(seen.velocity));
    Item { id: seen.id, kind: seen.kind, position, velocity, taken: false }
}

fn effect(seen: &Entity, old: &[Effect]) -> Effect {
    let life = tuning::explosion_life(seen.kind);
    let life = old.iter().find(|effect| effect.id == seen.id).map_or(life, |effect| effect.life.max(1));
    Effect { id: seen.id, kind: seen.kind, position: bounded(seen.position), life }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prediction_knows_how_every_shot_of_a_player_flies() {
        let shots: Vec<Kind> = Kind::ALL.iter().copied().filter(|kind| kind.class() == Class::PlayerShot).collect();
        let is_known = |shot: &Kind| BEHAVIOURS.iter().any(|(kind, _)| kind == shot);
        assert_eq!(shots.len(), BEHAVIOURS.len());
        assert!(shots.iter().all(is_known), "{shots:?}");
    }
}
