//! Field tables: the bytes of a dialect as data, for those who explain packets rather than play with them.
//!
//! A dialect's `fields.rs` says which fields its messages have, where they lie, what they are called in its document and what they
//! may hold. [`FieldTable::read_datagram`] walks bytes by such a table and hands a [`Visitor`] each value with its offset; the decoder
//! and the dissectors of `toolkit` are made from the same tables. Sessions never use them: they read with `wire.rs`, and tests and
//! fuzzing insist that the two agree on what is valid and on every value. Start reading at [`Item`], then at `walk.rs`.

mod field;
mod text;
mod walk;

pub use field::{
    ByteOrder, Check, Field, Length, Names, Shape, TextRule, bytes, f32, i16, i64, text, u8, u16, u32, u64,
};
pub use walk::{FieldValue, ReadFault, Value, Visitor, WalkMemory};

use crate::{Channel, Malformed};

/// Which end said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sender {
    Client,
    Server,
}

impl Sender {
    pub const ALL: [Sender; 2] = [Sender::Client, Sender::Server];

    pub const fn name(self) -> &'static str {
        match self {
            Sender::Client => "client",
            Sender::Server => "server",
        }
    }

    /// The other end.
    pub const fn other(self) -> Sender {
        match self {
            Sender::Client => Sender::Server,
            Sender::Server => Sender::Client,
        }
    }
}

/// The bytes of a dialect.
pub struct FieldTable {
    pub order: ByteOrder,
    pub client: Sentences,
    pub server: Sentences,
    /// What byte offsets cannot describe, read by the dialect's own `wire`. Where a walk comes upon [`Shape::Opaque`], this decides
    /// whether the whole is valid.
    pub opaque: Option<OpaqueReader>,
    /// Which messages answer which, for round trips and repeats.
    pub pairings: &'static [Pairing],
    /// The field that counts the datagrams of a sender, for losses; empty if there is none.
    pub sequence: &'static str,
}

/// How a dialect's own `wire` reads what a table leaves opaque.
#[derive(Clone, Copy)]
pub struct OpaqueReader {
    /// Reads a whole datagram or message into lines of `name = value`.
    pub read: fn(Sender, Channel, &[u8]) -> ReadLines,
    /// Begins to follow what one end of a session says, for datagrams that can only be read by those who have read the ones before.
    pub follow: fn() -> Box<dyn Follower>,
}

/// Lines of `name = value`, or why there are none.
pub type ReadLines = Result<Vec<String>, Malformed>;

/// Reads the datagrams of a session one after the other.
pub trait Follower: Send {
    /// As [`OpaqueReader::read`]; `None` if it needs something that was not seen.
    fn read(&mut self, sender: Sender, bytes: &[u8]) -> Result<Option<Vec<String>>, Malformed>;
}

/// A message and its answer.
#[derive(Clone, Copy, Debug)]
pub struct Pairing {
    pub request: MessageKey,
    pub answer: MessageKey,
}

/// What tells a message from others of its kind.
#[derive(Clone, Copy, Debug)]
pub struct MessageKey {
    /// A field, and a value that it must have, or must not have.
    pub on: &'static str,
    pub value: u64,
    pub is_other: bool,
    /// The fields that request and answer have in common, in the same order; the last of each that the message holds.
    pub fields: &'static [&'static str],
}

