//! Every argument of the command line, with what its help says. A flag is defined here and nowhere else.

use std::{
    net::{IpAddr, Ipv4Addr},
    ops::RangeInclusive,
    path::PathBuf,
};

use clap::{Args, Parser, Subcommand};
use protocol::Dialect;
use toolkit::watch::Speed;

/// Volley: an online side-scrolling shooter in the tradition of R-Type.
///
/// One to four ships, an indestructible orb called the Force, a beam that grows while you hold the button, and waves
/// that never end. You can host a node that speaks five network protocols at once, and watch bots play in your terminal.
#[derive(Debug, Parser)]
#[command(name = "volley", version, after_help = EXAMPLES, arg_required_else_help = true, disable_help_subcommand = true)]
pub struct Arguments {
    /// End when the process that started this one does: how a measurement ends its parts.
    #[arg(long, hide = true)]
    pub ends_with_parent: bool,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  volley serve                              host games for clients on this machine
  volley bots                               four bots join the node on this machine
  volley bench capacity                     how many players does a node hold here?
  volley watch                              watch four bots in the endless stage
  volley watch --seed 42 --stage stage1     the same game of the first stage every time
  volley watch --ticks 600 --text           the first ten seconds as plain text
  volley stages                             list the stages
  volley watch --help                       all about watching";

/// What `volley` can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Host games: one node, every dialect, for players of any of them.
    ///
    /// Opens a door for each dialect and HTTP beside them. Players of dialects without lobbies meet in the first lobby
    /// with a free seat, whatever they speak.
    ///
    /// SIGTERM lets players finish (see --drain-seconds), a second one ends the node at once; so do Ctrl-C and SIGHUP.
    #[command(after_help = SERVE_EXAMPLES, args_override_self = true)]
    Serve(Box<Serve>),
    /// Let bots play on a node, in any dialect: sparring partners, or a load.
    ///
    /// One process drives thousands. It tells how they fare on standard error, and the report on standard output when
    /// they have left. Exit code 0: all joined and none was lost; 1: some did not or were; 2: nobody answers.
    #[command(after_help = BOTS_EXAMPLES)]
    Bots(Bots),
    /// Measure what a node can do on this machine.
    #[command(subcommand)]
    Bench(Bench),
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

/// What `volley serve` can be told.
#[derive(Debug, Args)]
pub struct Serve {
    /// The address that everything listens at. The default is for this machine only; 0.0.0.0 or :: is for everybody.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = address)]
    pub bind: IpAddr,

    /// The port of HTTP: /status, /api/lobbies, /metrics, /admin and more; or off.
    #[arg(long, value_name = "PORT", allow_negative_numbers = true, default_value = "4240", value_parser = port)]
    pub http: Port,

    /// The port of the typeuh door (UDP), or off.
    #[arg(long, value_name = "PORT", allow_negative_numbers = true, default_value = "4241", value_parser = port)]
    pub typeuh: Port,

    /// The port of the aecs door (TCP and UDP), or off.
    #[arg(long, value_name = "PORT", allow_negative_numbers = true, default_value = "4242", value_parser = port)]
    pub aecs: Port,

    /// The port of the snapshot door (UDP), or off.
    #[arg(long, value_name = "PORT", allow_negative_numbers = true, default_value = "4243", value_parser = port)]
    pub snapshot: Port,

    /// The port of the rfc2020 door (TCP), or off.
    #[arg(long, value_name = "PORT", allow_negative_numbers = true, default_value = "4244", value_parser = port)]
    pub rfc2020: Port,

    /// The UDP ports of rfc2020's lobbies, one each.
    #[arg(long, value_name = "FIRST-LAST", allow_negative_numbers = true, default_value = "24500-24999", value_parser = ports)]
    pub rfc2020_lobbies: RangeInclusive<u16>,

    /// The port of the rfc53952 door (UDP), or off.
    #[arg(long, value_name = "PORT", allow_negative_numbers = true, default_value = "4245", value_parser = port)]
    pub rfc53952: Port,

    /// The stage of lobbies that nobody chose one for: a name or number that `volley stages` lists, or a .tmx file.
    #[arg(long, value_name = "NAME|FILE.tmx", default_value = "endless")]
    pub stage: String,

    /// The seed from which the seeds of all games come [default: a random one].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    pub seed: Option<u64>,

    /// Lobbies at once, at most.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub lobbies: u32,

