//! The command line.

use std::path::PathBuf;

use clap::{CommandFactory, Parser, error::ErrorKind};
use protocol::{Dialect, StreamUse};

use crate::address::Address;

/// Play Volley in a window.
#[derive(Debug, Parser)]
#[command(name = "volley-desktop", version, after_help = EXAMPLES)]
pub struct Arguments {
    /// The server to play on; without it you play alone
    #[arg(long, value_name = "HOST[:PORT]")]
    pub connect: Option<Address>,
    /// The dialect to speak; a list of lobbies, chat and prediction need volley
    #[arg(long, value_name = "NAME", default_value = "volley", value_parser = dialect)]
    pub dialect: Dialect,
    /// Your name, instead of the one in the settings
    #[arg(long)]
    pub name: Option<String>,
    /// Join the lobby with this code at once; with volley and rfc2020
    #[arg(long, value_name = "CODE")]
    pub lobby: Option<String>,
    /// Create a lobby that plays this stage at once, and wait in it for others; with volley and rfc2020
    #[arg(long, value_name = "STAGE", conflicts_with_all = ["lobby", "quick"])]
    pub create: Option<String>,
    /// Join any game at once
    #[arg(long)]
    pub quick: bool,
    /// With aecs: how many milliseconds the game is shown late to even out the network, 0 to 200 [default: as in the options]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u8).range(..=200))]
    pub queue: Option<u8>,
    /// Start in full screen; F11 switches back
    #[arg(long)]
    pub fullscreen: bool,
    /// Play without sound
    #[arg(long)]
    pub mute: bool,
    /// The settings file [default: volley/settings in your configuration folder]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The folder for high scores of games played alone [default: volley/solo in your data folder]
    #[arg(long, value_name = "DIR", conflicts_with = "connect")]
    pub data: Option<PathBuf>,
    /// The seed of the game that you play alone; the same seed gives the same waves [default: random]
    #[arg(long, value_name = "NUMBER", conflicts_with = "connect")]
    pub seed: Option<u64>,
    /// Record every game that you play alone into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "connect")]
    pub record: Option<PathBuf>,
    /// After how many days a recording is removed; 0 keeps them for ever
    #[arg(long, value_name = "DAYS", allow_negative_numbers = true, default_value_t = 30, value_parser = clap::value_parser!(u32).range(0..=36_500), requires = "record")]
    pub record_days: u32,
    /// How many megabytes all recordings together may take: the oldest are removed
    #[arg(long, value_name = "MB", allow_negative_numbers = true, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000), requires = "record")]
    pub record_mb: u32,
    /// Show this recorded game instead of playing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["connect", "lobby", "create", "quick", "record"])]
    pub replay: Option<PathBuf>,
    /// Write man pages and shell completions into this directory instead of playing
    #[arg(long, value_name = "DIR", hide = true)]
    pub generate: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  volley-desktop                                      play alone
  volley-desktop --connect play.example.org           play with others
  volley-desktop --connect 192.168.1.7 --lobby K3F9QX join a friend's lobby
  volley-desktop --connect localhost --dialect aecs   speak another dialect
  volley-desktop --connect localhost --dialect rfc2020 --create stage1
                                                      create a lobby, and share its code
  volley-desktop --record games                       play alone, and record every game
  volley-desktop --replay game.vreplay                watch a recorded game

Keys: arrows fly, space fires (hold it to charge the beam), X launches or recalls the Force, F11 switches to full screen.";

impl Arguments {
    /// The arguments, if they make sense together.
    pub fn checked(self) -> Result<Arguments, clap::Error> {
        let has_codes = matches!(self.dialect.entry().stream, StreamUse::Desk(_) | StreamUse::Link(_));
        let flag = self.lobby.as_ref().map(|_| "--lobby").or(self.create.as_ref().map(|_| "--create"));
        match flag {
            Some(flag) if !has_codes => {
                let problem = format!("{flag}: the dialect {} has no lobbies to choose from", self.dialect.name());
                Err(Arguments::command().error(ErrorKind::ArgumentConflict, problem))
            }
            _ => Ok(self),
        }
    }
}

fn dialect(name: &str) -> Result<Dialect, String> {
    let known: Vec<&str> = Dialect::ALL.into_iter().map(Dialect::name).collect();
    Dialect::from_name(name).ok_or_else(|| format!("use one of {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_dialect_is_chosen_by_its_name() {
        let arguments = Arguments::try_parse_from(["volley-desktop", "--dialect", "aecs"]).expect("it is known");
        assert_eq!(arguments.dialect.name(), "aecs");
        let error = Arguments::try_parse_from(["volley-desktop", "--dialect", "klingon"]).expect_err("it is not");
        assert!(error.to_string().contains("snapshot"), "{error}");
    }

    #[test]
    fn a_lobby_is_chosen_only_in_a_dialect_that_has_some() {
        let parse = |arguments: &[&str]| {
            let arguments = [&["volley-desktop"], arguments].concat();
            Arguments::try_parse_from(arguments).and_then(Arguments::checked)
        };
        for dialect in ["volley", "rfc2020"] {
            let created = parse(&["--dialect", dialect, "--create", "stage2"]).expect("it has lobbies");
            assert_eq!(created.create.as_deref(), Some("stage2"));
            assert!(parse(&["--dialect", dialect, "--lobby", "K3F9QX"]).is_ok());
            assert!(parse(&["--dialect", dialect, "--lobby", "K3F9QX", "--create", "stage2"]).is_err());
        }
        for flags in [["--create", "stage2"], ["--lobby", "K3F9QX"]] {
            let error = parse(&[&["--dialect", "typeuh"], &flags[..]].concat()).expect_err("it has none");
            assert!(error.to_string().contains("typeuh has no lobbies"), "{error}");
        }
    }

    #[test]
    fn recordings_are_limited_as_on_a_node() {
        let parse = |arguments: &[&str]| Arguments::try_parse_from([&["volley-desktop"], arguments].concat());
        let usual = parse(&["--record", "games"]).expect("a folder is enough");
        assert_eq!((usual.record_days, usual.record_mb), (30, 1024));
        let few = parse(&["--record", "games", "--record-days", "0", "--record-mb", "5"]).expect("in range");
        assert_eq!((few.record_days, few.record_mb), (0, 5));
        assert!(parse(&["--record", "games", "--record-mb", "0"]).is_err());
        assert!(parse(&["--record-days", "5"]).is_err(), "nothing is recorded");
    }

    #[test]
    fn a7_the_queue_is_bounded() {
        let parse = |ms: &str| Arguments::try_parse_from(["volley-desktop", "--dialect", "aecs", "--queue", ms]);
        assert_eq!(parse("200").expect("in range").queue, Some(200));
        assert!(parse("201").is_err() && parse("-1").is_err());
    }
}
