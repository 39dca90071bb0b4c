//! Ships, whole and dead, scrap, and the docks in which they were built.

use super::{
    super::noise::{Noise, roll, scatter_at},
    SceneryPlan, Slice,
    canvas::{Box, Layer, STEP},
};
use crate::draw::picture::Picture;

/// A ship seen from its side.
#[derive(Clone, Copy)]
struct WreckedShip {
    seed: u32,
    x: i32,
    y: i32,
    length: i32,
    height: i32,
    /// Whether parts of it are missing.
    is_dead: bool,
}

/// Ships far away, whole.
pub(super) fn fleet(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    for number in slice.share_of(7) {
        let seed = plan.seed * 300 + number as u32 * 40;
        let ship = WreckedShip {
            seed,
            x: number * layer.width() / 7 + roll(seed, 0, 50),
            y: roll(seed + 1, 30, 230),
            length: roll(seed + 2, 50, 150),
            height: roll(seed + 3, 8, 20),
            is_dead: false,
        };
        ship.paint(layer, plan);
    }
}

/// Great ships, broken.
pub(super) fn hulks(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    for number in slice.share_of(6) {
        let seed = plan.seed * 300 + number as u32 * 40;
        let ship = WreckedShip {
            seed,
            x: number * layer.width() / 6 + roll(seed, 0, 60),
            y: roll(seed + 1, 30, 230),
            length: roll(seed + 2, 150, 260),
            height: roll(seed + 3, 26, 54),
            is_dead: true,
        };
        ship.paint(layer, plan);
    }
}

impl WreckedShip {
    fn paint(self, layer: &mut Layer, plan: &SceneryPlan) {
        let WreckedShip { x, y, length, height, .. } = self;
        let area = Box { x, y: y - height, width: length, height: height * 2 };
        layer.fill(area, plan.shades, |along, across| self.level(along, across - height, plan));
    }

    /// The light on a pixel; none beside the ship.
    fn level(self, along: i32, across: i32, plan: &SceneryPlan) -> Option<i32> {
        let WreckedShip { seed, length, height, is_dead, .. } = self;
        // The bow tapers to the left, the stern is blunt.
        let bow = (along * 5 / 2).min(length) * height / length;
        let decks = (scatter_at(along / 14, 0, seed) % 5) as i32 * height / 14 * i32::from(along > length / 3);
        let keel = height / 3 + (scatter_at(along / 22, 1, seed) % 3) as i32 * height / 12;
        let (top, bottom) = (-bow / 2 - decks, (bow / 2).min(keel));
        if across < top || across > bottom {
            return None;
        }
        let tear = Noise { cell: 20, period: 1 << 12, seed }.at(along, across * 2 + 400);
        if is_dead && tear > 168 {
            // What is left of the frames.
            return (along % 9 == 0 && tear < 215).then_some(0);
        }
        let most = STEP * (plan.shades.len() as i32 - 1);
        let height_lit = most - (across - top) * most / (bottom - top).max(1);
        let panel = (scatter_at(along / 9, across / 5, seed + 2) % 12) as i32 - 6;
        let window =
            (across % 7 == 3 && scatter_at(along / 2, across / 7, seed + 3).is_multiple_of(6)).then_some(-STEP);
        Some(height_lit + panel + window.unwrap_or(0))
    }
}

/// Pieces that drift: plates, beams, pipes.
pub(super) fn scrap(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    for piece in slice.share_of(40) {
        let seed = plan.seed * 400 + piece as u32 * 8;
        let (x, y) = (roll(seed, 0, layer.width() - 1), roll(seed + 1, 8, 262));
        let (length, thick) = (roll(seed + 2, 8, 44), roll(seed + 3, 2, 9));
        let slope = roll(seed + 4, -6, 6);
        let ragged = Noise { cell: 6, period: 1 << 10, seed };
        layer.fill(Box { x, y: y - 24, width: length, height: 48 }, plan.shades, |along, across| {
            let across = across - 24 - along * slope / 12;
            let end = ragged.at(0, across + 60) / 24;
            let is_inside = (0..thick).contains(&across) && along > end && along < length - end;
            is_inside.then(|| STEP * (plan.shades.len() as i32 - 1) * (thick - across) / thick - 6)
        });
    }
}

/// Towers and beams of open framework, with hooks that hang from them.
pub(super) fn gantries(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    let spacing = layer.width() / 6;
    for number in slice.share_of(6) {
        let seed = plan.seed * 200 + number as u32 * 20;
        let x = number * spacing + roll(seed, 0, 40);
        let (width, top) = (roll(seed + 1, 18, 30), roll(seed + 2, 20, 70));
        lattice(layer, plan, Box { x, y: top, width, height: Picture::HEIGHT - top });
        let beam = Box { x: x - roll(seed + 3, 20, 60), y: top + 14, width: spacing * 3 / 4, height: 14 };
        lattice(layer, plan, beam);
        let hang = roll(seed + 4, 30, 90);
        let hook = beam.x + roll(seed + 5, 10, beam.width - 10);
        layer.fill(Box { x: hook, y: beam.y + 14, width: 2, height: hang }, plan.shades, |_, _| Some(STEP));
        let load = Box { x: hook - 12, y: beam.y + 14 + hang, width: 26, height: 12 };
        layer.fill(load, plan.shades, |_, y| Some(STEP * 2 - y * 2));
    }
}

/// Two rails with crossed braces between them.
fn lattice(layer: &mut Layer, plan: &SceneryPlan, area: Box) {
    let is_tall = area.height > area.width;
    let most = STEP * (plan.shades.len() as i32 - 1);
    layer.fill(area, plan.shades, |x, y| {
        let (along, across, thick) = if is_tall { (y, x, area.width) } else { (x, y, area.height) };
        let turn = along.rem_euclid(thick);
        let is_rail = across < 3 || across >= thick - 3;
        let is_brace = (turn - across).abs() < 2 || (turn - (thick - 1 - across)).abs() < 2;
        match () {
            () if across == 0 => Some(most),
            () if is_rail => Some(most - STEP),
            () if is_brace => Some(most - STEP - 8),
            () => None,
        }
    });
}
