//! What is announced over the game: the card at the beginning of a stage, the warning before a boss, and a boss's bar.
//!
//! All of it is drawn from plain numbers and texts that are already translated.

use super::{area::Area, font::Font, palette::Colour, picture::Picture, widgets};

/// The card at the beginning of a stage, which opens from black.
#[derive(Clone, Copy, Debug)]
pub struct TitleCard<'a> {
    /// Which stage it is.
    pub stage: &'a str,
    pub title: &'a str,
    /// Ticks since the stage began.
    pub age: u32,
}

impl TitleCard<'_> {
    /// Ticks for which it is shown.
    pub const LIFE: u32 = 190;
    /// Ticks for which the picture opens.
    const OPENING: u32 = 26;
    /// Ticks for which the card leaves.
    const LEAVING: u32 = 24;

    pub fn draw(&self, picture: &mut Picture) {
        if self.age >= Self::LIFE {
            return;
        }
        let half = Picture::HEIGHT / 2;
        let shut = Self::OPENING.saturating_sub(self.age) as i32 * half / Self::OPENING as i32;
        picture.rect(Area::new(0, 0, Picture::WIDTH, shut), Colour::VOID);
        picture.rect(Area::new(0, Picture::HEIGHT - shut, Picture::WIDTH, shut), Colour::VOID);
        // It comes from the right and leaves upwards, not over the ships.
        let late = Self::OPENING.saturating_sub(self.age) as i32;
        let early = (self.age + Self::LEAVING).saturating_sub(Self::LIFE) as i32;
        let slide = late * late / 3;
        let letters = picture.letters();
        let width = Font::Large.width(self.title).max(letters.width(self.stage)) + 40;
        // Above the middle, where a new player is shown the keys at the ship.
        let (x, y) = ((Picture::WIDTH - width) / 2 + slide, 50 - early * early / 3);
        picture.darken(Area::new(x, y, width, 46), 2);
        picture.rect(Area::new(x, y, width, 1), Colour::GOLD.darker());
        picture.rect(Area::new(x, y + 45, width, 1), Colour::GOLD.darker());
        let middle = |font: Font, text: &str| (Picture::WIDTH - font.width(text)) / 2 + slide;
        let [stage_y, title_y] = if letters == Font::Large { [y + 5, y + 25] } else { [y + 7, y + 20] };
        picture.text_edged(letters, (middle(letters, self.stage), stage_y), self.stage, Colour::GREY);
        let title_y = if self.stage.is_empty() { y + 14 } else { title_y };
        picture.text_edged(Font::Large, (middle(Font::Large, self.title), title_y), self.title, Colour::GOLD);
    }
}

/// The warning before a boss or a chase.
#[derive(Clone, Copy, Debug)]
pub struct Warning<'a> {
    pub word: &'a str,
    /// The boss's name, or where the danger comes from.
    pub name: &'a str,
    /// The height of its middle.
    pub middle_y: i32,
    /// Ticks since it was seen first.
    pub age: u32,
    /// Whether things flash.
    pub flashes: bool,
}

impl Warning<'_> {
    /// The middle of a chase's: above the corridor, in which the game goes on.
    pub const CHASE_Y: i32 = 46;
    /// Ticks for which it is shown.
    pub const LIFE: u32 = 180;
    /// Ticks for which it opens and closes.
    const OPENING: u32 = 12;
    const HEIGHT: i32 = 50;

    /// The middle of a boss's, in such letters: below its bar, and above the height at which a ship begins.
    pub const fn boss_y(letters: Font) -> i32 {
        BossBar::bottom(letters) + 2 + Self::HEIGHT / 2
    }

    /// Below this nothing of a boss's is drawn.
    pub const fn boss_bottom(letters: Font) -> i32 {
        Self::boss_y(letters) + Self::HEIGHT / 2
    }

    pub fn draw(&self, picture: &mut Picture) {
        if self.age >= Self::LIFE {
            return;
        }
        let open = self.age.min(Self::LIFE - 1 - self.age).min(Self::OPENING) as i32;
        let height = 4 + (Self::HEIGHT - 4) * open / Self::OPENING as i32;
        let top = self.middle_y - height / 2;
        picture.darken(Area::new(0, top, Picture::WIDTH, height), 2);
        for y in [top, top + height - 5] {
            self.draw_stripes(y, picture);
        }
        if open < Self::OPENING as i32 {
            return;
        }
        let is_lit = !self.flashes || (self.age / 10).is_multiple_of(2);
        let colour = if is_lit { Colour::RED } else { Colour::RED.darker() };
        widgets::centred(Font::Large, top + 9, self.word, colour, picture);
        widgets::centred(Font::Small, top + 32, self.name, Colour::PALE, picture);
    }

    /// Slanted stripes that move.
    fn draw_stripes(&self, y: i32, picture: &mut Picture) {
        for (dx, dy) in (0..5).flat_map(|dy| (0..Picture::WIDTH).map(move |dx| (dx, dy))) {
            let is_stripe = (dx + dy + self.age as i32 / 2).rem_euclid(16) < 8;
            picture.plot(dx, y + dy, if is_stripe { Colour::of(b'm') } else { Colour::of(b'C') });
        }
    }
}

/// A boss's name and how much is left of it.
#[derive(Clone, Copy, Debug)]
pub struct BossBar<'a> {
    pub name: &'a str,
    pub health: u32,
    pub health_max: u32,
}

