//! One field: what it is called, how its bytes are read and what it may hold.

use game::Kind;

use crate::Malformed;

/// How the bytes of a number are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    Big,
    Little,
}

impl ByteOrder {
    /// The number that up to eight bytes make.
    pub fn number(self, bytes: &[u8]) -> u64 {
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        match self {
            ByteOrder::Big => bytes.iter().fold(0, add),
            ByteOrder::Little => bytes.iter().rev().fold(0, add),
        }
    }
}

/// A field of a message.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in filters, behind the dialect's. The same name is the same thing in every message of a dialect.
    pub name: &'static str,
    /// As the document calls it.
    pub label: &'static str,
    /// What it says, in a few words that no other field of the dialect has.
    pub about: &'static str,
    pub shape: Shape,
    /// What it is measured in; empty if in nothing.
    pub unit: &'static str,
    /// Where the document describes it, or the ruling that does; the message's if empty.
    pub clause: &'static str,
    /// The ruling that a forbidden value breaks; empty if there is none.
    pub ruling: &'static str,
    pub check: Check,
    pub names: Names,
    /// Whether later items refer to its value.
    pub is_kept: bool,
    /// Whether it is a size, a count or a type, which the message of `wire` does not have as a value.
    pub is_structure: bool,
    /// Whether it is a name that numbers stand for later.
    pub is_learned: bool,
}

/// How the bytes of a field are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    U8,
    U16,
    U32,
    U64,
    I16,
    I64,
    F32,
    Text(Length, TextRule),
    Bytes(Length),
    /// Bytes that a table cannot describe.
    Opaque,
}

impl Shape {
    /// Bytes of a number; none for others.
    pub const fn bytes(self) -> Option<usize> {
        match self {
            Shape::U8 => Some(1),
            Shape::U16 | Shape::I16 => Some(2),
            Shape::U32 | Shape::F32 => Some(4),
            Shape::U64 | Shape::I64 => Some(8),
            Shape::Text(..) | Shape::Bytes(_) | Shape::Opaque => None,
        }
    }
}

/// How many bytes a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// All that is left.
    Rest,
    /// All that is left but this many.
    RestBut(usize),
    Fixed(usize),
    /// As many as the field of that name said.
    Of(&'static str),
}

/// What a text may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRule {
    /// UTF-8.
    Utf8,
    /// UTF-8 without control characters, at most this many bytes.
    Visible(usize),
    /// UTF-8 without control characters and without space around it, at most this many bytes.
    Trimmed(usize),
    /// Bare, ended or filled up by NUL, or behind a byte that says its length; then as [`TextRule::Trimmed`], but space around it is left
    /// out (ruling S2).
    Username(usize),
    /// UTF-8 without NUL, at most this many bytes, and a NUL behind it.
    NulEnded(usize),
    /// Any bytes.
    Loose,
    /// Any bytes, but some, and not a NUL alone.
    LooseNotEmpty,
    /// Letters, digits, `-`, `_` and `.`, and zeros behind them.
    PaddedName,
    /// Printable ASCII.
    LobbyCode,
    /// Printable ASCII, or zeros for none.
    LobbyCodeOrNone,
    /// The name of a dialect, at most this many bytes.
    DialectName(usize),
}

/// What a number may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    Any,
    /// One that has a name, else it is malformed in this way.
    Named(Malformed),
    /// From the first to the second, or the third.
    Range(u64, u64, Option<u64>),
    /// This one alone.
    Is(u64),
    /// Neither infinite nor no number.
    Finite,
    /// The size of the whole message.
    WholeSize,
    /// As many bytes as follow, less this many.
    RestSize(usize),
    /// Anything; but one outside this range is odd, and breaks the field's ruling.
    Expected(u64, u64),
    /// Anything; but one without a name is odd, and breaks the field's ruling.
    ExpectedNamed,
}

/// What values are called.
#[derive(Clone, Copy, Debug)]
pub enum Names {
    None,
    List(&'static [(u64, &'static str)]),
    /// The table of kinds.
    Kinds,
}

impl Names {
    pub fn of(self, number: u64) -> Option<&'static str> {
        match self {
            Names::None => None,
            Names::List(list) => list.iter().find(|(value, _)| *value == number).map(|(_, name)| *name),
            Names::Kinds => u16::try_from(number).ok().and_then(Kind::from_number).map(Kind::name),
        }
    }

    /// All of them, by number.
    pub fn list(self) -> Vec<(u64, &'static str)> {
        match self {
            Names::None => Vec::new(),
            Names::List(list) => list.to_vec(),
            Names::Kinds => Kind::ALL.iter().map(|kind| (kind.number().into(), kind.name())).collect(),
        }
    }
}

/// A field of that shape: its name in filters, its name in the document, and what it says.
const fn field(shape: Shape, name: &'static str, label: &'static str, about: &'static str) -> Field {
    Field {
        name,
        label,
        about,
        shape,
        unit: "",
        clause: "",
        ruling: "",
        check: Check::Any,
        names: Names::None,
        is_kept: false,
        is_structure: false,
        is_learned: false,
    }
}

macro_rules! numbers {
    ($($name:ident $shape:ident;)*) => {
        $(
            #[doc = concat!("A `", stringify!($name), "`: its name in filters, its name in the document, and what it says.")]
            pub const fn $name(name: &'static str, label: &'static str, about: &'static str) -> Field {
                field(Shape::$shape, name, label, about)
            }
        )*
    };
}

numbers! {
    u8 U8;
    u16 U16;
    u32 U32;
    u64 U64;
    i16 I16;
    i64 I64;
    f32 F32;
}

/// A text.
pub const fn text(names: [&'static str; 2], about: &'static str, length: Length, rule: TextRule) -> Field {
    field(Shape::Text(length, rule), names[0], names[1], about)
}

/// Bytes that mean nothing by themselves.
pub const fn bytes(names: [&'static str; 2], about: &'static str, length: Length) -> Field {
    field(Shape::Bytes(length), names[0], names[1], about)
}

impl Field {
    /// Bytes to the end that no table can describe.
    pub const fn opaque(name: &'static str, label: &'static str, about: &'static str) -> Field {
        field(Shape::Opaque, name, label, about)
    }

    pub const fn unit(self, unit: &'static str) -> Field {
        Field { unit, ..self }
    }

    pub const fn clause(self, clause: &'static str) -> Field {
        Field { clause, ..self }
    }

    /// What it may hold, and the ruling that anything else breaks.
    pub const fn check(self, check: Check, ruling: &'static str) -> Field {
        Field { check, ruling, ..self }
    }

    pub const fn ruling(self, ruling: &'static str) -> Field {
        Field { ruling, ..self }
    }

    pub const fn names(self, names: &'static [(u64, &'static str)]) -> Field {
        Field { names: Names::List(names), ..self }
    }

    /// It holds the number of a kind.
    pub const fn kinds(self) -> Field {
        Field { names: Names::Kinds, ..self }
    }

    /// Later items refer to it.
    pub const fn kept(self) -> Field {
        Field { is_kept: true, ..self }
    }

    /// It is a size, a count or a type.
    pub const fn structure(self) -> Field {
        Field { is_structure: true, ..self }
    }

    /// It is a name that numbers stand for later.
    pub const fn learned(self) -> Field {
        Field { is_learned: true, ..self }
    }
}
