//! The server's half of an `aecs` session: opened by a TCP connection, played in datagrams.
//!
//! The first Frame goes down the stream as CONNECTED, which is then closed. From the client's first datagram on, each
//! tick sends one GAME_CHANGES with everything unconfirmed; `reliability.rs` sees to that. There is no goodbye.

use std::time::Duration;

use game::{Buttons, Input, Seat, units::TICKS_PER_SECOND};

use super::{
    reliability::UnconfirmedChanges,
    wire::{self, FromClient, FromServer},
};
use crate::{
    Channel, End, Keys, Malformed, Numbers, Output, Received, Request, Resumption, Scale, Scene, ServerSession, Status,
    Time, Welcome,
};

/// How long a client may send no packet before it is disconnected (step 3).
pub const SILENCE_MAX: Duration = Duration::from_secs(5);

/// Keys stay held until the next GAME_INPUT, but no longer than this (ruling A5).
pub const HOLD_MAX: Duration = Duration::from_millis(100);

/// SERVER_PONGs that wait to be polled; more PINGs than this between two polls go unanswered.
pub const PONGS_MAX: u8 = 64;

/// Ticks that are left out when it is not known how many were sent (ruling C16): still newer, for ticks wrap.
const UNKNOWN_TICKS_MAX: u32 = 1 << 30;

/// One client.
#[derive(Debug)]
pub struct Server {
    seat: Seat,
    scale: Scale,
    heard: Time,
    keys: Keys,
    keys_heard: Time,
    pongs: u8,
    stream: StreamState,
    state: State,
}

/// What becomes of the TCP connection.
#[derive(Debug)]
enum StreamState {
    Open,
    Hello { connected: Vec<u8> },
    Closing,
    Closed,
}

#[derive(Debug)]
enum State {
    /// No Frame has been shown yet.
    Seated {
        has_spoken: bool,
    },
    /// The client had its CONNECTED from an earlier process of the node, and was told nothing after this tick.
    Resumed {
        last: u32,
    },
    /// CONNECTED is said; the client's first datagram is awaited.
    Greeted {
        changes: UnconfirmedChanges,
    },
    /// A GAME_CHANGES each tick.
    Playing {
        changes: UnconfirmedChanges,
        is_due: bool,
    },
    Ended(End),
}

impl Server {
    /// A client whose TCP connection was accepted.
    pub fn new(welcome: Welcome) -> Server {
        let Welcome { seat, now, scale, .. } = welcome;
        Server {
            seat,
            scale,
            heard: now,
            keys: Keys::default(),
            keys_heard: now,
            pongs: 0,
            stream: StreamState::Open,
            state: State::Seated { has_spoken: false },
        }
    }

    /// A client that goes on playing (ruling C16). It is told everything with a tick above any that it may have been told.
    pub fn resume(resumption: &Resumption) -> Server {
        let unknown = resumption.steps_since(TICKS_PER_SECOND as u32, UNKNOWN_TICKS_MAX);
        let last = (resumption.welcome.numbers.to_bits() as u32).wrapping_add(unknown);
        Server { stream: StreamState::Closed, state: State::Resumed { last }, ..Server::new(resumption.welcome) }
    }

    fn take_packet(&mut self, now: Time, packet: FromClient) {
        self.heard = now;
        match packet {
            FromClient::GameInput { inputs } => self.take_keys(now, inputs),
            FromClient::Ping => self.pongs = (self.pongs + 1).min(PONGS_MAX),
            FromClient::ClientPong { tick } => match &mut self.state {
                State::Greeted { changes } | State::Playing { changes, .. } => changes.confirm(tick),
                // Before CONNECTED there is nothing that it could have.
                State::Seated { .. } | State::Resumed { .. } | State::Ended(_) => {}
            },
        }
        self.hear_first_datagram();
    }

    fn take_keys(&mut self, now: Time, inputs: &[u8]) {
        let held = inputs.iter().filter_map(|&input| wire::button(input));
        self.keys.replace(held.fold(Buttons::NONE, |held, button| held | button));
        self.keys_heard = now;
    }

    fn hear_first_datagram(&mut self) {
        self.state = match std::mem::replace(&mut self.state, State::Ended(End::Closed)) {
            State::Seated { .. } => State::Seated { has_spoken: true },
            State::Greeted { changes } => State::Playing { changes, is_due: false },
            state @ (State::Resumed { .. } | State::Playing { .. } | State::Ended(_)) => state,
        };
    }

