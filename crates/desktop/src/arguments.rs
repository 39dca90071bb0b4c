//! The command line.

use std::path::PathBuf;

use clap::Parser;
use protocol::Dialect;

use crate::address::Address;

/// Play Volley in a window.
#[derive(Debug, Parser)]
#[command(name = "volley-desktop", version, after_help = EXAMPLES)]
pub struct Arguments {
    /// The server to play on; without it you play alone
    #[arg(long, value_name = "HOST[:PORT]")]
    pub connect: Option<Address>,
    /// The dialect to speak; lobbies, chat and prediction need volley
    #[arg(long, value_name = "NAME", default_value = "volley", value_parser = dialect)]
    pub dialect: Dialect,
    /// Your name, instead of the one in the settings
    #[arg(long)]
    pub name: Option<String>,
    /// Join the lobby with this code at once
    #[arg(long, value_name = "CODE")]
    pub lobby: Option<String>,
    /// Join any game at once
    #[arg(long)]
    pub quick: bool,
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

Keys: arrows fly, space fires (hold it to charge the beam), X launches or recalls the Force, F11 switches to full screen.";

fn dialect(name: &str) -> Result<Dialect, String> {
    let known: Vec<&str> = Dialect::ALL.into_iter().map(Dialect::name).collect();
    Dialect::from_name(name).ok_or_else(|| format!("use one of {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

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
}
