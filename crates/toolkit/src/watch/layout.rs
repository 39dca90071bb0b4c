//! The whole screen of `volley watch`: two lines about the game, the field, and a line about the keys.

use client::draw::{Colour, Palette};
use game::{Frame, GameState, Player, Seat, Stage};

use super::{
    cells::{Style, TerminalScreen},
    picture::{Renderer, fitting},
    pixels::{Pixels, Rgb},
};

/// A terminal with fewer columns or rows cannot show a game.
pub const COLUMNS_MIN: usize = 40;
/// See [`COLUMNS_MIN`].
pub const ROWS_MIN: usize = 14;

const PAPER: Rgb = Rgb(20, 22, 34);
const INK: Rgb = Rgb(190, 196, 210);
const FAINT: Rgb = Rgb(120, 126, 145);
const LOUD: Rgb = Rgb(255, 214, 120);

/// What the screen says besides the Frame.
#[derive(Clone, Debug, Default)]
pub struct StatusLine {
    /// How fast it goes, unless that is real time.
    pub speed: Option<String>,
    /// Whether it stands still.
    pub paused: bool,
    /// What else there is to say about the game, the most important first.
    pub notes: Vec<String>,
    /// What the keys do.
    pub keys: &'static [&'static str],
}

/// Whether a terminal of that size can show a game.
pub fn fits(columns: usize, rows: usize) -> bool {
    columns >= COLUMNS_MIN && rows >= ROWS_MIN
}

/// What a screen is about.
#[derive(Clone, Copy)]
pub struct Contents<'a> {
    pub frame: &'a Frame,
    pub stage: &'a Stage,
    pub status: &'a StatusLine,
}

/// The screen of some columns and rows that shows the game, or says that it is too small.
pub fn compose(contents: &Contents<'_>, renderer: &mut Renderer, (columns, rows): (usize, usize)) -> TerminalScreen {
    let mut screen = TerminalScreen::new(columns, rows);
    if !fits(columns, rows) {
        let text = format!("{columns}×{rows} is too small: {COLUMNS_MIN}×{ROWS_MIN} needed (q quits)");
        screen.write((0, 0), &text, Style { ink: LOUD, paper: Rgb::BLACK });
        return screen;
    }
    let (width, height) = fitting(columns, (rows - 3) * 2);
    let mut pixels = Pixels::new(width, height);
    renderer.draw(contents.frame, contents.stage, &mut pixels);
    screen.show(&pixels, (columns - width) / 2, 2 + (rows - 3 - height / 2) / 2);
    write_status(&mut screen, contents);
    write_players(&mut screen, contents.frame);
    write_keys(&mut screen, contents.status.keys);
    screen
}

/// Parts of a line, the most important first: those that no longer fit are left out.
fn write_parts(screen: &mut TerminalScreen, row: usize, parts: &[(String, Rgb)]) {
    let (columns, _) = screen.size();
    screen.write((0, row), &" ".repeat(columns), Style { ink: INK, paper: PAPER });
    let mut column = 1;
    for (text, ink) in parts {
        if column + text.chars().count() < columns {
            column = screen.write((column, row), text, Style { ink: *ink, paper: PAPER }) + 2;
        }
    }
}

fn write_status(screen: &mut TerminalScreen, contents: &Contents<'_>) {
    let Contents { frame, stage, status } = *contents;
    let mut parts = vec![(stage.title.clone(), INK)];
    match frame.state {
        _ if status.paused => parts.push(("paused".into(), LOUD)),
        GameState::Running => {}
        state => parts.push((state.name().into(), LOUD)),
    }
    parts.push((format!("score {}", frame.score), INK));
    parts.extend(status.speed.iter().map(|speed| (format!("×{speed}"), LOUD)));
    parts.extend(status.notes.iter().map(|note| (note.clone(), FAINT)));
    parts.push((format!("{} entities", frame.entities.len()), FAINT));
    write_parts(screen, 0, &parts);
}

fn write_keys(screen: &mut TerminalScreen, keys: &[&str]) {
    let (_, rows) = screen.size();
    let parts: Vec<(String, Rgb)> = keys.iter().map(|key| ((*key).into(), FAINT)).collect();
    write_parts(screen, rows - 1, &parts);
}

