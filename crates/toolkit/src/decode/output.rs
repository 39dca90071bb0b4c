//! How what was decoded is printed: as text for people, with colours on a terminal, or as lines of JSON for programs.

use std::{
    io::{self, Write},
    net::SocketAddr,
    time::Duration,
};

use protocol::{
    Channel,
    field_table::{FieldValue, Value},
};

use super::{
    explained::{Explained, Violation},
    filter::Filter,
    lines::push_parts,
    summary::Summary,
};

/// What is known of a datagram or a message beside its bytes.
#[derive(Clone, Debug)]
pub struct About {
    /// The record of the capture, or the line, counted from 1.
    pub number: u64,
    /// Since the first record.
    pub time: Duration,
    pub from: SocketAddr,
    pub to: SocketAddr,
    /// The session, counted from 1.
    pub session: usize,
    /// The lobby's code, where the dialect says it.
    pub lobby: Option<String>,
    /// What only the session shows to be wrong.
    pub oddities: Vec<Violation>,
    /// Whether there was more than was captured.
    pub is_cut: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Text { has_colour: bool },
    Json,
}

/// Where explanations go.
pub struct ExplanationOutput<W> {
    pub out: W,
    form: Form,
    filter: Option<Filter>,
    buffer: Vec<u8>,
}

/// What is gathered before it is handed to the system.
const BUFFER_BYTES: usize = 64 << 10;

impl<W: Write> ExplanationOutput<W> {
    pub fn new(out: W, form: Form, filter: Option<Filter>) -> ExplanationOutput<W> {
        ExplanationOutput { out, form, filter, buffer: Vec::with_capacity(2 * BUFFER_BYTES) }
    }

