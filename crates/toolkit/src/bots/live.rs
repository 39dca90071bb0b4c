//! What is shown while bots play, on standard error: a table that is renewed in place on a terminal, else a line now
//! and then.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

use crossterm::{
    cursor::MoveToPreviousLine,
    queue,
    terminal::{self, Clear, ClearType},
};

use super::report::Report;

const TABLE_EVERY: Duration = Duration::from_millis(500);
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Shows how bots fare.
pub(super) struct LiveStatus {
    is_terminal: bool,
    last_shown: Instant,
    /// Lines of the table that is on the terminal now.
    lines: u16,
}

impl LiveStatus {
    pub(super) fn start() -> LiveStatus {
        LiveStatus { is_terminal: io::stderr().is_terminal(), last_shown: Instant::now(), lines: 0 }
    }

    pub(super) fn is_due(&self) -> bool {
        self.last_shown.elapsed() >= if self.is_terminal { TABLE_EVERY } else { LINE_EVERY }
    }

    /// Shows it. While no bot has joined there is nothing to show.
    pub(super) fn show(&mut self, report: &Report) {
        self.last_shown = Instant::now();
        if report.total.joined == 0 {
            return;
        }
        // Nobody may be looking any more; the bots play all the same.
        let _ = if self.is_terminal { self.draw(&report.table()) } else { writeln!(io::stderr(), "{}", line(report)) };
    }

    /// Takes the table away, for the report comes next.
    pub(super) fn end(&mut self) {
        if self.lines > 0 {
            let _ = self.draw(&[]);
        }
    }

    fn draw(&mut self, table: &[String]) -> io::Result<()> {
        let mut out = io::stderr().lock();
        if self.lines > 0 {
            queue!(out, MoveToPreviousLine(self.lines))?;
        }
        queue!(out, Clear(ClearType::FromCursorDown))?;
        self.lines = table.len() as u16;
        // A line that wraps would be two when the cursor goes back.
        let width = terminal::size().map_or(80, |(columns, _)| usize::from(columns));
        for line in table {
            writeln!(out, "{line:.width$}")?;
        }
        out.flush()
    }
}

fn line(report: &Report) -> String {
    let total = &report.total;
    let frames = total.frames_per_second.map_or(0.0, |spread| spread.p50);
    format!(
        "{:.0} s: {} of {} play, {} refused, {} lost so far; {frames} frames/s each; {:.0} datagrams/s in, {:.0} out",
        report.seconds,
        total.playing,
        total.bots,
        total.refused,
        total.lost - total.unfinished,
        total.per_second.datagrams_in,
        total.per_second.datagrams_out
    )
}
