//! How far long work is, on standard error: one line that is written over, and only on a terminal.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

use replay::clock;

/// How often the line is rewritten. Work that is done sooner shows none.
const EVERY: Duration = Duration::from_millis(200);

pub(super) struct Progress {
    what: &'static str,
    /// Ticks of all of it.
    end: u32,
    is_terminal: bool,
    shown_at: Instant,
    is_shown: bool,
}

impl Progress {
    pub fn new(what: &'static str, end: u32) -> Progress {
        Progress { what, end, is_terminal: io::stderr().is_terminal(), shown_at: Instant::now(), is_shown: false }
    }

    /// How many ticks are done.
    pub fn show(&mut self, ticks: u32) {
        if !self.is_terminal || self.shown_at.elapsed() < EVERY {
            return;
        }
        (self.shown_at, self.is_shown) = (Instant::now(), true);
        // A terminal that is gone is no reason to stop.
        let _ = write!(io::stderr(), "\r\x1b[K{}", line(self.what, ticks, self.end));
    }

    /// The work is done.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

fn line(what: &str, ticks: u32, end: u32) -> String {
    let percent = u64::from(ticks) * 100 / u64::from(end.max(1));
    format!("{what}: {} of {} ({percent} %)", clock(ticks), clock(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is() {
        assert_eq!(line("filming", 900, 3600), "filming: 0:15.0 of 1:00.0 (25 %)");
        assert_eq!(line("filming", 0, 0), "filming: 0:00.0 of 0:00.0 (0 %)");
    }
}