    /// Threads that share the lobbies among them [default: one for each core].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub shards: Option<u8>,

    /// Serve public addresses also in dialects that cannot prove them (typeuh, snapshot, rfc53952). A forged address
    /// could aim their stream at a stranger, so all such peers together get at most 2 Mbit/s. --open-unproved=false takes
    /// back what a file says.
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", hide_default_value = true, hide_possible_values = true)]
    pub open_unproved: bool,

    /// A certificate for WebTransport, in PEM format, with those that it rests on [default: the node signs one itself,
    /// which pages pin].
    #[arg(long, value_name = "FILE.pem")]
    pub certificate: Option<PathBuf>,

    /// The private key of that certificate. Neither goes without the other.
    #[arg(long, value_name = "FILE.pem")]
    pub certificate_key: Option<PathBuf>,

    /// The directory where high scores, bans and the admin token are kept [default: in memory, until the node ends].
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// A TOML file with the same names as these flags, which win over it.
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,

    /// How long players may play on after SIGTERM; 0 ends the node at once.
    #[arg(long, value_name = "S", allow_negative_numbers = true, default_value_t = 30, value_parser = clap::value_parser!(u32).range(0..=86_400))]
    pub drain_seconds: u32,

    /// How the log on standard error looks; RUST_LOG chooses what is in it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub log: LogFormat,
}

/// What `volley bots` can be told.
#[derive(Debug, Args)]
pub struct Bots {
    /// What they speak: typeuh, aecs, snapshot, rfc2020, rfc53952 or volley; or mixed, each in turn. They speak volley
    /// over a WebSocket.
    #[arg(long, value_name = "NAME|mixed", default_value = "mixed", value_parser = dialects)]
    pub dialect: Dialects,

    /// How many bots play. More than 64 think ten times a second instead of at every Frame, more than 1024 six times.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=30_000))]
    pub count: u32,

    /// How long they play [default: until Ctrl-C].
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub seconds: Option<u32>,

    /// The node's host, a name or an address.
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    pub to: String,

    /// The port of the node's HTTP door, where volley is spoken over a WebSocket.
    #[arg(long, value_name = "PORT", allow_negative_numbers = true, default_value_t = 4240, value_parser = clap::value_parser!(u16).range(1..))]
    pub volley: u16,

    /// The port of the node's typeuh door.
    #[arg(long, value_name = "PORT", allow_negative_numbers = true, default_value_t = 4241, value_parser = clap::value_parser!(u16).range(1..))]
    pub typeuh: u16,

    /// The port of the node's aecs door.
    #[arg(long, value_name = "PORT", allow_negative_numbers = true, default_value_t = 4242, value_parser = clap::value_parser!(u16).range(1..))]
    pub aecs: u16,

    /// The port of the node's snapshot door.
    #[arg(long, value_name = "PORT", allow_negative_numbers = true, default_value_t = 4243, value_parser = clap::value_parser!(u16).range(1..))]
    pub snapshot: u16,

    /// The port of the node's rfc2020 door.
    #[arg(long, value_name = "PORT", allow_negative_numbers = true, default_value_t = 4244, value_parser = clap::value_parser!(u16).range(1..))]
    pub rfc2020: u16,

    /// The port of the node's rfc53952 door.
    #[arg(long, value_name = "PORT", allow_negative_numbers = true, default_value_t = 4245, value_parser = clap::value_parser!(u16).range(1..))]
    pub rfc53952: u16,

    /// With --dialect rfc2020 or volley: the lobby that they ask for [default: in rfc2020 they make lobbies, one for
    /// four of them; in volley they take any].
    #[arg(long, value_name = "ID")]
    pub lobby: Option<String>,

    /// The seed of the bots' whims [default: a random one].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    pub seed: Option<u64>,

