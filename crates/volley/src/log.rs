//! The log on standard error. It never makes the node wait, and peers cannot flood it.

use std::{
    ffi::OsString,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use server::log_limit::LOG_LIMIT;
use toolkit::UserError;
use tracing::{Event, Level, Metadata, Subscriber, level_filters::LevelFilter, subscriber::Interest};
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::FilterExt,
    fmt::MakeWriter,
    layer::{Context, Filter, SubscriberExt},
    registry::LookupSpan,
    util::SubscriberInitExt,
};

use crate::arguments::LogFormat;

/// Lines that wait for a slow reader of the log. More are lost.
const LINES_MAX: usize = 4096;
/// What is logged if nobody chose.
const DEFAULT: &str = "info";
/// The target of lines that are not limited.
const HOST: &str = "host";

/// The environment variable that chooses what is logged.
const VARIABLE: &str = "RUST_LOG";

/// Whoever waits for lines to be written waits no longer than this: nobody may read them.
const SETTLE_MAX: Duration = Duration::from_secs(1);

/// The log. Lines that wait are written when it is dropped.
pub struct Log {
    _guard: WorkerGuard,
    lines: Arc<Lines>,
}

impl Log {
    /// Returns when all lines so far are written, or after a second.
    pub fn settle(&self) {
        let began = Instant::now();
        while self.lines.are_waiting() && began.elapsed() < SETTLE_MAX {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// How many lines there were.
#[derive(Default)]
struct Lines {
    queued: AtomicUsize,
    written: AtomicUsize,
}

impl Lines {
    fn are_waiting(&self) -> bool {
        self.written.load(Ordering::Acquire) < self.queued.load(Ordering::Acquire)
    }
}

/// Queues lines, and counts them.
struct Queue {
    writer: NonBlocking,
    lines: Arc<Lines>,
}

impl<'a> MakeWriter<'a> for Queue {
    type Writer = NonBlocking;

    /// Each line asks for a writer once.
    fn make_writer(&'a self) -> NonBlocking {
        self.lines.queued.fetch_add(1, Ordering::Release);
        self.writer.clone()
    }
}

/// Where the lines go in the end, one in each call; it counts them.
struct Outlet<W> {
    to: W,
    lines: Arc<Lines>,
}

impl<W: io::Write> io::Write for Outlet<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let result = self.to.write_all(line);
        self.lines.written.fetch_add(1, Ordering::Release);
        result.map(|()| line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Starts the log.
pub fn start(format: LogFormat) -> Result<Log, UserError> {
    let filter = filter(std::env::var_os(VARIABLE))?.and(Limit);
    let lines = Arc::new(Lines::default());
    let outlet = Outlet { to: io::stderr(), lines: Arc::clone(&lines) };
    let (writer, guard) = NonBlockingBuilder::default().buffered_lines_limit(LINES_MAX).finish(outlet);
    let writer = Queue { writer, lines: Arc::clone(&lines) };
    let registry = tracing_subscriber::registry();
    let layer = tracing_subscriber::fmt::layer().with_writer(writer);
    match format {
        LogFormat::Text => registry.with(layer.with_ansi(false).with_filter(filter)).init(),
        LogFormat::Json => registry.with(layer.json().with_filter(filter)).init(),
    }
    Ok(Log { _guard: guard, lines })
}

fn filter(choice: Option<OsString>) -> Result<EnvFilter, UserError> {
    let Some(choice) = choice.filter(|choice| !choice.is_empty()) else { return Ok(EnvFilter::new(DEFAULT)) };
    let text = choice.to_string_lossy();
    EnvFilter::try_new(&text).map_err(|error| {
        UserError(format!(
            "{VARIABLE}={text}: {error}; use a level such as {DEFAULT} or debug, or a filter such as server=debug,warn"
        ))
    })
}

/// Applies the node's [`LOG_LIMIT`].
struct Limit;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Filter<S> for Limit {
    fn enabled(&self, _: &Metadata, _: &Context<S>) -> bool {
        true
    }

    fn callsite_enabled(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        None
    }

    fn event_enabled(&self, event: &Event, _: &Context<S>) -> bool {
        let now = Instant::now();
        match *event.metadata().level() {
            _ if event.metadata().target() == HOST => true,
            Level::ERROR => LOG_LIMIT.admits_error(now),
            _ => LOG_LIMIT.admits(now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_filter_is_refused_with_an_example() {
        for right in [None, Some(""), Some("debug"), Some("server=debug,warn")] {
            assert!(filter(right.map(OsString::from)).is_ok(), "{right:?}");
        }
        let message = filter(Some("server=banana".into())).expect_err("no level").to_string();
        assert!(message.contains("RUST_LOG=server=banana") && message.contains("info or debug"), "{message}");
    }
}
