//! A session of the node: one peer's conversation in one dialect, and what the node must know to carry it on.
//!
//! It belongs to the lobby that it is in; one that came over a link and is in no lobby belongs to the router. It knows neither.

mod awaited;
mod intake;
mod link;
mod reachability;

use std::time::Duration;

use game::{Input, ShipModel};
use protocol::{
    AnyServerSession, Channel, End, LinkSession, LobbyNotice, LobbyRequest, Malformed, Output, Request, Scene, Status,
    StreamUse, Time, Welcome,
    amplification::{Allowance, Proof},
};

pub(crate) use awaited::{Awaited, KnownNumbers};
pub(crate) use link::{LinkState, StreamPiece};
pub use reachability::UnreachableHint;

use self::{intake::Intake, reachability::Reachability};

use crate::{
    counters::Drop,
    directory::{DatagramHash, RecentDeparture},
    limits::Limits,
    outgoing::{BudgetMember, Context},
    peer::{PeerKey, StreamRef},
};

/// How often bad and odd bytes of one peer are logged, at most.
const WARN_EVERY: Duration = Duration::from_secs(1);

/// Ruling C14: a datagram that comes this much later than the first is a second sign of life.
const SECOND_SIGN_AFTER: Duration = Duration::from_millis(100);

/// How a second sign of life stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Confirmation {
    /// None is needed, or it has been told.
    None,
    Awaited,
    Given,
}

pub(crate) struct Session {
    /// What the dialect makes of it.
    protocol: AnyServerSession,
    /// Who speaks. Its datagrams go there.
    pub peer: PeerKey,
    /// Its stream, while it has one.
    pub stream: Option<StreamRef>,
    /// What it has besides if it came over a link.
    pub link: Option<Box<LinkState>>,
    /// What may be sent to an address that is not proved.
    pub allowance: Allowance,
    budget: Option<BudgetMember>,
    pub opened: Time,
    /// The datagram that opened it; none where a stream did.
    first_datagram: Option<DatagramHash>,
    warned: Option<Time>,
    reachability: Reachability,
    /// How many datagrams are taken from the peer. A link's are limited where it comes in.
    intake: Intake,
    /// Ruling C14: whether its seat was taken by a single datagram, and how that stands.
    confirmation: Confirmation,
    /// When the node started, as the peer was told.
    started: Time,
    /// The player of an earlier process of the node, until they are heard (ruling C16).
    awaited: Option<Box<Awaited>>,
}

impl Session {
    /// The session of a player who was given a seat.
    pub fn for_player(cx: &mut Context, peer: PeerKey, welcome: Welcome) -> Session {
        let session = Session::new(cx, peer, AnyServerSession::Seated(peer.dialect().accept(welcome)));
        Session { started: welcome.started, ..session }
    }

    /// The session of a link. It is there before its seat.
    pub fn for_link(cx: &mut Context, peer: PeerKey, stream: StreamRef) -> Option<Session> {
        let StreamUse::Link(open) = peer.dialect().entry().stream else { return None };
        let session = Session::new(cx, peer, AnyServerSession::Link(open(cx.now)));
        Some(Session { stream: Some(stream), link: Some(Box::default()), ..session })
    }

    fn new(cx: &mut Context, peer: PeerKey, protocol: AnyServerSession) -> Session {
        let allowance = Allowance::new(cx.now, peer.dialect().entry().proof, peer.is_neighbour);
        let budget = allowance.is_budgeted().then(|| cx.out.budget.join());
        cx.out.counters.of(peer.dialect()).sessions += 1;
        Session {
            protocol,
            peer,
            stream: None,
            link: None,
            allowance,
            budget,
            opened: cx.now,
            first_datagram: None,
            warned: None,
            reachability: Reachability::default(),
            intake: Intake::new(cx.now, Limits::default().datagrams_per_player),
            confirmation: Confirmation::None,
            started: cx.now,
            awaited: None,
        }
    }

