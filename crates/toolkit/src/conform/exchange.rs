//! What was exchanged in a trial, as a report shows it: bytes, what they say in one line, and field by field.

use std::{collections::BTreeMap, time::Duration};

use protocol::field_table::{Sender, WalkMemory};

use super::{
    report::ExchangeLine,
    suite::{Speaker, Suite},
    trial::{Exchanged, TrialDirection},
    trial_network::Line,
};
use crate::decode;

/// What of an exchange is in a report; the capture has all of it.
const SHOWN_MAX: usize = 120;
/// What of one message is in a report.
const HEX_MAX: usize = 96;
/// Fields of one message that are in a report.
const FIELDS_MAX: usize = 40;

/// The end of an exchange, for people.
pub fn lines(suite: &Suite, exchanged: &[Exchanged]) -> Vec<ExchangeLine> {
    let begun = exchanged.first().map(|message| message.at).unwrap_or_default();
    let shown = exchanged.len().saturating_sub(SHOWN_MAX);
    // Fields may depend on what was said before, so all of it is read.
    let mut memories: BTreeMap<Line, WalkMemory> = BTreeMap::new();
    let mut lines = Vec::new();
    for (index, message) in exchanged.iter().enumerate() {
        let memory = memories.entry(message.line).or_default();
        let decoded = decode(suite, message, memory);
        if index >= shown {
            lines.push(ExchangeLine {
                milliseconds: message.at.since(begun).as_millis() as u64,
                arrow: if message.direction == TrialDirection::ToPeer { "→" } else { "←" }.into(),
                line: message.line.0,
                hex: hex(&message.bytes),
                text: (suite.describe)(suite.speaker(message.direction), &message.bytes),
                decoded,
            });
        }
    }
    lines
}

/// The fields of a message, and what is wrong with them.
fn decode(suite: &Suite, message: &Exchanged, memory: &mut WalkMemory) -> Vec<String> {
    let sender = match suite.speaker(message.direction) {
        Speaker::Client => Sender::Client,
        Speaker::Server => Sender::Server,
    };
    let spoken = (sender, message.ends.channel);
    let mut lines = decode::explain_with(suite.dialect, spoken, &message.bytes, memory);
    let count = lines.len();
    let mut violations = lines.split_off(count.min(FIELDS_MAX));
    violations.retain(|line| line.is_violation);
    let mut text: Vec<String> = lines.into_iter().chain(violations).map(|line| line.text).collect();
    if count > text.len() {
        text.push(format!("… {count} lines in all"));
    }
    text
}

/// How long the peer took to say something after the first thing that was said to it.
pub fn reaction(exchanged: &[Exchanged]) -> Option<Duration> {
    let first = exchanged.iter().position(|message| message.direction == TrialDirection::ToPeer)?;
    let answer = exchanged[first..].iter().find(|message| message.direction == TrialDirection::FromPeer)?;
    Some(answer.at.since(exchanged[first].at))
}

fn hex(bytes: &[u8]) -> String {
    let shown: Vec<String> = bytes.iter().take(HEX_MAX).map(|byte| format!("{byte:02x}")).collect();
    match bytes.len() {
        0 => "(no bytes)".into(),
        size if size > HEX_MAX => format!("{} … {size} bytes", shown.join(" ")),
        _ => shown.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use protocol::{Channel, Dialect, Time};

    use super::*;
    use crate::conform::{
        suite::{self, TestedSide},
        trial_network::Ends,
    };

    fn message(at_ms: u64, direction: TrialDirection, bytes: &[u8]) -> Exchanged {
        let address = ([127, 0, 0, 1], 4_300).into();
        let ends = Ends { ours: address, peers: address, channel: Channel::Datagram };
        Exchanged { at: Time::from_micros(at_ms * 1_000), direction, line: Line(0), ends, bytes: bytes.to_vec() }
    }

    #[test]
    fn a_round_trip_is_from_the_first_word_of_ours_to_the_next_of_the_peers() {
        let said = [
            message(0, TrialDirection::FromPeer, b""),
            message(10, TrialDirection::ToPeer, b""),
            message(95, TrialDirection::FromPeer, b""),
        ];
        assert_eq!(reaction(&said), Some(Duration::from_millis(85)));
        assert_eq!(reaction(&said[..2]), None, "the peer has said nothing");
    }

    #[test]
    fn bytes_are_decoded_field_by_field() {
        let suite = suite::find(Dialect::Snapshot, TestedSide::Server).expect("it has a suite");
        let input = [0x01, 0, 0, 0, 0, 0, 0, 0, 0x26, 7];
        let lines = lines(suite, &[message(0, TrialDirection::ToPeer, &input)]);
        assert_eq!(lines[0].decoded[0], "INPUT, 10 bytes");
        assert!(lines[0].decoded.iter().any(|line| line.contains("violation: Action")), "{:?}", lines[0].decoded);
    }
}
