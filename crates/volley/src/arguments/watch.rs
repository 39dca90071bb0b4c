//! The options of `volley watch`.

use clap::Args;
use toolkit::watch::Speed;

use super::values::{BotSkill, seed, skill, speed};

/// The options of `volley watch`.
#[derive(Debug, Args)]
pub struct Watch {
    /// The seed of the game, decimal or hexadecimal as in 0x2a. The same seed gives the same game [default: random; it is
    /// shown].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    pub seed: Option<u64>,

    /// The stage: a name or number from `volley stages`, or your own Tiled map (a path that ends in .tmx or contains a
    /// slash).
    #[arg(long, value_name = "NAME|FILE.tmx", default_value = "endless")]
    pub stage: String,

    /// The number of bots, 1 to 4.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=4))]
    pub players: u8,

    /// How well the bots play: easy, normal or good.
    #[arg(long, value_name = "SKILL", default_value = "good", value_parser = skill)]
    pub skill: BotSkill,

    /// Stop after this many ticks; 60 ticks are one second [default: do not stop].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub ticks: Option<u64>,

    /// The speed of the game, 0.1 to 16 times real time.
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true, default_value = "1", value_parser = speed, conflicts_with = "text")]
    pub speed: Speed,

    /// Print plain text instead of drawing: every tick with all its entities and events. The same seed gives the same bytes.
    /// Needs no terminal.
    #[arg(long)]
    pub text: bool,

    /// With --text: print only every Nth tick.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1, requires = "text", value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
}

pub(super) const WATCH_EXAMPLES: &str = "\
Examples:
  volley watch --seed 42                    watch the same game every time
  volley watch --stage my/stage.tmx         try out your own stage
  volley watch --players 1 --speed 0.5      watch one bot at half speed
  volley watch --seed 42 --ticks 600 --text | grep event";
