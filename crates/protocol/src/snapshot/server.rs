//! The server's half of a session: answers JOIN, turns INPUT into buttons, shows every Frame as one SNAPSHOT, and tells
//! of players who go or die.
//!
//! Everything here is said once, because the document has no acknowledgements. A client asks again for a lost answer to JOIN,
//! and the next SNAPSHOT replaces a lost one. If a TIMEOUT or KILLED is lost, the notice is not shown, but the ship is missing
//! from the next SNAPSHOT anyway.

use std::{collections::VecDeque, time::Duration};

use game::{Event, Input, Seat};

use crate::{
    Channel, End, Keys, Malformed, Numbers, Oddity, Output, Received, Request, Resumption, Scale, Scene, ServerSession,
    Status, Time, Welcome,
    snapshot::{
        Headers, SILENCE_MAX,
        shared::{SharedSnapshot, SnapshotBytes},
        username_of,
        wire::{self, Action, FromClient, FromServer, Loss, button},
    },
};

/// TIMEOUT and KILLED that wait to be polled: twice what four players can cause in a tick. The oldest go first.
const NOTICES_MAX: usize = 16;

/// The server's half of a session.
pub struct Server {
    seat: Seat,
    scale: Scale,
    state: State,
    headers: Headers,
    heard: Time,
    notices: VecDeque<Notice>,
}

enum State {
    /// The JOIN that opened the session has not been given to it yet.
    AwaitJoin,
    Playing {
        /// As in JOIN.
        username: String,
        keys: Keys,
        /// A JOIN is not answered yet.
        owes_assignment: bool,
        /// The SNAPSHOT that is to be sent, and when it was taken.
        snapshot: Option<(Time, SnapshotBytes)>,
    },
    Ended(End),
}

/// A TIMEOUT or KILLED to send.
struct Notice {
    is_killed: bool,
    seat: Seat,
    username: String,
}

impl Server {
    /// The half of a player who was given a seat.
    pub fn new(welcome: Welcome) -> Server {
        Server {
            seat: welcome.seat,
            scale: welcome.scale,
            state: State::AwaitJoin,
            headers: Headers::resume(welcome.started, welcome.numbers),
            heard: welcome.now,
            notices: VecDeque::new(),
        }
    }

    /// The half of a player who goes on playing (ruling C16): what they hold, they will say again (ruling S8).
    pub fn resume(resumption: &Resumption) -> Server {
        let (username, keys) = (resumption.name.into(), Keys::default());
        Server {
            headers: Headers::resume_above(resumption),
            state: State::Playing { username, keys, owes_assignment: false, snapshot: None },
            ..Server::new(resumption.welcome)
        }
    }

    fn notify(&mut self, is_killed: bool, seat: Seat, name: &str) {
        if self.notices.len() >= NOTICES_MAX {
            self.notices.pop_front();
        }
        self.notices.push_back(Notice { is_killed, seat, username: username_of(name) });
    }

    fn notify_of(&mut self, event: &Event, scene: &Scene) {
        match *event {
            Event::Killed { seat, .. } => self.notify(true, seat, scene.name(seat)),
            // The player who sat here before: to this client a TIMEOUT of its own Player ID means its own end.
            Event::Left { seat } | Event::TimedOut { seat } if seat == self.seat => {}
            Event::Left { seat } | Event::TimedOut { seat } => self.notify(false, seat, scene.departed_name(seat)),
            Event::Spawned { .. } | Event::Destroyed { .. } | Event::Fired { .. } | Event::Hit { .. } => {}
            Event::Grabbed { .. } | Event::Dropped { .. } | Event::Joined { .. } => {}
            Event::ExtraLife { .. } | Event::StateChanged { .. } => {}
        }
    }
}

