//! Takes the names of functions out of a WebAssembly module: a tenth of its size, and only for debuggers.
//!
//! A module is eight bytes and then sections: a kind, a length in LEB128, and that many bytes. A section of kind 0 begins
//! with a name of its own; the one called `name` holds what is taken out. Everything else stays as the linker left it.

use anyhow::{Context, Result, ensure};

const HEAD: &[u8; 8] = b"\0asm\x01\0\0\0";
const CUSTOM: u8 = 0;
const NAMES: &[u8] = b"name";

/// The module without names.
pub fn without(module: &[u8]) -> Result<Vec<u8>> {
    ensure!(module.starts_with(HEAD), "the compiler made no WebAssembly module");
    let mut kept = HEAD.to_vec();
    let mut rest = &module[HEAD.len()..];
    while let Some((&kind, after)) = rest.split_first() {
        let (length, body) = number(after).context("the module is cut off")?;
        let (body, next) = body.split_at_checked(length).context("the module is cut off")?;
        if kind != CUSTOM || !is_called(body, NAMES) {
            kept.extend_from_slice(&rest[..rest.len() - next.len()]);
        }
        rest = next;
    }
    Ok(kept)
}

fn is_called(body: &[u8], name: &[u8]) -> bool {
    number(body).is_some_and(|(length, text)| text.get(..length) == Some(name))
}

/// A number in LEB128 of at most 32 bits, and what follows it.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0;
    for (place, &byte) in bytes.iter().enumerate().take(5) {
        value |= usize::from(byte & 0x7F) << (7 * place);
        if byte < 0x80 {
            return Some((value, &bytes[place + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_names_go() {
        let before = b"\0asm\x01\0\0\0\x01\x01\x00\x00\x07\x04name\xAA\xBB\x00\x07\x04nameX"; // one byte short
        assert!(without(before).is_err());
        let whole = b"\0asm\x01\0\0\0\x01\x01\x00\x00\x07\x04name\xAA\xBB\x00\x05\x03abcZ\x0B\x81\x00\x00";
        let kept = without(whole).expect("a module");
        assert_eq!(kept, b"\0asm\x01\0\0\0\x01\x01\x00\x00\x05\x03abcZ\x0B\x81\x00\x00");
    }

    #[test]
    fn what_is_not_a_module_is_refused() {
        assert!(without(b"").is_err());
        assert!(without(b"\0asm\x02\0\0\0").is_err());
        assert!(without(b"\0asm\x01\0\0\0\x01\xFF\xFF\xFF\xFF\xFF\xFF").is_err());
        assert!(without(b"\0asm\x01\0\0\0\x01\x02\x00").is_err());
    }
}
