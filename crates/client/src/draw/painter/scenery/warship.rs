//! The warship from outside and from inside: its skyline, its bulkheads, its pipes, the rings around its core.

use super::{
    super::noise::roll,
    SceneryPlan, Slice,
    canvas::{Box, Layer, STEP},
};
use crate::draw::picture::Picture;

/// Towers and masts that rise from a hull far below, all of it in a haze: with edges it would be taken for the hull to fly over.
pub(super) fn skyline(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    /// A block and a tower thin out over this many pixels.
    const HAZE: i32 = 26;
    const TOWER_HAZE: i32 = 6;
    /// A tower reaches this far down into the hull.
    const ROOT: i32 = 60;
    let most = STEP * (plan.shades.len() as i32 - 1);
    let blocks = layer.width() / 64;
    for number in slice.share_of(blocks) {
        let seed = plan.seed * 300 + number as u32 * 12;
        let (x, top) = (number * 64 - HAZE / 2, roll(seed, 176, 226));
        let block = Box { x, y: top, width: 64 + HAZE, height: Picture::HEIGHT - top + 2 * HAZE };
        layer.fill_hazy(block, HAZE, plan.shades, |_, dy| most * 3 / 4 - dy / 6);
        let (left, width, rise) = (x + roll(seed + 1, 12, 40), roll(seed + 2, 14, 28), roll(seed + 3, 14, 70));
        let tower = Box { x: left, y: top - rise, width, height: rise + ROOT };
        layer.fill_hazy(tower, TOWER_HAZE, plan.shades, |dx, dy| most - dx * STEP / width - dy / 4);
        let mast = Box { x: left + width / 2, y: tower.y - 24, width: 1, height: 24 };
        layer.fill(mast, plan.shades, |_, _| Some(STEP));
    }
}

/// Columns between floor and ceiling, with recesses between them.
pub(super) fn bulkheads(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    let most = STEP * (plan.shades.len() as i32 - 1);
    for number in slice.share_of(layer.width() / 128) {
        let seed = plan.seed * 300 + number as u32 * 12;
        let (x, width) = (number * 128 + roll(seed, 0, 30), roll(seed + 1, 26, 44));
        layer.fill(Box { x, y: 0, width, height: Picture::HEIGHT }, plan.shades, |dx, y| {
            let flange = if y % 90 < 12 { 8 } else { 0 };
            let round = most - (dx - width / 3).abs() * most * 3 / (2 * width);
            Some(round + flange - i32::from(y % 90 == 12) * STEP)
        });
        let (fan_x, fan_y) = (x + width + 46, roll(seed + 2, 50, 220));
        fan(layer, plan, (fan_x, fan_y), roll(seed + 3, 18, 32));
    }
}

/// A round opening with blades.
fn fan(layer: &mut Layer, plan: &SceneryPlan, (x, y): (i32, i32), radius: i32) {
    let size = 2 * radius + 1;
    layer.fill(Box { x: x - radius, y: y - radius, width: size, height: size }, plan.shades, |dx, dy| {
        let (dx, dy) = (dx - radius, dy - radius);
        let away = dx * dx + dy * dy;
        let is_blade = (dx * dy > 0) == (dx.abs() > dy.abs());
        match () {
            () if away > radius * radius => None,
            () if away > (radius - 4) * (radius - 4) => Some(STEP - (dx + dy) * STEP / radius),
            () if away < 25 => Some(STEP),
            () => Some(if is_blade { STEP } else { 0 }),
        }
    });
}

/// Pipes that run along.
pub(super) fn pipework(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    let most = STEP * (plan.shades.len() as i32 - 1);
    for number in slice.share_of(7) {
        let seed = plan.seed * 300 + number as u32 * 12;
        let (y, thick) = (number * 38 + roll(seed, 0, 22), roll(seed + 1, 4, 12));
        let joint = roll(seed + 2, 60, 140);
        layer.fill(Box { x: 0, y: y - 2, width: layer.width(), height: thick + 4 }, plan.shades, |x, dy| {
            let is_joint = x % joint < 7;
            let dy = dy - 2;
            let is_inside = if is_joint { true } else { (0..thick).contains(&dy) };
            is_inside.then(|| most - (dy - thick / 4).abs() * most / thick + i32::from(is_joint) * 6)
        });
    }
}

/// Rings around a light that is far behind.
pub(super) fn rings(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    let most = STEP * plan.shades.len() as i32;
    let width = layer.width();
    for y in slice.share_of(Picture::HEIGHT) {
        for x in 0..width {
            let (dx, dy) = (x % 512 - 256, (y - 135) * 3 / 2);
            let away = (dx * dx + dy * dy).isqrt();
            let is_ring = away % 44 < 16;
            if is_ring && away < 250 {
                let light = most - away * most / 280 - (away % 44 - 5).abs() * 2;
                layer.shade(x, y, light - 8, plan.shades);
            }
        }
    }
}
