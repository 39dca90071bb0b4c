//! Draws Frames with the client's own renderer and scales its picture to the grid of a terminal.
//!
//! The picture is stretched over the whole grid, so the grid should have the field's proportions: [`fitting`] gives them.
//! Where many pixels share one of the grid, an enemy shot would fade into the background: each is marked once more in
//! the scaled picture, at full brightness.

use client::draw::{Look, Painter, Picture, View, ZoneStart};
use game::{Class, FIELD_HEIGHT_PX, FIELD_WIDTH_PX, Frame, SEATS, SUBPIXELS, Seat, Stage, px};

use super::pixels::{Pixels, Rgb};

/// Brighter than anything that the client draws.
const ENEMY_SHOT: Rgb = Rgb(255, 252, 200);

/// The largest grid of the field's proportions within `width` × `height`; both at least 1, the height even.
pub fn fitting(width: usize, height: usize) -> (usize, usize) {
    let (field_width, field_height) = (FIELD_WIDTH_PX as usize, FIELD_HEIGHT_PX as usize);
    let width = width.min(height * field_width / field_height).max(1);
    let height = (width * field_height).div_ceil(field_width).min(height);
    (width, (height & !1).max(2))
}

/// The client's renderer, and what it must remember from one Frame to the next.
#[derive(Default)]
pub struct Renderer {
    painter: Painter,
    picture: Picture,
    /// Ticks that were observed: the clock of animations, which never goes backwards.
    ticks: u32,
    /// The player who is followed.
    pub follows: Option<Seat>,
}

impl Renderer {
    /// Takes in the events of a new Frame. Call it once for each, in order.
    pub fn observe(&mut self, frame: &Frame) {
        if frame.tick.0 <= 1 {
            self.forget();
        }
        self.ticks = self.ticks.wrapping_add(1);
        self.painter.observe(frame);
    }

    /// Another game, or another moment: its entities have nothing to do with those of the last Frame.
    pub fn forget(&mut self) {
        self.painter = Painter::default();
    }

    /// Draws what the Frame shows, in its stage.
    pub fn draw(&mut self, frame: &Frame, stage: &Stage, pixels: &mut Pixels) {
        let zones = ZoneStart::all_of(stage);
        let view = View {
            frame,
            own: self.follows,
            terrain: Some(&stage.terrain),
            zones: &zones,
            scroll: i64::from(frame.scroll_px) * i64::from(SUBPIXELS),
            names: [""; SEATS],
            tick: self.ticks,
            // A terminal that shakes only blurs.
            look: Look { shake: false, ..Look::default() },
        };
        self.painter.draw(&view, &mut self.picture);
        scale(self.picture.rgba(), pixels);
        mark_enemy_shots(frame, pixels);
    }
}

/// Scales the client's picture to the grid: each pixel of the grid is the average of those that it covers.
fn scale(rgba: &[u8], pixels: &mut Pixels) {
    let (width, height) = (pixels.width(), pixels.height());
    for y in 0..height {
        for x in 0..width {
            let columns = covered(x, width, Picture::WIDTH as usize);
            let rows = covered(y, height, Picture::HEIGHT as usize);
            let area =
                rows.flat_map(|row| columns.clone().map(move |column| (row * Picture::WIDTH as usize + column) * 4));
            pixels.plot(x as i32, y as i32, average(area.map(|at| [rgba[at], rgba[at + 1], rgba[at + 2]])));
        }
    }
}

/// Which of `all` pixels the one at `index` of `count` covers; at least one.
fn covered(index: usize, count: usize, all: usize) -> std::ops::Range<usize> {
    index * all / count..((index + 1) * all).div_ceil(count)
}

/// The average of the brightness that is seen, which goes with the square: what is small and bright stays bright.
fn average(colours: impl Iterator<Item = [u8; 3]>) -> Rgb {
    let (mut sums, mut count) = ([0; 3], 0);
    for colour in colours {
        count += 1;
        sums.iter_mut().zip(colour).for_each(|(sum, part)| *sum += u32::from(part).pow(2));
    }
    let [red, green, blue] = sums.map(|sum| (sum / count.max(1)).isqrt() as u8);
    Rgb(red, green, blue)
}

