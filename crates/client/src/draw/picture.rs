//! [`Picture`]: 480 × 270 pixels to draw on. It knows shapes and letters, and nothing of the game.
//!
//! A pixel is one of the 64 colours until [`Picture::rgba`] translates it, so light, shadow and another palette are
//! table look-ups. What lies outside the picture is cut off: any position and any size will do.

use super::{
    area::Area,
    font::{Font, Glyph},
    palette::{COLOURS, Colour, Palette, TABLE},
    sprite::{CLEAR, Sprite},
};

/// The 480 × 270 pixels that the client draws.
#[derive(Clone, Debug)]
pub struct Picture {
    pixels: Vec<u8>,
    rgba: Vec<u8>,
    palette: Palette,
    letters: Font,
}

impl Default for Picture {
    fn default() -> Self {
        Picture::new()
    }
}

/// How a sprite is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink<'a> {
    /// In its own colours.
    Plain,
    /// Each colour replaced with another.
    Through(&'a [u8; COLOURS]),
    /// All its pixels in one colour.
    Flat(Colour),
    /// Every second pixel only.
    Sieve,
    /// Every second pixel only, all of them in one colour.
    Veil(Colour),
}

impl Picture {
    /// Width in pixels.
    pub const WIDTH: i32 = 480;
    /// Height in pixels.
    pub const HEIGHT: i32 = 270;

    /// A black picture.
    pub fn new() -> Picture {
        let pixels = (Self::WIDTH * Self::HEIGHT) as usize;
        Picture { pixels: vec![0; pixels], rgba: vec![0; 4 * pixels], palette: Palette::Default, letters: Font::Small }
    }

    pub fn set_palette(&mut self, palette: Palette) {
        self.palette = palette;
    }

    /// Sets the size of letters in menus, the HUD and everything else that is read.
    pub fn set_letters(&mut self, letters: Font) {
        self.letters = letters;
    }

    /// The size of letters.
    pub fn letters(&self) -> Font {
        self.letters
    }

    /// The size of letters, or the small one if a text would not fit otherwise.
    pub fn letters_for(&self, text: &str, width: i32) -> Font {
        if self.letters.width(text) <= width { self.letters } else { Font::Small }
    }

    /// Red, green, blue and alpha of each pixel, row after row: 4 · 480 · 270 bytes. Call it when everything is drawn.
    pub fn rgba(&mut self) -> &[u8] {
        let table = self.palette.table();
        for (rgba, &pixel) in self.rgba.as_chunks_mut::<4>().0.iter_mut().zip(&self.pixels) {
            *rgba = table[usize::from(pixel) % COLOURS];
        }
        &self.rgba
    }

    /// The colour of a pixel, if it is inside.
    pub fn at(&self, x: i32, y: i32) -> Option<Colour> {
        Self::index(x, y).map(|index| Colour::from_number(self.pixels[index]))
    }

    /// Fills all of it.
    pub fn clear(&mut self, colour: Colour) {
        self.pixels.fill(colour.number());
    }

    /// Sets one pixel.
    pub fn plot(&mut self, x: i32, y: i32, colour: Colour) {
        if let Some(index) = Self::index(x, y) {
            self.pixels[index] = colour.number();
        }
    }

    /// Fills a rectangle.
    pub fn rect(&mut self, area: Area, colour: Colour) {
        self.for_rows(area, |_, row| row.fill(colour.number()));
    }

    /// Draws the edge of a rectangle, one pixel thick.
    pub fn outline(&mut self, area: Area, colour: Colour) {
        let Area { x, y, width, height } = area;
        self.rect(Area::new(x, y, width, 1), colour);
        self.rect(Area::new(x, y.saturating_add(height) - 1, width, 1), colour);
        self.rect(Area::new(x, y, 1, height), colour);
        self.rect(Area::new(x.saturating_add(width) - 1, y, 1, height), colour);
    }

