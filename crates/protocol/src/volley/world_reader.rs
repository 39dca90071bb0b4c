//! What the client's half does in a game: numbers its inputs, keeps the Frames that the server may differ from, puts
//! events in order.

use std::{collections::VecDeque, time::Duration};

use game::{Frame, Input, Seat};

use super::{
    frame_history::{FrameHistory, is_newer, later_from},
    stats::{Stats, smooth},
    wire::events::DatedEvent,
    wire::report::{Acknowledged, INPUTS_MAX, Report},
    wire::snapshot::{Shown, Snapshot, peek},
};
use crate::{Malformed, Time, lobby::Pace};

/// Inputs of which it is remembered when they were pressed: two seconds.
const PRESSES_MAX: usize = 120;
/// Events that wait to be taken; the oldest are lost.
const EVENTS_MAX: usize = 2048;

#[derive(Debug)]
pub(super) struct WorldReader {
    /// None for a watcher.
    seat: Option<Seat>,
    /// Frames before this one are another lobby's, or too old to matter.
    from: u16,
    heard: Time,
    has: Option<Acknowledged>,
    seen: FrameHistory,
    newest: Shown,
    is_new: bool,
    next_event: u16,
    events: VecDeque<DatedEvent>,
    presses: VecDeque<Press>,
    next_input: u32,
    is_report_due: bool,
    /// The newest input that a round trip was taken from.
    timed: u32,
    round_trip: Duration,
    frame_bytes: u32,
    pace: Pace,
}

#[derive(Clone, Copy, Debug)]
struct Press {
    number: u32,
    input: Input,
    at: Time,
}

impl WorldReader {
    pub fn new(now: Time, seat: Option<Seat>, from: u16, next_input: u32) -> WorldReader {
        WorldReader {
            seat,
            from,
            heard: now,
            has: None,
            seen: FrameHistory::default(),
            newest: Shown::default(),
            is_new: false,
            next_event: 0,
            events: VecDeque::new(),
            presses: VecDeque::new(),
            next_input,
            is_report_due: false,
            timed: next_input.wrapping_sub(1),
            round_trip: Duration::ZERO,
            frame_bytes: 0,
            pace: Pace::Full,
        }
    }

    // ---- What comes ----

    pub fn receive(&mut self, now: Time, bytes: &[u8]) -> Result<(), Malformed> {
        let (number, distance) = peek(bytes)?;
        let is_late = is_newer(self.from, number) || self.has.is_some_and(|has| !is_newer(number, has.newest));
        let nothing = Shown::default();
        let base = match distance {
            0 => Some(&nothing),
            _ => self.seen.get(number.wrapping_sub(distance)),
        };
        // A late one would show the past. One that differs from a Frame that we have not is of no use.
        let Some(base) = base.filter(|_| !is_late) else { return Ok(()) };
        let snapshot = Snapshot::read(bytes, base)?;
        self.frame_bytes = bytes.len() as u32;
        self.heard = now;
        self.take(now, snapshot);
        Ok(())
    }

    fn take(&mut self, now: Time, snapshot: Snapshot) {
        let Snapshot { number, distance, shown, events } = snapshot;
        let earlier = self.has.map_or(0, |has| {
            let gap = u32::from(number.wrapping_sub(has.newest));
            let before = u64::from(has.earlier) << 1 | 1;
            before.checked_shl(gap - 1).unwrap_or(0) as u32
        });
        self.has = Some(Acknowledged { newest: number, earlier });
        self.from = later_from(self.from, number);
        if distance > 0 {
            self.seen.forget_before(number.wrapping_sub(distance));
        }
        self.seen.push(number, shown.clone());
        self.newest = shown;
        self.is_new = true;
        if let Some((first, events)) = events {
            self.take_told(first, &events);
        }
        if self.pace != Pace::Paused {
            self.time(now);
        }
    }

