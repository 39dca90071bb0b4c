//! The letters: one set of glyphs from `art/font.txt`, in two sizes. The large glyphs are the small ones, doubled and
//! smoothed.
//!
//! They cover ASCII, Latin-1, œ, and a few arrows and signs. Any other character is shown as a question mark.

use std::{collections::BTreeMap, sync::LazyLock};

/// A size of letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Font {
    /// Capitals are 7 pixels high.
    #[default]
    Small,
    /// Capitals are 14 pixels high.
    Large,
}

impl Font {
    /// Both sizes.
    pub const ALL: [Font; 2] = [Font::Small, Font::Large];

    /// From the top of one line to the top of the next, in pixels.
    pub const fn line_height(self) -> i32 {
        12 * self.scale()
    }

    /// Height of a capital letter in pixels.
    pub const fn height(self) -> i32 {
        7 * self.scale()
    }

    /// Width of a text in pixels.
    pub fn width(self, text: &str) -> i32 {
        let advance: i32 = text.chars().map(|letter| self.glyph(letter).width + self.scale()).sum();
        (advance - self.scale()).max(0)
    }

    /// The beginning of a text that fits into this width in pixels.
    pub fn fitting(self, text: &str, width: i32) -> &str {
        let mut used = 0;
        for (at, letter) in text.char_indices() {
            used += self.glyph(letter).width;
            if used > width {
                return &text[..at];
            }
            used += self.scale();
        }
        text
    }

    /// How many times larger than the small size it is.
    pub(super) const fn scale(self) -> i32 {
        match self {
            Font::Small => 1,
            Font::Large => 2,
        }
    }

    pub(super) fn glyph(self, letter: char) -> &'static Glyph {
        let glyphs = match self {
            Font::Small => &GLYPHS.0,
            Font::Large => &GLYPHS.1,
        };
        let letter = if letter == NO_BREAK_SPACE { ' ' } else { letter };
        glyphs.get(&letter).or_else(|| glyphs.get(&'?')).unwrap_or(&NOTHING)
    }
}

/// Looks like a space, but no line is broken at it.
const NO_BREAK_SPACE: char = '\u{a0}';

/// One letter: a bit per pixel, the lowest bit at the left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glyph {
    pub(super) width: i32,
    /// From [`Glyph::RISE`] small pixels above the top of a capital.
    pub(super) rows: Vec<u16>,
}

impl Glyph {
    /// Rows for marks above a capital.
    pub(super) const RISE: i32 = 3;

    fn bit(&self, x: i32, y: i32) -> bool {
        let row = usize::try_from(y).ok().and_then(|y| self.rows.get(y)).copied().unwrap_or(0);
        (0..16).contains(&x) && row >> x & 1 == 1
    }

    /// Twice the size; where two sides of a step agree, its corner is filled or cut (the rule known as Scale2x).
    fn doubled(&self) -> Glyph {
        let mut rows = vec![0; self.rows.len() * 2];
        for y in 0..self.rows.len() as i32 {
            for x in 0..self.width {
                let here = self.bit(x, y);
                let (up, down, left, right) =
                    (self.bit(x, y - 1), self.bit(x, y + 1), self.bit(x - 1, y), self.bit(x + 1, y));
                let corner = |a: bool, b: bool, c: bool, d: bool| if a == b && a != c && b != d { a } else { here };
                let corners = [
                    corner(left, up, down, right),
                    corner(up, right, left, down),
                    corner(down, left, right, up),
                    corner(right, down, up, left),
                ];
                for (index, bit) in corners.into_iter().enumerate() {
                    rows[(2 * y) as usize + index / 2] |= u16::from(bit) << (2 * x as usize + index % 2);
                }
            }
        }
        Glyph { width: self.width * 2, rows }
    }
}

type Glyphs = BTreeMap<char, Glyph>;

/// Small and large; a test rules out that the file is broken.
static GLYPHS: LazyLock<(Glyphs, Glyphs)> = LazyLock::new(|| {
    let small = read(include_str!("../../../../art/font.txt"));
    let large = small.iter().map(|(&letter, glyph)| (letter, glyph.doubled())).collect();
    (small, large)
});

/// Used if even the question mark is missing.
static NOTHING: Glyph = Glyph { width: 0, rows: Vec::new() };

/// Rows of a small glyph: marks, capitals, descenders.
const ROWS: usize = Glyph::RISE as usize + 9;

