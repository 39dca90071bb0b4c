//! The options of `volley serve`.

use std::{net::IpAddr, ops::RangeInclusive, path::PathBuf};

use clap::Args;
use server::edge::Origin;

use super::limits::LimitArguments;
use super::values::{DifficultyName, Port, address, difficulty, memory, origin, port, ports, seed};
use crate::doors::ServedDoors;

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
    pub difficulty: DifficultyName,

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

    #[command(flatten)]
    pub limits: LimitArguments,

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

    /// Record every game into this directory, to be watched with `volley replay` or in the web client [default: no game is
    /// recorded].
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,

    /// After how many days a recording is removed; 0 keeps them for ever.
    #[arg(long, value_name = "DAYS", allow_negative_numbers = true, default_value_t = 30, value_parser = clap::value_parser!(u32).range(0..=36_500))]
    pub record_days: u32,

    /// How many megabytes all recordings together may take: the oldest are removed.
    #[arg(long, value_name = "MB", allow_negative_numbers = true, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub record_mb: u32,

    /// Record the names of the players and what they say, too. --record-names=false overrides a config file.
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", hide_default_value = true, hide_possible_values = true)]
    pub record_names: bool,

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

/// The format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// Readable text.
    Text,
    /// One JSON object per line.
    Json,
}

pub(super) const SERVE_EXAMPLES: &str = "\
Examples:
  volley serve                              serve this machine only
  volley serve --bind 0.0.0.0               serve everybody who can reach this machine
  volley serve --aecs off --http 8080       close one dialect, move HTTP to another port
  volley serve --data /var/lib/volley       keep high scores
  volley serve --record games               record every game, to be watched again
  volley serve --bind :: --certificate fullchain.pem --certificate-key privkey.pem
                                            serve everybody, with the page over HTTPS
  curl localhost:4240/api/lobbies           list the lobbies and their players";