impl ServerSession for Server {
    fn receive(&mut self, now: Time, _channel: Channel, bytes: &[u8]) -> Result<Received, Malformed> {
        let (_, packet) = FromClient::read(bytes)?;
        self.heard = now;
        match (&mut self.state, packet) {
            (State::AwaitJoin, FromClient::Join { username }) => {
                let username = username.as_str().into();
                let keys = Keys::default();
                self.state = State::Playing { username, keys, owes_assignment: true, snapshot: None };
            }
            // Our answer was lost, or the JOIN came twice: the same answer, and no new slot.
            (State::Playing { owes_assignment, .. }, FromClient::Join { .. }) => *owes_assignment = true,
            (State::Playing { keys, .. }, FromClient::Input { player_id, key_code, action }) => {
                if let Some(button) = button(key_code) {
                    keys.set(button, action == Action::KeyDown);
                }
                if player_id != self.seat.number() {
                    return Ok(Some(Oddity::ForeignPlayer));
                }
            }
            (State::AwaitJoin, FromClient::Input { .. }) | (State::Ended(_), _) => {}
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

    fn publish(&mut self, now: Time, scene: &Scene) {
        let State::Playing { snapshot, .. } = &mut self.state else { return };
        // The one before, if it was not sent, makes room for it.
        *snapshot = None;
        *snapshot = Some((now, SharedSnapshot::of(scene, self.scale)));
        for event in &scene.frame.events {
            self.notify_of(event, scene);
        }
    }

    fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> Option<Output> {
        buffer.clear();
        if let State::Playing { owes_assignment: owes @ true, .. } = &mut self.state {
            *owes = false;
            let assignment = FromServer::PlayerIdAssignment { player_id: self.seat.number() };
            assignment.write(self.headers.next(now), buffer);
            return Some(Output::Datagram);
        }
        if let Some(notice) = self.notices.pop_front() {
            notice.packet().write(self.headers.next(now), buffer);
            return Some(Output::Datagram);
        }
        let State::Playing { snapshot, .. } = &mut self.state else { return None };
        let (taken, bytes) = snapshot.take()?;
        wire::write_snapshot_again(&bytes, self.headers.next(taken), buffer);
        Some(Output::Datagram)
    }

    fn input(&mut self, _now: Time) -> Input {
        match &mut self.state {
            State::Playing { keys, .. } => keys.take(),
            State::AwaitJoin | State::Ended(_) => Input::IDLE,
        }
    }

    fn request(&mut self) -> Option<Request> {
        None
    }

    fn status(&self) -> Status {
        match self.state {
            State::AwaitJoin => Status::Opening,
            State::Playing { .. } => Status::Playing,
            State::Ended(why) => Status::Ended(why),
        }
    }

    fn numbers(&self) -> Numbers {
        self.headers.numbers()
    }

    /// Nothing in this dialect is echoed.
    fn is_proved(&self) -> bool {
        false
    }

    /// The last word is the TIMEOUT of the client's own Player ID, on which it shuts down. Where nobody listens there is
    /// none.
    fn end(&mut self, _now: Time, why: End) {
        match std::mem::replace(&mut self.state, State::Ended(why)) {
            State::Ended(before) => self.state = State::Ended(before),
            State::Playing { username, .. } => {
                self.notices.clear();
                if why != End::Unreachable {
                    self.notify(false, self.seat, &username);
                }
            }
            State::AwaitJoin => {}
        }
    }
}

impl Notice {
    /// A ship's Entity ID is its Player ID (ruling S9).
    fn packet(&self) -> FromServer<'_> {
        let player_id = self.seat.number();
        let loss = Loss { entity_id: player_id, player_id, username: &self.username };
        if self.is_killed { FromServer::Killed(loss) } else { FromServer::Timeout(loss) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::wire::{Header, Username};

    const START: Time = Time::from_micros(1_000_000);

    fn joined() -> Server {
        let welcome = Welcome {
            seat: Seat::ALL[1],
            now: START,
            started: START,
            scale: Scale::default(),
            numbers: Numbers::default(),
        };
        let mut server = Server::new(welcome);
        receive(&mut server, FromClient::Join { username: Username::default() });
        server
    }

    fn receive(server: &mut Server, packet: FromClient) -> Received {
        let mut bytes = Vec::new();
        packet.write(Header { packet_id: 0, timestamp: 0 }, &mut bytes);
        server.receive(START, Channel::Datagram, &bytes).expect("a packet")
    }

    #[test]
    fn s5_an_input_of_another_player_id_is_counted_and_moves_the_sender() {
        let mut server = joined();
        let up = |player_id, action| FromClient::Input { player_id, key_code: 0x26, action };
        assert_eq!(receive(&mut server, up(1, Action::KeyDown)), None);
        assert_eq!(receive(&mut server, up(3, Action::KeyUp)), Some(Oddity::ForeignPlayer));
        assert_eq!(receive(&mut server, up(255, Action::KeyDown)), Some(Oddity::ForeignPlayer));
        assert_eq!(receive(&mut server, up(1, Action::KeyDown)), None);
        assert_eq!(server.input(START).held, game::Buttons::UP);
    }

    #[test]
    fn notices_that_nobody_polls_do_not_fill_our_memory() {
        let mut server = joined();
        let mut scene = Scene::new("endless");
        let ship = game::EntityId(1);
        scene.frame.events = vec![Event::Killed { seat: Seat::ALL[0], ship, by: None }; 100];
        server.publish(START, &scene);
        assert_eq!(server.notices.len(), NOTICES_MAX);
    }
}
