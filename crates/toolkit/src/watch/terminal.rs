//! The terminal itself: taken over on entry, and given back as it was however the program ends.
//!
//! Raw mode, the alternate screen and the hidden cursor are undone when [`Terminal`] is dropped, before a panic is
//! reported, and after SIGINT, SIGTERM, SIGHUP and SIGQUIT, which only set a flag that the caller looks at.

use std::{
    io::{self, IsTerminal, Write},
    sync::{
        Arc, Once,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::Context;
use crossterm::{
    cursor::{Hide, Show},
    event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
    execute,
    style::ResetColor,
    terminal::{self, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen},
};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM},
    iterator::Signals,
};

use crate::UserError;

/// Whether the terminal is ours and must be given back.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// A key that means something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TerminalKey {
    Quit,
    Pause,
    /// The next seed, or the next moment of a replay.
    Next,
    Faster,
    Slower,
    /// Of a replay: five seconds back or forward, the moment before, the next player, its beginning and its end.
    Back,
    Forward,
    PreviousMoment,
    Follow,
    Begin,
    End,
}

/// The terminal while it is ours.
pub(crate) struct Terminal {
    /// The number of the signal that came, or 0.
    signal: Arc<AtomicUsize>,
}

impl Terminal {
    /// Takes the terminal over.
    pub(crate) fn take() -> anyhow::Result<Terminal> {
        give_back_on_panic();
        let terminal = Terminal { signal: watch_signals().context("cannot watch for signals")? };
        TAKEN.store(true, Ordering::SeqCst);
        terminal::enable_raw_mode().context("cannot switch the terminal to raw mode")?;
        execute!(io::stdout(), EnterAlternateScreen, Hide).context("cannot write to the terminal")?;
        Ok(terminal)
    }

    /// Columns and rows; a mistake if there is no terminal.
    pub(crate) fn size() -> anyhow::Result<(usize, usize)> {
        if !io::stdout().is_terminal() {
            return Err(UserError("standard output is not a terminal: add --text to get plain text".into()).into());
        }
        let (columns, rows) = terminal::size().context("the terminal does not say how large it is")?;
        Ok((usize::from(columns), usize::from(rows)))
    }

    /// The signal that asked the program to end.
    pub(crate) fn signal(&self) -> Option<i32> {
        match self.signal.load(Ordering::SeqCst) {
            0 => None,
            signal => Some(signal as i32),
        }
    }

    /// Sends what `cells` made, in one piece that a terminal shows at once.
    pub(crate) fn send(&self, painted: &str) -> anyhow::Result<()> {
        if painted.is_empty() {
            return Ok(());
        }
        let piece = format!("\x1b[?2026h{painted}\x1b[?2026l");
        let mut stdout = io::stdout().lock();
        stdout.write_all(piece.as_bytes()).and_then(|()| stdout.flush()).context("cannot write to the terminal")
    }

    /// Waits up to `wait` for a key that means something.
    pub(crate) fn key(&self, wait: Duration) -> anyhow::Result<Option<TerminalKey>> {
        if !event::poll(wait).context("cannot read from the terminal")? {
            return Ok(None);
        }
        match event::read().context("cannot read from the terminal")? {
            Event::Key(key) if key.kind != KeyEventKind::Release => Ok(meaning(key)),
            _ => Ok(None),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// Ends the process as if the signal had not been caught, so that whoever sent it sees that it worked.
pub(crate) fn die_of(signal: i32) -> anyhow::Result<()> {
    signal_hook::low_level::emulate_default_handler(signal).context("cannot end by a signal")
}

fn meaning(key: KeyEvent) -> Option<TerminalKey> {
    match key.code {
        KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => Some(TerminalKey::Quit),
        KeyCode::Char('q' | 'Q') | KeyCode::Esc => Some(TerminalKey::Quit),
        KeyCode::Char('p' | 'P' | ' ') => Some(TerminalKey::Pause),
        KeyCode::Char('n' | 'N') => Some(TerminalKey::Next),
        KeyCode::Char('b' | 'B') => Some(TerminalKey::PreviousMoment),
        KeyCode::Char('f' | 'F') => Some(TerminalKey::Follow),
        KeyCode::Left => Some(TerminalKey::Back),
        KeyCode::Right => Some(TerminalKey::Forward),
        KeyCode::Home => Some(TerminalKey::Begin),
        KeyCode::End => Some(TerminalKey::End),
        KeyCode::Char('+' | '=') => Some(TerminalKey::Faster),
        KeyCode::Char('-' | '_') => Some(TerminalKey::Slower),
        _ => None,
    }
}

fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        // After SIGHUP there may be no terminal any more; then there is nothing to give back and nobody to tell.
        let _ = execute!(io::stdout(), EndSynchronizedUpdate, ResetColor, Show, LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// A panic's message belongs on the ordinary screen.
fn give_back_on_panic() {
    static HOOKED: Once = Once::new();
    HOOKED.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            give_back();
            report(info);
        }));
    });
}