    /// Print the report as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// What `volley bench` can measure.
#[derive(Debug, Subcommand)]
pub enum Bench {
    /// How many players a node holds, and what one costs beside bare sockets.
    ///
    /// For each dialect and number of players it starts a node with one shard and as many bots, each on a core of its
    /// own, and the floor beside it: a bare loop that receives 12 and sends 200 bytes a player and tick. It prints the CPU time of
    /// both and their ratio, the share of ticks that began less than 1 ms late, bytes and memory, and looks for the most
    /// players with 99 % of ticks on time. Players of volley come over WebSockets, which are TCP: the floor, which is
    /// UDP, says less about them. It takes about twenty minutes with all its defaults; nothing else should run on the
    /// machine meanwhile. Needs Linux.
    #[command(after_help = CAPACITY_EXAMPLES)]
    Capacity(Capacity),
    /// The bare loop: a part of a measurement.
    #[command(hide = true)]
    Floor,
    /// The load of the bare loop: a part of a measurement.
    #[command(hide = true)]
    Drive(Drive),
}

/// What `volley bench capacity` can be told.
#[derive(Debug, Args)]
pub struct Capacity {
    /// What players speak, one dialect after the other; or mixed for each of the six. Those of volley come over
    /// WebSockets.
    #[arg(long, value_name = "NAME,..", default_value = "mixed", value_parser = dialect_list)]
    pub dialects: Dialects,

    /// How many players, one number after the other.
    #[arg(long, value_name = "N,..", allow_negative_numbers = true, value_delimiter = ',', default_value = "64,256,1024", value_parser = clap::value_parser!(u32).range(4..=30_000))]
    pub counts: Vec<u32>,

    /// How long each is watched.
    #[arg(long, value_name = "S", allow_negative_numbers = true, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub seconds: u32,

    /// The most players that are tried in search of the largest number; 0 leaves the search out.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 4096, value_parser = clap::value_parser!(u32).range(0..=30_000))]
    pub most: u32,

    /// Print the report as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Whom the load of the bare loop goes to.
#[derive(Debug, Args)]
pub struct Drive {
    /// The port of the bare loop.
    #[arg(long)]
    pub port: u16,

    /// How many players.
    #[arg(long)]
    pub count: u32,
}

const CAPACITY_EXAMPLES: &str = "\
Examples:
  volley bench capacity --dialects snapshot --counts 256 --most 0     one figure in half a minute
  volley bench capacity --dialects snapshot,aecs --seconds 20         two dialects, more carefully
  volley bench capacity --json > capacity.json                        everything, for a machine";

fn dialect_list(text: &str) -> Result<Dialects, String> {
    let lists = text.split(',').map(|name| dialects(name.trim())).collect::<Result<Vec<Dialects>, String>>()?;
    Ok(Dialects(lists.into_iter().flat_map(|list| list.0).collect()))
}

/// What bots speak, in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialects(pub Vec<Dialect>);

const BOTS_EXAMPLES: &str = "\
Examples:
  volley bots --count 3 --dialect snapshot            three partners to play with
  volley bots --count 500 --seconds 30 --json         a load, and what became of it
  volley bots --to play.example.org --typeuh 5000     a node elsewhere
  volley bots --dialect rfc2020 --lobby K7QX2M        into a lobby that somebody made";

fn dialects(text: &str) -> Result<Dialects, String> {
    let known = || Dialect::ALL.map(Dialect::name).join(", ");
    match text {
        "mixed" => Ok(Dialects(Dialect::ALL.into())),
        _ => Dialect::from_name(text)
            .map(|dialect| Dialects(vec![dialect]))
            .ok_or_else(|| format!("the dialects are {}, and mixed", known())),
    }
}

/// A port, 0 for any free one; or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port(pub Option<u16>);

/// How a log looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

const SERVE_EXAMPLES: &str = "\
Examples:
  volley serve                              for clients on this machine
  volley serve --bind 0.0.0.0               for everybody who can reach it
  volley serve --aecs off --http 8080       without one dialect, HTTP elsewhere
  volley serve --data /var/lib/volley       keep high scores
  curl localhost:4240/api/lobbies           who plays?";

/// An address that a machine can have for itself and be reached at.
fn address(text: &str) -> Result<IpAddr, String> {
    let address: IpAddr = text.parse().map_err(|_| "an address is one such as 127.0.0.1, 0.0.0.0 or ::")?;
    match address.to_canonical() {
        ip if ip.is_multicast() => {
            Err("that is for groups of machines; name one of this machine, or 0.0.0.0 or ::".into())
        }
        IpAddr::V4(Ipv4Addr::BROADCAST) => {
            Err("that is every machine's; name one of this machine, or 0.0.0.0 or ::".into())
        }
        IpAddr::V6(ip) if ip.is_unicast_link_local() => {
            Err("that is of a single link and does not say which; name another of this machine, or ::".into())
        }
        _ => Ok(address),
    }
}

fn port(text: &str) -> Result<Port, String> {
    match text {
        "off" => Ok(Port(None)),
        _ => text.parse().map(|port| Port(Some(port))).map_err(|_| "a port is a number from 0 to 65535, or off".into()),
    }
}

fn ports(text: &str) -> Result<RangeInclusive<u16>, String> {
    let range = text.split_once('-').and_then(|(first, last)| Some(first.parse().ok()?..=last.parse().ok()?));
    range
        .filter(|range: &RangeInclusive<u16>| !range.is_empty() && *range.start() > 0)
        .ok_or_else(|| "a range of ports is FIRST-LAST, such as 24500-24999".into())
}

/// What `volley watch` can be told.
#[derive(Debug, Args)]
pub struct Watch {
    /// The seed of the game: the same seed gives the same game. Decimal, or hexadecimal as in 0x2a [default: a random
    /// one, which is shown].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    pub seed: Option<u64>,

