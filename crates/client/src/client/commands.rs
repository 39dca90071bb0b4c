//! Does what a screen wants, and what the client was started for.

use game::{Difficulty, Rules, Seat};
use protocol::{End, LobbyId, LobbyRequest, Pace};

use super::{
    Client, Task, announcements::Announcements, chat::Chat, drawing::is_chased, lobby_notices::end_phrase, state_of,
};
use crate::{
    Key, Options,
    connection::{Destination, LobbyAccess},
    draw::Painter,
    game_view::GameView,
    input::MenuInput,
    language::Phrase,
    screens::{self, Context, Game, Screen, ScreenCommand},
    settings::Settings,
    sound::Cue,
    tables::{Board, Contest},
};

impl Client {
    /// Goes straight to the lobby or the game that the shell asked for.
    pub(super) fn follow_options(&mut self, options: &Options) {
        if self.connection.has_lobbies() {
            self.connection.open();
        }
        let code = options.lobby.as_deref().map(LobbyId::new);
        match (code, &options.create) {
            _ if self.connection.lobby_access() == LobbyAccess::Assigned => {
                if options.quick {
                    self.execute(ScreenCommand::Quick);
                }
            }
            (Some(Ok(code)), _) => self.execute(ScreenCommand::Join(code)),
            (Some(Err(_)), _) => self.notify(Phrase::NoSuchLobby),
            (None, Some(stage)) => {
                let (stage, rules) = (stage.clone(), Rules::default());
                self.execute(ScreenCommand::Create { stage, rules, is_private: false });
            }
            (None, None) if options.quick => self.execute(ScreenCommand::Quick),
            (None, None) => {}
        }
    }

    /// The player moves through a menu.
    pub(super) fn navigate(&mut self, input: MenuInput) {
        let mut screen = std::mem::replace(&mut self.screen, Screen::Credits);
        let command = screen.navigate(input, &self.context());
        self.screen = screen;
        match input {
            MenuInput::Back => self.play_cue(Cue::MenuBack),
            _ if command.is_some() => self.play_cue(Cue::MenuChoose),
            MenuInput::Tap(..) | MenuInput::Point(..) => {}
            MenuInput::Up | MenuInput::Down | MenuInput::Left | MenuInput::Right | MenuInput::Accept => {
                self.play_cue(Cue::MenuMove)
            }
        }
        command.into_iter().for_each(|command| self.execute(command));
    }

    /// A key that is meant for a screen rather than for the ship.
    pub(super) fn press_screen(&mut self, key: Key) {
        let mut screen = std::mem::replace(&mut self.screen, Screen::Credits);
        let command = screen.key(key, &self.context());
        self.screen = screen;
        let chooses = command.is_some() || matches!(key, Key::ENTER | Key::SPACE);
        self.play_cue(match () {
            () if key == Key::ESCAPE => Cue::MenuBack,
            () if chooses => Cue::MenuChoose,
            () => Cue::MenuMove,
        });
        command.into_iter().for_each(|command| self.execute(command));
    }

    /// Does what a screen wants.
    pub(super) fn execute(&mut self, command: ScreenCommand) {
        match command {
            ScreenCommand::Show(screen) => {
                if let Screen::Lobbies(_) = screen {
                    self.list_lobbies();
                }
                self.show(screen);
            }
            ScreenCommand::ChangeSettings(settings) => self.change_settings(*settings),
            ScreenCommand::ListLobbies => self.list_lobbies(),
            ScreenCommand::Say(text) => {
                self.connection.ask(self.now, mute_request(&text).unwrap_or(LobbyRequest::Say { text }))
            }
            ScreenCommand::MakeGesture(emote) => self.make_emote(emote),
            ScreenCommand::Ready(ready) => self.connection.ask(self.now, LobbyRequest::Ready(ready)),
            ScreenCommand::Start => self.connection.start(self.now),
            ScreenCommand::Retry => self.retry(),
            ScreenCommand::Restart => self.restart(),
            ScreenCommand::RestartEasy => self.restart_easy(),
            ScreenCommand::Leave => self.leave(),
            ScreenCommand::AddBot(skill) => self.connection.ask(self.now, LobbyRequest::AddBot(skill)),
            ScreenCommand::Kick(seat) => self.connection.ask(self.now, LobbyRequest::Kick { seat }),
            ScreenCommand::Share => {
                let code = self.code.map(|code| code.to_string());
                code.into_iter().for_each(|code| self.request(Task::ShareLobby, &code));
            }
            ScreenCommand::FullScreen => self.request(Task::FullScreen, ""),
            ScreenCommand::ShowScores => {
                self.fetch_table(&self.scores.board(self.today()));
                self.show(Screen::Scores(self.scores.clone()));
            }
            ScreenCommand::FetchTable(board) => self.fetch_table(&board),
            ScreenCommand::WatchReplay(game) => self.request(Task::FetchReplay, &game),
            ScreenCommand::WatchOwnReplay => self.watch_replay(),
            ScreenCommand::SaveReplay => self.save_replay(),
            ScreenCommand::ShowDaily => {
                self.fetch_table(&Board { contest: Contest::Daily(self.today()), players: 1 });
                self.show(Screen::Daily(screens::Daily));
            }
            ScreenCommand::ShowPractice => self.show(Screen::Practice(self.practice.clone())),
            ScreenCommand::Play { stage, rules } => {
                let request = LobbyRequest::Create { stage: stage.into(), rules, is_private: false };
                self.go_to_lobby(command, request);
            }
            ScreenCommand::Quick => self.go_to_lobby(command, LobbyRequest::Quick),
            ScreenCommand::Create { ref stage, rules, is_private } => {
                let request = LobbyRequest::Create { stage: stage.clone(), rules, is_private };
                self.go_to_lobby(command, request);
            }
            ScreenCommand::Join(code) => self.go_to_lobby(command, LobbyRequest::Join { code }),
            ScreenCommand::Watch(code) => self.go_to_lobby(command, LobbyRequest::Watch { code }),
        }
    }

