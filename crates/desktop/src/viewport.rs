//! Copies the client's picture into a window: scaled, centred, with black around it. Where the scale is not a whole number, only the
//! pixels on a boundary are mixed, so that the picture stays sharp.

use client::draw::Scaling;

/// The pixels of a picture, four bytes each: red, green, blue, and one that is not used.
#[derive(Clone, Copy)]
pub struct Pixels<'a> {
    pub rgba: &'a [u8],
    pub width: usize,
    pub height: usize,
}

/// The part of a window that shows the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// At least 1: a smaller window shows the upper left of the picture.
    pub scale: f64,
    pub x: usize,
    pub y: usize,
    width: usize,
    height: usize,
}

impl Viewport {
    /// For a picture scaled as the player wants.
    pub fn of(picture: (usize, usize), window: (usize, usize), scaling: Scaling) -> Viewport {
        let scale = scaling.factor(window.0 as f64, window.1 as f64).max(1.0);
        let scaled = |length: usize| (length as f64 * scale).round() as usize;
        let (width, height) = (scaled(picture.0), scaled(picture.1));
        let margin = |window: usize, picture: usize| window.saturating_sub(picture) / 2;
        Viewport { scale, x: margin(window.0, width), y: margin(window.1, height), width, height }
    }

    /// The pixel of the picture at a point of the window. It may lie outside the picture.
    pub fn to_picture(self, x: f64, y: f64) -> (i32, i32) {
        let scaled = |at: f64, margin: usize| ((at - margin as f64) / self.scale).floor() as i32;
        (scaled(x, self.x), scaled(y, self.y))
    }
}

/// Which pixels of the picture a pixel of the window shows: the first one, and 256ths of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sample {
    first: usize,
    next: u32,
}

/// Fills a window of `width` pixels a row, in the format 0RGB.
pub fn show(pixels: Pixels, viewport: Viewport, window: &mut [u32], width: usize) {
    window.fill(0);
    let columns = samples(viewport.width, pixels.width);
    let rows = samples(viewport.height, pixels.height);
    let room = width.saturating_sub(viewport.x).min(columns.len());
    let lines: Vec<Vec<u32>> =
        pixels.rgba.chunks_exact(4 * pixels.width).map(|row| stretch(row, &columns[..room])).collect();
    let targets = window.chunks_exact_mut(width.max(1)).skip(viewport.y);
    for (row, target) in rows.iter().zip(targets) {
        let Some(line) = lines.get(row.first) else { break };
        let target = &mut target[viewport.x..viewport.x + room];
        match lines.get(row.first + 1).filter(|_| row.next > 0) {
            Some(below) => {
                let mixed = line.iter().zip(below).map(|(&one, &other)| mix(one, other, row.next));
                target.iter_mut().zip(mixed).for_each(|(target, colour)| *target = colour);
            }
            None => target.copy_from_slice(line),
        }
    }
}

/// What each of `length` pixels shows of `count` pixels of the picture.
fn samples(length: usize, count: usize) -> Vec<Sample> {
    let per_pixel = count as f64 / length.max(1) as f64;
    let sample = |at: usize| {
        let (from, to) = (at as f64 * per_pixel, (at + 1) as f64 * per_pixel);
        let first = (from.floor() as usize).min(count.saturating_sub(1));
        let beyond = (to - (first + 1) as f64).max(0.0) / per_pixel;
        // The last pixel has no neighbour, and a rounding error must not mix anything in.
        let next = if first + 1 < count { (beyond * 256.0).round() as u32 } else { 0 };
        Sample { first, next }
    };
    (0..length).map(sample).collect()
}

fn stretch(row: &[u8], columns: &[Sample]) -> Vec<u32> {
    let colour = |at: usize| u32::from_be_bytes([0, row[4 * at], row[4 * at + 1], row[4 * at + 2]]);
    let shown = |sample: &Sample| match sample.next {
        0 => colour(sample.first),
        share => mix(colour(sample.first), colour(sample.first + 1), share),
    };
    columns.iter().map(shown).collect()
}

