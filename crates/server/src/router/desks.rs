//! Streams that ask for lobbies.
//!
//! A lobby's port is opened by the shard that the lobby lives on. Until that is done the desk waits, wherever it is.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use protocol::{Desk, DeskAnswer, DeskQuestion, LobbyId, Output, Time};

use super::{Message, PortRequest, Rate, RatedSender, Router};
use crate::{
    counters::Drop,
    directory::DeskChoice,
    outgoing::{Context, Outgoing},
    peer::{PeerKey, StreamId, StreamRef},
    remote::RemoteWish,
};

/// A desk that waits for something else is looked at again after this.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The streams that ask for lobbies.
#[derive(Default)]
pub(super) struct Desks {
    open: BTreeMap<StreamId, OpenDesk>,
    /// When each of them is to be looked at, though nothing comes.
    deadlines: BTreeSet<(Time, StreamId)>,
}

/// A stream at which a peer asks for lobbies.
struct OpenDesk {
    desk: Box<dyn Desk>,
    peer: PeerKey,
    /// When it is looked at next, though nothing comes.
    looked_at: Option<Time>,
    /// What it has sent since it was last answered.
    received_bytes: usize,
    /// The time that the node itself lost meanwhile (ruling C15). For the desk it did not pass.
    lost: Duration,
}

impl Desks {
    pub fn add(&mut self, peer: PeerKey, stream: StreamId, desk: Box<dyn Desk>) {
        let looked_at = desk.deadline();
        self.deadlines.extend(looked_at.map(|due| (due, stream)));
        self.open.insert(stream, OpenDesk { desk, peer, looked_at, received_bytes: 0, lost: Duration::ZERO });
    }

    /// A desk is gone, and is not looked at any more.
    pub fn forget(&mut self, stream: StreamId) {
        let looked_at = self.open.remove(&stream).and_then(|open| open.looked_at);
        looked_at.into_iter().for_each(|due| _ = self.deadlines.remove(&(due, stream)));
    }

    /// The node itself lost time.
    pub fn lose_time(&mut self, lost: Duration) {
        self.open.values_mut().for_each(|open| open.lost += lost);
    }

    /// When one of them is to be looked at next, though nothing comes.
    pub fn next_deadline(&self) -> Option<Time> {
        self.deadlines.first().map(|(due, _)| *due)
    }

    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Takes out the next that may be due by now.
    fn take_due(&mut self, now: Time) -> Option<StreamId> {
        let next = self.deadlines.first().copied().filter(|(due, _)| *due <= now)?;
        self.deadlines.remove(&next);
        Some(next.1)
    }

    /// One that was due is looked at again when it says so, but not at once.
    fn look_again(&mut self, now: Time, stream: StreamId) {
        if let Some(open) = self.open.get_mut(&stream) {
            let again = open.desk.deadline().map_or(now, |due| due + open.lost).max(now + LOOK_AGAIN);
            open.looked_at = Some(again);
            self.deadlines.insert((again, stream));
        }
    }
}

impl Router {
    pub(super) fn desk_bytes(&mut self, cx: &mut Context, stream: StreamId, bytes: &[u8]) {
        let Some(open) = self.desks.open.get_mut(&stream) else { return };
        open.received_bytes += bytes.len();
        if !self.directory.rates().admit(cx.now, RatedSender::Connected(open.peer.ip()), Rate::Bytes, bytes.len()) {
            cx.out.count_drop(open.peer.dialect(), Drop::RateLimited);
            self.desks.forget(stream);
            return cx.out.close_stream(stream);
        }
        if let Err(malformed) = open.desk.receive(cx.now - open.lost, bytes) {
            cx.out.count_drop(open.peer.dialect(), malformed.into());
        }
        self.serve_desk(cx, stream);
    }

    /// Lets time pass at the desks that may be due. One that is not due after all is looked at again when it is.
    pub(super) fn advance_desks(&mut self, cx: &mut Context) {
        while let Some(stream) = self.desks.take_due(cx.now) {
            self.serve_desk(cx, stream);
            self.desks.look_again(cx.now, stream);
        }
    }

    /// Another shard's desk wants the port of a lobby of this one.
    pub(super) fn port_wanted(&mut self, cx: &mut Context, request: PortRequest) {
        if let Some(answer) = self.ask_for_port(cx, request) {
            self.answer_desk(cx, request.desk, answer);
        }
    }

    /// A lobby's port that was asked for could be opened, or not.
    pub fn port_opened(&mut self, cx: &mut Context, port: u16, is_open: bool) {
        for (request, answer) in self.settle_port(cx, port, is_open) {
            self.answer_desk(cx, request.desk, answer);
        }
    }

    fn answer_desk(&mut self, cx: &mut Context, desk: StreamRef, answer: DeskAnswer) {
        if desk.home == self.shard {
            self.desk_answer(cx, desk.id, answer);
        } else {
            cx.out.message(desk.home, Message::Answer { desk: desk.id, answer });
        }
    }

