//! The options of `volley bots`.

use clap::Args;

use super::values::{BotSkill, Dialects, dialects, names, seed, skill};
use crate::doors::NodeDoors;

/// The options of `volley bots`.
#[derive(Debug, Args)]
pub struct Bots {
    /// The dialect of the bots.
    #[arg(long, value_name = "NAME|mixed", default_value = "mixed", value_parser = dialects, help = spoken())]
    pub dialect: Dialects,

    /// The number of bots [default: 4; 3 with --lobby, which fills it]. More than 64 think ten times a second
    /// instead of 60 times; more than 1024, six times.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=30_000))]
    pub count: Option<u32>,

    /// How many seconds the bots play [default: until Ctrl-C].
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub seconds: Option<u32>,

    /// The node's host name or address.
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    pub to: String,

    #[command(flatten)]
    pub doors: NodeDoors,

    /// The code of the lobby to join. Only bots of rfc2020 and volley can do this; mixed then means these two
    /// [default: with rfc2020, every four bots make a lobby; with volley, any lobby].
    #[arg(long, value_name = "ID")]
    pub lobby: Option<String>,

    /// The stage of the lobbies that bots of rfc2020 make. The node must know it; other dialects play what the node plays.
    #[arg(long, value_name = "NAME", default_value = "endless")]
    pub stage: String,

    /// How well the bots play: easy, normal or good.
    #[arg(long, value_name = "SKILL", default_value = "good", value_parser = skill)]
    pub skill: BotSkill,

    /// The seed of the bots' decisions [default: random].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    pub seed: Option<u64>,

    /// Print the report as one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl Bots {
    /// How many bots there are, unless something else was chosen: those that fit into a lobby beside its host.
    pub fn count(&self) -> u32 {
        self.count.unwrap_or(if self.lobby.is_some() { 3 } else { 4 })
    }
}

/// The help of `--dialect`.
fn spoken() -> String {
    format!("The bots' dialect: {} (volley over a WebSocket); or mixed, which gives each bot the next one", names())
}

pub(super) const BOTS_EXAMPLES: &str = "\
Examples:
  volley bots --count 3 --dialect snapshot            three partners to play with
  volley bots --count 500 --seconds 30 --json         load a node, and print a report as JSON
  volley bots --to play.example.org --typeuh 5000     use a node elsewhere
  volley bots --lobby K7QX2M                          fill the free seats of a lobby";
