//! The backdrop: layers that scroll at different speeds, the farther the slower. `scenery/` paints them once for a zone; the
//! dust in front of them is drawn for each picture.
//!
//! At the end of a zone the next one comes in from the right, dithered into the old one. Where zones change with time, as
//! in Endless, it sweeps over the picture.

use game::SUBPIXELS;

use super::{
    noise::{dither, scatter},
    scenery::Scenery,
};
use crate::draw::{
    View,
    area::Area,
    palette::Colour,
    picture::Picture,
    zone::{Passage, ZoneLook, Zones},
};

/// Width of the stretch over which one zone turns into the next, in pixels.
const BLEND: i64 = 200;
/// Ticks for which a change of zones takes that no place in the stage causes.
const SWEEP_TICKS: u32 = 150;
/// Zones of which the layers are kept.
const KEPT: usize = 3;

/// The backdrop of a stage.
#[derive(Clone, Debug, Default)]
pub(super) struct Backdrop {
    /// The zones that were painted last.
    sceneries: Vec<Scenery>,
    /// What is shown, and in which stage.
    shown: Option<(u8, ZoneLook)>,
    /// The zone that gives way to the shown one, and since when.
    sweep: Option<(ZoneLook, u32)>,
    /// The next zone is put together here.
    scratch: Vec<u8>,
}

impl Backdrop {
    /// Fills the picture with what is behind the stage.
    pub(super) fn draw(&mut self, view: &View, picture: &mut Picture) {
        let scroll_px = view.scroll.div_euclid(i64::from(SUBPIXELS));
        let stage = view.frame.stage;
        let Passage { zone, next } = Zones { starts: view.zones, stage }.passage(view.frame, scroll_px);
        self.notice(stage, zone, view.tick);
        match (self.sweep, next) {
            (Some((old, since)), _) => {
                self.draw_zone(old, scroll_px, picture);
                let swept = i64::from(view.tick.saturating_sub(since)) * (i64::from(Picture::WIDTH) + BLEND);
                self.blend(zone, scroll_px, swept / i64::from(SWEEP_TICKS), picture);
            }
            (None, Some((coming, reach))) => {
                self.draw_zone(zone, scroll_px, picture);
                self.scenery(coming).paint_slice();
                if reach > 0 {
                    let share = reach * (i64::from(Picture::WIDTH) + BLEND) / i64::from(Picture::WIDTH);
                    self.blend(coming, scroll_px, share, picture);
                }
            }
            (None, None) => self.draw_zone(zone, scroll_px, picture),
        }
        draw_dust(scroll_px, picture);
    }

    /// Begins a sweep if the zone has changed within Endless; elsewhere the place in the stage does it.
    fn notice(&mut self, stage: u8, zone: ZoneLook, tick: u32) {
        match self.shown {
            Some((0, old)) if stage == 0 && old != zone => self.sweep = Some((old, tick)),
            Some(shown) if shown != (stage, zone) => self.sweep = None,
            _ => {}
        }
        self.shown = Some((stage, zone));
        self.sweep = self.sweep.filter(|(_, since)| tick.saturating_sub(*since) < SWEEP_TICKS);
    }

    fn draw_zone(&mut self, zone: ZoneLook, scroll_px: i64, picture: &mut Picture) {
        let scenery = self.scenery(zone);
        scenery.finish();
        scenery.layers.iter().for_each(|layer| layer.draw(scroll_px, picture.pixels_mut()));
    }

    /// Draws a zone over what is there, from the right: all of it up to `reach` less the blend.
    fn blend(&mut self, zone: ZoneLook, scroll_px: i64, reach: i64, picture: &mut Picture) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.resize((Picture::WIDTH * Picture::HEIGHT) as usize, 0);
        let scenery = self.scenery(zone);
        scenery.finish();
        scenery.layers.iter().for_each(|layer| layer.draw(scroll_px, &mut scratch));
        let width = Picture::WIDTH as usize;
        let rows = picture.pixels_mut().chunks_exact_mut(width).zip(scratch.chunks_exact(width));
        // 17 levels of the next zone by column: none of it, then more and more, then all.
        let level = |x: i64| ((reach - (i64::from(Picture::WIDTH) - x)) * 17 / BLEND).clamp(0, 16) as i32;
        let levels: Vec<i32> = (0..i64::from(Picture::WIDTH)).map(level).collect();
        for (y, (to, from)) in (0..).zip(rows) {
            for (x, ((to, &from), &level)) in (0..).zip(to.iter_mut().zip(from).zip(&levels)) {
                if dither(x, y) < level {
                    *to = from;
                }
            }
        }
        self.scratch = scratch;
    }

    fn scenery(&mut self, zone: ZoneLook) -> &mut Scenery {
        match self.sceneries.iter().position(|scenery| scenery.zone == zone) {
            Some(index) => &mut self.sceneries[index],
            None => {
                if self.sceneries.len() >= KEPT {
                    self.sceneries.remove(0);
                }
                self.sceneries.push(Scenery::new(zone));
                let last = self.sceneries.len() - 1;
                &mut self.sceneries[last]
            }
        }
    }
}