    /// What a desk has waited for.
    pub(super) fn desk_answer(&mut self, cx: &mut Context, stream: StreamId, answer: DeskAnswer) {
        let Some(open) = self.desks.open.get_mut(&stream) else { return };
        open.desk.answer(cx.now - open.lost, answer);
        let received_bytes = std::mem::take(&mut open.received_bytes);
        self.directory.proofs().note(cx.now, open.peer.ip(), received_bytes);
        self.serve_desk(cx, stream);
    }

    /// Closes the desks of some peers.
    pub fn close_desks(&mut self, cx: &mut Context, is_unwanted: impl Fn(PeerKey) -> bool) {
        let unwanted = self.desks.open.iter().filter(|(_, open)| is_unwanted(open.peer));
        let unwanted: Vec<StreamId> = unwanted.map(|(stream, _)| *stream).collect();
        for stream in unwanted {
            self.desks.forget(stream);
            cx.out.close_stream(stream);
        }
    }

    fn serve_desk(&mut self, cx: &mut Context, stream: StreamId) {
        let Some(mut open) = self.desks.open.remove(&stream) else { return };
        while let Some(question) = open.desk.question() {
            // Without an answer yet, the desk waits and asks nothing more.
            if let Some(answer) = self.answer(cx, stream, open.peer, &question) {
                let received_bytes = std::mem::take(&mut open.received_bytes);
                self.directory.proofs().note(cx.now, open.peer.ip(), received_bytes);
                open.desk.answer(cx.now - open.lost, answer);
            }
        }
        open.desk.advance(cx.now - open.lost);
        let stays = poll_desk(cx.out, stream, open.desk.as_mut());
        self.desks.open.insert(stream, open);
        if !stays {
            self.desks.forget(stream);
        }
    }

    /// What is chosen for the lobby that is to be made, if one is. A bridge makes one for everybody who asks, and only the other
    /// server knows what can be chosen.
    fn choice_at_desk(&self, question: &DeskQuestion) -> Option<DeskChoice> {
        match (question, &self.settings.remote) {
            (DeskQuestion::Create { stage }, None) => {
                self.settings.stage(stage).map(|stage| DeskChoice { stage, wish: RemoteWish::default() })
            }
            (DeskQuestion::Create { stage }, Some(_)) => {
                let wish = RemoteWish { lobby: None, stage: Some(stage.clone()) };
                Some(DeskChoice { stage: self.settings.stage.clone(), wish })
            }
            (DeskQuestion::Find(code), Some(_)) => {
                let wish = self.directory.lock().wish_for(*code);
                Some(DeskChoice { stage: self.settings.stage.clone(), wish })
            }
            (DeskQuestion::Find(_), None) | (DeskQuestion::Impossible, _) => None,
        }
    }

    /// Opens a lobby for a peer at a desk, if that may be.
    fn open_from_desk(&mut self, cx: &mut Context, peer: PeerKey, choice: DeskChoice) -> Option<LobbyId> {
        if !self.directory.rates().admit(cx.now, RatedSender::Connected(peer.ip()), Rate::Lobbies, 1) {
            cx.out.count_drop(peer.dialect(), Drop::RateLimited);
            return None;
        }
        let mut directory = self.directory.lock();
        let opened = directory.open_from_desk(self.shard, peer, choice);
        let evicted = directory.take_evicted();
        drop(directory);
        self.tell_evicted(cx, evicted);
        if opened.is_none() {
            cx.out.count_drop(peer.dialect(), Drop::Full);
        }
        opened
    }

    /// The answer to a question; none if the desk has to wait for a port.
    fn answer(
        &mut self,
        cx: &mut Context,
        desk: StreamId,
        peer: PeerKey,
        question: &DeskQuestion,
    ) -> Option<DeskAnswer> {
        let id = match (question, self.choice_at_desk(question)) {
            (_, Some(choice)) => self.open_from_desk(cx, peer, choice),
            (DeskQuestion::Find(id), None) => Some(*id),
            (DeskQuestion::Create { .. } | DeskQuestion::Impossible, None) => None,
        };
        let found = id.and_then(|id| {
            let found = self.directory.lock().find_at_desk(cx.now, peer.ip(), id).ok()?;
            Some((id, found))
        });
        let Some((lobby, found)) = found else { return Some(DeskAnswer::Nothing) };
        if let Some(port) = found.port {
            return Some(DeskAnswer::Lobby { port, id: lobby });
        }
        // A bridge makes one for everybody who asks.
        let is_new = matches!(question, DeskQuestion::Create { .. }) || self.settings.remote.is_some();
        let desk = StreamRef { id: desk, home: self.shard };
        let request = PortRequest { lobby, dialect: peer.dialect(), desk, is_new };
        if found.shard == self.shard {
            return self.ask_for_port(cx, request);
        }
        cx.out.message(found.shard, Message::PortWanted(request));
        None
    }
}

/// Sends all that a desk has to say; whether it stays open.
fn poll_desk(out: &mut Outgoing, stream: StreamId, desk: &mut dyn Desk) -> bool {
    let mut stays = true;
    while let Some(output) = desk.poll(&mut out.buffer) {
        match output {
            Output::Stream => out.written_bytes(stream),
            Output::CloseStream => {
                out.close_stream(stream);
                stays = false;
            }
            // A desk has only its stream.
            Output::Datagram | Output::DatagramsTo(_) => {}
        }
    }
    stays
}
