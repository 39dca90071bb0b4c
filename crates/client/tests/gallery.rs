//! The contact sheet of the example `gallery` has all of every sprite.

#[path = "../examples/gallery/canvas.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
mod canvas;
#[path = "../examples/gallery/sprites.rs"]
mod sprites;

use canvas::Canvas;
use client::draw::sheet;
use game::Kind;

#[test]
fn no_sprite_of_the_contact_sheet_is_cut_off() {
    let (width, height) = sprites::sprites().size();
    let area: i32 = Kind::ALL.iter().map(|&kind| sheet(kind)).map(|image| image.width() * image.height()).sum();
    assert!(width * height > area, "{width} × {height} for {area} pixels");
    let last = Kind::ALL.iter().rev().find(|kind| **kind != Kind::Wall).map(|&kind| sheet(kind)).expect("a kind");
    assert!(height > 3000 + last.height(), "all that comes behind the large bosses is below them: {height}");
}

#[test]
fn an_image_grows_downwards() {
    let image = sheet(Kind::Heart);
    let mut canvas = Canvas::new(image.width() + 5, 1);
    canvas.sprite(5, 100, &image);
    assert_eq!(canvas.size(), (image.width() + 5, 100 + image.height()));
}

#[test]
#[should_panic(expected = "is cut off")]
fn what_is_too_wide_is_a_mistake() {
    let image = sheet(Kind::Heart);
    Canvas::new(image.width() - 1, 1).sprite(0, 0, &image);
}