    /// Takes bytes from the peer, and answers at once what is to be answered at once. The stream that it has done with, if any.
    #[must_use]
    pub fn receive(&mut self, cx: &mut Context, channel: Channel, bytes: &[u8]) -> Option<StreamRef> {
        let now = cx.now;
        if channel == Channel::Datagram {
            if !self.is_link() && !self.intake.admit(cx.now, bytes.len()) {
                cx.out.count_drop(self.peer.dialect(), Drop::Flooded);
                return None;
            }
            self.allowance.received(now, bytes.len());
            self.reachability.heard();
        }
        // Not for what is not looked at: it costs an allocation.
        self.begin_if_awaited(now);
        let received = self.protocol.receive(now, channel, bytes);
        if received.is_ok() {
            self.awaited = None;
        }
        match received {
            Ok(None) => self.note_sign_of_life(cx.now),
            Ok(Some(oddity)) => {
                self.note_sign_of_life(cx.now);
                self.warn(now, &oddity);
                cx.out.counters.of(self.peer.dialect()).oddities += 1;
            }
            Err(malformed) => {
                if malformed != Malformed::Runt {
                    self.warn(now, &malformed);
                }
                cx.out.count_drop(self.peer.dialect(), malformed.into());
            }
        }
        self.flush(cx)
    }

    /// The datagram that its seat was given for, and what its address has sent over a stream before. Until the peer gives a
    /// second sign of life, the seat is provisional; where the address is proved by a stream, the port is not (ruling C5).
    pub fn opened_by(&mut self, first_datagram: Option<DatagramHash>, stream_bytes: u64) {
        self.first_datagram = first_datagram;
        if first_datagram.is_some() {
            self.confirmation = Confirmation::Awaited;
            if self.peer.dialect().entry().proof == Proof::Stream {
                self.allowance.hold(stream_bytes);
            }
        }
    }

    /// Sets how many datagrams of its peer are taken in a second.
    pub fn limit_intake(&mut self, now: Time, per_second: u32) {
        self.intake = Intake::new(now, per_second);
    }

    /// Whether the peer has given no second sign of life yet.
    pub fn is_provisional(&self) -> bool {
        self.confirmation == Confirmation::Awaited
    }

    /// The seat was provisional when it was saved, and is so again.
    pub fn await_second_sign(&mut self) {
        self.confirmation = Confirmation::Awaited;
    }

    fn note_sign_of_life(&mut self, now: Time) {
        let counts = now.since(self.opened) >= SECOND_SIGN_AFTER || self.is_proved();
        if self.confirmation == Confirmation::Awaited && counts {
            self.confirmation = Confirmation::Given;
        }
    }

    /// Whether the peer has just confirmed that it is there. True once.
    pub fn take_confirmation(&mut self) -> bool {
        let is_given = self.confirmation == Confirmation::Given;
        if is_given {
            self.confirmation = Confirmation::None;
        }
        is_given
    }

    /// Lets time pass.
    pub fn advance(&mut self, now: Time) {
        if self.is_awaited() {
            return;
        }
        self.protocol.advance(now);
        if self.reachability.is_gone(now) && self.ended().is_none() {
            self.end(now, End::Unreachable);
        }
    }

    /// The node itself lost time: it is nobody's silence (ruling C15).
    pub fn lose_time(&mut self, lost: Duration) {
        self.protocol.forgive(lost);
        self.reachability.forgive(lost);
        self.allowance.forgive(lost);
        if let Some(awaited) = &mut self.awaited {
            awaited.welcome.now = awaited.welcome.now + lost;
        }
    }

    /// Somebody says that nobody listens where the peer is (ruling C6).
    pub fn hint_unreachable(&mut self, now: Time, hint: UnreachableHint) {
        self.reachability.hint(now, self.peer, hint);
    }

    /// Shows the peer what there is to see.
    pub fn publish(&mut self, now: Time, scene: &Scene) {
        if self.is_awaited() {
            return;
        }
        self.protocol.publish(now, scene);
    }

    /// Sends all that it has to say. The stream that it has done with, if any: it is to be closed.
    #[must_use]
    pub fn flush(&mut self, cx: &mut Context) -> Option<StreamRef> {
        let (now, mut done_with) = (cx.now, None);
        while let Some(output) = self.protocol.poll(now, &mut cx.out.buffer) {
            match (output, self.stream) {
                (Output::Datagram, _) if self.may_send(cx) => {
                    if !self.is_link() {
                        self.reachability.sent(now, &cx.out.buffer);
                        self.intake.sent();
                    }
                    cx.out.written_datagram(self.peer);
                }
                (Output::Datagram, _) => cx.out.count_drop(self.peer.dialect(), Drop::HeldBack),
                // A link is at hand wherever its session is.
                (Output::Stream, Some(stream)) if self.is_link() => cx.out.written_bytes(stream.id),
                (Output::Stream, Some(stream)) => cx.out.written_bytes_home(stream),
                // A link is closed when its session is over.
                (Output::CloseStream, _) if self.is_link() => {}
                (Output::CloseStream, _) => done_with = self.stream.take().or(done_with),
                (Output::Stream, None) => {}
                // Only clients are told where to go.
                (Output::DatagramsTo(_), _) => {}
            }
        }
        done_with
    }

