//! What the bytes of a text say, by the rule of its field.

use super::{field::TextRule, walk::Value};
use crate::{Dialect, Malformed, lobby::decent};

/// Reads the bytes of a text. What some rules call malformed others take as it is.
pub fn read(rule: TextRule, bytes: &[u8]) -> Result<Value<'_>, Malformed> {
    match rule {
        TextRule::Utf8 => utf8(bytes).map(Value::Text),
        TextRule::Visible(max) => {
            let text = utf8(bytes)?;
            let is_fit = text.len() <= max && !text.chars().any(char::is_control);
            if is_fit { Ok(Value::Text(text)) } else { Err(Malformed::BadText) }
        }
        TextRule::Trimmed(max) => trimmed(bytes, max).map(Value::Text),
        TextRule::Username(max) => {
            let text = utf8(without_zeros(behind_length(bytes)))?;
            decent(text, max).map(Value::Text).ok_or(Malformed::BadText)
        }
        TextRule::NulEnded(max) => {
            let text = utf8(bytes.strip_suffix(&[0]).ok_or(Malformed::Short)?)?;
            if text.len() <= max && !text.contains('\0') { Ok(Value::Text(text)) } else { Err(Malformed::BadText) }
        }
        TextRule::Loose => Ok(loose(bytes)),
        TextRule::LooseNotEmpty => match bytes {
            [] | [0] => Err(Malformed::BadText),
            some => Ok(loose(some)),
        },
        TextRule::PaddedName => padded_name(bytes).map(Value::Text),
        TextRule::LobbyCode => code(bytes).map(Value::Text),
        TextRule::LobbyCodeOrNone if bytes.iter().all(|byte| *byte == 0) => Ok(Value::Nothing),
        TextRule::LobbyCodeOrNone => code(bytes).map(Value::Text),
        TextRule::DialectName(max) => {
            let name = trimmed(bytes, max)?;
            Dialect::from_name(name).map(|_| Value::Text(name)).ok_or(Malformed::BadValue)
        }
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, Malformed> {
    str::from_utf8(bytes).map_err(|_| Malformed::BadText)
}

fn trimmed(bytes: &[u8], max: usize) -> Result<&str, Malformed> {
    let text = utf8(bytes)?;
    decent(text, max).filter(|decent| decent.len() == text.len()).ok_or(Malformed::BadText)
}

/// What is behind a byte that counts it; all, if the first is no such byte.
fn behind_length(bytes: &[u8]) -> &[u8] {
    match bytes {
        [length @ 0..0x20, name @ ..] if usize::from(*length) == name.len() => name,
        bare => bare,
    }
}

fn without_zeros(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &bytes[..end]
}

fn loose(bytes: &[u8]) -> Value<'_> {
    str::from_utf8(bytes).map_or(Value::Bytes(bytes), Value::Text)
}

fn padded_name(bytes: &[u8]) -> Result<&str, Malformed> {
    let name = without_zeros(bytes);
    let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if !name.is_empty() && name.iter().all(is_allowed) { utf8(name) } else { Err(Malformed::BadText) }
}

fn code(bytes: &[u8]) -> Result<&str, Malformed> {
    if bytes.iter().all(u8::is_ascii_graphic) { utf8(bytes) } else { Err(Malformed::BadText) }
}