impl MessageKey {
    /// Of messages that have this value there.
    pub const fn when(on: &'static str, value: u64, fields: &'static [&'static str]) -> MessageKey {
        MessageKey { on, value, is_other: false, fields }
    }

    /// Of messages that have any other value there.
    pub const fn unless(on: &'static str, value: u64, fields: &'static [&'static str]) -> MessageKey {
        MessageKey { on, value, is_other: true, fields }
    }
}

/// What one end says.
pub struct Sentences {
    /// In a datagram.
    pub datagram: Option<&'static [Item]>,
    /// Over a stream.
    pub stream: Option<StreamMessages>,
}

impl Sentences {
    /// Nothing at all.
    pub const NONE: Sentences = Sentences { datagram: None, stream: None };

    /// Datagrams alone.
    pub const fn datagrams(items: &'static [Item]) -> Sentences {
        Sentences { datagram: Some(items), stream: None }
    }
}

/// Messages one behind the other in a stream.
#[derive(Clone, Copy)]
pub struct StreamMessages {
    /// Each message, with its size.
    pub message: &'static [Item],
    /// Where in a message its size stands, in bytes from its beginning.
    pub size_at: usize,
    /// How many bytes that size has: 2 or 8.
    pub size_bytes: usize,
    /// What the size leaves out.
    pub head_bytes: usize,
    /// The least and the greatest size.
    pub sizes: (u64, u64),
    /// The ruling that a wrong size breaks.
    pub ruling: &'static str,
}

/// What comes next in a message.
#[derive(Debug)]
pub enum Item {
    Value(Field),
    /// Bits of the next bytes, the most significant first. The bytes as a whole are kept under a name, for a [`Item::Choice`].
    Bits {
        whole: &'static str,
        bytes: usize,
        parts: &'static [BitPart],
    },
    /// The whole message must have at least this many bytes, else it is malformed in this way.
    AtLeast {
        bytes: usize,
        fault: Malformed,
        ruling: &'static str,
    },
    /// The whole message may have at most this many bytes.
    AtMost {
        bytes: usize,
        ruling: &'static str,
    },
    /// The product of two factors, both kept before, and `more` make at most `bytes`.
    ProductMax {
        factors: [&'static str; 2],
        more: usize,
        bytes: usize,
    },
    /// A size in bytes, and items that fill exactly as many.
    Sized(&'static Region),
    /// Items that come as often as a value that was kept before says.
    Times {
        count: &'static str,
        each: &'static Group,
    },
    /// Items as often as it takes to the end.
    Repeated(&'static Group),
    /// Items by a value that was kept before.
    Choice {
        on: &'static str,
        cases: &'static [ValueItems],
        otherwise: UnknownValue,
    },
    /// Items by the name that a number stands for in this session: [`Shape::Text`] fields that are learned gave the names.
    Lookup {
        on: &'static str,
        unlearned: &'static [&'static str],
        cases: &'static [ValueItems],
        ruling: &'static str,
    },
    /// Items that have a name of their own, though nothing in the bytes says so.
    Named(&'static ValueItems),
    /// Items that may be missing at the end.
    Optional(&'static [Item], MeaningWhenAbsent),
    /// The first if it can be read, else the second. Bytes in which the first fails only at this offset or behind it were meant to be it.
    Either {
        first: &'static [Item],
        second: &'static [Item],
        meant_from: usize,
    },
    /// The names that were read are those of the session from now on.
    Learn,
    /// Several items: a part that stands in many messages.
    All(&'static [Item]),
}

/// What it means that optional items are missing: the value that `wire` then has for them, if it has any.
pub type MeaningWhenAbsent = &'static str;

/// Some bits of a few bytes.
#[derive(Debug)]
pub struct BitPart {
    pub field: Field,
    /// The first, counted from the most significant.
    pub first: u32,
    pub count: u32,
}

/// A size and what it measures.
#[derive(Debug)]
pub struct Region {
    pub size: Field,
    pub items: &'static [Item],
    /// Whether nothing may follow.
    pub is_last: bool,
    /// What any fault inside is: sizes that disagree, where the size alone is wrong.
    pub fault: Option<Malformed>,
}

/// Items that are repeated.
#[derive(Debug)]
pub struct Group {
    /// What one of them is: "entity".
    pub name: &'static str,
    pub items: &'static [Item],
}

/// What follows where a field has this value.
#[derive(Debug)]
pub struct ValueItems {
    pub value: u64,
    /// As the document calls it.
    pub name: &'static str,
    /// As `wire` calls it in `{:?}`; empty if that has no word for it.
    pub wire: &'static str,
    /// Where the document describes it.
    pub clause: &'static str,
    pub items: &'static [Item],
}

/// What becomes of a value for which there is no case.
#[derive(Debug)]
pub enum UnknownValue {
    /// It is malformed.
    Refuse(&'static str),
    /// It is read like this.
    Read(&'static [Item]),
}

impl FieldTable {
    pub const fn sentences(&self, sender: Sender) -> &Sentences {
        match sender {
            Sender::Client => &self.client,
            Sender::Server => &self.server,
        }
    }

    /// Walks a whole datagram.
    pub fn read_datagram<'a>(
        &self,
        sender: Sender,
        bytes: &'a [u8],
        memory: &mut WalkMemory,
        visitor: &mut impl Visitor<'a>,
    ) -> Result<(), ReadFault> {
        match self.sentences(sender).datagram {
            Some(items) => walk::walk(self.order, items, bytes, memory, visitor),
            None => Err(ReadFault::at_start(Malformed::UnknownType)),
        }
        .and_then(|is_opaque| self.read_beyond(is_opaque, (sender, Channel::Datagram), bytes))
    }

    /// Walks one whole message of a stream, as [`FieldTable::next_message`] found it.
    pub fn read_message<'a>(
        &self,
        sender: Sender,
        bytes: &'a [u8],
        memory: &mut WalkMemory,
        visitor: &mut impl Visitor<'a>,
    ) -> Result<(), ReadFault> {
        match self.sentences(sender).stream {
            Some(stream) => walk::walk(self.order, stream.message, bytes, memory, visitor),
            None => Err(ReadFault::at_start(Malformed::UnknownType)),
        }
        .and_then(|is_opaque| self.read_beyond(is_opaque, (sender, Channel::Stream), bytes))
    }

    fn read_beyond(
        &self,
        is_opaque: bool,
        (sender, channel): (Sender, Channel),
        bytes: &[u8],
    ) -> Result<(), ReadFault> {
        match self.opaque {
            Some(opaque) if is_opaque => (opaque.read)(sender, channel, bytes).map(drop).map_err(ReadFault::at_start),
            _ => Ok(()),
        }
    }

    /// How many bytes the first message of a stream has; `None` until all of them are there.
    pub fn next_message(&self, sender: Sender, stream: &[u8]) -> Result<Option<usize>, ReadFault> {
        let Some(how) = self.sentences(sender).stream else { return Err(ReadFault::at_start(Malformed::UnknownType)) };
        let Some(bytes) = stream.get(how.size_at..how.size_at + how.size_bytes) else { return Ok(None) };
        let size = self.order.number(bytes);
        if size < how.sizes.0 || size > how.sizes.1 {
            return Err(ReadFault { ruling: how.ruling, ..ReadFault::at_start(Malformed::WrongSize) });
        }
        // No size is above 65,535, so the sum is small.
        let bytes = how.head_bytes + size as usize;
        Ok((stream.len() >= bytes).then_some(bytes))
    }

    /// Calls for every field there is, each as often as it is mentioned.
    pub fn each_field(&self, mut call: impl FnMut(&'static Field)) {
        for sender in Sender::ALL {
            let sentences = self.sentences(sender);
            for items in [sentences.datagram, sentences.stream.map(|stream| stream.message)].into_iter().flatten() {
                each_field(items, &mut call);
            }
        }
    }
}

fn each_field(items: &'static [Item], call: &mut dyn FnMut(&'static Field)) {
    for item in items {
        match item {
            Item::Value(field) => call(field),
            Item::Bits { parts, .. } => parts.iter().for_each(|part| call(&part.field)),
            Item::Sized(region) => {
                call(&region.size);
                each_field(region.items, call);
            }
            Item::Times { each: group, .. } | Item::Repeated(group) => each_field(group.items, call),
            Item::Named(case) => each_field(case.items, call),
            Item::Choice { cases, otherwise, .. } => {
                cases.iter().for_each(|case| each_field(case.items, call));
                if let UnknownValue::Read(items) = otherwise {
                    each_field(items, call);
                }
            }
            Item::Lookup { cases, .. } => cases.iter().for_each(|case| each_field(case.items, call)),
            Item::Optional(items, _) | Item::All(items) => each_field(items, call),
            Item::Either { first, second, .. } => {
                each_field(first, call);
                each_field(second, call);
            }
            Item::AtLeast { .. } | Item::AtMost { .. } | Item::ProductMax { .. } | Item::Learn => {}
        }
    }
}

/// A case of a [`Item::Choice`].
pub const fn case(value: u64, names: [&'static str; 2], clause: &'static str, items: &'static [Item]) -> ValueItems {
    let [name, wire] = names;
    ValueItems { value, name, wire, clause, items }
}