    /// Makes a rectangle some steps darker, as a background.
    pub fn darken(&mut self, area: Area, steps: u8) {
        let table = steps_of(&TABLE.darker, steps);
        self.for_rows(area, |_, row| {
            row.iter_mut().for_each(|pixel| *pixel = table[usize::from(*pixel) % COLOURS]);
        });
    }

    /// Makes a disc some steps lighter, its rim only in every second pixel: a glow.
    pub fn glow(&mut self, (x, y): (i32, i32), radius: i32, steps: u8) {
        let radius = radius.clamp(0, Self::WIDTH);
        let table = steps_of(&TABLE.lighter, steps);
        let core = radius * radius / 2;
        for dy in -radius..=radius {
            let half = (radius * radius - dy * dy).isqrt();
            let (left, y) = (x.saturating_sub(half), y.saturating_add(dy));
            self.for_rows(Area::new(left, y, 2 * half + 1, 1), |cut, row| {
                for (at, pixel) in row.iter_mut().enumerate() {
                    let dx = (at + cut) as i32 - half;
                    if dx * dx + dy * dy <= core || (dx + dy) & 1 == 0 {
                        *pixel = table[usize::from(*pixel) % COLOURS];
                    }
                }
            });
        }
    }

    /// Draws a disc of smoke: every second pixel, and at its rim every fourth.
    pub(super) fn haze(&mut self, (x, y): (i32, i32), radius: i32, colour: Colour) {
        let radius = radius.clamp(0, Self::WIDTH);
        let core = radius * radius / 2;
        for (dx, dy) in (-radius..=radius).flat_map(|dy| (-radius..=radius).map(move |dx| (dx, dy))) {
            let away = dx * dx + dy * dy;
            let (x, y) = (x.saturating_add(dx), y.saturating_add(dy));
            let is_grain = (x ^ y) & 1 == 0 && (away <= core || x & 1 == 0);
            if away <= radius * radius && is_grain {
                self.plot(x, y, colour);
            }
        }
    }

    /// Fills a disc.
    pub fn disc(&mut self, (x, y): (i32, i32), radius: i32, colour: Colour) {
        let radius = radius.clamp(0, Self::WIDTH);
        for dy in -radius..=radius {
            let half = (radius * radius - dy * dy).isqrt();
            self.rect(Area::new(x.saturating_sub(half), y.saturating_add(dy), 2 * half + 1, 1), colour);
        }
    }

