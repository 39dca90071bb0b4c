//! Every entity of a Frame, from the back to the front: which picture it has, how it is dyed, and what glows about it.

use game::{Class, Entity, Kind, Seat, tuning};

use super::{
    effects::{Effects, FIRE, muzzle_of},
    history::{DYING_BOSS_LIFE, DyingBoss, HIT_STOP, History},
    pixel,
};
use crate::draw::{
    View,
    art::{ART, FORCE_DYES, SEAT_DYES},
    palette::{Colour, TABLE},
    picture::{Ink, Picture, steps_of},
    sprite::Sprite,
};

/// From the back to the front, shots of enemies before everything.
const LAYERS: [Class; 7] =
    [Class::Block, Class::Item, Class::Boss, Class::Enemy, Class::PlayerShot, Class::Gear, Class::Player];

/// Draws all entities and all effects.
pub(super) fn draw_all(view: &View, history: &mut History, effects: &mut Effects, picture: &mut Picture) {
    let entities = &view.frame.entities;
    draw_dying_bosses(view, history, effects, picture);
    for layer in LAYERS {
        for entity in entities.iter().filter(|entity| entity.kind.class() == layer && is_near(entity)) {
            draw_one(entity, view, history, picture);
        }
    }
    effects.draw_muzzle_flashes(view.frame, picture);
    for effect in entities.iter().filter(|entity| entity.kind.class() == Class::Effect && is_near(entity)) {
        draw_explosion(effect, view, history, picture);
    }
    effects.draw(picture);
    for shot in entities.iter().filter(|entity| entity.kind.class() == Class::EnemyShot && is_near(entity)) {
        draw_enemy_shot(shot, view, picture);
    }
}

/// Whether any of it can be in the picture.
fn is_near(entity: &Entity) -> bool {
    const MARGIN: i32 = 100;
    let (x, y) = pixel(entity.position);
    (-MARGIN..Picture::WIDTH + MARGIN).contains(&x) && (-MARGIN..Picture::HEIGHT + MARGIN).contains(&y)
}

fn draw_one(entity: &Entity, view: &View, history: &mut History, picture: &mut Picture) {
    match entity.kind {
        Kind::Player => draw_ship(entity, view, picture),
        Kind::Force => draw_force(entity, view, picture),
        kind if kind.class() == Class::PlayerShot || kind == Kind::Bit => draw_dyed(entity, view, picture),
        kind if kind.class() == Class::Item => draw_item(entity, view, picture),
        _ => draw_foe(entity, view, history, picture),
    }
}

/// Puts a sprite's middle at an entity's place.
fn stamp(entity: &Entity, sprite: Option<&Sprite>, ink: Ink, picture: &mut Picture) {
    let Some(sprite) = sprite else { return };
    let (x, y) = pixel(entity.position);
    picture.stamp(x - sprite.width() / 2, y - sprite.height() / 2, sprite, ink);
}

/// The picture that an ordinary entity shows now; neighbours are not in step.
fn phase(entity: &Entity, tick: u32, ticks_each: u32) -> usize {
    (tick.wrapping_add(entity.id.0.wrapping_mul(5)) / ticks_each) as usize
}

// ---- Ships and what belongs to them ----

fn draw_ship(ship: &Entity, view: &View, picture: &mut Picture) {
    let (x, y) = pixel(ship.position);
    let seat = ship.seat.map_or(0, Seat::index);
    draw_flame(ship, x, y, view, picture);
    let is_untouchable = (3..6).contains(&ship.animation);
    let is_faint = is_untouchable && (!view.look.flashes || view.tick / 4 % 2 == 1);
    let ink = if is_faint { Ink::Sieve } else { Ink::Plain };
    stamp(ship, ART.ship(ship.seat, ship.animation % 3), ink, picture);
    if ship.charge > 0 {
        draw_charge(ship, Colour::SEATS[seat], view, picture);
    }
}

/// The flame of the engine, longer when the ship flies ahead.
fn draw_flame(ship: &Entity, x: i32, y: i32, view: &View, picture: &mut Picture) {
    let thrust = ship.velocity.x.signum() * 3;
    let length = 5 + thrust + [0, 2, 1, 3][(view.tick / 2 % 4) as usize];
    let dye = &SEAT_DYES[ship.seat.map_or(0, Seat::index)];
    for (inset, letter) in [(0, b'K'), (1, b'L'), (2, b'M'), (3, b'N')] {
        let colour = Colour::from_number(dye[Colour::of(letter).number() as usize]);
        let reach = length - 2 * inset;
        picture.rect(x - 14 - reach, y - 1 + i32::from(inset > 1), reach.max(0), if inset > 1 { 1 } else { 2 }, colour);
    }
}

