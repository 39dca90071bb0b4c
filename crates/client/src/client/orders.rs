//! Carries out what a screen wants, and what the client was started for.

use game::Seat;
use protocol::{LobbyId, LobbyRequest, Pace};

use super::{Action, Client, state_of};
use crate::{
    Key, Options,
    input::Step,
    language::Word,
    play::Play,
    screens::{Context, Game, Order, Screen},
    settings::Settings,
    sound::Cue,
};

impl Client {
    /// Goes straight to where the player was meant to go.
    pub(super) fn set_out(&mut self, options: &Options) {
        if self.link.has_lobbies() {
            self.link.open();
            let code = options.lobby.as_deref().map(LobbyId::new);
            match code {
                Some(Ok(code)) => self.carry_out(Order::Join(code)),
                Some(Err(_)) => self.notify(Word::NoLobby),
                None if options.quick => self.carry_out(Order::Quick),
                None => {}
            }
        } else if options.quick || options.lobby.is_some() {
            self.carry_out(Order::Quick);
        }
    }

    /// The player takes a step through a menu.
    pub(super) fn step(&mut self, step: Step) {
        let mut screen = std::mem::replace(&mut self.screen, Screen::Scores);
        let order = screen.step(step, &self.context());
        self.screen = screen;
        self.sound_of(step, order.is_some());
        order.into_iter().for_each(|order| self.carry_out(order));
    }

    /// A key that flies nothing.
    pub(super) fn press_screen(&mut self, key: Key) {
        let mut screen = std::mem::replace(&mut self.screen, Screen::Scores);
        let order = screen.key(key, &self.context());
        self.screen = screen;
        let chooses = order.is_some() || matches!(key, Key::ENTER | Key::SPACE);
        self.sound_of(if chooses { Step::Accept } else { Step::Down }, chooses);
        order.into_iter().for_each(|order| self.carry_out(order));
    }

    fn sound_of(&mut self, step: Step, chooses: bool) {
        match step {
            _ if chooses => self.sound(Cue::MenuChoose),
            Step::Tap(..) | Step::Point(..) => {}
            _ => self.sound(Cue::MenuMove),
        }
    }

    /// Does what a screen wants.
    pub(super) fn carry_out(&mut self, order: Order) {
        match order {
            Order::Go(screen) => {
                if let Screen::Lobbies(_) = screen {
                    self.link.ask(self.now, LobbyRequest::List);
                }
                self.screen = screen;
            }
            Order::Change(settings) => self.change(*settings),
            Order::List => self.link.ask(self.now, LobbyRequest::List),
            Order::Say(text) => self.link.ask(self.now, muting(&text).unwrap_or(LobbyRequest::Say { text })),
            Order::Ready(ready) => self.link.ask(self.now, LobbyRequest::Ready(ready)),
            Order::Start => self.link.start(self.now),
            Order::Leave => self.leave(),
            Order::Share => {
                let code = self.code.map(|code| code.to_string());
                code.into_iter().for_each(|code| self.ask_shell(Action::Share, &code));
            }
            Order::FullScreen => self.ask_shell(Action::FullScreen, ""),
            Order::Scores => {
                self.ask_shell(Action::Scores, "");
                self.screen = Screen::Scores;
            }
            Order::Quick | Order::Create { .. } | Order::Join(_) | Order::Watch(_) => self.go_to_lobby(order),
        }
    }

    /// Asks for a place in a lobby, now or as soon as there is a connection.
    fn go_to_lobby(&mut self, order: Order) {
        if !self.link.has_lobbies() {
            // Any other dialect takes who comes.
            self.link.open();
            self.play = Some(Play::new(self.now, None, false));
            self.screen = Screen::Game(Game::default());
            return;
        }
        self.link.open();
        if !self.link.is_open() {
            self.errand = Some(order);
            return;
        }
        self.returning = None;
        self.starts = matches!(order, Order::Quick);
        self.joining = match order {
            Order::Join(code) => Some(code),
            _ => None,
        };
        let wish = match order {
            Order::Create { stage, rules, is_private } => LobbyRequest::Create { stage, rules, is_private },
            Order::Join(code) => LobbyRequest::Join { code },
            Order::Watch(code) => LobbyRequest::Watch { code },
            _ => LobbyRequest::Quick,
        };
        self.link.ask(self.now, wish);
    }

