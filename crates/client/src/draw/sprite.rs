//! Sprites: small images from text files in `art/`, with a letter of the palette for each pixel and `.` where it is clear.
//!
//! A file holds the images of one sprite. A line `frame` begins each; lines that begin with `#` are comments. `docs/art.md`
//! describes the format.

use super::palette::{COLOURS, Colour};

/// The number that stands for a clear pixel.
pub(super) const CLEAR: u8 = 255;

/// One image: a rectangle of colours, some of them clear.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sprite {
    width: usize,
    pixels: Vec<u8>,
}

/// What is wrong with a sprite file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpriteError {
    /// A letter that stands for no colour: its line, counted from 1, and the letter.
    Letter(usize, char),
    /// A row that is not as long as those above it: its line, counted from 1.
    Ragged(usize),
    /// Pixels before the first `frame`: the line, counted from 1.
    Frameless(usize),
    /// No image, or an image without pixels.
    Empty,
}

impl std::fmt::Display for SpriteError {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SpriteError::Letter(line, letter) => write!(to, "line {line}: {letter:?} is not a colour of the palette"),
            SpriteError::Ragged(line) => write!(to, "line {line}: this row is not as long as those above it"),
            SpriteError::Frameless(line) => write!(to, "line {line}: pixels before the first `frame` line"),
            SpriteError::Empty => write!(to, "there is no image, or one without pixels"),
        }
    }
}

impl std::error::Error for SpriteError {}

impl Sprite {
    /// Reads the images of a sprite file.
    ///
    /// # Errors
    /// Names the first line that is wrong.
    pub fn read(text: &str) -> Result<Vec<Sprite>, SpriteError> {
        let mut frames: Vec<Sprite> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            match line.trim_end() {
                "" => {}
                remark if remark.starts_with('#') => {}
                "frame" => frames.push(Sprite::default()),
                row => frames.last_mut().ok_or(SpriteError::Frameless(number))?.add_row(number, row)?,
            }
        }
        if frames.is_empty() || frames.iter().any(|frame| frame.pixels.is_empty()) {
            return Err(SpriteError::Empty);
        }
        Ok(frames)
    }

    fn add_row(&mut self, number: usize, row: &str) -> Result<(), SpriteError> {
        if self.pixels.is_empty() {
            self.width = row.len();
        }
        if row.len() != self.width {
            return Err(SpriteError::Ragged(number));
        }
        for letter in row.chars() {
            let colour = u8::try_from(letter).ok().and_then(Colour::from_letter);
            self.pixels.push(match colour {
                Some(colour) => colour.number(),
                None if letter == '.' => CLEAR,
                None => return Err(SpriteError::Letter(number, letter)),
            });
        }
        Ok(())
    }

    /// An image of that width from rows of numbers below 64, or [`CLEAR`].
    pub(super) fn from_pixels(width: usize, pixels: Vec<u8>) -> Sprite {
        assert!(width > 0 && pixels.len().is_multiple_of(width), "rows are whole");
        Sprite { width, pixels }
    }

    /// Width in pixels.
    pub fn width(&self) -> i32 {
        self.width as i32
    }

    /// Height in pixels.
    pub fn height(&self) -> i32 {
        (self.pixels.len() / self.width.max(1)) as i32
    }

    /// The colour of a pixel; none if it is clear or outside.
    pub fn at(&self, x: i32, y: i32) -> Option<Colour> {
        if x < 0 || y < 0 || x >= self.width() {
            return None;
        }
        let pixel = *self.pixels.get(y as usize * self.width + x as usize)?;
        (pixel != CLEAR).then_some(Colour::from_number(pixel))
    }

    /// The rows of pixels; [`CLEAR`] where they are clear.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.pixels.chunks_exact(self.width.max(1))
    }

    /// The same, looking the other way.
    pub fn mirrored(&self) -> Sprite {
        Sprite { width: self.width, pixels: self.rows().flat_map(|row| row.iter().rev().copied()).collect() }
    }

    /// The same, each colour replaced with another.
    pub(super) fn dyed(&self, table: &[u8; COLOURS]) -> Sprite {
        let dyed = |pixel: &u8| if *pixel == CLEAR { CLEAR } else { table[usize::from(*pixel) % COLOURS] };
        Sprite { width: self.width, pixels: self.pixels.iter().map(dyed).collect() }
    }

    /// The same, upside down.
    pub fn flipped(&self) -> Sprite {
        let rows: Vec<&[u8]> = self.rows().collect();
        Sprite { width: self.width, pixels: rows.into_iter().rev().flatten().copied().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_images_made_of_rows_of_letters() {
        let frames = Sprite::read("# two dots\nframe\n.A\nA.\n\nframe\n*\n").expect("a good file");
        assert_eq!((frames.len(), frames[0].width(), frames[0].height()), (2, 2, 2));
        assert_eq!(frames[0].at(1, 0), Some(Colour::of(b'A')));
        assert_eq!(frames[0].at(0, 0), None);
        assert_eq!(frames[0].at(0, 2), None);
        assert_eq!(frames[0].at(-1, 1), None);
        assert_eq!(frames[1].at(0, 0), Some(Colour::ENEMY_SHOT[0]));
    }

    #[test]
    fn an_error_names_the_line() {
        assert_eq!(Sprite::read("frame\nAA\nA\n"), Err(SpriteError::Ragged(3)));
        assert_eq!(Sprite::read("frame\nA!\n"), Err(SpriteError::Letter(2, '!')));
        assert_eq!(Sprite::read("AA\n"), Err(SpriteError::Frameless(1)));
        assert_eq!(Sprite::read("frame\n"), Err(SpriteError::Empty));
        assert_eq!(Sprite::read(""), Err(SpriteError::Empty));
    }

    #[test]
    fn a_mirror_swaps_left_and_right_and_a_flip_top_and_bottom() {
        let frames = Sprite::read("frame\nAB\nCD\n").expect("a good file");
        assert_eq!(Sprite::read("frame\nBA\nDC\n"), Ok(vec![frames[0].mirrored()]));
        assert_eq!(Sprite::read("frame\nCD\nAB\n"), Ok(vec![frames[0].flipped()]));
    }
}
