//! The parts of menus: panel, list, text field, key hints, a table of scores, and the logo. All of it is drawn
//! from plain values and remembers nothing.

use std::borrow::Cow;

use super::{area::Area, art::ART, font::Font, palette::Colour, picture::Picture};

/// A centred text. A small one becomes large if the player chose large letters and it fits.
pub fn centred(font: Font, y: i32, text: &str, colour: Colour, picture: &mut Picture) {
    let large = picture.letters_for(text, Picture::WIDTH - 8);
    let (font, y) = if font == Font::Small && large == Font::Large { (large, y - 4) } else { (font, y) };
    picture.text_edged(font, ((Picture::WIDTH - font.width(text)) / 2, y), text, colour);
}

/// Height of a panel's title.
pub const fn title_height(letters: Font) -> i32 {
    match letters {
        Font::Small => 13,
        Font::Large => 22,
    }
}

/// A panel with a title, over a darkened background. The inside begins 5 pixels below the title.
pub fn panel(area: Area, title: &str, picture: &mut Picture) {
    let Area { x, y, width, height } = area;
    picture.darken(area, 3);
    picture.outline(area, Colour::EDGE.darker());
    picture.rect(Area::new(x + 1, y, width - 2, 1), Colour::EDGE.lighter());
    picture.rect(Area::new(x, y + 1, 1, height - 2), Colour::EDGE);
    if !title.is_empty() {
        let (bar, letters) = (title_height(picture.letters()), picture.letters_for(title, width - 14));
        picture.rect(Area::new(x + 1, y + 1, width - 2, bar), Colour::of(b'3'));
        picture.rect(Area::new(x + 1, y + 1 + bar, width - 2, 1), Colour::EDGE.darker());
        let top = y + 1 + (bar - letters.height()) / 2;
        picture.text_in(letters, (x + 7, top), letters.fitting(title, width - 14), Colour::GOLD);
    }
}

/// A panel through which nothing can be seen: the game behind it goes on, and must not be read through it.
pub fn opaque_panel(area: Area, title: &str, picture: &mut Picture) {
    picture.rect(area, Colour::SHADOW);
    panel(area, title, picture);
}

/// Something to choose that is drawn beside others of its kind, with a golden edge if it is chosen.
pub fn tile(area: Area, is_chosen: bool, picture: &mut Picture) {
    let Area { x, y, width, height } = area;
    picture.darken(area, 3);
    let edge = if is_chosen { Colour::GOLD } else { Colour::EDGE.darker() };
    picture.outline(area, edge);
    if is_chosen {
        picture.outline(Area::new(x + 1, y + 1, width - 2, height - 2), Colour::of(b'4'));
    }
}

/// How high a paragraph is in such letters.
pub fn paragraph_height(letters: Font, text: &str, width: i32) -> i32 {
    wrapped(text, letters, width).len() as i32 * (letters.height() + 3 * letters.scale())
}

/// A text in as many lines as it needs, and returns their height. What does not fit into the area is left out; large letters
/// become small if the text would not fit otherwise.
pub fn paragraph(area: Area, text: &str, colour: Colour, picture: &mut Picture) -> i32 {
    let step = |letters: Font| letters.height() + 3 * letters.scale();
    let fits = |letters: Font| wrapped(text, letters, area.width).len() as i32 * step(letters) <= area.height;
    let letters = if fits(picture.letters()) { picture.letters() } else { Font::Small };
    let mut y = area.y;
    for line in wrapped(text, letters, area.width) {
        if y + letters.height() > area.y + area.height {
            break;
        }
        picture.text_in(letters, (area.x, y), line, colour);
        y += step(letters);
    }
    y - area.y
}

/// The lines of a text: broken at spaces, and a word that is too long where it must be, as links are.
pub fn broken(letters: Font, text: &str, width: i32) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let fits = letters.fitting(rest, width).len().max(rest.chars().next().map_or(1, char::len_utf8));
        let is_between_words = fits >= rest.len() || rest[fits..].starts_with(' ');
        let end = if is_between_words { fits } else { rest[..fits].rfind(' ').unwrap_or(fits) };
        lines.push(rest[..end].trim());
        rest = rest[end..].trim_start();
    }
    lines
}

/// A text as lines of at most that width, cut between words; a longer word has a line of its own.
fn wrapped(text: &str, letters: Font, width: i32) -> Vec<&str> {
    let mut lines = Vec::new();
    let (mut start, mut end) = (0, 0);
    for (at, _) in text.match_indices(' ').chain([(text.len(), "")]) {
        if letters.width(&text[start..at]) > width && end > start {
            lines.push(&text[start..end]);
            start = end + 1;
        }
        end = at;
    }
    lines.push(&text[start.min(text.len())..]);
    lines
}

