//! Every argument of the command line and its help. A flag is defined here and nowhere else.

use std::{
    net::{IpAddr, Ipv4Addr},
    ops::RangeInclusive,
    path::PathBuf,
};

use clap::{Args, Parser, Subcommand};
use protocol::Dialect;
use server::edge::Origin;
use toolkit::watch::Speed;

use crate::doors::{NodeDoors, ServedDoors};

/// Volley: an online side-scrolling shooter in the tradition of R-Type.
///
/// One to four ships, an indestructible orb called the Force, a beam that charges while you hold the button, and waves of
/// enemies without end. Host games for players of all its network protocols at once, or watch bots play in your terminal.
#[derive(Debug, Parser)]
#[command(name = "volley", version, after_help = EXAMPLES, arg_required_else_help = true, disable_help_subcommand = true)]
pub struct Arguments {
    /// End when the parent process ends: used by measurements.
    #[arg(long, hide = true)]
    pub ends_with_parent: bool,

    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  volley serve                              host games for clients on this machine
  volley bots                               send four bots to the node on this machine
  volley bench capacity                     measure how many players a node can serve here
  volley watch                              watch four bots play the endless stage
  volley watch --seed 42 --stage stage1     watch the same game of the first stage every time
  volley watch --ticks 600 --text           print the first ten seconds as plain text
  volley stages                             list the stages
  volley assets --out art                   write sprites and sounds for a client of your own
  volley watch --help                       show all options of a command";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Host games for players of every dialect.
    ///
    /// Opens a port for each dialect, and one for HTTP: the web client, a status page, an API and metrics. Players whose
    /// dialect has no lobbies join the first lobby with a free seat, whatever dialect the others use.
    ///
    /// SIGTERM lets players finish their games (see --drain-seconds). A second SIGTERM, Ctrl-C or SIGHUP ends the node at
    /// once.
    #[command(after_help = SERVE_EXAMPLES, args_override_self = true)]
    Serve(Box<Serve>),
    /// Send bots to a node, as partners to play with or to load it.
    ///
    /// One process can run thousands of bots. It shows their progress on standard error, and prints a report on standard
    /// output when they have left. Exit code 0: all bots joined and none was lost; 1: some did not join or were lost; 2: no
    /// node answers.
    #[command(after_help = BOTS_EXAMPLES)]
    Bots(Bots),
    /// Measure how a node performs on this machine.
    #[command(subcommand)]
    Bench(Bench),
    /// Watch bots play, in this terminal or as plain text.
    ///
    /// Draws the game in the terminal, also over ssh. It needs at least 40 columns and 14 rows; larger is better. When a game
    /// is lost, a new one begins with the next seed; when a stage is won, the next stage begins.
    ///
    /// Keys: q quits, p or space pauses, n starts a new game with the next seed, + and - change the speed.
    #[command(after_help = WATCH_EXAMPLES)]
    Watch(Watch),
    /// List the built-in stages.
    Stages,
    /// Write sprite sheets, sounds and a table of kinds, for people who write a client of their own.
    ///
    /// The sheets are PNG files with the names that the `snapshot` dialect sends as sprite paths; kinds.json tells what is in
    /// them, and the number and size of every kind. A node serves the same files under /assets/.
    Assets {
        /// The directory to write to. It is created if it does not exist.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Write man pages and shell completions into a directory.
    #[command(hide = true)]
    Generate {
        /// The directory. It is created if it does not exist.
        directory: PathBuf,
    },
}

/// Less would serve hardly anybody.
const MEMORY_MIN_BYTES: usize = 16 << 20;

/// The options of `volley serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// The address to listen at. By default only this machine can connect; 0.0.0.0 or :: lets everybody connect.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = address)]
    pub bind: IpAddr,

    /// The port of HTTP (the web client, /status, /api, /metrics, /admin), or off.
    #[arg(long, value_name = "PORT", allow_negative_numbers = true, default_value = "4240", value_parser = port)]
    pub http: Port,

