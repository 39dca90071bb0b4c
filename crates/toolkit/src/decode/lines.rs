//! What bytes say, as lines of text: offset, size, field, value with its unit, and the clause of the document.
//!
//! ```text
//!      0   1 Packet Type              1 INPUT                      Header Fields
//!      9   1   Action                 7                            0x01 - INPUT
//!   !  9     violation: Action holds a value that is not allowed [0x01 - INPUT]
//! ```

use std::io::Write;

use protocol::{
    Channel, Dialect,
    field_table::{FieldValue, Sender, Value, WalkMemory},
};

use super::{
    explained::{Explained, Part, Violation, bracketed},
    numbers::{pad, push_blanks, push_number, push_right, push_signed},
};

/// Columns of the name and of the value, for most of them.
const NAME_WIDTH: usize = 24;
const VALUE_WIDTH: usize = 28;
/// Bytes of a value that are printed.
const BYTES_SHOWN_MAX: usize = 24;
/// What a line begins with that says what is wrong.
pub const VIOLATION: &str = "  ! ";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplanationLine {
    pub text: String,
    /// Whether it says that something is wrong.
    pub is_violation: bool,
}

/// Explains one datagram, or what has come of a stream, to people.
///
/// # Examples
/// ```
/// use protocol::{Channel, Dialect, field_table::Sender};
/// use toolkit::decode::explain;
///
/// let input = [0x01, 0, 0, 0, 0, 0, 0, 0, 0x26, 7];
/// let lines = explain(Dialect::Snapshot, Sender::Client, Channel::Datagram, &input);
/// assert_eq!(lines[0].text, "INPUT, 10 bytes");
/// assert!(lines.last().is_some_and(|line| line.is_violation));
/// ```
pub fn explain(dialect: Dialect, sender: Sender, channel: Channel, bytes: &[u8]) -> Vec<ExplanationLine> {
    explain_with(dialect, (sender, channel), bytes, &mut WalkMemory::default())
}

/// The same with what was learned from earlier messages of the session.
pub fn explain_with(
    dialect: Dialect,
    (sender, channel): (Sender, Channel),
    bytes: &[u8],
    memory: &mut WalkMemory,
) -> Vec<ExplanationLine> {
    if channel == Channel::Datagram {
        return lines_of(&Explained::read(dialect, (sender, channel), bytes, memory));
    }
    let mut lines = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let size = match dialect.entry().fields.next_message(sender, rest) {
            Ok(Some(size)) => size,
            Ok(None) => {
                let text = format!("the beginning of a message, {} bytes", rest.len());
                lines.push(ExplanationLine { text, is_violation: false });
                break;
            }
            Err(fault) => {
                let text = format!("no message: its size is wrong {}", fault.ruling);
                lines.push(ExplanationLine { text: text.trim_end().to_owned(), is_violation: true });
                break;
            }
        };
        let (message, behind) = rest.split_at(size);
        lines.extend(lines_of(&Explained::read(dialect, (sender, channel), message, memory)));
        rest = behind;
    }
    lines
}

/// The title, and a line for each part.
fn lines_of(explained: &Explained) -> Vec<ExplanationLine> {
    let size = explained.bytes.len();
    let title = ExplanationLine { text: format!("{}, {size} bytes", explained.title()), is_violation: false };
    let mut text = Vec::new();
    push_parts(explained, &[], false, &mut text);
    let text = String::from_utf8_lossy(&text);
    let mut lines = vec![title];
    lines.extend(
        text.lines().map(|line| ExplanationLine { text: line.to_owned(), is_violation: line.starts_with(VIOLATION) }),
    );
    lines
}

/// Appends a line for each part: values, then what is wrong.
pub fn push_parts(explained: &Explained, oddities: &[Violation], has_colour: bool, out: &mut Vec<u8>) {
    let mut clause = "";
    for entry in &explained.entries {
        let indent = 2 * entry.depth;
        match &entry.part {
            Part::Case(case) => {
                clause = case.clause;
                push_right(entry.at as u64, 6, out);
                push_blanks(5 + indent, out);
                out.extend_from_slice(case.name.as_bytes());
                out.push(b'\n');
            }
            Part::Element(group, index) => {
                push_right(entry.at as u64, 6, out);
                push_blanks(5 + indent, out);
                out.extend_from_slice(group.name.as_bytes());
                out.push(b' ');
                push_number(*index as u64, out);
                out.push(b'\n');
            }
            Part::Value(told) => push_value(told, indent, clause, out),
        }
    }
    for line in &explained.opaque {
        push_blanks(11, out);
        out.extend_from_slice(line.as_bytes());
        out.push(b'\n');
    }
    for violation in explained.violations() {
        push_violation(&violation, has_colour, out);
    }
    for violation in oddities {
        push_violation(violation, has_colour, out);
    }
}

fn push_value(told: &FieldValue, indent: usize, clause: &str, out: &mut Vec<u8>) {
    let field = told.field;
    push_right(told.at as u64, 6, out);
    push_right(told.size as u64, 4, out);
    push_blanks(1 + indent, out);
    let start = out.len();
    out.extend_from_slice(field.label.as_bytes());
    pad(start, NAME_WIDTH.saturating_sub(indent), out);
    out.push(b' ');
    let start = out.len();
    push_plain(told, out);
    pad(start, VALUE_WIDTH, out);
    out.push(b' ');
    let clause = if field.clause.is_empty() { clause } else { field.clause };
    out.extend_from_slice(clause.as_bytes());
    out.push(b'\n');
}

/// Appends the value, its name and its unit.
fn push_plain(told: &FieldValue, out: &mut Vec<u8>) {
    match told.value {
        Value::Unsigned(number) => {
            push_number(number, out);
            if let Some(name) = told.field.names.of(number) {
                out.push(b' ');
                out.extend_from_slice(name.as_bytes());
            }
        }
        Value::Signed(number) => push_signed(number, out),
        // Writing into memory cannot fail.
        Value::Float(number) => drop(write!(out, "{number}")),
        Value::Text(text) => drop(write!(out, "{text:?}")),
        Value::Bytes(bytes) => push_bytes(bytes, out),
        Value::Nothing => out.extend_from_slice(b"none"),
    }
    if !told.field.unit.is_empty() {
        out.push(b' ');
        out.extend_from_slice(told.field.unit.as_bytes());
    }
}

fn push_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes.iter().take(BYTES_SHOWN_MAX) {
        drop(write!(out, "{byte:02x}"));
    }
    if bytes.len() > BYTES_SHOWN_MAX {
        drop(write!(out, "… ({} bytes)", bytes.len()));
    }
}

fn push_violation(violation: &Violation, has_colour: bool, out: &mut Vec<u8>) {
    let kind = if violation.is_malformed { "violation" } else { "odd" };
    let (red, plain) = if has_colour { ("\x1b[31m", "\x1b[0m") } else { ("", "") };
    let Violation { at, what, .. } = violation;
    drop(writeln!(out, "{red}{VIOLATION}{at:>2}     {kind}: {what}{}{plain}", bracketed(&violation.reference())));
}