    /// Out of the game, to the title.
    fn leave(&mut self) {
        if self.link.has_lobbies() {
            self.link.ask(self.now, LobbyRequest::LeaveLobby);
            self.link.forget_seat();
        } else if self.link.close(self.now) {
            self.ask_shell(Action::Disconnect, "");
        }
        self.return_to_title();
    }

    /// The game is over for this player.
    pub(super) fn return_to_title(&mut self) {
        (self.play, self.room, self.returning, self.starts) = (None, None, None, false);
        self.pacing.begin();
        self.clock.set_pace(Pace::Full);
        self.screen = Screen::title();
    }

    /// The player chose something: it is kept, and a new name is told.
    fn change(&mut self, settings: Settings) {
        if settings.name != self.settings.name {
            self.link.ask(self.now, LobbyRequest::Rename { name: settings.name.clone() });
        }
        self.settings = settings;
        let text = self.settings.write();
        self.ask_shell(Action::Keep, &text);
        if let Screen::Write(_) = self.screen {
            self.screen = Screen::title();
        }
    }

    /// What a screen may show.
    pub(super) fn context(&self) -> Context<'_> {
        let own = self.play.as_ref().and_then(Play::own);
        let newest = self.play.as_ref().map(Play::newest);
        let player = own.and_then(|seat| newest.and_then(|frame| frame.players[seat.index()]));
        let ship = own.and_then(|seat| newest.and_then(|frame| frame.ship(seat)));
        let (tick, tells) = (self.clock.ticks(), self.link.tells());
        let is_shown = |until: u32| until.wrapping_sub(tick).cast_signed() > 0;
        Context {
            settings: &self.settings,
            tick,
            has_lobbies: self.link.has_lobbies(),
            connection: self.connection(),
            notice: self.notice.filter(|(_, until)| is_shown(*until)).map(|(word, _)| word),
            lobbies: &self.lobbies,
            room: self.room.as_ref().filter(|_| self.has_room()),
            own,
            scores: &self.scores,
            state: state_of(self.play.as_ref()),
            score: newest.map(|frame| frame.score).filter(|_| tells.score),
            is_lost: player.is_some() && ship.is_none(),
            lives: player.map(|player| player.lives).filter(|_| tells.lives),
            is_still: self.is_still(),
        }
    }

    fn connection(&self) -> Word {
        match () {
            () if self.link.is_open() => Word::Connected,
            () if self.link.is_lost() => Word::Offline,
            () if self.link.has_lobbies() => Word::Connecting,
            () => Word::Ready,
        }
    }
}

/// `/mute 2` and `/unmute 2` are not said: they are for what the player in the second seat says.
fn muting(text: &str) -> Option<LobbyRequest> {
    let (word, number) = text.strip_prefix('/')?.split_once(' ')?;
    let on = match word {
        "mute" => true,
        "unmute" => false,
        _ => return None,
    };
    let seat = Seat::new(number.trim().parse::<u8>().ok()?.checked_sub(1)?)?;
    Some(LobbyRequest::Mute { seat, on })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_muted_is_not_told() {
        assert_eq!(muting("/mute 2"), Some(LobbyRequest::Mute { seat: Seat::ALL[1], on: true }));
        assert_eq!(muting("/unmute 4"), Some(LobbyRequest::Mute { seat: Seat::ALL[3], on: false }));
        assert_eq!(
            [muting("/mute 0"), muting("/mute 5"), muting("mute 1"), muting("/dance 1")],
            [None, None, None, None]
        );
    }
}
