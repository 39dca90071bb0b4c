//! What the server says about lobbies, and what happens when the connection ends. After one that the network lost, the client
//! looks for the same seat, then for another seat in the same lobby, then for any lobby.

use std::time::Duration;

use game::{GameState, Seat};
use protocol::{End, LobbyRequest, Refusal, volley::News};

use super::{Change, Client, announcements::Announcements, chat::Chat, emotes::Emotes};
use crate::{
    draw::Painter,
    game_view::{GameView, stage_of},
    language::Phrase,
    screens::{Game, KnownLobby, Screen, ScreenCommand},
    sound::Cue,
};

/// How often a seat is asked for in a lobby whose game is over.
const JOIN_EVERY: Duration = Duration::from_secs(1);

/// Which seat is being asked for after a lost connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RejoinStep {
    /// The kept seat, with its token.
    SameSeat,
    /// Any seat of that lobby.
    SameLobby,
    /// Any seat.
    AnyLobby,
}

impl Client {
    /// There is a connection: asks for what was wanted.
    pub(super) fn on_connected(&mut self) {
        if !self.connection.is_open() {
            return;
        }
        self.clock.reconnect();
        self.connection.ask(self.now, LobbyRequest::Ship(self.settings.ship));
        if let Some(command) = self.pending_command.take() {
            self.execute(command);
        } else if self.game_view.is_some() && self.connection.has_lobbies() {
            self.rejoin();
        } else if self.game_view.is_some() {
            self.begin_game(GameView::new(self.now, None, false));
        } else if let Screen::Lobbies(_) = self.screen {
            self.list_lobbies();
        } else if self.game_view.is_none() {
            self.fetch_table(&self.scores.board(self.today()));
        }
    }

    /// The connection itself asks for a kept seat. Without one, the same lobby is asked for.
    fn rejoin(&mut self) {
        self.rejoining = Some(RejoinStep::SameSeat);
        let had_seat = self.game_view.as_ref().is_some_and(|view| view.own().is_some());
        match self.code {
            Some(code) if !had_seat => self.connection.ask(self.now, LobbyRequest::Watch { code }),
            Some(code) if self.connection.token().is_none() => {
                self.rejoining = Some(RejoinStep::SameLobby);
                self.connection.ask(self.now, LobbyRequest::Join { code });
            }
            Some(_) | None => {}
        }
    }

    /// If the network lost the connection, the last picture stays while the client connects again. If the server ended it, the
    /// game is over, and the title says why.
    pub(super) fn on_change(&mut self, change: Change) {
        match change {
            Change::None => {}
            Change::Lost => {
                self.lobby = None;
                self.lobby_list.clear();
            }
            Change::Ended(_) => {
                self.lobby_list.clear();
                (self.pending_command, self.joining, self.joins_again_at) = (None, None, None);
                self.return_to_title();
            }
        }
    }

    pub(super) fn on_notice(&mut self, notice: News) {
        match notice {
            News::Lobbies(lobbies) => self.on_lobbies(lobbies),
            News::Seated { code, seat, .. } => self.enter_lobby(code, Some(seat)),
            News::Watching { code } => self.enter_lobby(code, None),
            News::Refused(refusal) => self.on_refusal(refusal),
            News::Lobby(lobby) => {
                if let Some(view) = &mut self.game_view {
                    view.play_by(lobby.rules);
                }
                self.rules = Some(lobby.rules);
                self.start_if_allowed(lobby.host);
                self.learn_lobby(lobby.into());
            }
            News::Tally(tally) => {
                self.on_tally(tally);
                self.play_cue(Cue::Rank);
            }
            News::Said { seat, name, text } => {
                let unnamed = seat.filter(|_| name.is_empty());
                let name = unnamed.map_or(name.as_str(), |seat| self.settings.language.seat_name(seat));
                self.chat.push(seat, name, &text, self.clock.ticks());
                self.play_cue(Cue::Chat);
            }
            News::Emote { seat, emote } => self.on_emote(seat, emote),
            News::Stage { name, number, terrain } => {
                if let Some(view) = &mut self.game_view {
                    view.enter(stage_of(number, Some((&name, &terrain))));
                }
            }
            News::LeftLobby => {
                // A player who left is at the title already, or on the way into another lobby.
                if self.game_view.is_some() {
                    self.notify(end_phrase(End::LobbyClosed));
                    self.return_to_title();
                }
            }
            News::Pace(pace) => self.on_pace(pace),
        }
    }

    /// The player is in a lobby now, with or without a seat.
    fn enter_lobby(&mut self, code: protocol::LobbyId, seat: Option<Seat>) {
        // What was said elsewhere is not for here.
        if self.code.replace(code) != Some(code) {
            self.chat = Chat::default();
        }
        (self.tally, self.rules, self.joining, self.joins_again_at) = (None, None, None, None);
        let waited = self.state_seen == Some(GameState::Waiting);
        self.begin_game(GameView::new(self.now, seat, true));
        // Entities of another lobby may have the same ids.
        self.painter = Painter::new();
        self.announcements = Announcements::default();
        self.emotes = Emotes::default();
        self.clock.reconnect();
        self.pacing.begin();
        let is_back = self.rejoining.take().is_some();
        // For a player who comes back it is not a new game: keys that are held still count.
        self.state_seen = is_back.then_some(GameState::Running);
        // A menu that was open before the connection was lost stays open.
        if !(is_back && matches!(self.screen, Screen::Game(_))) {
            self.show(Screen::Game(Game::default()));
        }
        // Who waited in a lobby before the connection was lost goes on waiting.
        self.start_when_seated = seat.is_some() && (self.start_when_seated || is_back && !waited);
        self.start_is_due = self.start_when_seated;
    }

