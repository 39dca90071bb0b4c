//! The backdrop: layers that scroll at different speeds, the farther the slower. `scenery.rs` paints them once for a
//! stage; the dust in front of them is drawn for each picture.

use game::SUBPIXELS;

use super::scenery;
use crate::draw::{palette::Colour, picture::Picture, sprite::CLEAR};

/// One layer. It is as high as the picture and repeats after its width.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) width: usize,
    pub(super) pixels: Vec<u8>,
    /// It moves this many times slower than the terrain.
    pub(super) slowness: i64,
}

impl Layer {
    pub(super) fn clear(width: usize, slowness: i64) -> Layer {
        Layer { width, pixels: vec![CLEAR; width * Picture::HEIGHT as usize], slowness }
    }

    /// Sets a pixel; the layer repeats sideways.
    pub(super) fn plot(&mut self, x: i32, y: i32, colour: Colour) {
        if (0..Picture::HEIGHT).contains(&y) {
            let x = x.rem_euclid(self.width as i32) as usize;
            self.pixels[y as usize * self.width + x] = colour.number();
        }
    }

    /// Fills a rectangle.
    pub(super) fn rect(&mut self, x: i32, y: i32, width: i32, height: i32, colour: Colour) {
        for y in y..y + height {
            (x..x + width).for_each(|x| self.plot(x, y, colour));
        }
    }

    fn draw(&self, scroll_px: i64, picture: &mut Picture) {
        let shift = (scroll_px / self.slowness).rem_euclid(self.width as i64) as usize;
        let width = Picture::WIDTH as usize;
        for (to, from) in picture.pixels_mut().chunks_exact_mut(width).zip(self.pixels.chunks_exact(self.width)) {
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

/// The layers of one stage.
#[derive(Clone, Debug, Default)]
pub(super) struct Backdrop {
    stage: u8,
    /// From the back to the front; empty until the first picture.
    layers: Vec<Layer>,
}

impl Backdrop {
    /// Fills the picture with the backdrop of a stage.
    pub(super) fn draw(&mut self, stage: u8, scroll: i64, picture: &mut Picture) {
        if self.layers.is_empty() || self.stage != stage {
            (self.stage, self.layers) = (stage, scenery::layers(stage));
        }
        let scroll_px = scroll.div_euclid(i64::from(SUBPIXELS));
        self.layers.iter().for_each(|layer| layer.draw(scroll_px, picture));
        draw_dust(scroll_px, picture);
    }
}

/// Specks that move as fast as the terrain, or faster.
fn draw_dust(scroll_px: i64, picture: &mut Picture) {
    for speck in 0..36u32 {
        let place = scenery::scatter(speck + 7000);
        let pace = 2 + i64::from(speck % 3);
        let x = (i64::from(place & 0xffff) - scroll_px * pace / 2).rem_euclid(i64::from(Picture::WIDTH)) as i32;
        let y = (place >> 16) as i32 % Picture::HEIGHT;
        picture.rect(x, y, pace as i32 - 1, 1, Colour::of(if pace > 3 { b'F' } else { b'E' }));
    }
}
