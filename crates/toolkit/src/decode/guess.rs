//! Which dialect is spoken, where no port says so: each table reads the first datagrams from both sides, and the one that they fit best is it.
//!
//! Evidence is counted in bits: how unlikely it is that random bytes pass the checks that these have passed. A datagram that does not fit
//! counts against the dialect.

use protocol::{
    Channel, Dialect, StreamUse,
    field_table::{Check, FieldValue, Sender, Shape, Value, ValueItems, Visitor, WalkMemory},
};

/// Bits that a datagram which does not fit takes away.
const REFUSED_BITS: f64 = 24.0;
/// Bits that one datagram adds at most: a long one is no better proof than several short ones.
const DATAGRAM_BITS_MAX: f64 = 48.0;
/// What the other possibility, that it is none of ours, weighs.
const FOREIGN_BITS: f64 = 10.0;

/// What is thought of a conversation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    pub dialect: Dialect,
    /// Whether the end that spoke first is the client.
    pub is_first_client: bool,
    /// From 0 to 1.
    pub certainty: f64,
}

/// What speaks for each dialect and direction.
#[derive(Clone, Debug)]
pub struct Evidence {
    candidates: Vec<Candidate>,
}

#[derive(Clone, Debug)]
struct Candidate {
    dialect: Dialect,
    is_first_client: bool,
    memory: WalkMemory,
    bits: f64,
}

impl Evidence {
    /// For some dialects.
    pub fn new(dialects: impl Iterator<Item = Dialect>) -> Evidence {
        let both = |dialect| [true, false].map(|first| (dialect, first));
        let candidates = dialects.flat_map(both).map(|(dialect, is_first_client)| Candidate {
            dialect,
            is_first_client,
            memory: WalkMemory::default(),
            bits: 0.0,
        });
        Evidence { candidates: candidates.collect() }
    }

    /// Takes a datagram, or the next bytes of a stream, of the end that spoke first, or of the other.
    pub fn take(&mut self, is_first: bool, channel: Channel, bytes: &[u8]) {
        for candidate in &mut self.candidates {
            let sender = if is_first == candidate.is_first_client { Sender::Client } else { Sender::Server };
            candidate.bits += candidate.bits_of(sender, channel, bytes).unwrap_or(-REFUSED_BITS);
        }
    }

    /// Takes a datagram or a whole message as the dialect itself has it, without what carries a link.
    pub fn take_line(&mut self, is_first: bool, channel: Channel, bytes: &[u8]) {
        for candidate in &mut self.candidates {
            let sender = if is_first == candidate.is_first_client { Sender::Client } else { Sender::Server };
            candidate.bits += candidate.bits_of_line(sender, channel, bytes).unwrap_or(-REFUSED_BITS);
        }
    }

    /// What it is most likely, if it is more likely than nothing of ours.
    pub fn guess(&self) -> Option<Guess> {
        let best = self.candidates.iter().max_by(|one, other| one.bits.total_cmp(&other.bits))?;
        let weight = |bits: f64| (bits - best.bits).exp2();
        let all: f64 = self.candidates.iter().map(|candidate| weight(candidate.bits)).sum();
        let certainty = 1.0 / (all + weight(FOREIGN_BITS));
        let Candidate { dialect, is_first_client, .. } = *best;
        (best.bits > FOREIGN_BITS).then_some(Guess { dialect, is_first_client, certainty })
    }
}

impl Candidate {
    /// What these bytes add, if they fit.
    fn bits_of(&mut self, sender: Sender, channel: Channel, bytes: &[u8]) -> Option<f64> {
        let entry = self.dialect.entry();
        let is_link = matches!(entry.stream, StreamUse::Link(_));
        match channel {
            // Datagrams of a link are never seen by themselves, and begin with HTTP in a stream.
            Channel::Datagram if is_link => None,
            Channel::Stream if is_link => {
                let starts = if sender == Sender::Client { &b"GET /volley "[..] } else { b"HTTP/1.1 101 " };
                bytes.starts_with(starts).then_some(DATAGRAM_BITS_MAX)
            }
            _ => self.bits_of_line(sender, channel, bytes),
        }
    }

