//! What the server's half does outside the game: hello, wishes, and what the node grants.

use super::{
    control::{FromClient, FromServer, VERSION},
    server::{Server, State},
};
use crate::{
    End, Malformed, ServerSession, Time,
    lounge::{Grant, Refusal, Wish},
};

/// Wishes that wait for the node; more are refused.
const WISHES_MAX: usize = 16;

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
            FromClient::Ping { nonce } if self.is_greeted && self.chat.may_wish(now) => {
                self.say(&FromServer::Pong { nonce });
            }
            FromClient::Ping { .. } if self.is_greeted => {}
            FromClient::Goodbye => self.end(now, End::Left),
            FromClient::Wish(wish) if self.is_greeted => self.take_wish(now, wish),
            // Nothing is said before hello.
            FromClient::Ping { .. } | FromClient::Wish(_) => return Err(Malformed::UnknownType),
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
        self.take_wish(now, Wish::Rename { name });
    }

    fn take_wish(&mut self, now: Time, wish: Wish) {
        let may = match &wish {
            Wish::Say { .. } => self.chat.may_say(now),
            Wish::Mute { seat, on } => return self.chat.mute(*seat, *on),
            _ => self.chat.may_wish(now),
        };
        if may && self.wishes.len() < WISHES_MAX {
            self.wishes.push_back(wish);
        } else {
            self.say(&FromServer::Refused(Refusal::TooFast));
        }
    }

    /// Passes on what the node grants.
    pub(super) fn take_grant(&mut self, now: Time, grant: &Grant) {
        if let State::Ended(_) = self.state {
            return;
        }
        let message = match *grant {
            Grant::Lobbies(lines) => FromServer::Lobbies(lines.to_vec()),
            Grant::Seated { code, seat, token } => {
                self.chat.unmute_all();
                FromServer::Seated { code, seat, token, from: self.enter(now, Some(seat)) }
            }
            Grant::Watching { code } => FromServer::Watching { code, from: self.enter(now, None) },
            Grant::Refused(refusal) => FromServer::Refused(refusal),
            Grant::Room(room) => FromServer::Room(room.clone()),
            Grant::Said { seat, .. } if !self.chat.hears(seat) => return,
            Grant::Said { seat, name, text } => FromServer::Said { seat, name: name.into(), text: text.into() },
            Grant::Stage(stage) => {
                FromServer::Stage { name: stage.name.clone(), number: stage.number, terrain: stage.terrain.clone() }
            }
            Grant::Out => {
                self.state = State::Lounge;
                FromServer::Out
            }
            Grant::Pace(pace) => {
                self.set_pace(pace);
                FromServer::Pace(pace)
            }
        };
        self.say(&message);
    }
}
