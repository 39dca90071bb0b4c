//! What the text of a flag may be, and what it means.

use std::{
    net::{IpAddr, Ipv4Addr},
    ops::RangeInclusive,
};

use protocol::Dialect;
use server::edge::Origin;
use toolkit::watch::Speed;

/// Less would serve hardly anybody.
const MEMORY_MIN_BYTES: usize = 16 << 20;

pub fn dialect_list(text: &str) -> Result<Dialects, String> {
    let lists = text.split(',').map(|name| dialects(name.trim())).collect::<Result<Vec<Dialects>, String>>()?;
    Ok(Dialects(lists.into_iter().flat_map(|list| list.0).collect()))
}

/// The dialects of bots, in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialects(pub Vec<Dialect>);

pub fn names() -> String {
    Dialect::ALL.map(Dialect::name).join(", ")
}

pub fn dialect(text: &str) -> Result<Dialect, String> {
    Dialect::from_name(text).ok_or_else(|| format!("{text:?} is not a dialect: choose one of {}", names()))
}

pub fn dialects(text: &str) -> Result<Dialects, String> {
    match text {
        "mixed" => Ok(Dialects(Dialect::ALL.into())),
        _ => Dialect::from_name(text)
            .map(|dialect| Dialects(vec![dialect]))
            .ok_or_else(|| format!("choose one of {}, or mixed", names())),
    }
}

/// A difficulty, as an argument names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DifficultyName(pub game::Difficulty);

pub fn difficulty(text: &str) -> Result<DifficultyName, String> {
    game::Difficulty::from_name(text).map(DifficultyName).ok_or_else(|| "choose easy, normal or hard".into())
}

/// How well bots play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BotSkill(pub game::Skill);

pub fn skill(text: &str) -> Result<BotSkill, String> {
    game::Skill::from_name(text).map(BotSkill).ok_or_else(|| "choose easy, normal or good".into())
}

/// A port, where 0 means any free one; or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port(pub Option<u16>);

/// An address that a node can listen at.
pub fn address(text: &str) -> Result<IpAddr, String> {
    let address: IpAddr = text.parse().map_err(|_| "expected an address such as 127.0.0.1, 0.0.0.0 or ::")?;
    match address.to_canonical() {
        ip if ip.is_multicast() => {
            Err("this is a multicast address; give an address of this machine, or 0.0.0.0 or ::".into())
        }
        IpAddr::V4(Ipv4Addr::BROADCAST) => {
            Err("this is the broadcast address; give an address of this machine, or 0.0.0.0 or ::".into())
        }
        IpAddr::V6(ip) if ip.is_unicast_link_local() => {
            Err("this is a link-local address without its interface; give another address of this machine, or ::"
                .into())
        }
        _ => Ok(address),
    }
}

pub fn port(text: &str) -> Result<Port, String> {
    match text {
        "off" => Ok(Port(None)),
        _ => text.parse().map(|port| Port(Some(port))).map_err(|_| "expected a port from 0 to 65535, or off".into()),
    }
}

pub fn ports(text: &str) -> Result<RangeInclusive<u16>, String> {
    let range = text.split_once('-').and_then(|(first, last)| Some(first.parse().ok()?..=last.parse().ok()?));
    range
        .filter(|range: &RangeInclusive<u16>| !range.is_empty() && *range.start() > 0)
        .ok_or_else(|| "expected a range FIRST-LAST, such as 24500-24999".into())
}

