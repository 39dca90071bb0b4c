//! What happens, sent in order and reliably: each event has a number and its tick, and is sent again in later datagrams
//! until the client says which one it awaits next.

use std::collections::VecDeque;

use game::{EntityId, Event, Frame, GameState, Gone, Killer, Kind, Seat, Side, Tick};

use super::bits::{BitReader, BitWriter, Sizes};
use crate::Malformed;

/// The most events that wait to be confirmed. A client that confirms nothing while more happen loses the oldest.
pub const WAITING_MAX: usize = 2048;
/// The most events in one datagram.
const RUN_MAX: usize = 255;
/// The sizes of how far an id is from the one before.
const ID_SIZES: Sizes = [3, 6, 10, 32];

/// An event and when it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatedEvent {
    pub tick: Tick,
    pub event: Event,
}

/// The events that a client may not have yet.
#[derive(Debug, Default)]
pub struct EventSender {
    waiting: VecDeque<(DatedEvent, SentEvent)>,
    /// The number of the oldest that waits.
    first: u32,
}

/// How often an event was sent, and last in which Frame.
#[derive(Clone, Copy, Debug, Default)]
struct SentEvent {
    times: u8,
    last: u16,
}

impl EventSender {
    /// The events of a Frame happened.
    pub fn happen(&mut self, frame: &Frame) {
        for &event in &frame.events {
            if self.waiting.len() >= WAITING_MAX {
                self.waiting.pop_front();
                self.first = self.first.wrapping_add(1);
            }
            self.waiting.push_back((DatedEvent { tick: frame.tick, event }, SentEvent::default()));
        }
    }

    /// The client awaits the event with these low bits next, and has this Frame. What it should have had by then and
    /// has not is lost.
    pub fn confirm(&mut self, next: u16, frame: Option<u16>) {
        let count = usize::from(next.wrapping_sub(self.first as u16));
        if count <= self.waiting.len() {
            self.waiting.drain(..count);
            self.first = self.first.wrapping_add(count as u32);
        }
        for (_, told) in &mut self.waiting {
            let is_over = frame.is_some_and(|frame| (frame.wrapping_sub(told.last) as i16) >= 0);
            if told.times > 0 && is_over {
                told.times = 0;
            }
        }
    }

    /// Appends what is due: whatever was not told often enough, and all behind it.
    pub fn write(&mut self, writer: &mut BitWriter, at: Anchor, telling: Telling) {
        let Telling { frame, copies, room } = telling;
        let due = self.waiting.iter().position(|(_, told)| told.times < copies);
        let due = due.filter(|_| writer.length() + 80 <= room);
        writer.flag(due.is_some());
        let Some(due) = due else { return };
        writer.bits(self.first.wrapping_add(due as u32), 16);
        let mut before = DatedEvent { tick: at.tick, event: Event::Spawned { entity: at.newest } };
        for (dated, told) in self.waiting.iter_mut().skip(due).take(RUN_MAX) {
            if writer.length() + 120 > room {
                break;
            }
            writer.flag(true);
            write_dated(writer, &before, dated);
            before = *dated;
            *told = SentEvent { times: told.times.saturating_add(1), last: frame };
        }
        writer.flag(false);
    }
}

/// How events are written in a datagram.
#[derive(Clone, Copy, Debug)]
pub struct Telling {
    /// The number of its Frame.
    pub frame: u16,
    /// How often each event is sent.
    pub copies: u8,
    /// Where the datagram has to end, in bits.
    pub room: usize,
}

/// What the first event of a datagram is relative to.
#[derive(Clone, Copy, Debug)]
pub struct Anchor {
    /// The tick of the Frame that it comes with.
    pub tick: Tick,
    /// The newest id of what the Frame is relative to.
    pub newest: EntityId,
}

/// Reads the events of a datagram: the low bits of the first one's number, and all of them.
pub fn read(reader: &mut BitReader, at: Anchor) -> Result<Option<(u16, Vec<DatedEvent>)>, Malformed> {
    if !reader.flag()? {
        return Ok(None);
    }
    let first = reader.bits(16)? as u16;
    let mut events: Vec<DatedEvent> = Vec::new();
    let mut before = DatedEvent { tick: at.tick, event: Event::Spawned { entity: at.newest } };
    while reader.flag()? {
        if events.len() >= RUN_MAX {
            return Err(Malformed::BadValue);
        }
        before = read_dated(reader, &before)?;
        events.push(before);
    }
    Ok(Some((first, events)))
}

/// The tick is told by how much later it is than the one before; that of the first, by how much earlier than the Frame.
fn write_dated(writer: &mut BitWriter, before: &DatedEvent, dated: &DatedEvent) {
    let later = dated.tick.0.wrapping_sub(before.tick.0) as i32;
    writer.flag(later != 0);
    if later != 0 {
        writer.signed(later, [4, 7, 12, 32]);
    }
    write_event(writer, subject(&before.event), &dated.event);
}

fn read_dated(reader: &mut BitReader, before: &DatedEvent) -> Result<DatedEvent, Malformed> {
    let later = if reader.flag()? { reader.signed([4, 7, 12, 32])? } else { 0 };
    let tick = Tick(before.tick.0.wrapping_add(later as u32));
    Ok(DatedEvent { tick, event: read_event(reader, subject(&before.event))? })
}

/// The id that the next event's is relative to.
fn subject(event: &Event) -> EntityId {
    match *event {
        Event::Spawned { entity } | Event::Destroyed { entity, .. } => entity,
        Event::Fired { shot, .. } => shot,
        Event::Hit { target, .. } => target,
        Event::Killed { ship, .. } => ship,
        Event::Grabbed { object, .. } => object,
        Event::Dropped { force, .. } => force,
        Event::Joined { .. }
        | Event::Left { .. }
        | Event::TimedOut { .. }
        | Event::ExtraLife { .. }
        | Event::StateChanged { .. } => EntityId(0),
    }
}