impl BossBar<'_> {
    const WIDTH: i32 = 200;
    /// A boss changes where a mark is.
    const PHASES: i32 = game::tuning::PHASES as i32;

    /// Below this, in such letters, nothing of it is drawn.
    pub const fn bottom(letters: Font) -> i32 {
        Self::top(letters) + letters.height() + 3 + 7
    }

    const fn top(letters: Font) -> i32 {
        12 + 2 * letters.height()
    }

    pub fn draw(&self, picture: &mut Picture) {
        let x = (Picture::WIDTH - Self::WIDTH) / 2;
        let letters = picture.letters();
        let y = Self::top(letters);
        // The edge of a ceiling may be behind it.
        let width = letters.width(self.name) + 8;
        picture.darken(Area::new((Picture::WIDTH - width) / 2, y - 2, width, letters.height() + 3), 2);
        widgets::centred(letters, y, self.name, Colour::of(b'f'), picture);
        let y = y + letters.height() + 3;
        picture.rect(Area::new(x - 2, y - 2, Self::WIDTH + 4, 9), Colour::SHADOW);
        picture.outline(Area::new(x - 1, y - 1, Self::WIDTH + 2, 7), Colour::EDGE);
        picture.rect(Area::new(x, y, Self::WIDTH, 5), Colour::of(b'a'));
        let filled = self.filled();
        for (dy, letter) in (0..).zip(*b"feddc") {
            picture.rect(Area::new(x, y + dy, filled, 1), Colour::of(letter));
        }
        for mark in 1..Self::PHASES {
            let at = x + mark * Self::WIDTH / Self::PHASES;
            picture.rect(Area::new(at, y - 2, 1, 9), Colour::SHADOW);
            picture.rect(Area::new(at, y - 1, 1, 7), Colour::PALE);
        }
    }

    /// Pixels of the bar that are filled; at least one while anything is left.
    fn filled(&self) -> i32 {
        let max = u64::from(self.health_max.max(1));
        (u64::from(self.health.min(self.health_max)) * Self::WIDTH as u64).div_ceil(max) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lit(picture: &Picture, rows: std::ops::Range<i32>) -> usize {
        let pixels = rows.flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y)));
        pixels.filter(|&(x, y)| picture.at(x, y) != Some(Colour::of(b'5'))).count()
    }

    fn drawn(draw: impl Fn(&mut Picture)) -> Picture {
        let mut picture = Picture::new();
        picture.clear(Colour::of(b'5'));
        draw(&mut picture);
        picture
    }

    #[test]
    fn a_stage_opens_from_black_and_the_card_is_gone_in_the_end() {
        let card = |age| drawn(|picture| TitleCard { stage: "STAGE 1", title: "The Silent Fleet", age }.draw(picture));
        let black = lit(&card(0), 0..Picture::HEIGHT);
        assert_eq!(black, (Picture::WIDTH * Picture::HEIGHT) as usize);
        assert!(lit(&card(60), 50..96) > 1000);
        assert_eq!(lit(&card(60), 96..Picture::HEIGHT), 0, "the ship and the keys below it are not hidden");
        assert_eq!(lit(&card(TitleCard::LIFE), 0..Picture::HEIGHT), 0);
    }

    #[test]
    fn the_number_of_a_stage_is_in_large_letters_too() {
        let card = |letters| {
            drawn(|picture| {
                picture.set_letters(letters);
                TitleCard { stage: "STAGE 1", title: "The Silent Fleet", age: 60 }.draw(picture);
            })
        };
        let [small, large] = Font::ALL.map(card);
        let grey = |picture: &Picture| {
            let pixels = (50..96).flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y)));
            pixels.filter(|&(x, y)| picture.at(x, y) == Some(Colour::GREY)).count()
        };
        assert!(grey(&large) > 2 * grey(&small));
        assert_eq!(lit(&large, 96..Picture::HEIGHT), 0, "the card is no larger");
    }

    #[test]
    fn the_name_of_a_boss_is_in_large_letters_too_and_above_what_is_kept_free() {
        let [small, large] = Font::ALL.map(|letters| {
            let bar = drawn(|picture| {
                picture.set_letters(letters);
                BossBar { name: "Keeper", health: 0, health_max: 9 }.draw(picture);
            });
            assert_eq!(lit(&bar, BossBar::bottom(letters)..Picture::HEIGHT), 0, "{letters:?}");
            let pixels = (0..Picture::HEIGHT).flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y)));
            pixels.filter(|&(x, y)| bar.at(x, y) == Some(Colour::of(b'f'))).count()
        });
        assert!(large > 2 * small, "{small} {large}");
    }

    #[test]
    fn a_warning_is_steady_without_flashes_and_gone_in_the_end() {
        let warning = |age, flashes| {
            drawn(|picture| {
                Warning { word: "WARNING", name: "X", middle_y: Warning::boss_y(Font::Small), age, flashes }
                    .draw(picture)
            })
        };
        let red = |picture: &Picture| {
            let pixels = (45..102).flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y)));
            pixels.filter(|&(x, y)| picture.at(x, y) == Some(Colour::RED)).count()
        };
        assert!((40..140).all(|age| red(&warning(age, false)) == red(&warning(40, false))));
        assert!((40..140).any(|age| red(&warning(age, true)) == 0));
        assert_eq!(lit(&warning(Warning::LIFE, true), 0..Picture::HEIGHT), 0);
        let ship_top = game::tuning::SHIP_START_YS[0] / game::px(1) - 6;
        assert_eq!(lit(&warning(60, true), ship_top..Picture::HEIGHT), 0, "a ship that has just come is not hidden");
    }

    #[test]
    fn the_bar_shows_what_is_left() {
        let filled = |health, health_max| BossBar { name: "", health, health_max }.filled();
        assert_eq!([filled(0, 300), filled(1, 300), filled(150, 300), filled(300, 300)], [0, 1, 100, 200]);
        assert_eq!(filled(900, 300), 200);
        assert_eq!(filled(0, 0), 0);
    }
}
