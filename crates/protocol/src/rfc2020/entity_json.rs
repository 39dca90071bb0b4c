//! ENTITY_JSON, the text in SPAWN that says what an entity is: one JSON object and one NUL (R8).
//!
//! What we write is flat and of integers. What we read may come from another server, and may hold unknown keys, blanks,
//! fractions, escapes and nested values: `serde_json` copes with all of them, and refuses nesting deeper than 128.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use crate::Malformed;

/// The longest ENTITY_JSON, in bytes without its NUL: what a UDP datagram holds beside a header and an ENTITY_ID. What
/// we write ourselves stays far below C2's 1,200.
pub const ENTITY_JSON_MAX: usize = 65_507 - super::wire::HEADER_SIZE - 8 - 1;

/// The text of one ENTITY_JSON: UTF-8 without a NUL, not yet parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityJson<'a>(&'a str);

impl<'a> EntityJson<'a> {
    /// This text, if it can travel.
    pub fn new(text: &'a str) -> Result<Self, Malformed> {
        let fits = text.len() <= ENTITY_JSON_MAX && !text.contains('\0');
        if fits { Ok(EntityJson(text)) } else { Err(Malformed::BadText) }
    }

    /// The text without its NUL.
    pub const fn as_str(self) -> &'a str {
        self.0
    }

    /// What the text says.
    pub fn parse(self) -> Result<Described<'a>, Malformed> {
        serde_json::from_str::<Raw>(self.0).map_err(|_| Malformed::BadText)?.described()
    }

    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let text = bytes.strip_suffix(&[0]).ok_or(Malformed::Short)?;
        Self::new(std::str::from_utf8(text).map_err(|_| Malformed::BadText)?)
    }

    pub(super) fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0.as_bytes());
        out.push(0);
    }
}

/// What an ENTITY_JSON says of an entity (R8); its `Display` is the text. Lengths are in POSITION's units, velocities in those units a second.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the keys")]
pub struct Described<'a> {
    /// What it is, by name.
    pub kind: Cow<'a, str>,
    pub x: i64,
    pub y: i64,
    pub vx: Option<i64>,
    pub vy: Option<i64>,
    pub health: Option<u32>,
    /// The player it belongs to.
    pub seat: Option<u8>,
    /// The ENTITY_ID of what it belongs to.
    pub owner: Option<u64>,
    /// The width of a wall (ruling C12).
    pub w: Option<u32>,
    pub h: Option<u32>,
}

/// The object, flat and without blanks, in the order of the fields.
impl fmt::Display for Described<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        // The one member that may need escapes, should a kind of another server pass through us.
        write!(formatter, "{{\"kind\":{}", serde_json::Value::from(&*self.kind))?;
        write_member("x", Some(self.x), formatter)?;
        write_member("y", Some(self.y), formatter)?;
        write_member("vx", self.vx, formatter)?;
        write_member("vy", self.vy, formatter)?;
        write_member("health", self.health, formatter)?;
        write_member("seat", self.seat, formatter)?;
        write_member("owner", self.owner, formatter)?;
        write_member("w", self.w, formatter)?;
        write_member("h", self.h, formatter)?;
        formatter.write_str("}")
    }
}

fn write_member(key: &str, value: Option<impl fmt::Display>, formatter: &mut fmt::Formatter) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(formatter, ",\"{key}\":{value}"))
}

/// The object as it stands in the text: numbers of any size, keys that we do not know left aside.
#[derive(serde::Deserialize)]
struct Raw<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    x: Whole,
    y: Whole,
    vx: Option<Whole>,
    vy: Option<Whole>,
    health: Option<Whole>,
    seat: Option<Whole>,
    owner: Option<Whole>,
    w: Option<Whole>,
    h: Option<Whole>,
}

impl<'a> Raw<'a> {
    fn described(self) -> Result<Described<'a>, Malformed> {
        Ok(Described {
            kind: self.kind,
            x: self.x.fit()?,
            y: self.y.fit()?,
            vx: self.vx.map(Whole::fit).transpose()?,
            vy: self.vy.map(Whole::fit).transpose()?,
            health: self.health.map(Whole::fit).transpose()?,
            seat: self.seat.map(Whole::fit).transpose()?,
            owner: self.owner.map(Whole::fit).transpose()?,
            w: self.w.map(Whole::fit).transpose()?,
            h: self.h.map(Whole::fit).transpose()?,
        })
    }
}

/// A JSON number, rounded to a whole one: other servers may write `12.5`.
#[derive(Clone, Copy)]
struct Whole(i128);

