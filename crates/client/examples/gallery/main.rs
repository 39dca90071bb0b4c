//! Draws contact sheets: `cargo xtask art`, or `cargo run -p client --example gallery -- DIR`; and with `--readme DIR` the
//! pictures of the documentation.
//!
//! `sprites.png` has every image of every kind, `tiles.png` every set of tiles, `backdrops.png` what is behind each zone,
//! `stage1.png` and so on the whole length of a stage, `stage1-played.png` and so on ten moments of a game that bots play there,
//! `bosses.png` every boss in its three phases, and `scenes/` the pictures that the golden tests compare.

mod canvas;
mod moments;
mod readme;
#[path = "../../tests/scenes/mod.rs"]
#[allow(dead_code, reason = "the benchmark and the tests use the rest")]
mod scenes;
mod sprites;

use std::{error::Error, fs, path::Path, path::PathBuf};

use client::draw::{Colour, Look, Painter, Picture, TileSet, View, ZoneLook, ZoneStart, tile_sample};
use game::{Entity, EntityId, Frame, Stage, Vec2, px, stage::BUILT_IN};

use self::{canvas::Canvas, sprites::sprites};

/// How much larger scenes, sprites and tiles are drawn.
const SCALE: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let is_readme = arguments.next_if(|first| first == "--readme").is_some();
    let directory = arguments.next().map(PathBuf::from).ok_or("say a directory to write to")?;
    if is_readme {
        fs::create_dir_all(&directory)?;
        return readme::write(&directory);
    }
    fs::create_dir_all(directory.join("scenes"))?;
    sprites().write(&directory.join("sprites.png"), SCALE)?;
    tiles().write(&directory.join("tiles.png"), SCALE)?;
    backdrops().write(&directory.join("backdrops.png"), 1)?;
    for (name, _) in BUILT_IN {
        if let Some(stage) = Stage::built_in(name).filter(|stage| !stage.endless) {
            strip(&stage).write(&directory.join(format!("{name}.png")), 1)?;
            moments::of_stage(&stage).write(&directory.join(format!("{name}-played.png")), 1)?;
        }
    }
    moments::of_bosses().write(&directory.join("bosses.png"), 1)?;
    write_scenes(&directory.join("scenes"))
}

fn write_scenes(directory: &Path) -> Result<(), Box<dyn Error>> {
    for (name, draw) in scenes::ALL {
        let mut canvas = Canvas::new(Picture::WIDTH, Picture::HEIGHT);
        canvas.paste(0, 0, &mut draw());
        canvas.write(&directory.join(format!("{name}.png")), SCALE)?;
    }
    Ok(())
}

/// Ceilings, floors, pillars, steps and a solid mass of each set.
const PLAN: [&str; 7] = [
    "####################",
    "######...#######..##",
    "##.........###......",
    "......##............",
    ".#...####......#....",
    "####.########.###..#",
    "####################",
];

fn tiles() -> Canvas {
    let mut canvas = Canvas::new(2 * 330, 4 * 130);
    for (index, set) in (0..).zip(TileSet::ALL) {
        let (x, y) = (4 + index % 2 * 330, 4 + index / 2 * 130);
        canvas.text(x, y, &format!("{set:?}"));
        canvas.sprite(x, y + 11, &tile_sample(set, &PLAN));
    }
    canvas
}

/// Two pictures of each zone, a while apart.
fn backdrops() -> Canvas {
    let mut canvas = Canvas::new(2 * 490, 282 * ZoneLook::ALL.len() as i32);
    for (index, zone) in (0..).zip(ZoneLook::ALL) {
        for (column, scroll_px) in [(0, 0), (1, 1800)] {
            canvas.text(4 + column * 490, index * 282, zone.name());
            canvas.paste(4 + column * 490, index * 282 + 11, &mut backdrop(zone, scroll_px));
        }
    }
    canvas
}

fn backdrop(zone: ZoneLook, scroll_px: i32) -> Picture {
    let frame = Frame { stage: 1, ..Frame::default() };
    let zones = [ZoneStart { x_px: 0, zone }];
    let mut picture = Picture::new();
    Painter::new().draw(&View { zones: &zones, scroll: i64::from(px(scroll_px)), ..bare(&frame) }, &mut picture);
    picture
}

fn bare(frame: &Frame) -> View<'_> {
    View { frame, own: None, terrain: None, zones: &[], scroll: 0, names: [""; 4], tick: 0, look: Look::default() }
}

/// A stage from its left edge to its right one, with everything that it brings where it stands.
fn strip(stage: &Stage) -> Canvas {
    let length = stage.length_px as i32;
    let mut canvas = Canvas::new(length, Picture::HEIGHT);
    let mut painter = Painter::new();
    let mut picture = Picture::new();
    for left in (0..length).step_by(Picture::WIDTH as usize) {
        let spawned = stage.spawns.iter().zip(1..).map(|(spawn, id)| {
            let at = Vec2::new(px(spawn.x_px as i32 - left), px(spawn.y_px));
            Entity { health: 8, health_max: 8, ..Entity::new(EntityId(id), spawn.kind, at) }
        });
        let frame = Frame { stage: stage.number, entities: spawned.collect(), ..Frame::default() };
        let terrain = Some(&stage.terrain);
        let zones = ZoneStart::all_of(stage);
        painter.draw(&View { terrain, zones: &zones, scroll: i64::from(px(left)), ..bare(&frame) }, &mut picture);
        // The last picture shows what is behind the end too.
        canvas.paste_columns(left, 0, length - left, &mut picture);
    }
    canvas.line(0, Picture::HEIGHT - 1, length, Colour::DIM);
    canvas
}