fn write_players(screen: &mut TerminalScreen, frame: &Frame) {
    let (columns, _) = screen.size();
    screen.write((0, 1), &" ".repeat(columns), Style { ink: INK, paper: PAPER });
    for (index, seat) in Seat::ALL.into_iter().enumerate() {
        if let Some(player) = &frame.players[seat.index()] {
            let charge = frame.ship(seat).map_or(0, |ship| ship.charge);
            write_player(screen, columns / 4 * index + 1, seat, (player, charge));
        }
    }
}

/// Number, lives, beam gauge and Force of one player, in at most a quarter of the line.
fn write_player(screen: &mut TerminalScreen, column: usize, seat: Seat, (player, charge): (&Player, u8)) {
    let (columns, _) = screen.size();
    let [red, green, blue] = Palette::Default.rgb(Colour::SEATS[seat.index()]);
    let style = Style { ink: Rgb(red, green, blue), paper: PAPER };
    let number = seat.number() + 1;
    if player.lives == 0 {
        screen.write((column, 1), &format!("{number} out"), Style { ink: FAINT, ..style });
        return;
    }
    let column = screen.write((column, 1), &format!("{number} ♥{} ", player.lives), style);
    let width = (columns / 4).saturating_sub(9).clamp(2, 12);
    let column = screen.write((column, 1), &gauge(charge, width), Style { paper: Rgb(46, 50, 68), ..style });
    if player.force_level > 0 {
        screen.write((column, 1), &format!("F{}", player.force_level), style);
    }
}

/// A bar of eighths of a column.
fn gauge(charge: u8, width: usize) -> String {
    const EIGHTHS: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
    let filled = usize::from(charge) * width * 8 / 255;
    (0..width).map(|column| EIGHTHS[filled.saturating_sub(column * 8).min(8)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::cells::{ColourDepth, ScreenDiff};

    fn status() -> StatusLine {
        StatusLine {
            notes: vec!["tick 0".into(), "seed 7".into()],
            keys: &["q quit", "p pause"],
            ..StatusLine::default()
        }
    }

    /// The characters of a screen without their colours.
    fn text(screen: TerminalScreen) -> String {
        let painted = ScreenDiff::new(ColourDepth::Cube).update(screen);
        let mut parts = painted.split('\x1b');
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |all, part| all + part.split_once(['m', 'H', 'J']).map_or("", |(_, rest)| rest))
    }

    fn composed(status: StatusLine, size: (usize, usize)) -> TerminalScreen {
        let (frame, stage) = (some_frame(), Stage::sketch(&[]));
        compose(&Contents { frame: &frame, stage: &stage, status: &status }, &mut Renderer::default(), size)
    }

    fn some_frame() -> Frame {
        let mut frame = Frame { score: 4200, ..Frame::default() };
        frame.state = GameState::Running;
        let player = Player { lives: 2, force_level: 3, ..Player::of(Seat::ALL[0]) };
        frame.players = [Some(player), None, Some(Player { lives: 0, ..player }), Some(player)];
        frame
    }

    #[test]
    fn the_lines_say_how_the_game_stands() {
        let all = text(composed(status(), (120, 40)));
        for part in ["Sketch", "score 4200", "tick 0", "seed 7", "0 entities", "1 ♥2", "F3", "3 out", "q quit"] {
            assert!(all.contains(part), "no {part:?}");
        }
        assert!(!all.contains("paused") && !all.contains("running"));
        let paused = StatusLine { paused: true, speed: Some("2".into()), ..status() };
        let all = text(composed(paused, (120, 40)));
        assert!(all.contains("paused") && all.contains("×2"));
    }

    #[test]
    fn the_smallest_screen_still_says_the_most_important() {
        let all = text(composed(status(), (COLUMNS_MIN, ROWS_MIN)));
        for part in ["score 4200", "1 ♥2", "3 out", "4 ♥2", "q quit"] {
            assert!(all.contains(part), "no {part:?}");
        }
    }

    #[test]
    fn a_screen_that_is_too_small_says_so() {
        let all = text(composed(status(), (60, 5)));
        assert!(all.starts_with("60×5 is too small: 40×14 needed"));
        assert_eq!(composed(status(), (0, 0)).size(), (0, 0));
        assert_eq!(composed(status(), (1, 1)).size(), (1, 1));
    }

    #[test]
    fn the_gauge_fills_from_the_left() {
        assert_eq!(gauge(0, 3), "   ");
        assert_eq!(gauge(255, 3), "███");
        assert_eq!(gauge(128, 2), "█ ");
        assert_eq!(gauge(16, 2), "▏ ");
    }
}