    /// Prints a datagram or a message, if the filter lets it pass.
    pub fn explain(&mut self, about: &About, explained: &Explained) -> io::Result<()> {
        if self.filter.as_ref().is_some_and(|filter| !filter.fits(about, explained)) {
            return Ok(());
        }
        match self.form {
            Form::Text { has_colour } => write_text(about, explained, has_colour, &mut self.buffer)?,
            Form::Json => write_json(about, explained, &mut self.buffer)?,
        }
        if self.buffer.len() >= BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    /// Prints a remark about the capture.
    pub fn remark(&mut self, number: u64, text: &str) -> io::Result<()> {
        match self.form {
            Form::Text { has_colour: true } => writeln!(self.buffer, "\x1b[33m#{number}  {text}\x1b[0m\n"),
            Form::Text { has_colour: false } => writeln!(self.buffer, "#{number}  {text}\n"),
            Form::Json => {
                write!(self.buffer, "{{\"number\":{number},\"remark\":")?;
                write_string(text, &mut self.buffer)?;
                writeln!(self.buffer, "}}")
            }
        }
    }

    /// Prints the last words.
    pub fn conclude(&mut self, summary: &Summary) -> io::Result<()> {
        match self.form {
            Form::Text { .. } => write!(self.buffer, "{summary}")?,
            Form::Json => writeln!(self.buffer, "{}", summary.to_json())?,
        }
        self.flush()?;
        self.out.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

fn write_text(about: &About, explained: &Explained, has_colour: bool, out: &mut Vec<u8>) -> io::Result<()> {
    let (bold, plain) = if has_colour { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let (sender, dialect) = (explained.sender.name(), explained.dialect.name());
    let About { number, session, from, to, .. } = about;
    write!(out, "{bold}#{number}  {:.6} s  {dialect}  session {session}", about.time.as_secs_f64())?;
    if let Some(lobby) = &about.lobby {
        write!(out, "  lobby {lobby}")?;
    }
    let channel = if explained.channel == Channel::Stream { ", stream" } else { "" };
    let (title, size) = (explained.title(), explained.bytes.len());
    writeln!(out, "  {sender} {from} → {to}  {title}, {size} bytes{channel}{plain}")?;
    push_parts(explained, &about.oddities, has_colour, out);
    if about.is_cut {
        writeln!(out, "           the capture has only the beginning of this packet")?;
    }
    writeln!(out)
}

fn write_json(about: &About, explained: &Explained, out: &mut impl Write) -> io::Result<()> {
    let About { number, session, from, to, .. } = about;
    let channel = if explained.channel == Channel::Stream { "stream" } else { "datagram" };
    let (dialect, sender) = (explained.dialect.name(), explained.sender.name());
    write!(out, "{{\"number\":{number},\"time\":{:.6},\"dialect\":\"{dialect}\"", about.time.as_secs_f64())?;
    write!(out, ",\"sender\":\"{sender}\",\"from\":\"{from}\",\"to\":\"{to}\",\"channel\":\"{channel}\"")?;
    write!(out, ",\"session\":{session},\"lobby\":")?;
    match &about.lobby {
        Some(lobby) => write_string(lobby, out)?,
        None => write!(out, "null")?,
    }
    write!(out, ",\"message\":")?;
    write_string(&explained.title(), out)?;
    write!(out, ",\"bytes\":{},\"is_cut\":{},\"fields\":[", explained.bytes.len(), about.is_cut)?;
    for (index, told) in explained.values().enumerate() {
        write_comma(index, out)?;
        write_field(dialect, told, out)?;
    }
    write!(out, "],\"beyond\":[")?;
    for (index, line) in explained.opaque.iter().enumerate() {
        write_comma(index, out)?;
        write_string(line, out)?;
    }
    write!(out, "],\"violations\":[")?;
    for (index, violation) in explained.violations().chain(about.oddities.iter().cloned()).enumerate() {
        write_comma(index, out)?;
        write_violation(&violation, out)?;
    }
    writeln!(out, "]}}")
}

fn write_comma(index: usize, out: &mut impl Write) -> io::Result<()> {
    if index == 0 { Ok(()) } else { write!(out, ",") }
}

fn write_field(dialect: &str, told: &FieldValue, out: &mut impl Write) -> io::Result<()> {
    let field = told.field;
    write!(out, "{{\"name\":\"rtype.{dialect}.{}\",\"at\":{},\"size\":{},\"value\":", field.name, told.at, told.size)?;
    match told.value {
        Value::Unsigned(number) => write!(out, "{number}")?,
        Value::Signed(number) => write!(out, "{number}")?,
        // JSON has neither infinities nor NaN.
        Value::Float(number) if number.is_finite() => write!(out, "{number}")?,
        Value::Float(number) => write!(out, "\"{number}\"")?,
        Value::Text(text) => write_string(text, out)?,
        Value::Bytes(bytes) => {
            write!(out, "\"")?;
            bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))?;
            write!(out, "\"")?;
        }
        Value::Nothing => write!(out, "null")?,
    }
    if let Value::Unsigned(number) = told.value
        && let Some(name) = field.names.of(number)
    {
        write!(out, ",\"meaning\":\"{name}\"")?;
    }
    if !field.unit.is_empty() {
        write!(out, ",\"unit\":\"{}\"", field.unit)?;
    }
    if !field.clause.is_empty() {
        write!(out, ",\"clause\":")?;
        write_string(field.clause, out)?;
    }
    write!(out, "}}")
}

fn write_violation(violation: &Violation, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{{\"at\":{},\"what\":", violation.at)?;
    write_string(&violation.what, out)?;
    write!(out, ",\"ruling\":\"{}\",\"clause\":", violation.ruling)?;
    write_string(violation.clause, out)?;
    write!(out, ",\"is_malformed\":{}}}", violation.is_malformed)
}

fn write_string(text: &str, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(out, text).map_err(io::Error::from)
}

#[cfg(test)]
impl About {
    pub(super) fn example() -> About {
        let address = ([127, 0, 0, 1], 0).into();
        let time = Duration::ZERO;
        About {
            number: 1,
            time,
            from: address,
            to: address,
            session: 1,
            lobby: None,
            oddities: Vec::new(),
            is_cut: false,
        }
    }
}