    /// This is who is in the lobby now. The cursor of its menu stays at what it was at.
    fn learn_lobby(&mut self, lobby: KnownLobby) {
        let mut screen = std::mem::replace(&mut self.screen, Screen::Credits);
        let chosen = if let Screen::Game(game) = &screen { game.lobby_entry(&self.context()) } else { None };
        self.lobby = Some(lobby);
        if let (Screen::Game(game), Some(chosen)) = (&mut screen, chosen) {
            game.keep_lobby_entry(chosen, &self.context());
        }
        self.screen = screen;
    }

    /// Starts the game, if that is wanted and not for somebody else to decide.
    fn start_if_allowed(&mut self, host: Option<Seat>) {
        if !std::mem::take(&mut self.start_is_due) {
            return;
        }
        self.start_when_seated = host.is_none() || host == self.connection.seat();
        if self.start_when_seated {
            self.connection.ask(self.now, LobbyRequest::Ready(true));
            self.connection.start(self.now);
        }
    }

    fn on_refusal(&mut self, refusal: Refusal) {
        match (self.rejoining, self.code) {
            // The message that said so was lost with the connection.
            (Some(_), _) if refusal == Refusal::Kicked => {
                self.connection.forget_seat();
                self.notify(Phrase::EndKicked);
                return self.return_to_title();
            }
            (Some(RejoinStep::SameSeat), Some(code)) => {
                self.connection.forget_seat();
                self.rejoining = Some(RejoinStep::SameLobby);
                self.connection.ask(self.now, LobbyRequest::Join { code });
            }
            (Some(RejoinStep::SameLobby), _) => {
                self.rejoining = Some(RejoinStep::AnyLobby);
                self.connection.ask(self.now, LobbyRequest::Quick);
            }
            (Some(RejoinStep::SameSeat | RejoinStep::AnyLobby), _) => self.return_to_title(),
            // If the lobby is full, watch it instead.
            (None, _) if refusal == Refusal::Full => {
                let code = self.joining.take();
                code.into_iter().for_each(|code| self.connection.ask(self.now, LobbyRequest::Watch { code }));
            }
            // Nobody is seated in a game that is over: the player waits for the next one.
            (None, _) if refusal == Refusal::NotNow && self.joining.is_some() => {
                self.joins_again_at = Some(self.now + JOIN_EVERY);
                return self.notify(Phrase::NextGameSoon);
            }
            // A host may have other stages than ours.
            (None, _) if refusal == Refusal::NoStage && self.start_when_seated => {
                return self.connection.ask(self.now, LobbyRequest::Quick);
            }
            (None, _) => {}
        }
        if self.rejoining.is_none() {
            self.notify(refusal_phrase(refusal));
        }
        self.start_when_seated = self.start_when_seated && self.rejoining.is_some();
    }

    /// Asks again for a seat in a lobby whose game was over, if it is time.
    pub(super) fn join_again(&mut self) {
        let is_time = self.joins_again_at.is_some_and(|at| self.now >= at);
        if let Some(code) = self.joining.filter(|_| is_time && self.connection.is_open()) {
            self.joins_again_at = None;
            self.connection.ask(self.now, LobbyRequest::Join { code });
        }
    }

    /// Whether a game is on the screen that the player is not in yet, or no longer.
    pub(super) fn is_rejoining(&self) -> bool {
        let is_joining = matches!(
            self.pending_command,
            Some(ScreenCommand::Play { .. } | ScreenCommand::Quick | ScreenCommand::Join(_) | ScreenCommand::Watch(_))
        );
        let is_unheard = !self.connection.has_lobbies() && !self.connection.was_ever_heard();
        let is_lost = self.connection.is_lost() || self.connection.is_silent(self.now);
        let is_waiting = is_lost || self.rejoining.is_some() || is_joining || is_unheard;
        self.game_view.is_some() && is_waiting
    }
}

/// Why the server ended the connection.
pub(super) fn end_phrase(why: End) -> Phrase {
    match why {
        End::Refused => Phrase::EndRefused,
        End::Full => Phrase::EndFull,
        End::Dropped => Phrase::EndDropped,
        End::Closed => Phrase::EndKicked,
        End::LobbyClosed => Phrase::EndLobbyClosed,
        End::NoLobby => Phrase::NoSuchLobby,
        End::LobbyFull => Phrase::LobbyFull,
        End::NoStage => Phrase::EndNoStage,
        End::VersionDiffers => Phrase::VersionDiffers,
        // These do not come from the server.
        End::Left | End::TimedOut | End::Unreachable | End::Restarting => Phrase::NotConnected,
    }
}

fn refusal_phrase(refusal: Refusal) -> Phrase {
    match refusal {
        Refusal::Version => Phrase::VersionDiffers,
        Refusal::NoLobby => Phrase::NoSuchLobby,
        Refusal::Full => Phrase::LobbyFull,
        Refusal::NoStage => Phrase::NoSuchStage,
        Refusal::NodeFull => Phrase::ServerFull,
        Refusal::TooLate => Phrase::SeatGone,
        Refusal::TooFast => Phrase::TooFast,
        Refusal::NotNow => Phrase::NotNow,
        Refusal::NotHost => Phrase::OnlyTheHost,
        Refusal::Kicked => Phrase::KickedLately,
        Refusal::NoBot => Phrase::NoMoreBots,
    }
}