fn write_id(writer: &mut BitWriter, from: EntityId, id: EntityId) {
    writer.signed(id.0.wrapping_sub(from.0) as i32, ID_SIZES);
}

fn read_id(reader: &mut BitReader, from: EntityId) -> Result<EntityId, Malformed> {
    reader.signed(ID_SIZES).map(|further| EntityId(from.0.wrapping_add(further as u32)))
}

fn write_event(writer: &mut BitWriter, from: EntityId, event: &Event) {
    match *event {
        // Mostly the next id.
        Event::Spawned { entity } => {
            let is_next = entity.0 == from.0.wrapping_add(1);
            writer.bits(0b00, 2);
            writer.flag(!is_next);
            if !is_next {
                write_id(writer, from, entity);
            }
        }
        Event::Destroyed { entity, gone } => {
            writer.bits(0b01, 2);
            write_id(writer, from, entity);
            writer.flag(gone == Gone::Departed);
        }
        Event::Hit { by, target } => {
            writer.bits(0b10, 2);
            write_id(writer, from, by);
            write_id(writer, by, target);
        }
        Event::Fired { seat, shot } => {
            writer.bits(0b110, 3);
            writer.bits(seat.number().into(), 2);
            write_id(writer, from, shot);
        }
        Event::Killed { seat, ship, by } => {
            write_rare(writer, 0, Some(seat));
            write_id(writer, from, ship);
            write_killer(writer, by);
        }
        Event::Grabbed { ship, object, side } => {
            write_rare(writer, 1, None);
            write_id(writer, from, ship);
            write_id(writer, ship, object);
            writer.bits(side.map_or(2, |side| side as u32), 2);
        }
        Event::Dropped { ship, force } => {
            write_rare(writer, 2, None);
            write_id(writer, from, ship);
            write_id(writer, ship, force);
        }
        Event::Joined { seat } => write_rare(writer, 3, Some(seat)),
        Event::Left { seat } => write_rare(writer, 4, Some(seat)),
        Event::TimedOut { seat } => write_rare(writer, 5, Some(seat)),
        Event::ExtraLife { seat } => write_rare(writer, 6, Some(seat)),
        Event::StateChanged { state } => {
            write_rare(writer, 7, None);
            writer.bits(state.number().into(), 3);
        }
    }
}

fn write_killer(writer: &mut BitWriter, by: Option<Killer>) {
    writer.flag(by.is_some());
    let Some(Killer { kind, seat }) = by else { return };
    writer.bits(kind.number().into(), 7);
    writer.flag(seat.is_some());
    if let Some(seat) = seat {
        writer.bits(seat.number().into(), 2);
    }
}

fn read_killer(reader: &mut BitReader) -> Result<Option<Killer>, Malformed> {
    if !reader.flag()? {
        return Ok(None);
    }
    let kind = Kind::from_number(reader.bits(7)? as u16).ok_or(Malformed::BadValue)?;
    let seat = if reader.flag()? { Some(read_seat(reader)?) } else { None };
    Ok(Some(Killer { kind, seat }))
}

fn write_rare(writer: &mut BitWriter, number: u32, seat: Option<Seat>) {
    writer.bits(0b111, 3);
    writer.bits(number, 3);
    if let Some(seat) = seat {
        writer.bits(seat.number().into(), 2);
    }
}

fn read_event(reader: &mut BitReader, from: EntityId) -> Result<Event, Malformed> {
    Ok(match reader.bits(2)? {
        0b00 => match reader.flag()? {
            true => Event::Spawned { entity: read_id(reader, from)? },
            false => Event::Spawned { entity: EntityId(from.0.wrapping_add(1)) },
        },
        0b01 => {
            let entity = read_id(reader, from)?;
            Event::Destroyed { entity, gone: if reader.flag()? { Gone::Departed } else { Gone::Destroyed } }
        }
        0b10 => {
            let by = read_id(reader, from)?;
            Event::Hit { by, target: read_id(reader, by)? }
        }
        _ if reader.flag()? => return read_rare(reader, from),
        _ => Event::Fired { seat: read_seat(reader)?, shot: read_id(reader, from)? },
    })
}

fn read_seat(reader: &mut BitReader) -> Result<Seat, Malformed> {
    Seat::new(reader.bits(2)? as u8).ok_or(Malformed::BadValue)
}

fn read_rare(reader: &mut BitReader, from: EntityId) -> Result<Event, Malformed> {
    Ok(match reader.bits(3)? {
        0 => {
            let (seat, ship) = (read_seat(reader)?, read_id(reader, from)?);
            Event::Killed { seat, ship, by: read_killer(reader)? }
        }
        1 => {
            let ship = read_id(reader, from)?;
            let object = read_id(reader, ship)?;
            let side = match reader.bits(2)? {
                0 => Some(Side::Front),
                1 => Some(Side::Back),
                2 => None,
                _ => return Err(Malformed::BadValue),
            };
            Event::Grabbed { ship, object, side }
        }
        2 => {
            let ship = read_id(reader, from)?;
            Event::Dropped { ship, force: read_id(reader, ship)? }
        }
        3 => Event::Joined { seat: read_seat(reader)? },
        4 => Event::Left { seat: read_seat(reader)? },
        5 => Event::TimedOut { seat: read_seat(reader)? },
        6 => Event::ExtraLife { seat: read_seat(reader)? },
        _ => {
            let state = GameState::from_number(reader.bits(3)? as u8).ok_or(Malformed::BadValue)?;
            Event::StateChanged { state }
        }
    })
}
