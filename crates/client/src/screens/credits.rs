//! The credits.

use super::{Context, Foot, hints_of};
use crate::{
    draw::{Area, Colour, Font, Picture, widgets},
    language::Phrase,
};

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 70, y: 88, width: 340, height: 150 }, Area { x: 14, y: 70, width: 452, height: 172 }];
/// What is said, and whether it is a heading.
const LINES: [(Phrase, bool); 7] = [
    (Phrase::CreditsGame, true),
    (Phrase::CreditsAuthors, false),
    (Phrase::CreditsOwn, false),
    (Phrase::CreditsFather, true),
    (Phrase::CreditsThanks, false),
    (Phrase::CreditsLicence, true),
    (Phrase::CreditsRust, false),
];

pub(super) fn draw(context: &Context, picture: &mut Picture) {
    let area = context.area(&PANEL);
    widgets::logo(if context.settings.letters == Font::Large { 4 } else { 18 }, context.tick, picture);
    widgets::panel(area, context.translate(Phrase::Credits), picture);
    let mut y = area.y + widgets::title_height(context.settings.letters) + 8;
    // Large letters need the room.
    let [below_heading, below_line] = if context.settings.letters == Font::Large { [3, 7] } else { [5, 9] };
    for (phrase, is_heading) in LINES {
        let text = context.translate(phrase);
        let letters = picture.letters_for(text, area.width - 24);
        let colour = if is_heading { Colour::GOLD } else { Colour::PALE };
        let x = area.x + (area.width - letters.width(text)) / 2;
        picture.text_in(letters, (x, y), letters.fitting(text, area.width - 24), colour);
        y += letters.height() + if is_heading { below_heading } else { below_line };
    }
    hints_of(context, Foot::Page, picture);
}
