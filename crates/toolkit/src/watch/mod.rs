//! `volley watch`: a game played by bots, drawn in a terminal or written as text.
//!
//! `picture.rs` draws a Frame with the client's renderer and scales it to a grid of pixels, `cells.rs` turns pixels into
//! what a terminal is sent; both are pure. `terminal.rs` alone touches the terminal.

pub(crate) mod cells;
mod game_clock;
pub(crate) mod layout;
pub(crate) mod picture;
mod pixels;
pub(crate) mod terminal;
pub(crate) mod text;

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    io::{self, Write},
    sync::Arc,
    time::{Duration, Instant},
};

pub use bot::BotGame;
use game::{Skill, Stage};

pub use self::game_clock::Speed;
use self::{
    cells::{ColourDepth, ScreenDiff},
    game_clock::GameClock,
    layout::{Contents, StatusLine},
    picture::Renderer,
    terminal::{Terminal, TerminalKey},
};
use crate::UserError;

/// Between two drawings: 30 a second are smooth, and few enough for a slow line.
pub(crate) const DRAW_EVERY: Duration = Duration::from_millis(33);

/// What to watch, and how.
#[derive(Clone, Debug)]
pub struct Options {
    pub stage: Arc<Stage>,
    /// Bots, one to four.
    pub players: usize,
    /// How well they play.
    pub skill: Skill,
    /// The seed of the first game.
    pub seed: u64,
    /// How many ticks to watch; without end if `None`.
    pub ticks: Option<u64>,
}

impl Options {
    fn game(&self) -> BotGame {
        BotGame::new(Arc::clone(&self.stage), self.players, self.seed).with_skill(self.skill)
    }
}

/// A seed that nobody chose, short enough to be read out.
pub fn any_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 1_000_000
}

/// Writes the game as text: every `every`th tick, and a line whenever a game begins. A reader that has seen enough and
/// goes is not an error.
pub fn write_text(options: &Options, every: u64, out: &mut impl Write) -> io::Result<()> {
    match write_all_text(options, every, out) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

fn write_all_text(options: &Options, every: u64, out: &mut impl Write) -> io::Result<()> {
    let mut game = options.game();
    let mut announced = None;
    let mut tick = 0;
    while options.ticks.is_none_or(|limit| tick < limit) {
        game.tick();
        tick += 1;
        let current = (game.seed(), game.stage().fingerprint);
        if announced.replace(current) != Some(current) {
            writeln!(out, "game seed {} stage {} players {}", game.seed(), game.stage().name, options.players)?;
        }
        if tick % every == 0 {
            text::write_frame(out, game.frame(), game.hash())?;
        }
    }
    out.flush()
}

/// Shows the game in the terminal until it is over, a key says so or a signal comes. Returns the seed last watched.
pub fn show(options: &Options, speed: Speed) -> anyhow::Result<u64> {
    refuse_small(Terminal::size()?)?;
    let terminal = Terminal::take()?;
    let colorterm = std::env::var("COLORTERM").ok();
    let mut viewer = Viewer {
        game: options.game(),
        diff: ScreenDiff::new(ColourDepth::promised(colorterm.as_deref())),
        renderer: Renderer::default(),
        clock: GameClock::new(speed, Duration::ZERO),
        ticks_left: options.ticks,
    };
    viewer.run(&terminal)?;
    let signal = terminal.signal();
    drop(terminal);
    signal.map_or(Ok(()), terminal::die_of)?;
    Ok(viewer.game.seed())
}

pub(crate) fn refuse_small((columns, rows): (usize, usize)) -> Result<(), UserError> {
    if layout::fits(columns, rows) {
        return Ok(());
    }
    Err(UserError(format!(
        "the terminal is {columns}×{rows}, too small to show a game: make it at least {}×{}, or add --text",
        layout::COLUMNS_MIN,
        layout::ROWS_MIN
    )))
}

struct Viewer {
    game: BotGame,
    renderer: Renderer,
    diff: ScreenDiff,
    clock: GameClock,
    ticks_left: Option<u64>,
}

impl Viewer {
    fn run(&mut self, terminal: &Terminal) -> anyhow::Result<()> {
        let began = Instant::now();
        let mut next_drawing = Duration::ZERO;
        while terminal.signal().is_none() && self.advance(began.elapsed()) {
            if began.elapsed() >= next_drawing {
                self.draw(terminal)?;
                // Counted from now: after a slow drawing the next waits its turn, and the game catches up first.
                next_drawing = began.elapsed() + DRAW_EVERY;
            }
            let wait = next_drawing.saturating_sub(began.elapsed());
            if !self.obey(terminal.key(wait)?) {
                break;
            }
        }
        Ok(())
    }

    /// Plays the ticks that are due. False once the last one is played.
    fn advance(&mut self, now: Duration) -> bool {
        for _ in 0..self.clock.ticks_due(now) {
            match &mut self.ticks_left {
                Some(0) => return false,
                Some(left) => *left -= 1,
                None => {}
            }
            self.game.tick();
            self.renderer.observe(self.game.frame());
        }
        self.ticks_left != Some(0)
    }

    fn draw(&mut self, terminal: &Terminal) -> anyhow::Result<()> {
        let speed = self.clock.speed;
        let (seed, tick) = (self.game.seed(), self.game.frame().tick.0);
        let status = StatusLine {
            speed: (speed != Speed::NORMAL).then(|| (f64::from(speed.percent()) / 100.0).to_string()),
            paused: self.clock.paused,
            notes: vec![format!("tick {tick}"), format!("seed {seed}")],
            keys: &["q quit", "p pause", "n next seed", "+ faster", "- slower"],
        };
        let contents = Contents { frame: self.game.frame(), stage: self.game.stage(), status: &status };
        let screen = layout::compose(&contents, &mut self.renderer, Terminal::size()?);
        terminal.send(&self.diff.update(screen))
    }

    /// False if the key means to quit.
    fn obey(&mut self, key: Option<TerminalKey>) -> bool {
        match key {
            Some(TerminalKey::Quit) => return false,
            Some(TerminalKey::Pause) => self.clock.paused = !self.clock.paused,
            Some(TerminalKey::Next) => self.game.next_seed(),
            Some(TerminalKey::Faster) => self.clock.speed = self.clock.speed.faster(),
            Some(TerminalKey::Slower) => self.clock.speed = self.clock.speed.slower(),
            Some(
                TerminalKey::Back
                | TerminalKey::Forward
                | TerminalKey::PreviousMoment
                | TerminalKey::Follow
                | TerminalKey::Begin
                | TerminalKey::End,
            )
            | None => {}
        }
        true
    }
}
