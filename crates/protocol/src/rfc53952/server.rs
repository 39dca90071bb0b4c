//! The server's half of a session. Start at [`Server::receive`]: state × packet.
//!
//! Until HiClient is validated nothing but it and the validations that we owe is sent, HiClient first, so that the
//! exchange fits into three times what the peer sent (C5).

use std::time::Duration;

use game::{Buttons, Input, Seat};

use super::description::{ClientEvent, Direction};
use super::reliability::{UnvalidatedPackets, Validations};
use super::wire::{FromClient, FromServer, Packet, PacketType};
use super::world_writer::WorldWriter;
use crate::{
    Channel, End, Keys, Malformed, Numbers, Output, Received, Request, Resumption, Scale, Scene, ServerSession, Status,
    Time, Welcome,
};

/// Silence of the peer that ends the session (F8).
pub const SILENCE_MAX: Duration = Duration::from_secs(4);
/// Between two Pings (F8).
pub const PING_EVERY: Duration = Duration::from_secs(1);
/// A client that greets again is told everything again, but not more often than this.
const GREETING_EVERY: Duration = Duration::from_secs(1);

/// The server's half of a session.
#[derive(Debug)]
pub struct Server {
    seat: Seat,
    scale: Scale,
    state: State,
    heard_at: Time,
    unvalidated: UnvalidatedPackets,
    validations: Validations,
    keys: Keys,
    order: EventOrder,
    request: Option<Request>,
}

#[derive(Debug)]
enum State {
    /// HiClient is not validated yet.
    Greeting {
        /// Timestamp of the HiServer.
        hello: u64,
    },
    Playing(Box<Playing>),
    Ended {
        why: End,
        is_proved: bool,
    },
}

#[derive(Debug)]
struct Playing {
    world: WorldWriter,
    /// Timestamp of the newest HiServer.
    hello: u64,
    greeted_at: Time,
    pinged_at: Time,
    ping_is_due: bool,
}

impl Server {
    /// The session of a player who was given a seat. The HiServer is received next.
    pub fn new(welcome: Welcome) -> Server {
        Server {
            seat: welcome.seat,
            scale: welcome.scale,
            state: State::Greeting { hello: 0 },
            heard_at: welcome.now,
            unvalidated: UnvalidatedPackets::default(),
            validations: Validations::default(),
            keys: Keys::default(),
            order: EventOrder::default(),
            request: None,
        }
    }

    /// The session of a player who goes on playing (ruling C16). A HiServer that comes is from a program that was started again.
    pub fn resume(resumption: &Resumption) -> Server {
        let Welcome { seat, now, scale, numbers, .. } = resumption.welcome;
        let world = WorldWriter::resume(seat, scale, numbers.to_bits() as u32);
        let playing = Playing { world, hello: 0, greeted_at: now, pinged_at: now, ping_is_due: false };
        Server { state: State::Playing(Box::new(playing)), ..Server::new(resumption.welcome) }
    }

    /// F5: every HiServer is answered.
    fn greet(&mut self, now: Time) {
        if !self.unvalidated.repeat_now(now, PacketType::HiClient) {
            let timestamp = now.seconds();
            let packet = Packet { timestamp, data: FromServer::HiClient { accepted: true } };
            self.unvalidated.push(now, PacketType::HiClient, timestamp, |out| packet.write(out));
        }
    }

    fn hi_server(&mut self, now: Time, timestamp: u64) {
        self.greet(now);
        match &mut self.state {
            State::Greeting { hello } => *hello = timestamp.max(*hello),
            // A repeat has the same timestamp; a newer one comes from a program that was started again.
            State::Playing(playing) if timestamp > playing.hello && now.since(playing.greeted_at) >= GREETING_EVERY => {
                (playing.hello, playing.greeted_at) = (timestamp, now);
                playing.world.forget();
                self.keys.replace(Buttons::NONE);
            }
            State::Playing(_) | State::Ended { .. } => {}
        }
    }

    fn packet_validation(&mut self, now: Time, packet_type: PacketType, timestamp: u64) {
        let is_delivered = self.unvalidated.validated(now, packet_type, timestamp);
        if let State::Greeting { hello } = self.state
            && is_delivered
            && packet_type == PacketType::HiClient
        {
            let world = WorldWriter::new(self.seat, self.scale);
            self.state =
                State::Playing(Box::new(Playing { world, hello, greeted_at: now, pinged_at: now, ping_is_due: true }));
        }
    }

    fn client_event(&mut self, timestamp: u64, event: ClientEvent) {
        if !self.order.admits(timestamp, event) {
            return;
        }
        match event {
            ClientEvent::Start(direction) => self.keys.set(button(direction), true),
            ClientEvent::Stop(direction) => self.keys.set(button(direction), false),
            ClientEvent::StopAll => {
                let flying = Buttons::LEFT | Buttons::RIGHT | Buttons::UP | Buttons::DOWN;
                self.keys.replace(self.keys.held().with(flying, false));
            }
            ClientEvent::Press => self.keys.set(Buttons::FIRE, true),
            ClientEvent::Release => self.keys.set(Buttons::FIRE, false),
            ClientEvent::Shot => self.keys.tap(Buttons::FIRE),
            ClientEvent::Force => self.keys.tap(Buttons::FORCE),
            ClientEvent::StartGame => self.request = Some(Request::Start),
            ClientEvent::Unknown { .. } => {}
        }
    }

