//! How players' shots fly: straight, entwined, reflected, crawling, homing.

use crate::{
    Kind, Side, Vec2, World,
    shot::{Flight, Heading, QuarterTurn, Shot},
    tuning,
    units::{cosine, sine},
};

/// Moves every shot of the players by one step.
pub(crate) fn fly(world: &mut World) {
    let mut shots = std::mem::take(&mut world.state.shots);
    for shot in &mut shots {
        match shot.flight {
            Flight::Straight | Flight::Beam { .. } => fly_straight(world, shot),
            Flight::Strand { .. } => wind(world, shot),
            Flight::Bounce { .. } => reflect(world, shot),
            Flight::Fall { .. } => fall(world, shot),
            Flight::Crawl { .. } => crawl(world, shot),
            Flight::Seek { .. } => seek(world, shot),
        }
    }
    world.state.shots = shots;
}

fn fly_straight(world: &World, shot: &mut Shot) {
    shot.position += shot.velocity;
    end_in_terrain(world, shot);
}

fn end_in_terrain(world: &World, shot: &mut Shot) {
    if world.is_terrain(shot.position) {
        shot.power = 0;
    }
}

/// The red laser: its two strands swing about the same height, half a turn apart.
fn wind(world: &World, shot: &mut Shot) {
    let Flight::Strand { base_y, angle } = &mut shot.flight else { return };
    *angle = angle.wrapping_add(tuning::RED_SWING.winding);
    let y = *base_y + tuning::RED_SWING.height(*angle);
    shot.velocity.y = y - shot.position.y;
    shot.position += shot.velocity;
    end_in_terrain(world, shot);
}

/// The blue laser: each axis reflects on its own.
fn reflect(world: &World, shot: &mut Shot) {
    let Flight::Bounce { left } = &mut shot.flight else { return };
    let mut bounced = false;
    let across = shot.position + Vec2::new(shot.velocity.x, 0);
    if world.is_terrain(across) {
        shot.velocity.x = -shot.velocity.x;
        bounced = true;
    } else {
        shot.position = across;
    }
    let along = shot.position + Vec2::new(0, shot.velocity.y);
    if world.is_terrain(along) {
        shot.velocity.y = -shot.velocity.y;
        bounced = true;
    } else {
        shot.position = along;
    }
    if bounced {
        match left.checked_sub(1) {
            Some(fewer) => *left = fewer,
            None => shot.power = 0,
        }
    }
}

/// The yellow laser before it has found ceiling or floor.
fn fall(world: &World, shot: &mut Shot) {
    let Flight::Fall { forward, life } = shot.flight else { return };
    if world.is_ground(shot.position) {
        shot.power = 0;
        return;
    }
    let next = shot.position + shot.velocity;
    if !world.is_ground(next) {
        shot.position = next;
        shot.flight = Flight::Fall { forward, life };
        age(shot);
        return;
    }
    let heading = match forward {
        Side::Front => Heading::Right,
        Side::Back => Heading::Left,
    };
    // The wall that was hit is where the flame was going: down is clockwise of right.
    let below = shot.velocity.y > 0;
    let wall =
        if below == (heading == Heading::Right) { QuarterTurn::Clockwise } else { QuarterTurn::Counterclockwise };
    shot.flight = Flight::Crawl { heading, wall, life };
}

/// The yellow laser on the ground: it follows the wall at its side round every corner.
fn crawl(world: &World, shot: &mut Shot) {
    let Flight::Crawl { heading, wall, life } = shot.flight else { return };
    let from = shot.position;
    shot.position.x -= world.state.scrolled;
    let unit = heading.unit();
    let ahead = shot.position + Vec2::new(unit.x * tuning::YELLOW_SPEED, unit.y * tuning::YELLOW_SPEED);
    let heading = if world.is_ground(ahead) {
        heading.turned(wall.opposite())
    } else {
        shot.position = ahead;
        let side = heading.turned(wall).unit();
        let beside = ahead + Vec2::new(side.x * tuning::YELLOW_REACH, side.y * tuning::YELLOW_REACH);
        if world.is_ground(beside) { heading } else { heading.turned(wall) }
    };
    shot.velocity = shot.position - from;
    shot.flight = Flight::Crawl { heading, wall, life };
    age(shot);
}

/// The missile: turns towards the nearest thing that it can hurt. Where that is, it looks only now and then.
fn seek(world: &World, shot: &mut Shot) {
    let Flight::Seek { angle, turn, life } = shot.flight else { return };
    let looks = life.is_multiple_of(tuning::MISSILE_LOOK_EVERY);
    let turn = if looks { turn_to_target(world, shot.position, angle) } else { turn };
    let angle = match turn {
        Some(QuarterTurn::Clockwise) => angle.wrapping_add(tuning::MISSILE_TURN),
        Some(QuarterTurn::Counterclockwise) => angle.wrapping_sub(tuning::MISSILE_TURN),
        None => angle,
    };
    shot.velocity = Vec2::new(tuning::MISSILE_SPEED * cosine(angle) / 256, tuning::MISSILE_SPEED * sine(angle) / 256);
    shot.flight = Flight::Seek { angle, turn, life };
    fly_straight(world, shot);
    age(shot);
}

fn turn_to_target(world: &World, from: Vec2, angle: u8) -> Option<QuarterTurn> {
    let targets = world.state.foes.iter().filter(|foe| foe.is_vulnerable() && foe.kind != Kind::Block);
    let ways = targets.map(|foe| foe.position - from);
    turn_towards(angle, ways.min_by_key(|way| way.length_squared_px())?)
}

/// Which way to turn from an angle to a direction.
fn turn_towards(angle: u8, direction: Vec2) -> Option<QuarterTurn> {
    let (x, y) = (i64::from(direction.x), i64::from(direction.y));
    let (cos, sin) = (i64::from(cosine(angle)), i64::from(sine(angle)));
    // The cross product says on which side the target is, the dot product whether it is behind.
    let (cross, dot) = (cos * y - sin * x, cos * x + sin * y);
    match cross {
        1.. => Some(QuarterTurn::Clockwise),
        0 if dot < 0 => Some(QuarterTurn::Clockwise),
        0 => None,
        _ => Some(QuarterTurn::Counterclockwise),
    }
}

/// Counts down the life of a shot that has one.
fn age(shot: &mut Shot) {
    let (Flight::Fall { life, .. } | Flight::Crawl { life, .. } | Flight::Seek { life, .. }) = &mut shot.flight else {
        return;
    };
    *life = life.saturating_sub(1);
    if *life == 0 {
        shot.power = 0;
    }
}
