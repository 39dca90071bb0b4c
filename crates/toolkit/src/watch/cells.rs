//! A terminal's screen as a grid of cells, and the shortest way to change one screen into the next.
//!
//! Pixels are shown two to a cell, as `▀` in the colour of the upper one on the colour of the lower one.

use std::fmt::Write;

use super::pixels::{Pixels, Rgb};

/// How many colours a terminal knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourDepth {
    /// All of them.
    Full,
    /// The 6 × 6 × 6 cube and the greys of a 256-colour terminal.
    Cube,
}

impl ColourDepth {
    /// What the environment variable `COLORTERM` promises.
    pub fn promised(colorterm: Option<&str>) -> ColourDepth {
        match colorterm {
            Some("truecolor" | "24bit") => ColourDepth::Full,
            _ => ColourDepth::Cube,
        }
    }
}

/// One character and its colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// One column wide.
    pub symbol: char,
    /// Of the character.
    pub ink: Rgb,
    /// Behind it.
    pub paper: Rgb,
}

impl Cell {
    const EMPTY: Cell = Cell { symbol: ' ', ink: Rgb::BLACK, paper: Rgb::BLACK };

    fn of_pixels(upper: Rgb, lower: Rgb) -> Cell {
        if upper == lower {
            Cell { symbol: ' ', ink: lower, paper: lower }
        } else {
            Cell { symbol: '▀', ink: upper, paper: lower }
        }
    }
}

/// The colours of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub ink: Rgb,
    pub paper: Rgb,
}

/// Everything a terminal shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalScreen {
    columns: usize,
    rows: usize,
    cells: Vec<Cell>,
}

impl TerminalScreen {
    /// A black screen.
    pub fn new(columns: usize, rows: usize) -> TerminalScreen {
        TerminalScreen { columns, rows, cells: vec![Cell::EMPTY; columns * rows] }
    }

    /// Columns and rows.
    pub fn size(&self) -> (usize, usize) {
        (self.columns, self.rows)
    }

    /// Puts one cell; outside the screen nothing happens.
    pub fn put(&mut self, column: usize, row: usize, cell: Cell) {
        if column < self.columns
            && let Some(shown) = self.cells.get_mut(row * self.columns + column)
        {
            *shown = cell;
        }
    }

    /// Writes text from a column on, cut off at the right edge. Returns the column after it.
    pub fn write(&mut self, (column, row): (usize, usize), text: &str, style: Style) -> usize {
        let mut column = column;
        for symbol in text.chars() {
            self.put(column, row, Cell { symbol, ink: style.ink, paper: style.paper });
            column += 1;
        }
        column
    }

    /// Shows pixels, two to a cell, with their upper left corner in that cell.
    pub fn show(&mut self, pixels: &Pixels, column: usize, row: usize) {
        for y in 0..pixels.height().div_ceil(2) {
            for x in 0..pixels.width() {
                self.put(column + x, row + y, Cell::of_pixels(pixels.at(x, 2 * y), pixels.at(x, 2 * y + 1)));
            }
        }
    }
}

/// Remembers what a terminal shows, and says how to change it.
#[derive(Debug)]
pub struct ScreenDiff {
    depth: ColourDepth,
    shown: Option<TerminalScreen>,
}

impl ScreenDiff {
    /// For a terminal of which nothing is known yet.
    pub fn new(depth: ColourDepth) -> ScreenDiff {
        ScreenDiff { depth, shown: None }
    }

    /// What to send to the terminal so that it shows that screen: nothing but what differs, unless the size is new.
    pub fn update(&mut self, mut next: TerminalScreen) -> String {
        let known = self.shown.take().filter(|shown| shown.size() == next.size());
        let mut out = String::new();
        if known.is_none() {
            out.push_str("\x1b[0m\x1b[2J");
        }
        let columns = next.columns;
        let mut writer = EscapeWriter { depth: self.depth, at: None, ink: None, paper: None, out };
        for (index, cell) in next.cells.iter_mut().enumerate() {
            match known.as_ref().map(|known| known.cells[index]) {
                // It goes on being shown, so a colour that changes little by little is sent in the end.
                Some(shown) if !self.depth.sees(shown, *cell) => *cell = shown,
                _ => writer.set(index % columns, index / columns, *cell),
            }
        }
        self.shown = Some(next);
        writer.out
    }
}

