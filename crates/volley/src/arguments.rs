//! Every argument of the command line, with what its help says. A flag is defined here and nowhere else.

use clap::{Args, Parser, Subcommand};
use toolkit::watch::Speed;

/// Volley: an online side-scrolling shooter in the tradition of R-Type.
///
/// One to four ships, an indestructible orb called the Force, a beam that grows while you hold the button, and waves
/// that never end. For now you can watch: four bots play by themselves, in your terminal.
#[derive(Debug, Parser)]
#[command(name = "volley", version, after_help = EXAMPLES, arg_required_else_help = true, disable_help_subcommand = true)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  volley watch                              watch four bots in the endless stage
  volley watch --seed 42 --stage stage1     the same game of the first stage every time
  volley watch --ticks 600 --text           the first ten seconds as plain text
  volley stages                             list the stages
  volley watch --help                       all about watching";

/// What `volley` can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Watch a game that bots play, in this terminal or as plain text.
    ///
    /// Draws the game in the terminal, also over ssh: at least 40 columns and 14 rows, the larger the better. When a
    /// game is lost, the next begins with the next seed; when a stage is won, the next stage begins.
    ///
    /// Keys: q quits, p or space pauses, n begins anew with the next seed, + and - change the speed.
    #[command(after_help = WATCH_EXAMPLES)]
    Watch(Watch),
    /// List the built-in stages.
    Stages,
}

/// What `volley watch` can be told.
#[derive(Debug, Args)]
pub struct Watch {
    /// The seed of the game: the same seed gives the same game. Decimal, or hexadecimal as in 0x2a [default: a random
    /// one, which is shown].
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,

    /// The stage: a name or number that `volley stages` lists, or a Tiled map of your own (a path that ends in .tmx or
    /// has a slash in it).
    #[arg(long, value_name = "NAME|FILE.tmx", default_value = "endless")]
    pub stage: String,

    /// How many bots play, 1 to 4.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=4))]
    pub players: u8,

    /// Stop after so many ticks; 60 ticks are one second [default: go on until stopped].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub ticks: Option<u64>,

    /// How fast the game goes, 0.1 to 16 times real time.
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = speed, conflicts_with = "text")]
    pub speed: Speed,

    /// Write plain text to standard output instead of drawing: every tick with all its entities and events, the same
    /// bytes for the same seed. Needs no terminal.
    #[arg(long)]
    pub text: bool,

    /// With --text: write only every Nth tick.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "text", value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
}

const WATCH_EXAMPLES: &str = "\
Examples:
  volley watch --seed 42                    always the same game
  volley watch --stage my/stage.tmx         try a stage that you are making
  volley watch --players 1 --speed 0.5      one bot at half speed
  volley watch --seed 42 --ticks 600 --text | grep event";

fn seed(text: &str) -> Result<u64, String> {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let parsed = match hexadecimal {
        // `from_str_radix` takes a sign, which no seed has.
        Some(digits) if digits.starts_with('+') => None,
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if text.starts_with('+') => None,
        None => text.parse().ok(),
    };
    parsed.ok_or_else(|| format!("a seed is a whole number from 0 to {}, such as 42 or 0x2a", u64::MAX))
}

fn speed(text: &str) -> Result<Speed, String> {
    let factor: Option<f64> = text.parse().ok();
    let percent = factor.filter(|factor| (0.0..=100.0).contains(factor)).map(|factor| (factor * 100.0).round() as u32);
    percent.and_then(Speed::from_percent).ok_or_else(|| "a speed is a number from 0.1 to 16, such as 2 or 0.5".into())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn seeds_are_decimal_or_hexadecimal() {
        assert_eq!(["0", "42", "0x2a", "0XFF"].map(|text| seed(text).ok()), [Some(0), Some(42), Some(42), Some(255)]);
        assert_eq!(seed("0xffffffffffffffff"), Ok(u64::MAX));
        for wrong in ["", "-1", "+1", "0x", "0x+1", "1.5", "2a", "18446744073709551616"] {
            assert!(seed(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn speeds_are_factors() {
        assert_eq!(speed("0.5").map(Speed::percent), Ok(50));
        assert_eq!(speed("16").map(Speed::percent), Ok(1600));
        for wrong in ["", "0", "-1", "17", "1e9", "NaN", "inf", "fast"] {
            assert!(speed(wrong).is_err(), "{wrong:?}");
        }
    }
}
