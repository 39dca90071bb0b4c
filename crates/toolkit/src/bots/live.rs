//! What is shown while bots play.

use super::report::Report;
use crate::live_table::LiveTable;

/// Shows how bots fare. While no bot has joined there is nothing to show.
pub(super) fn show(table: &mut LiveTable, report: &Report) {
    if report.total.joined == 0 {
        return table.skip();
    }
    table.show(|| report.table(), || line(report));
}

fn line(report: &Report) -> String {
    let total = &report.total;
    let frames = total.frames_per_second.map_or(0.0, |spread| spread.p50);
    format!(
        "{:.0} s: {} of {} play, {} refused, {} lost so far; {frames} frames/s each; {:.0} datagrams/s in, {:.0} out",
        report.seconds,
        total.playing,
        total.bots,
        total.refused,
        total.lost - total.unfinished,
        total.per_second.datagrams_in,
        total.per_second.datagrams_out
    )
}