    #[command(flatten)]
    pub doors: ServedDoors,

    /// The UDP ports for rfc2020's lobbies, one for each lobby.
    #[arg(long, value_name = "FIRST-LAST", allow_negative_numbers = true, default_value = "24500-24999", value_parser = ports)]
    pub rfc2020_lobbies: RangeInclusive<u16>,

    /// The stage of lobbies whose players did not choose one: a name or number from `volley stages`, or a .tmx file.
    #[arg(long, value_name = "NAME|FILE.tmx", default_value = "endless")]
    pub stage: String,

    /// The difficulty of lobbies whose players did not choose one: easy, normal or hard.
    #[arg(long, value_name = "LEVEL", default_value = "normal", value_parser = difficulty)]
    pub difficulty: Level,

    /// The seed that the seeds of all games are derived from [default: random].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    pub seed: Option<u64>,

    /// The most lobbies that may be open at once.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub lobbies: u32,

    /// The number of threads that share the lobbies [default: one for each core].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub shards: Option<u8>,

    /// Also serve public addresses in the dialects that cannot prove an address. An attacker could forge an address and so
    /// direct traffic at a victim; therefore all such peers together get at most 2 Mbit/s. --open-unproved=false overrides a
    /// config file.
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", hide_default_value = true, hide_possible_values = true)]
    pub open_unproved: bool,

    /// Limit what may come from loopback in a second, as for any other address. --limit-loopback=false overrides a config file.
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", hide_default_value = true, hide_possible_values = true)]
    pub limit_loopback: bool,

    /// The memory that all WebSocket and WebTransport connections together may use, such as 256M or 2G.
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = memory)]
    pub memory: usize,

    /// Let web pages of this origin connect too, such as `https://portal.example`. Pages of the node itself always may. Can be
    /// given several times.
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    pub allow_origin: Vec<Origin>,

    /// A certificate with its chain, in PEM format, for the name under which players call the node. With it, the web client is
    /// served over HTTPS at the HTTP port, and WebTransport works from other machines [default: plain HTTP, and a self-signed
    /// certificate for WebTransport, which the web client pins].
    #[arg(long, value_name = "FILE.pem")]
    pub certificate: Option<PathBuf>,

    /// The private key of the certificate. The two options are given together.
    #[arg(long, visible_alias = "key", value_name = "FILE.pem")]
    pub certificate_key: Option<PathBuf>,

    /// The directory for high scores, bans and the admin token [default: none; they are lost when the node ends].
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// After how many days the names of players are removed from the records; 0 keeps them for ever.
    #[arg(long, value_name = "DAYS", allow_negative_numbers = true, default_value_t = 365, value_parser = clap::value_parser!(u32).range(0..=36_500))]
    pub keep_days: u32,

    /// A TOML file with the same names as these flags. Flags override it.
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,

    /// How many seconds players may play on after SIGTERM; 0 ends the node at once.
    #[arg(long, value_name = "S", allow_negative_numbers = true, default_value_t = 30, value_parser = clap::value_parser!(u32).range(0..=86_400))]
    pub drain_seconds: u32,

    /// The format of the log on standard error. RUST_LOG chooses what is logged.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub log: LogFormat,
}

/// The options of `volley bots`.
#[derive(Debug, Args)]
pub struct Bots {
    /// The dialect of the bots.
    #[arg(long, value_name = "NAME|mixed", default_value = "mixed", value_parser = dialects, help = spoken())]
    pub dialect: Dialects,

    /// The number of bots. More than 64 think ten times a second instead of 60 times; more than 1024, six times.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=30_000))]
    pub count: u32,

    /// How many seconds the bots play [default: until Ctrl-C].
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub seconds: Option<u32>,

    /// The node's host name or address.
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    pub to: String,

    #[command(flatten)]
    pub doors: NodeDoors,

