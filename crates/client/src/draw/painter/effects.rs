//! Effects: particles, rings and muzzle flashes that fade, and the shaking of the picture. Everything is in sub-pixels and
//! ticks, limited in number, and rolled with dice that are not the game's.

use game::{Dice, Frame, Kind, SUBPIXELS, Seat, Vec2, px, units};

use super::pixel;
use crate::draw::{palette::Colour, picture::Picture};

/// The most particles at once.
const PARTICLES_MAX: usize = 700;
/// The most rings at once.
const RINGS_MAX: usize = 32;
/// MuzzleFlash flashes at once.
const MUZZLE_FLASHES_MAX: usize = 16;
/// Ticks for which a muzzle flash lasts.
const MUZZLE_FLASH_LIFE: u8 = 4;

/// The colours of a particle from its beginning to its end.
pub(super) type Fade = &'static [u8];
pub(super) const FIRE: Fade = b"zoonnfeedcbw";
/// Sparks of metal that was hit.
pub(super) const STEEL: Fade = b"zIHGFE";
pub(super) const SMOKE: Fade = b"dcxxxwww";
/// By seat: what comes from a ship.
pub(super) const SEAT_FADES: [Fade; 4] = [b"zNMMLLKJ", b"zNRRQQPO", b"zVVUUTTS", b"zZZYYXXW"];

#[derive(Clone, Copy, Debug)]
struct Particle {
    position: Vec2,
    velocity: Vec2,
    age: u8,
    life: u8,
    size: u8,
    fade: Fade,
}

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
pub(super) struct Ring {
    /// Pixels by which it grows in four ticks.
    pub(super) pace: u8,
    pub(super) life: u8,
    pub(super) fade: Fade,
}

#[derive(Clone, Copy, Debug)]
struct PlacedRing {
    centre: Vec2,
    age: u8,
    ring: Ring,
}

#[derive(Clone, Copy, Debug)]
struct MuzzleFlash {
    seat: Seat,
    kind: Kind,
    age: u8,
}

/// All effects that are seen now.
#[derive(Clone, Debug)]
pub(super) struct Effects {
    particles: Vec<Particle>,
    rings: Vec<PlacedRing>,
    muzzle_flashes: Vec<MuzzleFlash>,
    /// Ticks for which the picture still shakes.
    shake_ticks: u8,
    dice: Dice,
}

impl Default for Effects {
    fn default() -> Self {
        Effects {
            particles: Vec::new(),
            rings: Vec::new(),
            muzzle_flashes: Vec::new(),
            shake_ticks: 0,
            dice: Dice::new(0x5ba4),
        }
    }
}

impl Effects {
    pub(super) fn clear(&mut self) {
        self.particles.clear();
        self.rings.clear();
        self.muzzle_flashes.clear();
        self.shake_ticks = 0;
    }

    pub(super) fn shake_ticks(&self) -> u8 {
        self.shake_ticks
    }

    /// Shakes the picture for so many ticks; if it shakes already, the longer time counts.
    pub(super) fn shake_for(&mut self, ticks: u8) {
        self.shake_ticks = self.shake_ticks.max(ticks);
    }

    /// Particles that fly from a point in all directions.
    pub(super) fn burst(&mut self, at: Vec2, Burst { count, speed_px, fade }: Burst) {
        for _ in 0..count {
            let angle = self.dice.below(256) as u8;
            let pace = self.dice.between(speed_px / 5, speed_px) * SUBPIXELS / units::TICKS_PER_SECOND;
            let velocity = Vec2::new(pace * units::cosine(angle) / 256, pace * units::sine(angle) / 256);
            let life = 8 + self.dice.below(18) as u8;
            let size = 1 + u8::from(self.dice.below(4) == 0);
            self.add(Particle { position: at, velocity, age: 0, life, size, fade });
        }
    }

    /// A burst with a ring, somewhere within so many pixels of a point.
    pub(super) fn burst_within(&mut self, at: Vec2, (width, height): (i32, i32), count: u32, fade: Fade) {
        let x = at.x.saturating_add(px(self.dice.between(-width, width)));
        let y = at.y.saturating_add(px(self.dice.between(-height, height)));
        self.burst(Vec2::new(x, y), Burst { count, speed_px: 110, fade });
        self.ring(Vec2::new(x, y), Ring { pace: 5, life: 12, fade });
    }

    /// A ring that grows around a point.
    pub(super) fn ring(&mut self, centre: Vec2, ring: Ring) {
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
        for particle in &mut self.particles {
            let Vec2 { x, y } = particle.velocity;
            particle.position = Vec2::new(particle.position.x.saturating_add(x), particle.position.y.saturating_add(y));
            // There is no air in space, but drag looks better.
            particle.velocity = Vec2::new(x * 15 / 16, y * 15 / 16);
            particle.age += 1;
        }
        self.particles.retain(|particle| particle.age < particle.life);
        self.rings.iter_mut().for_each(|ring| ring.age += 1);
        self.rings.retain(|placed| placed.age < placed.ring.life);
        self.muzzle_flashes.iter_mut().for_each(|muzzle| muzzle.age += 1);
        self.muzzle_flashes.retain(|muzzle| muzzle.age < MUZZLE_FLASH_LIFE);
        self.shake_ticks = self.shake_ticks.saturating_sub(1);
    }

    /// Specks fly to the muzzle of every ship that charges.
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
            let fade = SEAT_FADES[seat.index()];
            self.add(Particle { position, velocity, age: 0, life: 10, size: 1, fade });
        }
    }

    fn add(&mut self, particle: Particle) {
        if self.particles.len() < PARTICLES_MAX {
            self.particles.push(particle);
        }
    }

    /// Draws rings and particles.
    pub(super) fn draw(&self, picture: &mut Picture) {
        for &PlacedRing { centre, age, ring: Ring { pace, life, fade } } in &self.rings {
            let (x, y) = pixel(centre);
            let radius = 2 + i32::from(age) * i32::from(pace) / 4;
            picture.ring(x, y, radius, faded(fade, age, life));
            if age < life / 2 {
                picture.ring(x, y, radius - 1, faded(fade, age, life));
            }
        }
        for particle in &self.particles {
            let (x, y) = pixel(particle.position);
            let size = if particle.age * 2 > particle.life { 1 } else { i32::from(particle.size) };
            picture.rect(x, y, size, size, faded(particle.fade, particle.age, particle.life));
        }
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
            picture.glow(x, y, reach + 2, 1);
            picture.rect(x - reach / 2, y, reach * 2, 1, outer);
            picture.rect(x, y - reach / 2, 1, reach + 1, outer);
            picture.disc(x, y, (reach / 3).max(0), inner);
        }
    }
}

/// Where a ship's shots leave it.
pub(super) fn muzzle_of(ship: Vec2) -> Vec2 {
    Vec2::new(ship.x.saturating_add(px(16)), ship.y)
}

fn faded(fade: Fade, age: u8, life: u8) -> Colour {
    let step = usize::from(age) * fade.len() / usize::from(life.max(1));
    fade.get(step.min(fade.len().saturating_sub(1))).map_or(Colour::VOID, |&letter| Colour::of(letter))
}
