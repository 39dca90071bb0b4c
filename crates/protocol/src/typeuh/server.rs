//! The server's half of a `typeuh` session: key events in, the initialisation and then instructions out.
//!
//! Start reading at `State`. There is nothing to confirm and no goodbye; what may have been lost is said again
//! (`shared.rs`).

use std::time::Duration;

use game::Input;

use super::{
    instruction_queue::InstructionQueue,
    shared::{SharedWorld, Subscriber},
    wire::{KeyEvents, write_own_initialisation},
};
use crate::{
    Channel, End, Keys, Malformed, Output, Received, Request, Resumption, Scale, Scene, ServerSession, Status, Time,
    Welcome,
};

/// A hello of a known peer is answered at most once in this time (ruling T1).
const HELLO_ANSWER: Duration = Duration::from_millis(250);
/// How long a session may be silent before it ends (ruling T6).
const SILENCE_MAX: Duration = Duration::from_secs(5 * 60);

/// Where a session stands.
#[derive(Clone, Copy, Debug)]
enum State {
    /// The initialisation has to go out, before anything else (ruling T2).
    Greeting,
    /// It went out, the last time then.
    Playing { greeted: Time },
    /// Over. There is no last word.
    Ended(End),
}

/// One player, as the server sees it.
#[derive(Debug)]
pub(super) struct Server {
    state: State,
    heard: Time,
    keys: Keys,
    scale: Scale,
    listener: Subscriber,
    instructions: InstructionQueue,
}

impl Server {
    pub fn new(welcome: Welcome) -> Server {
        Server {
            state: State::Greeting,
            heard: welcome.now,
            keys: Keys::default(),
            scale: welcome.scale,
            listener: Subscriber::new(welcome.seat),
            instructions: InstructionQueue::default(),
        }
    }

    /// A player who goes on playing (ruling C16). They have the initialisation; all entities get new ids, and the old ones are
    /// deleted. A hello is answered at once.
    pub fn resume(resumption: &Resumption) -> Server {
        let welcome = resumption.welcome;
        Server {
            state: State::Playing { greeted: welcome.now - HELLO_ANSWER },
            listener: Subscriber::resume(welcome.seat),
            ..Server::new(welcome)
        }
    }

    /// The peer asks for the initialisation and the whole state. Both follow each other: the state in the next tick.
    fn hello(&mut self, now: Time) {
        match self.state {
            State::Playing { greeted } if now.since(greeted) >= HELLO_ANSWER => {
                self.state = State::Greeting;
                self.listener.ask_again();
            }
            // A second hello too soon, or before the first was answered: one answer is enough.
            State::Playing { .. } | State::Greeting | State::Ended(_) => {}
        }
    }

    fn read_keys(&mut self, events: KeyEvents) -> Result<(), Malformed> {
        for event in events {
            let event = event?;
            self.keys.set(event.button(), event.is_pressed());
        }
        Ok(())
    }
}

impl ServerSession for Server {
    fn receive(&mut self, now: Time, channel: Channel, bytes: &[u8]) -> Result<Received, Malformed> {
        match (self.state, channel) {
            (State::Ended(_), _) => Ok(None),
            // The dialect has no streams.
            (State::Greeting | State::Playing { .. }, Channel::Stream) => Err(Malformed::UnknownType),
            (State::Greeting | State::Playing { .. }, Channel::Datagram) => {
                self.heard = now;
                let events = KeyEvents::read(bytes);
                if events.is_hello() {
                    self.hello(now);
                    return Ok(None);
                }
                self.read_keys(events)?;
                Ok(None)
            }
        }
    }

    fn advance(&mut self, now: Time) {
        match self.state {
            State::Greeting | State::Playing { .. } if now.since(self.heard) >= SILENCE_MAX => {
                self.end(now, End::TimedOut);
            }
            State::Greeting | State::Playing { .. } | State::Ended(_) => {}
        }
    }

    fn forgive(&mut self, lost: Duration) {
        self.heard = self.heard + lost;
    }

    fn publish(&mut self, _now: Time, scene: &Scene) {
        if let State::Ended(_) = self.state {
            return;
        }
        self.instructions.clear();
        let make = || SharedWorld::new(self.scale);
        scene.shared_at(self.scale, make, |shared| {
            shared.tell(scene.updated(), scene, &mut self.listener, &mut self.instructions)
        });
    }

    fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> Option<Output> {
        buffer.clear();
        match self.state {
            State::Greeting => {
                write_own_initialisation(buffer);
                self.state = State::Playing { greeted: now };
                Some(Output::Datagram)
            }
            State::Playing { .. } => self.instructions.take(buffer).then_some(Output::Datagram),
            State::Ended(_) => None,
        }
    }

    fn input(&mut self, _now: Time) -> Input {
        self.keys.take()
    }

    /// Nobody can ask for anything in this dialect: joining starts the game (ruling C11).
    fn request(&mut self) -> Option<Request> {
        None
    }

    /// The seat comes with the first datagram, so that a session never is but opening.
    fn status(&self) -> Status {
        match self.state {
            State::Greeting | State::Playing { .. } => Status::Playing,
            State::Ended(why) => Status::Ended(why),
        }
    }

    /// Nothing is ever echoed (ruling C5).
    fn is_proved(&self) -> bool {
        false
    }

    fn end(&mut self, _now: Time, why: End) {
        // The first reason stays.
        if !matches!(self.state, State::Ended(_)) {
            self.state = State::Ended(why);
            self.keys = Keys::default();
        }
    }
}
