//! The client's half of a session. Start at [`Client::receive`]: state × packet.

use std::time::Duration;

use game::{Frame, Input, Seat};

use super::description::Update;
use super::keys::ClientKeys;
use super::reliability::{UnvalidatedPackets, Validations};
use super::server::{PING_EVERY, SILENCE_MAX};
use super::wire::{FromClient, FromServer, Packet, PacketType};
use super::world_reader::{EntityMove, WorldReader};
use crate::{Channel, ClientSession, End, Malformed, Output, Plan, Status, Time};

/// How long a HiServer is repeated without HiClient.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// Between two Pings until the server is known to have our validation of its HiClient: it may send three times what it
/// got (C5), and without more from us could not say HiClient again.
const PING_UNKNOWN_EVERY: Duration = Duration::from_millis(250);
/// How long an AdiosServer is repeated without validation.
const LINGER_MAX: Duration = Duration::from_secs(2);

/// The client's half of a session.
#[derive(Debug)]
pub struct Client {
    state: State,
    heard_at: Time,
    unvalidated: UnvalidatedPackets,
    validations: Validations,
    keys: ClientKeys,
    world: WorldReader,
    pinged_at: Time,
    ping_is_due: bool,
}

#[derive(Debug)]
enum State {
    /// HiClient has not come yet.
    Connecting {
        since: Time,
        /// The server has our HiServer: it validated it.
        is_heard: bool,
    },
    Playing {
        /// Something besides HiClient came, so the server has our validation of that.
        is_known: bool,
    },
    /// AdiosServer was said and is not validated yet.
    Leaving {
        since: Time,
    },
    Ended(End),
}

impl Client {
    pub fn new(plan: &Plan) -> Client {
        let mut client = Client {
            state: State::Connecting { since: plan.now, is_heard: false },
            heard_at: plan.now,
            unvalidated: UnvalidatedPackets::default(),
            validations: Validations::default(),
            keys: ClientKeys::default(),
            world: WorldReader::new(plan.scale),
            pinged_at: plan.now,
            ping_is_due: false,
        };
        client.say(plan.now, FromClient::HiServer);
        client
    }

    fn say(&mut self, now: Time, data: FromClient) {
        let timestamp = now.seconds();
        self.unvalidated.push(now, data.packet_type(), timestamp, |out| Packet { timestamp, data }.write(out));
    }

    fn hi_client(&mut self, now: Time, accepted: bool) {
        match self.state {
            State::Connecting { .. } if accepted => {
                self.unvalidated.forget(PacketType::HiServer);
                self.state = State::Playing { is_known: false };
                (self.pinged_at, self.ping_is_due) = (now, true);
            }
            State::Connecting { .. } => self.finish(End::Full),
            // Said again because our validation was lost; a refusal that comes this late is of an earlier attempt.
            State::Playing { .. } | State::Leaving { .. } | State::Ended(_) => {}
        }
    }

    fn packet_validation(&mut self, now: Time, packet_type: PacketType, timestamp: u64) {
        match (&mut self.state, packet_type) {
            // HiServer is repeated until HiClient comes, validated or not (F4).
            (State::Connecting { is_heard, .. }, PacketType::HiServer) => *is_heard = true,
            (State::Leaving { .. }, PacketType::AdiosServer) => self.finish(End::Left),
            _ => _ = self.unvalidated.validated(now, packet_type, timestamp),
        }
    }

    fn show(&mut self, now: Time, timestamp: u64, data: FromServer) {
        if let State::Playing { is_known } = &mut self.state {
            *is_known = true;
        }
        let world = &mut self.world;
        match data {
            FromServer::CreateEntity { network_id, entity_prefab_path, x, y } => {
                world.create(now, network_id, entity_prefab_path.as_str(), (x, y));
            }
            FromServer::DestroyEntity { network_id } => world.destroy(network_id),
            FromServer::MoveEntity { network_id, x, y, direction_x, direction_y } => {
                let (place, direction) = ((x, y), (direction_x, direction_y));
                world.move_entity(now, EntityMove { id: network_id, timestamp, place, direction });
            }
            FromServer::UpdateEntity { network_id, description } => {
                world.update(network_id, timestamp, Update::read(description));
            }
            FromServer::HiClient { .. } | FromServer::Ping | FromServer::PacketValidation { .. } => {}
        }
    }

