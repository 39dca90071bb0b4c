//! Streams that ask for lobbies, and the lobbies and ports that they are given.
//!
//! A lobby's port is opened by the shard that the lobby lives on. If that is another one than the desk's, the question
//! goes there as a parcel, the answer comes back as one, and the desk waits.

use std::{net::SocketAddr, sync::Arc};

use game::Stage;
use protocol::{Answer, Desk, Dialect, LobbyId, Output, Question, Time};

use super::{
    Core, Drop, Outbox, StreamId,
    parcels::{Content, Parcel},
    streams::Line,
};

/// A stream at the desk.
pub(super) struct OpenDesk {
    desk: Box<dyn Desk>,
    dialect: Dialect,
    from: SocketAddr,
}

impl Core {
    pub(super) fn open_desk(&mut self, stream: StreamId, dialect: Dialect, from: SocketAddr, desk: Box<dyn Desk>) {
        self.desks.insert(stream, OpenDesk { desk, dialect, from });
    }

    pub(super) fn desk_bytes(&mut self, now: Time, stream: StreamId, bytes: &[u8], out: &mut dyn Outbox) {
        let Some(open) = self.desks.get_mut(&stream) else { return };
        if let Err(malformed) = open.desk.receive(now, bytes) {
            self.counters.drop(open.dialect, malformed.into());
        }
        self.serve_desk(now, stream, out);
    }

    /// Lets every desk's time pass.
    pub(super) fn advance_desks(&mut self, now: Time, out: &mut dyn Outbox) {
        if self.desks.is_empty() {
            return;
        }
        let streams: Vec<StreamId> = self.desks.keys().copied().collect();
        for stream in streams {
            if let Some(open) = self.desks.get_mut(&stream) {
                open.desk.advance(now);
            }
            self.serve_desk(now, stream, out);
        }
    }

    /// What a desk asked on another shard is answered.
    pub(super) fn desk_answer(&mut self, now: Time, stream: StreamId, answer: Answer, out: &mut dyn Outbox) {
        let Some(open) = self.desks.get_mut(&stream) else { return };
        open.desk.answer(now, answer);
        self.directory.lock().recollection.note_exchange(now, open.from);
        self.serve_desk(now, stream, out);
    }

    /// Closes the desks of some.
    pub(super) fn close_desks(&mut self, is_unwanted: impl Fn(SocketAddr) -> bool, out: &mut dyn Outbox) {
        self.desks.retain(|stream, open| {
            let closes = is_unwanted(open.from);
            if closes {
                out.close(*stream);
            }
            !closes
        });
    }

    fn serve_desk(&mut self, now: Time, stream: StreamId, out: &mut dyn Outbox) {
        let Some(mut open) = self.desks.remove(&stream) else { return };
        while let Some(question) = open.desk.question() {
            // Without an answer yet, the desk waits and asks nothing more.
            if let Some(answer) = self.answer(now, stream, &open, &question, out) {
                self.directory.lock().recollection.note_exchange(now, open.from);
                open.desk.answer(now, answer);
            }
        }
        if self.poll_desk(stream, &mut open, out) {
            self.desks.insert(stream, open);
        }
    }

    /// Sends all that a desk has to say; whether it stays open.
    fn poll_desk(&mut self, stream: StreamId, open: &mut OpenDesk, out: &mut dyn Outbox) -> bool {
        let mut stays = true;
        while let Some(output) = open.desk.poll(&mut self.buffer) {
            match output {
                Output::Stream => out.stream(stream, &self.buffer),
                Output::CloseStream => {
                    out.close(stream);
                    stays = false;
                }
                // A desk has only its stream.
                Output::Datagram | Output::DatagramsTo(_) => {}
            }
        }
        stays
    }

    /// The answer to a question; none if another shard has to be asked, which was done.
    fn answer(
        &mut self,
        now: Time,
        stream: StreamId,
        &OpenDesk { dialect, from, .. }: &OpenDesk,
        question: &Question,
        out: &mut dyn Outbox,
    ) -> Option<Answer> {
        let id = match question {
            Question::Find(id) => Some(*id),
            Question::Create { stage } => self.stage(stage).and_then(|stage| {
                let rules = self.settings.rules;
                let opened = self.directory.lock().open_from_desk(self.shard, stage, rules, from.ip());
                if opened.is_none() {
                    self.counters.drop(dialect, Drop::Full);
                }
                opened
            }),
            Question::Impossible => None,
        };
        let found = id.and_then(|id| Some((id, self.directory.lock().find(id)?)));
        let Some((id, (shard, port))) = found else { return Some(Answer::Nothing) };
        if let Some(port) = port {
            return Some(Answer::Lobby { port, id });
        }
        let is_new = matches!(question, Question::Create { .. });
        if shard == self.shard {
            return Some(self.answer_here(now, dialect, id, is_new, out));
        }
        let desk = Line { stream, home: self.shard };
        out.hand_over(shard, Parcel(Content::Ask { desk, dialect, id, is_new }));
        None
    }

    /// Answers with the port of a lobby of this shard.
    pub(super) fn answer_here(
        &mut self,
        now: Time,
        dialect: Dialect,
        id: LobbyId,
        is_new: bool,
        out: &mut dyn Outbox,
    ) -> Answer {
        match self.port_of(now, id, dialect, out) {
            Some(port) => {
                if is_new {
                    self.directory.lock().await_maker(now, id);
                }
                Answer::Lobby { port, id }
            }
            None => {
                // A lobby that nobody can reach was not created.
                if is_new && self.directory.lock().close_empty(id) {
                    let key = self.lobby_keys.get(&id).copied();
                    key.map(|key| self.detach_lobby(key));
                }
                Answer::Nothing
            }
        }
    }

    pub(super) fn stage(&self, name: &str) -> Option<Arc<Stage>> {
        self.settings.stages.iter().find(|stage| stage.name == name).cloned()
    }

    /// The port of a lobby of this shard; it gets one when it is first asked for.
    fn port_of(&mut self, now: Time, id: LobbyId, dialect: Dialect, out: &mut dyn Outbox) -> Option<u16> {
        let key = self.lobby_here(now, id)?;
        if let Some(port) = self.lobbies.get(key.0)?.port {
            return Some(port);
        }
        let mut tried = None;
        loop {
            let port = self.directory.lock().take_port(tried)?;
            if out.listen(dialect, port) {
                self.lobbies.get_mut(key.0)?.port = Some(port);
                self.directory.lock().listens(id, port);
                return Some(port);
            }
            self.directory.lock().give_port_back(port);
            tried = Some(port);
        }
    }
}