/// One line of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Item<'a> {
    /// At the left.
    pub label: &'a str,
    /// At the right; may be empty.
    pub value: &'a str,
    /// Whether the left and right arrows change the value.
    pub is_turned: bool,
    /// Whether it cannot be chosen.
    pub is_disabled: bool,
}

/// Height of a line of a list.
pub const fn line(letters: Font) -> i32 {
    match letters {
        Font::Small => 14,
        Font::Large => 24,
    }
}

/// A list with one line selected. It shows as many lines as fit, the selected one among them.
pub fn list(area: Area, items: &[Item], selected: usize, picture: &mut Picture) {
    let line = line(picture.letters());
    let fitting = usize::try_from(area.height / line).unwrap_or(0).max(1);
    let around = selected.saturating_sub(fitting / 2).min(items.len().saturating_sub(fitting));
    // While the cursor is elsewhere, a list is seen from its beginning.
    let first = if selected < items.len() { around } else { 0 };
    let arrows = arrows_width(area, items, picture);
    for (row, (index, item)) in (0..).zip(items.iter().enumerate().skip(first).take(fitting)) {
        draw_item(area, area.y + row * line, &ItemLook { item, is_selected: index == selected, arrows }, picture);
    }
    let rows = ARROW_ROWS * picture.letters().scale();
    if first > 0 {
        draw_arrow(area, (0..rows).map(|row| (area.y - 1 - rows + row, row)), picture);
    }
    if first + fitting < items.len() {
        let bottom = area.y + fitting as i32 * line;
        draw_arrow(area, (0..rows).map(|row| (bottom + 1 + row, rows - 1 - row)), picture);
    }
}

/// Rows of an arrow that says that a list goes on, beside small letters.
const ARROW_ROWS: i32 = 4;

/// An arrow at the right of a list, as rows: the height of each, and how far it reaches to both sides.
fn draw_arrow(list: Area, rows: impl Iterator<Item = (i32, i32)>, picture: &mut Picture) {
    let middle = list.x + list.width - 3 - ARROW_ROWS * picture.letters().scale();
    for (y, half) in rows {
        picture.rect(Area::new(middle - half, y, 2 * half + 1, 1), Colour::GOLD);
    }
}

/// Around a value that the arrows change, if it is the one at the cursor.
const ARROWS: [&str; 2] = ["◀", "▶"];
/// Between an arrow and the value.
const ARROW_GAP: i32 = 4;

/// Width of an arrow beside the values of a list, with its gap: all are moved by it, so that none moves when it is chosen. 0 if no value is
/// changed by arrows, or if there is no room for them.
fn arrows_width(area: Area, items: &[Item], picture: &Picture) -> i32 {
    let arrow = picture.letters().width(ARROWS[0]) + ARROW_GAP;
    let fits = |item: &Item| {
        let letters = picture.letters_for(item.value, area.width / 2);
        letters.width(item.label) + letters.width(item.value) + 2 * arrow + 18 <= area.width
    };
    let mut turned = items.iter().filter(|item| item.is_turned).peekable();
    if turned.peek().is_some() && turned.all(fits) { arrow } else { 0 }
}

/// A line of a list as it is drawn.
struct ItemLook<'a> {
    item: &'a Item<'a>,
    is_selected: bool,
    /// Room for an arrow at either side of the value.
    arrows: i32,
}

fn draw_item(area: Area, y: i32, look: &ItemLook, picture: &mut Picture) {
    let &ItemLook { item, is_selected, arrows } = look;
    let colour = match (item.is_disabled, is_selected) {
        (true, _) => Colour::of(b'F'),
        (false, true) => Colour::GOLD,
        (false, false) => Colour::PALE,
    };
    let height = line(picture.letters()) - 1;
    if is_selected {
        picture.rect(Area::new(area.x, y, area.width, height), Colour::of(b'4'));
        picture.rect(Area::new(area.x, y, 2, height), Colour::GOLD);
    }
    let letters = picture.letters_for(item.value, area.width / 2);
    let top = y + (height - letters.height()) / 2;
    let value_width = letters.width(item.value);
    // Between a label and its value there is a gap.
    let taken = if item.value.is_empty() { 8 } else { value_width + arrows + 18 };
    let room = (area.width - taken).max(0);
    picture.text_in(letters, (area.x + 7, top), &shortened(letters, item.label, room), colour);
    let end = area.x + area.width - 6 - arrows;
    picture.text_in(letters, (end - value_width, top), item.value, colour);
    if arrows > 0 && is_selected && item.is_turned {
        let arrow_width = letters.width(ARROWS[0]);
        picture.text_in(letters, (end - value_width - ARROW_GAP - arrow_width, top), ARROWS[0], colour);
        picture.text_in(letters, (end + ARROW_GAP, top), ARROWS[1], colour);
    }
}

