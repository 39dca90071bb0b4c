//! A layer to paint on: shapes without hard edges, in shades that are dithered into each other.

use super::super::noise::dither;
use crate::draw::{palette::Colour, picture::Picture, sprite::CLEAR};

/// One layer. It is as high as the picture and repeats after its width.
#[derive(Clone, Debug)]
pub(in super::super) struct Layer {
    width: usize,
    pixels: Vec<u8>,
    /// It moves this many times slower than the terrain.
    slowness: i64,
}

/// A rectangle on a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Box {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) width: i32,
    pub(super) height: i32,
}

/// Levels from one shade to the next.
pub(super) const STEP: i32 = 16;

impl Layer {
    pub(super) fn clear(width: usize, slowness: i64) -> Layer {
        Layer { width, pixels: vec![CLEAR; width * Picture::HEIGHT as usize], slowness }
    }

    pub(super) fn width(&self) -> i32 {
        self.width as i32
    }

    /// Sets a pixel; the layer repeats sideways.
    pub(super) fn plot(&mut self, x: i32, y: i32, letter: u8) {
        if (0..Picture::HEIGHT).contains(&y) {
            let x = x.rem_euclid(self.width as i32) as usize;
            self.pixels[y as usize * self.width + x] = Colour::of(letter).number();
        }
    }

    /// Sets a pixel to a level of light: [`STEP`] for each shade. Between two shades it is dithered.
    pub(super) fn shade(&mut self, x: i32, y: i32, level: i32, shades: &[u8]) {
        let step = (level + dither(x, y)).div_euclid(STEP).clamp(0, shades.len() as i32 - 1);
        self.plot(x, y, shades[step as usize]);
    }

    /// Fills a rectangle; `level` gives the light from the pixel's place in it, or none to leave it clear.
    pub(super) fn fill(&mut self, area: Box, shades: &[u8], level: impl Fn(i32, i32) -> Option<i32>) {
        for (x, y) in (0..area.height).flat_map(|y| (0..area.width).map(move |x| (x, y))) {
            if let Some(level) = level(x, y) {
                self.shade(area.x + x, area.y + y, level, shades);
            }
        }
    }

    /// Fills a rectangle that thins out towards its upper edge and its sides over this many pixels, and
    /// downwards over twice as many.
    pub(super) fn fill_hazy(&mut self, area: Box, haze: i32, shades: &[u8], level: impl Fn(i32, i32) -> i32) {
        self.fill(area, shades, |dx, dy| {
            let inside = dx.min(area.width - 1 - dx).min(dy).min((area.height - 1 - dy) / 2);
            let is_solid = (inside * STEP * 2 / haze).min(STEP * 2) > dither(area.x + dx, area.y + dy) * 2;
            is_solid.then(|| level(dx, dy))
        });
    }

    /// Fills a disc in the middle of its light that thins out over its outer part: something far off in a haze.
    pub(super) fn haze_ball(&mut self, (x, y): (i32, i32), radius: i32, shades: &[u8]) {
        let size = 2 * radius + 1;
        let most = STEP * (shades.len() as i32 - 1);
        self.fill(Box { x: x - radius, y: y - radius, width: size, height: size }, shades, |dx, dy| {
            let (dx, dy) = (dx - radius, dy - radius);
            let depth = (radius * radius - dx * dx - dy * dy) * 2 * STEP / (radius * radius).max(1);
            (depth > dither(x + dx, y + dy)).then(|| depth * most / (3 * STEP) - (dx + dy) * STEP / (radius * 2).max(1))
        });
    }

    /// Draws the layer over rows of pixels, each as wide as the picture.
    pub(in super::super) fn draw(&self, scroll_px: i64, pixels: &mut [u8]) {
        let shift = (scroll_px.div_euclid(self.slowness)).rem_euclid(self.width as i64) as usize;
        let width = Picture::WIDTH as usize;
        for (to, from) in pixels.chunks_exact_mut(width).zip(self.pixels.chunks_exact(self.width)) {
            let first = (self.width - shift).min(width);
            let (left, right) = to.split_at_mut(first);
            lay(left, &from[shift..shift + first]);
            lay(right, &from[..width - first]);
        }
    }
}

fn lay(to: &mut [u8], from: &[u8]) {
    to.iter_mut().zip(from).for_each(|(to, &from)| *to = if from == CLEAR { *to } else { from });
}
