//! Every entity of a Frame, from the back to the front: its image, its colours, and the glow around it.

use game::{Class, Entity, Kind, Seat, ShipModel, Vec2, px, tuning};
use protocol::sheet::Sheet;

use super::{
    effects::{Effects, muzzle_of},
    history::{DYING_BOSS_LIFE, DyingBoss, HIT_STOP, History},
    noise::scatter_at,
    pixel,
};
use crate::draw::{
    View,
    area::Area,
    art::{ART, FORCE_DYES, SEAT_DYES},
    kinds::{Animation, appearance, can_hang},
    palette::{Colour, TABLE},
    picture::{Ink, Picture, steps_of},
    sprite::Sprite,
};

/// From the back to the front. Explosions and enemy shots come after them, so that nothing hides a shot.
const BEHIND: [Class; 3] = [Class::Block, Class::Boss, Class::Enemy];
const BEFORE: [Class; 4] = [Class::Item, Class::PlayerShot, Class::Gear, Class::Player];

/// From the middle of a missile to its engine.
const MISSILE_HALF_PX: i32 = 5;

/// Draws the entities of one view.
pub(super) struct EntityPainter<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) history: &'a mut History,
    pub(super) picture: &'a mut Picture,
}

impl EntityPainter<'_> {
    /// Draws all entities and all effects.
    pub(super) fn draw_all(&mut self, effects: &mut Effects) {
        self.draw_dying_bosses();
        BEHIND.into_iter().for_each(|layer| self.draw_layer(layer));
        effects.draw_smoke(self.picture);
        BEFORE.into_iter().for_each(|layer| self.draw_layer(layer));
        if self.view.look.flashes {
            self.picture.darken(Area::new(0, 0, Picture::WIDTH, Picture::HEIGHT), effects.gloom());
            // Items are there to be seen, most of all by whoever has just lost everything.
            if effects.gloom() > 0 {
                self.draw_layer(Class::Item);
            }
        }
        effects.draw_muzzle_flashes(self.view.frame, self.picture);
        self.draw_layer(Class::Effect);
        effects.draw(self.picture);
        self.draw_layer(Class::EnemyShot);
    }

    fn draw_layer(&mut self, layer: Class) {
        let frame = self.view.frame;
        for entity in frame.entities.iter().filter(|entity| entity.kind.class() == layer && is_near(entity)) {
            match layer {
                Class::Player => self.draw_ship(entity),
                Class::Gear if entity.kind == Kind::Force => self.draw_force(entity),
                Class::Gear | Class::PlayerShot => self.draw_in_seat_colours(entity),
                Class::Item => self.draw_item(entity),
                Class::Enemy | Class::Boss | Class::Block => self.draw_foe(entity),
                Class::Effect => self.draw_explosion(entity),
                Class::EnemyShot => self.draw_enemy_shot(entity),
                // They are drawn as terrain, behind everything.
                Class::Wall => {}
            }
        }
    }

    /// Draws a sprite with its centre at an entity's position.
    fn stamp(&mut self, entity: &Entity, sprite: Option<&Sprite>, ink: Ink) {
        let Some(sprite) = sprite else { return };
        let (x, y) = pixel(entity.position);
        let (left, top) = (x - sprite.width() / 2, y - sprite.height() / 2 + self.sway(entity));
        if is_soft(entity.kind) {
            let tick = self.view.tick as u8;
            let breath = |row: i32| game::units::sine((row as u8).wrapping_add(tick / 2).wrapping_mul(4)) * 3 / 512;
            self.picture.stamp_waving((left, top), sprite, ink, breath);
        } else {
            self.picture.stamp((left, top), sprite, ink);
        }
    }

    /// By how many pixels a limb of a boss is off the place where it is held. Only the picture of it moves.
    fn sway(&self, entity: &Entity) -> i32 {
        let angle = self.view.tick.wrapping_mul(2).wrapping_add(entity.id.0.wrapping_mul(90)) as u8;
        if is_limb(entity.kind) { game::units::sine(angle) * 5 / 512 } else { 0 }
    }

    /// The image that an entity shows now.
    fn sprite(&mut self, entity: &Entity) -> Option<&'static Sprite> {
        let index = self.image_index(entity);
        if self.is_grown(entity) {
            return ART.cyst.get(index % ART.cyst.len().max(1));
        }
        ART.of(entity.kind, index, is_mirrored(entity) || self.hangs(entity))
    }

    /// Whether it is a block in the living cave.
    fn is_grown(&self, entity: &Entity) -> bool {
        let stage = self.view.frame.stage;
        entity.kind == Kind::Block && stage != 0 && stage % 3 == 2
    }

    /// Whether what stands on terrain stands on a ceiling.
    fn hangs(&self, entity: &Entity) -> bool {
        let Some(terrain) = self.view.terrain.filter(|_| can_hang(entity.kind)) else {
            return can_hang(entity.kind) && pixel(entity.position).1 < Picture::HEIGHT / 2;
        };
        let reach = px(entity.kind.size_px().1 / 2 + 6);
        let x = self.view.scroll.saturating_add(entity.position.x.into());
        let solid = |y: i32| terrain.solid_at(x, y);
        let above = entity.position.y.saturating_sub(reach);
        (solid(above) || above < 0) && !solid(entity.position.y.saturating_add(reach))
    }

    fn image_index(&mut self, entity: &Entity) -> usize {
        let tick = self.view.tick;
        match appearance(entity.kind).animation {
            Animation::ByTime => Sheet(entity.kind).picture(entity, tick, 0).into(),
            Animation::WeakPoint => self.weak_point_image(entity),
            Animation::ByState => 0,
        }
    }

    fn weak_point_image(&mut self, entity: &Entity) -> usize {
        // What can be hurt only while it is open is open when it is hurt.
        let is_open = entity.animation == 3 || entity.animation != 0 && entity.kind != Kind::Lancer;
        match (is_open, self.history.ticks_in_state(entity.id, u8::from(is_open), self.view.tick)) {
            (_, 1..8) => 1,
            (true, _) => 2 + (self.view.tick / 12 % 2) as usize,
            (false, _) => 0,
        }
    }

    /// 0 and 1 in turn, each for `ticks_each`; always 0 when flashes are off.
    fn flicker(&self, ticks_each: u32) -> usize {
        if self.view.look.flashes { (self.view.tick / ticks_each % 2) as usize } else { 0 }
    }

    // ---- Ships, gear and shots of players ----

    fn draw_ship(&mut self, ship: &Entity) {
        self.draw_flame(ship);
        let is_invulnerable = (3..6).contains(&ship.animation);
        let is_faint = is_invulnerable && (!self.view.look.flashes || self.view.tick / 4 % 2 == 1);
        let ink = if is_faint { Ink::Sieve } else { Ink::Plain };
        self.stamp(ship, ART.ship(self.model_of(ship), ship.seat, ship.animation % 3), ink);
        if ship.charge > 0 {
            self.draw_charge(ship);
        }
    }

    /// Which ship it is, as far as the dialect says.
    fn model_of(&self, ship: &Entity) -> ShipModel {
        let Some(seat) = ship.seat else { return ShipModel::Arrow };
        self.view.frame.players[seat.index()].map_or(ShipModel::of_seat(seat), |player| player.model)
    }

    /// The flame of the engine, longer when the ship flies ahead.
    fn draw_flame(&mut self, ship: &Entity) {
        let (x, y) = pixel(ship.position);
        let thrust = ship.velocity.x.signum() * 3;
        let length = 5 + thrust + [0, 2, 1, 3][(self.view.tick / 2 % 4) as usize];
        let dye = &SEAT_DYES[seat_index(ship)];
        for (inset, letter) in [(0, b'K'), (1, b'L'), (2, b'M'), (3, b'N')] {
            let colour = Colour::from_number(dye[Colour::of(letter).number() as usize]);
            let reach = length - 2 * inset;
            let (top, height) = if inset > 1 { (y, 1) } else { (y - 1, 2) };
            self.picture.rect(Area::new(x - 14 - reach, top, reach.max(0), height), colour);
        }
    }

    /// The light that gathers in front of a charging ship.
    fn draw_charge(&mut self, ship: &Entity) {
        let (x, y) = pixel(muzzle_of(ship.position));
        let colour = Colour::SEATS[seat_index(ship)];
        let charge = i32::from(ship.charge);
        let is_full = ship.charge == u8::MAX;
        let pulses = is_full && self.view.look.flashes;
        let pulse = if pulses { [0, 1, 2, 1][(self.view.tick / 3 % 4) as usize] } else { 0 };
        let radius = 1 + charge / 50 + pulse;
        self.picture.glow((x, y), radius * 2 + 2, 1);
        if charge >= i32::from(tuning::BEAM_CHARGE_MIN) {
            self.picture.disc((x, y), radius, colour.darker());
            self.picture.disc((x, y), radius - 1, colour);
            self.picture.disc((x, y), radius / 2, Colour::of(b'N'));
        }
        if is_full {
            self.picture.ring((x, y), radius + 3, colour);
        }
    }

    /// Its animation is the level, 1 to 3, plus 4 for a blue crystal or 8 for a yellow one.
    fn draw_force(&mut self, force: &Entity) {
        let level = usize::from(force.animation & 3).clamp(1, 3);
        let crystal = usize::from(force.animation >> 2).min(2);
        let dye = &FORCE_DYES[crystal][seat_index(force)];
        let (x, y) = pixel(force.position);
        self.picture.glow((x, y), 9 + level as i32, 1);
        let image = (level - 1) * 2 + self.flicker(5);
        self.stamp(force, ART.of(Kind::Force, image, false), Ink::Through(dye));
    }

    fn draw_in_seat_colours(&mut self, shot: &Entity) {
        let dye = &SEAT_DYES[seat_index(shot)];
        match shot.kind {
            Kind::Beam => {
                let size = usize::from(shot.animation).min(3);
                let (x, y) = pixel(shot.position);
                self.picture.glow((x, y), 6 + 5 * size as i32, 1);
                self.stamp(shot, ART.of(shot.kind, size * 2 + self.flicker(3), false), Ink::Through(dye));
            }
            Kind::Missile => {
                self.draw_missile_flame(shot);
                self.stamp(shot, ART.of(shot.kind, usize::from(shot.animation), false), Ink::Through(dye));
            }
            Kind::BlueLaser => self.draw_blue_laser(shot),
            _ => {
                let sprite = self.sprite(shot);
                self.stamp(shot, sprite, Ink::Through(dye));
            }
        }
    }

    /// The flame behind a missile, which is short and long in turn.
    fn draw_missile_flame(&mut self, missile: &Entity) {
        let behind = |px: i32| pixel(missile.position - missile.velocity.with_length(game::px(px)));
        let is_long = !(self.view.tick / 3).is_multiple_of(2);
        let colours: &[Colour] = if is_long { &[Colour::GOLD, Colour::GOLD, Colour::RED] } else { &[Colour::GOLD] };
        for (px, colour) in (MISSILE_HALF_PX..).zip(colours) {
            let (x, y) = behind(px);
            self.picture.rect(Area::new(x, y, 2, 1), *colour);
        }
    }

    /// The diagonal ray is drawn falling to the right; the other three directions are mirrored and flipped.
    fn draw_blue_laser(&mut self, ray: &Entity) {
        let ink = Ink::Through(&SEAT_DYES[seat_index(ray)]);
        let first = if ray.velocity.y == 0 { 0 } else { 2 };
        let sprite = ART.of(ray.kind, first + self.flicker(3), is_mirrored(ray));
        if ray.velocity.y < 0 {
            self.stamp(ray, sprite.map(Sprite::flipped).as_ref(), ink);
        } else {
            self.stamp(ray, sprite, ink);
        }
    }

    fn draw_item(&mut self, item: &Entity) {
        let (x, y) = pixel(item.position);
        let radius = 19 + [0, 0, 1, 1, 2, 2, 1, 1][(self.view.tick / 8 % 8) as usize];
        self.picture.glow((x, y), radius, 1);
        self.picture.glow((x, y), radius - 4, 1);
        let sprite = self.sprite(item);
        self.stamp(item, sprite, Ink::Plain);
    }

    // ---- Foes ----

    fn draw_foe(&mut self, foe: &Entity) {
        let sprite = self.sprite(foe);
        if let Some(sprite) = sprite.filter(|_| foe.kind == Kind::Grinder) {
            self.draw_drive(foe, sprite);
        }
        self.stamp(foe, sprite, Ink::Plain);
        let is_weak_point = appearance(foe.kind).animation == Animation::WeakPoint;
        let can_be_hurt = !is_weak_point || foe.animation != 0;
        if can_be_hurt && foe.animation != 2 {
            self.draw_blink(foe, sprite);
        }
        let (x, y) = pixel(foe.position);
        let is_shielded = foe.animation == 2 && foe.kind.class() == Class::Enemy;
        if is_shielded {
            let (width, height) = foe.kind.size_px();
            self.picture.ring((x, y), width.max(height) / 2 + 3, Colour::of(b'm'));
        }
        if foe.kind == Kind::Warden {
            self.draw_reach(x, y);
        }
        if foe.kind == Kind::Mine && foe.animation == 3 {
            self.draw_fuse((x, y));
        }
    }

    /// A mine that is about to burst: its core glows, and a ring closes in on it.
    fn draw_fuse(&mut self, at: (i32, i32)) {
        const RING_MAX: i32 = 14;
        self.picture.glow(at, RING_MAX + 4, 1);
        self.picture.disc(at, 3, Colour::GOLD);
        let closing = if self.view.look.flashes { (self.view.tick % 10) as i32 } else { 0 };
        self.picture.ring(at, RING_MAX - closing, Colour::RED);
    }

    /// What pushes a grinder: a shaft behind each of its drums, and frames that hold them, back to the edge of the field. Without it
    /// the grinder would be a plate that floats in the corridor.
    fn draw_drive(&mut self, grinder: &Entity, sprite: &Sprite) {
        const DRUMS: i32 = 3;
        const SHAFT: &[u8] = b"pqrssrrqqp";
        const FRAME: &[u8] = b"prsrqqp";
        const FRAMES_APART: i32 = 44;
        let (x, y) = pixel(grinder.position);
        let (left, top) = (x - sprite.width() / 2, y - sprite.height() / 2);
        self.picture.darken(Area::new(0, top, left.max(0), sprite.height()), 1);
        let turn = self.view.tick as i32 / 3;
        for drum in 0..DRUMS {
            let shaft_top = top + sprite.height() * (2 * drum + 1) / (2 * DRUMS) - SHAFT.len() as i32 / 2;
            for (row, letter) in (shaft_top..).zip(SHAFT) {
                self.picture.rect(Area::new(0, row, left.max(0), 1), Colour::of(*letter));
                // A thread runs along the shaft as it turns.
                let thread = (0..left).filter(|dx| (dx + row - turn).rem_euclid(12) < 2);
                thread.for_each(|dx| self.picture.plot(dx, row, Colour::of(b'q')));
            }
        }
        let frames = (1..).map(|number| left - number * FRAMES_APART).take_while(|frame| *frame > -FRAMES_APART);
        for (frame, (dx, letter)) in frames.flat_map(|frame| (0..).zip(FRAME).map(move |column| (frame, column))) {
            self.picture.rect(Area::new(frame + dx, top + 2, 1, sprite.height() - 4), Colour::of(*letter));
        }
    }

    /// White for a moment after a hit. When flashes are off it is only lighter, and for longer.
    fn draw_blink(&mut self, foe: &Entity, sprite: Option<&Sprite>) {
        if self.view.look.flashes {
            let is_hurt = foe.animation == 1 || self.history.blinks(foe.id, self.view.tick);
            if is_hurt && (self.view.tick / 2).is_multiple_of(2) {
                // All of something so large in white would be a flash, and hide what it is.
                let lighter = steps_of(&TABLE.lighter, 1);
                let is_huge = foe.kind == Kind::Grinder;
                self.stamp(foe, sprite, if is_huge { Ink::Through(&lighter) } else { Ink::Flat(Colour::PALE) });
            }
        } else if self.history.was_hit(foe.id, self.view.tick, super::history::CALM_BLINK) {
            self.stamp(foe, sprite, Ink::Through(&steps_of(&TABLE.lighter, 1)));
        }
    }

    /// Dots on the circle within which a warden shields others.
    fn draw_reach(&mut self, x: i32, y: i32) {
        let radius = tuning::WARDEN_REACH / game::SUBPIXELS;
        for dot in 0..24u32 {
            let angle = (dot * 256 / 24).wrapping_add(self.view.tick / 2) as u8;
            let dx = radius * game::units::cosine(angle) / 256;
            let dy = radius * game::units::sine(angle) / 256;
            self.picture.plot(x + dx, y + dy, Colour::of(b'l'));
        }
    }

    /// A boss that was just destroyed: at first it is white and still before a darkened field, then it burns, until it
    /// falls to pieces. When flashes are off it is only lighter, and nothing is darkened.
    fn draw_dying_bosses(&mut self) {
        for boss in self.history.dying_bosses.clone() {
            let age = self.view.tick.saturating_sub(boss.since);
            if age < HIT_STOP && self.view.look.flashes {
                self.picture.darken(Area::new(0, 0, Picture::WIDTH, Picture::HEIGHT), 2);
            }
            self.draw_dying_boss(&boss, age);
            self.draw_fireballs(&boss, age);
        }
    }

    /// Explosions one after the other, all over a boss that burns.
    fn draw_fireballs(&mut self, boss: &DyingBoss, age: u32) {
        const EVERY: u32 = 5;
        const LIFE: u32 = 26;
        let (width, height) = boss.kind.size_px();
        let images = ART.len(Kind::BigExplosion);
        for number in 0..DYING_BOSS_LIFE.saturating_sub(LIFE) / EVERY {
            let Some(burning) = age.checked_sub(number * EVERY).filter(|burning| *burning < LIFE) else { continue };
            let chance = scatter_at(number as i32, boss.since as i32, 7);
            let within = |size: i32, bits: u32| px((bits % size.max(1) as u32) as i32 - size / 2);
            let at = boss.position + Vec2::new(within(width, chance), within(height, chance >> 12));
            let (x, y) = pixel(at);
            self.picture.glow((x, y), (LIFE - burning) as i32, 1);
            let image = ART.of(Kind::BigExplosion, burning as usize * images / LIFE as usize, false);
            self.stamp(&Entity::new(game::EntityId(0), Kind::BigExplosion, at), image, Ink::Plain);
        }
    }

    fn draw_dying_boss(&mut self, boss: &DyingBoss, age: u32) {
        let entity = Entity::new(game::EntityId(0), boss.kind, boss.position);
        let dark = steps_of(&TABLE.darker, (age / 40) as u8);
        let ink = match age {
            0..HIT_STOP if self.view.look.flashes => Ink::Flat(Colour::PALE),
            _ => Ink::Through(&dark),
        };
        self.stamp(&entity, ART.of(boss.kind, 0, false), ink);
    }

    // ---- Explosions and enemy shots ----

    fn draw_explosion(&mut self, explosion: &Entity) {
        let life_steps =
            if explosion.kind == Kind::BigExplosion { tuning::BIG_EXPLOSION_LIFE } else { tuning::EXPLOSION_LIFE };
        let life = u32::from(life_steps) / game::units::STEPS_PER_TICK as u32;
        let age = self.history.ticks_in_state(explosion.id, 0, self.view.tick);
        let images = ART.len(explosion.kind);
        let image = (age as usize * images / life as usize).min(images.saturating_sub(1));
        let (x, y) = pixel(explosion.position);
        if age < life / 2 {
            let (width, _) = explosion.kind.size_px();
            self.picture.glow((x, y), width * 2 / 3 - age as i32, 1);
        }
        self.stamp(explosion, ART.of(explosion.kind, image, false), Ink::Plain);
    }

    /// With a dark edge and a halo, so that it stands out from everything.
    fn draw_enemy_shot(&mut self, shot: &Entity) {
        let Some(sprite) = self.sprite(shot) else { return };
        let (x, y) = pixel(shot.position);
        let (left, top) = (x - sprite.width() / 2, y - sprite.height() / 2);
        self.picture.glow((x, y), sprite.height().max(6), 1);
        for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
            self.picture.stamp((left + dx, top + dy), sprite, Ink::Flat(Colour::of(b'c')));
        }
        self.picture.stamp((left, top), sprite, Ink::Plain);
    }
}

/// Whether any of it can be in the picture.
fn is_near(entity: &Entity) -> bool {
    const MARGIN: i32 = 100;
    let (x, y) = pixel(entity.position);
    (-MARGIN..Picture::WIDTH + MARGIN).contains(&x) && (-MARGIN..Picture::HEIGHT + MARGIN).contains(&y)
}

/// Whether it is alive and soft: it breathes.
fn is_soft(kind: Kind) -> bool {
    matches!(kind, Kind::Brood | Kind::Matriarch | Kind::Heart)
}

/// Whether it is a limb of a boss, which sways.
fn is_limb(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::SalvagerClaw
            | Kind::KeeperGun
            | Kind::BroodSac
            | Kind::MatriarchArm
            | Kind::GatehouseGun
            | Kind::HeartCoil
    )
}

/// Whether its image is turned round.
fn is_mirrored(entity: &Entity) -> bool {
    Sheet(entity.kind).facing().is_mirrored(entity.velocity.x)
}

/// What belongs to nobody has the colours of the first seat.
fn seat_index(entity: &Entity) -> usize {
    entity.seat.map_or(0, Seat::index)
}
