//! A terminal's screen as a grid of cells, and the shortest way to change one screen into the next.
//!
//! Pixels are shown two to a cell, as `▀` in the colour of the upper one on the colour of the lower one.

use std::fmt::Write;

use super::pixels::{Pixels, Rgb};

/// How many colours a terminal knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// All of them.
    Full,
    /// The 6 × 6 × 6 cube and the greys of a 256-colour terminal.
    Cube,
}

impl Depth {
    /// What the environment variable `COLORTERM` promises.
    pub fn promised(colorterm: Option<&str>) -> Depth {
        match colorterm {
            Some("truecolor" | "24bit") => Depth::Full,
            _ => Depth::Cube,
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

/// Everything a terminal shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screen {
    columns: usize,
    rows: usize,
    cells: Vec<Cell>,
}

impl Screen {
    /// A black screen.
    pub fn new(columns: usize, rows: usize) -> Screen {
        Screen { columns, rows, cells: vec![Cell::EMPTY; columns * rows] }
    }

    /// Columns and rows.
    pub fn size(&self) -> (usize, usize) {
        (self.columns, self.rows)
    }

    /// Puts one cell; outside the screen nothing happens.
    pub fn put(&mut self, column: usize, row: usize, cell: Cell) {
        if column < self.columns
            && let Some(place) = self.cells.get_mut(row * self.columns + column)
        {
            *place = cell;
        }
    }

    /// Writes text from a column on, cut off at the right edge. Returns the column after it.
    pub fn write(&mut self, column: usize, row: usize, text: &str, ink: Rgb, paper: Rgb) -> usize {
        let mut column = column;
        for symbol in text.chars() {
            self.put(column, row, Cell { symbol, ink, paper });
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
pub struct Painter {
    depth: Depth,
    shown: Option<Screen>,
}

impl Painter {
    /// For a terminal of which nothing is known yet.
    pub fn new(depth: Depth) -> Painter {
        Painter { depth, shown: None }
    }

    /// What to send to the terminal so that it shows that screen: nothing but what differs, unless the size is new.
    pub fn paint(&mut self, next: Screen) -> String {
        let known = self.shown.take().filter(|shown| shown.size() == next.size());
        let mut out = String::new();
        if known.is_none() {
            out.push_str("\x1b[0m\x1b[2J");
        }
        let mut pen = Pen { depth: self.depth, at: None, ink: None, paper: None, out };
        for (index, &cell) in next.cells.iter().enumerate() {
            if known.as_ref().is_none_or(|known| self.depth.sees(known.cells[index], cell)) {
                pen.set(index % next.columns, index / next.columns, cell);
            }
        }
        self.shown = Some(next);
        pen.out
    }
}

impl Depth {
    /// Whether two cells look different.
    fn sees(self, one: Cell, other: Cell) -> bool {
        let looks = |cell: Cell| {
            let ink = if cell.symbol == ' ' { None } else { Some(self.code(cell.ink)) };
            (cell.symbol, ink, self.code(cell.paper))
        };
        looks(one) != looks(other)
    }

    /// A number that is the same for colours that this terminal shows alike.
    fn code(self, colour: Rgb) -> u32 {
        match self {
            Depth::Full => u32::from_be_bytes([0, colour.0, colour.1, colour.2]),
            Depth::Cube => u32::from(nearest_of_256(colour)),
        }
    }
}

/// Where the terminal's cursor is and which colours it writes in.
struct Pen {
    depth: Depth,
    at: Option<(usize, usize)>,
    ink: Option<u32>,
    paper: Option<u32>,
    out: String,
}

impl Pen {
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
            Depth::Full => self.emit(format_args!("\x1b[{layer};2;{red};{green};{blue}m")),
            Depth::Cube => self.emit(format_args!("\x1b[{layer};5;{code}m")),
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
        let mut screen = Screen::new(2, 1);
        screen.write(0, 0, "hi", RED, BLUE);
        assert_eq!(
            Painter::new(Depth::Full).paint(screen),
            "\x1b[0m\x1b[2J\x1b[1;1H\x1b[38;2;255;0;0m\x1b[48;2;0;0;255mhi"
        );
    }

    #[test]
    fn then_only_what_differs_is_sent() {
        let mut painter = Painter::new(Depth::Full);
        let mut screen = Screen::new(4, 3);
        painter.paint(screen.clone());
        assert_eq!(painter.paint(screen.clone()), "");
        screen.write(1, 2, "x", RED, Rgb::BLACK);
        screen.write(3, 2, "y", RED, Rgb::BLACK);
        assert_eq!(painter.paint(screen), "\x1b[3;2H\x1b[38;2;255;0;0m\x1b[48;2;0;0;0mx\x1b[3;4Hy");
    }

    #[test]
    fn a_new_size_is_painted_whole() {
        let mut painter = Painter::new(Depth::Cube);
        painter.paint(Screen::new(4, 3));
        assert!(painter.paint(Screen::new(3, 4)).starts_with("\x1b[0m\x1b[2J"));
    }

    #[test]
    fn colours_that_a_terminal_cannot_tell_apart_are_not_sent_again() {
        let painted = |depth| {
            let mut painter = Painter::new(depth);
            let mut screen = Screen::new(1, 1);
            screen.write(0, 0, "x", Rgb(250, 0, 0), Rgb::BLACK);
            painter.paint(screen.clone());
            screen.write(0, 0, "x", Rgb(251, 0, 0), Rgb::BLACK);
            painter.paint(screen)
        };
        assert_eq!(painted(Depth::Cube), "");
        assert_ne!(painted(Depth::Full), "");
    }

    #[test]
    fn two_pixels_share_a_cell() {
        let mut pixels = Pixels::new(2, 2);
        pixels.plot(0, 0, RED);
        pixels.plot(1, 0, BLUE);
        pixels.plot(1, 1, BLUE);
        let mut screen = Screen::new(2, 1);
        screen.show(&pixels, 0, 0);
        assert_eq!(
            Painter::new(Depth::Cube).paint(screen),
            "\x1b[0m\x1b[2J\x1b[1;1H\x1b[38;5;196m\x1b[48;5;16m▀\x1b[48;5;21m "
        );
    }

    #[test]
    fn text_is_cut_off_at_the_edge() {
        let mut screen = Screen::new(3, 2);
        screen.write(1, 0, "long", RED, BLUE);
        screen.write(0, 9, "below", RED, BLUE);
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
        assert_eq!(Depth::promised(Some("truecolor")), Depth::Full);
        assert_eq!(Depth::promised(Some("24bit")), Depth::Full);
        assert_eq!(Depth::promised(Some("")), Depth::Cube);
        assert_eq!(Depth::promised(None), Depth::Cube);
    }
}
