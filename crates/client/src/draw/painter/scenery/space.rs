//! What is behind everything: clouds, stars, planets, rocks.

use super::{
    super::noise::{Noise, dither, roll, scatter},
    SceneryPlan, Slice,
    canvas::{Box, Layer, STEP},
};
use crate::draw::picture::Picture;

/// Clouds in all shades, brighter towards the upper and the lower edge. They cover everything.
pub(super) fn clouds(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    let noise = |cell: i32, salt: u32| Noise { cell, period: layer.width() / cell, seed: plan.seed * 7 + salt };
    let [large, middle, small] = [noise(128, 1), noise(64, 2), noise(32, 3)];
    let most = STEP * plan.shades.len() as i32;
    let width = layer.width();
    for y in slice.share_of(Picture::HEIGHT) {
        let height = (y - 135).abs() * 255 / 135;
        for x in 0..width {
            let cloud = (large.at(x, y) * 5 + middle.at(x, y) * 2 + small.at(x, y)) / 8;
            let light = (cloud * 3 + height) / 4 - 40;
            layer.shade(x, y, light.max(0) * most / 190 - STEP / 2, plan.shades);
        }
    }
}

/// Single points of light.
pub(super) fn stars(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    for star in slice.share_of(140) {
        let seed = plan.seed * 1000 + star as u32 * 3;
        let (x, y) = (roll(seed, 0, layer.width() - 1), roll(seed + 1, 0, 269));
        layer.plot(x, y, plan.shades[scatter(seed + 2) as usize % plan.shades.len()]);
    }
}

/// One planet with bands, lit from the upper left; some have rings.
pub(super) fn planet(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    let radius = roll(plan.seed, 38, 62);
    let centre = (roll(plan.seed + 1, 260, 420), roll(plan.seed + 2, 80, 190));
    let bands = Noise { cell: 24, period: 64, seed: plan.seed };
    let most = STEP * plan.shades.len() as i32;
    for row in slice.share_of(2 * radius + 1) {
        let dy = row - radius;
        let area = Box { x: centre.0 - radius, y: centre.1 + dy, width: 2 * radius + 1, height: 1 };
        layer.fill(area, plan.shades, |dx, _| {
            let dx = dx - radius;
            let depth = radius * radius - dx * dx - dy * dy;
            let light = || (depth.isqrt() * 5 - dx * 5 - dy * 6) * most / (radius * 11);
            (depth >= 0).then(|| light() + bands.at(dx / 3 + 64, dy * 3 + dx / 2) / 12 - STEP)
        });
        if plan.seed.is_multiple_of(2) {
            ring_row(layer, plan, (centre, radius), dy);
        }
    }
}

/// A row of the ring around a planet, in front of its lower half.
fn ring_row(layer: &mut Layer, plan: &SceneryPlan, ((x, y), radius): ((i32, i32), i32), dy: i32) {
    // The tilted ellipse reaches up to 0.46 radii from the centre.
    if dy.abs() > radius / 2 {
        return;
    }
    for dx in -2 * radius..=2 * radius {
        // A flat ellipse, tilted a little.
        let across = (dy - dx / 8) * 5;
        let away = (dx * dx + across * across).isqrt() * 16 / radius;
        let is_hidden = across < 0 && dx * dx + dy * dy < radius * radius;
        if (22..31).contains(&away) && away != 27 && !is_hidden {
            let shade = plan.shades.len() - 1 - usize::from(dx > 0) - usize::from(away > 27);
            layer.plot(x + dx, y + dy, plan.shades[shade]);
        }
    }
}

/// Lumps of rock, far apart.
pub(super) fn rocks(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    for rock in slice.share_of(18) {
        let seed = plan.seed * 500 + rock as u32 * 16;
        lump(layer, plan, seed, roll(seed + 2, 3, 13));
    }
}

/// The same, and among them some that are large.
pub(super) fn boulders(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    for rock in slice.share_of(26) {
        let seed = plan.seed * 500 + rock as u32 * 16;
        if rock % 5 == 0 {
            shadow(layer, plan, seed, roll(seed + 2, 22, 34));
        } else {
            lump(layer, plan, seed, roll(seed + 2, 3, 12));
        }
    }
}

/// A large rock far off: neither lit nor with a hard edge, or it would look like something to fly around.
fn shadow(layer: &mut Layer, plan: &SceneryPlan, seed: u32, radius: i32) {
    let (x, y) = (roll(seed, 0, layer.width() - 1), roll(seed + 1, 10, 260));
    let (outline, grain) = (Noise { cell: 7, period: 99, seed }, Noise { cell: 9, period: 99, seed });
    let size = 2 * radius + 1;
    layer.fill(Box { x: x - radius, y: y - radius, width: size, height: size }, plan.shades, |dx, dy| {
        let (dx, dy) = (dx - radius, dy - radius);
        let edge = radius * (190 + outline.at(dx + 40, dy + 40) / 4) / 256;
        // It thins out over its outer half.
        let depth = (edge * edge - dx * dx - dy * dy) * 32 / (edge * edge).max(1);
        (depth > dither(dx + radius, dy + radius)).then_some(STEP + grain.at(dx + 90, dy + 90) / 16)
    });
}

fn lump(layer: &mut Layer, plan: &SceneryPlan, seed: u32, radius: i32) {
    let (x, y) = (roll(seed, 0, layer.width() - 1), roll(seed + 1, 10, 260));
    let (outline, grain) = (Noise { cell: 7, period: 99, seed }, Noise { cell: 5, period: 99, seed });
    let size = 2 * radius + 1;
    let most = STEP * plan.shades.len() as i32;
    layer.fill(Box { x: x - radius, y: y - radius, width: size, height: size }, plan.shades, |dx, dy| {
        let (dx, dy) = (dx - radius, dy - radius);
        let edge = radius * (190 + outline.at(dx + 40, dy + 40) / 4) / 256;
        let light = (edge - dx - dy) * most / (radius * 3).max(1) + grain.at(dx + 90, dy + 90) / 16 - STEP;
        (dx * dx + dy * dy <= edge * edge).then_some(light)
    });
}

/// Thin veils of gas.
pub(super) fn veils(layer: &mut Layer, plan: &SceneryPlan, slice: Slice) {
    let width = layer.width();
    let noise = |cell: i32, salt: u32| Noise { cell, period: width / cell, seed: plan.seed * 7 + salt };
    let [large, middle, small] = [noise(128, 1), noise(64, 2), noise(16, 3)];
    for y in slice.share_of(Picture::HEIGHT) {
        for x in 0..width {
            let ridge = 128 - (large.at(x, y * 2) + middle.at(x, y * 3) / 2 - 190).abs() * 2;
            let light = ridge * 3 / 4 + small.at(x, y) / 8 - 60;
            // It thins out at its edges.
            if light > 4 * dither(x, y) {
                layer.shade(x, y, light * STEP * plan.shades.len() as i32 / 110, plan.shades);
            }
        }
    }
}