    /// With --dialect rfc2020 or volley: the code of the lobby to join [default: with rfc2020, every four bots make a lobby;
    /// with volley, any lobby].
    #[arg(long, value_name = "ID")]
    pub lobby: Option<String>,

    /// The stage of the lobbies that bots of rfc2020 make. The node must know it; other dialects play what the node plays.
    #[arg(long, value_name = "NAME", default_value = "endless")]
    pub stage: String,

    /// The seed of the bots' decisions [default: random].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    pub seed: Option<u64>,

    /// Print the report as one JSON object.
    #[arg(long)]
    pub json: bool,
}

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

const CAPACITY_EXAMPLES: &str = "\
Examples:
  volley bench capacity --dialects snapshot --counts 256 --most 0     one figure in half a minute
  volley bench capacity --dialects snapshot,aecs --seconds 20         two dialects, more precisely
  volley bench capacity --stage stage1 --counts 256 --most 0          with walls, which endless has not
  volley bench capacity --json > capacity.json                        everything, as JSON";

fn dialect_list(text: &str) -> Result<Dialects, String> {
    let lists = text.split(',').map(|name| dialects(name.trim())).collect::<Result<Vec<Dialects>, String>>()?;
    Ok(Dialects(lists.into_iter().flat_map(|list| list.0).collect()))
}

/// The dialects of bots, in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialects(pub Vec<Dialect>);

const BOTS_EXAMPLES: &str = "\
Examples:
  volley bots --count 3 --dialect snapshot            three partners to play with
  volley bots --count 500 --seconds 30 --json         load a node, and print a report as JSON
  volley bots --to play.example.org --typeuh 5000     use a node elsewhere
  volley bots --dialect rfc2020 --lobby K7QX2M        join a lobby by its code";

/// The help of `--dialect`.
fn spoken() -> String {
    format!("The bots' dialect: {} (volley over a WebSocket); or mixed, which gives each bot the next one", names())
}

fn names() -> String {
    Dialect::ALL.map(Dialect::name).join(", ")
}

fn dialects(text: &str) -> Result<Dialects, String> {
    match text {
        "mixed" => Ok(Dialects(Dialect::ALL.into())),
        _ => Dialect::from_name(text)
            .map(|dialect| Dialects(vec![dialect]))
            .ok_or_else(|| format!("choose one of {}, or mixed", names())),
    }
}

/// A difficulty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level(pub game::Difficulty);

fn difficulty(text: &str) -> Result<Level, String> {
    game::Difficulty::from_name(text).map(Level).ok_or_else(|| "choose easy, normal or hard".into())
}

/// A port, where 0 means any free one; or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port(pub Option<u16>);

/// The format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// Readable text.
    Text,
    /// One JSON object per line.
    Json,
}

const SERVE_EXAMPLES: &str = "\
Examples:
  volley serve                              serve this machine only
  volley serve --bind 0.0.0.0               serve everybody who can reach this machine
  volley serve --aecs off --http 8080       close one dialect, move HTTP to another port
  volley serve --data /var/lib/volley       keep high scores
  volley serve --bind :: --certificate fullchain.pem --certificate-key privkey.pem
                                            serve everybody, with the page over HTTPS
  curl localhost:4240/api/lobbies           list the lobbies and their players";

/// An address that a node can listen at.
fn address(text: &str) -> Result<IpAddr, String> {
    let address: IpAddr = text.parse().map_err(|_| "expected an address such as 127.0.0.1, 0.0.0.0 or ::")?;
    match address.to_canonical() {
        ip if ip.is_multicast() => {
            Err("this is a multicast address; give an address of this machine, or 0.0.0.0 or ::".into())
        }
        IpAddr::V4(Ipv4Addr::BROADCAST) => {
            Err("this is the broadcast address; give an address of this machine, or 0.0.0.0 or ::".into())
        }
        IpAddr::V6(ip) if ip.is_unicast_link_local() => {
            Err("this is a link-local address without its interface; give another address of this machine, or ::"
                .into())
        }
        _ => Ok(address),
    }
}

