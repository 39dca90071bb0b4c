//! A replay in the terminal: drawn as `volley watch` draws, and controlled by keys.

use std::time::{Duration, Instant};

use game::Seat;
use replay::{MomentKind, Playback, Replay, Speed, clock};

use crate::watch::{
    DRAW_EVERY,
    cells::{ColourDepth, ScreenDiff},
    layout::{self, Contents, StatusLine},
    picture::Renderer,
    refuse_small,
    terminal::{self, Terminal, TerminalKey},
};

/// How far the arrows lead, in ticks.
const STEP_TICKS: i64 = 5 * 60;

const KEYS: &[&str] =
    &["q quit", "p pause", "←→ 5 s", "n next moment", "b back to one", "f follow", "+ faster", "- slower", "Home End"];

/// Shows a replay from a moment on, until a key or a signal says so.
pub fn show(replay: &Replay, from: u32, follows: Option<Seat>) -> anyhow::Result<()> {
    refuse_small(Terminal::size()?)?;
    let mut playback = Playback::new(replay)?;
    playback.seek(from)?;
    playback.follow(follows);
    let terminal = Terminal::take()?;
    let colorterm = std::env::var("COLORTERM").ok();
    let diff = ScreenDiff::new(ColourDepth::promised(colorterm.as_deref()));
    let mut viewer = Viewer { playback, renderer: Renderer::default(), diff };
    let result = viewer.run(&terminal);
    let signal = terminal.signal();
    drop(terminal);
    result?;
    signal.map_or(Ok(()), terminal::die_of)
}

struct Viewer {
    playback: Playback,
    renderer: Renderer,
    diff: ScreenDiff,
}

impl Viewer {
    fn run(&mut self, terminal: &Terminal) -> anyhow::Result<()> {
        let (mut last, mut next_drawing) = (Instant::now(), Instant::now());
        while terminal.signal().is_none() {
            let now = Instant::now();
            self.advance(now.duration_since(std::mem::replace(&mut last, now)))?;
            if now >= next_drawing {
                self.draw(terminal)?;
                next_drawing = Instant::now() + DRAW_EVERY;
            }
            match terminal.key(next_drawing.saturating_duration_since(Instant::now()))? {
                Some(TerminalKey::Quit) => break,
                Some(key) => self.obey(key)?,
                None => {}
            }
        }
        Ok(())
    }

    fn advance(&mut self, passed: Duration) -> anyhow::Result<()> {
        if self.playback.search_on()? && self.playback.take_jump() {
            self.renderer.forget();
        }
        for _ in 0..self.playback.ticks_due(passed) {
            if !self.playback.tick()? {
                break;
            }
            self.renderer.observe(self.playback.frame());
        }
        Ok(())
    }

    fn obey(&mut self, key: TerminalKey) -> anyhow::Result<()> {
        let playback = &mut self.playback;
        match key {
            TerminalKey::Pause if playback.now() == playback.end() => {
                playback.seek(0)?;
                playback.set_paused(false);
            }
            TerminalKey::Pause => playback.set_paused(!playback.is_paused()),
            TerminalKey::Faster => playback.set_speed(playback.speed().faster()),
            TerminalKey::Slower => playback.set_speed(playback.speed().slower()),
            TerminalKey::Back => playback.seek_by(-STEP_TICKS)?,
            TerminalKey::Forward => playback.seek_by(STEP_TICKS)?,
            TerminalKey::Next => _ = playback.next_moment()?,
            TerminalKey::PreviousMoment => _ = playback.previous_moment()?,
            TerminalKey::Follow => playback.follow_next(),
            TerminalKey::Begin => playback.seek(0)?,
            TerminalKey::End => playback.seek(playback.end())?,
            TerminalKey::Quit => {}
        }
        self.renderer.follows = playback.follows();
        if playback.take_jump() {
            self.renderer.forget();
        }
        Ok(())
    }

    fn draw(&mut self, terminal: &Terminal) -> anyhow::Result<()> {
        let stage = self.playback.reel().replay().stage().clone();
        let status = status(&self.playback);
        let contents = Contents { frame: self.playback.frame(), stage: &stage, status: &status };
        let screen = layout::compose(&contents, &mut self.renderer, Terminal::size()?);
        terminal.send(&self.diff.update(screen))
    }
}

fn status(playback: &Playback) -> StatusLine {
    let mut notes = vec![format!("{} / {}", clock(playback.now()), clock(playback.end()))];
    notes.extend(playback.follows().map(|seat| format!("follows {}", seat.number() + 1)));
    let moments = playback.moments();
    let deaths = moments.iter().filter(|moment| matches!(moment.kind, MomentKind::Death(_))).count();
    notes.push(format!("{deaths} deaths, {} bosses", moments.len() - deaths));
    let speed = playback.speed();
    StatusLine {
        speed: (speed != Speed::NORMAL).then(|| speed.to_string()),
        paused: playback.is_paused(),
        notes,
        keys: KEYS,
    }
}