/// Notes signals for the caller to look at. A caller that does not look in time is stuck: when a terminal is closed,
/// the library that reads its keys may never return. Then the terminal, if there still is one, is given back from here.
fn watch_signals() -> io::Result<Arc<AtomicUsize>> {
    const PATIENCE: Duration = Duration::from_millis(300);
    const SIGNALS: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];
    let came = Arc::new(AtomicUsize::new(0));
    let twice = Arc::new(AtomicBool::new(false));
    for signal in SIGNALS {
        // Should the first signal have no effect, because a terminal takes no more output, the second one kills.
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&twice))?;
        signal_hook::flag::register(signal, Arc::clone(&twice))?;
        signal_hook::flag::register_usize(signal, Arc::clone(&came), signal as usize)?;
    }
    let mut signals = Signals::new(SIGNALS)?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            thread::sleep(PATIENCE);
            give_back();
            // It returns only for signals that do not end a process, and these all do.
            let _ = die_of(signal);
        }
    })?;
    Ok(came)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use portable_pty::{CommandBuilder, PtySize, native_pty_system};

    use super::*;

    #[test]
    fn keys_mean_what_the_last_line_says() {
        let key = |symbol| meaning(KeyEvent::new(KeyCode::Char(symbol), KeyModifiers::NONE));
        assert_eq!(
            ['q', 'p', ' ', 'n', '+', '-', 'x'].map(key),
            [
                Some(TerminalKey::Quit),
                Some(TerminalKey::Pause),
                Some(TerminalKey::Pause),
                Some(TerminalKey::Next),
                Some(TerminalKey::Faster),
                Some(TerminalKey::Slower),
                None
            ]
        );
        assert_eq!(meaning(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)), Some(TerminalKey::Quit));
        assert_eq!(key('c'), None);
    }

    /// Set in the process that is to panic: this very test, run once more in a pseudo-terminal.
    const PANIC: &str = "VOLLEY_TEST_PANIC";

    #[test]
    fn a_panic_gives_the_terminal_back_before_it_is_reported() {
        if std::env::var_os(PANIC).is_some() {
            let _terminal = Terminal::take().expect("there is a terminal");
            panic!("on purpose");
        }
        let pair = native_pty_system().openpty(PtySize::default()).expect("a pseudo-terminal");
        let before = pair.master.get_termios();
        let mut command = CommandBuilder::new(std::env::current_exe().expect("this test's own program"));
        command.args([
            "--exact",
            "--nocapture",
            "watch::terminal::tests::a_panic_gives_the_terminal_back_before_it_is_reported",
        ]);
        command.env(PANIC, "1");
        // Short, so that all of it fits into the pseudo-terminal while nobody reads.
        command.env("RUST_BACKTRACE", "0");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let mut child = pair.slave.spawn_command(command).expect("it starts");
        assert!(!child.wait().expect("it ends").success());
        assert!(before.is_some() && pair.master.get_termios() == before, "the terminal's modes are not restored");
        drop(pair.slave);
        let mut output = Vec::new();
        // The end of a pseudo-terminal is an error on Linux; what was read before it is kept.
        let _ = reader.read_to_end(&mut output);
        let output = String::from_utf8_lossy(&output);
        let place = |text| output.find(text).unwrap_or_else(|| panic!("no {text:?} in {output:?}"));
        assert!(place("\x1b[?1049h") < place("\x1b[?1049l"));
        assert!(place("\x1b[?1049l") < place("on purpose") && place("\x1b[?25h") < place("on purpose"));
    }
}
