//! Which game a replay shows, in a few lines.

use std::io::{self, Write};

use protocol::{GameId, Time, utc_day};
use replay::{Replay, clock};

/// Writes which game it is.
pub(super) fn write(replay: &Replay, out: &mut impl Write) -> io::Result<()> {
    let header = replay.header();
    let rules = header.rules;
    writeln!(
        out,
        "replay {} stage {} mode {} difficulty {} lives {} seed {}",
        GameId(header.game),
        replay.stage().name,
        rules.mode.name(),
        rules.difficulty.name(),
        rules.lives,
        header.seed
    )?;
    let day = match header.began_ms {
        0 => "at an unknown time".into(),
        began => utc_day::date_of(utc_day::day_of(Time::from_micros(began.saturating_mul(1000)))),
    };
    let size = replay.bytes().len();
    writeln!(out, "played {day} length {} ticks {} bytes {size}", clock(replay.ticks()), replay.ticks())?;
    if replay.has_gaps() {
        writeln!(out, "note: some seconds are missing, because the node was restarted or nobody played")?;
    }
    if !replay.is_finished() {
        writeln!(out, "note: it has no end; the game still goes on, or the node was ended in the middle")?;
    }
    Ok(())
}