/// The light that gathers before a ship's muzzle.
fn draw_charge(ship: &Entity, colour: Colour, view: &View, picture: &mut Picture) {
    let (x, y) = pixel(muzzle_of(ship.position));
    let charge = i32::from(ship.charge);
    let is_full = ship.charge == u8::MAX;
    let pulse = if is_full && view.look.flashes { [0, 1, 2, 1][(view.tick / 3 % 4) as usize] } else { 0 };
    let radius = 1 + charge / 50 + pulse;
    picture.glow(x, y, radius * 2 + 2, 1);
    if charge >= i32::from(tuning::BEAM_CHARGE_MIN) {
        picture.disc(x, y, radius, colour.darker());
        picture.disc(x, y, radius - 1, colour);
        picture.disc(x, y, radius / 2, Colour::of(b'N'));
    }
    if is_full {
        picture.ring(x, y, radius + 3, colour);
    }
}

/// Animation: the level, 1 to 3, and 4 more for blue, 8 for yellow.
fn draw_force(force: &Entity, view: &View, picture: &mut Picture) {
    let level = usize::from(force.animation & 3).clamp(1, 3);
    let crystal = usize::from(force.animation >> 2).min(2);
    let dye = &FORCE_DYES[crystal][force.seat.map_or(0, Seat::index)];
    let (x, y) = pixel(force.position);
    picture.glow(x, y, 9 + level as i32, 1);
    let flicker = if view.look.flashes { (view.tick / 5 % 2) as usize } else { 0 };
    let frame = (level - 1) * 2 + flicker;
    stamp(force, ART.of(Kind::Force, frame, false), Ink::Through(dye), picture);
}

fn draw_dyed(shot: &Entity, view: &View, picture: &mut Picture) {
    let flicker = if view.look.flashes { (view.tick / 3 % 2) as usize } else { 0 };
    let (x, y) = pixel(shot.position);
    let frame = match shot.kind {
        Kind::Beam => {
            let size = usize::from(shot.animation).min(3);
            picture.glow(x, y, 6 + 5 * size as i32, 1);
            size * 2 + flicker
        }
        Kind::Missile => usize::from(shot.animation),
        Kind::BlueLaser if shot.velocity.y != 0 => 2 + flicker,
        Kind::BlueLaser => flicker,
        _ => phase(shot, view.tick, 3),
    };
    let sprite = ART.of(shot.kind, frame, shot.velocity.x < 0);
    let dye = &SEAT_DYES[shot.seat.map_or(0, Seat::index)];
    // The diagonal ray is drawn falling to the right.
    if shot.kind == Kind::BlueLaser && shot.velocity.y < 0 {
        stamp(shot, sprite.map(Sprite::flipped).as_ref(), Ink::Through(dye), picture);
    } else {
        stamp(shot, sprite, Ink::Through(dye), picture);
    }
}

fn draw_item(item: &Entity, view: &View, picture: &mut Picture) {
    let (x, y) = pixel(item.position);
    let radius = 10 + [0, 0, 1, 1, 2, 2, 1, 1][(view.tick / 8 % 8) as usize];
    picture.glow(x, y, radius, 1);
    stamp(item, ART.of(item.kind, phase(item, view.tick, 9), false), Ink::Plain, picture);
}

// ---- Enemies ----

fn draw_foe(foe: &Entity, view: &View, history: &mut History, picture: &mut Picture) {
    let frame = foe_frame(foe, view, history);
    let sprite = ART.of(foe.kind, frame, is_mirrored(foe));
    stamp(foe, sprite, Ink::Plain, picture);
    let can_be_hurt = !is_weak_point(foe.kind) || foe.animation != 0;
    if can_be_hurt && foe.animation != 2 {
        draw_blink(foe, sprite, view, history, picture);
    }
    let (x, y) = pixel(foe.position);
    if foe.animation == 2 && foe.kind.class() == Class::Enemy {
        let (width, height) = foe.kind.size_px();
        picture.ring(x, y, width.max(height) / 2 + 3, Colour::of(b'm'));
    }
    if foe.kind == Kind::Warden {
        draw_reach(x, y, view.tick, picture);
    }
}

/// White for a moment after a hit; only lighter, and for longer, when flashes are off.
fn draw_blink(foe: &Entity, sprite: Option<&Sprite>, view: &View, history: &History, picture: &mut Picture) {
    if view.look.flashes {
        let is_hurt = foe.animation == 1 || history.blinks(foe.id, view.tick);
        if is_hurt && (view.tick / 2).is_multiple_of(2) {
            stamp(foe, sprite, Ink::Flat(Colour::PALE), picture);
        }
    } else if history.struck(foe.id, view.tick, super::history::CALM_BLINK) {
        stamp(foe, sprite, Ink::Through(&steps_of(&TABLE.lighter, 1)), picture);
    }
}

