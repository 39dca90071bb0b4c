//! `--filter EXPRESSION`: which datagrams are shown.
//!
//! ```text
//! expression   and-terms joined by ||          snapshot && (player_id == 2 || violation)
//! and-term     terms joined by &&
//! term         !term, (expression), word, or field operator value
//! operator     ==  !=  <  <=  >  >=  contains
//! word         a dialect, a message, client, server, datagram, stream, violation, odd, or a field that must be there
//! field        a field by its name, alone or as rtype.DIALECT.NAME; number, session, time, bytes, lobby, from, to, message
//! ```

use protocol::{Channel, field_table::Value};

use super::{explained::Explained, output::About};
use crate::UserError;

/// Parentheses within each other, at most.
const DEPTH_MAX: usize = 32;

/// A condition on what was said.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    Any(Vec<Filter>),
    All(Vec<Filter>),
    Not(Box<Filter>),
    Word(String),
    Compare { field: String, operator: Operator, value: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Contains,
}

const OPERATORS: [(&str, Operator); 7] = [
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
    ("contains", Operator::Contains),
];

impl std::str::FromStr for Filter {
    type Err = UserError;

    fn from_str(text: &str) -> Result<Filter, UserError> {
        let mut parser = Parser { words: words(text)?, at: 0 };
        let filter = parser.any(0)?;
        match parser.next() {
            None => Ok(filter),
            Some(word) => Err(UserError(format!("--filter: nothing may follow where {word:?} stands"))),
        }
    }
}

fn words(text: &str) -> Result<Vec<String>, UserError> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let symbols = ["&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "(", ")"];
        let length = match symbols.iter().find(|symbol| rest.starts_with(*symbol)) {
            Some(symbol) => symbol.len(),
            None if first == '"' => {
                let end = rest[1..].find('"').ok_or_else(|| UserError("--filter: unclosed quotation mark".into()))?;
                end + 2
            }
            None => {
                rest.find(|letter: char| letter.is_whitespace() || "&|=!<>()\"".contains(letter)).unwrap_or(rest.len())
            }
        };
        if length == 0 {
            return Err(UserError(format!("--filter: {first:?} is not an operator; see --help")));
        }
        words.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    Ok(words)
}

struct Parser {
    words: Vec<String>,
    at: usize,
}

impl Parser {
    fn next(&mut self) -> Option<String> {
        let word = self.words.get(self.at).cloned();
        self.at += usize::from(word.is_some());
        word
    }

    fn take(&mut self, symbol: &str) -> bool {
        let is_it = self.words.get(self.at).is_some_and(|word| word == symbol);
        self.at += usize::from(is_it);
        is_it
    }

    fn any(&mut self, depth: usize) -> Result<Filter, UserError> {
        if depth > DEPTH_MAX {
            return Err(UserError(format!("--filter: more than {DEPTH_MAX} parentheses within each other")));
        }
        let mut terms = vec![self.all(depth)?];
        while self.take("||") {
            terms.push(self.all(depth)?);
        }
        Ok(Filter::Any(terms))
    }

    fn all(&mut self, depth: usize) -> Result<Filter, UserError> {
        let mut terms = vec![self.term(depth)?];
        while self.take("&&") {
            terms.push(self.term(depth)?);
        }
        Ok(Filter::All(terms))
    }

    fn term(&mut self, depth: usize) -> Result<Filter, UserError> {
        if self.take("!") {
            if depth > DEPTH_MAX {
                return Err(UserError("--filter: too many !".into()));
            }
            return Ok(Filter::Not(Box::new(self.term(depth + 1)?)));
        }
        if self.take("(") {
            let inner = self.any(depth + 1)?;
            return if self.take(")") { Ok(inner) } else { Err(UserError("--filter: unclosed parenthesis".into())) };
        }
        let missing = || UserError("--filter: something is missing at the end".into());
        let field = self.next().ok_or_else(missing)?;
        if !field.starts_with(|letter: char| letter.is_alphanumeric() || "_\"".contains(letter)) {
            return Err(UserError(format!("--filter: expected a field or a word instead of {field:?}")));
        }
        match OPERATORS.iter().find(|(symbol, _)| self.take(symbol)) {
            Some((_, operator)) => {
                let value = self.next().ok_or_else(missing)?;
                Ok(Filter::Compare { field, operator: *operator, value: value.trim_matches('"').to_owned() })
            }
            None => Ok(Filter::Word(field.trim_matches('"').to_owned())),
        }
    }
}

impl Filter {
    /// Whether what was said meets the condition.
    pub fn fits(&self, about: &About, explained: &Explained) -> bool {
        match self {
            Filter::Any(terms) => terms.iter().any(|term| term.fits(about, explained)),
            Filter::All(terms) => terms.iter().all(|term| term.fits(about, explained)),
            Filter::Not(term) => !term.fits(about, explained),
            Filter::Word(word) => is_word(word, about, explained),
            Filter::Compare { field, operator, value } => compare(field, *operator, value, about, explained),
        }
    }
}

