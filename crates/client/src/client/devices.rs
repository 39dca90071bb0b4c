//! What the player does with keys, gamepads, fingers and the mouse: it flies the ship, or goes through the menus.

use std::time::Duration;

use game::GameState;
use protocol::Time;

use super::{Client, Task, emotes::emote_of, pace::Focus, state_of};
use crate::{
    Key, Pad, Phase, Touch,
    input::{Action, Device, MenuInput, TouchControls},
    screens::{IDLE_TICKS, Screen},
};

/// The character of the key that opens the chat comes within this time, and is not part of the message.
const IGNORE_TEXT: Duration = Duration::from_millis(20);

impl Client {
    /// A key went down or up. Repeats of a key that is held are ignored.
    pub fn key(&mut self, now: Time, key: Key, down: bool) {
        self.set_time(now);
        self.typing_key = down.then_some(key);
        if down {
            (self.focus, self.device) = (Focus::Here, Device::Keyboard);
        }
        if self.press_replay(key, down) {
            return;
        }
        let is_change = self.key_state.key(key, down, &self.settings.bindings);
        // Backspace may repeat: it deletes text.
        if down && !self.wake() && (is_change || key == Key::BACKSPACE) {
            self.press_key(key);
        }
    }

    /// Whether the key is the game's alone now. In a menu, Tab leads to the buttons of the page around it.
    pub fn needs_key(&self, key: Key) -> bool {
        key != Key::TAB || self.is_flying()
    }

    /// A character was typed, for names and chat. Comes after its [`Client::key`], and so also tells what is printed on that key.
    pub fn text(&mut self, now: Time, character: char) {
        self.set_time(now);
        self.typing_key.take().into_iter().for_each(|key| self.key_labels.learn(key, character));
        if self.now > self.ignore_text_until {
            self.screen.text(character);
        }
    }

    /// The current state of the gamepad; if there are several, the shell merges them.
    pub fn pad(&mut self, now: Time, pad: Pad) {
        self.set_time(now);
        let (inputs, opens_menu) = self.key_state.pad(pad);
        if pad.buttons != 0 {
            self.focus = Focus::Here;
        }
        if self.key_state.is_pad_used() {
            self.device = Device::Pad;
        }
        if self.replay().is_some() {
            return self.navigate_replay(&inputs);
        }
        let is_flying = self.is_flying();
        let is_asleep = (!inputs.is_empty() || opens_menu) && self.wake();
        match &self.screen {
            _ if is_asleep => {}
            Screen::Game(_) if opens_menu => self.toggle_menu(),
            _ if is_flying => {}
            _ => inputs.into_iter().for_each(|input| self.navigate(input)),
        }
    }

    /// A finger touched the picture, moved or was lifted.
    pub fn touch(&mut self, now: Time, touch: Touch) {
        self.set_time(now);
        (self.focus, self.device) = (Focus::Here, Device::Touch);
        if self.replay().is_some() {
            if touch.phase == Phase::Up {
                self.tap_replay(touch.x, touch.y);
            }
            return;
        }
        self.key_state.touch(touch);
        let Touch { finger, phase, x, y } = touch;
        if phase == Phase::Down && self.wake() {
            return;
        }
        match phase {
            Phase::Down if self.is_flying() => self.tap(x, y),
            Phase::Down => {
                self.pointing = Some(finger);
                self.navigate(MenuInput::Point(x, y));
            }
            Phase::Move if self.pointing == Some(finger) => self.navigate(MenuInput::Point(x, y)),
            Phase::Up if self.pointing == Some(finger) => {
                self.pointing = None;
                self.tap(x, y);
            }
            Phase::Move | Phase::Up => {}
        }
    }

    /// The mouse was clicked at a pixel of the picture. In menus it does what a finger does; it does not fly the ship.
    pub fn click(&mut self, now: Time, x: i32, y: i32) {
        self.set_time(now);
        self.focus = Focus::Here;
        if !self.tap_replay(x, y) && !self.wake() {
            self.tap(x, y);
        }
    }

    /// The window lost the keyboard: every key, button and finger counts as released. A player who is alone gets a pause
    /// until the next key.
    pub fn blur(&mut self, now: Time) {
        self.set_time(now);
        self.key_state.release_all();
        if self.focus == Focus::Here {
            self.focus = Focus::Elsewhere;
        }
        self.pointing = None;
    }

    /// The player does something. Returns whether that only brings the menu of an idle title back.
    fn wake(&mut self) -> bool {
        let was_idle = matches!(self.screen, Screen::Title(_)) && self.idle_ticks() >= IDLE_TICKS;
        self.active_at = self.clock.ticks();
        self.pacing.wake();
        was_idle
    }

