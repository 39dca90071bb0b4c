//! Walks bytes by a table and reports each value. It never panics, never allocates by a number that it read, and costs no more than
//! the bytes are long.

use super::{
    BitPart, Group, Item, Region, UnknownValue, ValueItems,
    field::{ByteOrder, Check, Field, Length, Shape},
    text,
};
use crate::Malformed;

/// What a walk reports, value by value.
pub trait Visitor<'a> {
    /// A message or a part of one begins, of this kind. What was told since the parent began is of its head.
    fn begin_case(&mut self, _case: &'static ValueItems, _at: usize) {}

    /// One of several begins; they count from 0.
    fn begin_element(&mut self, _group: &'static Group, _index: usize, _at: usize) {}

    /// What began last is over.
    fn end(&mut self) {}

    fn value(&mut self, told: FieldValue<'a>);

    /// An optional value is missing; this is how `wire` says so.
    fn absent(&mut self, _value: &'static str) {}
}

/// A value in its place.
#[derive(Clone, Copy, Debug)]
pub struct FieldValue<'a> {
    pub field: &'static Field,
    /// The offset of its first byte.
    pub at: usize,
    /// How many bytes it has, or its bits share.
    pub size: usize,
    pub value: Value<'a>,
    /// Whether it is allowed, but not what the field's ruling expects.
    pub is_odd: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    Unsigned(u64),
    Signed(i64),
    Float(f32),
    Text(&'a str),
    Bytes(&'a [u8]),
    /// The value that stands for none.
    Nothing,
}

/// Why bytes cannot be read, and where.
#[derive(Clone, Copy, Debug)]
pub struct ReadFault {
    pub malformed: Malformed,
    /// The offset at which it shows.
    pub at: usize,
    /// The field that it is about, if it is one.
    pub field: Option<&'static Field>,
    /// The ruling that is broken; empty if it is the document alone.
    pub ruling: &'static str,
    /// Where the document says so; empty if nowhere in particular.
    pub clause: &'static str,
}

impl ReadFault {
    /// At the beginning of all.
    pub const fn at_start(malformed: Malformed) -> ReadFault {
        ReadFault { malformed, at: 0, field: None, ruling: "", clause: "" }
    }
}

/// What is remembered from one datagram of a session to the next, and memory that is used again.
#[derive(Clone, Debug, Default)]
pub struct WalkMemory {
    /// The names that numbers stand for, once they are known.
    names: Option<Vec<String>>,
    /// Names of a message that is not read to its end.
    learning: Vec<String>,
    kept: Vec<(&'static str, u64)>,
}

impl WalkMemory {
    /// The names that numbers stand for, if they are known.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    fn keep(&mut self, name: &'static str, value: u64) {
        match self.kept.iter_mut().find(|(kept, _)| *kept == name) {
            Some((_, kept)) => *kept = value,
            None => self.kept.push((name, value)),
        }
    }

    fn kept(&self, name: &str) -> u64 {
        self.kept.iter().find(|(kept, _)| *kept == name).map_or(0, |(_, value)| *value)
    }
}

/// Walks a whole message. True: it has bytes that the table cannot describe.
pub fn walk<'a>(
    order: ByteOrder,
    items: &'static [Item],
    bytes: &'a [u8],
    memory: &mut WalkMemory,
    visitor: &mut impl Visitor<'a>,
) -> Result<bool, ReadFault> {
    memory.kept.clear();
    memory.learning.clear();
    let mut walker = Walker { order, bytes, memory, visitor, clause: "", is_opaque: false, is_trial: false };
    walker.whole(items, 0..bytes.len())?;
    Ok(walker.is_opaque)
}

/// Where a walk is, and where it must end.
#[derive(Clone, Copy)]
struct Cursor {
    at: usize,
    end: usize,
}

struct Walker<'a, 'w, V> {
    order: ByteOrder,
    bytes: &'a [u8],
    memory: &'w mut WalkMemory,
    visitor: &'w mut V,
    /// Of the case that the walk is in.
    clause: &'static str,
    is_opaque: bool,
    /// Whether nothing may be learned.
    is_trial: bool,
}

struct Silent;

impl Visitor<'_> for Silent {
    fn value(&mut self, _told: FieldValue) {}
}

impl<'a, V: Visitor<'a>> Walker<'a, '_, V> {
    /// Items that fill a range exactly.
    fn whole(&mut self, items: &'static [Item], range: std::ops::Range<usize>) -> Result<(), ReadFault> {
        let mut cursor = Cursor { at: range.start, end: range.end };
        self.items(items, &mut cursor)?;
        if cursor.at == cursor.end { Ok(()) } else { Err(self.fault(Malformed::Trailing, cursor.at)) }
    }

    fn items(&mut self, items: &'static [Item], cursor: &mut Cursor) -> Result<(), ReadFault> {
        items.iter().try_for_each(|item| self.item(item, cursor))
    }

    fn item(&mut self, item: &'static Item, cursor: &mut Cursor) -> Result<(), ReadFault> {
        match item {
            Item::Value(field) => self.value(field, cursor).map(drop),
            Item::Bits { whole, bytes, parts } => self.bits(whole, *bytes, parts, cursor),
            Item::AtLeast { bytes, fault, ruling } if self.bytes.len() < *bytes => {
                Err(ReadFault { ruling, ..self.fault(*fault, self.bytes.len()) })
            }
            Item::AtMost { bytes, ruling } if self.bytes.len() > *bytes => {
                Err(ReadFault { ruling, ..self.fault(Malformed::WrongSize, *bytes) })
            }
            Item::AtLeast { .. } | Item::AtMost { .. } => Ok(()),
            Item::ProductMax { factors, more, bytes } => {
                let [first, second] = factors.map(|name| self.memory.kept(name));
                let sum = first.saturating_mul(second).saturating_add(*more as u64);
                if sum > *bytes as u64 { Err(self.fault(Malformed::WrongSize, cursor.at)) } else { Ok(()) }
            }
            Item::Sized(region) => self.sized(region, cursor),
            Item::Times { count, each } => self.times(count, each, cursor),
            Item::Named(case) => self.case(case, cursor),
            Item::Repeated(group) => self.repeated(group, cursor),
            Item::Choice { on, cases, otherwise } => self.choice(on, cases, otherwise, cursor),
            Item::Lookup { .. } => self.lookup(item, cursor),
            Item::Optional(_, absent) if cursor.at == cursor.end => {
                self.visitor.absent(absent);
                Ok(())
            }
            Item::Optional(items, _) | Item::All(items) => self.items(items, cursor),
            Item::Either { first, second, meant_from } => self.either(first, second, *meant_from, cursor),
            Item::Learn => {
                if !self.is_trial {
                    self.memory.names = Some(std::mem::take(&mut self.memory.learning));
                }
                Ok(())
            }
        }
    }

    /// Reads a field, reports it, and returns its number.
    fn value(&mut self, field: &'static Field, cursor: &mut Cursor) -> Result<u64, ReadFault> {
        let start = cursor.at;
        let of_field = |malformed| self.fault_of(field, malformed, start);
        let size = self.size_of(field.shape, cursor).ok_or(of_field(Malformed::Short))?;
        let bytes = self.bytes.get(start..start + size).ok_or(of_field(Malformed::Short))?;
        let (value, number) = self.read(field.shape, bytes).map_err(of_field)?;
        cursor.at += size;
        let is_odd = self.check(field, value, number, *cursor).map_err(of_field)?;
        if field.is_kept {
            self.memory.keep(field.name, number);
        }
        if let (true, Value::Text(name)) = (field.is_learned, value) {
            self.memory.learning.push(name.to_owned());
        }
        self.is_opaque |= field.shape == Shape::Opaque;
        self.visitor.value(FieldValue { field, at: start, size, value, is_odd });
        Ok(number)
    }

    /// How many bytes a shape has here, if there are as many.
    fn size_of(&self, shape: Shape, cursor: &Cursor) -> Option<usize> {
        let left = cursor.end - cursor.at;
        let size = match shape {
            Shape::Opaque => left,
            Shape::Text(length, _) | Shape::Bytes(length) => match length {
                Length::Rest => left,
                Length::RestBut(behind) => left.checked_sub(behind)?,
                Length::Fixed(size) => size,
                Length::Of(name) => usize::try_from(self.memory.kept(name)).ok()?,
            },
            number => number.bytes()?,
        };
        (size <= left).then_some(size)
    }

    fn read(&self, shape: Shape, bytes: &'a [u8]) -> Result<(Value<'a>, u64), Malformed> {
        let number = || self.order.number(bytes);
        Ok(match shape {
            Shape::U8 | Shape::U16 | Shape::U32 | Shape::U64 => (Value::Unsigned(number()), number()),
            Shape::I16 => (Value::Signed((number() as u16).cast_signed().into()), 0),
            Shape::I64 => (Value::Signed(number().cast_signed()), 0),
            Shape::F32 => (Value::Float(f32::from_bits(number() as u32)), 0),
            Shape::Text(_, rule) => (text::read(rule, bytes)?, 0),
            Shape::Bytes(_) | Shape::Opaque => (Value::Bytes(bytes), 0),
        })
    }

    /// Whether a value is odd; an error if it is forbidden.
    fn check(&self, field: &Field, value: Value, number: u64, cursor: Cursor) -> Result<bool, Malformed> {
        let (is_good, malformed) = match field.check {
            Check::Any => return Ok(false),
            Check::Expected(least, most) => return Ok(number < least || number > most),
            Check::ExpectedNamed => return Ok(field.names.of(number).is_none()),
            Check::Named(malformed) => (field.names.of(number).is_some(), malformed),
            Check::Range(least, most, other) => {
                ((least..=most).contains(&number) || other == Some(number), Malformed::BadValue)
            }
            Check::Is(this) => (number == this, Malformed::BadValue),
            Check::Finite => (matches!(value, Value::Float(float) if float.is_finite()), Malformed::BadValue),
            Check::WholeSize => (number == self.bytes.len() as u64, Malformed::WrongSize),
            Check::RestSize(less) => {
                let left = (cursor.end - cursor.at).checked_sub(less);
                (left.is_some_and(|left| number == left as u64), Malformed::WrongSize)
            }
        };
        if is_good { Ok(false) } else { Err(malformed) }
    }

    fn bits(
        &mut self,
        whole: &'static str,
        bytes: usize,
        parts: &'static [BitPart],
        cursor: &mut Cursor,
    ) -> Result<(), ReadFault> {
        let start = cursor.at;
        if cursor.end - start < bytes {
            return Err(self.fault(Malformed::Short, cursor.end));
        }
        // Bits count from the most significant, whatever the order of bytes in numbers.
        let number = ByteOrder::Big.number(&self.bytes[start..start + bytes]);
        cursor.at += bytes;
        self.memory.keep(whole, number);
        for BitPart { field, first, count } in parts {
            let shift = (8 * bytes as u32).saturating_sub(first + count);
            let part = number >> shift & ((1 << count) - 1);
            let value = Value::Unsigned(part);
            let checked = self.check(field, value, part, *cursor);
            let is_odd = checked.map_err(|malformed| self.fault_of(field, malformed, start))?;
            self.visitor.value(FieldValue { field, at: start, size: bytes, value, is_odd });
        }
        Ok(())
    }

    fn sized(&mut self, region: &'static Region, cursor: &mut Cursor) -> Result<(), ReadFault> {
        let start = cursor.at;
        let size = self.value(&region.size, cursor)?;
        let left = (cursor.end - cursor.at) as u64;
        if size > left {
            return Err(self.fault_of(&region.size, Malformed::Short, start));
        }
        if region.is_last && size < left {
            return Err(self.fault_of(&region.size, Malformed::Trailing, start));
        }
        let end = cursor.at + size as usize;
        let inside = self.whole(region.items, cursor.at..end);
        cursor.at = end;
        match region.fault {
            Some(malformed) => inside.map_err(|_| self.fault_of(&region.size, malformed, start)),
            None => inside,
        }
    }

    fn times(&mut self, count: &str, each: &'static Group, cursor: &mut Cursor) -> Result<(), ReadFault> {
        let count = self.memory.kept(count);
        // However great the count: each element takes bytes, and their end is the end of the loop.
        for index in 0..usize::try_from(count).unwrap_or(usize::MAX) {
            let before = cursor.at;
            self.element(each, index, cursor)?;
            if cursor.at == before {
                break;
            }
        }
        Ok(())
    }

    fn repeated(&mut self, group: &'static Group, cursor: &mut Cursor) -> Result<(), ReadFault> {
        let mut index = 0;
        while cursor.at < cursor.end {
            let before = cursor.at;
            self.element(group, index, cursor)?;
            if cursor.at == before {
                break;
            }
            index += 1;
        }
        Ok(())
    }

    fn element(&mut self, group: &'static Group, index: usize, cursor: &mut Cursor) -> Result<(), ReadFault> {
        self.visitor.begin_element(group, index, cursor.at);
        self.items(group.items, cursor)?;
        self.visitor.end();
        Ok(())
    }

    fn choice(
        &mut self,
        on: &str,
        cases: &'static [ValueItems],
        otherwise: &'static UnknownValue,
        cursor: &mut Cursor,
    ) -> Result<(), ReadFault> {
        let value = self.memory.kept(on);
        match (cases.iter().find(|case| case.value == value), otherwise) {
            (Some(case), _) => self.case(case, cursor),
            (None, UnknownValue::Read(items)) => self.items(items, cursor),
            (None, UnknownValue::Refuse(ruling)) => {
                Err(ReadFault { ruling, ..self.fault(Malformed::UnknownType, cursor.at) })
            }
        }
    }

    fn lookup(&mut self, item: &'static Item, cursor: &mut Cursor) -> Result<(), ReadFault> {
        let Item::Lookup { on, unlearned, cases, ruling } = item else { return Ok(()) };
        let index = usize::try_from(self.memory.kept(on)).unwrap_or(usize::MAX);
        let name = match &self.memory.names {
            Some(names) => names.get(index).map(String::as_str),
            None => unlearned.get(index).copied(),
        };
        match cases.iter().find(|case| Some(case.name) == name) {
            Some(case) => self.case(case, cursor),
            None => Err(ReadFault { ruling, ..self.fault(Malformed::UnknownType, cursor.at) }),
        }
    }

    fn case(&mut self, case: &'static ValueItems, cursor: &mut Cursor) -> Result<(), ReadFault> {
        let around = self.clause;
        if !case.clause.is_empty() {
            self.clause = case.clause;
        }
        self.visitor.begin_case(case, cursor.at);
        self.items(case.items, cursor)?;
        self.visitor.end();
        self.clause = around;
        Ok(())
    }

    fn either(
        &mut self,
        first: &'static [Item],
        second: &'static [Item],
        meant_from: usize,
        cursor: &mut Cursor,
    ) -> Result<(), ReadFault> {
        let range = cursor.at..cursor.end;
        let chosen = match self.attempt(first, range.clone()) {
            Ok(()) => first,
            // Whatever it looks like, it is what it can be read as; the first is blamed only if it can be read as neither.
            Err(fault) if fault.at >= cursor.at + meant_from && self.attempt(second, range.clone()).is_err() => first,
            Err(_) => second,
        };
        self.whole(chosen, range)?;
        cursor.at = cursor.end;
        Ok(())
    }

    /// Whether items fill a range, without telling or learning anything.
    fn attempt(&mut self, items: &'static [Item], range: std::ops::Range<usize>) -> Result<(), ReadFault> {
        let mut trial = Walker {
            order: self.order,
            bytes: self.bytes,
            memory: &mut *self.memory,
            visitor: &mut Silent,
            clause: self.clause,
            is_opaque: false,
            is_trial: true,
        };
        let result = trial.whole(items, range);
        self.memory.learning.clear();
        result
    }

    fn fault(&self, malformed: Malformed, at: usize) -> ReadFault {
        ReadFault { clause: self.clause, at, ..ReadFault::at_start(malformed) }
    }

    fn fault_of(&self, field: &'static Field, malformed: Malformed, at: usize) -> ReadFault {
        let clause = if field.clause.is_empty() { self.clause } else { field.clause };
        ReadFault { malformed, at, field: Some(field), ruling: field.ruling, clause }
    }
}
