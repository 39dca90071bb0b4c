//! Draws a Frame and its Stage on [`Pixels`] of any size. It never touches a terminal.
//!
//! The field is stretched over the whole grid, so the grid should have the field's proportions: [`fitting`] gives them.
//! Whatever is in the Frame is at least one pixel large, and enemy shots are drawn last: neither ever hides.

use game::{Class, Entity, FIELD_HEIGHT_PX, FIELD_WIDTH_PX, Frame, Kind, SUBPIXELS, Stage, tuning, units::TILE_PX};

use super::{
    palette,
    pixels::{Pixels, Rgb},
    sprite,
};

/// The largest grid of the field's proportions within `width` × `height`; both at least 1, the height even.
pub fn fitting(width: usize, height: usize) -> (usize, usize) {
    let (field_width, field_height) = (FIELD_WIDTH_PX as usize, FIELD_HEIGHT_PX as usize);
    let width = width.min(height * field_width / field_height).max(1);
    let height = (width * field_height).div_ceil(field_width).min(height);
    (width, (height & !1).max(2))
}

/// Draws what the Frame shows, in its stage.
pub fn draw(frame: &Frame, stage: &Stage, pixels: &mut Pixels) {
    if pixels.width() == 0 || pixels.height() == 0 {
        return;
    }
    draw_space(frame.scroll_px, pixels);
    draw_terrain(frame.scroll_px, stage, pixels);
    for layer in LAYERS {
        for entity in frame.entities.iter().filter(|entity| entity.kind.class() == layer) {
            draw_entity(entity, pixels);
        }
    }
}

/// From the back to the front.
const LAYERS: [Class; 9] = [
    Class::Block,
    Class::Item,
    Class::Boss,
    Class::Enemy,
    Class::PlayerShot,
    Class::Gear,
    Class::Player,
    Class::Effect,
    Class::EnemyShot,
];

fn draw_space(scroll_px: u32, pixels: &mut Pixels) {
    let (width, height) = (pixels.width() as i32, pixels.height() as i32);
    for y in 0..height {
        let colour = palette::SPACE[0].mixed(palette::SPACE[1], (y * 256 / height) as u16);
        (0..width).for_each(|x| pixels.plot(x, y, colour));
    }
    for (layer, &colour) in palette::STARS.iter().enumerate() {
        // The nearest layer moves at half the speed of the terrain, those behind at a quarter and an eighth.
        let moved = scroll_px >> (palette::STARS.len() - layer);
        for star in 0..(pixels.width() as u32 / 8).clamp(4, STARS_IN_LAYER_MAX) {
            let place = scatter(star * 3 + layer as u32);
            let x = ((place & 0xffff) % FIELD_WIDTH_PX as u32 + FIELD_WIDTH_PX as u32 - moved % FIELD_WIDTH_PX as u32)
                % FIELD_WIDTH_PX as u32;
            let y = (place >> 16) % FIELD_HEIGHT_PX as u32;
            pixels.plot(x as i32 * width / FIELD_WIDTH_PX, y as i32 * height / FIELD_HEIGHT_PX, colour);
        }
    }
}

/// A small grid has fewer, or they would be all that one sees.
const STARS_IN_LAYER_MAX: u32 = 26;

/// Well mixed bits of a number (Wang's hash): stars and the grain of rock.
fn scatter(number: u32) -> u32 {
    let mut bits = (number ^ 61) ^ (number >> 16);
    bits = bits.wrapping_mul(9);
    bits ^= bits >> 4;
    bits = bits.wrapping_mul(0x27d4_eb2d);
    bits ^ (bits >> 15)
}

fn draw_terrain(scroll_px: u32, stage: &Stage, pixels: &mut Pixels) {
    let (width, height) = (pixels.width() as i32, pixels.height() as i32);
    for x in 0..width {
        let stage_x = i64::from(scroll_px) + i64::from((2 * x + 1) * FIELD_WIDTH_PX / (2 * width));
        for y in 0..height {
            let field_y = (2 * y + 1) * FIELD_HEIGHT_PX / (2 * height);
            if let Some(colour) = rock(stage, stage_x, field_y) {
                pixels.plot(x, y, colour);
            }
        }
    }
}

