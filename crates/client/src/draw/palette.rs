//! The palette of 64 colours, and the two that replace it for colour-blind players.
//!
//! A colour is a number below 64; only [`Picture::rgba`](super::Picture::rgba) knows what it looks like. Ramps go from
//! dark to light, so that light and shadow are a step along a ramp. The table is `art/palette.txt`.

use std::sync::LazyLock;

/// Colours in a palette.
pub const COLOURS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Colour(u8);

impl Colour {
    /// The darkest there is: open space.
    pub const VOID: Colour = Colour::of(b'0');
    /// Text, and foes that were just hit.
    pub const PALE: Colour = Colour::of(b'z');
    /// Less important text.
    pub const GREY: Colour = Colour::of(b'H');
    /// Unimportant text.
    pub const DIM: Colour = Colour::of(b'G');
    /// What is selected, and headings.
    pub const GOLD: Colour = Colour::of(b'o');
    /// Warnings.
    pub const RED: Colour = Colour::of(b'e');
    /// Good news.
    pub const GREEN: Colour = Colour::of(b'U');
    pub const PANEL: Colour = Colour::of(b'2');
    /// The edges of panels.
    pub const EDGE: Colour = Colour::of(b'F');
    /// Shadows of text.
    pub const SHADOW: Colour = Colour::of(b'1');
    /// The colours of the four seats.
    pub const SEATS: [Colour; 4] = [Colour::of(b'M'), Colour::of(b'R'), Colour::of(b'U'), Colour::of(b'Y')];
    /// The inside and the rim of an enemy's shot; nothing else is as bright.
    pub const ENEMY_SHOT: [Colour; 2] = [Colour::of(b'*'), Colour::of(b'@')];

    /// The colour of that letter in sprite files; the darkest one for any other byte.
    pub const fn of(letter: u8) -> Colour {
        match Colour::from_letter(letter) {
            Some(colour) => colour,
            None => Colour(0),
        }
    }

    /// The colour of that letter in sprite files, if there is one.
    pub const fn from_letter(letter: u8) -> Option<Colour> {
        Some(Colour(match letter {
            b'0'..=b'9' => letter - b'0',
            b'A'..=b'Z' => letter - b'A' + 10,
            b'a'..=b'z' => letter - b'a' + 36,
            b'@' => 62,
            b'*' => 63,
            _ => return None,
        }))
    }

    /// The colour of that number, taken modulo 64.
    pub const fn from_number(number: u8) -> Colour {
        Colour(number % COLOURS as u8)
    }

    /// 0 to 63.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// One step along its ramp; after the last comes pale.
    pub fn lighter(self) -> Colour {
        Colour(TABLE.lighter[self.0 as usize])
    }

    /// One step back along its ramp; before the first comes the void.
    pub fn darker(self) -> Colour {
        Colour(TABLE.darker[self.0 as usize])
    }
}

/// Which colours the 64 numbers stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Palette {
    /// The colours as they were drawn.
    #[default]
    Default,
    /// For red-green colour blindness: enemies are amber, ships blue and white.
    RedGreen,
    /// For blue-yellow colour blindness: enemies are red, ships teal and mauve.
    BlueYellow,
}

impl Palette {
    pub const ALL: [Palette; 3] = [Palette::Default, Palette::RedGreen, Palette::BlueYellow];

    /// The stable name, for settings.
    pub const fn name(self) -> &'static str {
        match self {
            Palette::Default => "default",
            Palette::RedGreen => "red-green",
            Palette::BlueYellow => "blue-yellow",
        }
    }

    pub fn from_name(name: &str) -> Option<Palette> {
        Palette::ALL.into_iter().find(|palette| palette.name() == name)
    }

    /// Red, green and blue of a colour.
    pub fn rgb(self, colour: Colour) -> [u8; 3] {
        let [red, green, blue, _] = self.table()[colour.0 as usize];
        [red, green, blue]
    }

    /// Red, green, blue and full opacity of every colour.
    pub(super) fn table(self) -> &'static [[u8; 4]; COLOURS] {
        &TABLE.rgba[self as usize]
    }
}

