//! The player's chain: its links, what the next enemy is worth, and how long it lasts. And the number of the wave. Both are at
//! the foot of the picture, out of the way.

use game::{Player, Tick, tuning::score, units::STEPS_PER_TICK};

use super::{area::Area, font::Font, palette::Colour, picture::Picture};

/// A chain of fewer links is nothing to look at.
const SHOWN_FROM: u16 = 2;
/// Width of the bar that shows how long it lasts.
const BAR: i32 = 64;

/// Draws a chain above the score, with the word for it.
pub fn draw(player: &Player, now: Tick, word: &str, picture: &mut Picture) {
    if player.chain < SHOWN_FROM {
        return;
    }
    let letters = picture.letters();
    let y = above_foot(letters);
    let multiple = score::multiple(player.chain);
    let colour = if multiple == score::MULTIPLE_MAX { Colour::GOLD } else { Colour::PALE };
    let pen = 5 + picture.text_edged(letters, (5, y), &format!("×{multiple}"), colour) + 2 * letters.scale() + 2;
    picture.text_edged(letters, (pen, y), &format!("{word} {}", player.chain), Colour::GREY);
    let left = player.chain_ends.0.saturating_sub(now.0).min(lasts_ticks());
    picture.rect(Area::new(4, y + letters.height() + 1, BAR + 2, 3), Colour::SHADOW);
    picture.rect(Area::new(5, y + letters.height() + 2, BAR * left as i32 / lasts_ticks() as i32, 1), colour);
}

/// Draws the number of the wave above the best score.
pub fn draw_wave(text: &str, picture: &mut Picture) {
    let letters = picture.letters();
    let x = Picture::WIDTH - 5 - letters.width(text);
    picture.text_edged(letters, (x, above_foot(letters)), text, Colour::GREY);
}

/// The second line from below.
const fn above_foot(letters: Font) -> i32 {
    Picture::HEIGHT - 2 * letters.height() - 11
}

const fn lasts_ticks() -> u32 {
    score::CHAIN_LASTS as u32 / STEPS_PER_TICK as u32
}

#[cfg(test)]
mod tests {
    use game::Seat;

    use super::*;

    fn lit(chain: u16, left: u32) -> (usize, usize) {
        let mut picture = Picture::new();
        let player = Player { chain, chain_ends: Tick(1_000 + left), ..Player::of(Seat::ALL[0]) };
        draw(&player, Tick(1_000), "CHAIN", &mut picture);
        let y = above_foot(Font::Small) + Font::Small.height() + 2;
        let is_lit = |x: &i32| !matches!(picture.at(*x, y), Some(Colour::VOID | Colour::SHADOW));
        let all = (0..Picture::HEIGHT).flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y)));
        ((0..100).filter(is_lit).count(), all.filter(|&(x, y)| picture.at(x, y) != Some(Colour::VOID)).count())
    }

    #[test]
    fn a_chain_is_shown_from_two_links_on_with_the_time_that_is_left() {
        assert_eq!(lit(0, 0), (0, 0));
        assert_eq!(lit(1, 150), (0, 0));
        assert_eq!(lit(7, lasts_ticks()).0, BAR as usize);
        assert_eq!(lit(7, lasts_ticks() / 2).0, BAR as usize / 2);
        assert_eq!(lit(u16::MAX, u32::MAX - 1_000).0, BAR as usize);
    }
}
