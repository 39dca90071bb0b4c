//! The warship from outside and from inside: its skyline, its bulkheads, its pipes, the rings around its core.

use super::{
    super::noise::{roll, scatter_at},
    SceneryPlan, Slice,
    canvas::{Box, Layer, STEP},
};
use crate::draw::picture::Picture;

/// Towers and masts that rise from a hull below.
pub(super) fn skyline(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    let most = STEP * (plan.shades.len() as i32 - 1);
    let blocks = layer.width() / 64;
    for number in slice.share_of(blocks) {
        let seed = plan.seed * 300 + number as u32 * 12;
        let (x, top) = (number * 64, roll(seed, 170, 232));
        layer.fill(Box { x, y: top, width: 64, height: Picture::HEIGHT - top }, plan.shades, |dx, dy| {
            let panel = (scatter_at((x + dx) / 16, (top + dy) / 9, plan.seed) % 14) as i32;
            Some(most - dy / 2 - dx / 6 - panel)
        });
        let (tower, rise) = (
            Box { x: x + roll(seed + 1, 4, 30), y: 0, width: roll(seed + 2, 12, 28), height: 0 },
            roll(seed + 3, 14, 70),
        );
        let tower = Box { y: top - rise, height: rise, ..tower };
        layer.fill(tower, plan.shades, |dx, dy| {
            // Stepped towards its top.
            let inset = if dy < rise / 3 { tower.width / 4 } else { 0 };
            let is_inside = (inset..tower.width - inset).contains(&dx);
            is_inside.then(|| most - dx * most / tower.width - dy / 4)
        });
        let mast = Box { x: tower.x + tower.width / 2, y: tower.y - 24, width: 1, height: 24 };
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
