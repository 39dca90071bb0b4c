//! What is printed about a node's capacity: a line for each dialect and number of players.

use std::fmt;

use protocol::{Dialect, StreamUse};
use serde::Serialize;

use super::trial::Figures;

/// More than this of everything else on the machine, and figures are not to be trusted.
const BUSY_CORES: f64 = 0.2;

/// What a run found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// What was played.
    pub stage: String,
    /// How long each trial was watched, in seconds.
    pub seconds: f64,
    /// Whether the node and its load had a core each.
    pub is_pinned: bool,
    /// Whether the run was interrupted.
    pub is_cut_short: bool,
    pub rows: Vec<Row>,
    /// For each dialect, the largest number of players with which the node was on time.
    pub largest: Vec<Largest>,
}

/// The node with a number of players of a dialect, and the floor with as many.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What the players speak.
    pub dialect: &'static str,
    /// How many were asked for.
    pub players: usize,
    pub node: Figures,
    pub floor: Figures,
    /// CPU time of the node by that of the floor.
    pub ratio: f64,
    /// Whether the node was on time, and no player was lost.
    pub holds: bool,
    /// Whether the load, not the node, was the limit.
    pub is_load_full: bool,
}

/// The end of a search.
#[derive(Clone, Debug, Serialize)]
pub struct Largest {
    /// What the players speak.
    pub dialect: &'static str,
    /// How many held; none if not even the fewest did.
    pub players: Option<usize>,
    /// What stopped the search.
    pub limit: Limit,
}

/// What stopped a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// With some more the node was late or lost players.
    Node,
    /// With some more the load was full: the node might hold them.
    Load,
    /// No more were to be tried.
    Most,
}

impl Row {
    pub(super) fn new(dialect: &'static str, players: usize, node: Figures, floor: Figures) -> Row {
        Row {
            dialect,
            players,
            node,
            floor,
            ratio: node.cpu_us_per_player_second / floor.cpu_us_per_player_second,
            holds: node.holds(),
            is_load_full: node.is_load_full(),
        }
    }

    fn line(&self) -> String {
        let (node, floor) = (&self.node, &self.floor);
        let trip = match (node.round_trip_p50_ms, node.round_trip_p99_ms) {
            (Some(p50), Some(p99)) => format!("{p50:.0}/{p99:.0}"),
            _ => "-".into(),
        };
        format!(
            "{:<9} {:>7} {:>8.0} {:>8.0} {:>6.2} {:>7.2}% {:>7.2}% {:>6.0} {:>7.0} {:>7.1} {trip:>7} {:>5.2}{}",
            self.dialect,
            self.players,
            node.cpu_us_per_player_second,
            floor.cpu_us_per_player_second,
            self.ratio,
            node.on_time_percent,
            floor.on_time_percent,
            node.bytes_in_per_player_second,
            node.bytes_out_per_player_second,
            node.memory_bytes_per_player / 1024.0,
            node.load_cores,
            self.remark(),
        )
    }

    fn remark(&self) -> String {
        let mut remark = String::new();
        if self.node.lost > 0 {
            remark += &format!("  {} lost", self.node.lost);
        }
        if self.is_load_full {
            remark += "  the load was the limit";
        }
        if self.node.other_cores.max(self.floor.other_cores) > BUSY_CORES {
            remark += &format!("  others used {:.1} cores", self.node.other_cores.max(self.floor.other_cores));
        }
        remark
    }
}

impl Largest {
    fn line(&self) -> String {
        let Some(players) = self.players else {
            return format!("{}: not even the smallest number was on time", self.dialect);
        };
        let why = match self.limit {
            Limit::Node => "",
            Limit::Load => " or more; the load was the limit",
            Limit::Most => " or more; no larger number was tried",
        };
        format!("{}: {players}{why}", self.dialect)
    }
}

impl Report {
    /// As one JSON object.
    pub fn json(&self) -> String {
        // Numbers and fixed names: there is nothing in it that JSON cannot say.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The dialects in it that come over links.
    fn over_links(&self) -> impl Iterator<Item = &'static str> {
        let is_link = |dialect: &Dialect| matches!(dialect.entry().stream, StreamUse::Link(_));
        let is_told = |name: &&str| self.rows.iter().any(|row| row.dialect == *name);
        Dialect::ALL.into_iter().filter(is_link).map(Dialect::name).filter(is_told)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<9} {:>7} {:>8} {:>8} {:>6} {:>8} {:>8} {:>6} {:>7} {:>7} {:>7} {:>5}",
            "dialect",
            "players",
            "node µs",
            "floor µs",
            "ratio",
            "on time",
            "floor's",
            "B in",
            "B out",
            "KB",
            "rtt ms",
            "load"
        )?;
        for row in &self.rows {
            writeln!(f, "{}", row.line())?;
        }
        writeln!(f, "µs: CPU time for each player and second; on time: ticks that began less than 1 ms late")?;
        writeln!(
            f,
            "B: bytes for each player and second; KB: memory for each player; rtt: median and 99th percentile"
        )?;
        writeln!(f, "load: cores that the bots used; each figure is over {} s; stage: {}", self.seconds, self.stage)?;
        for dialect in self.over_links() {
            writeln!(f, "{dialect}: over WebSockets, which are TCP; the floor is UDP as for the others")?;
        }
        if !self.is_pinned {
            writeln!(f, "node and load could not get a core each")?;
        }
        if !self.largest.is_empty() {
            writeln!(f, "the most players with {} % of ticks on time:", super::ON_TIME_PERCENT)?;
        }
        for largest in &self.largest {
            writeln!(f, "  {}", largest.line())?;
        }
        if self.is_cut_short {
            writeln!(f, "the run was interrupted")?;
        }
        Ok(())
    }
}
