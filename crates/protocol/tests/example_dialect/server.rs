//! The server's half of a session: a JOIN opens it, KEYS move the ship, every Frame is shown whole.

use std::time::Duration;

use game::{Input, Seat};

use super::{
    SILENCE_MAX,
    keys::ServerKeys,
    wire::{FromClient, FromServer},
    world_writer::WorldWriter,
};
use crate::{Channel, End, Malformed, Output, Received, Request, Scene, ServerSession, Status, Time, Welcome};

/// One player.
pub(super) struct Server {
    seat: Seat,
    state: State,
    heard: Time,
    keys: ServerKeys,
    world: WorldWriter,
}

enum State {
    AwaitJoin,
    Playing,
    Ended { why: End, owes_goodbye: bool },
}

impl Server {
    pub fn new(welcome: Welcome) -> Server {
        Server {
            seat: welcome.seat,
            state: State::AwaitJoin,
            heard: welcome.now,
            keys: ServerKeys::default(),
            world: WorldWriter::default(),
        }
    }
}

impl ServerSession for Server {
    fn receive(&mut self, now: Time, _channel: Channel, bytes: &[u8]) -> Result<Received, Malformed> {
        let packet = FromClient::read(bytes)?;
        self.heard = now;
        match (&self.state, packet) {
            // A JOIN said again is answered by the next WORLD.
            (State::AwaitJoin | State::Playing, FromClient::Join { .. }) => self.state = State::Playing,
            (State::Playing, FromClient::Keys { newest, inputs }) => self.keys.receive(newest, &inputs),
            (State::AwaitJoin | State::Playing, FromClient::Leave) => {
                self.state = State::Ended { why: End::Left, owes_goodbye: false };
            }
            (State::AwaitJoin, FromClient::Keys { .. }) | (State::Ended { .. }, _) => {}
        }
        Ok(None)
    }

    fn advance(&mut self, now: Time) {
        if now.since(self.heard) >= SILENCE_MAX {
            self.end(now, End::TimedOut);
        }
    }

    fn forgive(&mut self, lost: Duration) {
        self.heard = self.heard + lost;
    }

    fn publish(&mut self, _now: Time, scene: &Scene) {
        if let State::Playing = self.state {
            self.world.write(self.seat, scene);
        }
    }

    fn poll(&mut self, _now: Time, buffer: &mut Vec<u8>) -> Option<Output> {
        buffer.clear();
        let is_due = match &mut self.state {
            State::AwaitJoin => false,
            State::Playing => self.world.poll(buffer),
            State::Ended { owes_goodbye, .. } => {
                let is_due = std::mem::take(owes_goodbye);
                if is_due {
                    buffer.extend(FromServer::Goodbye.to_bytes());
                }
                is_due
            }
        };
        is_due.then_some(Output::Datagram)
    }

    fn input(&mut self, _now: Time) -> Input {
        self.keys.take()
    }

    fn request(&mut self) -> Option<Request> {
        None
    }

    fn status(&self) -> Status {
        match self.state {
            State::AwaitJoin => Status::Opening,
            State::Playing => Status::Playing,
            State::Ended { why, .. } => Status::Ended(why),
        }
    }

    fn is_proved(&self) -> bool {
        false
    }

    fn end(&mut self, _now: Time, why: End) {
        if !matches!(self.state, State::Ended { .. }) {
            self.state = State::Ended { why, owes_goodbye: why != End::Unreachable };
        }
    }
}
