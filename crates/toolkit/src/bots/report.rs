//! The report about bots: how many joined, what they received, what was lost.

use std::{collections::BTreeMap, fmt, time::Duration};

use protocol::Dialect;
use serde::Serialize;

use super::{
    player::{BotPlayer, Ending, PlayerFigures},
    round_trips::{RoundTrip, RoundTrips},
};

/// What became of all bots of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// How long the run was, without the goodbyes.
    pub seconds: f64,
    /// How often each bot thinks; in between it holds what it held.
    pub thinks_per_second: u32,
    /// Turns that were skipped because this end was too slow.
    pub turns_skipped: u64,
    /// All of them.
    pub total: Row,
    /// By dialect, those that were spoken.
    pub dialects: Vec<Row>,
    /// The first error of our own system, if there was one.
    pub first_error: Option<String>,
    /// What is wrong with the server, as the first bot found that noticed.
    pub server_fault: Option<String>,
}

/// Some of the bots.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What they speak; `all` for all of them.
    pub dialect: &'static str,
    /// How many there are.
    pub bots: usize,
    /// Those that came into a game.
    pub joined: usize,
    /// Those in a game now.
    #[serde(skip)]
    pub playing: usize,
    /// Those that there was no room for.
    pub refused: usize,
    /// Those that joined and did not stay, or never joined; the sum of the next five.
    pub lost: usize,
    /// Lost to silence.
    pub timed_out: usize,
    /// Ended by the node.
    pub closed: usize,
    /// Nobody listens there.
    pub unreachable: usize,
    /// Errors of our own system.
    pub errors: usize,
    /// Still joining when the run ended.
    pub unfinished: usize,
    /// From the first word to a seat, in milliseconds.
    pub join_ms: Option<Spread>,
    /// From a press to the Frame that shows it.
    pub round_trip_ms: Option<RoundTrip>,
    /// Frames received by each bot that joined, a second.
    pub frames_per_second: Option<Spread>,
    /// What was carried, over the whole run.
    pub per_second: PerSecond,
    /// Datagrams and pieces of streams that could not be read.
    pub malformed: u64,
}

/// How a figure is spread over bots.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The least.
    pub min: f64,
    /// Half have no more.
    pub p50: f64,
    /// Ninety-nine of a hundred have no more.
    pub p99: f64,
}

/// Traffic a second, without the headers of UDP, TCP and IP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PerSecond {
    /// Datagrams received.
    pub datagrams_in: f64,
    /// Bytes received.
    pub bytes_in: f64,
    /// Datagrams sent.
    pub datagrams_out: f64,
    /// Bytes sent.
    pub bytes_out: f64,
}

/// What a report is about.
pub(super) struct Run<'a> {
    pub(super) players: &'a [BotPlayer],
    pub(super) round_trips: &'a BTreeMap<Dialect, RoundTrips>,
    pub(super) time: Duration,
}

impl Report {
    /// A report of a run in which no turn was skipped.
    pub(super) fn new(run: &Run<'_>, thinks_per_second: u32) -> Report {
        let Run { players, round_trips, time } = *run;
        let entries: Vec<BotResult> = players.iter().map(BotResult::new).collect();
        let spoken = |dialect: Dialect| {
            let entries: Vec<&BotResult> = entries.iter().filter(|entry| entry.dialect == dialect).collect();
            let round_trip = round_trips.get(&dialect).and_then(RoundTrips::summary);
            (!entries.is_empty()).then(|| Row::new(dialect.name(), &entries, round_trip, time))
        };
        let all = RoundTrips::merged(round_trips.values()).summary();
        let first_error = entries.iter().find_map(|entry| match &entry.figures.ending {
            Ending::Failed(error) => Some(error.clone()),
            _ => None,
        });
        Report {
            seconds: rounded(time.as_secs_f64()),
            thinks_per_second,
            turns_skipped: 0,
            total: Row::new("all", &entries.iter().collect::<Vec<_>>(), all, time),
            dialects: Dialect::ALL.into_iter().filter_map(spoken).collect(),
            first_error,
            server_fault: entries.iter().find_map(|entry| entry.figures.server_fault.clone()),
        }
    }

    /// Whether all joined and none was lost.
    pub fn is_whole(&self) -> bool {
        self.total.joined == self.total.bots && self.total.lost == 0
    }

    /// Whether not one byte came back, so that there may be nobody.
    pub(super) fn heard_nothing(&self) -> bool {
        self.total.per_second.bytes_in == 0.0 && self.total.lost > 0
    }