impl Whole {
    fn fit<T: TryFrom<i128>>(self) -> Result<T, Malformed> {
        T::try_from(self.0).map_err(|_| Malformed::BadValue)
    }
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor)
    }
}

struct WholeVisitor;

impl Visitor<'_> for WholeVisitor {
    type Value = Whole;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a number")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Whole, E> {
        Ok(Whole(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Whole, E> {
        Ok(Whole(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Whole, E> {
        // Saturates; JSON has no NaN. What saturated fits no field, and is refused there.
        Ok(Whole(value.round() as i128))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drone() -> Described<'static> {
        Described {
            kind: "drone".into(),
            x: 1,
            y: -2,
            vx: None,
            vy: None,
            health: None,
            seat: None,
            owner: None,
            w: None,
            h: None,
        }
    }

    fn parse(text: &str) -> Result<Described<'_>, Malformed> {
        EntityJson::new(text)?.parse()
    }

    #[test]
    fn r8_writes_what_applies_in_order() {
        let full =
            Described { vx: Some(-240), vy: Some(0), health: Some(3), seat: Some(2), owner: Some(u64::MAX), ..drone() };
        for (described, text) in [
            (drone(), r#"{"kind":"drone","x":1,"y":-2}"#),
            (
                full,
                r#"{"kind":"drone","x":1,"y":-2,"vx":-240,"vy":0,"health":3,"seat":2,"owner":18446744073709551615}"#,
            ),
            (Described { w: Some(1920), h: Some(64), ..drone() }, r#"{"kind":"drone","x":1,"y":-2,"w":1920,"h":64}"#),
            (Described { kind: "a\"b".into(), ..drone() }, r#"{"kind":"a\"b","x":1,"y":-2}"#),
            (
                Described { x: i64::MIN, y: i64::MAX, ..drone() },
                r#"{"kind":"drone","x":-9223372036854775808,"y":9223372036854775807}"#,
            ),
        ] {
            assert_eq!(described.to_string(), text);
            assert_eq!(parse(text), Ok(described));
        }
    }

    #[test]
    fn reads_what_other_servers_may_write() {
        assert_eq!(parse(" { \"y\" : -2 ,\n\t\"x\": 1, \"kind\": \"drone\" } "), Ok(drone()));
        assert_eq!(
            parse(r#"{"sprite":{"path":["a",1,null]},"kind":"dr\u006fne","x":0.5,"y":-2.4e0,"vx":null}"#),
            Ok(drone())
        );
        assert_eq!(parse(r#"{"kind":"drone","x":1,"y":-2,"health":3.0}"#).unwrap().health, Some(3));
    }

    #[test]
    fn refuses_what_is_not_an_entity() {
        for text in [
            "",
            "null",
            "[]",
            r#"{"kind":"drone","x":1}"#,
            r#"{"kind":7,"x":1,"y":2}"#,
            r#"{"kind":"drone","x":"1","y":2}"#,
            r#"{"kind":"drone","x":1,"y":2"#,
            r#"{"kind":"drone","x":1,"y":2}}"#,
            r#"{"kind":"drone","x":1,"x":1,"y":2}"#,
            r#"{"kind":"drone","x":NaN,"y":2}"#,
        ] {
            assert_eq!(parse(text), Err(Malformed::BadText), "{text}");
        }
        for text in [
            r#"{"kind":"drone","x":1e30,"y":2}"#,
            r#"{"kind":"drone","x":1,"y":2,"seat":256}"#,
            r#"{"kind":"drone","x":1,"y":2,"health":-1}"#,
        ] {
            assert_eq!(parse(text), Err(Malformed::BadValue), "{text}");
        }
    }

    #[test]
    fn refuses_deep_nesting_without_a_deep_stack() {
        let text = format!(r#"{{"kind":"drone","x":1,"y":2,"z":{}"#, "[".repeat(1000));
        assert_eq!(parse(&text), Err(Malformed::BadText));
    }

    #[test]
    fn a_text_has_one_nul_at_its_end_and_a_limit() {
        assert_eq!(EntityJson::read(b"{}\0"), EntityJson::new("{}"));
        assert_eq!(EntityJson::read(b"{}"), Err(Malformed::Short));
        assert_eq!(EntityJson::read(b"{}\0\0"), Err(Malformed::BadText));
        assert_eq!(EntityJson::read(b"\xff\0"), Err(Malformed::BadText));
        assert!(EntityJson::new(&" ".repeat(ENTITY_JSON_MAX)).is_ok());
        assert_eq!(EntityJson::new(&" ".repeat(ENTITY_JSON_MAX + 1)), Err(Malformed::BadText));
    }
}
