//! Captures: pcap and pcapng as they come from a file or a pipe, record by record, and bytes written as text.

use std::{
    io::{self, BufRead, Read},
    time::Duration,
};

use pcap_parser::{Block, Linktype, PcapBlockOwned, PcapError, PcapHeader, create_reader};
use protocol::{Channel, field_table::Sender};

use crate::UserError;

/// What is read at once; most records are far smaller.
const BUFFER_BYTES: usize = 256 << 10;
/// No record is longer: what `tcpdump` and Wireshark call the greatest snapshot length, with its head.
const RECORD_MAX_BYTES: usize = 512 << 10;
/// The most interfaces of a section that are remembered.
const INTERFACES_MAX: usize = 4096;

#[derive(Clone, Copy, Debug)]
pub struct CaptureRecord<'a> {
    /// Since 1970.
    pub time: Duration,
    pub link: Linktype,
    pub bytes: &'a [u8],
    /// Whether there was more than was captured.
    pub is_cut: bool,
}

/// A line of bytes in text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HexLine {
    pub sender: Sender,
    pub channel: Channel,
    pub bytes: Vec<u8>,
}

/// What an input is, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Capture,
    Hex,
}

/// The first bytes of pcapng, and of pcap in both byte orders, with microseconds, nanoseconds and Kuznetzov's format.
const MAGICS: [[u8; 4]; 7] = [
    [0x0a, 0x0d, 0x0d, 0x0a],
    [0xa1, 0xb2, 0xc3, 0xd4],
    [0xd4, 0xc3, 0xb2, 0xa1],
    [0xa1, 0xb2, 0x3c, 0x4d],
    [0x4d, 0x3c, 0xb2, 0xa1],
    [0xa1, 0xb2, 0xcd, 0x34],
    [0x34, 0xcd, 0xb2, 0xa1],
];

/// What an input is.
///
/// # Errors
/// If it is neither a capture nor text.
pub fn form(input: &mut impl BufRead) -> anyhow::Result<Form> {
    let start = input.fill_buf()?;
    if start.is_empty() {
        return Err(UserError("the input is empty".into()).into());
    }
    if MAGICS.iter().any(|magic| start.starts_with(magic)) {
        return Ok(Form::Capture);
    }
    let is_text =
        start.iter().take(64).all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace() || *byte > 0x7f);
    if is_text {
        return Ok(Form::Hex);
    }
    let what = "this is not a capture; expected pcap, pcapng, or text with a datagram in hexadecimal on each line";
    Err(UserError(what.into()).into())
}

/// Reads every record of a capture. What the last one lacks is an error, after all before it were handed on.
///
/// # Errors
/// What is wrong with the capture from some record on, or what `take` says.
pub fn read_capture(
    input: impl Read + Send,
    mut take: impl FnMut(CaptureRecord) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut reader = create_reader(BUFFER_BYTES, input).map_err(|error| UserError(explain(&error).into()))?;
    let mut interfaces = Interfaces::default();
    let mut capacity = BUFFER_BYTES;
    let mut stuck_at = None;
    loop {
        let consumed = reader.consumed();
        let what = match reader.next() {
            Ok((size, block)) => {
                if let Some(record) = interfaces.record(&block) {
                    take(record)?;
                }
                reader.consume(size);
                stuck_at = None;
                continue;
            }
            Err(PcapError::Eof) => return Ok(()),
            Err(PcapError::Incomplete(_)) if stuck_at != Some(consumed) => None,
            Err(PcapError::BufferTooSmall) if capacity < RECORD_MAX_BYTES => {
                capacity = RECORD_MAX_BYTES;
                Some(capacity)
            }
            Err(error) => return Err(UserError(explain(&error).into()).into()),
        };
        match what {
            Some(capacity) => drop(reader.grow(capacity)),
            None => {
                stuck_at = Some(consumed);
                reader.refill().map_err(|error| UserError(explain(&error).into()))?;
            }
        }
    }
}

fn explain<I>(error: &PcapError<I>) -> &'static str {
    match error {
        PcapError::HeaderNotRecognized => "this is not a capture: it begins neither like pcap nor like pcapng",
        PcapError::Incomplete(_) | PcapError::UnexpectedEof => "the capture ends within a record",
        PcapError::BufferTooSmall => "a record of the capture is longer than any packet",
        PcapError::ReadError => "the capture cannot be read",
        _ => "the capture is damaged from here on",
    }
}

/// How the records of each interface are to be read.
#[derive(Default)]
struct Interfaces {
    pcap: Option<PcapHeader>,
    /// Of the section: the link, the ticks of its clock in a second, and what is added to its times in seconds.
    pcapng: Vec<(Linktype, u64, i64)>,
}

