//! After a lost game, a player without a name is asked for one: over the table, in which it will be.

use super::{Context, TextField};
use crate::{
    draw::{Area, Colour, Font, Picture, widgets},
    input::{Device, MenuInput},
    language::Phrase,
};

/// With small letters and with large ones.
const PANEL: [Area; 2] = [Area::centred(260, 96), Area::centred(452, 134)];
/// Between the edge of the panel and the field.
const MARGIN: i32 = 20;

/// Where a finger gives the name, or none.
fn buttons(context: &Context) -> [(MenuInput, Phrase, Area); 2] {
    let panel = context.area(&PANEL);
    let width = panel.width / 2 - 4;
    let area = |x: i32| Area { x, y: panel.y + panel.height + 4, width, height: 28 };
    [
        (MenuInput::Accept, Phrase::HintAccept, area(panel.x)),
        (MenuInput::Back, Phrase::NoName, area(panel.x + panel.width - width)),
    ]
}

/// What an input means here: a tap on a button gives the answer.
pub(super) fn input_of(input: MenuInput, context: &Context) -> MenuInput {
    let MenuInput::Tap(x, y) = input else { return input };
    let tapped = buttons(context).into_iter().find(|(_, _, area)| area.contains((x, y)));
    tapped.filter(|_| context.device == Device::Touch).map_or(input, |(answer, ..)| answer)
}

fn draw_buttons(context: &Context, picture: &mut Picture) {
    for (_, phrase, area) in buttons(context) {
        picture.rect(area, Colour::SHADOW);
        widgets::tile(area, false, picture);
        let text = context.translate(phrase);
        let letters = picture.letters_for(text, area.width - 8);
        let (x, y) = (area.x + (area.width - letters.width(text)) / 2, area.y + (area.height - letters.height()) / 2);
        picture.text_in(letters, (x, y), text, Colour::GOLD);
    }
}

pub(super) fn draw(field: &TextField, context: &Context, picture: &mut Picture) {
    let area = context.area(&PANEL);
    widgets::opaque_panel(area, context.translate(Phrase::YourName), picture);
    let top = area.y + widgets::title_height(picture.letters());
    let line = Area { x: area.x + MARGIN, y: top, width: area.width - 2 * MARGIN, height: 30 };
    widgets::text_field(line, "", field.text(), context.tick, picture);
    let is_touch = context.device == Device::Touch;
    let how = context.translate(if is_touch { Phrase::YourNameTouch } else { Phrase::YourNameHow }).to_owned();
    let keys = (!is_touch).then(|| (context.with_keys(Phrase::YourNameKeys), Colour::GOLD));
    let mut y = area.y + area.height - if picture.letters() == Font::Large { 10 } else { 6 };
    for (line, colour) in keys.into_iter().chain([(how, Colour::GREY)]) {
        let letters = picture.letters_for(&line, area.width - 12);
        y -= letters.height();
        picture.text_in(letters, (area.x + (area.width - letters.width(&line)) / 2, y), &line, colour);
        y -= 7;
    }
    if is_touch {
        draw_buttons(context, picture);
    }
}
