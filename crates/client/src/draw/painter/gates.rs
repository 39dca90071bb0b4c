//! Gates: plates that slide up and down in front of the terrain. Where each is follows from the scroll.

use game::{SUBPIXELS, stage::Gate, units::TILE_PX};

use super::terrain_painter::{PLATES_BY_SIDES, plate};
use crate::draw::{
    View,
    picture::{Ink, Picture},
};

/// Draws the gates that are in view, if the stage is known; otherwise they are among the walls of the Frame.
pub(super) fn draw(view: &View, picture: &mut Picture) {
    let Some(terrain) = view.terrain else { return };
    for gate in terrain.gates() {
        let left = i64::from(gate.x_px) - view.scroll.div_euclid(i64::from(SUBPIXELS));
        if (-i64::from(gate.width_px)..i64::from(Picture::WIDTH)).contains(&left) {
            draw_gate(gate, (left as i32, gate.top(view.scroll).div_euclid(SUBPIXELS)), picture);
        }
    }
}

fn draw_gate(gate: &Gate, (left, top): (i32, i32), picture: &mut Picture) {
    let (width, height) = (i32::from(gate.width_px), i32::from(gate.height_px));
    for y in offsets(height) {
        for x in offsets(width) {
            let sides = [y == 0, x + TILE_PX >= width, y + TILE_PX >= height, x == 0];
            let open = sides.into_iter().enumerate().fold(0, |bits, (side, open)| bits | usize::from(open) << side);
            if let Some(sprite) = plate(PLATES_BY_SIDES[open]) {
                picture.stamp(left + x, top + y, sprite, Ink::Plain);
            }
        }
    }
}

/// Where tiles begin along a side; the last one ends with it.
fn offsets(length: i32) -> impl Iterator<Item = i32> {
    (0..(length + TILE_PX - 1) / TILE_PX).map(move |tile| (tile * TILE_PX).min(length - TILE_PX))
}