    fn tap(&mut self, x: i32, y: i32) {
        match &self.screen {
            Screen::Game(_) if TouchControls::is_menu(x, y) => self.toggle_menu(),
            _ if self.is_flying() => {}
            _ => self.navigate(self.screen.tapped(x, y, &self.context())),
        }
    }

    fn press_key(&mut self, key: Key) {
        let takes_text = self.screen.is_writing() || self.screen.is_binding_a_key();
        match self.settings.bindings.action(key) {
            Some(Action::FullScreen) if !takes_text => self.request(Task::FullScreen, ""),
            Some(Action::Graph) if !takes_text && !self.connection.is_solo() => self.graph_shown = !self.graph_shown,
            None if self.is_flying() => emote_of(key).into_iter().for_each(|emote| self.make_emote(emote)),
            action if self.is_flying() => self.press_in_game(action),
            _ if key == Key::R && (self.is_result_shown() || matches!(self.screen, Screen::Scores(_))) => {
                self.watch_replay()
            }
            _ if key == Key::S && self.is_result_shown() => self.save_replay(),
            action if self.is_result_shown() => self.press_after_game(key, action),
            // Escape leads one step back; another key for the menu closes all of it.
            Some(Action::Pause) if self.screen.is_menu_open() && key != Key::ESCAPE => self.toggle_menu(),
            _ => self.press_screen(key),
        }
    }

    /// A key while the ship flies. What the ship does is read from the keys that are held, once a tick.
    fn press_in_game(&mut self, action: Option<Action>) {
        match action {
            Some(Action::Pause) => self.toggle_menu(),
            Some(Action::Chat) => self.open_chat(),
            Some(
                Action::Left
                | Action::Right
                | Action::Up
                | Action::Down
                | Action::Fire
                | Action::Force
                | Action::Graph
                | Action::FullScreen
                | Action::Scoreboard,
            )
            | None => {}
        }
    }

    /// A key while the result of a lost game is shown: fire and Enter play again, left and right turn the page.
    fn press_after_game(&mut self, key: Key, action: Option<Action>) {
        match (key, action) {
            (Key::ENTER | Key::NUMPAD_ENTER, _) | (_, Some(Action::Fire)) => self.navigate(MenuInput::Accept),
            (Key::ESCAPE, _) | (_, Some(Action::Pause)) => self.toggle_menu(),
            (Key::ARROW_LEFT, _) | (_, Some(Action::Left)) => self.navigate(MenuInput::Left),
            (Key::ARROW_RIGHT, _) | (_, Some(Action::Right)) => self.navigate(MenuInput::Right),
            (_, Some(Action::Chat)) => self.open_chat(),
            _ => {}
        }
    }

    /// The chat is for those who are not alone.
    fn open_chat(&mut self) {
        let has_chat = self.connection.has_lobbies() && self.has_company();
        if let Screen::Game(game) = &mut self.screen
            && has_chat
        {
            game.open_chat();
            self.ignore_text_until = self.now + IGNORE_TEXT;
        }
    }

    /// Opens the menu, or closes what lies over the game. Whoever closes the question for a name has answered it.
    fn toggle_menu(&mut self) {
        match &mut self.screen {
            Screen::Game(game) if game.asks_name() => self.navigate(MenuInput::Back),
            Screen::Game(game) => game.toggle_menu(),
            Screen::Title(_) | Screen::ShipChoice(_) | Screen::Daily(_) | Screen::Practice(_) | Screen::Options(_) => {}
            Screen::Keys(_) | Screen::Lobbies(_) | Screen::Create(_) | Screen::TextEntry(_) => {}
            Screen::Scores(_) | Screen::Credits => {}
        }
    }

    /// Whether keys, pad and fingers fly the ship.
    ///
    /// In our own dialect nothing is sent before the game begins, nor after it is lost; others may not tell either.
    pub(super) fn is_flying(&self) -> bool {
        let is_begun = match state_of(self.game_view.as_ref()) {
            GameState::Waiting => !self.connection.has_lobbies() && !self.waits_in_lobby(),
            GameState::Lost => !self.connection.has_lobbies(),
            GameState::Running | GameState::Won | GameState::TimedOut => true,
        };
        is_begun && self.screen.is_game_clear()
    }

    /// Whether the result of a lost game is shown, and nothing over it.
    pub(super) fn is_result_shown(&self) -> bool {
        self.game_over.is_some() && self.connection.has_lobbies() && self.screen.is_game_clear()
    }
}
