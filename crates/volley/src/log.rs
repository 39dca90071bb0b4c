//! The log on standard error. It never makes the node wait, and peers cannot flood it.

use std::{ffi::OsString, io, time::Instant};

use server::quiet::QUIET;
use toolkit::UserError;
use tracing::{Event, Level, Metadata, Subscriber, level_filters::LevelFilter, subscriber::Interest};
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::FilterExt,
    layer::{Context, Filter, SubscriberExt},
    registry::LookupSpan,
    util::SubscriberInitExt,
};

use crate::arguments::LogFormat;

/// Lines that wait for a slow reader of the log; then they are lost.
const LINES_MAX: usize = 4096;
/// What is in it if nobody chose.
const DEFAULT: &str = "info";
/// Lines of the host's own doing, which are not limited.
const HOST: &str = "host";

/// The variable that chooses what is in the log.
const CHOICE: &str = "RUST_LOG";

/// Starts the log. What waits is written when the guard is dropped.
pub fn start(format: LogFormat) -> Result<WorkerGuard, UserError> {
    let filter = chosen(std::env::var_os(CHOICE))?.and(Limit);
    let (writer, guard) = NonBlockingBuilder::default().buffered_lines_limit(LINES_MAX).finish(io::stderr());
    let registry = tracing_subscriber::registry();
    let layer = tracing_subscriber::fmt::layer().with_writer(writer);
    match format {
        LogFormat::Text => registry.with(layer.with_ansi(false).with_filter(filter)).init(),
        LogFormat::Json => registry.with(layer.json().with_filter(filter)).init(),
    }
    Ok(guard)
}

fn chosen(choice: Option<OsString>) -> Result<EnvFilter, UserError> {
    let Some(choice) = choice.filter(|choice| !choice.is_empty()) else { return Ok(EnvFilter::new(DEFAULT)) };
    let text = choice.to_string_lossy();
    EnvFilter::try_new(&text).map_err(|error| {
        UserError(format!("{CHOICE}={text}: {error}; write a level such as {DEFAULT} or debug, or server=debug,warn"))
    })
}

/// Lets through what the node's limit admits.
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
            Level::ERROR => QUIET.admits_error(now),
            _ => QUIET.admits(now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_that_makes_no_sense_is_refused_with_one_that_does() {
        for right in [None, Some(""), Some("debug"), Some("server=debug,warn")] {
            assert!(chosen(right.map(OsString::from)).is_ok(), "{right:?}");
        }
        let said = chosen(Some("server=banana".into())).expect_err("no level").to_string();
        assert!(said.contains("RUST_LOG=server=banana") && said.contains("info or debug"), "{said}");
    }
}
