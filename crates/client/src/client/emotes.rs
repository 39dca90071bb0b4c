//! Gestures of players: six short words at the ship of whoever made one, for a moment.
//!
//! The digits 1 to 6 make them, or the menu over the game, for players who are not alone.

use game::{Kind, SEATS, Seat, units::px};
use protocol::{Emote, LobbyRequest};

use super::Client;
use crate::{
    Key,
    draw::{Area, Colour, Font, Picture},
    game_view::GameView,
    language::Language,
    screens::emote_phrase,
    sound::Cue,
};

/// Ticks for which a gesture is shown.
const SHOWN_TICKS: u32 = 150;
/// How far above the middle of a ship it is written.
const ABOVE_PX: i32 = 22;
/// Free space on each side of the words.
const MARGIN_PX: i32 = 4;

/// The keys of the gestures, by number.
const KEYS: [Key; 6] = [Key::DIGIT_1, Key::DIGIT_2, Key::DIGIT_3, Key::DIGIT_4, Key::DIGIT_5, Key::DIGIT_6];

/// The last gesture of each player, and when it was made.
#[derive(Clone, Debug, Default)]
pub(super) struct Emotes {
    shown: [Option<(Emote, u32)>; SEATS],
}

impl Emotes {
    fn show(&mut self, seat: Seat, emote: Emote, tick: u32) {
        self.shown[seat.index()] = Some((emote, tick));
    }

    fn of(&self, seat: Seat, tick: u32) -> Option<Emote> {
        let (emote, since) = self.shown[seat.index()]?;
        (tick.wrapping_sub(since) < SHOWN_TICKS).then_some(emote)
    }

    /// Writes each gesture above its ship. Whoever has no ship now has no place for one.
    pub(super) fn draw(&self, game: &GameView, language: Language, tick: u32, picture: &mut Picture) {
        for ship in game.frame().entities.iter().filter(|entity| entity.kind == Kind::Player) {
            let Some((seat, emote)) = ship.seat.and_then(|seat| Some((seat, self.of(seat, tick)?))) else { continue };
            let (x, y) = (ship.position.x / px(1), ship.position.y / px(1));
            draw_bubble((x, y), language.translate(emote_phrase(emote)), Colour::SEATS[seat.index()], picture);
        }
    }
}

impl Client {
    /// Makes a gesture, unless nobody would see it.
    pub(super) fn make_emote(&mut self, emote: Emote) {
        let has_seat = self.game_view.as_ref().and_then(GameView::own).is_some();
        if has_seat && self.connection.has_lobbies() && self.has_company() {
            self.connection.ask(self.now, LobbyRequest::Emote(emote));
        }
    }

    pub(super) fn on_emote(&mut self, seat: Seat, emote: Emote) {
        self.emotes.show(seat, emote, self.clock.ticks());
        self.play_cue(Cue::Chat);
    }
}

/// The gesture that a key makes.
pub(super) fn emote_of(key: Key) -> Option<Emote> {
    let number = KEYS.iter().position(|digit| *digit == key)?;
    Emote::ALL.get(number).copied()
}

/// Words in a box above a place of the picture, pushed inside where they would not fit.
fn draw_bubble((x, y): (i32, i32), words: &str, colour: Colour, picture: &mut Picture) {
    let font = picture.letters();
    let (width, height) = (font.width(words) + 2 * MARGIN_PX, font.height() + MARGIN_PX);
    let left = (x - width / 2).clamp(0, (Picture::WIDTH - width).max(0));
    let above = y - ABOVE_PX - height;
    let top = if above < Font::Large.height() { y + ABOVE_PX } else { above };
    picture.rect(Area::new(left, top, width, height), Colour::SHADOW);
    picture.outline(Area::new(left, top, width, height), colour);
    picture.text_in(font, (left + MARGIN_PX, top + MARGIN_PX / 2), words, Colour::PALE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_digit_has_a_gesture_of_its_own() {
        let made: Vec<Option<Emote>> = KEYS.into_iter().map(emote_of).collect();
        assert_eq!(made, Emote::ALL.map(Some));
        assert_eq!((emote_of(Key::DIGIT_7), emote_of(Key::DIGIT_0)), (None, None));
    }

    #[test]
    fn a_gesture_is_shown_for_a_moment() {
        let mut emotes = Emotes::default();
        let [ann, bob, ..] = Seat::ALL;
        emotes.show(ann, Emote::Help, 100);
        assert_eq!((emotes.of(ann, 100), emotes.of(bob, 100)), (Some(Emote::Help), None));
        assert_eq!((emotes.of(ann, 249), emotes.of(ann, 250)), (Some(Emote::Help), None));
    }
}
