//! Golden vectors: `vectors/<dialect>.txt`, and the one `check` that every encoding in them goes through.
//!
//! ```text
//! [client]                                  what follows a client says; the first word is also the fuzz target's
//! # the document's example                  a comment
//! 01 0000 00000000 00 26 01                 the bytes in hex, spaced at will, over as many lines as it takes
//! = Input { player_id: 0, key_code: 38 }    what they read as, in `{:?}`; further lines continue it
//!
//! empty                                     the next one begins with bytes again: there are none
//! ! Short                                   instead of `=`: why they are refused
//!
//! 00 01 02
//! = [A, B, C]
//! prefixes 0 1 2                            these lengths, and no others, are messages when the rest is cut off
//! longer                                    there are bytes which, added at the end, make another message
//! writes 00 01 03                           it is written otherwise than it was read
//! ```

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use protocol::Malformed;

/// What a dialect made of some bytes.
pub struct Reading {
    /// In `{:?}`.
    message: String,
    /// The message written again.
    pub written: Vec<u8>,
}

impl Reading {
    /// That message, and the bytes that `write` appends for it.
    pub fn new<M: Debug>(message: M, write: impl FnOnce(&M, &mut Vec<u8>)) -> Reading {
        // What is in the buffer already must stay in it: a writer appends.
        let mut written = vec![0xa5];
        write(&message, &mut written);
        assert_eq!(written.first(), Some(&0xa5), "{message:?}: writing must append");
        Reading { message: format!("{message:?}"), written: written.split_off(1) }
    }
}

/// Reads a whole encoding and writes it back, or refuses it.
pub type Read = fn(&[u8]) -> Result<Reading, Malformed>;

/// Checks every vector of a dialect: it reads as it says, writes back to the same bytes, and is refused when it is cut
/// at any length or has any one byte too many, except where its lines say otherwise. `sections` are those of the file.
pub fn check(dialect: &str, sections: &[(&str, Read)]) {
    let vectors = load(&directory().join(format!("{dialect}.txt")));
    for (section, read) in sections {
        let mut count = 0;
        for vector in vectors.iter().filter(|vector| vector.section == *section) {
            vector.check(*read);
            count += 1;
        }
        assert!(count > 0, "{dialect}.txt has no vectors in [{section}]");
    }
    for vector in &vectors {
        let known = sections.iter().any(|(section, _)| vector.section == *section);
        assert!(known, "{}: nothing reads [{}]", vector.place, vector.section);
    }
}

/// Where the vectors are.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

/// One encoding and what is said of it.
#[derive(Default)]
pub struct Vector {
    /// The heading that it stands under.
    pub section: String,
    pub bytes: Vec<u8>,
    place: String,
    message: Option<String>,
    refused: Option<String>,
    prefixes: Vec<usize>,
    longer: bool,
    writes: Option<Vec<u8>>,
}

impl Vector {
    fn check(&self, read: Read) {
        match (&self.message, read(&self.bytes)) {
            (Some(message), Ok(reading)) => {
                assert_eq!(&reading.message, message, "{}: it reads otherwise", self.place);
                let expected = self.writes.as_ref().unwrap_or(&self.bytes);
                assert_eq!(hex(&reading.written), hex(expected), "{}: it is written otherwise", self.place);
                self.check_cut(read);
                self.check_longer(read);
            }
            (None, Err(malformed)) => {
                assert_eq!(Some(format!("{malformed:?}")), self.refused, "{}: refused for another reason", self.place);
            }
            (Some(_), Err(malformed)) => panic!("{}: it is refused: {malformed:?}", self.place),
            (None, Ok(reading)) => panic!("{}: it reads as {}", self.place, reading.message),
        }
    }

    fn check_cut(&self, read: Read) {
        for length in 0..self.bytes.len() {
            let is_message = read(&self.bytes[..length]).is_ok();
            let expected = self.prefixes.contains(&length);
            assert_eq!(is_message, expected, "{}: is it a message when cut to {length} bytes?", self.place);
        }
    }

    fn check_longer(&self, read: Read) {
        let is_message = (0..=u8::MAX).any(|byte| read(&[&self.bytes[..], &[byte]].concat()).is_ok());
        assert_eq!(is_message, self.longer, "{}: is it a message with a byte more?", self.place);
    }

    fn is_complete(&self) -> bool {
        self.message.is_some() || self.refused.is_some()
    }

    fn take_line(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "=" => {
                let message = self.message.get_or_insert_default();
                if !message.is_empty() && !message.ends_with('[') {
                    message.push(' ');
                }
                message.push_str(rest.trim());
            }
            "!" => self.refused = Some(rest.to_owned()),
            "prefixes" => self.prefixes = rest.split(' ').map(|length| length.parse().expect("a length")).collect(),
            "longer" => self.longer = true,
            "writes" => self.writes = Some(unhex(rest, &self.place)),
            "empty" => {}
            _ => self.bytes.extend(unhex(line, &self.place)),
        }
    }
}

/// Every vector of a file, in order.
#[allow(clippy::disallowed_methods, reason = "the crate itself has no files; its tests do")]
pub fn load(path: &Path) -> Vec<Vector> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut vectors: Vec<Vector> = Vec::new();
    let mut section = String::new();
    let mut is_open = false;
    for (index, line) in text.lines().map(str::trim).enumerate() {
        if let Some(heading) = line.strip_prefix('[') {
            section = heading.strip_suffix(']').expect("a heading ends with ]").to_owned();
        }
        if line.is_empty() || line.starts_with(['#', '[']) {
            is_open = false;
            continue;
        }
        let is_bytes = line == "empty" || line.starts_with(|first: char| first.is_ascii_hexdigit());
        let is_next = is_bytes && vectors.last().is_some_and(Vector::is_complete);
        if !is_open || is_next {
            let place = format!("{}:{}", path.display(), index + 1);
            vectors.push(Vector { section: section.clone(), place, ..Vector::default() });
        }
        is_open = true;
        vectors.last_mut().expect("one was opened").take_line(line);
    }
    for vector in &vectors {
        assert!(vector.is_complete(), "{}: one of = and ! must say what becomes of it", vector.place);
    }
    vectors
}

fn unhex(text: &str, place: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    assert!(digits.is_ascii() && digits.len().is_multiple_of(2), "{place}: not whole bytes of hex: {text}");
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16);
    (0..digits.len()).step_by(2).map(|at| byte(at).unwrap_or_else(|_| panic!("{place}: not hex: {text}"))).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x} ")).collect()
}
