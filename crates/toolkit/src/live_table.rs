//! What a tool shows on standard error while it works: a table that is renewed in place on a terminal, else a line now and
//! then.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

use crossterm::{
    cursor::MoveToPreviousLine,
    queue,
    terminal::{self, Clear, ClearType},
};

const TABLE_EVERY: Duration = Duration::from_millis(500);
const LINE_EVERY: Duration = Duration::from_secs(5);

/// A place on standard error for figures that change.
pub struct LiveTable {
    is_terminal: bool,
    last_shown: Instant,
    /// Lines of the table that is on the terminal now.
    lines: u16,
}

impl LiveTable {
    /// Nothing is shown yet.
    pub fn start() -> LiveTable {
        LiveTable { is_terminal: io::stderr().is_terminal(), last_shown: Instant::now(), lines: 0 }
    }

    /// Whether it is time to show new figures.
    pub fn is_due(&self) -> bool {
        self.last_shown.elapsed() >= if self.is_terminal { TABLE_EVERY } else { LINE_EVERY }
    }

    /// Shows the table on a terminal, or the line elsewhere.
    pub fn show(&mut self, table: impl FnOnce() -> Vec<String>, line: impl FnOnce() -> String) {
        self.last_shown = Instant::now();
        // Nobody may be looking any more; the work goes on all the same.
        let _ = if self.is_terminal { self.draw(&table()) } else { writeln!(io::stderr(), "{}", line()) };
    }

    /// Shows nothing this time.
    pub fn skip(&mut self) {
        self.last_shown = Instant::now();
    }

    /// Takes the table away, for the report comes next.
    pub fn end(&mut self) {
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