    /// Those that are known are passed over. If one before them is missing, all come again.
    fn take_told(&mut self, first: u16, events: &[DatedEvent]) {
        let known = self.next_event.wrapping_sub(first);
        if (known as i16) < 0 {
            return;
        }
        for &dated in events.iter().skip(known.into()) {
            self.next_event = self.next_event.wrapping_add(1);
            if self.events.len() >= EVENTS_MAX {
                self.events.pop_front();
            }
            self.events.push_back(dated);
        }
    }

    /// The newest input that the server had tells how long the way there and back is.
    fn time(&mut self, now: Time) {
        let had = self.input_ack().wrapping_add(self.inputs_waiting().max(0) as u32);
        if had.wrapping_sub(self.timed) as i32 <= 0 {
            return;
        }
        if let Some(press) = self.presses.iter().find(|press| press.number == had) {
            self.round_trip = smooth(self.round_trip, now.since(press.at));
            self.timed = had;
        }
    }

    // ---- What goes ----

    pub fn press(&mut self, now: Time, input: Input) {
        self.is_report_due = true;
        if self.seat.is_none() {
            return;
        }
        if self.presses.len() >= PRESSES_MAX {
            self.presses.pop_front();
        }
        self.presses.push_back(Press { number: self.next_input, input, at: now });
        self.next_input = self.next_input.wrapping_add(1);
    }

    /// A report is due, but there is no new input.
    pub fn rest(&mut self) {
        self.is_report_due = true;
    }

    /// An input that waited for time to pass again says nothing of how long the way is.
    pub fn set_pace(&mut self, pace: Pace) {
        self.pace = pace;
        self.timed = self.next_input.wrapping_sub(1);
    }

    /// Appends the report that is due, if one is.
    pub fn write(&mut self, buffer: &mut Vec<u8>) -> bool {
        if !std::mem::take(&mut self.is_report_due) {
            return false;
        }
        let done = self.newest.inputs.map(|_| self.input_ack());
        let is_open = |press: &&Press| done.is_none_or(|done| (press.number.wrapping_sub(done) as i32) > 0);
        let open = self.presses.iter().filter(is_open).map(|press| press.input);
        let inputs: Vec<Input> = open.collect();
        let inputs = inputs[inputs.len().saturating_sub(INPUTS_MAX)..].to_vec();
        let newest_input = self.next_input.wrapping_sub(1) as u16;
        Report { frames: self.has, next_event: self.next_event, newest_input, inputs }.write(buffer);
        true
    }

    // ---- What is known ----

    pub fn take_frame(&mut self, frame: &mut Frame) -> bool {
        if !std::mem::take(&mut self.is_new) {
            return false;
        }
        self.newest.view.show(frame);
        frame.events.clear();
        frame.events.extend(self.events.drain(..).map(|dated| dated.event));
        true
    }

    pub fn take_events(&mut self, events: &mut Vec<DatedEvent>) {
        events.extend(self.events.drain(..));
    }

    pub fn seat(&self) -> Option<Seat> {
        self.seat
    }

    pub fn has_frame(&self) -> bool {
        self.has.is_some()
    }

    pub fn heard(&self) -> Time {
        self.heard
    }

    pub fn input_ack(&self) -> u32 {
        let last = self.next_input.wrapping_sub(1);
        let behind = self.newest.inputs.map_or(last as u16, |inputs| (last as u16).wrapping_sub(inputs.applied));
        last.wrapping_sub(behind.into())
    }

    pub fn next_input(&self) -> u32 {
        self.next_input
    }

    pub fn inputs_waiting(&self) -> i8 {
        self.newest.inputs.map_or(0, |inputs| inputs.waiting)
    }

    pub fn stats(&self) -> Stats {
        let told = self.has.map_or(0, |has| u32::from(has.newest.wrapping_sub(self.from)).min(32));
        let came = self.has.map_or(0, |has| (has.earlier & ((1_u64 << told) - 1) as u32).count_ones());
        let loss_percent = ((told - came) * 100).checked_div(told).unwrap_or(0) as u8;
        Stats { round_trip: self.round_trip, loss_percent, frame_bytes: self.frame_bytes, ..Stats::default() }
    }
}
