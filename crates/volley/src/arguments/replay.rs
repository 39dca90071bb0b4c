//! The options of `volley replay`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use protocol::Dialect;

/// The options of `volley replay`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("output").args(["verify", "text", "png", "gif", "pcap"]))]
pub struct ReplayArguments {
    /// The replay: a .vreplay file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Simulate the whole game again as fast as possible and compare every hash. Exit code 1 if the games differ.
    #[arg(long)]
    pub verify: bool,

    /// Print the game as plain text, as `volley watch --text` does.
    #[arg(long)]
    pub text: bool,

    /// Write a picture of the moment --from as a PNG file.
    #[arg(long, value_name = "FILE.png")]
    pub png: Option<PathBuf>,

    /// Write the game from --from to --to as an animated GIF file; without --to, ten seconds.
    #[arg(long, value_name = "FILE.gif")]
    pub gif: Option<PathBuf>,

    /// Write a capture of what the player of --follow would have sent and received in this dialect, to the file of
    /// --out.
    #[arg(long, value_name = "DIALECT", value_parser = dialect, requires = "out")]
    pub pcap: Option<Dialect>,

    /// The file for --pcap.
    #[arg(long, value_name = "FILE.pcap", requires = "pcap")]
    pub out: Option<PathBuf>,

    /// The moment to begin at, such as 1:30 or 90.5 (seconds).
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = moment)]
    pub from: TimeInGame,

    /// The moment to end at [default: the end of the game].
    #[arg(long, value_name = "TIME", value_parser = moment, requires = "output")]
    pub to: Option<TimeInGame>,

    /// The player to follow, 1 to 4: whose gauge is shown, and whose deaths are jumped to.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u8).range(1..=4))]
    pub follow: Option<u8>,

    /// With --text: print only every Nth tick.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1, requires = "text", value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,
}

/// A moment of a game, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeInGame(pub u32);

fn dialect(name: &str) -> Result<Dialect, String> {
    let known = Dialect::ALL.map(Dialect::name).join(", ");
    Dialect::from_name(name).ok_or_else(|| format!("choose one of {known}"))
}

fn moment(text: &str) -> Result<TimeInGame, String> {
    let wrong = || "give minutes and seconds such as 1:30, or seconds such as 90.5".to_owned();
    let (minutes, seconds) = text.split_once(':').unwrap_or(("0", text));
    let minutes: u32 = minutes.parse().map_err(|_| wrong())?;
    let is_plain = seconds.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds: f64 = seconds.parse().ok().filter(|_| is_plain).ok_or_else(wrong)?;
    let ticks = (f64::from(minutes) * 60.0 + seconds) * 60.0;
    if ticks <= f64::from(u32::MAX) { Ok(TimeInGame(ticks.round() as u32)) } else { Err(wrong()) }
}

pub(super) const REPLAY_EXAMPLES: &str = "\
Examples:
  volley replay game.vreplay                watch it in this terminal
  volley replay game.vreplay --verify       simulate it again and compare every hash
  volley replay game.vreplay --gif boss.gif --from 2:05 --to 2:15
                                            make a film of ten seconds
  volley replay game.vreplay --png end.png --from 3:10
                                            make a picture
  volley replay game.vreplay --pcap aecs --out game.pcap
                                            write what a player would have sent and received
  volley replay game.vreplay --text --every 60 | grep event";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_minutes_and_seconds_or_seconds() {
        assert_eq!(["0", "1:30", "90.5", "0:00.1"].map(moment), [0, 5400, 5430, 6].map(|ticks| Ok(TimeInGame(ticks))));
        for wrong in ["", "x", "-1", "1:", ":5", "1:2:3", "1e9", "inf", "99999999999"] {
            assert!(moment(wrong).is_err(), "{wrong}");
        }
    }
}
