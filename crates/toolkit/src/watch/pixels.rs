//! A grid of colours: what a drawing is made on and what a terminal, or anything else, shows.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    pub const BLACK: Rgb = Rgb(0, 0, 0);
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

    pub fn height(&self) -> usize {
        self.height
    }

    /// The colour at a position; black outside.
    pub fn at(&self, x: usize, y: usize) -> Rgb {
        if x < self.width { self.colours.get(y * self.width + x).copied().unwrap_or_default() } else { Rgb::BLACK }
    }

    /// Colours one pixel; outside the grid nothing happens.
    pub fn plot(&mut self, x: i32, y: i32, colour: Rgb) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x < self.width
            && let Some(pixel) = self.colours.get_mut(y * self.width + x)
        {
            *pixel = colour;
        }
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
        }
        assert_eq!(pixels, Pixels::new(3, 2));
        assert_eq!(pixels.at(9, 9), Rgb::BLACK);
    }
}
