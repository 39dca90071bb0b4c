//! Small pictures of what a player presses: keys as they are bound, a gamepad's stick and buttons, a thumb on the screen.

use super::{area::Area, font::Font, palette::Colour, picture::Picture};

/// What is to be pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control<'a> {
    /// Four keys: left, right, up and down.
    Cross([&'a str; 4]),
    Key(&'a str),
    /// The left stick of a gamepad.
    Stick,
    /// The lower of the four buttons of a gamepad.
    LowerButton,
    /// The right one of them.
    RightButton,
    /// The left thumb, anywhere on the left of the screen.
    Thumb,
    /// A button on the screen, of this colour.
    Button(Colour),
}

/// A control, and what it does.
#[derive(Clone, Copy, Debug)]
pub struct Hint<'a> {
    /// What is to be pressed.
    pub control: Control<'a>,
    /// What it does.
    pub words: &'a str,
    /// Whether it is to be held rather than tapped.
    pub is_held: bool,
}

/// Radius of round controls.
const RADIUS: i32 = 7;
/// Between a control and its words.
const GAP: i32 = 6;
/// Ticks in which the picture of a held control fills.
const HOLD_TICKS: u32 = 90;

impl Hint<'_> {
    /// Its size in these letters.
    pub fn size(&self, letters: Font) -> (i32, i32) {
        let (width, height) = self.control.size(letters);
        (width + GAP + letters.width(self.words), height + if self.is_held { 4 } else { 0 })
    }

    /// Draws it. The tick moves what is to be held.
    pub fn draw(&self, x: i32, y: i32, tick: u32, picture: &mut Picture) {
        let letters = picture.letters();
        let (width, height) = self.control.size(letters);
        self.control.draw(x, y, self.is_held, picture);
        if self.is_held {
            let filled = (tick % HOLD_TICKS).cast_signed() * width / HOLD_TICKS.cast_signed();
            picture.rect(Area::new(x, y + height + 1, width, 3), Colour::SHADOW);
            picture.rect(Area::new(x, y + height + 1, filled, 3), Colour::SEATS[0]);
        }
        let top = y + (height - letters.height()) / 2;
        picture.text_edged(letters, (x + width + GAP, top), self.words, Colour::PALE);
    }
}

impl Control<'_> {
    fn size(&self, letters: Font) -> (i32, i32) {
        let cap = cap_height(letters);
        match self {
            Control::Cross(keys) => (cross_column(keys, letters) * 3 + 2, 2 * cap + 1),
            Control::Key(key) => (cap_width(key, letters), cap),
            Control::Stick | Control::Thumb | Control::Button(_) => (2 * RADIUS + 5, 2 * RADIUS + 5),
            Control::LowerButton | Control::RightButton => (19, 19),
        }
    }

    fn draw(&self, x: i32, y: i32, is_down: bool, picture: &mut Picture) {
        let (width, height) = self.size(picture.letters());
        let (middle_x, middle_y) = (x + width / 2, y + height / 2);
        match self {
            Control::Cross(keys) => draw_cross(x, y, keys, picture),
            Control::Key(key) => draw_cap(x, y, width, Cap { label: key, is_down }, picture),
            Control::Stick | Control::Thumb => {
                picture.disc((middle_x, middle_y), RADIUS + 2, Colour::SHADOW);
                picture.ring((middle_x, middle_y), RADIUS + 1, Colour::GREY);
                picture.disc((middle_x, middle_y), RADIUS - 3, Colour::PALE);
                for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
                    picture.rect(Area::new(middle_x + 6 * dx, middle_y + 6 * dy, 1, 1), Colour::GOLD);
                }
            }
            Control::LowerButton => draw_face((middle_x, middle_y), 3, picture),
            Control::RightButton => draw_face((middle_x, middle_y), 1, picture),
            Control::Button(colour) => {
                picture.disc((middle_x, middle_y), RADIUS + 2, Colour::SHADOW);
                picture.ring((middle_x, middle_y), RADIUS + 1, *colour);
                picture.disc((middle_x, middle_y), RADIUS - 2, if is_down { *colour } else { colour.darker() });
            }
        }
    }
}

