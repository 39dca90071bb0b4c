//! What the server tells, and what becomes of a player whose connection is lost: the same seat, else the same lobby,
//! else any.

use protocol::{LobbyRequest, Refusal, volley::News};

use super::{Action, Client};
use crate::{
    draw::Painter,
    language::Word,
    play::{Play, stage_of},
    screens::{Game, Order, Screen},
    sound::Cue,
};

/// How a lost seat is being looked for again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Return {
    /// The very seat, with its token.
    Seat,
    /// Any seat of that lobby.
    Lobby,
    /// Any seat.
    Anywhere,
}

impl Client {
    /// There is a connection: asks for what was wanted.
    pub(super) fn arrive(&mut self) {
        if !self.link.is_open() {
            return;
        }
        self.clock.reconnect();
        if let Some(order) = self.errand.take() {
            self.carry_out(order);
        } else if self.play.is_some() && self.link.has_lobbies() {
            // The link itself asks for the seat.
            self.returning = Some(Return::Seat);
            if self.play.as_ref().is_some_and(|play| play.own().is_none())
                && let Some(code) = self.code
            {
                self.link.ask(self.now, LobbyRequest::Watch { code });
            }
        } else if self.play.is_some() {
            self.play = Some(Play::new(self.now, None, false));
        } else if let Screen::Lobbies(_) = self.screen {
            self.link.ask(self.now, LobbyRequest::List);
        }
    }

    /// The connection is gone. What was seen stays, and another one is on its way.
    pub(super) fn lose(&mut self) {
        self.room = None;
        self.lobbies.clear();
    }

    /// The server told something.
    pub(super) fn learn(&mut self, news: News) {
        match news {
            News::Lobbies(lobbies) => self.lobbies = lobbies,
            News::Seated { code, seat, .. } => self.begin(code, Some(seat)),
            News::Watching { code } => self.begin(code, None),
            News::Refused(refusal) => self.refuse(refusal),
            News::Lobby(room) => self.room = Some(room),
            News::Said { seat, name, text } => {
                self.chat.said(seat, &name, &text, self.clock.ticks());
                self.sound(Cue::Chat);
            }
            News::Stage { name, number, terrain } => {
                if let Some(play) = &mut self.play {
                    play.enter(stage_of(number, Some((&name, &terrain))));
                }
            }
            News::LeftLobby => self.return_to_title(),
            News::Pace(pace) => self.hear_pace(pace),
        }
    }

    /// A place in a lobby.
    fn begin(&mut self, code: protocol::LobbyId, seat: Option<game::Seat>) {
        self.code = Some(code);
        self.play = Some(Play::new(self.now, seat, true));
        // Another lobby's things may have the same ids.
        self.painter = Painter::new();
        self.clock.reconnect();
        self.pacing.begin();
        self.ask_shell(Action::Scores, "");
        let is_back = self.returning.take().is_some();
        // Who comes back finds the menu open that was open.
        if !(is_back && matches!(self.screen, Screen::Game(_))) {
            self.screen = Screen::Game(Game::default());
        }
        self.starts = seat.is_some() && (self.starts || is_back);
        if self.starts {
            self.link.ask(self.now, LobbyRequest::Ready(true));
            self.link.start(self.now);
        }
    }

    fn refuse(&mut self, refusal: Refusal) {
        match (self.returning, self.code) {
            (Some(Return::Seat), Some(code)) => {
                self.link.forget_seat();
                self.returning = Some(Return::Lobby);
                self.link.ask(self.now, LobbyRequest::Join { code });
            }
            (Some(Return::Lobby), _) => {
                self.returning = Some(Return::Anywhere);
                self.link.ask(self.now, LobbyRequest::Quick);
            }
            (Some(_), _) => self.return_to_title(),
            // Who finds no seat may still watch.
            (None, _) if refusal == Refusal::Full => {
                let code = self.joining.take();
                code.into_iter().for_each(|code| self.link.ask(self.now, LobbyRequest::Watch { code }));
            }
            (None, _) => {}
        }
        if self.returning.is_none() {
            self.notify(word(refusal));
        }
        self.starts = self.starts && self.returning.is_some();
    }

    /// Comes with the connection: what is wanted of it.
    pub(super) fn is_returning(&self) -> bool {
        self.play.is_some() && (self.link.is_lost() || self.returning.is_some() || self.errand_is_place())
    }

    fn errand_is_place(&self) -> bool {
        matches!(self.errand, Some(Order::Quick | Order::Join(_) | Order::Watch(_)))
    }
}

fn word(refusal: Refusal) -> Word {
    match refusal {
        Refusal::Version => Word::Version,
        Refusal::NoLobby => Word::NoLobby,
        Refusal::Full => Word::Full,
        Refusal::NoStage => Word::NoStage,
        Refusal::NodeFull => Word::NoRoom,
        Refusal::TooLate => Word::TooLate,
        Refusal::TooFast => Word::TooFast,
        Refusal::NotNow => Word::NotNow,
    }
}
