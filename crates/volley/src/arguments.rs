//! Every argument of the command line and its help. A flag is defined here and nowhere else: the commands in this file, the
//! options of each in a file of its own, what their texts may be in `values.rs`.

mod bench;
mod bots;
mod bridge;
mod conform;
mod decode;
mod lag;
mod limits;
mod replay;
mod serve;
mod values;
mod watch;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

pub use self::{
    bench::{Bench, Capacity, DifficultyBench, LagBench, Restart, Soak, Storm},
    bots::Bots,
    bridge::{Bridge, Listen},
    conform::{Cases, Conform, ConformClient, ConformServer},
    decode::{Decode, Dissector},
    lag::Lag,
    replay::ReplayArguments,
    serve::{LogFormat, Serve},
    values::{BotSkill, Port, port},
    watch::Watch,
};
use self::{
    bots::BOTS_EXAMPLES,
    bridge::BRIDGE_EXAMPLES,
    conform::CONFORM_EXAMPLES,
    decode::{DECODE_EXAMPLES, DISSECTOR_EXAMPLES},
    lag::LAG_EXAMPLES,
    replay::REPLAY_EXAMPLES,
    serve::SERVE_EXAMPLES,
    watch::WATCH_EXAMPLES,
};

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
  volley decode game.pcap                   explain a capture field by field
  volley lag --to localhost:4243 --preset 4g   feel a bad network
  volley bridge --listen typeuh:4300 --to volley@localhost:4240   play in another dialect
  volley conform server --dialect snapshot --to localhost:4243   test a server
  volley watch                              watch four bots play the endless stage
  volley watch --seed 42 --stage stage1     watch the same game of the first stage every time
  volley watch --ticks 600 --text           print the first ten seconds as plain text
  volley replay game.vreplay --verify       play a recorded game again and compare every hash
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
    /// Explain what is on the wire, field by field.
    ///
    /// Reads a capture of any dialect, and shows every datagram and message with byte offsets, values with units, and
    /// the clause of the document. Violations are marked with the ruling that they break. A summary follows: rates,
    /// losses, repeats, round trips and violations of each session. volley over WebSocket is read too; over
    /// WebTransport it is encrypted.
    #[command(after_help = DECODE_EXAMPLES)]
    Decode(Decode),
    /// Write dissectors for Wireshark and tshark, one for each dialect.
    #[command(after_help = DISSECTOR_EXAMPLES)]
    Dissector(Dissector),
    /// Put a bad network between any two programs.
    ///
    /// Clients connect to --listen instead of the server, over UDP and TCP; what passes is delayed, lost, copied,
    /// reordered or slowed down as you ask. With the same seed, the same datagrams in the same order meet the same
    /// fate. The ports of rfc2020's lobbies are followed. Ctrl-C ends it with a report.
    #[command(after_help = LAG_EXAMPLES)]
    Lag(Box<Lag>),
    /// Let clients of one dialect play on a server of another.
    ///
    /// Clients connect to --listen as to any server of their dialect; each gets its own connection to the server. Old
    /// dialects cross the internet safely this way: put the bridge beside the client, and volley, which is encrypted
    /// and proves addresses, between the bridge and the server. docs/bridge.md lists what each pair of dialects
    /// loses. A player whose connection to the server is lost sees an empty field and is brought back for half a
    /// minute. Ctrl-C ends it with a report.
    #[command(after_help = BRIDGE_EXAMPLES)]
    Bridge(Box<Bridge>),
    /// Test whether your server or client follows its document.
    ///
    /// Tries what the document of a dialect and the rulings ask for, case by case, over real sockets, and says what is wrong, why
    /// it matters and how to see it again. docs/conformance.md describes cases, verdicts and reports.
    #[command(subcommand, after_help = CONFORM_EXAMPLES)]
    Conform(Conform),
    /// Watch bots play, in this terminal or as plain text.
    ///
    /// Draws the game in the terminal, even over ssh. It needs at least 40 columns and 14 rows; larger is better.
    /// When a game is lost, a new one begins with the next seed; when a stage is won, the next stage begins.
    ///
    /// Keys: q quits, p or space pauses, n starts a new game with the next seed, + and - change the speed.
    #[command(after_help = WATCH_EXAMPLES)]
    Watch(Watch),
    /// Watch a recorded game again, verify it, or make pictures of it.
    ///
    /// `volley serve --record DIR` records games; the node serves them at /api/replays/. In the terminal: q quits, p
    /// or space pauses, the left and right arrows go back and forward by five seconds, n and b to the next and the
    /// previous death or boss, f follows another player, + and - change the speed, Home and End jump to the beginning
    /// and the end.
    ///
    /// Exit code 0: success; 1: --verify found a different game; 2: the file cannot be played here.
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(ReplayArguments),
    /// List the built-in stages.
    Stages,
    /// Write sprite sheets, sounds and a table of kinds, for people who write a client of their own.
    ///
    /// The sheets are PNG files with the names that the `snapshot` dialect sends as sprite paths; kinds.json says what is in
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_valid() {
        Arguments::command().debug_assert();
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
}
