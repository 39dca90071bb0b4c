//! The latest chat messages, each shown for a while.

use std::collections::VecDeque;

use game::Seat;

use crate::draw::{Colour, Font, Picture, widgets};

/// The most messages that are remembered.
const MESSAGES: usize = 6;
/// The most lines that are shown over a game.
const LINES: i32 = 6;
/// Ticks for which a message is shown.
const SHOWN_TICKS: u32 = 8 * 60;
/// The lowest line over a game ends here, above the foot of the picture.
pub const BOTTOM: i32 = 226;
const LEFT: i32 = 6;

/// The latest messages.
#[derive(Clone, Debug, Default)]
pub struct Chat {
    messages: VecDeque<Message>,
}

#[derive(Clone, Debug)]
struct Message {
    seat: Option<Seat>,
    text: String,
    since: u32,
}

impl Chat {
    /// Adds a message. One without a name is the server's.
    pub fn push(&mut self, seat: Option<Seat>, name: &str, text: &str, tick: u32) {
        let text = if name.is_empty() { text.to_string() } else { format!("{name}: {text}") };
        if self.messages.len() == MESSAGES {
            self.messages.pop_front();
        }
        self.messages.push_back(Message { seat, text, since: tick });
    }

    /// Whether a message is shown in this tick.
    pub fn is_shown(&self, tick: u32) -> bool {
        self.recent(tick).next().is_some()
    }

    /// Draws the messages at the left of a game, above the foot of the picture.
    pub fn draw(&self, tick: u32, picture: &mut Picture) {
        let (letters, width) = match picture.letters() {
            Font::Small => (Font::Small, 300),
            Font::Large => (Font::Large, 460),
        };
        self.draw_lines(tick, Lines { letters, width, top: BOTTOM - LINES * step(letters), bottom: BOTTOM }, picture);
    }

    /// Draws the messages between two heights, as many as there is room for. What is too long for large letters there has small ones.
    pub fn draw_between(&self, (top, bottom): (i32, i32), tick: u32, picture: &mut Picture) {
        let width = Picture::WIDTH - 2 * LEFT;
        let rows = |letters: Font| (bottom - top) / step(letters);
        let newest = self.recent(tick).next();
        let fits = |letters: Font| {
            newest.is_none_or(|newest| widgets::broken(letters, &newest.text, width).len() as i32 <= rows(letters))
        };
        let letters = if fits(picture.letters()) { picture.letters() } else { Font::Small };
        self.draw_lines(tick, Lines { letters, width, top, bottom }, picture);
    }

    /// The newest at the bottom. An older one that does not fit as a whole is left out: nobody would know who said the rest.
    fn draw_lines(&self, tick: u32, place: Lines, picture: &mut Picture) {
        let (letters, mut bottom) = (place.letters, place.bottom);
        for (age, message) in self.recent(tick).enumerate() {
            let lines = widgets::broken(letters, &message.text, place.width);
            let top = bottom - lines.len() as i32 * step(letters);
            if top < place.top && age > 0 {
                return;
            }
            let colour = message.seat.map_or(Colour::GREY, |seat| Colour::SEATS[seat.index()]);
            for (row, line) in (0..).zip(lines) {
                picture.text_edged(letters, (LEFT, top + 3 + row * step(letters)), line, colour);
            }
            bottom = top;
        }
    }

    /// Those that are shown, the newest first.
    fn recent(&self, tick: u32) -> impl Iterator<Item = &Message> {
        self.messages.iter().rev().filter(move |message| tick.wrapping_sub(message.since) < SHOWN_TICKS)
    }
}

/// Where lines are drawn, and in which letters.
struct Lines {
    letters: Font,
    width: i32,
    top: i32,
    bottom: i32,
}

/// From one line to the next.
const fn step(letters: Font) -> i32 {
    letters.height() + 3
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: Seat = Seat::ALL[0];

    /// The rows in which a message has letters.
    fn rows(picture: &Picture) -> Vec<i32> {
        let is_lit = |y: &i32| (0..Picture::WIDTH).any(|x| picture.at(x, *y) == Some(Colour::SEATS[0]));
        (0..Picture::HEIGHT).filter(is_lit).collect()
    }

    #[test]
    fn a_long_message_is_wrapped_and_none_of_it_is_lost() {
        for letters in Font::ALL {
            let lit = |text: &str| {
                let (mut chat, mut picture) = (Chat::default(), Picture::new());
                picture.set_letters(letters);
                chat.push(Some(ANN), "Ann", text, 0);
                chat.draw(10, &mut picture);
                let places = (0..Picture::HEIGHT).flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y)));
                let count = places.filter(|&(x, y)| picture.at(x, y) == Some(Colour::SEATS[0])).count();
                (count, rows(&picture))
            };
            let (words, bare) = ("nine words that are more than one line has", lit("").0);
            let (once, twice) = (lit(words), lit(&format!("{words} {words}")));
            assert_eq!(twice.0 - bare, 2 * (once.0 - bare), "{letters:?}");
            assert!(twice.1.len() > once.1.len() && twice.1.iter().all(|y| *y < BOTTOM), "{letters:?}");
        }
    }

    #[test]
    fn an_old_message_is_shown_as_a_whole_or_not_at_all() {
        let (mut chat, mut picture) = (Chat::default(), Picture::new());
        let long = "words ".repeat(15);
        (0..6).for_each(|_| chat.push(Some(ANN), "Ann", &long, 0));
        chat.draw(10, &mut picture);
        let top = rows(&picture)[0];
        assert!(top >= BOTTOM - LINES * step(Font::Small), "{top}");
        assert!(chat.is_shown(SHOWN_TICKS - 1) && !chat.is_shown(SHOWN_TICKS));
    }

    #[test]
    fn between_two_heights_even_the_longest_message_fits() {
        for letters in Font::ALL {
            let (mut chat, mut picture) = (Chat::default(), Picture::new());
            picture.set_letters(letters);
            chat.push(Some(ANN), "A name of twenty four ch", &"wide words ".repeat(8), 0);
            chat.draw_between((228, 268), 10, &mut picture);
            let rows = rows(&picture);
            assert!(rows[0] >= 228 && rows[rows.len() - 1] < 270, "{letters:?}: {rows:?}");
        }
    }
}
