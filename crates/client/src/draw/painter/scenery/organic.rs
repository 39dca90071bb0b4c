//! The inside of something alive: teeth, ribs, folds, eggs and webs.

use super::{
    super::noise::{Noise, roll},
    SceneryPlan, Slice,
    canvas::{Box, Layer, STEP},
};
use crate::draw::picture::Picture;

/// Teeth above and below.
pub(super) fn teeth(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    let most = STEP * plan.shades.len() as i32;
    for tooth in slice.share_of(22) {
        let seed = plan.seed * 300 + tooth as u32 * 8;
        let (length, root) = (roll(seed, 50, 130), roll(seed + 1, 18, 34));
        let (x, lean) = (tooth * layer.width() / 22 + roll(seed + 2, -16, 16), roll(seed + 3, -30, 30));
        let is_upper = tooth % 2 == 0;
        layer.fill(Box { x: x - 70, y: 0, width: 140, height: Picture::HEIGHT }, plan.shades, |dx, y| {
            let depth = if is_upper { y } else { Picture::HEIGHT - 1 - y };
            let middle = 70 + lean * depth * depth / (length * length);
            let half = root * (length - depth) / length / 2;
            let across = dx - middle;
            (depth < length && across.abs() <= half)
                .then(|| most / 2 - across * most / (2 * half + 6) - depth * 8 / length)
        });
    }
}

/// Arches from the ceiling to the floor.
pub(super) fn ribs(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    let most = STEP * plan.shades.len() as i32;
    for rib in slice.share_of(9) {
        let seed = plan.seed * 300 + rib as u32 * 8;
        let x = rib * layer.width() / 9 + roll(seed, -14, 14);
        let (thick, bulge) = (roll(seed + 1, 14, 26), roll(seed + 2, 30, 60));
        layer.fill(Box { x: x - 10, y: 0, width: 120, height: Picture::HEIGHT }, plan.shades, |dx, y| {
            let bend = bulge * (y - 135) * (y - 135) / (135 * 135);
            let across = dx - 10 - bend;
            // Thicker towards both ends.
            let thick = thick / 2 + thick * (y - 135).abs() / 135;
            (0..=thick).contains(&across).then(|| most - across * most / thick.max(1) - 10)
        });
    }
}

/// Swellings of ceiling and floor.
pub(super) fn folds(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    let width = layer.width();
    let noise = |cell: i32, salt: u32| Noise { cell, period: width / cell, seed: plan.seed * 9 + salt };
    let [large, small, grain] = [noise(128, 1), noise(32, 2), noise(16, 3)];
    let most = STEP * plan.shades.len() as i32;
    for x in slice.share_of(width) {
        let top = large.at(x, 0) / 3 + small.at(x, 0) / 8 - 20;
        let bottom = Picture::HEIGHT + 20 - large.at(x, 900) / 3 - small.at(x, 900) / 8;
        for y in 0..Picture::HEIGHT {
            let depth = (top - y).max(y - bottom);
            if depth >= 0 {
                // A soft edge: it begins with the darkest shade, then swells towards the light.
                let swell = (depth * 3).min(60 - depth / 2).max(0);
                layer.shade(x, y, swell * most / 80 + grain.at(x, y) / 16 - STEP, plan.shades);
            }
        }
    }
}

/// Heaps of eggs, far off in a haze: the ceiling and the floor in front of them have edges, they have none.
pub(super) fn eggs(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    for heap in slice.share_of(9) {
        let seed = plan.seed * 300 + heap as u32 * 64;
        let x = heap * layer.width() / 9 + roll(seed, 0, 40);
        let is_upper = roll(seed + 1, 0, 2) == 0;
        for egg in 0..9u32 {
            let (dx, rise) = (roll(seed + 2 + egg * 3, -44, 44), roll(seed + 3 + egg * 3, -6, 46));
            let y = if is_upper { rise } else { Picture::HEIGHT - rise };
            layer.haze_ball((x + dx, y), roll(seed + 4 + egg * 3, 11, 21), plan.shades);
        }
    }
}

/// Threads that hang between ceiling and floor.
pub(super) fn webs(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    for thread in slice.share_of(30) {
        let seed = plan.seed * 300 + thread as u32 * 8;
        let x = thread * layer.width() / 30 + roll(seed, -20, 20);
        let (lean, bow) = (roll(seed + 1, -90, 90), roll(seed + 2, -40, 40));
        let thick = roll(seed + 3, 1, 3);
        for y in 0..Picture::HEIGHT {
            let bend = bow * y * (Picture::HEIGHT - y) / (135 * 135);
            let left = x + lean * y / Picture::HEIGHT + bend;
            let swollen = thick + i32::from((y + thread * 37).rem_euclid(80) < 6) * 3;
            (0..swollen).for_each(|dx| layer.shade(left + dx, y, STEP * 2 - dx * 6, plan.shades));
        }
    }
}