fn read(text: &str) -> Glyphs {
    let mut glyphs = Glyphs::new();
    let mut marks: BTreeMap<char, Glyph> = BTreeMap::new();
    let mut names: Vec<char> = Vec::new();
    let mut row = 0;
    for line in text.lines() {
        let first = line.split(' ').next().unwrap_or("");
        match first {
            // A row of pixels may begin with `#` too, but never with `# `: the first glyph of a row is never that narrow.
            "#" if names.is_empty() => {}
            "=" => {
                names = line.split(' ').skip(1).filter_map(name).collect();
                row = Glyph::RISE as usize;
            }
            "mark" => read_mark(line, &mut marks),
            "+" => compose(line, &marks, &mut glyphs),
            _ => {
                read_row(line, row, &names, &mut glyphs);
                row += 1;
            }
        }
    }
    glyphs
}

fn name(word: &str) -> Option<char> {
    if word == "space" { Some(' ') } else { word.chars().next() }
}

fn read_row(line: &str, row: usize, names: &[char], glyphs: &mut Glyphs) {
    for (&letter, drawing) in names.iter().zip(line.split(' ')) {
        let glyph = glyphs.entry(letter).or_insert_with(|| Glyph { width: 0, rows: vec![0; ROWS] });
        glyph.width = glyph.width.max(drawing.len() as i32);
        if let Some(bits) = glyph.rows.get_mut(row) {
            *bits = bits_of(drawing);
        }
    }
}

fn bits_of(drawing: &str) -> u16 {
    drawing.bytes().take(16).enumerate().fold(0, |bits, (x, dot)| bits | u16::from(dot == b'#') << x)
}

fn read_mark(line: &str, marks: &mut BTreeMap<char, Glyph>) {
    let words: Vec<&str> = line.split(' ').collect();
    if let [_, mark, drawings @ ..] = &words[..]
        && let Some(mark) = name(mark)
    {
        let width = drawings.iter().map(|drawing| drawing.len()).max().unwrap_or(0) as i32;
        marks.insert(mark, Glyph { width, rows: drawings.iter().map(|drawing| bits_of(drawing)).collect() });
    }
}

/// Letters with a mark: `+ ' é=e`.
fn compose(line: &str, marks: &BTreeMap<char, Glyph>, glyphs: &mut Glyphs) {
    let mut words = line.split(' ').skip(1);
    let Some((sign, mark)) = words.next().and_then(name).and_then(|sign| Some((sign, marks.get(&sign)?))) else {
        return;
    };
    for pair in words {
        let mut letters = pair.chars();
        let (Some(letter), Some(base)) = (letters.next(), letters.nth(1)) else { continue };
        let Some(base_glyph) = glyphs.get(&base) else { continue };
        let mut glyph = base_glyph.clone();
        let shift = (mark.width - glyph.width).max(0) / 2;
        glyph.width = glyph.width.max(mark.width);
        glyph.rows.iter_mut().for_each(|row| *row <<= shift);
        let from = match sign {
            ',' => ROWS - 2,
            _ if base.is_uppercase() => 0,
            _ => 2,
        };
        for (row, bits) in mark.rows.iter().enumerate() {
            glyph.rows[from + row] |= bits << ((glyph.width - mark.width) / 2);
        }
        glyphs.insert(letter, glyph);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_latin_1_and_french_have_a_glyph_each() {
        let letters = (' '..='~').chain('¡'..='ÿ').chain("œŒ’…€←→".chars()).filter(|&letter| letter != '\u{ad}');
        let mut seen: BTreeMap<Vec<u16>, char> = BTreeMap::new();
        for letter in letters {
            let glyph = GLYPHS.0.get(&letter).unwrap_or_else(|| panic!("no glyph for {letter:?}"));
            assert!(glyph.width >= 1 && glyph.rows.len() == ROWS, "{letter:?}");
            assert!(letter == ' ' || glyph.rows.iter().any(|&row| row != 0), "{letter:?} is empty");
            if let Some(other) = seen.insert(glyph.rows.clone(), letter) {
                // A comma-like sign may double as another.
                panic!("{letter:?} looks like {other:?}");
            }
        }
    }

    #[test]
    fn the_width_of_a_text_includes_the_gaps_between_letters() {
        assert_eq!(Font::Small.width(""), 0);
        assert_eq!(Font::Small.width("A"), 5);
        assert_eq!(Font::Small.width("AI"), 9);
        assert_eq!(Font::Large.width("AI"), 18);
        assert_eq!(Font::Small.width("\u{1f680}"), Font::Small.width("?"));
    }

    #[test]
    fn a_text_is_cut_where_it_no_longer_fits() {
        assert_eq!(Font::Small.fitting("ABC", 17), "ABC");
        assert_eq!(Font::Small.fitting("ABC", 16), "AB");
        assert_eq!(Font::Small.fitting("é", 0), "");
    }

    #[test]
    fn doubling_keeps_a_straight_line_straight() {
        let large = Font::Large.glyph('I');
        assert_eq!(large.width, 6);
        assert_eq!(large.rows[10], 0b001100);
    }
}