fn is_word(word: &str, about: &About, explained: &Explained) -> bool {
    match word {
        "client" | "server" => explained.sender.name() == word,
        "datagram" => explained.channel == Channel::Datagram,
        "stream" => explained.channel == Channel::Stream,
        "violation" => explained.fault.is_some() || !about.oddities.is_empty(),
        "odd" => explained.values().any(|told| told.is_odd),
        _ => {
            let is_named = |name: &str| name.eq_ignore_ascii_case(word);
            explained.dialect.name() == word || is_named(&explained.title()) || field(word, explained).next().is_some()
        }
    }
}

/// The values of a field: `player_id`, `snapshot.player_id` and `rtype.snapshot.player_id` are the same.
fn field<'e, 'a>(name: &str, explained: &'e Explained<'a>) -> impl Iterator<Item = Value<'a>> + 'e {
    let bare = name.strip_prefix("rtype.").unwrap_or(name);
    let (is_dialect, bare) = match bare.split_once('.') {
        Some((dialect, field)) => (dialect == explained.dialect.name(), field),
        None => (true, bare),
    };
    let bare = bare.to_owned();
    explained.values().filter(move |told| is_dialect && told.field.name == bare).map(|told| told.value)
}

fn compare(name: &str, operator: Operator, value: &str, about: &About, explained: &Explained) -> bool {
    let text = |known: &str| operator.holds_for_text(known, value);
    let number = |known: f64| value.parse().is_ok_and(|value| operator.holds_for_numbers(known, value));
    match name {
        "number" => number(about.number as f64),
        "session" => number(about.session as f64),
        "time" => number(about.time.as_secs_f64()),
        "bytes" => number(explained.bytes.len() as f64),
        "lobby" => about.lobby.as_deref().is_some_and(text),
        "from" => text(&about.from.to_string()),
        "to" => text(&about.to.to_string()),
        "message" => text(&explained.title()),
        "dialect" => text(explained.dialect.name()),
        _ => field(name, explained).any(|known| match known {
            Value::Unsigned(known) => operator.holds_for_integers(known.into(), value),
            Value::Signed(known) => operator.holds_for_integers(known.into(), value),
            Value::Float(known) => number(known.into()),
            Value::Text(known) => text(known),
            Value::Bytes(_) | Value::Nothing => false,
        }),
    }
}

impl Operator {
    fn holds(self, order: Option<std::cmp::Ordering>) -> bool {
        match (self, order) {
            (Operator::Unequal, order) => order.is_none_or(|order| order.is_ne()),
            (_, None) => false,
            (Operator::Equal | Operator::Contains, Some(order)) => order.is_eq(),
            (Operator::Less, Some(order)) => order.is_lt(),
            (Operator::LessOrEqual, Some(order)) => order.is_le(),
            (Operator::Greater, Some(order)) => order.is_gt(),
            (Operator::GreaterOrEqual, Some(order)) => order.is_ge(),
        }
    }

    fn holds_for_numbers(self, known: f64, value: f64) -> bool {
        self.holds(known.partial_cmp(&value))
    }

    /// Exact, however great they are; the value may be hexadecimal.
    fn holds_for_integers(self, known: i128, value: &str) -> bool {
        let value = match value.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16),
            None => value.parse(),
        };
        value.is_ok_and(|value| self.holds(Some(known.cmp(&value))))
    }

    fn holds_for_text(self, known: &str, value: &str) -> bool {
        if self == Operator::Contains { known.contains(value) } else { self.holds(Some(known.cmp(value))) }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use protocol::{
        Dialect,
        field_table::{Sender, WalkMemory},
    };

    use super::*;

    /// An INPUT of player 2: the up key goes down.
    fn fits(filter: &str) -> bool {
        let bytes = [1, 0, 7, 0, 0, 0, 0, 2, 0x26, 1];
        let mut memory = WalkMemory::default();
        let explained = Explained::read(Dialect::Snapshot, (Sender::Client, Channel::Datagram), &bytes, &mut memory);
        let address = ([127, 0, 0, 1], 9).into();
        let about = About {
            number: 3,
            session: 1,
            time: Duration::from_secs(2),
            from: address,
            to: address,
            ..About::example()
        };
        filter.parse::<Filter>().unwrap().fits(&about, &explained)
    }

    #[test]
    fn fields_words_and_operators_are_understood() {
        for filter in [
            "snapshot",
            "INPUT",
            "client && !server",
            "player_id == 2",
            "rtype.snapshot.player_id==2",
            "snapshot.key_code == 0x26 && packet_id >= 7",
            "(typeuh || snapshot) && bytes < 11",
            "message contains \"NPU\"",
            "time > 1.5 && number != 4",
            "action",
            "!violation",
        ] {
            assert!(fits(filter), "{filter}");
        }
        for filter in ["server", "player_id == 1", "aecs.player_id == 2", "username", "bytes > 10", "!(client)"] {
            assert!(!fits(filter), "{filter}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_in_words() {
        for filter in ["", "a &&", "(a", "a == ", "a b", "&& a", "a = 1", "\"a", &"(".repeat(1000), &"!".repeat(1000)] {
            assert!(filter.parse::<Filter>().is_err(), "{filter}");
        }
    }
}
