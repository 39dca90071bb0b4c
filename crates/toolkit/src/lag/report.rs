//! What became of everything that passed.

use std::fmt;

use network::Counters;

use super::relay_network::Punctuality;

/// What became of the messages so far.
#[derive(Clone, Debug)]
pub struct Report {
    pub seconds: f64,
    /// From clients to the server.
    pub up: Totals,
    /// From the server to clients.
    pub down: Totals,
    /// Clients that send datagrams.
    pub clients: usize,
    /// Open TCP connections.
    pub streams: usize,
    /// Lobbies of `rfc2020` whose ports were followed.
    pub lobbies: usize,
    /// Datagrams that the relay itself had no room for.
    pub dropped: u64,
    /// TCP connections that the relay had no room for.
    pub refused: u64,
    pub(super) punctuality: Punctuality,
    /// Why the recording is not whole.
    pub recording_error: Option<String>,
}

/// One direction.
#[derive(Clone, Copy, Debug)]
pub struct Totals {
    pub counters: Counters,
    /// Messages under way.
    pub in_flight: usize,
}

impl Report {
    /// As lines of a table.
    pub fn table(&self) -> Vec<String> {
        let head = format!(
            "{:<5}{:>10}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>9}",
            "", "messages", "a sec.", "chance", "burst", "queue", "outage", "forgot.", "twice", "held", "in flight"
        );
        vec![head, self.row("up", &self.up), self.row("down", &self.down), self.foot(), self.own_delay()]
    }

    /// In one line.
    pub fn line(&self) -> String {
        format!(
            "{:.0} s: {} up ({} lost), {} down ({} lost); {}",
            self.seconds,
            self.up.counters.sent,
            self.up.counters.lost(),
            self.down.counters.sent,
            self.down.counters.lost(),
            self.foot()
        )
    }

    /// The mean of what the relay itself added to a delay, in milliseconds.
    pub fn own_delay_ms(&self) -> f64 {
        let Punctuality { delivered, total, .. } = self.punctuality;
        if delivered == 0 { 0.0 } else { total.as_secs_f64() * 1000.0 / delivered as f64 }
    }

    fn row(&self, name: &str, totals: &Totals) -> String {
        let Counters { sent, lost_by_chance, lost_in_bursts, lost_in_queue, .. } = totals.counters;
        let Counters { lost_in_outages, lost_as_forgotten, duplicated, held_back, .. } = totals.counters;
        let rate = sent as f64 / self.seconds.max(0.001);
        format!(
            "{name:<5}{sent:>10}{rate:>8.0}{lost_by_chance:>8}{lost_in_bursts:>8}{lost_in_queue:>8}{lost_in_outages:>8}\
             {lost_as_forgotten:>8}{duplicated:>8}{held_back:>8}{:>9}",
            totals.in_flight
        )
    }

    fn foot(&self) -> String {
        let mut foot = format!("{} clients, {} TCP connections", self.clients, self.streams);
        for (count, what) in
            [(self.lobbies as u64, "lobbies"), (self.dropped, "dropped here"), (self.refused, "refused here")]
        {
            if count > 0 {
                foot += &format!(", {count} {what}");
            }
        }
        foot
    }

    fn own_delay(&self) -> String {
        let Punctuality { delivered, punctual, worst, .. } = self.punctuality;
        let share = if delivered == 0 { 100.0 } else { punctual as f64 * 100.0 / delivered as f64 };
        format!(
            "own delay: {:.3} ms on average, {:.1} ms at worst; {share:.1} % under 0.5 ms",
            self.own_delay_ms(),
            worst.as_secs_f64() * 1000.0
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.table() {
            writeln!(f, "{line}")?;
        }
        match &self.recording_error {
            Some(error) => writeln!(f, "the recording is not whole: {error}"),
            None => Ok(()),
        }
    }
}
