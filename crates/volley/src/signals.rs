//! What signals mean to a command: to a node, an end with or without patience; to bots, the end.

use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
    thread,
    time::{Duration, Instant},
};

use server::ending::Ending;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ},
    iterator::Signals,
    low_level::signal_name,
};

/// The exit code of who is asked to end once more and has not yet.
const IMPATIENT: i32 = 130;
/// The same signal so soon is the same wish: `timeout` signals a process, and then the group that it is in.
const ECHO: Duration = Duration::from_millis(10);
/// A node that has begun to end is given so long for goodbyes and scores before another signal cuts it off.
const FAREWELL: Duration = Duration::from_secs(1);

/// SIGTERM drains, a second one ends at once; so do SIGINT and SIGHUP. Who has to ask once more does not wait for goodbyes.
pub fn end_on_signals(ending: &Ending, patience: Duration) -> io::Result<()> {
    let mut heard = vec![SIGINT, SIGTERM];
    if !is_ignored(SIGHUP) {
        heard.push(SIGHUP);
    }
    let mut signals = Signals::new(heard)?;
    let ending = ending.clone();
    let mut wishes = Wishes::default();
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            tracing::info!(target: "host", signal = signal_name(signal).unwrap_or("?"), "asked to end");
            match wishes.hear(signal, Instant::now()) {
                // A drain that the host ordered has no deadline: a first signal gives it one.
                Wish::Drain => ending.drain(Some(patience)),
                Wish::Stop => ending.stop(),
                Wish::Exit => std::process::exit(IMPATIENT),
                Wish::Known => {}
            }
        }
    })?;
    Ok(())
}

/// Where a file may grow no more the system sends a signal that ends a process. Once it is heard it does not, and what
/// could not be written is an error like any other.
pub fn survive_full_files() -> io::Result<()> {
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

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    Drain,
    Stop,
    Exit,
    Known,
}

/// What was asked for so far.
#[derive(Default)]
struct Wishes {
    drains: Option<Instant>,
    stops: Option<Instant>,
}

impl Wishes {
    fn hear(&mut self, signal: i32, now: Instant) -> Wish {
        let is_within = |since: Instant, span| now.saturating_duration_since(since) < span;
        match (self.stops, self.drains) {
            (Some(since), _) if is_within(since, FAREWELL) => Wish::Known,
            (Some(_), _) => Wish::Exit,
            (None, Some(since)) if signal == SIGTERM && is_within(since, ECHO) => Wish::Known,
            (None, None) if signal == SIGTERM => {
                self.drains = Some(now);
                Wish::Drain
            }
            (None, _) => {
                self.stops = Some(now);
                Wish::Stop
            }
        }
    }
}

/// Whether who started this process had it ignore a signal, as `nohup` does with SIGHUP.
#[cfg(target_os = "linux")]
fn is_ignored(signal: i32) -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| is_among(&status, signal))
}

/// Elsewhere it cannot be asked; then what `nohup` wants is worth more than a goodbye.
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

    fn wishes(signals: &[(i32, u64)]) -> Vec<Wish> {
        let (mut wishes, start) = (Wishes::default(), Instant::now());
        signals.iter().map(|(signal, at_ms)| wishes.hear(*signal, start + Duration::from_millis(*at_ms))).collect()
    }

    #[test]
    fn the_first_sigterm_drains_the_second_stops_and_the_third_cuts_off() {
        let asked = [(SIGTERM, 0), (SIGTERM, 20), (SIGTERM, 1100)];
        assert_eq!(wishes(&asked), [Wish::Drain, Wish::Stop, Wish::Exit]);
        assert_eq!(wishes(&[(SIGTERM, 0), (SIGINT, 1)]), [Wish::Drain, Wish::Stop]);
        assert_eq!(wishes(&[(SIGINT, 0), (SIGINT, 1001)]), [Wish::Stop, Wish::Exit]);
    }

    #[test]
    fn a_signal_that_comes_twice_at_once_is_one() {
        assert_eq!(wishes(&[(SIGTERM, 0), (SIGTERM, 2)]), [Wish::Drain, Wish::Known]);
        for signal in [SIGINT, SIGHUP] {
            assert_eq!(wishes(&[(signal, 0), (signal, 2), (SIGTERM, 700)]), [Wish::Stop, Wish::Known, Wish::Known]);
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_nohup_has_a_process_ignore_is_known() {
        let status = "Name:\tvolley\nSigBlk:\t0000000000000001\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000002\n";
        assert!(is_among(status, SIGHUP) && !is_among(status, SIGINT));
        assert!(!is_among("", SIGHUP) && !is_among("SigIgn:\tbanana\n", SIGHUP));
    }
}
