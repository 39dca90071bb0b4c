//! Finds words in a picture, by their letters.

#![allow(dead_code, reason = "not every test needs all of it")]

use client::draw::{Colour, Font, Picture};

/// Whether the text is in the picture, in small or large letters, in whatever colour.
pub fn has_text(picture: &Picture, text: &str) -> bool {
    [Font::Small, Font::Large].into_iter().any(|letters| has_text_in(picture, letters, text))
}

/// Whether the text is in the picture in letters of this size.
pub fn has_text_in(picture: &Picture, letters: Font, text: &str) -> bool {
    let (width, height) = (letters.width(text), letters.height());
    assert!(width < Picture::WIDTH, "{text}");
    let mut written = Picture::new();
    written.text_in(letters, (0, 0), text, Colour::PALE);
    let cells: Vec<(i32, i32)> = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).collect();
    let is_inked = |(x, y): &(i32, i32)| written.at(*x, *y) == Some(Colour::PALE);
    let (inked, blank): (Vec<_>, Vec<_>) = cells.into_iter().partition(is_inked);
    let &(first_x, first_y) = inked.first().expect("letters");
    let is_at = |left: i32, top: i32| {
        let colour = picture.at(left + first_x, top + first_y);
        inked.iter().all(|(x, y)| picture.at(left + x, top + y) == colour)
            && blank.iter().all(|(x, y)| picture.at(left + x, top + y) != colour)
    };
    (0..=Picture::HEIGHT - height).any(|top| (0..=Picture::WIDTH - width).any(|left| is_at(left, top)))
}
