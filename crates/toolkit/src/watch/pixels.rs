//! A grid of colours: what a drawing is made on and what a terminal, or anything else, shows.

/// A colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Black.
    pub const BLACK: Rgb = Rgb(0, 0, 0);

    /// The colour with `parts` of 256 of `other` mixed in.
    pub fn mixed(self, other: Rgb, parts: u16) -> Rgb {
        let mix = |a: u8, b: u8| {
            ((u32::from(a) * u32::from(256 - parts.min(256)) + u32::from(b) * u32::from(parts.min(256))) / 256) as u8
        };
        Rgb(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }
}

/// A grid of colours, row after row from the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pixels {
    width: usize,
    height: usize,
    colours: Vec<Rgb>,
}

impl Pixels {
    /// A black grid.
    pub fn new(width: usize, height: usize) -> Pixels {
        Pixels { width, height, colours: vec![Rgb::BLACK; width * height] }
    }

    /// Pixels in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The colour at a place; black outside.
    pub fn at(&self, x: usize, y: usize) -> Rgb {
        if x < self.width { self.colours.get(y * self.width + x).copied().unwrap_or_default() } else { Rgb::BLACK }
    }

    /// Colours one pixel; outside the grid nothing happens.
    pub fn plot(&mut self, x: i32, y: i32, colour: Rgb) {
        if let Some(pixel) = self.pixel(x, y) {
            *pixel = colour;
        }
    }

    /// Mixes a colour into one pixel; outside the grid nothing happens.
    pub fn tint(&mut self, x: i32, y: i32, colour: Rgb, parts: u16) {
        if let Some(pixel) = self.pixel(x, y) {
            *pixel = pixel.mixed(colour, parts);
        }
    }

    fn pixel(&mut self, x: i32, y: i32) -> Option<&mut Rgb> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        if x < self.width { self.colours.get_mut(y * self.width + x) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_the_grid_nothing_happens() {
        let mut pixels = Pixels::new(3, 2);
        for (x, y) in [(-1, 0), (3, 0), (0, 2), (0, -1), (i32::MAX, i32::MIN)] {
            pixels.plot(x, y, Rgb(255, 255, 255));
            pixels.tint(x, y, Rgb(255, 255, 255), 256);
        }
        assert_eq!(pixels, Pixels::new(3, 2));
        assert_eq!(pixels.at(9, 9), Rgb::BLACK);
    }

    #[test]
    fn colours_mix_in_parts_of_256() {
        let (black, white) = (Rgb::BLACK, Rgb(255, 255, 255));
        assert_eq!([0, 128, 256, 999].map(|parts| black.mixed(white, parts).0), [0, 127, 255, 255]);
    }
}