    fn bits_of_line(&mut self, sender: Sender, channel: Channel, bytes: &[u8]) -> Option<f64> {
        let entry = self.dialect.entry();
        let mut bits = Bits(0.0);
        match channel {
            Channel::Datagram => entry.fields.read_datagram(sender, bytes, &mut self.memory, &mut bits).ok()?,
            Channel::Stream => {
                let size = entry.fields.next_message(sender, bytes).ok()??;
                entry.fields.read_message(sender, bytes.get(..size)?, &mut self.memory, &mut bits).ok()?;
            }
        }
        Some(bits.0.min(DATAGRAM_BITS_MAX))
    }
}

/// Bits of evidence in one datagram.
struct Bits(f64);

impl<'a> Visitor<'a> for Bits {
    fn begin_case(&mut self, _case: &'static ValueItems, _at: usize) {
        // One type of a few, out of 256.
        self.0 += 5.0;
    }

    fn value(&mut self, told: FieldValue<'a>) {
        let size_bits = 8.0 * told.field.shape.bytes().unwrap_or(0) as f64;
        self.0 += match (told.field.check, told.value) {
            (Check::Named(_), _) => size_bits - (told.field.names.list().len() as f64).log2(),
            (Check::Range(least, most, _), _) => size_bits - ((most - least + 1) as f64).log2(),
            (Check::Is(_) | Check::WholeSize | Check::RestSize(_), _) => size_bits,
            (Check::ExpectedNamed | Check::Expected(..), _) if told.is_odd => -4.0,
            (Check::ExpectedNamed | Check::Expected(..), _) => 2.0,
            (_, Value::Float(number)) => f32_bits(number),
            (_, Value::Text(text)) => text.len() as f64,
            _ if told.field.shape == Shape::Opaque => 4.0,
            _ => 0.0,
        };
    }
}

/// Coordinates of a game are neither tiny nor huge.
fn f32_bits(number: f32) -> f64 {
    let is_likely = number == 0.0 || (0.01..20_000.0).contains(&number.abs());
    if is_likely { 3.0 } else { -4.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(said: &[(bool, &[u8])]) -> Option<Guess> {
        let mut evidence = Evidence::new(Dialect::ALL.into_iter());
        said.iter().for_each(|(is_first, bytes)| evidence.take(*is_first, Channel::Datagram, bytes));
        evidence.guess()
    }

    fn unhex(text: &str) -> Vec<u8> {
        (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
    }

    #[test]
    fn a_join_and_its_answer_are_enough_to_know_the_dialect_and_who_is_the_client() {
        let join = unhex("0200000000000041 6e6e".replace(' ', "").as_str());
        let assignment = unhex("080000000000f400");
        let found = guess(&[(true, &join), (false, &assignment)]).expect("it is snapshot");
        assert_eq!((found.dialect.name(), found.is_first_client), ("snapshot", true));
        assert!(found.certainty > 0.9, "{found:?}");
    }

    #[test]
    fn a_capture_that_begins_with_the_server_is_understood_too() {
        let position =
            unhex(&format!("03{:016x}{:016x}{:016x}{:016x}{:016x}", 24, 1_700_000_000_000_000_u64, 4, 960, 540));
        let found = guess(&[(true, &position)]).expect("it is rfc2020");
        assert_eq!((found.dialect.name(), found.is_first_client), ("rfc2020", false));
        assert!(found.certainty > 0.99, "{found:?}");
    }

    #[test]
    fn a_question_about_a_name_is_none_of_ours() {
        let dns = unhex("abcd01000001000000000000076578616d706c6503636f6d0000010001");
        assert_eq!(guess(&[(true, &dns)]), None);
    }
}
