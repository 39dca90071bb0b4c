//! `volley bench lag`: what the relay itself adds to a delay, measured from outside. Datagrams that carry the time are sent at an
//! even rate, first straight to a receiver, then through a relay that is told to do nothing, then through one that delays them.

use std::{
    fmt,
    io::{self, ErrorKind},
    net::{Ipv4Addr, SocketAddr, UdpSocket},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, anyhow};
use network::Conditions;

use super::{Options as RelayOptions, Relay};
use crate::live_table::LiveTable;

/// Datagrams are sent together once in such a time.
const BURST_EVERY: Duration = Duration::from_millis(1);
/// As long as a player's datagram.
const DATAGRAM_BYTES: usize = 64;
/// The delay that the relay is told to add in the last run.
const DELAY: Duration = Duration::from_millis(20);
/// How long the receiver waits after the last datagram.
const QUIET: Duration = Duration::from_millis(500);
/// The first part of a run does not count: threads and sockets are new.
const WARM_UP: f64 = 0.1;
/// What the relay may add.
const OWN_DELAY_MAX: Duration = Duration::from_micros(500);

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Datagrams a second.
    pub rate: u32,
    /// How long each run takes.
    pub time: Duration,
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Report {
    rate: u32,
    direct: Delays,
    through: Delays,
    delayed: Delays,
}

/// How long datagrams took, sorted.
#[derive(Clone, Debug)]
struct Delays {
    sent: usize,
    took: Vec<Duration>,
}

/// Measures; `progress` is told what is under way.
pub fn run(options: Options, progress: impl Fn(&str)) -> anyhow::Result<Report> {
    progress("straight to the receiver");
    let direct = send_through(options, None)?;
    progress("through a relay that adds nothing");
    let through = send_through(options, Some(Conditions::PERFECT))?;
    progress("through a relay that adds 20 ms");
    let mut slow = Conditions::PERFECT;
    (slow.up.delay, slow.down.delay) = (DELAY, DELAY);
    let mut delayed = send_through(options, Some(slow))?;
    delayed.took.iter_mut().for_each(|took| *took = took.saturating_sub(DELAY));
    Ok(Report { rate: options.rate, direct, through, delayed })
}

fn send_through(options: Options, conditions: Option<Conditions>) -> anyhow::Result<Delays> {
    let receiver = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).context("cannot open a socket")?;
    let address = receiver.local_addr()?;
    let Some(conditions) = conditions else { return send(options, receiver, address) };
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let relay_options = RelayOptions { listen, to: address.to_string(), conditions, seed: 1, record: None };
    let mut relay = Relay::open(&relay_options)?;
    let (entrance, stop) = (relay.address(), AtomicBool::new(false));
    thread::scope(|scope| {
        let carried = scope.spawn(|| relay.run(&stop, &mut LiveTable::start()));
        let delays = send(options, receiver, entrance);
        stop.store(true, Ordering::Relaxed);
        carried.join().map_err(|_| anyhow!("the relay panicked"))??;
        delays
    })
}

fn send(options: Options, receiver: UdpSocket, to: SocketAddr) -> anyhow::Result<Delays> {
    let began = Instant::now();
    thread::scope(|scope| {
        let received = scope.spawn(move || receive(&receiver, began));
        let sent = send_evenly(options, to, began)?;
        let mut took = received.join().map_err(|_| anyhow!("the receiver panicked"))??;
        let counted = took.split_off((took.len() as f64 * WARM_UP) as usize);
        let mut took: Vec<Duration> = counted;
        took.sort_unstable();
        Ok(Delays { sent, took })
    })
}