    /// Draws a circle, one pixel thick.
    pub fn ring(&mut self, (x, y): (i32, i32), radius: i32, colour: Colour) {
        let radius = radius.clamp(0, Self::WIDTH);
        for along in 0..=radius * 181 / 256 + 1 {
            let across = (radius * radius - along * along).max(0).isqrt();
            for (dx, dy) in [(along, across), (across, along)] {
                for (sx, sy) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
                    self.plot(x.saturating_add(sx * dx), y.saturating_add(sy * dy), colour);
                }
            }
        }
    }

    /// Draws a sprite with its top left corner at a point.
    pub fn sprite(&mut self, at: (i32, i32), sprite: &Sprite) {
        self.stamp(at, sprite, Ink::Plain);
    }

    /// Draws a text with its top left corner at a point, and returns its width.
    pub fn text(&mut self, at: (i32, i32), text: &str, colour: Colour) -> i32 {
        self.text_in(Font::Small, at, text, colour)
    }

    /// Like [`Picture::text`], in a given size.
    pub fn text_in(&mut self, font: Font, (x, y): (i32, i32), text: &str, colour: Colour) -> i32 {
        let mut pen = x;
        for letter in text.chars() {
            if pen >= Self::WIDTH {
                break;
            }
            let glyph = font.glyph(letter);
            self.glyph(font, (pen, y), glyph, colour);
            pen = pen.saturating_add(glyph.width + font.scale());
        }
        font.width(text)
    }

    /// Like [`Picture::text_in`], with a dark edge, to be read on any background.
    pub fn text_edged(&mut self, font: Font, (x, y): (i32, i32), text: &str, colour: Colour) -> i32 {
        for (dx, dy) in [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)] {
            self.text_in(font, (x.saturating_add(dx), y.saturating_add(dy)), text, Colour::SHADOW);
        }
        self.text_in(font, (x, y), text, colour)
    }

    /// Width of a text in the small size, in pixels.
    pub fn text_width(text: &str) -> i32 {
        Font::Small.width(text)
    }

    /// Every pixel, row after row, each below 64.
    pub(super) fn pixels_mut(&mut self) -> &mut [u8] {
        &mut self.pixels
    }

    /// Moves everything by a few pixels; the edges keep what was there.
    pub(super) fn shift(&mut self, x: i32, y: i32) {
        let width = Self::WIDTH as usize;
        let across = x.unsigned_abs().min(Self::WIDTH as u32) as usize;
        for row in self.pixels.chunks_exact_mut(width) {
            if x > 0 { row.copy_within(..width - across, across) } else { row.copy_within(across.., 0) }
        }
        let down = y.unsigned_abs().min(Self::HEIGHT as u32) as usize * width;
        let all = self.pixels.len();
        if y > 0 { self.pixels.copy_within(..all - down, down) } else { self.pixels.copy_within(down.., 0) }
    }

    /// Draws some rows of a sprite, where they are if its top left corner is at a point.
    pub(super) fn stamp_rows(&mut self, (x, y): (i32, i32), sprite: &Sprite, rows: std::ops::Range<usize>) {
        let first = rows.start as i32;
        for (dy, row) in (first..).zip(sprite.rows().skip(rows.start).take(rows.len())) {
            self.for_rows(Area::new(x, y.saturating_add(dy), sprite.width(), 1), |cut, line| {
                lay(line, &row[cut..], Ink::Plain, 0)
            });
        }
    }

    /// Draws a sprite with an ink, each of its rows moved sideways by what `offset` says.
    pub(super) fn stamp_waving(&mut self, (x, y): (i32, i32), sprite: &Sprite, ink: Ink, offset: impl Fn(i32) -> i32) {
        let width = sprite.width();
        for (dy, row) in (0..).zip(sprite.rows()) {
            let (x, y) = (x.saturating_add(offset(dy)), y.saturating_add(dy));
            self.for_rows(Area::new(x, y, width, 1), |cut, line| {
                lay(line, &row[cut..], ink, (x.wrapping_add(y) & 1) as usize)
            });
        }
    }

    /// Draws a sprite with an ink.
    pub(super) fn stamp(&mut self, at: (i32, i32), sprite: &Sprite, ink: Ink) {
        self.stamp_waving(at, sprite, ink, |_| 0);
    }

    fn glyph(&mut self, font: Font, (x, y): (i32, i32), glyph: &Glyph, colour: Colour) {
        let top = y.saturating_sub(Glyph::RISE * font.scale());
        for (dy, &bits) in (0..).zip(&glyph.rows) {
            if bits == 0 {
                continue;
            }
            self.for_rows(Area::new(x, top.saturating_add(dy), glyph.width, 1), |cut, line| {
                for (at, pixel) in line.iter_mut().enumerate() {
                    if bits >> (at + cut) & 1 == 1 {
                        *pixel = colour.number();
                    }
                }
            });
        }
    }

    /// Calls `draw` for the visible part of each row, with the number of pixels cut off at its left.
    fn for_rows(&mut self, area: Area, mut draw: impl FnMut(usize, &mut [u8])) {
        let Area { x, y, width, height } = area;
        let (left, right) = (x.max(0), x.saturating_add(width).min(Self::WIDTH));
        let (top, bottom) = (y.max(0), y.saturating_add(height).min(Self::HEIGHT));
        if left >= right {
            return;
        }
        for y in top..bottom {
            let start = (y * Self::WIDTH) as usize;
            draw((left - x) as usize, &mut self.pixels[start + left as usize..start + right as usize]);
        }
    }

    fn index(x: i32, y: i32) -> Option<usize> {
        let inside = (0..Self::WIDTH).contains(&x) && (0..Self::HEIGHT).contains(&y);
        inside.then(|| (y * Self::WIDTH + x) as usize)
    }
}

