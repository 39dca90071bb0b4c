//! One datagram or message, read by the field table of its dialect: what it is, every value in its place, and what is wrong with it.

use protocol::{
    Channel, Dialect, Malformed,
    field_table::{FieldValue, Group, ReadFault, Sender, ValueItems, Visitor, WalkMemory},
};

/// How many values are near the beginning: a message may have thousands.
const NEAR_VALUES: usize = 16;

/// What some bytes say, as far as they can be read.
#[derive(Debug)]
pub struct Explained<'a> {
    pub dialect: Dialect,
    pub sender: Sender,
    pub channel: Channel,
    pub bytes: &'a [u8],
    /// In the order of the bytes.
    pub entries: Vec<ExplainedPart<'a>>,
    /// Lines of `name = value` that only the dialect's own reader can tell.
    pub opaque: Vec<String>,
    /// What makes it malformed.
    pub fault: Option<ReadFault>,
}

/// A part of what bytes say.
#[derive(Clone, Copy, Debug)]
pub struct ExplainedPart<'a> {
    /// How deep it lies: the values of an entity are one deeper than the entity.
    pub depth: usize,
    /// The offset of its first byte.
    pub at: usize,
    pub part: Part<'a>,
}

#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// A message, or a part of one, of this kind.
    Case(&'static ValueItems),
    /// One of several, counted from 0.
    Element(&'static Group, usize),
    Value(FieldValue<'a>),
}

impl<'a> Explained<'a> {
    /// Reads one datagram, or one whole message of a stream. `memory` is that of the session.
    pub fn read(
        dialect: Dialect,
        (sender, channel): (Sender, Channel),
        bytes: &'a [u8],
        memory: &mut WalkMemory,
    ) -> Explained<'a> {
        let table = dialect.entry().fields;
        let mut collected = Collected { entries: Vec::with_capacity(16), depth: 0 };
        let read = match channel {
            Channel::Datagram => table.read_datagram(sender, bytes, memory, &mut collected),
            Channel::Stream => table.read_message(sender, bytes, memory, &mut collected),
        };
        let entries = collected.entries;
        let mut explained =
            Explained { dialect, sender, channel, bytes, entries, opaque: Vec::new(), fault: read.err() };
        if let (Some(opaque), None) = (table.opaque, explained.fault) {
            // What `read` has just called valid is valid here too.
            explained.opaque = (opaque.read)(sender, channel, bytes).unwrap_or_default();
        }
        explained
    }

    /// What it is, in a word or two.
    pub fn title(&self) -> String {
        let tops = || self.entries.iter().filter(|entry| entry.depth == 0);
        let case = tops().find_map(|entry| match entry.part {
            Part::Case(case) => Some(case.name.to_owned()),
            _ => None,
        });
        let elements = || {
            let count = tops().filter(|entry| matches!(entry.part, Part::Element(..))).count();
            tops().find_map(|entry| match entry.part {
                Part::Element(group, _) if count == 1 => Some(format!("1 {}", group.name)),
                Part::Element(group, _) => Some(format!("{count} {}s", group.name)),
                _ => None,
            })
        };
        let other = || match (self.bytes, &self.fault) {
            ([], None) => "hello",
            (_, Some(_)) => "malformed",
            _ if self.opaque.is_empty() && self.sender == Sender::Server => {
                "Frame, of which only the start can be read"
            }
            _ if self.sender == Sender::Server => "Frame",
            _ => "Report",
        };
        case.or_else(elements).unwrap_or_else(|| other().to_owned())
    }

    pub fn values(&self) -> impl Iterator<Item = &FieldValue<'a>> {
        self.entries.iter().filter_map(|entry| match &entry.part {
            Part::Value(told) => Some(told),
            _ => None,
        })
    }

    /// The number in the first field of that name, which must stand near the beginning.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.values().take(NEAR_VALUES).find(|told| told.field.name == name).and_then(|told| match told.value {
            protocol::field_table::Value::Unsigned(number) => Some(number),
            _ => None,
        })
    }

    /// What is wrong with it, and what is odd though it can be read.
    pub fn violations(&self) -> impl Iterator<Item = Violation> {
        let odd = self.values().filter(|told| told.is_odd).map(|told| Violation {
            at: told.at,
            what: format!("{} is not what {} expects", told.field.label, told.field.ruling),
            ruling: told.field.ruling,
            clause: told.field.clause,
            is_malformed: false,
        });
        odd.chain(self.fault.map(|fault| Violation::of(&fault)))
    }
}

/// Something that a document or a ruling forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The offset at which it shows.
    pub at: usize,
    pub what: String,
    /// The ruling that is broken; empty if it is the document alone.
    pub ruling: &'static str,
    /// Where the document says so; empty if nowhere in particular.
    pub clause: &'static str,
    /// Whether nobody can read on. Otherwise it is merely odd.
    pub is_malformed: bool,
}

impl Violation {
    fn of(fault: &ReadFault) -> Violation {
        let subject = fault.field.map_or("", |field| field.label);
        let what = match fault.malformed {
            Malformed::Runt => "it is shorter than any packet".to_owned(),
            Malformed::Short if subject.is_empty() => "it ends too early".to_owned(),
            Malformed::Short => format!("it ends before {subject} does"),
            Malformed::Trailing => "there are bytes behind its end".to_owned(),
            Malformed::UnknownType => "no such type, from this side".to_owned(),
            Malformed::WrongSize if subject.is_empty() => "its size is wrong".to_owned(),
            Malformed::WrongSize => format!("{subject} disagrees with the number of bytes"),
            Malformed::BadValue => format!("{subject} holds a value that is not allowed"),
            Malformed::BadText => format!("{subject} is not a text that is allowed"),
        };
        Violation { at: fault.at, what, ruling: fault.ruling, clause: fault.clause, is_malformed: true }
    }

    /// The ruling and the clause, as far as there are any: "S1; 0x20 - KILLED".
    pub fn reference(&self) -> String {
        match (self.ruling, self.clause) {
            ("", clause) => clause.to_owned(),
            (ruling, "") => ruling.to_owned(),
            (ruling, clause) if clause.split(", ").any(|part| part == ruling) => clause.to_owned(),
            (ruling, clause) => format!("{clause}, {ruling}"),
        }
    }
}

/// A reference as it stands behind what was found: ` [S1]`, or nothing if there is none.
pub fn bracketed(reference: &str) -> String {
    if reference.is_empty() { String::new() } else { format!(" [{reference}]") }
}

struct Collected<'a> {
    entries: Vec<ExplainedPart<'a>>,
    depth: usize,
}

impl<'a> Collected<'a> {
    fn begin(&mut self, at: usize, part: Part<'a>) {
        self.entries.push(ExplainedPart { depth: self.depth, at, part });
        self.depth += 1;
    }
}

impl<'a> Visitor<'a> for Collected<'a> {
    fn begin_case(&mut self, case: &'static ValueItems, at: usize) {
        self.begin(at, Part::Case(case));
    }

    fn begin_element(&mut self, group: &'static Group, index: usize, at: usize) {
        self.begin(at, Part::Element(group, index));
    }

    fn end(&mut self) {
        self.depth -= 1;
    }

    fn value(&mut self, told: FieldValue<'a>) {
        self.entries.push(ExplainedPart { depth: self.depth, at: told.at, part: Part::Value(told) });
    }
}