/// Sends datagrams that say when they were sent. How many.
fn send_evenly(options: Options, to: SocketAddr, began: Instant) -> anyhow::Result<usize> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).context("cannot open a socket")?;
    socket.connect(to)?;
    let (mut sent, mut datagram) = (0usize, [0; DATAGRAM_BYTES]);
    while began.elapsed() < options.time {
        let due = (began.elapsed().as_secs_f64() * f64::from(options.rate)) as usize;
        while sent < due {
            let now = began.elapsed().as_nanos() as u64;
            datagram[..8].copy_from_slice(&now.to_le_bytes());
            socket.send(&datagram).context("cannot send")?;
            sent += 1;
        }
        thread::sleep(BURST_EVERY);
    }
    Ok(sent)
}

/// How long each datagram took, until none comes any more.
fn receive(socket: &UdpSocket, began: Instant) -> io::Result<Vec<Duration>> {
    socket2::SockRef::from(socket).set_recv_buffer_size(4 << 20)?;
    socket.set_read_timeout(Some(QUIET))?;
    let (mut took, mut buffer) = (Vec::new(), [0; DATAGRAM_BYTES]);
    loop {
        match socket.recv(&mut buffer) {
            Ok(DATAGRAM_BYTES) => {
                let stamp = buffer.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
                took.push(began.elapsed().saturating_sub(Duration::from_nanos(stamp)));
            }
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                // Before the first one, it may only be late.
                if !took.is_empty() || began.elapsed() > Duration::from_secs(10) {
                    return Ok(took);
                }
            }
            Err(error) => return Err(error),
        }
    }
}

impl Delays {
    fn mean(&self) -> Duration {
        self.took.iter().sum::<Duration>() / self.took.len().max(1) as u32
    }

    /// The time that this many of a hundred did not exceed.
    fn percentile(&self, percent: f64) -> Duration {
        let index = (self.took.len() as f64 * percent / 100.0) as usize;
        self.took.get(index.min(self.took.len().saturating_sub(1))).copied().unwrap_or_default()
    }
}

impl Report {
    /// What the relay added on average, the larger of the two runs.
    pub fn own_delay(&self) -> Duration {
        let added = |delays: &Delays| delays.mean().saturating_sub(self.direct.mean());
        added(&self.through).max(added(&self.delayed))
    }

    /// Whether the relay added as little as it promises.
    pub fn is_kept(&self) -> bool {
        !self.delayed.took.is_empty() && self.own_delay() < OWN_DELAY_MAX
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} datagrams of {DATAGRAM_BYTES} bytes a second, one way, in milliseconds:", self.rate)?;
        writeln!(f, "{:<34}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}", "", "sent", "lost", "mean", "50 %", "99 %", "worst")?;
        for (what, delays) in [
            ("straight to the receiver", &self.direct),
            ("through a relay that adds nothing", &self.through),
            ("through one that adds 20 ms, less 20", &self.delayed),
        ] {
            let ms = |time: Duration| format!("{:.3}", time.as_secs_f64() * 1000.0);
            // A tenth was left out; what is missing of the rest was lost.
            let counted = delays.sent - (delays.sent as f64 * WARM_UP) as usize;
            writeln!(
                f,
                "{what:<34}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}",
                delays.sent,
                counted.saturating_sub(delays.took.len()),
                ms(delays.mean()),
                ms(delays.percentile(50.0)),
                ms(delays.percentile(99.0)),
                ms(delays.percentile(100.0)),
            )?;
        }
        let verdict = if self.is_kept() { "under" } else { "NOT under" };
        writeln!(
            f,
            "added by the relay itself: {:.3} ms on average, {verdict} 0.5 ms",
            self.own_delay().as_secs_f64() * 1000.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_is_measured_and_the_delay_that_was_asked_for_does_not_count() {
        let report = run(Options { rate: 500, time: Duration::from_millis(300) }, |_| {}).expect("it can be measured");
        for delays in [&report.direct, &report.through, &report.delayed] {
            assert!(delays.sent > 10 && !delays.took.is_empty(), "{report}");
            assert!(delays.took.is_sorted() && delays.percentile(50.0) <= delays.percentile(100.0));
        }
        assert!(report.to_string().contains("added by the relay itself"));
    }
}