/// Draws a row of a sprite over a row of the picture.
fn lay(line: &mut [u8], row: &[u8], ink: Ink, parity: usize) {
    let pairs = line.iter_mut().zip(row);
    match ink {
        Ink::Plain => pairs.for_each(|(to, &from)| *to = if from == CLEAR { *to } else { from }),
        Ink::Through(table) => pairs.filter(|(_, from)| **from != CLEAR).for_each(|(to, &from)| {
            *to = table[usize::from(from) % COLOURS];
        }),
        Ink::Flat(colour) => pairs.filter(|(_, from)| **from != CLEAR).for_each(|(to, _)| *to = colour.number()),
        Ink::Sieve => {
            let kept = pairs.enumerate().filter(|(at, (_, from))| **from != CLEAR && at & 1 == parity);
            kept.for_each(|(_, (to, &from))| *to = from);
        }
        Ink::Veil(colour) => {
            let kept = pairs.enumerate().filter(|(at, (_, from))| **from != CLEAR && at & 1 == parity);
            kept.for_each(|(_, (to, _))| *to = colour.number());
        }
    }
}

/// A table of single steps, applied several times.
pub(super) fn steps_of(step: &[u8; COLOURS], steps: u8) -> [u8; COLOURS] {
    let mut table: [u8; COLOURS] = std::array::from_fn(|number| number as u8);
    for _ in 0..steps.min(8) {
        table.iter_mut().for_each(|number| *number = step[usize::from(*number)]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_outside_is_cut_off() {
        let mut picture = Picture::new();
        picture.rect(Area::new(-5, -5, 7, 7), Colour::PALE);
        assert_eq!(picture.at(1, 1), Some(Colour::PALE));
        assert_eq!(picture.at(2, 1), Some(Colour::VOID));
        assert_eq!(picture.at(-1, 0), None);
        for place in [i32::MIN, i32::MIN + 1, -1, 479, 480, i32::MAX] {
            picture.rect(Area::new(place, place, i32::MAX, i32::MAX), Colour::PALE);
            picture.outline(Area::new(place, place, 9, 9), Colour::PALE);
            picture.darken(Area::new(place, place, i32::MAX, 9), 255);
            picture.glow((place, place), i32::MAX, 1);
            picture.disc((place, place), 9, Colour::PALE);
            picture.ring((place, place), 9, Colour::PALE);
            picture.text((place, place), "far away", Colour::PALE);
            picture.sprite((place, place), &Sprite::from_pixels(2, vec![1, 2, 3, CLEAR]));
        }
    }

    #[test]
    fn a_clear_pixel_shows_what_is_behind() {
        let mut picture = Picture::new();
        picture.sprite((-1, 0), &Sprite::from_pixels(3, vec![1, 2, CLEAR]));
        assert_eq!(picture.at(0, 0), Some(Colour::from_number(2)));
        assert_eq!(picture.at(1, 0), Some(Colour::VOID));
    }

    #[test]
    fn the_bytes_come_from_the_palette() {
        let mut picture = Picture::new();
        picture.plot(1, 0, Colour::ENEMY_SHOT[0]);
        assert_eq!(picture.rgba()[4..8], [255; 4]);
        assert_eq!(picture.rgba().len(), 4 * 480 * 270);
        picture.set_palette(Palette::RedGreen);
        picture.clear(Colour::RED);
        let [red, green, blue] = Palette::RedGreen.rgb(Colour::RED);
        assert_eq!(picture.rgba()[..4], [red, green, blue, 255]);
    }

    #[test]
    fn letters_are_drawn_where_their_width_says() {
        let mut picture = Picture::new();
        let width = picture.text((10, 10), "HI", Colour::PALE);
        let lit = |x: i32| (0..30).any(|y| picture.at(x, y) == Some(Colour::PALE));
        assert!(lit(10) && lit(10 + width - 1) && !lit(9) && !lit(10 + width));
    }
}