    fn finish(&mut self, why: End) {
        self.state = State::Ended(why);
        self.ping_is_due = false;
        self.unvalidated.clear();
    }
}

impl ClientSession for Client {
    fn receive(&mut self, now: Time, _channel: Channel, bytes: &[u8]) -> Result<(), Malformed> {
        let Packet { timestamp, data } = Packet::<FromServer>::read(bytes)?;
        if let FromServer::PacketValidation { packet_type, packet_timestamp } = data {
            self.heard_at = now;
            self.packet_validation(now, packet_type, packet_timestamp);
            return Ok(());
        }
        match (&self.state, data) {
            // It was overtaken by what HiClient allows. Not validated, so it comes again.
            (State::Connecting { .. }, data) if !matches!(data, FromServer::HiClient { .. }) => return Ok(()),
            (State::Leaving { .. } | State::Ended(_), _) => return Ok(()),
            (State::Connecting { .. } | State::Playing { .. }, FromServer::HiClient { accepted }) => {
                self.hi_client(now, accepted);
            }
            (State::Connecting { .. } | State::Playing { .. }, data) => self.show(now, timestamp, data),
        }
        self.heard_at = now;
        self.validations.owe(data.packet_type(), timestamp);
        Ok(())
    }

    fn advance(&mut self, now: Time) {
        self.unvalidated.advance(now);
        let ping_every = match self.state {
            State::Connecting { since, .. } if now.since(since) > CONNECT_MAX => {
                return self.finish(End::TimedOut);
            }
            State::Playing { .. } if now.since(self.heard_at) > SILENCE_MAX => return self.finish(End::TimedOut),
            State::Leaving { since } if now.since(since) > LINGER_MAX => return self.finish(End::Left),
            State::Connecting { is_heard: false, .. } | State::Leaving { .. } | State::Ended(_) => return,
            State::Connecting { is_heard: true, .. } | State::Playing { is_known: false } => PING_UNKNOWN_EVERY,
            State::Playing { is_known: true } => PING_EVERY,
        };
        if now.since(self.pinged_at) >= ping_every {
            (self.pinged_at, self.ping_is_due) = (now, true);
        }
        self.world.advance(now);
    }

    fn press(&mut self, now: Time, input: Input) {
        if let State::Playing { .. } = self.state {
            self.keys.press(now, input, &mut self.unvalidated);
        }
    }

    fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> Option<Output> {
        buffer.clear();
        if self.unvalidated.poll(now, buffer) {
            return Some(Output::Datagram);
        }
        let timestamp = now.seconds();
        if let Some((packet_type, packet_timestamp)) = self.validations.next() {
            let data = FromClient::PacketValidation { packet_type, packet_timestamp };
            Packet { timestamp, data }.write(buffer);
            return Some(Output::Datagram);
        }
        if !std::mem::take(&mut self.ping_is_due) {
            return None;
        }
        self.unvalidated.pinged(now);
        Packet { timestamp, data: FromClient::Ping }.write(buffer);
        Some(Output::Datagram)
    }

    fn take_frame(&mut self, frame: &mut Frame) -> bool {
        self.world.take(frame)
    }

    fn seat(&self) -> Option<Seat> {
        self.world.seat()
    }

    fn status(&self) -> Status {
        match self.state {
            State::Connecting { .. } => Status::Opening,
            State::Playing { .. } => Status::Playing,
            State::Leaving { .. } => Status::Leaving,
            State::Ended(why) => Status::Ended(why),
        }
    }

    fn start(&mut self, _now: Time) {
        self.keys.start();
    }

    fn leave(&mut self, now: Time) {
        match self.state {
            State::Connecting { .. } | State::Playing { .. } => {
                self.finish(End::Left);
                self.state = State::Leaving { since: now };
                self.say(now, FromClient::AdiosServer);
            }
            State::Leaving { .. } | State::Ended(_) => {}
        }
    }
}
