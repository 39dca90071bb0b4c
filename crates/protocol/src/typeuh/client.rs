//! The client's half of a `typeuh` session: says hello, learns the components, obeys instructions, sends keys.

use std::time::Duration;

use game::{Frame, Input, Seat};

use super::{
    component::ComponentTable,
    initialisation::InitialisationParts,
    keys::ClientKeys,
    wire::{Initialisation, Instructions},
    world_reader::WorldReader,
};
use crate::{Channel, ClientSession, End, Malformed, Output, Plan, ServerFault, Status, Time};

/// A hello is repeated after this (ruling T1).
const HELLO: Duration = Duration::from_millis(500);
/// When nothing came for this long in a game, we say hello again to hear whether anybody is there. Our own server is
/// never quiet for a second.
const QUIET: Duration = Duration::from_secs(2);
/// How long a server may be silent before it is gone, or was full from the beginning.
const SILENCE_MAX: Duration = Duration::from_secs(10);
/// An initialisation this long after the last hello, or the last initialisation, is neither an answer nor a copy.
const ANSWER_MAX: Duration = Duration::from_secs(1);
/// Datagrams in which a client that leaves lets go of all keys: one may be lost, and there is no later.
const RELEASES: u8 = 3;

/// Where a session stands.
#[derive(Debug)]
enum State {
    /// We say hello until the initialisation comes.
    Opening { since: Time, hello: Option<Time>, parts: InitialisationParts },
    /// We know the components. `hello` is when we said it last, or were answered.
    Playing { table: ComponentTable, heard: Time, hello: Time },
    /// Over; the keys are still to be let go of in `releases` datagrams.
    Ended { why: End, releases: u8 },
}

/// One player, as their own machine sees it.
#[derive(Debug)]
pub(super) struct Client {
    state: State,
    fault: Option<ServerFault>,
    world: WorldReader,
    keys: ClientKeys,
}

impl Client {
    pub fn new(plan: &Plan) -> Client {
        Client {
            state: State::Opening { since: plan.now, hello: None, parts: InitialisationParts::default() },
            fault: None,
            world: WorldReader::new(plan.now, plan.scale),
            keys: ClientKeys::new(plan.now),
        }
    }

    /// Ruling T2: an initialisation may come at any time. Mostly it answers a hello. One begins another session if nobody asked
    /// for it, if it comes after a long silence, or if it has other names. Everything is said again behind it, and the ids that
    /// we knew may belong to other entities now.
    fn initialise(&mut self, now: Time, new: ComponentTable) {
        let unknown = Some(new.unknown()).filter(|names| !names.is_empty());
        self.fault = unknown.cloned().map(ServerFault::UnknownComponents);
        match &mut self.state {
            State::Opening { .. } => {
                self.keys = ClientKeys::new(now);
                self.state = State::Playing { table: new, heard: now, hello: now };
            }
            State::Playing { table, heard, hello } => {
                let is_answer = now.since(*hello) < ANSWER_MAX && now.since(*heard) < QUIET;
                if *table != new || !is_answer {
                    self.world.clear();
                }
                self.state = State::Playing { table: new, heard: now, hello: now };
            }
            State::Ended { .. } => {}
        }
    }

    /// A datagram that is not a whole initialisation.
    fn receive_rest(&mut self, now: Time, bytes: &[u8]) -> Result<(), Malformed> {
        match &mut self.state {
            State::Opening { parts, .. } => {
                // If it is not a part, it may be instructions that overtook the initialisation. Nobody can read them.
                if let Some(table) = parts.add(bytes) {
                    self.initialise(now, table);
                } else {
                    self.fault = parts.fault().map(ServerFault::BadInitialisation);
                }
                Ok(())
            }
            State::Playing { table, heard, .. } => {
                *heard = now;
                self.world.begin_datagram();
                for instruction in Instructions::read(bytes, table) {
                    self.world.obey(now, &instruction?, table);
                }
                Ok(())
            }
            State::Ended { .. } => Ok(()),
        }
    }

    fn is_hello_due(&mut self, now: Time) -> bool {
        match &mut self.state {
            State::Opening { hello, .. } => {
                let is_due = hello.is_none_or(|hello| now.since(hello) >= HELLO);
                if is_due {
                    *hello = Some(now);
                }
                is_due
            }
            State::Playing { heard, hello, .. } => {
                let is_due = now.since(*heard) >= QUIET && now.since(*hello) >= HELLO;
                if is_due {
                    *hello = now;
                }
                is_due
            }
            State::Ended { .. } => false,
        }
    }
}

impl ClientSession for Client {
    fn receive(&mut self, now: Time, channel: Channel, bytes: &[u8]) -> Result<(), Malformed> {
        if channel == Channel::Stream {
            return Err(Malformed::UnknownType);
        }
        match Initialisation::read(bytes) {
            Ok(initialisation) => {
                self.initialise(now, ComponentTable::new(&initialisation));
                Ok(())
            }
            Err(_) => self.receive_rest(now, bytes),
        }
    }

    fn advance(&mut self, now: Time) {
        self.world.advance(now);
        match self.state {
            State::Opening { since: heard, .. } | State::Playing { heard, .. } => {
                if now.since(heard) >= SILENCE_MAX {
                    self.state = State::Ended { why: End::TimedOut, releases: 0 };
                }
            }
            State::Ended { .. } => {}
        }
    }

    /// Before the game nothing is sent but hellos; what is then still held is sent when it begins.
    fn press(&mut self, now: Time, input: Input) {
        match self.state {
            State::Playing { .. } => self.keys.press(now, input),
            State::Opening { .. } | State::Ended { .. } => {}
        }
    }

    fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> Option<Output> {
        buffer.clear();
        if self.is_hello_due(now) {
            // The hello is an empty datagram (ruling T1).
            return Some(Output::Datagram);
        }
        match &mut self.state {
            State::Playing { .. } => self.keys.poll(now, buffer).then_some(Output::Datagram),
            State::Ended { releases: 0, .. } | State::Opening { .. } => None,
            State::Ended { releases, .. } => {
                *releases -= 1;
                ClientKeys::release(buffer);
                Some(Output::Datagram)
            }
        }
    }

    fn take_frame(&mut self, frame: &mut Frame) -> bool {
        self.world.take_frame(frame)
    }

    fn seat(&self) -> Option<Seat> {
        self.world.seat()
    }

    fn status(&self) -> Status {
        match self.state {
            State::Opening { .. } => Status::Opening,
            State::Playing { .. } => Status::Playing,
            State::Ended { why, .. } => Status::Ended(why),
        }
    }

    /// Before the game: what was wrong with the last initialisation. In it: the components that we do not know.
    fn fault(&self) -> Option<&ServerFault> {
        self.fault.as_ref()
    }

    /// The dialect has no such request: joining starts the game (ruling C11).
    fn start(&mut self, _now: Time) {}

    /// The dialect has no goodbye. We let go of every key, so that the ship does not fly on for the five minutes after
    /// which the server ends the session (ruling T6).
    fn leave(&mut self, _now: Time) {
        let releases = match self.state {
            State::Opening { .. } => 0,
            State::Playing { .. } => RELEASES,
            State::Ended { .. } => return,
        };
        self.state = State::Ended { why: End::Left, releases };
    }
}
