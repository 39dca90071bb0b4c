//! Numbers and columns of text, written without the machinery of `format!`: most of the time of a decoder goes into them.

/// Appends a number.
pub fn push_number(number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = number;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a number with blanks before it, so that it takes at least this many bytes.
pub fn push_right(number: u64, width: usize, out: &mut Vec<u8>) {
    let start = out.len();
    push_number(number, out);
    let length = out.len() - start;
    if length < width {
        push_blanks(width - length, out);
        out[start..].rotate_right(width - length);
    }
}

/// Appends a number of either sign.
pub fn push_signed(number: i64, out: &mut Vec<u8>) {
    if number < 0 {
        out.push(b'-');
    }
    push_number(number.unsigned_abs(), out);
}

pub fn push_blanks(count: usize, out: &mut Vec<u8>) {
    out.resize(out.len() + count, b' ');
}

/// Appends blanks until what began at `start` has this many letters.
pub fn pad(start: usize, width: usize, out: &mut Vec<u8>) {
    let is_first = |byte: &&u8| **byte & 0xc0 != 0x80;
    let letters = out[start..].iter().filter(is_first).count();
    push_blanks(width.saturating_sub(letters), out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = b">".to_vec();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn they_are_written_as_format_writes_them() {
        for number in [0, 7, 10, 99, 12_345, u64::MAX] {
            assert_eq!(written(|out| push_number(number, out)), format!(">{number}"));
            assert_eq!(written(|out| push_right(number, 6, out)), format!(">{number:>6}"));
        }
        for number in [0, -1, i64::MIN, i64::MAX] {
            assert_eq!(written(|out| push_signed(number, out)), format!(">{number}"));
        }
        let padded = written(|out| {
            let start = out.len();
            out.extend("µs".bytes());
            pad(start, 4, out);
        });
        assert_eq!(padded, ">µs  ");
    }
}
