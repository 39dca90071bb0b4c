//! Copies the client's picture into a window: scaled by a whole number, centred, with black around it.

/// The pixels of a picture, four bytes each: red, green, blue, and one that is not used.
#[derive(Clone, Copy)]
pub struct Pixels<'a> {
    pub rgba: &'a [u8],
    pub width: usize,
    pub height: usize,
}

/// The part of a window that shows the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Viewport {
    pub scale: usize,
    pub x: usize,
    pub y: usize,
}

impl Viewport {
    /// The largest scale that fits. It is at least 1: a smaller window shows the upper left of the picture.
    pub fn of(picture: (usize, usize), window: (usize, usize)) -> Viewport {
        let scale = (window.0 / picture.0).min(window.1 / picture.1).max(1);
        let margin = |window: usize, picture: usize| window.saturating_sub(picture * scale) / 2;
        Viewport { scale, x: margin(window.0, picture.0), y: margin(window.1, picture.1) }
    }

    /// The pixel of the picture at a point of the window. It may lie outside the picture.
    pub fn to_picture(self, x: f64, y: f64) -> (i32, i32) {
        let scaled = |at: f64, margin: usize| ((at - margin as f64) / self.scale as f64).floor() as i32;
        (scaled(x, self.x), scaled(y, self.y))
    }
}

/// Fills a window of `width` pixels a row, in the format 0RGB.
pub fn show(pixels: Pixels, window: &mut [u32], width: usize) {
    let height = window.len() / width.max(1);
    let viewport = Viewport::of((pixels.width, pixels.height), (width, height));
    window.fill(0);
    let rows =
        pixels.rgba.chunks_exact(4 * pixels.width).take(height.saturating_sub(viewport.y).div_ceil(viewport.scale));
    let mut line = vec![0; width];
    for (row, pixels) in rows.enumerate() {
        stretch(pixels, viewport.scale, &mut line[viewport.x.min(width)..]);
        let first = (viewport.y + row * viewport.scale) * width;
        for target in window[first..].chunks_exact_mut(width).take(viewport.scale) {
            target.copy_from_slice(&line);
        }
    }
}

/// Repeats each pixel; what does not fit is left out.
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
        show(Pixels { rgba: &rgba, width: 2, height: 1 }, &mut window, width);
        window
    }

    #[test]
    fn each_pixel_becomes_a_square() {
        assert_eq!(shown(4, 2), [R, R, B, B, R, R, B, B]);
    }

    #[test]
    fn the_rest_of_the_window_is_black_on_both_sides() {
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
            show(Pixels { rgba: &rgba, width: 6, height: 4 }, &mut window, width);
            let viewport = Viewport::of((6, 4), (width, height));
            let lit = (6 * viewport.scale).min(width) * (4 * viewport.scale).min(height);
            assert_eq!(window.iter().filter(|&&pixel| pixel == 0x00FF_FFFF).count(), lit, "{width} × {height}");
            assert!(window.iter().all(|&pixel| pixel != 7));
        }
    }

    #[test]
    fn the_picture_of_the_game_fills_common_screens() {
        assert_eq!(Viewport::of((480, 270), (1920, 1080)), Viewport { scale: 4, x: 0, y: 0 });
        assert_eq!(Viewport::of((480, 270), (1366, 768)), Viewport { scale: 2, x: 203, y: 114 });
    }

    #[test]
    fn a_point_of_the_window_is_a_pixel_of_the_picture() {
        let viewport = Viewport::of((480, 270), (1366, 768));
        assert_eq!(viewport.to_picture(203.0, 114.0), (0, 0));
        assert_eq!(viewport.to_picture(205.9, 118.0), (1, 2));
        assert_eq!(viewport.to_picture(0.0, 0.0), (-102, -57));
    }
}