    /// Whether what is in the buffer may go out as a datagram now; if so it counts as sent.
    fn may_send(&mut self, cx: &mut Context) -> bool {
        let bytes = cx.out.buffer.len();
        if self.ended().is_some() {
            self.allowance.end();
        }
        self.allowance.spend(cx.now, bytes, self.protocol.is_proved())
            && self.budget.is_none_or(|member| cx.out.budget.spend(cx.now, member, bytes))
    }

    /// Ends it from our side, with a last word if the dialect has one.
    pub fn end(&mut self, now: Time, why: End) {
        self.protocol.end(now, why);
    }

    /// Why it is over, if it is.
    pub fn ended(&self) -> Option<End> {
        match self.protocol.status() {
            Status::Ended(why) => Some(why),
            Status::Opening | Status::Playing | Status::Leaving => None,
        }
    }

    /// It has come to a lobby, or out of one: what it sends and is sent is counted from zero.
    pub fn count_from_zero(&mut self, now: Time) {
        self.opened = now;
        self.allowance = Allowance::new(now, self.peer.dialect().entry().proof, self.peer.is_neighbour);
    }

    /// It is gone: what it took part in, it takes part in no longer.
    pub fn close_account(&mut self, cx: &mut Context) {
        if let Some(member) = self.budget.take() {
            cx.out.budget.leave(member);
        }
        cx.out.counters.of(self.peer.dialect()).retransmissions += self.protocol.retransmissions();
    }

    pub fn is_link(&self) -> bool {
        self.link.is_some()
    }

    /// The ship that the player of a link chose.
    pub fn link_ship(&self) -> Option<ShipModel> {
        self.link.as_ref().and_then(|link| link.ship)
    }

    /// The name of the player; empty where a lobby knows it rather than the link.
    pub fn link_name(&self) -> &str {
        self.link.as_ref().map_or("", |link| &link.name)
    }

    /// What the player asks of the node; each is given out once.
    pub fn next_request(&mut self) -> Option<LobbyRequest> {
        self.protocol.link_mut()?.lobby_request()
    }

    /// The next piece of its link's stream, if that has come.
    pub fn next_piece(&mut self) -> Option<Box<[u8]>> {
        self.link.as_mut()?.next_piece()
    }

    /// Tells the player what is new in the lobby or came of a request.
    pub fn notify(&mut self, now: Time, notice: &LobbyNotice) {
        // Other dialects have no words for it.
        if let Some(link) = self.protocol.link_mut() {
            link.notify(now, notice);
        }
    }

    /// What the player holds.
    pub fn input(&mut self, now: Time) -> Input {
        self.protocol.input(now)
    }

    /// What the player asks of the lobby; each is given out once.
    pub fn lobby_request(&mut self) -> Option<Request> {
        self.protocol.request()
    }

    pub fn is_proved(&self) -> bool {
        self.protocol.is_proved()
    }

    /// Whether a game that was paused can resume, as far as this player is concerned.
    pub fn can_resume(&self) -> bool {
        self.protocol.link().is_none_or(|link| link.can_resume())
    }

    pub fn retransmissions(&self) -> u64 {
        self.protocol.retransmissions()
    }

    /// How it ended, for a peer that comes again.
    pub fn departure(&self) -> RecentDeparture {
        RecentDeparture { first_datagram: self.first_datagram, numbers: self.protocol.numbers() }
    }

    /// Puts another conversation in the place of this one. For tests, which have no other way to one that panics.
    pub fn substitute(&mut self, protocol: Box<dyn LinkSession>) {
        self.protocol = AnyServerSession::Link(protocol);
    }

    fn warn(&mut self, now: Time, what: &dyn std::fmt::Debug) {
        if self.warned.is_none_or(|last| now.since(last) >= WARN_EVERY) {
            self.warned = Some(now);
            let (dialect, peer) = (self.peer.dialect().name(), self.peer.address);
            tracing::warn!(dialect, %peer, ?what, "a peer sent something that it should not");
        }
    }
}
