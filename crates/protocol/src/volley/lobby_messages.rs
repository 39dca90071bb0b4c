//! What the server's half does outside the game: hello, requests, and what the node answers.

use super::{
    server::{Server, State},
    wire::control::{FromClient, FromServer, VERSION},
};
use crate::{
    End, Malformed, ServerSession, Time,
    lobby::{LobbyNotice, LobbyRequest, Refusal},
    visible,
};

/// Requests that wait for the node; more are refused.
const REQUESTS_MAX: usize = 16;

impl Server {
    /// Takes one message of the stream.
    pub(super) fn take_message(&mut self, now: Time, bytes: &[u8]) -> Result<(), Malformed> {
        let message = FromClient::read(bytes)?;
        if let State::Ended(_) = self.state {
            return Ok(());
        }
        self.heard = now;
        match message {
            FromClient::Hello { version, name } => self.greet(now, version, name),
            FromClient::Ping { nonce } if self.is_greeted && self.chat.may_ask(now) => {
                self.say(&FromServer::Pong { nonce });
            }
            FromClient::Ping { .. } if self.is_greeted => {}
            FromClient::Goodbye => self.end(now, End::Left),
            FromClient::Lobby(request) if self.is_greeted => self.take_request(now, request),
            // Nothing is said before hello.
            FromClient::Ping { .. } | FromClient::Lobby(_) => return Err(Malformed::UnknownType),
        }
        Ok(())
    }

    fn greet(&mut self, now: Time, version: u8, name: String) {
        self.say(&FromServer::Welcome { version: VERSION });
        if version != VERSION {
            self.say(&FromServer::Refused(Refusal::Version));
            return self.end(now, End::Refused);
        }
        self.is_greeted = true;
        self.take_request(now, LobbyRequest::Rename { name });
    }

    fn take_request(&mut self, now: Time, mut request: LobbyRequest) {
        // Others see these.
        if let LobbyRequest::Rename { name: text } | LobbyRequest::Say { text } = &mut request {
            *text = visible(text);
        }
        let may = match &request {
            LobbyRequest::Say { .. } | LobbyRequest::Emote(_) => self.chat.may_say(now),
            LobbyRequest::Mute { seat, on } => return self.chat.mute(*seat, *on),
            _ => self.chat.may_ask(now),
        };
        if may && self.requests.len() < REQUESTS_MAX {
            self.requests.push_back(request);
        } else {
            self.say(&FromServer::Refused(Refusal::TooFast));
        }
    }

    /// Passes on what the node says.
    pub(super) fn pass_on(&mut self, now: Time, notice: &LobbyNotice) {
        if let State::Ended(_) = self.state {
            return;
        }
        let message = match *notice {
            LobbyNotice::Lobbies(lines) => FromServer::Lobbies(lines.to_vec()),
            LobbyNotice::Seated { code, seat, token } => {
                self.chat.unmute_all();
                FromServer::Seated { code, seat, token, from: self.enter(now, Some(seat)) }
            }
            LobbyNotice::Watching { code } => FromServer::Watching { code, from: self.enter(now, None) },
            LobbyNotice::Refused(refusal) => FromServer::Refused(refusal),
            LobbyNotice::Lobby(details) => FromServer::Lobby(details.clone()),
            LobbyNotice::Said { seat, .. } if !self.chat.hears(seat) => return,
            LobbyNotice::Said { seat, name, text } => FromServer::Said { seat, name: name.into(), text: text.into() },
            LobbyNotice::Emote { seat, .. } if !self.chat.hears(Some(seat)) => return,
            LobbyNotice::Emote { seat, emote } => FromServer::Emote { seat, emote },
            LobbyNotice::Stage(stage) => {
                FromServer::Stage { name: stage.name.clone(), number: stage.number, terrain: stage.terrain.clone() }
            }
            LobbyNotice::LeftLobby => {
                self.state = State::NoLobby;
                FromServer::LeftLobby
            }
            LobbyNotice::Pace(pace) => {
                self.set_pace(pace);
                FromServer::Pace(pace)
            }
            LobbyNotice::Tally(tally) => FromServer::Tally(tally.clone()),
        };
        self.say(&message);
    }
}
