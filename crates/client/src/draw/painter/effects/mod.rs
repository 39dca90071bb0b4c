//! Effects: particles, pieces, smoke, rings and muzzle flashes that fade, and the shaking of the picture. Everything is in
//! sub-pixels and ticks, limited in number, and rolled with dice that are not the game's.

mod materials;
mod particles;
mod pieces;

use game::{Dice, Frame, Kind, SUBPIXELS, Seat, Vec2, px, units};

pub(super) use self::{materials::Material, pieces::Shatter};
use self::{
    particles::{Particle, Particles},
    pieces::Pieces,
};
use super::pixel;
use crate::draw::{area::Area, palette::Colour, picture::Picture, sprite::Sprite};

/// The most rings at once.
const RINGS_MAX: usize = 32;
/// The most puffs of smoke at once.
const PUFFS_MAX: usize = 48;
/// The most bursts that are still to come.
const LATER_MAX: usize = 64;
/// Muzzle flashes at once.
const MUZZLE_FLASHES_MAX: usize = 16;
/// Ticks for which a muzzle flash lasts.
const MUZZLE_FLASH_LIFE: u8 = 4;
/// Ticks for which everything is darker when the player's own ship is lost.
const MOURNING_TICKS: u8 = 30;

/// The colours of a particle from its beginning to its end.
pub(super) type Fade = &'static [u8];
pub(super) const FIRE: Fade = b"zoonnfeedcbw";
/// Sparks of metal that was hit.
pub(super) const STEEL: Fade = b"zIHGFE";
pub(super) const SMOKE: Fade = b"dcxxxwww";
/// By seat: what comes from a ship.
pub(super) const SEAT_FADES: [Fade; 4] = [b"zNMMLLKJ", b"zNRRQQPO", b"zVVUUTTS", b"zZZYYXXW"];

/// Particles that fly apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    pub(super) count: u32,
    /// The speed of the fastest, in pixels a second.
    pub(super) speed_px: i32,
    pub(super) fade: Fade,
}

/// A ring that grows and fades.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shockwave {
    /// Pixels by which it grows in four ticks.
    pub(super) pace: u8,
    pub(super) life: u8,
    pub(super) fade: Fade,
}

#[derive(Clone, Copy, Debug)]
struct PlacedRing {
    centre: Vec2,
    age: u8,
    ring: Shockwave,
}

/// A ball of smoke that swells and thins out.
#[derive(Clone, Copy, Debug)]
struct Puff {
    centre: Vec2,
    radius_px: u8,
    age: u8,
    life: u8,
}

#[derive(Clone, Copy, Debug)]
struct MuzzleFlash {
    seat: Seat,
    kind: Kind,
    age: u8,
}

/// A part of an explosion that comes after its beginning.
#[derive(Clone, Copy, Debug)]
struct Later {
    ticks: u8,
    at: Vec2,
    burst: Burst,
}

/// All effects that are seen now.
#[derive(Clone, Debug)]
pub(super) struct Effects {
    particles: Particles,
    pieces: Pieces,
    rings: Vec<PlacedRing>,
    puffs: Vec<Puff>,
    later: Vec<Later>,
    muzzle_flashes: Vec<MuzzleFlash>,
    /// Ticks for which the picture still shakes.
    shake_ticks: u8,
    /// Ticks for which it is still darker.
    mourning_ticks: u8,
    dice: Dice,
}

impl Default for Effects {
    fn default() -> Self {
        Effects {
            particles: Particles::default(),
            pieces: Pieces::default(),
            rings: Vec::new(),
            puffs: Vec::new(),
            later: Vec::new(),
            muzzle_flashes: Vec::new(),
            shake_ticks: 0,
            mourning_ticks: 0,
            dice: Dice::new(0x5ba4),
        }
    }
}

impl Effects {
    pub(super) fn clear(&mut self) {
        *self = Effects { dice: self.dice.clone(), ..Effects::default() };
    }

    pub(super) fn shake_ticks(&self) -> u8 {
        self.shake_ticks
    }

