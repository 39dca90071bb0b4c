//! A session that panics when something is done to it.

use std::time::Duration;

use game::Input;
use protocol::{
    Channel, End, LinkSession, LobbyNotice, LobbyRequest, Malformed, Output, Received, Request, Scene, ServerSession,
    Status, Time,
};

/// What it is that makes it panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Receive,
    Advance,
    Input,
    LobbyRequest,
    Notify,
    Publish,
    Poll,
    End,
}

/// The session. It ends with its link, if it has one.
pub struct Panics {
    when: When,
    status: Status,
}

impl Panics {
    pub fn at(when: When) -> Panics {
        Panics { when, status: Status::Playing }
    }

    fn now(&self, when: When) {
        assert!(self.when != when, "on purpose: {when:?}");
    }
}

impl ServerSession for Panics {
    fn receive(&mut self, _: Time, _: Channel, bytes: &[u8]) -> Result<Received, Malformed> {
        self.now(When::Receive);
        if bytes.is_empty() {
            self.status = Status::Ended(End::Unreachable);
        }
        Ok(None)
    }

    fn advance(&mut self, _: Time) {
        self.now(When::Advance);
    }

    fn forgive(&mut self, _lost: Duration) {}

    fn publish(&mut self, _: Time, _: &Scene) {
        self.now(When::Publish);
    }

    fn poll(&mut self, _: Time, _: &mut Vec<u8>) -> Option<Output> {
        self.now(When::Poll);
        None
    }

    fn input(&mut self, _: Time) -> Input {
        self.now(When::Input);
        Input::IDLE
    }

    fn request(&mut self) -> Option<Request> {
        None
    }

    fn status(&self) -> Status {
        self.status
    }

    fn is_proved(&self) -> bool {
        true
    }

    fn end(&mut self, _: Time, _: End) {
        self.now(When::End);
    }
}

impl LinkSession for Panics {
    fn lobby_request(&mut self) -> Option<LobbyRequest> {
        self.now(When::LobbyRequest);
        None
    }

    fn notify(&mut self, _: Time, _: &LobbyNotice) {
        self.now(When::Notify);
    }

    fn can_resume(&self) -> bool {
        true
    }
}
