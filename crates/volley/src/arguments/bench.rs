//! The options of `volley bench`.

use clap::{Args, Subcommand};

use super::values::{BotSkill, Dialects, DifficultyName, dialect_list, difficulty, skill};

#[derive(Debug, Subcommand)]
pub enum Bench {
    /// Measure how many players a node can serve, and what each of them costs.
    ///
    /// For each dialect and number of players, this starts a node with one shard on one core and the bots on another. For
    /// comparison it also measures a floor: a bare loop that receives 12 bytes and sends 200 for each player and tick. It
    /// prints the CPU time of both and their ratio, the share of ticks that began less than 1 ms late, bytes and memory. Then
    /// it searches for the largest number of players with 99 % of ticks on time. Players of volley connect over WebSockets
    /// (TCP), so the floor (UDP) says less about them.
    ///
    /// With the defaults it takes about twenty minutes. Nothing else should run on the machine meanwhile. Needs Linux.
    #[command(after_help = CAPACITY_EXAMPLES)]
    Capacity(Capacity),
    /// Measure what a player sees when the node is killed and started again.
    ///
    /// For each dialect, this starts a node with a data directory of its own, lets somebody play, kills the node as `kill -9`
    /// would, and starts it again at the same ports. It prints how long there was no node, how long the player saw nothing new,
    /// and how many ticks of the game were lost. With the defaults it takes about a minute.
    #[command(after_help = RESTART_EXAMPLES)]
    Restart(Restart),
    /// Attack a private test node in many ways while people play there, and report how they fared.
    ///
    /// For each attack this starts a node and two players of each dialect, and prints how they fared: ticks on time
    /// before, during and after, memory, what was refused, who still plays, and how long new players of every dialect
    /// then took to join. Nothing leaves this machine. Forged ICMP needs root, and is left out otherwise. With the
    /// defaults it takes about eight minutes.
    ///
    /// Exit code 1: after an attack somebody had lost the game, somebody new could not join, or memory was not given back; or
    /// forged first datagrams cost more than one tick of a hundred more than the same load at a closed port. Nothing else should
    /// run on the machine meanwhile.
    #[command(after_help = STORM_EXAMPLES)]
    Storm(Storm),
    /// Let players of every dialect come and go for a long time, and report any growth in the node's memory, files or threads.
    ///
    /// After 45 seconds of warming up, the first and the last third of the time are compared. Exit code 1: something grows, or more
    /// than one session in a hundred failed.
    Soak(Soak),
    /// Measure what an address that has proved nothing can make a node send, at each door.
    ///
    /// Exit code 1: at a door that serves everybody it gets more than three times what it sent.
    Amplification,
    /// Measure how hard the game is, with bots.
    ///
    /// Bots of each skill play the campaign with each difficulty, once for each seed, and tables show the results:
    /// how many got how far, where and by what ships were lost, how long each boss took, the spread of scores, and
    /// enemy shots in view. The same options give the same tables on every machine. It uses all cores; with the
    /// defaults it takes about an hour on two.
    #[command(after_help = DIFFICULTY_EXAMPLES)]
    Difficulty(DifficultyBench),
    /// Play every pair of dialects over a bridge in memory, and print what each pair loses, as Markdown.
    ///
    /// The table is the same on every machine; docs/bridge.md explains its columns. The last line is the delay that a
    /// bridge adds.
    Bridge,
    /// Play in every dialect in memory, and print what each costs and how it takes a bad network, as Markdown.
    ///
    /// The figures are the same on every machine.
    Protocols,
    /// Measure what `volley lag` itself adds to a delay.
    ///
    /// Sends datagrams over loopback at an even rate: straight to a receiver, through a relay that adds nothing, and through one
    /// that adds 20 ms. Exit code 1: it adds 0.5 ms or more on average.
    Lag(LagBench),
    /// The bare loop: part of a measurement.
    #[command(hide = true)]
    Floor,
    /// The load for the bare loop: part of a measurement.
    #[command(hide = true)]
    Drive(Drive),
}

/// The options of `volley bench capacity`.
#[derive(Debug, Args)]
pub struct Capacity {
    /// The dialects to measure, one after the other; mixed means each of them.
    #[arg(long, value_name = "NAME,..", default_value = "mixed", value_parser = dialect_list)]
    pub dialects: Dialects,