/// The three lines on which a finger opens the menu, around a point.
pub fn draw_menu_corner((x, y): (i32, i32), picture: &mut Picture) {
    for line in -1..=1 {
        picture.rect(Area::new(x - 5, y + 4 * line, 11, 2), Colour::PALE);
    }
}

/// The four buttons of a gamepad, one of them lit: left, right, upper, lower.
fn draw_face(middle: (i32, i32), lit: usize, picture: &mut Picture) {
    for (index, (dx, dy)) in [(-6, 0), (6, 0), (0, -6), (0, 6)].into_iter().enumerate() {
        let (x, y) = (middle.0 + dx, middle.1 + dy);
        picture.disc((x, y), 3, Colour::SHADOW);
        picture.ring((x, y), 3, if index == lit { Colour::GOLD } else { Colour::DIM });
        if index == lit {
            picture.disc((x, y), 2, Colour::GOLD);
        }
    }
}

fn draw_cross(x: i32, y: i32, keys: &[&str; 4], picture: &mut Picture) {
    let letters = picture.letters();
    let (column, row) = (cross_column(keys, letters) + 1, cap_height(letters) + 1);
    let [left, right, up, down] = *keys;
    for (label, across, below) in [(up, 1, 0), (left, 0, 1), (down, 1, 1), (right, 2, 1)] {
        draw_cap(x + across * column, y + below * row, column - 1, Cap { label, is_down: false }, picture);
    }
}

/// Width of a key of the cross: all are as wide as the widest.
fn cross_column(keys: &[&str; 4], letters: Font) -> i32 {
    keys.iter().map(|key| cap_width(key, letters)).max().unwrap_or(0)
}

const fn cap_height(letters: Font) -> i32 {
    letters.height() + 6
}

fn cap_width(label: &str, letters: Font) -> i32 {
    (letters.width(label) + 7).max(cap_height(letters))
}

struct Cap<'a> {
    label: &'a str,
    is_down: bool,
}

fn draw_cap(x: i32, y: i32, width: i32, cap: Cap, picture: &mut Picture) {
    let letters = picture.letters();
    let height = cap_height(letters);
    // A key that is down is a pixel lower, and its side cannot be seen.
    let (sunk, face) = if cap.is_down { (1, Colour::of(b'G')) } else { (0, Colour::EDGE) };
    picture.rect(Area::new(x - 1, y - 1, width + 2, height + 2), Colour::SHADOW);
    picture.rect(Area::new(x, y + sunk, width, height - sunk), face.darker());
    picture.rect(Area::new(x, y + sunk, width, height - 2), face);
    picture.rect(Area::new(x, y + sunk, width, 1), face.lighter());
    let text_x = x + (width - letters.width(cap.label) + 1) / 2;
    picture.text_in(letters, (text_x, y + 2 + sunk), cap.label, Colour::PALE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_is_drawn_within_its_size() {
        let controls = [
            Control::Cross(["←", "→", "↑", "↓"]),
            Control::Cross(["Q", "D", "Z", "ShiftLeft"]),
            Control::Key("Espace"),
            Control::Stick,
            Control::LowerButton,
            Control::RightButton,
            Control::Thumb,
            Control::Button(Colour::GOLD),
        ];
        for (control, letters) in controls.into_iter().flat_map(|control| Font::ALL.map(|letters| (control, letters))) {
            let mut picture = Picture::new();
            picture.set_letters(letters);
            picture.clear(Colour::VOID);
            let hint = Hint { control, words: "fly", is_held: true };
            let (width, height) = hint.size(letters);
            hint.draw(100, 100, 45, &mut picture);
            let lit = |x: i32, y: i32| picture.at(x, y) != Some(Colour::VOID);
            let inside = (99..=101 + width, 99..=101 + height);
            let all = (0..Picture::HEIGHT).flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y)));
            let drawn: Vec<(i32, i32)> = all.filter(|&(x, y)| lit(x, y)).collect();
            assert!(drawn.len() > 60, "{control:?}");
            assert!(drawn.iter().all(|(x, y)| inside.0.contains(x) && inside.1.contains(y)), "{control:?}");
        }
    }
}
