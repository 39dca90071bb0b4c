//! The log on standard error. It never makes the node wait, and peers cannot flood it.

use std::{io, time::Instant};

use server::quiet::QUIET;
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
/// Lines of the host's own doing, which are not limited.
const HOST: &str = "host";

/// Starts the log. What waits is written when the guard is dropped.
pub fn start(format: LogFormat) -> WorkerGuard {
    let (writer, guard) = NonBlockingBuilder::default().buffered_lines_limit(LINES_MAX).finish(io::stderr());
    let chosen = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let filter = chosen.and(Limit);
    let registry = tracing_subscriber::registry();
    let layer = tracing_subscriber::fmt::layer().with_writer(writer);
    match format {
        LogFormat::Text => registry.with(layer.with_ansi(false).with_filter(filter)).init(),
        LogFormat::Json => registry.with(layer.json().with_filter(filter)).init(),
    }
    guard
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
