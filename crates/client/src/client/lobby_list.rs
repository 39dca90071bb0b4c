//! The list of open lobbies: asked for again and again while it is on the screen, and replaced only when the answer is there.

use std::time::Duration;

use protocol::{LobbyRequest, LobbySummary, Time};

use super::Client;
use crate::screens::Screen;

/// How often the list is asked for while it is shown.
const REFRESH_EVERY: Duration = Duration::from_millis(2_500);
/// An answer that takes longer than this was lost with its connection.
const ANSWER_MAX: Duration = Duration::from_secs(10);

/// What is known of the open lobbies.
#[derive(Debug, Default)]
pub(super) struct LobbyList {
    pub(super) lobbies: Vec<LobbySummary>,
    /// When the last question was asked.
    asked: Option<Time>,
    /// Whether it is answered.
    is_answered: bool,
    /// How long the last answer took.
    pub(super) round_trip_ms: Option<u32>,
}

impl LobbyList {
    /// The connection is gone, and with it all that was known.
    pub(super) fn clear(&mut self) {
        *self = LobbyList::default();
    }

    fn is_due(&self, now: Time) -> bool {
        self.asked.is_none_or(|asked| {
            let wait = if self.is_answered { REFRESH_EVERY } else { ANSWER_MAX };
            now.since(asked) >= wait
        })
    }
}

impl Client {
    /// Asks for the list of lobbies, now or as soon as there is a connection.
    pub(super) fn list_lobbies(&mut self) {
        self.connection.open();
        if self.connection.is_open() {
            (self.lobby_list.asked, self.lobby_list.is_answered) = (Some(self.now), false);
            self.connection.ask(self.now, LobbyRequest::List);
        }
    }

    /// Asks for the list again, if it is on the screen and not new any more.
    pub(super) fn refresh_lobbies(&mut self) {
        let is_shown = matches!(self.screen, Screen::Lobbies(_)) && self.connection.has_lobbies();
        if is_shown && self.connection.is_open() && self.lobby_list.is_due(self.now) {
            self.list_lobbies();
        }
    }

    /// The list is there. The cursor stays where it was.
    pub(super) fn on_lobbies(&mut self, lobbies: Vec<LobbySummary>) {
        let list = &mut self.lobby_list;
        if let Screen::Lobbies(screen) = &mut self.screen {
            screen.follow(&list.lobbies, &lobbies);
        }
        if let Some(asked) = list.asked.filter(|_| !list.is_answered) {
            list.round_trip_ms = Some(self.now.since(asked).as_millis().min(9_999) as u32);
        }
        (list.lobbies, list.is_answered) = (lobbies, true);
    }
}