/// The colour of the terrain at a point, in pixels of the stage and the field; `None` in the open.
fn rock(stage: &Stage, x: i64, y: i32) -> Option<Rgb> {
    let tile = i64::from(TILE_PX);
    let picture = |x: i64, y: i32| match (usize::try_from(x / tile), usize::try_from(y / TILE_PX)) {
        (Ok(column), Ok(row)) => stage.terrain.picture(column, row),
        _ => 0,
    };
    let here = picture(x, y);
    if here == 0 {
        return None;
    }
    let base = ROCKS[usize::from(here) % ROCKS.len()];
    let grain = (scatter((x / 8) as u32 ^ ((y / 8) as u32) << 16) % 40) as u16;
    let base = base.mixed(Rgb::BLACK, grain);
    // Light falls from the upper left, on the faces towards the open.
    let open = |dx: i64, dy: i32| y + dy >= 0 && y + dy < FIELD_HEIGHT_PX && picture(x + dx, y + dy) == 0;
    Some(match () {
        () if open(0, -6) || open(-6, 0) => base.mixed(Rgb(190, 200, 215), 110),
        () if open(0, 6) || open(6, 0) => base.mixed(Rgb(120, 130, 150), 60),
        () => base.mixed(Rgb::BLACK, 40),
    })
}

/// Rock and wreckage, by the picture of the tile.
const ROCKS: [Rgb; 5] = [Rgb(62, 70, 84), Rgb(70, 76, 92), Rgb(58, 72, 80), Rgb(80, 74, 84), Rgb(64, 66, 98)];

fn draw_entity(entity: &Entity, pixels: &mut Pixels) {
    let area = Area::of(entity, pixels);
    if entity.kind.class() == Class::EnemyShot {
        draw_halo(&area, pixels);
    }
    let colours = (palette::animated(entity), palette::accent(entity));
    area.fill(sprite::shape(entity.kind, entity.seat), colours, pixels);
    if entity.kind == Kind::Player && entity.charge > 0 {
        draw_charge(entity, &area, pixels);
    }
}

/// A glow round an enemy shot, so that it shows before anything.
fn draw_halo(area: &Area, pixels: &mut Pixels) {
    for (x, y) in (0..area.width).flat_map(|x| [(x, -1), (x, area.height)]) {
        pixels.tint(area.left + x, area.top + y, HALO, 90);
    }
    for (x, y) in (0..area.height).flat_map(|y| [(-1, y), (area.width, y)]) {
        pixels.tint(area.left + x, area.top + y, HALO, 90);
    }
}

const HALO: Rgb = Rgb(255, 90, 60);

/// The glow at the nose of a ship that charges.
fn draw_charge(ship: &Entity, area: &Area, pixels: &mut Pixels) {
    let charge = i32::from(ship.charge);
    let radius = (area.height * (64 + charge) / 512).max(0);
    let centre = (area.left + area.width + radius / 2, area.top + area.height / 2);
    for y in -radius..=radius {
        for x in -radius..=radius {
            if x * x + y * y <= radius * radius {
                pixels.tint(centre.0 + x, centre.1 + y, Rgb(150, 220, 255), (90 + charge / 2) as u16);
            }
        }
    }
}

/// The part of the grid that an entity covers; at least one pixel.
struct Area {
    left: i32,
    top: i32,
    width: i32,
    height: i32,
}

impl Area {
    fn of(entity: &Entity, pixels: &Pixels) -> Area {
        let (wide, high) = size_px(entity);
        let (left, width) = span(entity.position.x, wide, pixels.width() as i32, FIELD_WIDTH_PX);
        let (top, height) = span(entity.position.y, high, pixels.height() as i32, FIELD_HEIGHT_PX);
        Area { left, top, width, height }
    }

    /// Stretches a shape over the area.
    fn fill(&self, shape: sprite::Shape, (main, accent): (Rgb, Rgb), pixels: &mut Pixels) {
        let mut drawn = false;
        for y in 0..self.height {
            let row = shape[((2 * y + 1) as usize * shape.len()) / (2 * self.height as usize)].as_bytes();
            for x in 0..self.width {
                let letter = row[((2 * x + 1) as usize * row.len()) / (2 * self.width as usize)];
                if let Some(colour) = palette::shade(letter, main, accent) {
                    drawn = true;
                    pixels.plot(self.left + x, self.top + y, colour);
                }
            }
        }
        if !drawn {
            pixels.plot(self.left + self.width / 2, self.top + self.height / 2, main);
        }
    }
}

/// First pixel and number of pixels of something `size_px` long around `centre` (in sub-pixels of the field).
fn span(centre: i32, size_px: i32, pixels: i32, field_px: i32) -> (i32, i32) {
    let scaled = |sub: i64| (sub * i64::from(pixels)).div_euclid(i64::from(field_px) * i64::from(SUBPIXELS)) as i32;
    let length = ((size_px * pixels + field_px / 2) / field_px).max(1);
    if length == 1 {
        return (scaled(i64::from(centre)), 1);
    }
    let half = i64::from(size_px) * i64::from(SUBPIXELS) / 2;
    (scaled(i64::from(centre) - half), length)
}

