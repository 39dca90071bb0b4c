//! Streams that ask for lobbies, and the lobbies and ports that they are given.

use std::{net::SocketAddr, sync::Arc};

use game::Stage;
use protocol::{Answer, Desk, Dialect, Output, Question, Time, rfc2020::LobbyId};

use super::{Core, Outbox, StreamId, lobby::Lobby};

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
        let streams: Vec<StreamId> = self.desks.keys().copied().collect();
        for stream in streams {
            if let Some(open) = self.desks.get_mut(&stream) {
                open.desk.advance(now);
            }
            self.serve_desk(now, stream, out);
        }
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
            let answer = self.answer(now, open.dialect, &question, out);
            self.note_exchange(now, open.from);
            open.desk.answer(now, answer);
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut is_open = true;
        while let Some(output) = open.desk.poll(&mut buffer) {
            match output {
                Output::Stream => out.stream(stream, &buffer),
                Output::CloseStream => {
                    out.close(stream);
                    is_open = false;
                }
                // A desk has only its stream.
                Output::Datagram | Output::DatagramsTo(_) => {}
            }
        }
        self.buffer = buffer;
        if is_open {
            self.desks.insert(stream, open);
        }
    }

    fn answer(&mut self, now: Time, dialect: Dialect, question: &Question, out: &mut dyn Outbox) -> Answer {
        let id = match question {
            Question::Find(id) => self.lobbies.contains_key(id).then_some(*id),
            Question::Create { stage } => self.stage(stage).and_then(|stage| self.new_lobby(now, stage)),
            Question::Impossible => None,
        };
        let Some(id) = id else { return Answer::Nothing };
        match (self.port_of(id, dialect, out), question) {
            (Some(port), Question::Create { .. }) => {
                if let Some(lobby) = self.lobbies.get_mut(&id) {
                    lobby.maker_since = Some(now);
                }
                Answer::Lobby { port, id }
            }
            (Some(port), _) => Answer::Lobby { port, id },
            // A lobby that nobody can reach was not created.
            (None, Question::Create { .. }) => {
                self.lobbies.remove(&id);
                self.by_age.retain(|other| *other != id);
                Answer::Nothing
            }
            (None, _) => Answer::Nothing,
        }
    }

    fn stage(&self, name: &str) -> Option<Arc<Stage>> {
        self.settings.stages.iter().find(|stage| stage.name == name).cloned()
    }

    /// The port of a lobby; it gets one when it is first asked for.
    fn port_of(&mut self, id: LobbyId, dialect: Dialect, out: &mut dyn Outbox) -> Option<u16> {
        if let Some(port) = self.lobbies.get(&id)?.port {
            return Some(port);
        }
        let taken: Vec<u16> = self.lobbies.values().filter_map(|lobby| lobby.port).collect();
        let mut free = self.settings.lobby_ports.clone().filter(|port| !taken.contains(port));
        let port = free.find(|&port| out.listen(dialect, port))?;
        self.lobbies.get_mut(&id)?.port = Some(port);
        Some(port)
    }

    /// Opens a lobby, if there may be one more.
    pub(super) fn new_lobby(&mut self, now: Time, stage: Arc<Stage>) -> Option<LobbyId> {
        if self.is_draining || self.lobbies.len() >= self.settings.lobbies_max {
            return None;
        }
        let id = loop {
            let id = LobbyId::from_number(self.dice.below(LobbyId::COUNT));
            if !self.lobbies.contains_key(&id) {
                break id;
            }
        };
        let seed = self.dice.bits();
        let lobby = Lobby::new(now, stage, self.settings.rules, seed, self.counters.lobbies);
        self.lobbies.insert(id, lobby);
        self.by_age.push(id);
        self.counters.lobbies += 1;
        Some(id)
    }
}
