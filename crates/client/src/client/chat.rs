//! The latest chat messages, each shown for a while.

use std::collections::VecDeque;

use game::Seat;

use crate::draw::{Colour, Font, Picture};

/// The most messages that are shown at once.
const LINES: usize = 6;
/// Ticks for which a message is shown.
const SHOWN_TICKS: u32 = 8 * 60;

/// The latest messages.
#[derive(Clone, Debug, Default)]
pub struct Chat {
    lines: VecDeque<ChatLine>,
}

#[derive(Clone, Debug)]
struct ChatLine {
    seat: Option<Seat>,
    text: String,
    since: u32,
}

impl Chat {
    /// Adds a message. One without a name is the server's.
    pub fn push(&mut self, seat: Option<Seat>, name: &str, text: &str, tick: u32) {
        let text = if name.is_empty() { text.to_string() } else { format!("{name}: {text}") };
        if self.lines.len() == LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(ChatLine { seat, text, since: tick });
    }

    /// Draws the messages at the left, above the foot of the picture.
    pub fn draw(&self, tick: u32, picture: &mut Picture) {
        let recent: Vec<&ChatLine> =
            self.lines.iter().filter(|line| tick.wrapping_sub(line.since) < SHOWN_TICKS).collect();
        for (row, line) in (1..).zip(recent.iter().rev()) {
            let colour = line.seat.map_or(Colour::GREY, |seat| Colour::SEATS[seat.index()]);
            let letters = picture.letters();
            let text = letters.fitting(&line.text, if letters == Font::Large { 460 } else { 300 });
            picture.text_edged(letters, (6, 229 - (letters.height() + 3) * row), text, colour);
        }
    }
}