fn size_px(entity: &Entity) -> (i32, i32) {
    match entity.kind {
        Kind::Beam => tuning::BEAMS[usize::from(entity.animation).min(tuning::BEAMS.len() - 1)].size_px,
        kind => kind.size_px(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use game::{EntityId, Seat, Vec2, px};

    use super::*;

    fn open_space() -> Arc<Stage> {
        Stage::sketch(&[])
    }

    fn drawn(frame: &Frame, stage: &Stage, size: (usize, usize)) -> Pixels {
        let mut pixels = Pixels::new(size.0, size.1);
        draw(frame, stage, &mut pixels);
        pixels
    }

    /// The pixels that the entity changes.
    fn footprint(kind: Kind, at: (i32, i32), seat: Option<Seat>, size: (usize, usize)) -> Vec<(usize, usize, Rgb)> {
        let mut frame = Frame::default();
        let before = drawn(&frame, &open_space(), size);
        let mut entity = Entity::new(EntityId(1), kind, Vec2::new(px(at.0), px(at.1)));
        entity.seat = seat;
        frame.entities.push(entity);
        let after = drawn(&frame, &open_space(), size);
        let all = (0..size.1).flat_map(|y| (0..size.0).map(move |x| (x, y)));
        all.filter(|&(x, y)| before.at(x, y) != after.at(x, y)).map(|(x, y)| (x, y, after.at(x, y))).collect()
    }

    #[test]
    fn everything_shows_however_small_the_grid() {
        for &kind in Kind::ALL {
            for size in [(38, 22), (78, 44), (120, 68), (480, 270)] {
                assert!(!footprint(kind, (240, 135), None, size).is_empty(), "{} vanishes at {size:?}", kind.name());
            }
        }
    }

    #[test]
    fn a_thing_is_where_it_is_and_as_large_as_it_is() {
        let body = footprint(Kind::Block, (248, 120), None, (480, 270));
        let (left, right) = (body.iter().map(|p| p.0).min(), body.iter().map(|p| p.0).max());
        let (top, bottom) = (body.iter().map(|p| p.1).min(), body.iter().map(|p| p.1).max());
        assert_eq!((left, right, top, bottom), (Some(240), Some(255), Some(112), Some(127)));
    }

    #[test]
    fn what_is_half_outside_is_cut_off_and_not_wrapped_round() {
        let body = footprint(Kind::Keeper, (480, 135), None, (120, 68));
        assert!(!body.is_empty() && body.iter().all(|&(x, _, _)| x >= 120 - 13));
        assert!(footprint(Kind::Drone, (-100, -100), None, (120, 68)).is_empty());
        assert!(footprint(Kind::Drone, (-8_000_000, 8_000_000), None, (120, 68)).is_empty());
    }

    #[test]
    fn the_four_ships_look_different() {
        let looks: Vec<_> =
            Seat::ALL.iter().map(|&seat| footprint(Kind::Player, (240, 135), Some(seat), (78, 44))).collect();
        for (index, look) in looks.iter().enumerate() {
            assert!(looks[..index].iter().all(|other| other != look));
        }
    }

    #[test]
    fn an_enemy_shot_is_seen_in_front_of_everything() {
        let mut frame = Frame::default();
        let centre = Vec2::new(px(240), px(135));
        frame.entities.push(Entity::new(EntityId(1), Kind::Pellet, centre));
        frame.entities.push(Entity::new(EntityId(2), Kind::BigExplosion, centre));
        frame.entities.push(Entity::new(EntityId(3), Kind::Player, centre));
        let pixels = drawn(&frame, &open_space(), (120, 68));
        assert_eq!(pixels.at(60, 33), palette::main(Kind::Pellet, None));
    }

    #[test]
    fn terrain_scrolls_by() {
        let stage = Stage::sketch(&["................................####"]);
        let frame = Frame { scroll_px: 128, ..Frame::default() };
        let sky = drawn(&Frame::default(), &open_space(), (120, 68));
        let scrolled = drawn(&frame, &stage, (120, 68));
        // Tile 32 is at 512 px, which is 384 px into the field, a quarter of which is 96 pixels of the grid.
        assert_ne!(scrolled.at(96, 1), sky.at(96, 1));
        assert!(rock(&stage, 511, 3).is_none() && rock(&stage, 512, 3).is_some() && rock(&stage, 512, 17).is_none());
    }

    #[test]
    fn the_grid_keeps_the_proportions_of_the_field() {
        assert_eq!(fitting(480, 270), (480, 270));
        assert_eq!(fitting(120, 74), (120, 68));
        assert_eq!(fitting(200, 44), (78, 44));
        assert_eq!(fitting(40, 22), (39, 22));
        assert_eq!(fitting(0, 0), (1, 2));
    }
}
