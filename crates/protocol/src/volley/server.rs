//! The server's half of a session: a link that chooses its lobby over the stream and plays in datagrams.
//!
//! `lobby_messages.rs` is what it does outside the game. In a game, each tick sends the Frame as a difference from the newest
//! one that the client says it has; what really was sent is kept until then.

use std::{collections::VecDeque, time::Duration};

use game::{Input, Seat, Tick};

use super::{
    chat::Chat,
    frame_history::{FrameHistory, is_newer, later_from},
    keys::InputQueue,
    shared::{SharedState, is_news},
    stream_reader::StreamReader,
    wire::control::{FROM_CLIENT_MAX_BYTES, FromServer},
    wire::events::EventSender,
    wire::report::{Acknowledged, INPUTS_MAX, Report},
    wire::snapshot::{DISTANCE_MAX, Inputs, Writing},
};
use crate::{
    Channel, End, LinkSession, Malformed, Output, Received, Request, Scene, ServerSession, Status, Time,
    lobby::{LobbyNotice, LobbyRequest, Pace},
};

/// How long a client may send nothing before it is gone; one in a game must send datagrams.
pub const SILENCE_MAX: Duration = Duration::from_secs(10);
/// A game that stood still goes on with at least this many inputs in hand, so that an uneven way does not starve it.
const IN_HAND_MIN: usize = 3;

/// One client.
#[derive(Debug)]
pub struct Server {
    pub(super) heard: Time,
    stream_reader: StreamReader,
    /// What goes down the stream next.
    pub(super) stream_out: Vec<u8>,
    pub(super) requests: VecDeque<LobbyRequest>,
    pub(super) chat: Chat,
    pub(super) is_greeted: bool,
    /// The number of the datagram that was sent last.
    number: u16,
    /// What was heard last, kept for its memory.
    report: Report,
    pub(super) state: State,
    /// The stream is to be closed, or was.
    closing: Closing,
}

#[derive(Debug)]
pub(super) enum State {
    NoLobby,
    InLobby(Box<Membership>),
    Ended(End),
}

#[derive(Debug, PartialEq, Eq)]
enum Closing {
    No,
    Due,
    Done,
}

#[derive(Debug)]
pub(super) struct Membership {
    /// None for a watcher.
    seat: Option<Seat>,
    reported: Time,
    queue: InputQueue,
    /// That of the newest Frame.
    tick: Tick,
    events: EventSender,
    sent: FrameHistory,
    /// Frames before this one are another lobby's, or too old to matter.
    from: u16,
    /// The newest Frame that the client has.
    has: Option<u16>,
    /// How often each event is sent: more often if Frames are lost.
    copies: u8,
    /// The datagram that goes next; empty if none is due.
    datagram: Vec<u8>,
    pace: Pace,
    /// The game stood still, and goes on with this many inputs in hand.
    awaits: Option<usize>,
}

impl Server {
    /// A link that was just opened.
    pub fn new(now: Time) -> Server {
        Server {
            heard: now,
            stream_reader: StreamReader::new(FROM_CLIENT_MAX_BYTES),
            stream_out: Vec::new(),
            requests: VecDeque::new(),
            chat: Chat::new(now),
            is_greeted: false,
            number: 0,
            report: Report::default(),
            state: State::NoLobby,
            closing: Closing::No,
        }
    }

    /// How many inputs wait for their tick; negative: for how many ticks there was none.
    pub fn inputs_waiting(&self) -> i8 {
        match &self.state {
            State::InLobby(play) => play.queue.waiting(),
            State::NoLobby | State::Ended(_) => 0,
        }
    }

    pub(super) fn say(&mut self, message: &FromServer) {
        message.write(&mut self.stream_out);
    }