    /// Shakes the picture for this many ticks; if it shakes already, the longer time counts.
    pub(super) fn shake_for(&mut self, ticks: u8) {
        self.shake_ticks = self.shake_ticks.max(ticks);
    }

    /// The player's own ship is lost.
    pub(super) fn mourn(&mut self) {
        self.mourning_ticks = MOURNING_TICKS;
    }

    /// By how many steps the field is darker.
    pub(super) fn gloom(&self) -> u8 {
        u8::from(self.mourning_ticks > 0)
    }

    /// Particles that fly from a point in all directions.
    pub(super) fn burst(&mut self, at: Vec2, Burst { count, speed_px, fade }: Burst) {
        for _ in 0..count {
            let velocity = self.way(speed_px);
            let life = 8 + self.dice.below(18) as u8;
            let size = 1 + u8::from(self.dice.below(4) == 0);
            self.particles.add(Particle { life, size, ..Particle::new(at, velocity, fade) });
        }
    }

    /// What flies off when something of that material is hit from the left.
    pub(super) fn sparks(&mut self, at: Vec2, material: Material) {
        for _ in 0..material.sparks() {
            let fade = material.fade(self.dice.below(3));
            let Vec2 { x, y } = self.way(material.speed_px());
            // Most of it flies back to where the shot came from.
            let velocity = Vec2::new(x / 2 - x.abs() / 2, y);
            let life = 6 + self.dice.below(12) as u8;
            let weight = material.weight();
            self.particles.add(Particle { life, weight, ..Particle::new(at, velocity, fade) });
        }
    }

    fn way(&mut self, speed_px: i32) -> Vec2 {
        let angle = self.dice.below(256) as u8;
        let pace = self.dice.between(speed_px / 5, speed_px) * SUBPIXELS / units::TICKS_PER_SECOND;
        Vec2::new(pace * units::cosine(angle) / 256, pace * units::sine(angle) / 256)
    }

    /// A burst with a ring, somewhere within `reach` of a point.
    pub(super) fn burst_within(&mut self, at: Vec2, reach: (i32, i32), burst: Burst) {
        let at = self.near(at, reach);
        self.burst(at, burst);
        self.ring(at, Shockwave { pace: 5, life: 12, fade: burst.fade });
    }

    /// Smaller bursts around a point, one after the other, and smoke that stays.
    pub(super) fn aftermath(&mut self, at: Vec2, reach: (i32, i32), bursts: u8) {
        for number in 0..bursts {
            let place = self.near(at, reach);
            let burst = Burst { count: 7, speed_px: 80, fade: FIRE };
            if self.later.len() < LATER_MAX {
                self.later.push(Later { ticks: 3 + number * 4, at: place, burst });
            }
            self.puff(place, 3 + reach.0.clamp(4, 40) as u8 / 5);
        }
    }

    fn near(&mut self, at: Vec2, (width, height): (i32, i32)) -> Vec2 {
        let x = at.x.saturating_add(px(self.dice.between(-width, width)));
        let y = at.y.saturating_add(px(self.dice.between(-height, height)));
        Vec2::new(x, y)
    }

    fn puff(&mut self, centre: Vec2, radius_px: u8) {
        if self.puffs.len() < PUFFS_MAX {
            let life = 22 + self.dice.below(16) as u8;
            self.puffs.push(Puff { centre, radius_px, age: 0, life });
        }
    }

    /// An image that falls to pieces.
    pub(super) fn shatter(&mut self, at: Vec2, image: &Sprite, shatter: Shatter) {
        self.pieces.shatter(at, image, shatter, &mut self.dice);
    }

    /// A ring that grows around a point.
    pub(super) fn ring(&mut self, centre: Vec2, ring: Shockwave) {
        if self.rings.len() < RINGS_MAX {
            self.rings.push(PlacedRing { centre, age: 0, ring });
        }
    }