fn mark_enemy_shots(frame: &Frame, pixels: &mut Pixels) {
    let (width, height) = (pixels.width() as i64, pixels.height() as i64);
    for shot in frame.entities.iter().filter(|entity| entity.kind.class() == Class::EnemyShot) {
        let x = (i64::from(shot.position.x) * width).div_euclid(i64::from(px(FIELD_WIDTH_PX)));
        let y = (i64::from(shot.position.y) * height).div_euclid(i64::from(px(FIELD_HEIGHT_PX)));
        pixels.plot(x as i32, y as i32, ENEMY_SHOT);
    }
}

#[cfg(test)]
mod tests {
    use game::{Entity, EntityId, Kind, Seat, Vec2};

    use super::*;

    fn drawn(frame: &Frame, stage: &Stage, size: (usize, usize)) -> Pixels {
        let mut pixels = Pixels::new(size.0, size.1);
        let mut renderer = Renderer::default();
        renderer.observe(frame);
        renderer.draw(frame, stage, &mut pixels);
        pixels
    }

    /// How many pixels an entity in the middle of open space changes.
    fn footprint(kind: Kind, size: (usize, usize)) -> usize {
        let mut frame = Frame::default();
        let stage = Stage::sketch(&[]);
        let before = drawn(&frame, &stage, size);
        let mut entity = Entity::new(EntityId(1), kind, Vec2::new(px(240), px(135)));
        entity.seat = Some(Seat::ALL[0]);
        frame.entities.push(entity);
        let after = drawn(&frame, &stage, size);
        (0..size.1).map(|y| (0..size.0).filter(|&x| before.at(x, y) != after.at(x, y)).count()).sum()
    }

    #[test]
    fn everything_shows_however_small_the_grid() {
        // Walls are terrain, which is drawn from the stage.
        for &kind in Kind::ALL.iter().filter(|&&kind| kind != Kind::Wall) {
            for size in [(38, 22), (120, 68), (600, 338)] {
                assert!(footprint(kind, size) > 0, "{} vanishes at {size:?}", kind.name());
            }
        }
    }

    #[test]
    fn an_enemy_shot_outshines_all_else_at_every_size() {
        let mut frame = Frame::default();
        let at = Vec2::new(px(300), px(100));
        frame.entities.push(Entity::new(EntityId(1), Kind::BigExplosion, at));
        frame.entities.push(Entity::new(EntityId(2), Kind::Pellet, at));
        for size in [(38, 22), (120, 68), (480, 270)] {
            let pixels = drawn(&frame, &Stage::sketch(&[]), size);
            assert_eq!(pixels.at(300 * size.0 / 480, 100 * size.1 / 270), ENEMY_SHOT, "{size:?}");
        }
    }

    #[test]
    fn terrain_is_where_the_stage_has_it() {
        let stage = Stage::sketch(&["##########"]);
        let (open, solid) =
            (drawn(&Frame::default(), &Stage::sketch(&[]), (120, 68)), drawn(&Frame::default(), &stage, (120, 68)));
        let changed = |x, y| open.at(x, y) != solid.at(x, y);
        assert!((0..40).all(|x| changed(x, 1)), "ten tiles are a third of the field's width");
        assert!(!(44..120).any(|x| changed(x, 1)) && !(0..120).any(|x| changed(x, 8)), "and one is 16 pixels high");
    }

    #[test]
    fn absurd_positions_do_no_harm() {
        let mut frame = Frame { scroll_px: u32::MAX, ..Frame::default() };
        for (id, value) in [(1, i32::MIN), (2, i32::MAX)] {
            frame.entities.push(Entity::new(EntityId(id), Kind::Pellet, Vec2::new(value, value)));
        }
        let empty = drawn(&Frame { scroll_px: u32::MAX, ..Frame::default() }, &Stage::sketch(&[]), (60, 34));
        assert_eq!(drawn(&frame, &Stage::sketch(&[]), (60, 34)), empty, "what is far outside is not seen");
    }

    #[test]
    fn a_grid_keeps_the_proportions_of_the_field() {
        assert_eq!(fitting(480, 270), (480, 270));
        assert_eq!(fitting(120, 74), (120, 68));
        assert_eq!(fitting(200, 44), (78, 44));
        assert_eq!(fitting(40, 22), (39, 22));
        assert_eq!(fitting(0, 0), (1, 2));
    }
}