    /// Enters a lobby, and returns the number of its first Frame.
    pub(super) fn enter(&mut self, now: Time, seat: Option<Seat>) -> u16 {
        let from = self.number.wrapping_add(1);
        self.state = State::InLobby(Box::new(Membership {
            seat,
            reported: now,
            queue: InputQueue::default(),
            tick: Tick::default(),
            events: EventSender::default(),
            sent: FrameHistory::default(),
            from,
            has: None,
            copies: 1,
            datagram: Vec::new(),
            pace: Pace::Full,
            awaits: None,
        }));
        from
    }

    pub(super) fn set_pace(&mut self, pace: Pace) {
        if let State::InLobby(play) = &mut self.state {
            let before = std::mem::replace(&mut play.pace, pace);
            let goes_on = before == Pace::Paused && pace != Pace::Paused && play.seat.is_some();
            // The client has stopped as well: what it says next arrives a round trip from now.
            play.awaits = goes_on.then(|| IN_HAND_MIN.max(play.queue.length() + 1));
        }
    }

    fn receive_stream(&mut self, now: Time, bytes: &[u8]) -> Result<(), Malformed> {
        if bytes.is_empty() {
            // Lost without a goodbye: its seat may be kept.
            self.state = State::Ended(End::Unreachable);
            self.closing = Closing::Done;
            return Ok(());
        }
        let mut messages: Vec<Vec<u8>> = Vec::new();
        let framing = self.stream_reader.receive(bytes, |message| messages.push(message.to_vec()));
        let mut result = Ok(());
        for message in messages {
            result = result.and(self.take_message(now, &message));
        }
        if framing.is_err() {
            self.end(now, End::Closed);
        }
        result.and(framing)
    }

    fn take_datagram(&mut self, buffer: &mut Vec<u8>) -> Option<Output> {
        let State::InLobby(play) = &mut self.state else { return None };
        buffer.append(&mut play.datagram);
        (!buffer.is_empty()).then_some(Output::Datagram)
    }

    fn receive_datagram(&mut self, now: Time, bytes: &[u8]) -> Result<(), Malformed> {
        self.report.read_again(bytes)?;
        self.heard = now;
        if let State::InLobby(play) = &mut self.state {
            play.receive(now, self.number, &self.report);
        }
        Ok(())
    }
}

impl Membership {
    fn receive(&mut self, now: Time, last_sent: u16, report: &Report) {
        self.reported = now;
        if report.frames.is_some_and(|frames| is_newer(self.from, frames.newest)) {
            // It was on its way when the player entered this lobby: its inputs have other numbers.
            return;
        }
        if let Some(frames) = report.frames.filter(|frames| !is_newer(frames.newest, last_sent)) {
            self.confirm(frames, report.next_event);
        }
        self.take_inputs(report);
    }

    fn confirm(&mut self, frames: Acknowledged, next_event: u16) {
        if self.has.is_none_or(|has| is_newer(frames.newest, has)) && self.sent.get(frames.newest).is_some() {
            self.has = Some(frames.newest);
            self.sent.forget_before(frames.newest);
        }
        self.events.confirm(next_event, Some(frames.newest));
        let told = u32::from(frames.newest.wrapping_sub(self.from)).min(32);
        let lost = told - (frames.earlier & ((1_u64 << told) - 1) as u32).count_ones();
        self.from = later_from(self.from, frames.newest);
        self.copies = match lost {
            0 => 1,
            1..4 => 2,
            _ => 3,
        };
    }

    fn take_inputs(&mut self, report: &Report) {
        if self.seat.is_none() || report.inputs.is_empty() {
            return;
        }
        let newest = self.queue.widen(report.newest_input);
        // Of a player who has just come, only the newest input counts.
        let count = if self.queue.has_begun() { report.inputs.len().min(INPUTS_MAX) } else { 1 };
        for (age, input) in report.inputs.iter().rev().take(count).enumerate().rev() {
            self.queue.push(newest.wrapping_sub(age as u32), *input);
        }
    }

    fn see(&mut self, number: u16, scene: &Scene) {
        if is_news(self.tick, scene.frame.tick) {
            self.tick = scene.frame.tick;
            self.events.happen(&scene.frame);
        }
        scene.shared(|shared: &mut SharedState| {
            shared.see(scene.updates(), &scene.frame);
            self.write(number, shared);
        });
    }

