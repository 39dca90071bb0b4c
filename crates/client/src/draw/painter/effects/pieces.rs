//! Pieces: an image that was destroyed falls apart into squares of itself, which fly, darken and vanish.

use game::{Dice, SUBPIXELS, Vec2, px, units};

use super::super::pixel;
use crate::draw::{
    palette::{Colour, TABLE},
    picture::Picture,
    sprite::{CLEAR, Sprite},
};

/// The most pieces at once.
const PIECES_MAX: usize = 260;
/// Width and height of a piece.
const SIDE: i32 = 4;

/// How an image falls apart.
#[derive(Clone, Copy, Debug)]
pub(in crate::draw::painter) struct Shatter {
    /// In pixels a second, for the fastest pieces.
    pub(in crate::draw::painter) speed_px: i32,
    /// The most pieces: of a large image only some are seen.
    pub(in crate::draw::painter) most: i32,
}

impl Shatter {
    /// As most things do.
    pub(in crate::draw::painter) fn at_speed(speed_px: i32) -> Shatter {
        Shatter { speed_px, most: 40 }
    }
}

#[derive(Clone, Copy, Debug)]
struct Fragment {
    pixels: [u8; (SIDE * SIDE) as usize],
    position: Vec2,
    velocity: Vec2,
    age: u8,
    life: u8,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Pieces(Vec<Fragment>);

impl Pieces {
    /// An image with its centre at a point falls apart.
    pub(super) fn shatter(&mut self, at: Vec2, image: &Sprite, Shatter { speed_px, most }: Shatter, dice: &mut Dice) {
        let (columns, rows) = (image.width() / SIDE, image.height() / SIDE);
        let all = (columns * rows).max(1);
        let every = (all + most - 1) / most.max(1);
        for number in (0..all).step_by(every as usize) {
            let (left, top) = (number % columns.max(1) * SIDE, number / columns.max(1) * SIDE);
            let pixels = std::array::from_fn(|index| {
                let (x, y) = (index as i32 % SIDE, index as i32 / SIDE);
                image.at(left + x, top + y).map_or(CLEAR, Colour::number)
            });
            if self.0.len() >= PIECES_MAX || pixels.iter().all(|pixel| *pixel == CLEAR) {
                continue;
            }
            let from = Vec2::new(px(left + SIDE / 2 - image.width() / 2), px(top + SIDE / 2 - image.height() / 2));
            let position = Vec2::new(at.x.saturating_add(from.x), at.y.saturating_add(from.y));
            // Outwards, and a bit of chance.
            let pace = dice.between(speed_px / 3, speed_px) * SUBPIXELS / units::TICKS_PER_SECOND;
            let away = i64::from(from.x).pow(2) + i64::from(from.y).pow(2);
            let away = (away.isqrt() as i32).max(1);
            let stray = |dice: &mut Dice| dice.between(-pace / 3 - 1, pace / 3 + 1);
            let velocity = Vec2::new(from.x * pace / away + stray(dice), from.y * pace / away + stray(dice));
            let life = 18 + dice.below(20) as u8;
            self.0.push(Fragment { pixels, position, velocity, age: 0, life });
        }
    }

    /// One tick passes.
    pub(super) fn fly(&mut self) {
        for piece in &mut self.0 {
            let Vec2 { x, y } = piece.velocity;
            piece.position = Vec2::new(piece.position.x.saturating_add(x), piece.position.y.saturating_add(y));
            piece.velocity = Vec2::new(x * 31 / 32, y * 31 / 32 + 2);
            piece.age += 1;
        }
        self.0.retain(|piece| piece.age < piece.life);
    }

    pub(super) fn draw(&self, picture: &mut Picture) {
        for piece in &self.0 {
            let (left, top) = pixel(piece.position);
            let steps = piece.age * 3 / piece.life.max(1);
            // In its last third it is only half there.
            let is_thin = piece.age * 3 / 2 > piece.life;
            for (index, &number) in (0..).zip(&piece.pixels) {
                let (x, y) = (index % SIDE, index / SIDE);
                if number == CLEAR || is_thin && (x + y) & 1 == 1 {
                    continue;
                }
                let dark = (0..steps).fold(number, |number, _| TABLE.darker[usize::from(number)]);
                picture.plot(left + x - SIDE / 2, top + y - SIDE / 2, Colour::from_number(dark));
            }
        }
    }
}