/// A text that fits into a width in pixels: what does not is left out, and an ellipsis says so.
pub fn shortened(letters: Font, text: &str, width: i32) -> Cow<'_, str> {
    if letters.width(text) <= width {
        return Cow::Borrowed(text);
    }
    let room = width - letters.width("…") - letters.scale();
    Cow::Owned(format!("{}…", letters.fitting(text, room.max(0)).trim_end()))
}

/// From a label to the field below it.
pub const LABEL_HEIGHT: i32 = 11;

/// A field in which the player types; the caret blinks with the tick.
pub fn text_field(area: Area, label: &str, text: &str, tick: u32, picture: &mut Picture) {
    picture.text((area.x, area.y), label, Colour::GREY);
    let letters = picture.letters();
    let (y, height) = (area.y + LABEL_HEIGHT, letters.height() + 8);
    picture.rect(Area::new(area.x, y, area.width, height), Colour::of(b'1'));
    picture.outline(Area::new(area.x, y, area.width, height), Colour::EDGE);
    let mut shown = text;
    // Of a long text, the end is shown.
    while letters.width(shown) > (area.width - 12).max(0) {
        shown = shown.char_indices().nth(1).map_or("", |(at, _)| &shown[at..]);
    }
    let pen = area.x + 5 + picture.text_in(letters, (area.x + 5, y + 4), shown, Colour::PALE);
    // Once a second: slow enough for everyone.
    if tick % 60 < 30 {
        picture.rect(Area::new(pen + 1, y + 3, 1, letters.height() + 2), Colour::GOLD);
    }
}

/// What the keys do, along the foot of the picture.
pub fn hints(hints: &[(&str, &str)], picture: &mut Picture) {
    let letters = hint_letters(hints, picture.letters());
    let height = letters.height();
    let y = Picture::HEIGHT - height - 6;
    picture.darken(Area::new(0, y - 4, Picture::WIDTH, height + 10), 2);
    let mut pen = 8;
    for (key, meaning) in hints {
        let width = letters.width(key) + 6;
        picture.rect(Area::new(pen, y - 2, width, height + 4), Colour::of(b'F'));
        picture.rect(Area::new(pen, y + height + 1, width, 1), Colour::of(b'D'));
        picture.text_in(letters, (pen + 3, y), key, Colour::PALE);
        picture.text_in(letters, (pen + width + 4, y), meaning, Colour::GREY);
        pen += hint_width(key, meaning, letters);
    }
}

/// The hint at a point, for hints that [`hints`] draws in such letters. For fingers, the area is taller than what is drawn.
pub fn hint_at(hints: &[(&str, &str)], letters: Font, x: i32, y: i32) -> Option<usize> {
    let letters = hint_letters(hints, letters);
    let mut left = 8;
    let contains = |(key, meaning): &(&str, &str)| {
        let from = left;
        left += hint_width(key, meaning, letters);
        (from..left).contains(&x)
    };
    hints.iter().position(contains).filter(|_| y >= Picture::HEIGHT - letters.height() - 17)
}

/// The size of letters for hints: the chosen one if they all fit, otherwise the small one.
fn hint_letters(hints: &[(&str, &str)], letters: Font) -> Font {
    let width: i32 = hints.iter().map(|(key, meaning)| hint_width(key, meaning, letters)).sum();
    if width <= Picture::WIDTH - 8 { letters } else { Font::Small }
}

/// A key, what it does, and the gap after it.
fn hint_width(key: &str, meaning: &str, letters: Font) -> i32 {
    letters.width(key) + 6 + 4 + letters.width(meaning) + 12
}

/// One line of a table of scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreLine {
    /// Its place in the table, from 1; 0 for one that is not known.
    pub place: usize,
    pub name: String,
    pub score: u32,
    /// A few letters between them.
    pub note: String,
    /// Whether it is the player's own.
    pub is_own: bool,
}

/// How many rows of a table of scores fit.
pub fn score_rows(area: Area, letters: Font) -> usize {
    usize::try_from(area.height / score_row(letters)).unwrap_or(0)
}

