//! What a client says in a datagram, 60 times a second: which Frames and events it has, and its latest inputs, each said
//! again until a Frame shows that it was carried out.

use game::{Buttons, Input};

use super::bits::{BitReader, BitWriter};
use crate::Malformed;

/// The most inputs in one report: half a second.
pub const INPUTS_MAX: usize = 31;
/// The two bits that a report begins with.
const KIND: u32 = 1;
/// Bits of a set of buttons.
const BUTTON_BITS: u32 = 7;

/// One datagram of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The Frames that it has.
    pub frames: Option<Acknowledged>,
    /// The low bits of the number of the next event that it awaits.
    pub next_event: u16,
    /// The low bits of the number of the newest input.
    pub newest_input: u16,
    /// Its latest inputs, the newest last; their numbers are consecutive.
    pub inputs: Vec<Input>,
}

/// Which Frames a client has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// The number of the newest.
    pub newest: u16,
    /// The 32 before it, the nearest in the lowest bit.
    pub earlier: u32,
}

impl Report {
    /// Reads a datagram.
    pub fn read(bytes: &[u8]) -> Result<Report, Malformed> {
        let mut report = Report::default();
        report.read_again(bytes).map(|()| report)
    }

    /// As [`Report::read`], into one whose memory is used again. After an error what it holds means nothing.
    pub fn read_again(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        let mut reader = BitReader::new(bytes);
        if reader.bits(2)? != KIND {
            return Err(Malformed::UnknownType);
        }
        self.frames = match reader.flag()? {
            true => Some(Acknowledged { newest: reader.bits(16)? as u16, earlier: reader.bits(32)? }),
            false => None,
        };
        (self.next_event, self.newest_input) = (reader.bits(16)? as u16, reader.bits(16)? as u16);
        let count = reader.bits(5)?;
        self.inputs.clear();
        for _ in 0..count {
            let before = self.inputs.last().copied().unwrap_or_default();
            self.inputs.push(read_input(&mut reader, before)?);
        }
        reader.finish()
    }

    /// Appends the datagram.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut writer = BitWriter::new(out);
        writer.bits(KIND, 2);
        writer.flag(self.frames.is_some());
        if let Some(Acknowledged { newest, earlier }) = self.frames {
            writer.bits(newest.into(), 16);
            writer.bits(earlier, 32);
        }
        writer.bits(self.next_event.into(), 16);
        writer.bits(self.newest_input.into(), 16);
        let left_out = self.inputs.len().saturating_sub(INPUTS_MAX);
        writer.bits((self.inputs.len() - left_out) as u32, 5);
        let mut before = Input::IDLE;
        for &input in &self.inputs[left_out..] {
            write_input(&mut writer, before, input);
            before = input;
        }
    }
}

/// One bit for a player who goes on doing the same.
fn write_input(writer: &mut BitWriter, before: Input, input: Input) {
    let is_other = input != before.without_presses();
    writer.flag(is_other);
    if is_other {
        writer.bits(input.held.bits().into(), BUTTON_BITS);
        writer.flag(input.pressed != Buttons::NONE);
        if input.pressed != Buttons::NONE {
            writer.bits(input.pressed.bits().into(), BUTTON_BITS);
        }
    }
}

/// There is one way to say each input: another is refused.
fn read_input(reader: &mut BitReader, before: Input) -> Result<Input, Malformed> {
    if !reader.flag()? {
        return Ok(before.without_presses());
    }
    let held = Buttons::from_bits(reader.bits(BUTTON_BITS)? as u8);
    let has_pressed = reader.flag()?;
    let pressed = if has_pressed { reader.bits(BUTTON_BITS)? } else { 0 };
    let input = Input { held, pressed: Buttons::from_bits(pressed as u8) };
    let is_canonical = input != before.without_presses() && has_pressed == (pressed != 0);
    if is_canonical { Ok(input) } else { Err(Malformed::BadValue) }
}
