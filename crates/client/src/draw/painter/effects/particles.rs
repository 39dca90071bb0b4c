//! Particles: points that fly, slow down, fall and fade.

use game::Vec2;

use super::{super::pixel, Fade, faded};
use crate::draw::{area::Area, picture::Picture};

/// The most particles at once.
const PARTICLES_MAX: usize = 700;

#[derive(Clone, Copy, Debug)]
pub(super) struct Particle {
    pub(super) position: Vec2,
    pub(super) velocity: Vec2,
    pub(super) age: u8,
    pub(super) life: u8,
    pub(super) size: u8,
    /// By how much it falls faster each tick, in sub-pixels.
    pub(super) weight: i32,
    pub(super) fade: Fade,
}

impl Particle {
    /// A small one that weighs nothing.
    pub(super) fn new(position: Vec2, velocity: Vec2, fade: Fade) -> Particle {
        Particle { position, velocity, age: 0, life: 12, size: 1, weight: 0, fade }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Particles(Vec<Particle>);

impl Particles {
    pub(super) fn add(&mut self, particle: Particle) {
        if self.0.len() < PARTICLES_MAX {
            self.0.push(particle);
        }
    }

    /// One tick passes.
    pub(super) fn fly(&mut self) {
        for particle in &mut self.0 {
            let Vec2 { x, y } = particle.velocity;
            particle.position = Vec2::new(particle.position.x.saturating_add(x), particle.position.y.saturating_add(y));
            // There is no air in space, but drag looks better.
            particle.velocity = Vec2::new(x * 15 / 16, y * 15 / 16 + particle.weight);
            particle.age += 1;
        }
        self.0.retain(|particle| particle.age < particle.life);
    }

    pub(super) fn draw(&self, picture: &mut Picture) {
        for particle in &self.0 {
            let (x, y) = pixel(particle.position);
            let size = if particle.age * 2 > particle.life { 1 } else { i32::from(particle.size) };
            picture.rect(Area::new(x, y, size, size), faded(particle.fade, particle.age, particle.life));
        }
    }
}
