//! A replay lies over everything else, until Escape: keys, fingers and the mouse control it, and nothing reaches the game behind it.

use std::time::Duration;

use protocol::Time;
use replay::Replay;

use super::{Client, Task};
use crate::{
    Key, ReplayKey, ReplayView,
    draw::{Area, Colour, Picture},
    input::{Device, MenuInput, TouchControls},
    language::Phrase,
    screens::Screen,
};

pub(super) struct ShownReplay {
    view: Box<ReplayView>,
    /// Until when it was played.
    at: Time,
    /// When the player last did something.
    used_at: Time,
}

/// How long the bar is shown after the player did something.
const BAR_SHOWN: Duration = Duration::from_secs(5);

impl ShownReplay {
    /// Whether the bar is shown: while the player may want something of it.
    fn has_bar(&self, now: Time) -> bool {
        self.view.playback().is_paused() || now.since(self.used_at) < BAR_SHOWN
    }
}

impl Client {
    /// Shows a replay, or says in one line why it cannot be shown.
    pub fn open_replay(&mut self, now: Time, file: &[u8]) -> Result<(), String> {
        self.set_time(now);
        let opened = Replay::read(file.to_vec()).and_then(|replay| ReplayView::new(&replay));
        let view = Box::new(opened.map_err(|error| error.to_string())?);
        self.key_state.release_all();
        self.replay = Some(ShownReplay { view, at: self.now, used_at: self.now });
        Ok(())
    }

    /// The replay that is shown.
    pub fn replay(&self) -> Option<&ReplayView> {
        self.replay.as_ref().map(|shown| &*shown.view)
    }

    /// Shows the game or the menu that is behind the replay.
    pub fn close_replay(&mut self) {
        self.replay = None;
    }

    /// Shows the recording of the game that was just lost or, on the screen of the tables, of the one at the cursor. What is not here
    /// the shell is asked for.
    pub(super) fn watch_replay(&mut self) {
        let is_table = matches!(self.screen, Screen::Scores(_));
        if let Some(file) = self.own_recording().filter(|_| !is_table).map(<[u8]>::to_vec) {
            if self.open_replay(self.now, &file).is_err() {
                self.notify(Phrase::ReplayDiffers);
            }
            return;
        }
        if let Some(game) = self.offered_replay() {
            self.request(Task::FetchReplay, &game);
        }
    }

    /// The game whose recording the player may ask for now.
    fn offered_replay(&self) -> Option<String> {
        match &self.screen {
            Screen::Scores(scores) => scores.recorded(&self.context()),
            _ => self.tables.recorded(self.board.as_ref()?, Some(&self.last_game?.to_string())),
        }
    }

    /// A key while a replay is shown. Whether there is one.
    pub(super) fn press_replay(&mut self, key: Key, down: bool) -> bool {
        if self.replay.is_none() {
            return false;
        }
        self.use_replay();
        match ReplayKey::of(key) {
            _ if !down => {}
            None if key == Key::ESCAPE => self.close_replay(),
            None => {}
            Some(key) => self.obey_replay(key),
        }
        true
    }

    /// The player does something: the bar is shown.
    fn use_replay(&mut self) {
        let now = self.now;
        self.replay.iter_mut().for_each(|shown| shown.used_at = now);
    }

    /// A pad moves through the replay as through a menu.
    pub(super) fn navigate_replay(&mut self, inputs: &[MenuInput]) {
        if !inputs.is_empty() {
            self.use_replay();
        }
        for input in inputs {
            match input {
                MenuInput::Left => self.obey_replay(ReplayKey::Back),
                MenuInput::Right => self.obey_replay(ReplayKey::Forward),
                MenuInput::Up => self.obey_replay(ReplayKey::Faster),
                MenuInput::Down => self.obey_replay(ReplayKey::Slower),
                MenuInput::Accept => self.obey_replay(ReplayKey::Pause),
                MenuInput::Back => self.close_replay(),
                MenuInput::Tap(..) | MenuInput::Point(..) => {}
            }
        }
    }

    /// A tap on the bar leads to that moment, one on the picture pauses. Whether there is a replay.
    pub(super) fn tap_replay(&mut self, x: i32, y: i32) -> bool {
        let now = self.now;
        let Some(shown) = &mut self.replay else { return false };
        let had_bar = shown.has_bar(now);
        shown.used_at = now;
        // The corner that opens the menu of a game closes a replay.
        if self.device == Device::Touch && TouchControls::is_menu(x, y) {
            self.close_replay();
            return true;
        }
        match shown.view.tick_at(x, y).filter(|_| had_bar) {
            Some(tick) if shown.view.seek(tick).is_err() => self.close_replay(),
            Some(_) => {}
            None => self.obey_replay(ReplayKey::Pause),
        }
        true
    }

    fn obey_replay(&mut self, key: ReplayKey) {
        if self.replay.as_mut().is_some_and(|shown| shown.view.obey(key).is_err()) {
            self.close_replay();
        }
    }

    /// Lets time pass in the replay. One that turns out to be another game than was recorded is closed.
    pub(super) fn advance_replay(&mut self) {
        let now = self.now;
        let Some(shown) = &mut self.replay else { return };
        let passed = now.since(std::mem::replace(&mut shown.at, now));
        if shown.view.advance(passed).is_err() {
            self.notify(Phrase::ReplayDiffers);
            self.close_replay();
        }
    }

    /// Draws the replay. Whether there is one.
    pub(super) fn draw_replay(&mut self, picture: &mut Picture) -> bool {
        let (look, keys, now) = (self.settings.look, self.replay_keys(), self.now);
        let Some(shown) = &mut self.replay else { return false };
        shown.view.speak(self.settings.language);
        if shown.has_bar(now) {
            shown.view.draw(picture, look, &keys);
        } else {
            shown.view.draw_clear(picture, look);
        }
        if self.device == Device::Touch {
            draw_close(picture);
        }
        true
    }

    /// What is pressed in a replay, on the device in use. A finger taps on what it wants.
    fn replay_keys(&self) -> String {
        let [pause, speed, close] =
            [Phrase::ReplayPause, Phrase::ReplaySpeed, Phrase::ReplayClose].map(|phrase| self.translate(phrase));
        let arrows = format!("←→ 5 s   ↑↓ {speed}");
        match self.device {
            Device::Keyboard => {
                let [space, escape] = [Phrase::SpaceKey, Phrase::EscapeKey].map(|key| self.translate(key));
                let [moment, player] =
                    [Phrase::ReplayMoment, Phrase::ReplayFollow].map(|phrase| self.translate(phrase));
                let [before, after, follow] = [Key::B, Key::N, Key::F].map(|key| self.context().key_name(key));
                format!("{space} {pause}   {arrows}   {before} {after} {moment}   {follow} {player}   {escape} {close}")
            }
            Device::Pad => format!("A {pause}   {arrows}   B {close}"),
            Device::Touch => String::new(),
        }
    }
}

/// The corner that closes the replay.
fn draw_close(picture: &mut Picture) {
    let (x, y) = TouchControls::MENU_AT;
    picture.rect(Area::new(x - 11, y - 11, 23, 23), Colour::SHADOW);
    picture.outline(Area::new(x - 11, y - 11, 23, 23), Colour::EDGE);
    for step in -5..=5 {
        picture.rect(Area::new(x + step, y + step, 2, 1), Colour::PALE);
        picture.rect(Area::new(x + step, y - step, 2, 1), Colour::PALE);
    }
}
