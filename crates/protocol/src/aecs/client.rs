//! The client's half of an `aecs` session: the whole state over TCP, then PING, GAME_INPUT and CLIENT_PONG in
//! datagrams.
//!
//! Its driver opens a TCP connection, binds its UDP socket to the same local port (ruling A2), and passes on the end
//! of the stream as a `receive` of no bytes. Datagrams may have up to 65,507 bytes.

use std::time::Duration;

use game::{Frame, Input, Seat};

use super::{
    change_queue::ChangeQueue,
    keys::ClientKeys,
    wire::{self, Changes, FromClient, FromServer, GameState, PACKET_MAX_BYTES},
    world_reader::WorldReader,
};
use crate::{Channel, ClientSession, End, Malformed, Output, Plan, Status, Time};

/// Changes are shown this long after they came (step 5, ruling A7), unless the player chose otherwise.
pub const QUEUE_DELAY: Duration = Duration::from_millis(30);

/// The longest that they may wait: what is shown later than this cannot be played.
pub const QUEUE_DELAY_MAX: Duration = Duration::from_millis(200);

/// PING is repeated at this interval until the first GAME_CHANGES comes.
pub const PING_AGAIN: Duration = Duration::from_millis(200);

/// A player who touched nothing for longer than this is kept alive by a PING each time it passes (step 2).
pub const IDLE: Duration = Duration::from_millis(1000);

/// How long a server may be silent before it is gone, as a client would be for it.
pub const SILENCE_MAX: Duration = Duration::from_secs(5);

/// CLIENT_PONGs that wait to be polled. All say the same, so that any of them serves.
const PONGS_MAX: u8 = 64;

#[derive(Debug)]
pub struct Client {
    queue_delay: Duration,
    heard: Time,
    seat: Option<Seat>,
    world: WorldReader,
    state: State,
}

#[derive(Debug)]
enum State {
    /// CONNECTED is awaited, and may come in pieces.
    AwaitConnected {
        stream: Vec<u8>,
    },
    Playing(Playing),
    Ended {
        why: End,
        is_stream_closed: bool,
    },
}

#[derive(Debug)]
struct Playing {
    /// The newest change that came, which is what CLIENT_PONG says.
    received: u32,
    /// The newest change that is in the Frame.
    applied: u32,
    queue: ChangeQueue,
    pongs: u8,
    /// GAME_CHANGES come: the server has our address.
    is_served: bool,
    is_ping_due: bool,
    pinged: Time,
    keys: ClientKeys,
    is_input_due: bool,
    /// When a key was last down.
    touched: Time,
}

impl Client {
    /// A client that shows changes as long after they came as its plan says. Zero: at once.
    pub fn new(plan: Plan) -> Client {
        Client {
            queue_delay: plan.queue.unwrap_or(QUEUE_DELAY).min(QUEUE_DELAY_MAX),
            heard: plan.now,
            seat: None,
            world: WorldReader::new(plan.scale),
            state: State::AwaitConnected { stream: Vec::new() },
        }
    }

    fn receive_stream(&mut self, now: Time, mut bytes: &[u8]) -> Result<(), Malformed> {
        let mut result = Ok(());
        if bytes.is_empty() && matches!(self.state, State::AwaitConnected { .. }) {
            // A node that is full closes TCP without CONNECTED (ruling A2).
            self.state = State::Ended { why: End::Full, is_stream_closed: true };
        }
        while let State::AwaitConnected { stream } = &mut self.state
            && !bytes.is_empty()
        {
            let mut stream = std::mem::take(stream);
            // There is room: a packet that is all there was taken off.
            let (piece, rest) = bytes.split_at(bytes.len().min(PACKET_MAX_BYTES - stream.len()));
            stream.extend_from_slice(piece);
            bytes = rest;
            result = result.and(self.read_stream(now, &mut stream));
            if let State::AwaitConnected { stream: kept } = &mut self.state {
                *kept = stream;
            }
        }
        result
    }

    /// Takes whole packets off the stream until one is CONNECTED. Others are dropped.
    fn read_stream(&mut self, now: Time, stream: &mut Vec<u8>) -> Result<(), Malformed> {
        let mut result = Ok(());
        let mut read = 0;
        while let State::AwaitConnected { .. } = self.state
            && let Some(size) = wire::whole_packet(&stream[read..], PACKET_MAX_BYTES).inspect_err(|_| stream.clear())?
        {
            result = result.and(self.read_hello(now, &stream[read..read + size]));
            read += size;
        }
        stream.drain(..read);
        result
    }

    fn read_hello(&mut self, now: Time, packet: &[u8]) -> Result<(), Malformed> {
        match FromServer::read(packet)? {
            FromServer::Connected { client_id, game_state } => self.connect(now, client_id, game_state),
            FromServer::GameChanges { .. } | FromServer::ServerPong => return Err(Malformed::UnknownType),
        }
        Ok(())
    }

    fn connect(&mut self, now: Time, client_id: u8, game_state: GameState) {
        self.heard = now;
        // A foreign server may have more seats than we know.
        self.seat = Seat::new(client_id);
        self.world.advance(now);
        self.world.apply(game_state);
        self.world.settle(self.seat);
        self.state = State::Playing(Playing::new(now, game_state.tick));
    }