/// Height of a row of a table of scores.
pub const fn score_row(letters: Font) -> i32 {
    letters.height() + 5
}

/// What the columns of a table of scores are called: name, note and score. The place needs no word.
pub fn score_heading(area: Area, [name, note, score]: [&str; 3], picture: &mut Picture) {
    let letters = picture.letters();
    let (scale, right) = (letters.scale(), area.x + area.width);
    picture.text_in(letters, (area.x + 26 * scale, area.y), name, Colour::DIM);
    picture.text_in(letters, (right - 82 * scale, area.y), note, Colour::DIM);
    picture.text_in(letters, (right - 4 - letters.width(score), area.y), score, Colour::DIM);
}

/// A table of scores, the best first, with the cursor at one of them. What does not fit is left out.
pub fn score_table(area: Area, lines: &[ScoreLine], cursor: Option<usize>, picture: &mut Picture) {
    let letters = picture.letters();
    let (row, scale) = (score_row(letters), letters.scale());
    for (index, line) in lines.iter().enumerate().take(score_rows(area, letters)) {
        let (y, is_chosen) = (area.y + index as i32 * row, cursor == Some(index));
        if line.is_own || is_chosen {
            picture.rect(Area::new(area.x, y - 2, area.width, row - 1), Colour::of(b'4'));
        }
        if is_chosen {
            picture.rect(Area::new(area.x, y - 2, 2, row - 1), Colour::GOLD);
        }
        let colour = match (line.is_own, line.place) {
            (true, _) => Colour::SEATS[0],
            (false, 1) => Colour::GOLD,
            (false, 2..=3) => Colour::PALE,
            (false, _) => Colour::GREY,
        };
        let place = if line.place == 0 { "…".into() } else { line.place.to_string() };
        picture.text_in(letters, (area.x + 18 * scale - letters.width(&place), y), &place, Colour::DIM);
        let name = letters.fitting(&line.name, area.width - 114 * scale);
        picture.text_in(letters, (area.x + 26 * scale, y), name, colour);
        let note = letters.fitting(&line.note, 26 * scale);
        picture.text_in(letters, (area.x + area.width - 82 * scale, y), note, Colour::DIM);
        let score = line.score.to_string();
        picture.text_in(letters, (area.x + area.width - 4 - letters.width(&score), y), &score, colour);
    }
}

/// A line across the picture, above the hints at the foot. Large letters may need two lines: who chose them cannot read small ones.
pub fn foot_line(text: &str, picture: &mut Picture) {
    lowest_line(text, Picture::HEIGHT - (picture.letters().height() + 10) - 4, picture);
}

/// The same, where there are no hints below it.
pub fn foot_line_alone(text: &str, picture: &mut Picture) {
    lowest_line(text, Picture::HEIGHT - 6, picture);
}

/// How long a line at the foot can be. A text that needs a second line of large letters may reach over what is above it: our own
/// phrases do not.
pub const FOOT_WIDTH: i32 = Picture::WIDTH - 16;

fn lowest_line(text: &str, bottom: i32, picture: &mut Picture) {
    let width = FOOT_WIDTH;
    let large = wrapped(text, picture.letters(), width);
    let (letters, lines) = if large.len() <= 2 { (picture.letters(), large) } else { (Font::Small, vec![text]) };
    let step = letters.height() + 4;
    let mut y = bottom - letters.height() - step * (lines.len() as i32 - 1);
    picture.darken(Area::new(0, y - 3, Picture::WIDTH, bottom - y + 7), if lines.len() > 1 { 3 } else { 2 });
    for line in lines {
        let line = letters.fitting(line, width);
        picture.text_edged(letters, ((Picture::WIDTH - letters.width(line)) / 2, y), line, Colour::PALE);
        y += step;
    }
}

/// Ticks in which the logo drops in.
const LOGO_DROP_TICKS: i32 = 40;
/// Ticks between two gleams that run over the logo, and pixels that a gleam moves in a tick.
const GLEAM_EVERY: u32 = 300;
const GLEAM_SPEED: i32 = 6;