    fn greet(&mut self, scene: &Scene, has_spoken: bool) {
        let mut connected = Vec::new();
        let changes = UnconfirmedChanges::connect(self.seat.number(), scene, self.scale, &mut connected);
        self.stream = StreamState::Hello { connected };
        self.state = if has_spoken { State::Playing { changes, is_due: false } } else { State::Greeted { changes } };
    }

    fn poll_stream(&mut self, buffer: &mut Vec<u8>) -> Option<Output> {
        match &mut self.stream {
            StreamState::Open | StreamState::Closed => None,
            StreamState::Hello { connected } => {
                buffer.append(connected);
                self.stream = StreamState::Closing;
                Some(Output::Stream)
            }
            StreamState::Closing => {
                self.stream = StreamState::Closed;
                Some(Output::CloseStream)
            }
        }
    }

    fn poll_pong(&mut self, buffer: &mut Vec<u8>) -> Option<Output> {
        self.pongs = self.pongs.checked_sub(1)?;
        FromServer::ServerPong.write(buffer);
        Some(Output::Datagram)
    }

    fn poll_changes(&mut self, buffer: &mut Vec<u8>) -> Option<Output> {
        let State::Playing { changes, is_due } = &mut self.state else { return None };
        let is_said = std::mem::take(is_due) && changes.take(buffer);
        is_said.then_some(Output::Datagram)
    }
}

impl ServerSession for Server {
    fn receive(&mut self, now: Time, channel: Channel, bytes: &[u8]) -> Result<Received, Malformed> {
        match (channel, &self.state) {
            (_, State::Ended(_)) => Ok(None),
            // A client has nothing to say over TCP.
            (Channel::Stream, _) => Err(Malformed::UnknownType),
            (Channel::Datagram, _) => FromClient::read(bytes).map(|packet| {
                self.take_packet(now, packet);
                None
            }),
        }
    }

    fn advance(&mut self, now: Time) {
        if now.since(self.heard) >= SILENCE_MAX {
            self.end(now, End::TimedOut);
        }
    }

    fn forgive(&mut self, lost: Duration) {
        self.heard = self.heard + lost;
        self.keys_heard = self.keys_heard + lost;
    }

    fn publish(&mut self, _now: Time, scene: &Scene) {
        match &mut self.state {
            State::Seated { has_spoken } => {
                let has_spoken = *has_spoken;
                self.greet(scene, has_spoken);
            }
            State::Resumed { last } => {
                let changes = UnconfirmedChanges::resume(scene, self.scale, *last);
                self.state = State::Playing { changes, is_due: true };
            }
            State::Greeted { changes } => changes.pass_over(scene),
            State::Playing { changes, is_due } => {
                changes.record(scene);
                *is_due = true;
            }
            State::Ended(_) => {}
        }
    }

    fn poll(&mut self, _now: Time, buffer: &mut Vec<u8>) -> Option<Output> {
        buffer.clear();
        self.poll_stream(buffer).or_else(|| self.poll_pong(buffer)).or_else(|| self.poll_changes(buffer))
    }

    fn input(&mut self, now: Time) -> Input {
        let input = self.keys.take();
        if now.since(self.keys_heard) <= HOLD_MAX {
            return input;
        }
        self.keys.replace(Buttons::NONE);
        Input { held: Buttons::NONE, ..input }
    }

    fn request(&mut self) -> Option<Request> {
        None
    }

    fn status(&self) -> Status {
        match self.state {
            State::Seated { .. } | State::Greeted { .. } => Status::Opening,
            State::Resumed { .. } | State::Playing { .. } => Status::Playing,
            State::Ended(why) => Status::Ended(why),
        }
    }

    /// The newest tick that the client was sent.
    fn numbers(&self) -> Numbers {
        let tick = match &self.state {
            State::Resumed { last } => *last,
            State::Greeted { changes } | State::Playing { changes, .. } => changes.newest(),
            State::Seated { .. } | State::Ended(_) => 0,
        };
        Numbers::from_bits(tick.into())
    }

    /// Nobody forges the address of a TCP connection (ruling C5).
    fn is_proved(&self) -> bool {
        true
    }

    fn end(&mut self, _now: Time, why: End) {
        if let State::Ended(_) = self.state {
            return;
        }
        self.state = State::Ended(why);
        self.pongs = 0;
        // The dialect has no goodbye. A client that is still owed its CONNECTED sees the stream close without it.
        if let StreamState::Open | StreamState::Hello { .. } = self.stream {
            self.stream = StreamState::Closing;
        }
    }
}