pub fn port(text: &str) -> Result<Port, String> {
    match text {
        "off" => Ok(Port(None)),
        _ => text.parse().map(|port| Port(Some(port))).map_err(|_| "expected a port from 0 to 65535, or off".into()),
    }
}

fn ports(text: &str) -> Result<RangeInclusive<u16>, String> {
    let range = text.split_once('-').and_then(|(first, last)| Some(first.parse().ok()?..=last.parse().ok()?));
    range
        .filter(|range: &RangeInclusive<u16>| !range.is_empty() && *range.start() > 0)
        .ok_or_else(|| "expected a range FIRST-LAST, such as 24500-24999".into())
}

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

const WATCH_EXAMPLES: &str = "\
Examples:
  volley watch --seed 42                    watch the same game every time
  volley watch --stage my/stage.tmx         try out your own stage
  volley watch --players 1 --speed 0.5      watch one bot at half speed
  volley watch --seed 42 --ticks 600 --text | grep event";

/// A number of bytes, or of kibibytes, mebibytes or gibibytes.
fn memory(text: &str) -> Result<usize, String> {
    let (number, unit) = match text.as_bytes().last().map(u8::to_ascii_uppercase) {
        Some(b'K') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M') => (&text[..text.len() - 1], 1 << 20),
        Some(b'G') => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    let bytes = number.parse::<usize>().ok().and_then(|number| number.checked_mul(unit));
    bytes
        .filter(|bytes| *bytes >= MEMORY_MIN_BYTES)
        .ok_or_else(|| "expected a size of at least 16M, such as 256M or 2G".into())
}

fn origin(text: &str) -> Result<Origin, String> {
    text.parse().map_err(|error: server::edge::NotAnOrigin| error.to_string())
}

fn seed(text: &str) -> Result<u64, String> {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let parsed = match hexadecimal {
        // `from_str_radix` accepts a sign; a seed has none.
        Some(digits) if digits.starts_with('+') => None,
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if text.starts_with('+') => None,
        None => text.parse().ok(),
    };
    parsed.ok_or_else(|| format!("expected a whole number from 0 to {}, such as 42 or 0x2a", u64::MAX))
}

fn speed(text: &str) -> Result<Speed, String> {
    let factor: Option<f64> = text.parse().ok();
    let percent = factor.filter(|factor| (0.0..=100.0).contains(factor)).map(|factor| (factor * 100.0).round() as u32);
    percent.and_then(Speed::from_percent).ok_or_else(|| "expected a number from 0.1 to 16, such as 2 or 0.5".into())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_valid() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn memory_is_a_size_with_a_unit() {
        let right = [("512M", 512 << 20), ("16777216", 16 << 20), ("2g", 2 << 30), ("32768K", 32 << 20)];
        assert!(right.iter().all(|(text, bytes)| memory(text) == Ok(*bytes)));
        for wrong in ["", "M", "1M", "-1G", "1.5G", "512MB", "99999999999999999999G", "512 M", "\u{e9}"] {
            assert!(memory(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_address_is_one_that_a_node_can_listen_at() {
        for right in ["127.0.0.5", "0.0.0.0", "::", "::1", "192.0.2.1", "2001:db8::1"] {
            assert_eq!(address(right), Ok(right.parse().expect("an address")));
        }
        for (wrong, part) in [
            ("localhost", "127.0.0.1"),
            ("224.0.0.1", "multicast"),
            ("ff02::1", "multicast"),
            ("::ffff:224.0.0.1", "multicast"),
            ("255.255.255.255", "broadcast"),
            ("fe80::1", "link-local"),
        ] {
            assert!(address(wrong).is_err_and(|why| why.contains(part)), "{wrong}");
        }
    }

    #[test]
    fn a_later_switch_overrides_an_earlier_one() {
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
