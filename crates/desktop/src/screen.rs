//! From the picture of the game to the pixels of a window: scaled by a whole number, in the middle, black around it.

/// A picture of so many pixels, four bytes each: red, green, blue and one that is not used.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub rgba: &'a [u8],
    pub width: usize,
    pub height: usize,
}

/// Where the picture lies in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub scale: usize,
    pub x: usize,
    pub y: usize,
}

impl Place {
    /// The largest that fits; at least once, of which the window then shows the upper left.
    pub fn of(picture: (usize, usize), window: (usize, usize)) -> Place {
        let scale = (window.0 / picture.0).min(window.1 / picture.1).max(1);
        let margin = |window: usize, picture: usize| window.saturating_sub(picture * scale) / 2;
        Place { scale, x: margin(window.0, picture.0), y: margin(window.1, picture.1) }
    }

    /// The pixel of the picture under a point of the window. It may lie outside the picture.
    pub fn back(self, x: f64, y: f64) -> (i32, i32) {
        let back = |at: f64, margin: usize| ((at - margin as f64) / self.scale as f64).floor() as i32;
        (back(x, self.x), back(y, self.y))
    }
}

/// Fills a window of `width` pixels a row, each 0RGB.
pub fn show(source: Source, window: &mut [u32], width: usize) {
    let height = window.len() / width.max(1);
    let place = Place::of((source.width, source.height), (width, height));
    window.fill(0);
    let rows = source.rgba.chunks_exact(4 * source.width).take(height.saturating_sub(place.y).div_ceil(place.scale));
    let mut line = vec![0; width];
    for (row, pixels) in rows.enumerate() {
        stretch(pixels, place.scale, &mut line[place.x.min(width)..]);
        let first = (place.y + row * place.scale) * width;
        for target in window[first..].chunks_exact_mut(width).take(place.scale) {
            target.copy_from_slice(&line);
        }
    }
}

/// Repeats each pixel; what has no room is left out.
fn stretch(pixels: &[u8], scale: usize, line: &mut [u32]) {
    for (pixel, target) in pixels.chunks_exact(4).zip(line.chunks_mut(scale)) {
        target.fill(u32::from_be_bytes([0, pixel[0], pixel[1], pixel[2]]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: [u8; 4] = [255, 0, 0, 255];
    const BLUE: [u8; 4] = [0, 0, 255, 255];
    const R: u32 = 0x00FF_0000;
    const B: u32 = 0x0000_00FF;

    fn shown(width: usize, height: usize) -> Vec<u32> {
        let rgba = [RED, BLUE].concat();
        let mut window = vec![7; width * height];
        show(Source { rgba: &rgba, width: 2, height: 1 }, &mut window, width);
        window
    }

    #[test]
    fn each_pixel_becomes_a_square() {
        assert_eq!(shown(4, 2), [R, R, B, B, R, R, B, B]);
    }

    #[test]
    fn what_is_left_over_is_black_on_both_sides() {
        assert_eq!(shown(4, 3), [R, R, B, B, R, R, B, B, 0, 0, 0, 0]);
        assert_eq!(shown(5, 4), [0, 0, 0, 0, 0, R, R, B, B, 0, R, R, B, B, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_window_that_is_too_small_shows_the_upper_left() {
        assert_eq!(shown(1, 1), [R]);
        assert_eq!(shown(0, 0).len(), 0);
    }

    #[test]
    fn windows_of_every_size_are_filled() {
        let rgba = vec![255; 4 * 6 * 4];
        for (width, height) in (0..40).flat_map(|width| (0..40).map(move |height| (width, height))) {
            let mut window = vec![7; width * height];
            show(Source { rgba: &rgba, width: 6, height: 4 }, &mut window, width);
            let place = Place::of((6, 4), (width, height));
            let lit = (6 * place.scale).min(width) * (4 * place.scale).min(height);
            assert_eq!(window.iter().filter(|&&pixel| pixel == 0x00FF_FFFF).count(), lit, "{width} × {height}");
            assert!(window.iter().all(|&pixel| pixel != 7));
        }
    }

    #[test]
    fn the_picture_of_the_game_fills_common_screens() {
        assert_eq!(Place::of((480, 270), (1920, 1080)), Place { scale: 4, x: 0, y: 0 });
        assert_eq!(Place::of((480, 270), (1366, 768)), Place { scale: 2, x: 203, y: 114 });
    }

    #[test]
    fn a_point_is_found_again() {
        let place = Place::of((480, 270), (1366, 768));
        assert_eq!(place.back(203.0, 114.0), (0, 0));
        assert_eq!(place.back(205.9, 118.0), (1, 2));
        assert_eq!(place.back(0.0, 0.0), (-102, -57));
    }
}