/// Dots on the circle within which a warden shields others.
fn draw_reach(x: i32, y: i32, tick: u32, picture: &mut Picture) {
    let radius = tuning::WARDEN_REACH / game::SUBPIXELS;
    for dot in 0..24u32 {
        let angle = (dot * 256 / 24).wrapping_add(tick / 2) as u8;
        let dx = radius * game::units::cosine(angle) / 256;
        let dy = radius * game::units::sine(angle) / 256;
        picture.plot(x + dx, y + dy, Colour::of(b'l'));
    }
}

fn is_weak_point(kind: Kind) -> bool {
    tuning::BOSSES.iter().any(|boss| boss.parts[0].0 == kind)
}

/// Drawn looking left, except for the chaser, which comes from behind.
fn is_mirrored(foe: &Entity) -> bool {
    match foe.kind {
        Kind::Chaser => foe.velocity.x < 0,
        _ => foe.velocity.x > 0,
    }
}

fn foe_frame(foe: &Entity, view: &View, history: &mut History) -> usize {
    match foe.kind {
        Kind::Block => foe.id.0 as usize,
        kind if is_weak_point(kind) => {
            let is_open = foe.animation != 0;
            let since = history.lasting(foe.id, u8::from(is_open), view.tick);
            match (is_open, since) {
                (_, 1..8) => 1,
                (true, _) => 2 + (view.tick / 12 % 2) as usize,
                (false, _) => 0,
            }
        }
        Kind::Salvager | Kind::Keeper => (view.tick / 24) as usize,
        _ => phase(foe, view.tick, 7),
    }
}

/// A dead boss: white and still before a darkened field at first, then it glows, burns and goes to pieces. When flashes are
/// off, it is only lighter, and nothing is darkened.
fn draw_dying_bosses(view: &View, history: &History, effects: &mut Effects, picture: &mut Picture) {
    for dying_boss in &history.dying_bosses {
        let age = view.tick.saturating_sub(dying_boss.since);
        if age < HIT_STOP && view.look.flashes {
            picture.darken(0, 0, Picture::WIDTH, Picture::HEIGHT, 2);
        }
        draw_dying_boss(dying_boss, age, view, picture);
        if age > HIT_STOP && age.is_multiple_of(6) {
            let (width, height) = dying_boss.kind.size_px();
            effects.burst_within(dying_boss.position, (width / 2, height / 2), 14, FIRE);
        }
    }
}

fn draw_dying_boss(dying_boss: &DyingBoss, age: u32, view: &View, picture: &mut Picture) {
    let entity = Entity::new(game::EntityId(0), dying_boss.kind, dying_boss.position);
    let sprite = ART.of(dying_boss.kind, 0, false);
    let dark = steps_of(&TABLE.darker, (age / 20) as u8);
    let ink = match age {
        0..HIT_STOP if view.look.flashes => Ink::Flat(Colour::PALE),
        _ if age < DYING_BOSS_LIFE * 2 / 3 => Ink::Through(&dark),
        _ => Ink::Sieve,
    };
    stamp(&entity, sprite, ink, picture);
}

// ---- Explosions and shots of enemies ----

fn draw_explosion(effect: &Entity, view: &View, history: &mut History, picture: &mut Picture) {
    let life_steps =
        if effect.kind == Kind::BigExplosion { tuning::BIG_EXPLOSION_LIFE } else { tuning::EXPLOSION_LIFE };
    let life = u32::from(life_steps) / game::units::STEPS_PER_TICK as u32;
    let age = history.lasting(effect.id, 0, view.tick);
    let frames = ART.len(effect.kind);
    let frame = (age as usize * frames / life as usize).min(frames.saturating_sub(1));
    let (x, y) = pixel(effect.position);
    if age < life / 2 {
        let (width, _) = effect.kind.size_px();
        picture.glow(x, y, width * 2 / 3 - age as i32, 1);
    }
    stamp(effect, ART.of(effect.kind, frame, false), Ink::Plain, picture);
}

/// With a dark edge and a halo, so that it shows before anything.
fn draw_enemy_shot(shot: &Entity, view: &View, picture: &mut Picture) {
    let Some(sprite) = ART.of(shot.kind, phase(shot, view.tick, 6), shot.velocity.x > 0) else { return };
    let (x, y) = pixel(shot.position);
    let (left, top) = (x - sprite.width() / 2, y - sprite.height() / 2);
    picture.glow(x, y, sprite.height().max(6), 1);
    for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
        picture.stamp(left + dx, top + dy, sprite, Ink::Flat(Colour::of(b'c')));
    }
    picture.stamp(left, top, sprite, Ink::Plain);
}