    /// Asks for a place in a lobby, now or as soon as there is a connection.
    fn go_to_lobby(&mut self, command: ScreenCommand, request: LobbyRequest) {
        if !self.connection.has_lobbies() {
            return self.connect_to_lobby(&command);
        }
        self.connection.open();
        if !self.connection.is_open() {
            self.pending_command = Some(command);
            return;
        }
        self.rejoining = None;
        self.start_when_seated = matches!(command, ScreenCommand::Quick | ScreenCommand::Play { .. });
        self.joining = if let ScreenCommand::Join(code) = command { Some(code) } else { None };
        self.joins_again_at = None;
        self.own_game = matches!(command, ScreenCommand::Play { .. }).then_some(command);
        self.connection.ask(self.now, request);
    }

    /// Restarts the game that the player plays alone.
    fn restart(&mut self) {
        if let Some(play) = self.own_game.clone().filter(|_| self.can_restart()) {
            self.leave();
            self.execute(play);
        }
    }

    /// The same game once more, on easy.
    fn restart_easy(&mut self) {
        let difficulty = Difficulty::Easy;
        self.change_settings(Settings { difficulty, ..self.settings.clone() });
        if let Some(ScreenCommand::Play { rules, .. }) = &mut self.own_game {
            *rules = Rules { mode: rules.mode, ..Rules::of(difficulty) };
        }
        self.restart();
    }

    /// In company, or with bots, it is not for one player to end the game.
    fn can_restart(&self) -> bool {
        let is_empty = |lobby: &screens::KnownLobby| lobby.members.len() == 1 && lobby.watchers == 0;
        self.own_game.is_some() && self.is_alone() && self.lobby.as_ref().is_some_and(is_empty)
    }

    /// In any other dialect, connecting is joining.
    fn connect_to_lobby(&mut self, command: &ScreenCommand) {
        let lobby = if let ScreenCommand::Join(code) = command { Some(*code) } else { None };
        let stage =
            if let ScreenCommand::Create { stage, .. } = command { stage.clone() } else { self.default_stage.clone() };
        self.start_when_seated = matches!(command, ScreenCommand::Quick | ScreenCommand::Play { .. });
        self.connection.open_at(Destination { lobby, stage, starts_at_once: self.start_when_seated });
        self.begin_game(GameView::new(self.now, None, false));
        self.chat = Chat::default();
        self.painter = Painter::new();
        self.announcements = Announcements::default();
        self.key_state.begin_game();
        self.show(Screen::Game(Game::default()));
    }

    /// Leaves the game for the title.
    fn leave(&mut self) {
        // What was said in the lobby is over.
        self.notice = None;
        if self.connection.has_lobbies() {
            self.connection.ask(self.now, LobbyRequest::LeaveLobby);
            self.connection.forget_seat();
        } else if self.connection.close(self.now) {
            self.request(Task::Disconnect, "");
        }
        self.return_to_title();
    }

    /// The player is in no game any more.
    pub(super) fn return_to_title(&mut self) {
        (self.game_view, self.lobby, self.rejoining, self.start_when_seated) = (None, None, None, false);
        self.pacing.begin();
        self.clock.set_pace(Pace::Full);
        self.show(Screen::title());
    }

    /// Shows another screen. The title is as it was left, and what was chosen elsewhere is kept.
    pub(super) fn show(&mut self, screen: Screen) {
        match &self.screen {
            Screen::Title(title) => self.title = title.clone(),
            Screen::Practice(practice) => self.practice = practice.clone(),
            Screen::Scores(scores) => self.scores = scores.clone(),
            Screen::Lobbies(lobbies) => self.lobbies = lobbies.clone(),
            Screen::ShipChoice(_) | Screen::Daily(_) | Screen::Options(_) | Screen::Keys(_) => {}
            Screen::Create(_) | Screen::TextEntry(_) | Screen::Credits | Screen::Game(_) => {}
        }
        let comes_back = matches!(self.screen, Screen::Create(_) | Screen::TextEntry(_));
        self.screen = match screen {
            Screen::Title(_) => Screen::Title(self.title.clone()),
            Screen::Lobbies(_) if comes_back => Screen::Lobbies(self.lobbies.clone()),
            other => other,
        };
    }

