//! An image put together from pictures, sprites and texts, and written as a PNG. It is as wide as is said, and grows downwards:
//! what does not fit its width is a mistake.

use std::{error::Error, fs, path::Path};

use client::draw::{Colour, Palette, Picture, Sprite};

/// What is behind sprites: as dark as the game.
const BACKGROUND: [u8; 4] = [10, 13, 30, 255];

pub struct Canvas {
    width: i32,
    height: i32,
    rgba: Vec<[u8; 4]>,
}

impl Canvas {
    pub fn new(width: i32, height: i32) -> Canvas {
        Canvas { width, height, rgba: vec![BACKGROUND; (width * height) as usize] }
    }

    pub fn size(&self) -> (i32, i32) {
        (self.width, self.height)
    }

    /// The same, at least so high.
    pub fn grow(&mut self, height: i32) {
        self.height = height.max(self.height);
        self.rgba.resize((self.width * self.height) as usize, BACKGROUND);
    }

    fn plot(&mut self, x: i32, y: i32, rgba: [u8; 4]) {
        assert!((0..self.width).contains(&x) && y >= 0, "{x}, {y} is cut off: the image is {} wide", self.width);
        self.grow(y + 1);
        self.rgba[(y * self.width + x) as usize] = rgba;
    }

    pub fn line(&mut self, x: i32, y: i32, length: i32, colour: Colour) {
        (x..x + length).for_each(|x| self.plot(x, y, opaque(colour)));
    }

    /// Puts a whole picture somewhere.
    pub fn paste(&mut self, left: i32, top: i32, picture: &mut Picture) {
        self.paste_columns(left, top, Picture::WIDTH, picture);
    }

    /// Puts this many columns of a picture somewhere, from its left edge.
    pub fn paste_columns(&mut self, left: i32, top: i32, columns: i32, picture: &mut Picture) {
        let pixels = (0..).zip(picture.rgba().as_chunks::<4>().0.to_vec());
        for (at, pixel) in pixels.filter(|(at, _)| at % Picture::WIDTH < columns) {
            self.plot(left + at % Picture::WIDTH, top + at / Picture::WIDTH, pixel);
        }
    }

    pub fn sprite(&mut self, left: i32, top: i32, sprite: &Sprite) {
        for (x, y) in (0..sprite.height()).flat_map(|y| (0..sprite.width()).map(move |x| (x, y))) {
            if let Some(colour) = sprite.at(x, y) {
                self.plot(left + x, top + y, opaque(colour));
            }
        }
    }

    pub fn text(&mut self, left: i32, top: i32, text: &str) {
        let mut picture = Picture::new();
        let width = picture.text((0, 3), text, Colour::GREY);
        for (x, y) in (0..14).flat_map(|y| (0..width).map(move |x| (x, y))) {
            if picture.at(x, y) == Some(Colour::GREY) {
                self.plot(left + x, top + y - 3, opaque(Colour::GREY));
            }
        }
    }

    /// Writes it as a PNG, enlarged.
    pub fn write(&self, path: &Path, scale: usize) -> Result<(), Box<dyn Error>> {
        let (width, height) = self.size();
        let (width, height) = (width as u32 * scale as u32, height as u32 * scale as u32);
        let mut encoder = png::Encoder::new(fs::File::create(path)?, width, height);
        encoder.set_color(png::ColorType::Rgba);
        let rows = self.rgba.chunks_exact(self.width as usize);
        let wide = rows.map(|row| row.iter().flat_map(|pixel| [*pixel; 4].into_iter().take(scale).flatten()).collect());
        let bytes: Vec<u8> = wide.flat_map(|row: Vec<u8>| row.repeat(scale)).collect();
        encoder.write_header()?.write_image_data(&bytes)?;
        println!("{}", path.display());
        Ok(())
    }
}

fn opaque(colour: Colour) -> [u8; 4] {
    let [red, green, blue] = Palette::Default.rgb(colour);
    [red, green, blue, 255]
}
