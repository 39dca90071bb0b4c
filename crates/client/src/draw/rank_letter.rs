//! The letter of a rank, larger than any other letter.

use game::Rank;

use super::{
    area::Area,
    font::{Font, Glyph},
    palette::Colour,
    picture::Picture,
};

/// How many times as large as small letters it is. Those have corners: a smoothed D looks like a 0.
const SCALE: i32 = 6;
/// Its height in pixels.
pub const HEIGHT: i32 = Font::Small.height() * SCALE;

/// The colour of a rank.
pub const fn colour(rank: Rank) -> Colour {
    match rank {
        Rank::S => Colour::GOLD,
        Rank::A => Colour::GREEN,
        Rank::B => Colour::SEATS[0],
        Rank::C => Colour::GREY,
        Rank::D => Colour::DIM,
    }
}

/// A D whose stem has feet: so large, that of the font reads as a zero.
const LETTER_D: [&str; 7] = ["#####.", ".#..##", ".#...#", ".#...#", ".#...#", ".#..##", "#####."];

/// Draws the letter with the middle of its top at a point.
pub fn draw(rank: Rank, (centre, top): (i32, i32), picture: &mut Picture) {
    let cells = cells(rank);
    let width = cells.iter().map(|(x, _)| x + 1).max().unwrap_or(0);
    let left = centre - width * SCALE / 2;
    for (shift, colour) in [(2, colour(rank).darker()), (0, colour(rank))] {
        for (x, y) in &cells {
            picture.rect(Area::new(left + x * SCALE + shift, top + y * SCALE + shift, SCALE, SCALE), colour);
        }
    }
}

/// The squares of which the letter consists.
fn cells(rank: Rank) -> Vec<(i32, i32)> {
    if rank == Rank::D {
        let row = |(y, row): (i32, &'static str)| {
            (0..).zip(row.bytes()).filter(|(_, cell)| *cell == b'#').map(move |(x, _)| (x, y))
        };
        return (0..).zip(LETTER_D).flat_map(row).collect();
    }
    let Some(letter) = rank.letter().chars().next() else { return Vec::new() };
    let glyph = Font::Small.glyph(letter);
    let row = |(y, &bits): (i32, &u16)| {
        (0..glyph.width).filter(move |x| bits >> x & 1 == 1).map(move |x| (x, y - Glyph::RISE))
    };
    (0..).zip(&glyph.rows).flat_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_is_drawn_within_its_height_and_looks_different() {
        let mut seen = std::collections::BTreeSet::new();
        for rank in Rank::ALL {
            let mut picture = Picture::new();
            draw(rank, (100, 50), &mut picture);
            let all = (0..150).flat_map(|y| (0..200).map(move |x| (x, y)));
            let lit: Vec<(i32, i32)> = all.filter(|&(x, y)| picture.at(x, y) == Some(colour(rank))).collect();
            assert!(lit.len() > 300, "{rank:?}");
            assert!(lit.iter().all(|(x, y)| (75..125).contains(x) && (45..=50 + HEIGHT).contains(y)), "{rank:?}");
            seen.insert(lit);
        }
        assert_eq!(seen.len(), Rank::ALL.len());
    }
}
