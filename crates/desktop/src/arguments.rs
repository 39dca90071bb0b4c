//! The command line.

use std::path::PathBuf;

use clap::Parser;
use protocol::Dialect;

use crate::address::Address;

/// Play Volley in a window.
#[derive(Debug, Parser)]
#[command(name = "volley-desktop", version, after_help = EXAMPLES)]
pub struct Arguments {
    /// The server to play on; without one, play alone, on a server inside
    #[arg(long, value_name = "HOST[:PORT]")]
    pub connect: Option<Address>,
    /// What the server is spoken to in; lobbies, chat and prediction need volley
    #[arg(long, value_name = "NAME", default_value = "volley", value_parser = dialect)]
    pub dialect: Dialect,
    /// Your name, instead of the one in the settings
    #[arg(long)]
    pub name: Option<String>,
    /// Straight into the lobby of this code
    #[arg(long, value_name = "CODE")]
    pub lobby: Option<String>,
    /// Straight into a game
    #[arg(long)]
    pub quick: bool,
    /// Begin in full screen; F11 changes it
    #[arg(long)]
    pub fullscreen: bool,
    /// Without sound
    #[arg(long)]
    pub mute: bool,
    /// Where settings are kept [default: volley/settings in your folder of settings]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Where your high scores of playing alone are kept [default: volley/solo in your folder of data]
    #[arg(long, value_name = "DIR", conflicts_with = "connect")]
    pub data: Option<PathBuf>,
    /// Write man pages and shell completions into this directory instead of playing
    #[arg(long, value_name = "DIR", hide = true)]
    pub generate: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  volley-desktop                                      play alone
  volley-desktop --connect play.example.org           play with others
  volley-desktop --connect 192.168.1.7 --lobby K3F9QX meet somebody
  volley-desktop --connect localhost --dialect aecs   play over another dialect

Keys: arrows fly, space fires (hold it for a beam), X sends or calls the Force, F11 full screen.";

fn dialect(name: &str) -> Result<Dialect, String> {
    let known: Vec<&str> = Dialect::ALL.into_iter().map(Dialect::name).collect();
    Dialect::from_name(name).ok_or_else(|| format!("there are {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_dialect_is_called_by_its_name() {
        let arguments = Arguments::try_parse_from(["volley-desktop", "--dialect", "aecs"]).expect("it is known");
        assert_eq!(arguments.dialect.name(), "aecs");
        let error = Arguments::try_parse_from(["volley-desktop", "--dialect", "klingon"]).expect_err("it is not");
        assert!(error.to_string().contains("snapshot"), "{error}");
    }
}