    /// A flash at the muzzle of a ship.
    pub(super) fn muzzle_flash(&mut self, seat: Seat, kind: Kind) {
        self.muzzle_flashes.retain(|muzzle| muzzle.seat != seat);
        if self.muzzle_flashes.len() < MUZZLE_FLASHES_MAX {
            self.muzzle_flashes.push(MuzzleFlash { seat, kind, age: 0 });
        }
    }

    /// One tick passes.
    pub(super) fn fly(&mut self) {
        self.particles.fly();
        self.pieces.fly();
        self.rings.iter_mut().for_each(|ring| ring.age += 1);
        self.rings.retain(|placed| placed.age < placed.ring.life);
        self.puffs.iter_mut().for_each(|puff| puff.age += 1);
        self.puffs.retain(|puff| puff.age < puff.life);
        self.muzzle_flashes.iter_mut().for_each(|muzzle| muzzle.age += 1);
        self.muzzle_flashes.retain(|muzzle| muzzle.age < MUZZLE_FLASH_LIFE);
        self.shake_ticks = self.shake_ticks.saturating_sub(1);
        self.mourning_ticks = self.mourning_ticks.saturating_sub(1);
        self.later.iter_mut().for_each(|later| later.ticks = later.ticks.saturating_sub(1));
        for Later { at, burst, .. } in self.later.extract_if(.., |later| later.ticks == 0).collect::<Vec<_>>() {
            self.burst(at, burst);
        }
    }

    /// Specks fly to the muzzle of every ship that charges, and stay behind beams and missiles.
    pub(super) fn gather(&mut self, frame: &Frame) {
        let ships = frame.entities.iter().filter(|entity| entity.kind == Kind::Player && entity.charge > 0);
        for ship in ships.take(8) {
            let Some(seat) = ship.seat else { continue };
            let angle = self.dice.below(256) as u8;
            let way = px(12 + i32::from(ship.charge) / 24);
            let from = Vec2::new(way * units::cosine(angle) / 256, way * units::sine(angle) / 256);
            let nose = muzzle_of(ship.position);
            let position = Vec2::new(nose.x.saturating_add(from.x), nose.y.saturating_add(from.y));
            let velocity = Vec2::new(ship.velocity.x.clamp(-2000, 2000) - from.x / 9, -from.y / 9);
            self.particles.add(Particle { life: 10, ..Particle::new(position, velocity, SEAT_FADES[seat.index()]) });
        }
        let trailing = frame.entities.iter().filter(|entity| matches!(entity.kind, Kind::Beam | Kind::Missile));
        for shot in trailing.take(24) {
            let (specks, spread, fade) = match shot.kind {
                Kind::Beam => {
                    (1 + u32::from(shot.animation.min(3)), 2 + 3 * i32::from(shot.animation.min(3)), shot.seat)
                }
                _ => (1, 1, None),
            };
            let fade = fade.map_or(SMOKE, |seat| SEAT_FADES[seat.index()]);
            for _ in 0..specks {
                let tail = Vec2::new(shot.position.x.saturating_sub(px(3 * spread)), shot.position.y);
                let position = self.near(tail, (spread, spread));
                let velocity = Vec2::new(shot.velocity.x.clamp(-2000, 2000) / 8, 0);
                self.particles.add(Particle { life: 14, ..Particle::new(position, velocity, fade) });
            }
        }
    }

    /// A boss burns: after a third of its health is gone, and more after two.
    pub(super) fn smoulder(&mut self, frame: &Frame) {
        let Some((boss, hull)) = frame.boss().and_then(|boss| Some((boss, frame.entity(boss.hull)?))) else { return };
        let every = match boss.phase {
            0 => return,
            1 => 14,
            _ => 5,
        };
        if self.dice.below(every) == 0 {
            let (width, height) = hull.kind.size_px();
            let at = self.near(hull.position, (width / 3, height / 3));
            self.puff(at, 4);
            self.burst(at, Burst { count: 3, speed_px: 50, fade: FIRE });
        }
    }