    /// The stage: a name or number that `volley stages` lists, or a Tiled map of your own (a path that ends in .tmx or
    /// has a slash in it).
    #[arg(long, value_name = "NAME|FILE.tmx", default_value = "endless")]
    pub stage: String,

    /// How many bots play, 1 to 4.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=4))]
    pub players: u8,

    /// Stop after so many ticks; 60 ticks are one second [default: go on until stopped].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub ticks: Option<u64>,

    /// How fast the game goes, 0.1 to 16 times real time.
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true, default_value = "1", value_parser = speed, conflicts_with = "text")]
    pub speed: Speed,

    /// Write plain text to standard output instead of drawing: every tick with all its entities and events, the same
    /// bytes for the same seed. Needs no terminal.
    #[arg(long)]
    pub text: bool,

    /// With --text: write only every Nth tick.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1, requires = "text", value_parser = clap::value_parser!(u64).range(1..))]
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
    fn an_address_is_one_that_a_machine_can_be_reached_at() {
        for right in ["127.0.0.5", "0.0.0.0", "::", "::1", "192.0.2.1", "2001:db8::1"] {
            assert_eq!(address(right), Ok(right.parse().expect("an address")));
        }
        for (wrong, part) in [
            ("localhost", "127.0.0.1"),
            ("224.0.0.1", "groups"),
            ("ff02::1", "groups"),
            ("::ffff:224.0.0.1", "groups"),
            ("255.255.255.255", "every machine's"),
            ("fe80::1", "a single link"),
        ] {
            assert!(address(wrong).is_err_and(|why| why.contains(part)), "{wrong}");
        }
    }

    #[test]
    fn a_switch_can_be_taken_back_by_a_later_one() {
        let is_open = |flags: &[&str]| {
            let line = [&["volley", "serve"], flags].concat();
            match Arguments::try_parse_from(line).map(|arguments| arguments.command) {
                Ok(Command::Serve(serve)) => Some(serve.open_unproved),
                _ => None,
            }
        };
        assert_eq!((is_open(&[]), is_open(&["--open-unproved"])), (Some(false), Some(true)));
        assert_eq!(is_open(&["--open-unproved=true", "--open-unproved=false"]), Some(false));
        assert_eq!((is_open(&["--open-unproved", "--http", "1"]), is_open(&["--open-unproved=1"])), (Some(true), None));
    }

    #[test]
    fn a_port_is_a_number_or_off_and_a_range_has_an_order() {
        assert_eq!(port("0"), Ok(Port(Some(0))));
        assert_eq!(port("off"), Ok(Port(None)));
        for wrong in ["", "65536", "-1", "on"] {
            assert!(port(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(ports("1-9"), Ok(1..=9));
        for wrong in ["9-1", "0-9", "5", "1-65536", "a-b"] {
            assert!(ports(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_dialect_has_a_name_and_mixed_is_all_of_them() {
        assert_eq!(dialects("aecs"), Ok(Dialects(vec![Dialect::Aecs])));
        assert_eq!(dialects("mixed"), Ok(Dialects(Dialect::ALL.into())));
        let two = Dialects(vec![Dialect::Snapshot, Dialect::Aecs]);
        assert_eq!((dialect_list("snapshot, aecs"), dialect_list("snapshot,").is_err()), (Ok(two), true));
        assert!(dialects("AECS").is_err_and(|said| said.contains("typeuh, aecs") && said.contains("mixed")));
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