    /// Ends the session. What is owed is still validated; nothing is repeated any more.
    fn finish(&mut self, why: End) {
        self.state = State::Ended { why, is_proved: self.is_proved() };
        self.unvalidated.clear();
        self.keys = Keys::default();
    }
}

impl ServerSession for Server {
    fn receive(&mut self, now: Time, _channel: Channel, bytes: &[u8]) -> Result<Received, Malformed> {
        let Packet { timestamp, data } = Packet::<FromClient>::read(bytes)?;
        if matches!(self.state, State::Ended { .. }) {
            return Ok(None);
        }
        self.heard_at = now;
        if let FromClient::PacketValidation { packet_type, packet_timestamp } = data {
            self.packet_validation(now, packet_type, packet_timestamp);
            return Ok(None);
        }
        self.validations.owe(data.packet_type(), timestamp);
        match (&self.state, data) {
            (_, FromClient::HiServer) => self.hi_server(now, timestamp),
            (_, FromClient::AdiosServer) => self.finish(End::Left),
            // Before our HiClient is validated too: the validation may be what was lost.
            (State::Greeting { .. } | State::Playing(_), FromClient::ClientEvents { id_event, description }) => {
                self.client_event(timestamp, ClientEvent::read(id_event, description));
            }
            (State::Ended { .. }, FromClient::ClientEvents { .. }) => {}
            (_, FromClient::Ping | FromClient::PacketValidation { .. }) => {}
        }
        Ok(None)
    }

    fn advance(&mut self, now: Time) {
        match &mut self.state {
            State::Greeting { .. } => {}
            State::Playing(playing) if now.since(playing.pinged_at) >= PING_EVERY => {
                (playing.pinged_at, playing.ping_is_due) = (now, true);
            }
            State::Playing(_) => {}
            State::Ended { .. } => return,
        }
        self.unvalidated.advance(now);
        if now.since(self.heard_at) > SILENCE_MAX {
            self.finish(End::TimedOut);
        }
    }

    fn forgive(&mut self, lost: Duration) {
        self.heard_at = self.heard_at + lost;
    }

    fn publish(&mut self, now: Time, scene: &Scene) {
        if let State::Playing(playing) = &mut self.state {
            playing.world.tell_ghosts(now, scene, &mut self.unvalidated);
            playing.world.publish(now, &scene.frame, &mut self.unvalidated);
        }
    }

    fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> Option<Output> {
        buffer.clear();
        if self.unvalidated.poll(now, buffer) {
            return Some(Output::Datagram);
        }
        let timestamp = now.seconds();
        if let Some((packet_type, packet_timestamp)) = self.validations.next() {
            let data = FromServer::PacketValidation { packet_type, packet_timestamp };
            Packet { timestamp, data }.write(buffer);
            return Some(Output::Datagram);
        }
        let State::Playing(playing) = &mut self.state else { return None };
        if std::mem::take(&mut playing.ping_is_due) {
            self.unvalidated.pinged(now);
            Packet { timestamp, data: FromServer::Ping }.write(buffer);
            return Some(Output::Datagram);
        }
        playing.world.poll_move(buffer).then_some(Output::Datagram)
    }

    fn input(&mut self, _now: Time) -> Input {
        self.keys.take()
    }

    fn request(&mut self) -> Option<Request> {
        self.request.take()
    }

    fn status(&self) -> Status {
        match self.state {
            State::Greeting { .. } => Status::Opening,
            State::Playing(_) => Status::Playing,
            State::Ended { why, .. } => Status::Ended(why),
        }
    }

    fn retransmissions(&self) -> u64 {
        self.unvalidated.repeats()
    }

    /// How far the network ids are above the game's. Timestamps are the time's.
    fn numbers(&self) -> Numbers {
        match &self.state {
            State::Playing(playing) => Numbers::from_bits(playing.world.id_offset().into()),
            State::Greeting { .. } | State::Ended { .. } => Numbers::default(),
        }
    }

    fn is_proved(&self) -> bool {
        match self.state {
            State::Greeting { .. } => false,
            State::Playing(_) => true,
            State::Ended { is_proved, .. } => is_proved,
        }
    }

    fn end(&mut self, _now: Time, why: End) {
        if !matches!(self.state, State::Ended { .. }) {
            self.finish(why);
        }
    }
}

fn button(direction: Direction) -> Buttons {
    match direction {
        Direction::Left => Buttons::LEFT,
        Direction::Right => Buttons::RIGHT,
        Direction::Up => Buttons::UP,
        Direction::Down => Buttons::DOWN,
    }
}

/// Which events are carried out (F6).
#[derive(Clone, Copy, Debug, Default)]
struct EventOrder {
    newest: Option<u64>,
    force: Option<u64>,
    start: Option<u64>,
}

impl EventOrder {
    /// Whether an event is to be carried out; if so, it counts as that.
    fn admits(&mut self, timestamp: u64, event: ClientEvent) -> bool {
        let this = Some(timestamp);
        let is_admitted = self.newest <= this
            && match event {
                ClientEvent::Unknown { .. } => false,
                ClientEvent::Force => std::mem::replace(&mut self.force, this) != this,
                ClientEvent::StartGame => std::mem::replace(&mut self.start, this) != this,
                ClientEvent::Start(_)
                | ClientEvent::Stop(_)
                | ClientEvent::StopAll
                | ClientEvent::Press
                | ClientEvent::Release
                | ClientEvent::Shot => true,
            };
        if is_admitted {
            self.newest = this;
        }
        is_admitted
    }
}