    /// Draws what lies behind the light: smoke and pieces.
    pub(super) fn draw_smoke(&self, picture: &mut Picture) {
        for puff in &self.puffs {
            let (x, y) = pixel(puff.centre);
            let radius = i32::from(puff.radius_px) + i32::from(puff.age) / 5;
            let colour = faded(b"qxxwwwD", puff.age, puff.life);
            picture.haze((x, y - i32::from(puff.age) / 6), radius, colour);
        }
        self.pieces.draw(picture);
    }

    /// Draws rings and particles.
    pub(super) fn draw(&self, picture: &mut Picture) {
        for &PlacedRing { centre, age, ring: Shockwave { pace, life, fade } } in &self.rings {
            let (x, y) = pixel(centre);
            let radius = 2 + i32::from(age) * i32::from(pace) / 4;
            picture.ring((x, y), radius, faded(fade, age, life));
            if age < life / 2 {
                picture.ring((x, y), radius - 1, faded(fade, age, life));
            }
        }
        self.particles.draw(picture);
    }

    /// Draws the muzzle flashes of the ships that still exist.
    pub(super) fn draw_muzzle_flashes(&self, frame: &Frame, picture: &mut Picture) {
        for muzzle in &self.muzzle_flashes {
            let Some(ship) = frame.ship(muzzle.seat) else { continue };
            let (x, y) = pixel(muzzle_of(ship.position));
            let reach = if muzzle.kind == Kind::Beam { 11 } else { 5 } - i32::from(muzzle.age) * 2;
            let fade = SEAT_FADES[muzzle.seat.index()];
            let (inner, outer) =
                (faded(fade, muzzle.age, MUZZLE_FLASH_LIFE), faded(fade, muzzle.age + 1, MUZZLE_FLASH_LIFE));
            picture.glow((x, y), reach + 2, 1);
            picture.rect(Area::new(x - reach / 2, y, reach * 2, 1), outer);
            picture.rect(Area::new(x, y - reach / 2, 1, reach + 1), outer);
            picture.disc((x, y), (reach / 3).max(0), inner);
        }
    }
}

/// Where a ship's shots leave it.
pub(super) fn muzzle_of(ship: Vec2) -> Vec2 {
    Vec2::new(ship.x.saturating_add(px(16)), ship.y)
}

fn faded(fade: &[u8], age: u8, life: u8) -> Colour {
    let step = usize::from(age) * fade.len() / usize::from(life.max(1));
    fade.get(step.min(fade.len().saturating_sub(1))).map_or(Colour::VOID, |&letter| Colour::of(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hit_shows_what_it_is_made_of() {
        let colours = |material| {
            let mut effects = Effects::default();
            effects.sparks(Vec2::new(px(100), px(100)), material);
            let mut picture = Picture::new();
            effects.fly();
            effects.draw(&mut picture);
            let lit = (0..200).flat_map(|y| (0..200).map(move |x| (x, y))).filter_map(|(x, y)| picture.at(x, y));
            lit.filter(|colour| *colour != Colour::VOID).collect::<std::collections::BTreeSet<_>>()
        };
        let [metal, flesh, rock] = [Material::Metal, Material::Flesh, Material::Rock].map(colours);
        assert!(!metal.is_empty() && metal != flesh && flesh != rock && metal != rock);
    }

    #[test]
    fn everything_fades_in_the_end() {
        let mut effects = Effects::default();
        let at = Vec2::new(px(100), px(100));
        effects.burst(at, Burst { count: 30, speed_px: 100, fade: FIRE });
        effects.aftermath(at, (20, 20), 6);
        effects.shatter(at, &Sprite::from_pixels(12, vec![5; 144]), Shatter::at_speed(100));
        effects.ring(at, Shockwave { pace: 4, life: 30, fade: FIRE });
        effects.mourn();
        (0..120).for_each(|_| effects.fly());
        let (mut drawn, empty) = (Picture::new(), Picture::new());
        effects.draw_smoke(&mut drawn);
        effects.draw(&mut drawn);
        assert!((0..270).all(|y| (0..480).all(|x| drawn.at(x, y) == empty.at(x, y))));
        assert_eq!((effects.gloom(), effects.shake_ticks()), (0, 0));
    }
}
