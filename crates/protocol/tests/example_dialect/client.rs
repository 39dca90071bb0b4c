//! The client's half of a session: asks until it is in, says its keys in every tick, and says goodbye more than once.

use std::time::Duration;

use game::{Frame, Input, Seat};

use super::{
    SILENCE_MAX,
    keys::ClientKeys,
    wire::{FromClient, FromServer},
    world_reader::WorldReader,
};
use crate::{Channel, ClientSession, End, Malformed, Output, Plan, Status, Time, lobby::NAME_MAX_BYTES};

/// How often JOIN is said again.
const JOIN_EVERY: Duration = Duration::from_millis(500);
/// LEAVE is not confirmed: this many are likely to be enough.
const LEAVES: u8 = 3;

/// One player.
pub(super) struct Client {
    name: String,
    state: State,
    heard: Time,
    keys: ClientKeys,
    keys_are_due: bool,
    world: WorldReader,
}

enum State {
    Joining { next_join: Time },
    Playing { seat: Seat },
    Ended { why: End, leaves: u8 },
}

impl Client {
    pub fn new(plan: &Plan) -> Client {
        let mut name: String = plan.name.chars().filter(|letter| !letter.is_control()).collect();
        name.truncate(name.floor_char_boundary(NAME_MAX_BYTES));
        Client {
            name,
            state: State::Joining { next_join: plan.now },
            heard: plan.now,
            keys: ClientKeys::default(),
            keys_are_due: false,
            world: WorldReader::default(),
        }
    }
}

impl ClientSession for Client {
    fn receive(&mut self, now: Time, _channel: Channel, bytes: &[u8]) -> Result<(), Malformed> {
        let packet = FromServer::read(bytes)?;
        self.heard = now;
        match (&self.state, packet) {
            (State::Joining { .. } | State::Playing { .. }, FromServer::World(part)) => {
                self.state = State::Playing { seat: part.seat };
                self.world.receive(&part);
            }
            (State::Joining { .. }, FromServer::Full) => self.state = State::Ended { why: End::Full, leaves: 0 },
            (State::Playing { .. }, FromServer::Goodbye) => self.state = State::Ended { why: End::Closed, leaves: 0 },
            // Of a session before this one.
            (State::Joining { .. }, FromServer::Goodbye) | (State::Playing { .. }, FromServer::Full) => {}
            (State::Ended { .. }, _) => {}
        }
        Ok(())
    }

    fn advance(&mut self, now: Time) {
        if !matches!(self.state, State::Ended { .. }) && now.since(self.heard) >= SILENCE_MAX {
            self.state = State::Ended { why: End::TimedOut, leaves: 0 };
        }
    }

    fn press(&mut self, _now: Time, input: Input) {
        self.keys.press(input);
        self.keys_are_due = true;
    }

    fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> Option<Output> {
        buffer.clear();
        match &mut self.state {
            State::Joining { next_join } if now >= *next_join => {
                *next_join = now + JOIN_EVERY;
                FromClient::Join { name: &self.name }.write(buffer);
            }
            State::Playing { .. } if std::mem::take(&mut self.keys_are_due) => self.keys.packet().write(buffer),
            State::Ended { leaves, .. } if *leaves > 0 => {
                *leaves -= 1;
                FromClient::Leave.write(buffer);
            }
            State::Joining { .. } | State::Playing { .. } | State::Ended { .. } => return None,
        }
        Some(Output::Datagram)
    }

    fn take_frame(&mut self, frame: &mut Frame) -> bool {
        self.world.take(frame)
    }

    fn seat(&self) -> Option<Seat> {
        match self.state {
            State::Playing { seat } => Some(seat),
            State::Joining { .. } | State::Ended { .. } => None,
        }
    }

    fn status(&self) -> Status {
        match self.state {
            State::Joining { .. } => Status::Opening,
            State::Playing { .. } => Status::Playing,
            State::Ended { why, .. } => Status::Ended(why),
        }
    }

    /// A JOIN starts the game.
    fn start(&mut self, _now: Time) {}

    fn leave(&mut self, _now: Time) {
        if !matches!(self.state, State::Ended { .. }) {
            self.state = State::Ended { why: End::Left, leaves: LEAVES };
        }
    }
}