/// Mixes in this many 256ths of the other colour.
fn mix(one: u32, other: u32, share: u32) -> u32 {
    // Red and blue are far enough apart to be mixed together.
    let part =
        |mask: u32| ((one & mask) as u64 * u64::from(256 - share) + (other & mask) as u64 * u64::from(share)) >> 8;
    (part(0x00FF_00FF) as u32 & 0x00FF_00FF) | (part(0x0000_FF00) as u32 & 0x0000_FF00)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: [u8; 4] = [255, 0, 0, 255];
    const BLUE: [u8; 4] = [0, 0, 255, 255];
    const R: u32 = 0x00FF_0000;
    const B: u32 = 0x0000_00FF;

    fn viewport(scale: f64, margins: (usize, usize), picture: (usize, usize)) -> Viewport {
        let scaled = |length: usize| (length as f64 * scale).round() as usize;
        Viewport { scale, x: margins.0, y: margins.1, width: scaled(picture.0), height: scaled(picture.1) }
    }

    fn shown(scale: f64, margins: (usize, usize), window: (usize, usize)) -> Vec<u32> {
        let rgba = [RED, BLUE].concat();
        let mut filled = vec![7; window.0 * window.1];
        show(Pixels { rgba: &rgba, width: 2, height: 1 }, viewport(scale, margins, (2, 1)), &mut filled, window.0);
        filled
    }

    #[test]
    fn each_pixel_becomes_a_square() {
        assert_eq!(shown(2.0, (0, 0), (4, 2)), [R, R, B, B, R, R, B, B]);
    }

    #[test]
    fn only_pixels_on_a_boundary_are_mixed() {
        assert_eq!(shown(1.5, (0, 0), (3, 1)), [R, 0x007F_007F, B]);
        assert_eq!(shown(3.0, (0, 0), (6, 1)), [R, R, R, B, B, B]);
    }

    #[test]
    fn the_rest_of_the_window_is_black_on_both_sides() {
        assert_eq!(shown(2.0, (0, 0), (4, 3)), [R, R, B, B, R, R, B, B, 0, 0, 0, 0]);
        assert_eq!(shown(2.0, (0, 1), (5, 4)), [0, 0, 0, 0, 0, R, R, B, B, 0, R, R, B, B, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_window_that_is_too_small_shows_the_upper_left() {
        assert_eq!(shown(1.0, (0, 0), (1, 1)), [R]);
        assert_eq!(shown(1.0, (0, 0), (0, 0)).len(), 0);
    }

    #[test]
    fn windows_of_every_size_are_filled_by_every_scaling() {
        let rgba = vec![255; 4 * 480 * 270];
        let sizes = (0..1500).step_by(97).flat_map(|width| (0..900).step_by(113).map(move |height| (width, height)));
        for (size, scaling) in sizes.flat_map(|size| Scaling::ALL.map(|scaling| (size, scaling))) {
            let (width, height) = size;
            let mut window = vec![7; width * height];
            let viewport = Viewport::of((480, 270), size, scaling);
            show(Pixels { rgba: &rgba, width: 480, height: 270 }, viewport, &mut window, width);
            let lit = viewport.width.min(width) * viewport.height.min(height);
            let white = window.iter().filter(|&&pixel| pixel == 0x00FF_FFFF).count();
            assert!(white == lit, "{width} × {height} {scaling:?}: {white} of {lit}");
            assert!(window.iter().all(|&pixel| pixel != 7));
        }
    }

    #[test]
    fn the_picture_of_the_game_fills_common_screens() {
        let of = |width, height, scaling| {
            let viewport = Viewport::of((480, 270), (width, height), scaling);
            (viewport.scale, viewport.x, viewport.y)
        };
        assert_eq!(of(1920, 1080, Scaling::Auto), (4.0, 0, 0));
        assert_eq!(of(1366, 768, Scaling::Whole), (2.0, 203, 114));
        let (scale, x, y) = of(1366, 768, Scaling::Auto);
        assert!(scale > 2.8 && x <= 1 && y == 0, "{scale} {x} {y}");
    }

    #[test]
    fn a_point_of_the_window_is_a_pixel_of_the_picture() {
        let viewport = Viewport::of((480, 270), (1366, 768), Scaling::Whole);
        assert_eq!(viewport.to_picture(203.0, 114.0), (0, 0));
        assert_eq!(viewport.to_picture(205.9, 118.0), (1, 2));
        assert_eq!(viewport.to_picture(0.0, 0.0), (-102, -57));
        let fractional = Viewport::of((480, 270), (1366, 768), Scaling::Auto);
        assert_eq!(fractional.to_picture(1365.0, 767.0), (479, 269));
    }
}