/// A number of bytes, or of kibibytes, mebibytes or gibibytes.
pub fn memory(text: &str) -> Result<usize, String> {
    let (number, unit) = match text.as_bytes().last().map(u8::to_ascii_uppercase) {
        Some(b'K') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M') => (&text[..text.len() - 1], 1 << 20),
        Some(b'G') => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    let bytes = number.parse::<usize>().ok().and_then(|number| number.checked_mul(unit));
    bytes
        .filter(|bytes| *bytes >= MEMORY_MIN_BYTES)
        .ok_or_else(|| "expected a size of at least 16M, such as 256M or 2G".into())
}

pub fn origin(text: &str) -> Result<Origin, String> {
    text.parse().map_err(|error: server::edge::NotAnOrigin| error.to_string())
}

pub fn seed(text: &str) -> Result<u64, String> {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let parsed = match hexadecimal {
        // `from_str_radix` accepts a sign; a seed has none.
        Some(digits) if digits.starts_with('+') => None,
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if text.starts_with('+') => None,
        None => text.parse().ok(),
    };
    parsed.ok_or_else(|| format!("expected a whole number from 0 to {}, such as 42 or 0x2a", u64::MAX))
}

pub fn speed(text: &str) -> Result<Speed, String> {
    let factor: Option<f64> = text.parse().ok();
    let percent = factor.filter(|factor| (0.0..=100.0).contains(factor)).map(|factor| (factor * 100.0).round() as u32);
    percent.and_then(Speed::from_percent).ok_or_else(|| "expected a number from 0.1 to 16, such as 2 or 0.5".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_a_size_with_a_unit() {
        let right = [("512M", 512 << 20), ("16777216", 16 << 20), ("2g", 2 << 30), ("32768K", 32 << 20)];
        assert!(right.iter().all(|(text, bytes)| memory(text) == Ok(*bytes)));
        for wrong in ["", "M", "1M", "-1G", "1.5G", "512MB", "99999999999999999999G", "512 M", "\u{e9}"] {
            assert!(memory(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_address_is_one_that_a_node_can_listen_at() {
        for right in ["127.0.0.5", "0.0.0.0", "::", "::1", "192.0.2.1", "2001:db8::1"] {
            assert_eq!(address(right), Ok(right.parse().expect("an address")));
        }
        for (wrong, part) in [
            ("localhost", "127.0.0.1"),
            ("224.0.0.1", "multicast"),
            ("ff02::1", "multicast"),
            ("::ffff:224.0.0.1", "multicast"),
            ("255.255.255.255", "broadcast"),
            ("fe80::1", "link-local"),
        ] {
            assert!(address(wrong).is_err_and(|why| why.contains(part)), "{wrong}");
        }
    }

    #[test]
    fn a_port_is_a_number_or_off_and_a_range_has_an_order() {
        assert_eq!(port("0"), Ok(Port(Some(0))));
        assert_eq!(port("off"), Ok(Port(None)));
        for wrong in ["", "65536", "-1", "on"] {
            assert!(port(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(ports("1-9"), Ok(1..=9));
        for wrong in ["9-1", "0-9", "5", "1-65536", "a-b"] {
            assert!(ports(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_dialect_has_a_name_and_mixed_is_all_of_them() {
        assert_eq!(dialects("aecs"), Ok(Dialects(vec![Dialect::Aecs])));
        assert_eq!(dialects("mixed"), Ok(Dialects(Dialect::ALL.into())));
        let two = Dialects(vec![Dialect::Snapshot, Dialect::Aecs]);
        assert_eq!((dialect_list("snapshot, aecs"), dialect_list("snapshot,").is_err()), (Ok(two), true));
        assert!(dialects("AECS").is_err_and(|said| said.contains("typeuh, aecs") && said.contains("mixed")));
    }

    #[test]
    fn seeds_are_decimal_or_hexadecimal() {
        assert_eq!(["0", "42", "0x2a", "0XFF"].map(|text| seed(text).ok()), [Some(0), Some(42), Some(42), Some(255)]);
        assert_eq!(seed("0xffffffffffffffff"), Ok(u64::MAX));
        for wrong in ["", "-1", "+1", "0x", "0x+1", "1.5", "2a", "18446744073709551616"] {
            assert!(seed(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn speeds_are_factors() {
        assert_eq!(speed("0.5").map(Speed::percent), Ok(50));
        assert_eq!(speed("16").map(Speed::percent), Ok(1600));
        for wrong in ["", "0", "-1", "17", "1e9", "NaN", "inf", "fast"] {
            assert!(speed(wrong).is_err(), "{wrong:?}");
        }
    }
}
