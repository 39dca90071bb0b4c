//! The options of `volley decode` and `volley dissector`.

use std::path::PathBuf;

use clap::Args;
use protocol::Dialect;
use toolkit::decode::Filter;

use super::values::names;

/// The options of `volley decode`.
#[derive(Debug, Args)]
pub struct Decode {
    /// A capture (pcap or pcapng), text with a datagram in hexadecimal on each line, or - for standard input.
    #[arg(value_name = "FILE.pcap|FILE.pcapng|FILE.hex|-")]
    pub input: PathBuf,

    /// The dialect of everything in it; auto takes that of the port, or guesses it from the content.
    #[arg(long, value_name = "NAME|auto", default_value = "auto", value_parser = spoken, help = spoken_help())]
    pub dialect: SpokenDialect,

    /// Show only what meets a condition, such as "snapshot && player_id == 2" or "violation".
    #[arg(long, value_name = "EXPRESSION", value_parser = filter)]
    pub filter: Option<Filter>,

    /// Print a JSON object on each line, and the summary as the last one.
    #[arg(long)]
    pub json: bool,
}

/// A dialect, or whichever it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpokenDialect(pub Option<Dialect>);

fn spoken(text: &str) -> Result<SpokenDialect, String> {
    match text {
        "auto" => Ok(SpokenDialect(None)),
        _ => Dialect::from_name(text)
            .map(|dialect| SpokenDialect(Some(dialect)))
            .ok_or_else(|| format!("choose one of {}, or auto", names())),
    }
}

fn spoken_help() -> String {
    format!("The dialect: {}; or auto, which takes that of the port, or guesses it from the content", names())
}

fn filter(text: &str) -> Result<Filter, String> {
    text.parse().map_err(|error: toolkit::UserError| error.0)
}

/// The options of `volley dissector`.
#[derive(Debug, Args)]
pub struct Dissector {
    /// The directory to write to. It is created if it does not exist.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

pub(super) const DECODE_EXAMPLES: &str = "\
Examples:
  tcpdump -i lo -w game.pcap udp                     capture, while a client plays
  volley decode game.pcap                            everything, field by field
  volley decode game.pcap --filter violation         what is wrong
  volley decode game.pcap --filter \"snapshot && server && entity_id == 0\"
  volley decode game.pcap --json | jq .message       for programs
  echo 'client 01 0000 00000000 00 26 01' | volley decode - --dialect snapshot

A filter joins conditions with &&, || and !, and parentheses. A condition compares a field (player_id, or in full
rtype.snapshot.player_id), number, session, time, bytes, lobby, from, to or message with ==, !=, <, <=, >, >= or contains;
or it is a word: a dialect, a message, client, server, datagram, stream, violation or odd.

Exit code 0: it was read; 2: there is nothing in it that can be read.";

pub(super) const DISSECTOR_EXAMPLES: &str = "\
Examples:
  volley dissector --out ~/.local/lib/wireshark/plugins      install them for Wireshark on Linux
  tshark -r game.pcap -Y rtype.snapshot.violation            then see what is wrong
  tshark -r game.pcap -Y 'rtype.rfc2020.answer_time > 0.1'   or which answers were slow";