impl ColourDepth {
    /// Whether two cells look different, and not only a little: most of a game's picture is a background that moves on,
    /// and on a slow line it must not cost more than the game.
    fn sees(self, shown: Cell, next: Cell) -> bool {
        let differs = |one: Rgb, other: Rgb| !is_close(one, other) && self.code(one) != self.code(other);
        shown.symbol != next.symbol
            || differs(shown.paper, next.paper)
            || next.symbol != ' ' && differs(shown.ink, next.ink)
    }

    /// A number that is the same for colours that this terminal shows alike.
    fn code(self, colour: Rgb) -> u32 {
        match self {
            ColourDepth::Full => u32::from_be_bytes([0, colour.0, colour.1, colour.2]),
            ColourDepth::Cube => u32::from(nearest_of_256(colour)),
        }
    }
}

/// Colours of which no part differs by more are taken to look alike.
const CLOSE: u8 = 12;

fn is_close(one: Rgb, other: Rgb) -> bool {
    one.0.abs_diff(other.0) <= CLOSE && one.1.abs_diff(other.1) <= CLOSE && one.2.abs_diff(other.2) <= CLOSE
}

/// Where the terminal's cursor is and which colours it writes in.
struct EscapeWriter {
    depth: ColourDepth,
    at: Option<(usize, usize)>,
    ink: Option<u32>,
    paper: Option<u32>,
    out: String,
}

impl EscapeWriter {
    fn set(&mut self, column: usize, row: usize, cell: Cell) {
        if self.at != Some((column, row)) {
            self.emit(format_args!("\x1b[{};{}H", row + 1, column + 1));
        }
        let (ink, paper) = (self.depth.code(cell.ink), self.depth.code(cell.paper));
        if cell.symbol != ' ' && self.ink != Some(ink) {
            self.colour(38, ink);
            self.ink = Some(ink);
        }
        if self.paper != Some(paper) {
            self.colour(48, paper);
            self.paper = Some(paper);
        }
        self.out.push(cell.symbol);
        // At the right edge terminals differ in where the cursor is; the next row's first cell never matches this.
        self.at = Some((column + 1, row));
    }

    fn colour(&mut self, layer: u8, code: u32) {
        let [_, red, green, blue] = code.to_be_bytes();
        match self.depth {
            ColourDepth::Full => self.emit(format_args!("\x1b[{layer};2;{red};{green};{blue}m")),
            ColourDepth::Cube => self.emit(format_args!("\x1b[{layer};5;{code}m")),
        }
    }

    fn emit(&mut self, text: std::fmt::Arguments<'_>) {
        self.out.write_fmt(text).expect("a String takes all that is written");
    }
}

/// The colour of the 256-colour table that is nearest: the cube (16–231) or a grey (232–255).
fn nearest_of_256(colour: Rgb) -> u8 {
    let (red, green, blue) = (cube_step(colour.0), cube_step(colour.1), cube_step(colour.2));
    let cube = Rgb(CUBE[red], CUBE[green], CUBE[blue]);
    let average = (u16::from(colour.0) + u16::from(colour.1) + u16::from(colour.2)) / 3;
    let grey = (average.saturating_sub(3) / 10).min(23) as u8;
    let level = 8 + 10 * grey;
    if distance(colour, Rgb(level, level, level)) < distance(colour, cube) {
        232 + grey
    } else {
        (16 + 36 * red + 6 * green + blue) as u8
    }
}

/// The brightness of the six steps of the cube.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

fn cube_step(value: u8) -> usize {
    match value {
        0..48 => 0,
        48..115 => 1,
        _ => usize::from((value - 35) / 40),
    }
}

