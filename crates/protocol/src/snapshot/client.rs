//! The client's half of a session: asks for a seat until it is answered, says its keys, and sees SNAPSHOTs.
//!
//! The dialect has no goodbye: a client that leaves lets go of the keys and falls silent.

use std::time::Duration;

use game::{Frame, Input, Seat};

use crate::{
    Channel, ClientSession, End, Malformed, Output, Plan, Status, Time,
    snapshot::{
        Headers, SILENCE_MAX,
        keys::ClientKeys,
        username_of,
        wire::{FromClient, FromServer, Username},
        world_reader::WorldReader,
    },
};

/// How often JOIN is repeated (ruling S7).
const JOIN_EVERY: Duration = Duration::from_millis(500);

/// The client's half of a session.
pub struct Client {
    username: String,
    state: State,
    headers: Headers,
    /// When the server was last heard, or we began to call it.
    heard: Time,
    keys: ClientKeys,
    world: WorldReader,
}

#[derive(Clone, Copy)]
enum State {
    Joining {
        /// When to ask next.
        next_join: Time,
    },
    Playing {
        seat: Seat,
    },
    Ended {
        why: End,
        /// The seat whose keys are let go, if there was one.
        seat: Option<Seat>,
    },
}

impl Client {
    /// The half of a player who wants to join.
    pub fn new(plan: &Plan) -> Client {
        Client {
            username: username_of(&plan.name),
            state: State::Joining { next_join: plan.now },
            headers: Headers::new(plan.now),
            heard: plan.now,
            keys: ClientKeys::new(plan.now),
            world: WorldReader::new(plan.scale),
        }
    }

    fn end(&mut self, why: End) {
        if !matches!(self.state, State::Ended { .. }) {
            self.state = State::Ended { why, seat: self.seat() };
        }
    }

    fn assigned(&mut self, now: Time, player_id: u8) {
        match Seat::new(player_id) {
            Some(seat) => {
                self.state = State::Playing { seat };
                self.keys = ClientKeys::new(now);
            }
            None => self.end(End::Full),
        }
    }

    fn write_join(&mut self, now: Time, buffer: &mut Vec<u8>) {
        let username = Username::new(&self.username).unwrap_or_default();
        FromClient::Join { username }.write(self.headers.next(now), buffer);
    }

    fn poll_input(&mut self, now: Time, seat: Seat, buffer: &mut Vec<u8>) -> Option<Output> {
        let (key_code, action) = self.keys.poll()?;
        let input = FromClient::Input { player_id: seat.number(), key_code, action };
        input.write(self.headers.next(now), buffer);
        Some(Output::Datagram)
    }
}

impl ClientSession for Client {
    fn receive(&mut self, now: Time, _channel: Channel, bytes: &[u8]) -> Result<(), Malformed> {
        let (header, packet) = FromServer::read(bytes)?;
        self.heard = now;
        match (self.state, packet) {
            (State::Joining { .. }, FromServer::PlayerIdAssignment { player_id }) => self.assigned(now, player_id),
            // The answer to a JOIN that was repeated while the first answer was on its way.
            (State::Playing { .. }, FromServer::PlayerIdAssignment { .. }) => {}
            (State::Playing { .. }, FromServer::Snapshot { entities }) => self.world.snapshot(now, header, entities),
            (State::Playing { .. }, FromServer::Killed(loss)) => self.world.killed(now, header, &loss),
            (State::Playing { seat }, FromServer::Timeout(loss)) => {
                self.world.timed_out(now, header, &loss);
                if loss.player_id == seat.number() {
                    self.keys.silence();
                    self.end(End::Dropped);
                }
            }
            // The assignment was lost or overtaken: it is asked for again. What has ended stays so.
            (State::Joining { .. }, _) | (State::Ended { .. }, _) => {}
        }
        Ok(())
    }

    fn advance(&mut self, now: Time) {
        self.world.advance(now);
        if matches!(self.state, State::Playing { .. }) {
            self.keys.advance(now);
        }
        if !matches!(self.state, State::Ended { .. }) && now.since(self.heard) >= SILENCE_MAX {
            self.keys.silence();
            self.end(End::TimedOut);
        }
    }

    fn press(&mut self, now: Time, input: Input) {
        if matches!(self.state, State::Playing { .. }) {
            self.keys.press(now, input);
        }
    }

    fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> Option<Output> {
        buffer.clear();
        match self.state {
            State::Joining { next_join } if now >= next_join => {
                self.state = State::Joining { next_join: now + JOIN_EVERY };
                self.write_join(now, buffer);
                Some(Output::Datagram)
            }
            State::Joining { .. } | State::Ended { seat: None, .. } => None,
            State::Playing { seat } | State::Ended { seat: Some(seat), .. } => self.poll_input(now, seat, buffer),
        }
    }

    fn take_frame(&mut self, frame: &mut Frame) -> bool {
        self.world.take(frame)
    }

    fn seat(&self) -> Option<Seat> {
        match self.state {
            State::Playing { seat } => Some(seat),
            State::Ended { seat, .. } => seat,
            State::Joining { .. } => None,
        }
    }

    fn status(&self) -> Status {
        match self.state {
            State::Joining { .. } => Status::Opening,
            State::Playing { .. } => Status::Playing,
            State::Ended { why, .. } => Status::Ended(why),
        }
    }

    /// A game of this dialect starts with its first player (ruling C11).
    fn start(&mut self, _now: Time) {}

    fn leave(&mut self, now: Time) {
        if matches!(self.state, State::Playing { .. }) {
            self.keys.release(now);
        }
        self.end(End::Left);
    }
}