impl Interfaces {
    fn record<'b>(&mut self, block: &PcapBlockOwned<'b>) -> Option<CaptureRecord<'b>> {
        match block {
            PcapBlockOwned::LegacyHeader(header) => {
                self.pcap = Some(header.clone());
                None
            }
            PcapBlockOwned::Legacy(packet) => {
                let header = self.pcap.as_ref()?;
                let parts_ns = if header.is_nanosecond_precision() { 1 } else { 1000 };
                let time = Duration::from_secs(packet.ts_sec.into())
                    + Duration::from_nanos(u64::from(packet.ts_usec) * parts_ns);
                let bytes = captured(packet.data, packet.caplen);
                Some(CaptureRecord { time, link: header.network, bytes, is_cut: packet.origlen > packet.caplen })
            }
            PcapBlockOwned::NG(Block::SectionHeader(_)) => {
                self.pcapng.clear();
                None
            }
            PcapBlockOwned::NG(Block::InterfaceDescription(interface)) => {
                if self.pcapng.len() < INTERFACES_MAX {
                    let ticks = interface.ts_resolution().filter(|ticks| *ticks > 0).unwrap_or(1_000_000);
                    self.pcapng.push((interface.linktype, ticks, interface.ts_offset()));
                }
                None
            }
            PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
                let (link, ticks, offset) = *self.pcapng.get(usize::try_from(packet.if_id).ok()?)?;
                let time = time(u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low), ticks, offset);
                let bytes = captured(packet.data, packet.caplen);
                Some(CaptureRecord { time, link, bytes, is_cut: packet.origlen > packet.caplen })
            }
            PcapBlockOwned::NG(Block::SimplePacket(packet)) => {
                let (link, ..) = *self.pcapng.first()?;
                let bytes = captured(packet.data, packet.origlen);
                Some(CaptureRecord {
                    time: Duration::ZERO,
                    link,
                    bytes,
                    is_cut: (bytes.len() as u64) < packet.origlen.into(),
                })
            }
            PcapBlockOwned::NG(_) => None,
        }
    }
}

fn captured(data: &[u8], length: u32) -> &[u8] {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    &data[..length.min(data.len())]
}

/// Since 1970, from the ticks of an interface's clock.
fn time(stamp: u64, ticks: u64, offset_s: i64) -> Duration {
    let nanos = u128::from(stamp) * 1_000_000_000 / u128::from(ticks);
    let time = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
    let offset = Duration::from_secs(offset_s.unsigned_abs());
    if offset_s < 0 { time.saturating_sub(offset) } else { time.saturating_add(offset) }
}

/// Reads lines of hexadecimal: `client` or `server` in front says who sent it (else it is the client), `stream` that it went over the
/// stream, `empty` that it has no bytes. What follows `#` is a comment.
///
/// # Errors
/// If a line is something else, or cannot be read, or what `take` says.
pub fn read_hex(input: impl BufRead, mut take: impl FnMut(HexLine) -> anyhow::Result<()>) -> anyhow::Result<()> {
    for (index, line) in input.lines().enumerate() {
        let number = index + 1;
        let line = line.map_err(|error| not_text(&error, number))?;
        if let Some(line) = hex_line(&line).map_err(|word| not_hex(&word, number))? {
            take(line)?;
        }
    }
    Ok(())
}

fn not_text(error: &io::Error, number: usize) -> UserError {
    UserError(format!("line {number} cannot be read: {error}"))
}

fn not_hex(word: &str, number: usize) -> UserError {
    let word: String = word.chars().take(40).collect();
    UserError(format!(
        "line {number}: {word:?} is not hexadecimal; a line is `client` or `server` and a datagram's bytes"
    ))
}

/// A line, or the word in it that makes it none.
fn hex_line(line: &str) -> Result<Option<HexLine>, String> {
    let mut words = line.split('#').next().unwrap_or_default().split_whitespace().peekable();
    if words.peek().is_none() {
        return Ok(None);
    }
    let sender = match words.next_if(|word| ["client", "server"].contains(word)) {
        Some("server") => Sender::Server,
        _ => Sender::Client,
    };
    let channel = if words.next_if_eq(&"stream").is_some() { Channel::Stream } else { Channel::Datagram };
    let mut digits = String::new();
    for word in words.filter(|word| *word != "empty") {
        if !word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(word.to_owned());
        }
        digits += word;
    }
    if !digits.len().is_multiple_of(2) {
        return Err(digits);
    }
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap_or_default();
    let bytes = (0..digits.len()).step_by(2).map(byte).collect();
    Ok(Some(HexLine { sender, channel, bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_text_is_who_how_and_bytes() {
        let line = |text| hex_line(text).unwrap().unwrap();
        assert_eq!(
            line("01 0203"),
            HexLine { sender: Sender::Client, channel: Channel::Datagram, bytes: vec![1, 2, 3] }
        );
        assert_eq!(
            line("server stream ff # a comment"),
            HexLine { sender: Sender::Server, channel: Channel::Stream, bytes: vec![255] }
        );
        assert_eq!(line("client empty").bytes, Vec::<u8>::new());
        assert_eq!(hex_line("  # nothing"), Ok(None));
        assert_eq!(hex_line("client 0x12"), Err("0x12".into()));
        assert_eq!(hex_line("123"), Err("123".into()));
    }

    #[test]
    fn other_input_is_refused_in_words() {
        assert!(form(&mut &b"\x00\x01\x02"[..]).is_err());
        assert!(form(&mut &b""[..]).is_err());
        assert_eq!(form(&mut &b"client 01"[..]).unwrap(), Form::Hex);
        assert_eq!(form(&mut &b"\xd4\xc3\xb2\xa1"[..]).unwrap(), Form::Capture);
    }

    #[test]
    fn times_of_any_clock_are_times() {
        assert_eq!(time(1_500_000, 1_000_000, 0), Duration::from_millis(1500));
        assert_eq!(time(3, 1, -1), Duration::from_secs(2));
        assert_eq!(time(u64::MAX, 1, i64::MIN), Duration::ZERO.max(time(u64::MAX, 1, i64::MIN)));
    }
}