/// The name of the game, large and centred. It drops in, then floats, and a gleam runs over it now and then.
pub fn logo(y: i32, tick: u32, picture: &mut Picture) {
    let Some(sprite) = ART.logo.first() else { return };
    let x = (Picture::WIDTH - sprite.width()) / 2;
    let missing = (LOGO_DROP_TICKS - tick.min(LOGO_DROP_TICKS as u32).cast_signed()).max(0);
    let drop = missing * missing * (y + sprite.height()) / (LOGO_DROP_TICKS * LOGO_DROP_TICKS);
    let float = [0, 1, 2, 2, 3, 3, 2, 2, 1, 0, -1, -2, -2, -3, -3, -2, -2, -1][(tick / 16 % 18) as usize];
    let y = y - drop + float;
    picture.sprite((x, y), sprite);
    let gleam = (tick % GLEAM_EVERY).cast_signed() * GLEAM_SPEED;
    for row in 0..sprite.height() {
        for column in (gleam - row - 12).max(0)..(gleam - row).clamp(0, sprite.width()) {
            if let Some(colour) = sprite.at(column, row) {
                picture.plot(x + column, y + row, colour.lighter());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logo_is_there_and_fits() {
        assert_eq!(ART.logo.len(), 1);
        assert!(ART.logo[0].width() > 200 && ART.logo[0].width() < Picture::WIDTH);
    }

    #[test]
    fn a_long_list_shows_the_selected_line() {
        let labels: Vec<String> = (0..100).map(|number| format!("line {number}")).collect();
        let items: Vec<Item> = labels.iter().map(|label| Item { label, ..Item::default() }).collect();
        for selected in [0, 50, 99] {
            let mut picture = Picture::new();
            list(Area { x: 0, y: 20, width: 100, height: 5 * line(Font::Small) }, &items, selected, &mut picture);
            let marked = (0..Picture::HEIGHT).any(|y| picture.at(0, y) == Some(Colour::GOLD));
            assert!(marked, "{selected}");
        }
    }

    #[test]
    fn a_long_list_says_on_which_side_it_goes_on() {
        let items = [Item { label: "a line", ..Item::default() }; 9];
        for letters in Font::ALL {
            let gold = |selected: usize, rows: std::ops::Range<i32>| {
                let mut picture = Picture::new();
                picture.set_letters(letters);
                let area = Area { x: 0, y: 60, width: 100, height: 3 * line(letters) };
                list(area, &items, selected, &mut picture);
                let places = rows.flat_map(|y| (70..100).map(move |x| (x, y)));
                places.filter(|&(x, y)| picture.at(x, y) == Some(Colour::GOLD)).count()
            };
            let (above, below) = (40..60, 60 + 3 * line(letters)..Picture::HEIGHT);
            let large_enough = usize::from(letters == Font::Large) * 48 + 16;
            assert_eq!((gold(0, above.clone()), gold(0, below.clone())), (0, large_enough));
            assert_eq!((gold(4, above.clone()), gold(4, below.clone())), (large_enough, large_enough));
            assert_eq!((gold(8, above), gold(8, below)), (large_enough, 0));
        }
    }

    #[test]
    fn a_word_that_is_too_long_is_broken_and_nothing_is_lost() {
        let width = Font::Small.width("two words");
        assert_eq!(broken(Font::Small, "two words more", width), ["two words", "more"]);
        assert!(broken(Font::Small, " ", width).is_empty());
        assert_eq!(broken(Font::Small, "é", 0), ["é"], "it always goes on");
        let long = "x".repeat(90);
        let lines = broken(Font::Small, &long, width);
        assert!(lines.len() > 5 && lines.iter().all(|line| Font::Small.width(line) <= width));
        assert_eq!(lines.concat(), long);
    }

    #[test]
    fn a_text_is_cut_between_words() {
        let width = Font::Small.width("two words");
        assert_eq!(wrapped("two words more", Font::Small, width), ["two words", "more"]);
        assert_eq!(wrapped("", Font::Small, width), [""]);
        assert_eq!(wrapped("a unpronounceable word", Font::Small, width), ["a", "unpronounceable", "word"]);
    }

    #[test]
    fn widgets_take_any_size() {
        let mut picture = Picture::new();
        for (width, height) in [(0, 0), (-5, -5), (1, 1), (10_000, 10_000)] {
            let area = Area { x: 3, y: 3, width, height };
            panel(area, "a title", &mut picture);
            list(area, &[Item::default(); 3], 7, &mut picture);
            text_field(area, "name", "a long text, longer than the field", 0, &mut picture);
            let line = ScoreLine { place: 1, name: "me".into(), score: u32::MAX, note: "SSSS".into(), is_own: true };
            score_table(area, &vec![line; 20], Some(1), &mut picture);
            tile(area, true, &mut picture);
            paragraph(area, "a long text, longer than the area", Colour::PALE, &mut picture);
        }
        hints(&[("a", "b"); 100], &mut picture);
        assert_eq!(picture.at(8, Picture::HEIGHT - 8), Some(Colour::of(b'F')), "the first hint is drawn");
    }
}