    /// The numbers of players to measure, one after the other.
    #[arg(long, value_name = "N,..", allow_negative_numbers = true, value_delimiter = ',', default_value = "64,256,1024", value_parser = clap::value_parser!(u32).range(4..=30_000))]
    pub counts: Vec<u32>,

    /// The stage that is played: a name or number from `volley stages`, or a .tmx file.
    #[arg(long, value_name = "NAME|FILE.tmx", default_value = "endless")]
    pub stage: String,

    /// How many seconds each measurement takes.
    #[arg(long, value_name = "S", allow_negative_numbers = true, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub seconds: u32,

    /// The most players to try when searching for the largest number; 0 skips the search.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 4096, value_parser = clap::value_parser!(u32).range(0..=30_000))]
    pub most: u32,

    /// Print the report as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// The options of `volley bench restart`.
#[derive(Debug, Args)]
pub struct Restart {
    /// The dialects to measure, one after the other; mixed means each of them.
    #[arg(long, value_name = "NAME,..", default_value = "mixed", value_parser = dialect_list)]
    pub dialects: Dialects,

    /// How many seconds are played before the node is killed.
    #[arg(long, value_name = "S", allow_negative_numbers = true, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub seconds: u32,

    /// Print the report as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// The options of `volley bench storm`.
#[derive(Clone, Debug, Args)]
pub struct Storm {
    /// How many seconds each attack takes, and how long the node is watched before it.
    #[arg(long, value_name = "S", allow_negative_numbers = true, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=600))]
    pub seconds: u32,

    /// Run only attacks whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,

    /// How many first datagrams to forge in a second. If this machine cannot send that many, the result proves
    /// nothing.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub rate: u32,
}

/// The options of `volley bench soak`.
#[derive(Clone, Copy, Debug, Args)]
pub struct Soak {
    /// How many minutes players come and go.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub minutes: u32,
}

/// The options of `volley bench lag`.
#[derive(Clone, Copy, Debug, Args)]
pub struct LagBench {
    /// How many datagrams to send in a second.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub rate: u32,

    /// How many seconds each of the three runs takes.
    #[arg(long, value_name = "S", allow_negative_numbers = true, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=600))]
    pub seconds: u32,
}

/// The options of `volley bench difficulty`.
#[derive(Debug, Args)]
pub struct DifficultyBench {
    /// What is played: campaign for all stages in order with the same lives, or a stage as in `volley stages`.
    #[arg(long, value_name = "NAME|FILE.tmx", default_value = "campaign")]
    pub stage: String,

    /// The difficulties to measure, one after the other.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', default_value = "easy,normal,hard", value_parser = difficulty)]
    pub difficulties: Vec<DifficultyName>,

    /// The skills of bots, one after the other.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', default_value = "easy,normal,good", value_parser = skill)]
    pub skills: Vec<BotSkill>,

    /// Bots in each game.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=4))]
    pub players: u8,

    /// Games for each difficulty and skill.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub seeds: u64,

    /// End a game that lasts longer, in minutes of play.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=240))]
    pub minutes: u32,
}

const STORM_EXAMPLES: &str = "\
Examples:
  volley bench storm                              all attacks, four seconds each
  volley bench storm --only ICMP --seconds 20     some of them, for longer";

const DIFFICULTY_EXAMPLES: &str = "\
Examples:
  volley bench difficulty --seeds 20 --skills good --difficulties normal     a first impression
  volley bench difficulty --stage stage2                                     one stage, from its beginning
  volley bench difficulty --stage endless --players 4 --difficulties normal  how long four bots last in Endless";

/// The options of `volley bench drive`.
#[derive(Debug, Args)]
pub struct Drive {
    /// The port of the bare loop.
    #[arg(long)]
    pub port: u16,

    /// The number of players.
    #[arg(long)]
    pub count: u32,
}

const RESTART_EXAMPLES: &str = "\
Examples:
  volley bench restart                                  a table of all dialects
  volley bench restart --dialects volley --json         one dialect, as JSON";

const CAPACITY_EXAMPLES: &str = "\
Examples:
  volley bench capacity --dialects snapshot --counts 256 --most 0     one figure in half a minute
  volley bench capacity --dialects snapshot,aecs --seconds 20         two dialects, more precisely
  volley bench capacity --stage stage1 --counts 256 --most 0          with walls, which endless has not
  volley bench capacity --json > capacity.json                        everything, as JSON";