fn distance(one: Rgb, other: Rgb) -> u32 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    square(one.0, other.0) + square(one.1, other.1) + square(one.2, other.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Rgb = Rgb(255, 0, 0);
    const BLUE: Rgb = Rgb(0, 0, 255);

    #[test]
    fn the_first_screen_is_painted_whole() {
        let mut screen = TerminalScreen::new(2, 1);
        screen.write((0, 0), "hi", Style { ink: RED, paper: BLUE });
        assert_eq!(
            ScreenDiff::new(ColourDepth::Full).update(screen),
            "\x1b[0m\x1b[2J\x1b[1;1H\x1b[38;2;255;0;0m\x1b[48;2;0;0;255mhi"
        );
    }

    #[test]
    fn then_only_what_differs_is_sent() {
        let mut diff = ScreenDiff::new(ColourDepth::Full);
        let mut screen = TerminalScreen::new(4, 3);
        diff.update(screen.clone());
        assert_eq!(diff.update(screen.clone()), "");
        screen.write((1, 2), "x", Style { ink: RED, paper: Rgb::BLACK });
        screen.write((3, 2), "y", Style { ink: RED, paper: Rgb::BLACK });
        assert_eq!(diff.update(screen), "\x1b[3;2H\x1b[38;2;255;0;0m\x1b[48;2;0;0;0mx\x1b[3;4Hy");
    }

    #[test]
    fn a_new_size_is_painted_whole() {
        let mut diff = ScreenDiff::new(ColourDepth::Cube);
        diff.update(TerminalScreen::new(4, 3));
        assert!(diff.update(TerminalScreen::new(3, 4)).starts_with("\x1b[0m\x1b[2J"));
    }

    #[test]
    fn colours_that_look_alike_are_not_sent_again() {
        let painted = |depth, changed| {
            let mut diff = ScreenDiff::new(depth);
            let mut screen = TerminalScreen::new(1, 1);
            screen.write((0, 0), "x", Style { ink: Rgb(220, 0, 0), paper: Rgb::BLACK });
            diff.update(screen.clone());
            screen.write((0, 0), "x", Style { ink: changed, paper: Rgb::BLACK });
            diff.update(screen)
        };
        let (close, further) = (Rgb(220 + CLOSE, 0, 0), Rgb(220 - CLOSE - 1, 0, 0));
        assert_eq!([painted(ColourDepth::Cube, close), painted(ColourDepth::Full, close)], ["", ""]);
        assert_eq!(painted(ColourDepth::Cube, further), "", "the table has no other red so near");
        assert_ne!(painted(ColourDepth::Full, further), "");
    }

    #[test]
    fn a_colour_that_changes_little_by_little_is_sent_in_the_end() {
        let mut diff = ScreenDiff::new(ColourDepth::Full);
        let mut sent = 0;
        for red in 0..=60 {
            let mut screen = TerminalScreen::new(1, 1);
            screen.write((0, 0), " ", Style { ink: RED, paper: Rgb(red, 0, 0) });
            sent += usize::from(!diff.update(screen).is_empty());
        }
        assert_eq!(sent, 1 + 60 / usize::from(CLOSE + 1));
    }

    #[test]
    fn two_pixels_share_a_cell() {
        let mut pixels = Pixels::new(2, 2);
        pixels.plot(0, 0, RED);
        pixels.plot(1, 0, BLUE);
        pixels.plot(1, 1, BLUE);
        let mut screen = TerminalScreen::new(2, 1);
        screen.show(&pixels, 0, 0);
        assert_eq!(
            ScreenDiff::new(ColourDepth::Cube).update(screen),
            "\x1b[0m\x1b[2J\x1b[1;1H\x1b[38;5;196m\x1b[48;5;16m▀\x1b[48;5;21m "
        );
    }

    #[test]
    fn text_is_cut_off_at_the_edge() {
        let mut screen = TerminalScreen::new(3, 2);
        screen.write((1, 0), "long", Style { ink: RED, paper: BLUE });
        screen.write((0, 9), "below", Style { ink: RED, paper: BLUE });
        assert_eq!(screen.cells[3], Cell::EMPTY);
    }

    #[test]
    fn the_cube_and_the_greys_are_met_exactly() {
        assert_eq!(nearest_of_256(Rgb(0, 0, 0)), 16);
        assert_eq!(nearest_of_256(Rgb(255, 255, 255)), 231);
        assert_eq!(nearest_of_256(Rgb(95, 135, 175)), 67);
        assert_eq!(nearest_of_256(Rgb(8, 8, 8)), 232);
        assert_eq!(nearest_of_256(Rgb(128, 128, 128)), 244);
    }

    #[test]
    fn only_a_terminal_that_says_so_gets_all_colours() {
        assert_eq!(ColourDepth::promised(Some("truecolor")), ColourDepth::Full);
        assert_eq!(ColourDepth::promised(Some("24bit")), ColourDepth::Full);
        assert_eq!(ColourDepth::promised(Some("")), ColourDepth::Cube);
        assert_eq!(ColourDepth::promised(None), ColourDepth::Cube);
    }
}