    fn write(&mut self, number: u16, shared: &mut SharedState) {
        let inputs = self.seat.map(|_| Inputs { applied: self.queue.applied() as u16, waiting: self.queue.waiting() });
        let base =
            self.has.map(|has| (number.wrapping_sub(has), has)).filter(|(distance, _)| *distance <= DISTANCE_MAX);
        let base = base.and_then(|(distance, has)| Some((distance, self.sent.get(has)?)));
        let writing = Writing { number, base, target: shared.server_view.view(), inputs, copies: self.copies };
        self.datagram.clear();
        let shown = writing.write(&mut shared.baselines, &mut self.events, &mut self.datagram);
        self.sent.push(number, shown);
    }
}

impl ServerSession for Server {
    fn receive(&mut self, now: Time, channel: Channel, bytes: &[u8]) -> Result<Received, Malformed> {
        if let State::Ended(_) = self.state {
            return Ok(None);
        }
        match channel {
            Channel::Stream => self.receive_stream(now, bytes)?,
            Channel::Datagram => self.receive_datagram(now, bytes)?,
        }
        Ok(None)
    }

    fn advance(&mut self, now: Time) {
        let since = match &self.state {
            State::NoLobby => self.heard,
            State::InLobby(play) => play.reported,
            State::Ended(_) => return,
        };
        if now.since(since) >= SILENCE_MAX {
            self.end(now, End::TimedOut);
        }
    }

    fn forgive(&mut self, lost: Duration) {
        self.heard = self.heard + lost;
        if let State::InLobby(play) = &mut self.state {
            play.reported = play.reported + lost;
        }
    }

    fn publish(&mut self, _now: Time, scene: &Scene) {
        if let State::InLobby(play) = &mut self.state {
            self.number = self.number.wrapping_add(1);
            play.see(self.number, scene);
        }
    }

    fn poll(&mut self, _now: Time, buffer: &mut Vec<u8>) -> Option<Output> {
        buffer.clear();
        if !self.stream_out.is_empty() {
            std::mem::swap(buffer, &mut self.stream_out);
            return Some(Output::Stream);
        }
        if self.closing == Closing::Due {
            self.closing = Closing::Done;
            return Some(Output::CloseStream);
        }
        self.take_datagram(buffer)
    }

    fn input(&mut self, _now: Time) -> Input {
        match &mut self.state {
            State::InLobby(play) if play.seat.is_some() => {
                play.awaits = None;
                play.queue.take()
            }
            _ => Input::IDLE,
        }
    }

    fn request(&mut self) -> Option<Request> {
        None
    }

    fn status(&self) -> Status {
        match self.state {
            State::NoLobby => Status::Opening,
            State::InLobby(_) => Status::Playing,
            State::Ended(why) => Status::Ended(why),
        }
    }

    /// The transport proves addresses.
    fn is_proved(&self) -> bool {
        true
    }

    fn end(&mut self, _now: Time, why: End) {
        if let State::Ended(_) = self.state {
            return;
        }
        // This is how a client tells a closed lobby from a kick.
        if why == End::LobbyClosed {
            self.say(&FromServer::LeftLobby);
        }
        self.say(if why == End::Restarting { &FromServer::Restarting } else { &FromServer::Goodbye });
        self.state = State::Ended(why);
        self.closing = Closing::Due;
    }
}

impl LinkSession for Server {
    fn lobby_request(&mut self) -> Option<LobbyRequest> {
        self.requests.pop_front()
    }

    fn notify(&mut self, now: Time, notice: &LobbyNotice) {
        self.pass_on(now, notice);
    }

    fn can_resume(&self) -> bool {
        match &self.state {
            State::InLobby(play) => play.awaits.is_none_or(|awaited| play.queue.length() >= awaited),
            State::NoLobby | State::Ended(_) => true,
        }
    }
}