    /// As one JSON object.
    pub fn json(&self) -> String {
        // Numbers, fixed names and texts: there is nothing in it that JSON cannot say.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The table, a line for each dialect and one for all. It fits into 80 columns.
    pub fn table(&self) -> Vec<String> {
        let head = format!(
            "{:<9} {:>5} {:>6} {:>7} {:>4} {:>9} {:>8} {:>7} {:>8} {:>7}",
            "dialect", "bots", "joined", "refused", "lost", "frames/s", "rtt, ms", "in/s", "KB in/s", "out/s"
        );
        let rows = self.dialects.iter().chain((self.dialects.len() > 1).then_some(&self.total));
        std::iter::once(head).chain(rows.map(Row::line)).collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.table() {
            writeln!(f, "{line}")?;
        }
        let total = &self.total;
        writeln!(f, "frames/s: worst bot and median; in, out: datagrams")?;
        writeln!(f, "rtt: round trip, from a press to the Frame that shows it: median and 99th percentile")?;
        writeln!(f, "{} s; each bot thinks {} times a second", self.seconds, self.thinks_per_second)?;
        if let Some(join) = total.join_ms {
            writeln!(f, "joining took {} ms (half), {} ms (99 of 100)", join.p50, join.p99)?;
        }
        writeln!(
            f,
            "lost: {} timed out, {} closed by the node, {} unreachable, {} errors, {} still joining; {} malformed",
            total.timed_out, total.closed, total.unreachable, total.errors, total.unfinished, total.malformed
        )?;
        if self.turns_skipped > 0 {
            writeln!(f, "this machine was too slow: {} turns of bots were skipped", self.turns_skipped)?;
        }
        if let Some(fault) = &self.server_fault {
            writeln!(f, "{fault}")?;
        }
        match &self.first_error {
            Some(error) => writeln!(f, "first error: {error}"),
            None => Ok(()),
        }
    }
}

/// What one bot brings to a row.
struct BotResult {
    dialect: Dialect,
    figures: PlayerFigures,
    is_playing: bool,
}

impl BotResult {
    fn new(player: &BotPlayer) -> BotResult {
        BotResult { dialect: player.dialect, figures: player.figures(), is_playing: player.is_playing() }
    }

    fn frames_per_second(&self) -> Option<f64> {
        self.figures.joined_after?;
        Some(self.figures.frames as f64 / self.figures.played.as_secs_f64().max(f64::EPSILON))
    }

    fn join_ms(&self) -> Option<f64> {
        Some(self.figures.joined_after?.as_secs_f64() * 1000.0)
    }
}

impl Row {
    fn new(dialect: &'static str, entries: &[&BotResult], round_trip_ms: Option<RoundTrip>, time: Duration) -> Row {
        let count =
            |holds: &dyn Fn(&PlayerFigures) -> bool| entries.iter().filter(|entry| holds(&entry.figures)).count();
        let timed_out = count(&|figures| figures.ending == Ending::TimedOut);
        let closed = count(&|figures| figures.ending == Ending::Closed);
        let unreachable = count(&|figures| figures.ending == Ending::Unreachable);
        let errors = count(&|figures| matches!(figures.ending, Ending::Failed(_)));
        let unfinished = count(&|figures| figures.ending == Ending::Orderly && figures.joined_after.is_none());
        Row {
            dialect,
            bots: entries.len(),
            joined: count(&|figures| figures.joined_after.is_some()),
            playing: entries.iter().filter(|entry| entry.is_playing).count(),
            refused: count(&|figures| figures.ending == Ending::Refused),
            lost: timed_out + closed + unreachable + errors + unfinished,
            timed_out,
            closed,
            unreachable,
            errors,
            unfinished,
            join_ms: Spread::of(entries.iter().filter_map(|entry| entry.join_ms()).collect()),
            round_trip_ms,
            frames_per_second: Spread::of(entries.iter().filter_map(|entry| entry.frames_per_second()).collect()),
            per_second: PerSecond::of(entries, time),
            malformed: entries.iter().map(|entry| entry.figures.traffic.malformed).sum(),
        }
    }

    fn line(&self) -> String {
        let frames = self.frames_per_second.map_or("-".into(), |spread| format!("{:.0}/{:.1}", spread.min, spread.p50));
        let round_trip = self.round_trip_ms.map_or("-".into(), |trip| format!("{:.0}/{:.0}", trip.p50, trip.p99));
        format!(
            "{:<9} {:>5} {:>6} {:>7} {:>4} {frames:>9} {round_trip:>8} {:>7.0} {:>8.1} {:>7.0}",
            self.dialect,
            self.bots,
            self.joined,
            self.refused,
            self.lost,
            self.per_second.datagrams_in,
            self.per_second.bytes_in / 1000.0,
            self.per_second.datagrams_out,
        )
    }
}

impl PerSecond {
    fn of(entries: &[&BotResult], time: Duration) -> PerSecond {
        let seconds = time.as_secs_f64().max(f64::EPSILON);
        let sum = |part: &dyn Fn(&PlayerFigures) -> u64| {
            rounded(entries.iter().map(|entry| part(&entry.figures)).sum::<u64>() as f64 / seconds)
        };
        PerSecond {
            datagrams_in: sum(&|figures| figures.traffic.datagrams_in),
            bytes_in: sum(&|figures| figures.traffic.bytes_in),
            datagrams_out: sum(&|figures| figures.traffic.datagrams_out),
            bytes_out: sum(&|figures| figures.traffic.bytes_out),
        }
    }
}

impl Spread {
    /// None of nothing.
    fn of(mut figures: Vec<f64>) -> Option<Spread> {
        figures.sort_by(f64::total_cmp);
        let at = |percent: usize| figures.get((figures.len() * percent).div_ceil(100).max(1) - 1).copied().map(rounded);
        Some(Spread { min: at(0)?, p50: at(50)?, p99: at(99)? })
    }
}

/// To one digit after the point: more is noise.
fn rounded(figure: f64) -> f64 {
    (figure * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_has_the_nearest_ranks_and_nothing_has_none() {
        let spread = Spread::of((1..=200).rev().map(f64::from).collect());
        assert_eq!(spread, Some(Spread { min: 1.0, p50: 100.0, p99: 198.0 }));
        assert_eq!(Spread::of(vec![7.25]), Some(Spread { min: 7.3, p50: 7.3, p99: 7.3 }));
        assert_eq!(Spread::of(Vec::new()), None);
    }
}