/// The contents of `art/palette.txt`.
pub(super) struct ColourTable {
    rgba: [[[u8; 4]; COLOURS]; 3],
    /// By number: one step along the ramp.
    pub(super) lighter: [u8; COLOURS],
    /// By number: one step back.
    pub(super) darker: [u8; COLOURS],
}

/// Read once; a test rules out that the file is broken.
pub(super) static TABLE: LazyLock<ColourTable> = LazyLock::new(|| read(include_str!("../../../../art/palette.txt")));

fn read(text: &str) -> ColourTable {
    let mut table = ColourTable { rgba: [[[0, 0, 0, 255]; COLOURS]; 3], lighter: [0; COLOURS], darker: [0; COLOURS] };
    let mut ramp: Vec<u8> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with("ramp") {
            link(&mut table, &ramp);
            ramp.clear();
            continue;
        }
        let mut words = line.split_whitespace();
        let Some(colour) = words.next().and_then(|word| Colour::from_letter(word.as_bytes()[0])) else { continue };
        for (palette, rgb) in words.take(3).enumerate() {
            let rgb = u32::from_str_radix(rgb, 16).unwrap_or(0).to_be_bytes();
            table.rgba[palette][colour.0 as usize] = [rgb[1], rgb[2], rgb[3], 255];
        }
        ramp.push(colour.0);
    }
    link(&mut table, &ramp);
    table
}

fn link(table: &mut ColourTable, ramp: &[u8]) {
    for (step, &colour) in ramp.iter().enumerate() {
        let is_enemy_shot = colour >= Colour::ENEMY_SHOT[1].0;
        let top = if is_enemy_shot { colour } else { Colour::PALE.0 };
        table.lighter[colour as usize] = ramp.get(step + 1).copied().unwrap_or(top);
        table.darker[colour as usize] = if step > 0 { ramp[step - 1] } else { Colour::VOID.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(palette: Palette, colour: Colour) -> u32 {
        let [red, green, blue] = palette.rgb(colour).map(u32::from);
        299 * red + 587 * green + 114 * blue
    }

    #[test]
    fn every_colour_of_every_palette_is_in_the_file_once() {
        let text = include_str!("../../../../art/palette.txt");
        let mut seen = [0; COLOURS];
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.starts_with("ramp")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(words.len(), 4, "{line}");
            assert!(words[1..].iter().all(|rgb| rgb.len() == 6 && u32::from_str_radix(rgb, 16).is_ok()), "{line}");
            seen[Colour::from_letter(words[0].as_bytes()[0]).expect("a letter").number() as usize] += 1;
        }
        assert_eq!(seen, [1; COLOURS]);
    }

    #[test]
    fn nothing_is_brighter_than_enemy_shots() {
        for palette in Palette::ALL {
            let dimmest = Colour::ENEMY_SHOT.map(|colour| luminance(palette, colour)).into_iter().min();
            for number in 0..Colour::ENEMY_SHOT[1].number() {
                assert!(Some(luminance(palette, Colour::from_number(number))) < dimmest, "{palette:?} {number}");
            }
        }
    }

    #[test]
    fn each_step_along_a_ramp_is_lighter() {
        for palette in Palette::ALL {
            for colour in (0..COLOURS as u8).map(Colour::from_number) {
                assert!(luminance(palette, colour.lighter()) >= luminance(palette, colour), "{palette:?} {colour:?}");
                assert!(luminance(palette, colour.darker()) <= luminance(palette, colour), "{palette:?} {colour:?}");
            }
        }
    }

    #[test]
    fn no_glow_reaches_the_brightness_of_enemy_shots() {
        for number in 0..Colour::ENEMY_SHOT[1].number() {
            assert!(Colour::from_number(number).lighter() < Colour::ENEMY_SHOT[1]);
        }
    }

    #[test]
    fn a_palette_is_found_by_its_name() {
        for palette in Palette::ALL {
            assert_eq!(Palette::from_name(palette.name()), Some(palette));
        }
        assert_eq!(Palette::from_name("sepia"), None);
    }
}
