//! The contact sheet of all sprites.

use client::draw::{Picture, sheet};
use game::Kind;

use super::canvas::Canvas;

const WIDTH: i32 = 640;

/// Every cell of the sheet of every kind, below its name.
pub fn sprites() -> Canvas {
    let mut canvas = Canvas::new(WIDTH, 0);
    let (mut x, mut y, mut row) = (4, 4, 0);
    for &kind in Kind::ALL.iter().filter(|kind| **kind != Kind::Wall) {
        let image = sheet(kind);
        let width = image.width().max(Picture::text_width(kind.name())) + 10;
        if x + width > WIDTH {
            (x, y, row) = (4, y + row + 8, 0);
        }
        canvas.text(x, y, kind.name());
        canvas.sprite(x, y + 11, &image);
        row = row.max(image.height() + 11);
        x += width;
    }
    canvas.grow(y + row + 8);
    canvas
}