    /// Stores the new settings, and tells the server a new name.
    fn change_settings(&mut self, settings: Settings) {
        if settings.name != self.settings.name {
            self.connection.ask(self.now, LobbyRequest::Rename { name: settings.name.clone() });
            self.fetch_renamed();
        }
        if settings.ship != self.settings.ship {
            self.connection.ask(self.now, LobbyRequest::Ship(settings.ship));
        }
        self.settings = settings;
        // The screen may have been turned while a name was typed.
        self.small_screen(self.is_small_screen);
        let text = self.settings.write();
        self.request(Task::StoreSettings, &text);
        if let Screen::TextEntry(_) = self.screen {
            self.show(Screen::Options(screens::Options::default()));
        }
    }

    /// What a screen may show.
    pub(super) fn context(&self) -> Context<'_> {
        let own = self.game_view.as_ref().and_then(GameView::own);
        let newest = self.game_view.as_ref().map(GameView::newest);
        let player = own.and_then(|seat| newest.and_then(|frame| frame.players[seat.index()]));
        let (tick, tells) = (self.clock.ticks(), self.connection.tells());
        let is_shown = |until: u32| until.wrapping_sub(tick).cast_signed() > 0;
        let notice = self.notice.filter(|(_, until)| is_shown(*until)).map(|(phrase, _)| phrase);
        Context {
            settings: &self.settings,
            key_labels: &self.key_labels,
            tick,
            device: self.device,
            idle_ticks: self.idle_ticks(),
            is_solo: self.connection.is_solo(),
            has_company: self.has_company(),
            lobby_access: self.connection.lobby_access(),
            queues_changes: self.connection.queues_changes(),
            connection: self.connection_phrase(),
            notice: notice.or(self.connection.end().map(|why| self.end_phrase(why))),
            lobbies: &self.lobby_list.lobbies,
            list_round_trip_ms: self.lobby_list.round_trip_ms,
            code: self.code,
            page: self.connection.page(),
            waiting_lobby: self.lobby.as_ref().filter(|_| self.waits_in_lobby()),
            lobby: self.lobby.as_ref(),
            own,
            tables: &self.tables,
            scores: &self.scores,
            practice: &self.practice,
            today: self.today(),
            board: self.board.as_ref(),
            tally: self.tally.as_ref(),
            last_game: self.last_game,
            has_own_recording: self.own_recording().is_some(),
            ended_ticks: self.ended_at.map(|since| tick.wrapping_sub(since)),
            state: state_of(self.game_view.as_ref()),
            has_boss: self.game_view.as_ref().is_some_and(|view| view.frame().boss().is_some()),
            is_boss_announced: self.is_boss_announced(),
            is_announced: self.is_announced(),
            is_chased: newest.is_some_and(is_chased),
            chat: &self.chat,
            score: newest.map(|frame| frame.score).filter(|_| tells.score),
            shipless_ticks: self.shipless_since.map(|since| tick.wrapping_sub(since)),
            lost_to: own.and_then(|seat| self.feed.lost_to(seat)),
            lives: player.map(|player| player.lives).filter(|_| tells.lives),
            wave: newest.map_or(0, |frame| frame.wave),
            rules: self.rules,
            is_slow: self.is_slow(),
            is_paused: self.is_paused(),
            can_restart: self.can_restart(),
        }
    }

    /// Why the connection ended, for the player.
    fn end_phrase(&self, why: End) -> Phrase {
        if self.connection.is_solo() { Phrase::GameStopped } else { end_phrase(why) }
    }

    fn connection_phrase(&self) -> Phrase {
        match () {
            () if self.connection.is_solo() => Phrase::OneMoment,
            () if self.connection.is_lost() => Phrase::NotConnected,
            () if self.connection.is_open() => Phrase::Connected,
            () if self.connection.has_lobbies() => Phrase::Connecting,
            () => Phrase::ReadyToConnect,
        }
    }
}

/// `/mute 2` and `/unmute 2` are commands, not messages: they mute the player in the second seat, or no longer.
fn mute_request(text: &str) -> Option<LobbyRequest> {
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
    fn mute_commands_are_not_sent_as_chat() {
        assert_eq!(mute_request("/mute 2"), Some(LobbyRequest::Mute { seat: Seat::ALL[1], on: true }));
        assert_eq!(mute_request("/unmute 4"), Some(LobbyRequest::Mute { seat: Seat::ALL[3], on: false }));
        assert_eq!(
            [mute_request("/mute 0"), mute_request("/mute 5"), mute_request("mute 1"), mute_request("/dance 1")],
            [None, None, None, None]
        );
    }
}
