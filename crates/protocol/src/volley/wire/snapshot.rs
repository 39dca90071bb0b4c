//! A server's datagram: one Frame as a difference from one that the client has, and the events that are due.
//!
//! ```text
//! 2   kind, 0
//! 16  number, one more with each datagram, wrapping
//! 6   how many numbers ago the Frame was that it differs from; 0: from nothing
//! 1+  tick: 0 if as many after that Frame's as the numbers differ, else 1 and 32 bits
//! 1+  inputs: 0 for a watcher, else 1, 1 bit and perhaps 16 for the newest carried out, 4 for how many wait
//! …   the difference, then the events
//! ```

use std::sync::Arc;

use game::EntityId;

use super::{
    super::baselines::Baselines,
    bits::{BitReader, BitWriter},
    delta,
    events::{self, Anchor, DatedEvent, EventSender, Telling},
    view::WorldView,
};
use crate::Malformed;

/// No datagram is longer.
pub const DATAGRAM_MAX_BYTES: usize = 1_200;
/// Bits of a datagram that events never take.
const KEPT_FOR_THINGS: usize = DATAGRAM_MAX_BYTES * 8 * 3 / 4;
/// The most bits in front of the difference.
const HEADER_MAX_BITS: usize = 2 + 16 + 6 + 33 + 22;
/// A Frame further back than this is nothing to differ from.
pub const DISTANCE_MAX: u16 = 63;

/// What a client is shown, and what it may differ from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    pub view: Arc<WorldView>,
    /// How far the player's inputs are carried out in it; none for a watcher.
    pub inputs: Option<Inputs>,
}

/// How far a player's inputs are carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// The low bits of the number of the newest one that is.
    pub applied: u16,
    /// How many wait; negative: for how many ticks there was none.
    pub waiting: i8,
}

/// What a datagram says, once it is known what it differs from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub number: u16,
    /// How many numbers ago the Frame was that it differs from; 0: from nothing.
    pub distance: u16,
    pub shown: Shown,
    /// The number of the first event, low bits, and the events.
    pub events: Option<(u16, Vec<DatedEvent>)>,
}

/// What is written into a datagram.
pub struct Writing<'a> {
    pub number: u16,
    /// What it differs from, and how many numbers ago that was.
    pub base: Option<(u16, &'a Shown)>,
    /// What the client should see.
    pub target: &'a WorldView,
    /// How far its inputs are carried out.
    pub inputs: Option<Inputs>,
    /// How often each event is sent.
    pub copies: u8,
}

impl Writing<'_> {
    /// Appends the datagram, and returns what the client will have.
    pub fn write(&self, baselines: &mut Baselines, events: &mut EventSender, out: &mut Vec<u8>) -> Shown {
        let mut writer = BitWriter::new(out);
        self.write_header(&mut writer);
        let base = self.base.map(|(distance, base)| (distance, &base.view));
        let (difference, view) = baselines.tell(base, self.target, KEPT_FOR_THINGS - HEADER_MAX_BITS);
        writer.append(difference.bytes, difference.length);
        let newest = base.map_or(EntityId(0), |(_, view)| delta::newest(view));
        let anchor = Anchor { tick: self.target.head.tick, newest };
        let room = DATAGRAM_MAX_BYTES * 8;
        events.write(&mut writer, anchor, Telling { frame: self.number, copies: self.copies, room });
        Shown { view, inputs: self.inputs }
    }

    fn write_header(&self, writer: &mut BitWriter) {
        let distance = self.base.map_or(0, |(distance, _)| distance);
        writer.bits(0, 2);
        writer.bits(self.number.into(), 16);
        writer.bits(distance.into(), 6);
        let tick = self.target.head.tick.0;
        let expected = self.base.map_or(0, |(_, base)| base.view.head.tick.0.wrapping_add(distance.into()));
        writer.flag(tick != expected);
        if tick != expected {
            writer.bits(tick, 32);
        }
        write_inputs(writer, distance, self.base.and_then(|(_, base)| base.inputs), self.inputs);
    }
}

/// The number of a datagram, and how many numbers ago the Frame was that it differs from.
pub fn peek(bytes: &[u8]) -> Result<(u16, u16), Malformed> {
    let mut reader = BitReader::new(bytes);
    read_start(&mut reader)
}

fn read_start(reader: &mut BitReader) -> Result<(u16, u16), Malformed> {
    match reader.bits(2)? {
        0 => Ok((reader.bits(16)? as u16, reader.bits(6)? as u16)),
        _ => Err(Malformed::UnknownType),
    }
}

impl Snapshot {
    /// Reads a datagram that differs from this, which must be what [`peek`] asks for.
    pub fn read(bytes: &[u8], base: &Shown) -> Result<Snapshot, Malformed> {
        let mut reader = BitReader::new(bytes);
        let (number, distance) = read_start(&mut reader)?;
        let mut predicted = base.view.advance(distance.into());
        if reader.flag()? {
            predicted.head.tick.0 = reader.bits(32)?;
        }
        let inputs = read_inputs(&mut reader, distance, base.inputs)?;
        let view = delta::read(&base.view, &predicted, &mut reader)?;
        let anchor = Anchor { tick: view.head.tick, newest: delta::newest(&base.view) };
        let events = events::read(&mut reader, anchor)?;
        reader.finish()?;
        Ok(Snapshot { number, distance, shown: Shown { view: view.into(), inputs }, events })
    }
}

fn write_inputs(writer: &mut BitWriter, distance: u16, before: Option<Inputs>, now: Option<Inputs>) {
    writer.flag(now.is_some());
    let Some(now) = now else { return };
    let expected = before.unwrap_or_default().applied.wrapping_add(distance);
    writer.flag(now.applied != expected);
    if now.applied != expected {
        writer.bits(now.applied.into(), 16);
    }
    writer.bits(now.waiting as u32, 4);
}

fn read_inputs(reader: &mut BitReader, distance: u16, before: Option<Inputs>) -> Result<Option<Inputs>, Malformed> {
    if !reader.flag()? {
        return Ok(None);
    }
    let expected = before.unwrap_or_default().applied.wrapping_add(distance);
    let applied = if reader.flag()? { reader.bits(16)? as u16 } else { expected };
    let waiting = (reader.bits(4)? << 4) as u8 as i8 >> 4;
    Ok(Some(Inputs { applied, waiting }))
}
