//! Paints the layers behind each stage: deep space, a field of wrecks, a living cave, the flank of a warship. They are
//! made from numbers alone, and are the same every time.

use super::backdrop::Layer;
use crate::draw::{palette::Colour, picture::Picture};

/// The layers of a stage from the back to the front: sky, stars, far and near things.
pub(super) fn layers(stage: u8) -> Vec<Layer> {
    let (sky, far, near): (&[u8], Paint, Paint) = match stage {
        0 => (b"00112556", rocks, rocks),
        _ => match (stage - 1) % 3 {
            0 => (b"0112239A", hulks, hulks),
            1 => (b"0055667t", caves, caves),
            _ => (b"0011235C", flanks, flanks),
        },
    };
    let mut stars = Layer::clear(512, 8);
    if stage != 2 {
        paint_stars(&mut stars);
        paint_planet(&mut stars, stage);
    } else {
        paint_spores(&mut stars);
    }
    let (mut back, mut front) = (Layer::clear(1024, 4), Layer::clear(1024, 2));
    far(&mut back, [b'1', b'2', b'3'], 100 + u32::from(stage));
    near(&mut front, near_shades(stage), 900 + u32::from(stage));
    vec![paint_sky(sky), stars, back, front]
}

type Paint = fn(&mut Layer, [u8; 3], u32);

fn near_shades(stage: u8) -> [u8; 3] {
    match stage {
        2 => [b'5', b'6', b'7'],
        3 => [b'2', b'C', b'D'],
        _ => [b'2', b'3', b'4'],
    }
}

/// The hash of a number (Wang's).
pub(super) fn scatter(number: u32) -> u32 {
    let mut bits = (number ^ 61) ^ (number >> 16);
    bits = bits.wrapping_mul(9);
    bits ^= bits >> 4;
    bits = bits.wrapping_mul(0x27d4_eb2d);
    bits ^ (bits >> 15)
}

/// A number from `low` to `high` by a seed.
fn roll(seed: u32, low: i32, high: i32) -> i32 {
    low + (scatter(seed) >> 3) as i32 % (high - low + 1)
}

/// Smooth noise, 0 to 255, that repeats after `period` cells of `cell` pixels.
fn noise(x: i32, y: i32, cell: i32, period: i32, seed: u32) -> i32 {
    let corner =
        |column: i32, row: i32| (scatter(seed ^ column.rem_euclid(period) as u32 ^ ((row as u32) << 12)) & 255) as i32;
    let (column, row) = (x.div_euclid(cell), y.div_euclid(cell));
    let smooth = |part: i32| part * part * (3 * cell - 2 * part) * 256 / (cell * cell * cell);
    let (across, down) = (smooth(x.rem_euclid(cell)), smooth(y.rem_euclid(cell)));
    let top = corner(column, row) * (256 - across) + corner(column + 1, row) * across;
    let bottom = corner(column, row + 1) * (256 - across) + corner(column + 1, row + 1) * across;
    (top / 256 * (256 - down) + bottom / 256 * down) / 256
}

