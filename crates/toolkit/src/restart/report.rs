//! What is printed about a restart: a line for each dialect.

use std::fmt;

use serde::Serialize;

/// What a run found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Whether the run was interrupted.
    pub is_cut_short: bool,
    pub rows: Vec<Row>,
}

/// What a player of a dialect saw.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub dialect: &'static str,
    /// How long there was no node.
    pub away_seconds: f64,
    /// The time between the last Frame before and the first one after; none: the player did not come back.
    pub standstill_seconds: Option<f64>,
    /// Whether the player did not come back because the node was away for longer than the dialect's clients wait.
    pub has_given_up: bool,
    /// Whether the lobby and the seat are those from before; none: the player did not come back.
    pub is_same_seat: Option<bool>,
    /// Ticks that were played and are lost: 60 are a second.
    pub ticks_lost: Option<u32>,
}

impl Report {
    /// As one JSON object.
    pub fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<10} {:>12} {:>14} {:>12}", "dialect", "node away", "standstill", "ticks lost")?;
        for row in &self.rows {
            let (standstill, lost) = match (row.standstill_seconds, row.ticks_lost, row.is_same_seat) {
                (Some(_), _, Some(false)) => ("elsewhere".into(), "all".into()),
                (Some(standstill), Some(lost), _) => (format!("{standstill:.2} s"), lost.to_string()),
                _ if row.has_given_up => ("gave up".into(), "all".into()),
                _ => ("not back".into(), "all".into()),
            };
            let away = format!("{:.2} s", row.away_seconds);
            writeln!(f, "{:<10} {away:>12} {standstill:>14} {lost:>12}", row.dialect)?;
        }
        if self.is_cut_short {
            writeln!(f, "interrupted")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_who_did_not_come_back_is_reported() {
        let is_same_seat = Some(true);
        let back = Row {
            dialect: "aecs",
            away_seconds: 0.5,
            standstill_seconds: Some(0.75),
            has_given_up: false,
            is_same_seat,
            ticks_lost: Some(31),
        };
        let lost = Row { dialect: "typeuh", standstill_seconds: None, is_same_seat: None, ticks_lost: None, ..back };
        let report = Report { is_cut_short: false, rows: vec![Row { dialect: "aecs", ..lost.clone() }, lost] };
        assert_eq!(report.to_string().matches("not back").count(), 2);
        let patience = Row { has_given_up: true, ..report.rows[0].clone() };
        assert!(Report { is_cut_short: false, rows: vec![patience] }.to_string().contains("gave up"));
        let rows = vec![Row { standstill_seconds: Some(0.75), ticks_lost: Some(31), ..report.rows[0].clone() }];
        let elsewhere = vec![Row { is_same_seat: Some(false), ..rows[0].clone() }];
        assert!(Report { rows: elsewhere, is_cut_short: false }.to_string().contains("elsewhere"));
        let text = Report { rows, is_cut_short: true }.to_string();
        assert!(text.contains("0.75 s") && text.contains("31") && text.ends_with("interrupted\n"), "{text}");
    }
}