    fn receive_datagram(&mut self, now: Time, bytes: &[u8]) -> Result<(), Malformed> {
        let packet = FromServer::read(bytes)?;
        // Changes before CONNECTED have nothing to change. Not confirmed, they come again.
        let State::Playing(play) = &mut self.state else { return Ok(()) };
        match packet {
            FromServer::GameChanges { changes } => play.receive_changes(now, changes, bytes),
            FromServer::ServerPong => {}
            // It comes over TCP only.
            FromServer::Connected { .. } => return Err(Malformed::UnknownType),
        }
        self.heard = now;
        self.show(now);
        Ok(())
    }

    /// Brings changes that have waited long enough into the Frame.
    fn show(&mut self, now: Time) {
        while let State::Playing(play) = &mut self.state
            && let Some(packet) = play.queue.pop(now, self.queue_delay)
        {
            let applied = play.applied;
            if let Ok(changes) = Changes::read_again(&packet) {
                self.apply_changes(applied, changes);
            }
            if let State::Playing(play) = &mut self.state {
                play.queue.give_back(packet);
            }
        }
    }

    fn apply_changes(&mut self, mut applied: u32, changes: Changes) {
        for change in changes.iter() {
            if is_newer(change.tick, applied) {
                applied = change.tick;
                self.world.apply(change);
            }
        }
        self.world.settle(self.seat);
        if let State::Playing(play) = &mut self.state {
            play.applied = applied;
        }
    }

    fn end(&mut self, why: End) {
        if !matches!(self.state, State::Ended { .. }) {
            self.state = State::Ended { why, is_stream_closed: false };
        }
    }
}

impl Playing {
    fn new(now: Time, tick: u32) -> Playing {
        Playing {
            received: tick,
            applied: tick,
            queue: ChangeQueue::default(),
            pongs: 0,
            is_served: false,
            is_ping_due: true,
            pinged: now,
            keys: ClientKeys::default(),
            is_input_due: false,
            touched: now,
        }
    }

    /// Every GAME_CHANGES is answered, also one that brings nothing new: our answer to the last may be lost.
    fn receive_changes(&mut self, now: Time, changes: Changes, packet: &[u8]) {
        self.is_served = true;
        self.pongs = (self.pongs + 1).min(PONGS_MAX);
        let newest = changes.iter().map(|change| change.tick).filter(|&tick| is_newer(tick, self.received)).last();
        if let Some(newest) = newest {
            self.received = newest;
            self.queue.push(now, packet);
        }
    }

    fn advance(&mut self, now: Time) {
        let is_idle = now.since(self.touched) > IDLE;
        let interval = if self.is_served { IDLE } else { PING_AGAIN };
        if (is_idle || !self.is_served) && now.since(self.pinged) >= interval {
            self.is_ping_due = true;
            self.pinged = now;
        }
    }

    /// GAME_INPUT each tick, also of no keys, until the player has been idle for too long.
    fn press(&mut self, now: Time, input: Input) {
        if self.keys.press(input) {
            self.touched = now;
        }
        self.is_input_due = now.since(self.touched) <= IDLE;
    }

    /// The PING goes first: it is what gives the server our address (ruling A2).
    fn poll(&mut self, buffer: &mut Vec<u8>) -> Option<Output> {
        if std::mem::take(&mut self.is_ping_due) {
            FromClient::Ping.write(buffer);
        } else if self.pongs > 0 {
            self.pongs -= 1;
            FromClient::ClientPong { tick: self.received }.write(buffer);
        } else if std::mem::take(&mut self.is_input_due) {
            let (inputs, count) = self.keys.inputs();
            FromClient::GameInput { inputs: &inputs[..count] }.write(buffer);
        } else {
            return None;
        }
        Some(Output::Datagram)
    }
}

/// Ticks wrap: the half ahead is newer.
fn is_newer(tick: u32, than: u32) -> bool {
    tick.wrapping_sub(than).wrapping_sub(1) < u32::MAX / 2
}

impl ClientSession for Client {
    fn receive(&mut self, now: Time, channel: Channel, bytes: &[u8]) -> Result<(), Malformed> {
        match channel {
            Channel::Stream => self.receive_stream(now, bytes),
            Channel::Datagram => self.receive_datagram(now, bytes),
        }
    }

    fn advance(&mut self, now: Time) {
        if now.since(self.heard) >= SILENCE_MAX {
            self.end(End::TimedOut);
        }
        if let State::Playing(play) = &mut self.state {
            play.advance(now);
        }
        self.world.advance(now);
        self.show(now);
        self.world.settle(self.seat);
    }

    fn press(&mut self, now: Time, input: Input) {
        if let State::Playing(play) = &mut self.state {
            play.press(now, input);
        }
    }

    fn poll(&mut self, _now: Time, buffer: &mut Vec<u8>) -> Option<Output> {
        buffer.clear();
        match &mut self.state {
            State::AwaitConnected { .. } => None,
            State::Playing(play) => play.poll(buffer),
            State::Ended { is_stream_closed, .. } => {
                let is_open = !std::mem::replace(is_stream_closed, true);
                is_open.then_some(Output::CloseStream)
            }
        }
    }

    fn take_frame(&mut self, frame: &mut Frame) -> bool {
        self.world.take_frame(frame)
    }

    fn seat(&self) -> Option<Seat> {
        self.seat
    }

    fn status(&self) -> Status {
        match self.state {
            State::AwaitConnected { .. } => Status::Opening,
            State::Playing(_) => Status::Playing,
            State::Ended { why, .. } => Status::Ended(why),
        }
    }

    /// The dialect has no such request: joining starts the game (ruling C11).
    fn start(&mut self, _now: Time) {}

    /// The dialect has no goodbye: the server hears no more of us.
    fn leave(&mut self, _now: Time) {
        self.end(End::Left);
    }
}