/// Specks that move as fast as the terrain, or faster.
fn draw_dust(scroll_px: i64, picture: &mut Picture) {
    for speck in 0..36u32 {
        let place = scatter(speck + 7000);
        let pace = 2 + i64::from(speck % 3);
        let x = (i64::from(place & 0xffff) - scroll_px * pace / 2).rem_euclid(i64::from(Picture::WIDTH)) as i32;
        let y = (place >> 16) as i32 % Picture::HEIGHT;
        picture.rect(Area::new(x, y, pace as i32 - 1, 1), Colour::of(if pace > 3 { b'F' } else { b'E' }));
    }
}

#[cfg(test)]
mod tests {
    use game::Frame;

    use super::*;
    use crate::draw::{Look, zone::ZoneStart};

    fn view<'a>(frame: &'a Frame, zones: &'a [ZoneStart], scroll_px: i64, tick: u32) -> View<'a> {
        let scroll = scroll_px * i64::from(SUBPIXELS);
        View { frame, own: None, terrain: None, zones, scroll, names: [""; 4], tick, look: Look::default() }
    }

    /// How many pixels two pictures have in common, in percent, in the columns from `left` to `right`.
    fn alike(a: &Picture, b: &Picture, left: i32, right: i32) -> usize {
        let pixels: Vec<(i32, i32)> = (0..Picture::HEIGHT).flat_map(|y| (left..right).map(move |x| (x, y))).collect();
        pixels.iter().filter(|&&(x, y)| a.at(x, y) == b.at(x, y)).count() * 100 / pixels.len()
    }

    #[test]
    fn the_next_zone_comes_in_from_the_right_and_is_all_there_when_it_begins() {
        let both = [ZoneStart { x_px: 0, zone: ZoneLook::Mouth }, ZoneStart { x_px: 2000, zone: ZoneLook::Gut }];
        let (old, new) = ([both[0]], [ZoneStart { x_px: 0, zone: ZoneLook::Gut }]);
        let frame = Frame { stage: 2, ..Frame::default() };
        let drawn = |zones: &[ZoneStart], scroll| {
            let mut picture = Picture::new();
            Backdrop::default().draw(&view(&frame, zones, scroll, 0), &mut picture);
            picture
        };
        assert_eq!(alike(&drawn(&both, 1500), &drawn(&old, 1500), 0, 480), 100);
        let (halfway, left) = (drawn(&both, 1760), drawn(&old, 1760));
        assert_eq!(alike(&halfway, &left, 0, 100), 100, "the left is still old");
        assert_eq!(alike(&halfway, &drawn(&new, 1760), 400, 480), 100, "the right is new");
        assert_eq!(alike(&drawn(&both, 2000), &drawn(&new, 2000), 0, 480), 100);
    }

    #[test]
    fn endless_sweeps_to_the_next_zone() {
        let (mut backdrop, mut picture) = (Backdrop::default(), Picture::new());
        let mut drawn = |wave, tick| {
            let frame = Frame { wave, ..Frame::default() };
            backdrop.draw(&view(&frame, &[], 0, tick), &mut picture);
            picture.clone()
        };
        let (before, halfway) = (drawn(4, 10), [drawn(5, 11), drawn(5, 90)]);
        let after = drawn(5, 400);
        assert_eq!(alike(&before, &halfway[0], 0, 480), 100, "nothing jumps");
        assert_eq!(alike(&before, &halfway[1], 0, 40), 100);
        assert_eq!(alike(&after, &halfway[1], 440, 480), 100);
        assert!(alike(&before, &after, 0, 480) < 90);
    }
}