/// Thresholds of ordered dither, 0 to 15.
const BAYER: [[i32; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// Clouds in the given colours, from dark to light, dithered into each other.
fn paint_sky(colours: &[u8]) -> Layer {
    let mut layer = Layer::clear(512, 16);
    for y in 0..Picture::HEIGHT {
        for x in 0..512 {
            let cloud = noise(x, y, 128, 4, 11) * 5 + noise(x, y, 64, 8, 12) * 2 + noise(x, y, 32, 16, 13);
            let height = (y - 135).abs() * 255 / 135;
            let light = (cloud / 8 * 3 + height) / 4 - 40;
            let level = light.max(0) * 16 * colours.len() as i32 / 190 + BAYER[(y & 3) as usize][(x & 3) as usize] - 8;
            let step = (level / 16).clamp(0, colours.len() as i32 - 1);
            layer.plot(x, y, Colour::of(colours[step as usize]));
        }
    }
    layer
}

fn paint_stars(layer: &mut Layer) {
    for star in 0..150 {
        let (x, y) = (roll(star * 2, 0, 511), roll(star * 2 + 1, 0, 269));
        let letter = b"44EEEFFGH"[(scatter(star + 500) % 9) as usize];
        layer.plot(x, y, Colour::of(letter));
        if letter == b'H' {
            for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
                layer.plot(x + dx, y + dy, Colour::of(b'4'));
            }
        }
    }
}

/// A planet lit from the upper left, with bands.
fn paint_planet(layer: &mut Layer, stage: u8) {
    let (centre_x, centre_y, radius): (i32, i32, i32) = if stage == 0 { (360, 190, 58) } else { (330, 92, 40) };
    let shades = if stage == 0 { b"015678" } else { b"0129AB" };
    for dy in -radius..=radius {
        for dx in -radius..=radius {
            let out = dx * dx + dy * dy;
            if out > radius * radius {
                continue;
            }
            let depth = (radius * radius - out).isqrt();
            let light = (-dx * 5 - dy * 6 + depth * 5) * 16 / (radius * 9);
            let band = noise(dx / 3, dy * 3 + dx / 2, 24, 64, 77) / 26;
            let dither = BAYER[(dy & 3) as usize][(dx & 3) as usize] / 4;
            let step = ((light + band + dither - 4) / 3).clamp(0, 5);
            layer.plot(centre_x + dx, centre_y + dy, Colour::of(shades[step as usize]));
        }
    }
}

fn paint_spores(layer: &mut Layer) {
    for spore in 0..90 {
        let (x, y) = (roll(spore * 2, 0, 511), roll(spore * 2 + 1, 0, 269));
        layer.plot(x, y, Colour::of(b"67tu8"[(scatter(spore + 300) % 5) as usize]));
    }
}

/// Lumps of rock, far apart.
fn rocks(layer: &mut Layer, shades: [u8; 3], seed: u32) {
    for rock in 0..14 {
        let seed = seed + rock * 16;
        let (x, y, radius) = (roll(seed, 0, 1023), roll(seed + 1, 10, 260), roll(seed + 2, 3, 15));
        for dy in -radius..=radius {
            for dx in -radius..=radius {
                let edge = radius * (190 + noise(dx + 40, dy + 40, 7, 99, seed) / 4) / 256;
                if dx * dx + dy * dy > edge * edge {
                    continue;
                }
                let light = -dx - dy + noise(dx + 90, dy + 90, 5, 99, seed) / 24 - 5;
                let step = if light > edge / 2 { 2 } else { i32::from(light > -edge / 2) };
                layer.plot(x + dx, y + dy, Colour::of(shades[step as usize]));
            }
        }
    }
}

/// Hulls of dead ships, with holes and a window that still burns here and there.
fn hulks(layer: &mut Layer, shades: [u8; 3], seed: u32) {
    let [dark, middle, light] = shades.map(Colour::of);
    for hulk in 0..9 {
        let seed = seed + hulk * 64;
        let (left, top) = (hulk as i32 * 114 + roll(seed, 0, 40), roll(seed + 1, 15, 220));
        for part in 0..5 {
            let at = seed + 8 + part * 7;
            let (width, height) = (roll(at, 18, 60), roll(at + 1, 6, 26));
            let (x, y) = (left + roll(at + 2, 0, 50), top + roll(at + 3, -14, 14));
            layer.rect(x, y, width, height, middle);
            layer.rect(x, y, width, 1, light);
            layer.rect(x, y + height - 2, width, 2, dark);
            layer.rect(x + roll(at + 4, 2, 16), y, 1, height, dark);
            layer.rect(x + roll(at + 5, 0, width), y - roll(at + 6, 4, 14), 1, 14, middle);
            for window in 0..width / 6 {
                let glow = scatter(at + 100 + window as u32) % 9;
                let colour = if glow == 0 { Colour::of(b'l') } else { dark };
                layer.rect(x + 3 + window * 6, y + height / 2, 2, 1, colour);
            }
        }
    }
}

/// Ceiling and floor of a cave, with pillars.
fn caves(layer: &mut Layer, shades: [u8; 3], seed: u32) {
    let [dark, middle, light] = shades.map(Colour::of);
    for x in 0..1024 {
        let top = noise(x, 0, 64, 16, seed) / 4 + noise(x, 0, 16, 64, seed + 1) / 12;
        let bottom = 270 - noise(x, 9, 64, 16, seed + 2) / 4 - noise(x, 0, 16, 64, seed + 3) / 12;
        let pillar = noise(x, 40, 32, 32, seed + 4) > 205;
        for y in 0..Picture::HEIGHT {
            let depth = (top - y).max(y - bottom);
            let inside = depth >= 0 || pillar;
            let grain = noise(x, y, 16, 64, seed + 5);
            let colour = match () {
                () if !inside => continue,
                () if (0..2).contains(&depth) => light,
                () if grain > 150 => middle,
                () => dark,
            };
            layer.plot(x, y, colour);
        }
    }
}

/// The flank of something enormous: decks, pipes, ports.
fn flanks(layer: &mut Layer, shades: [u8; 3], seed: u32) {
    let [dark, middle, light] = shades.map(Colour::of);
    for section in 0..16 {
        let seed = seed + section * 40;
        let x = section as i32 * 64;
        let (top, height) = (150 + roll(seed, 0, 40), 130);
        layer.rect(x, top, 64, height, dark);
        layer.rect(x, top, 64, 1, light);
        layer.rect(x, top + 1, 1, height, middle);
        for deck in 0..4 {
            let y = top + 8 + deck * 18 + roll(seed + deck as u32, 0, 6);
            layer.rect(x + 2, y, 60, 2, middle);
            for port in 0..10 {
                let lit = scatter(seed + 50 + port as u32 + 10 * deck as u32).is_multiple_of(5);
                layer.rect(x + 5 + port * 6, y + 5, 2, 2, if lit { Colour::of(b'b') } else { middle });
            }
        }
        layer.rect(x + roll(seed + 9, 8, 50), top - roll(seed + 10, 8, 40), 3, 44, middle);
    }
}
