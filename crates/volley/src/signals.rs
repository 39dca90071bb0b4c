//! What signals do: SIGTERM drains a node, other signals stop it; bots stop at once.

use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
    thread,
    time::{Duration, Instant},
};

use server::shutdown::Shutdown;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ},
    iterator::Signals,
    low_level::signal_name,
};

/// The exit code of a node that was killed by repeated signals.
const EXIT_KILLED: i32 = 130;
/// The same signal again within this time is a duplicate: `timeout` signals a process, and then its process group.
const DUPLICATE_WITHIN: Duration = Duration::from_millis(10);
/// A node that is stopping has this long to say goodbye and write scores before another signal kills it.
const STOP_GRACE: Duration = Duration::from_secs(1);

/// SIGTERM drains the node, a second one stops it; so do SIGINT and SIGHUP. If it still runs after that, the next signal
/// ends the process at once.
pub fn end_on_signals(shutdown: &Shutdown, drain_grace: Duration) -> io::Result<()> {
    let mut handled = vec![SIGINT, SIGTERM];
    if !is_ignored(SIGHUP) {
        handled.push(SIGHUP);
    }
    let mut signals = Signals::new(handled)?;
    let shutdown = shutdown.clone();
    let mut received = ReceivedSignals::default();
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            tracing::info!(target: "host", signal = signal_name(signal).unwrap_or("?"), "received a signal to end");
            match received.action(signal, Instant::now()) {
                // A drain that the host ordered has no deadline: the first signal gives it one.
                SignalAction::Drain => shutdown.drain(Some(drain_grace)),
                SignalAction::Stop => shutdown.stop(),
                SignalAction::Exit => std::process::exit(EXIT_KILLED),
                SignalAction::Ignore => {}
            }
        }
    })?;
    Ok(())
}

/// When a file reaches its size limit, the system sends a signal that ends the process. Handled, it does not, and the write
/// fails like any other.
pub fn survive_file_size_limit() -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::default()).map(drop)
}

/// A flag that SIGINT and SIGTERM set; a second one ends the process at once.
pub fn stop_on_signals() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SignalAction {
    Drain,
    Stop,
    Exit,
    Ignore,
}

/// When signals first asked for a drain and for a stop.
#[derive(Default)]
struct ReceivedSignals {
    drain: Option<Instant>,
    stop: Option<Instant>,
}

impl ReceivedSignals {
    /// What to do about the next signal.
    fn action(&mut self, signal: i32, now: Instant) -> SignalAction {
        let is_within = |since: Instant, span| now.saturating_duration_since(since) < span;
        match (self.stop, self.drain) {
            (Some(since), _) if is_within(since, STOP_GRACE) => SignalAction::Ignore,
            (Some(_), _) => SignalAction::Exit,
            (None, Some(since)) if signal == SIGTERM && is_within(since, DUPLICATE_WITHIN) => SignalAction::Ignore,
            (None, None) if signal == SIGTERM => {
                self.drain = Some(now);
                SignalAction::Drain
            }
            (None, _) => {
                self.stop = Some(now);
                SignalAction::Stop
            }
        }
    }
}

/// Whether this process was started with a signal ignored, as `nohup` does with SIGHUP.
#[cfg(target_os = "linux")]
fn is_ignored(signal: i32) -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| is_among(&status, signal))
}

/// Other systems cannot tell. There, `nohup` matters more than a clean end.
#[cfg(not(target_os = "linux"))]
fn is_ignored(_: i32) -> bool {
    true
}

#[cfg(target_os = "linux")]
fn is_among(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actions(signals: &[(i32, u64)]) -> Vec<SignalAction> {
        let (mut received, start) = (ReceivedSignals::default(), Instant::now());
        signals.iter().map(|(signal, at_ms)| received.action(*signal, start + Duration::from_millis(*at_ms))).collect()
    }

    #[test]
    fn the_first_sigterm_drains_the_second_stops_and_the_third_kills() {
        let three = [(SIGTERM, 0), (SIGTERM, 20), (SIGTERM, 1100)];
        assert_eq!(actions(&three), [SignalAction::Drain, SignalAction::Stop, SignalAction::Exit]);
        assert_eq!(actions(&[(SIGTERM, 0), (SIGINT, 1)]), [SignalAction::Drain, SignalAction::Stop]);
        assert_eq!(actions(&[(SIGINT, 0), (SIGINT, 1001)]), [SignalAction::Stop, SignalAction::Exit]);
    }

    #[test]
    fn a_duplicate_signal_is_ignored() {
        assert_eq!(actions(&[(SIGTERM, 0), (SIGTERM, 2)]), [SignalAction::Drain, SignalAction::Ignore]);
        for signal in [SIGINT, SIGHUP] {
            assert_eq!(
                actions(&[(signal, 0), (signal, 2), (SIGTERM, 700)]),
                [SignalAction::Stop, SignalAction::Ignore, SignalAction::Ignore]
            );
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_signal_that_nohup_ignores_is_recognised() {
        let status = "Name:\tvolley\nSigBlk:\t0000000000000001\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000002\n";
        assert!(is_among(status, SIGHUP) && !is_among(status, SIGINT));
        assert!(!is_among("", SIGHUP) && !is_among("SigIgn:\tbanana\n", SIGHUP));
    }
}
