//! Stages: terrain, what comes when, and where a lost player returns.
//!
//! A `Stage` is read-only and shared by all worlds that play it. It is made by [`Stage::read`] from a Tiled map, or by
//! [`Stage::sketch`] from a drawing in text. Start reading at the struct.

mod gates;
mod load;
mod terrain;
mod walls;

use std::sync::Arc;

pub use gates::Gate;
pub use load::StageError;
pub use terrain::{ROWS, Terrain};
pub use walls::Wall;
pub(crate) use walls::walls as walls_of;

use crate::{Kind, Vec2, units::TILE_PX};

/// The names and maps of the stages that the game brings along. A `static`, because each crate that uses a constant gets
/// its own copy of what is in it: four copies of the maps were a fifth of what a browser loads.
pub static BUILT_IN: [(&str, &str); 4] = [
    ("endless", include_str!("../../../../stages/endless.tmx")),
    ("stage1", include_str!("../../../../stages/stage1.tmx")),
    ("stage2", include_str!("../../../../stages/stage2.tmx")),
    ("stage3", include_str!("../../../../stages/stage3.tmx")),
];

/// The name of the first checkpoint.
pub const BEGINNING: &str = "beginning";

/// Everything about a stage that does not change while it is played.
#[derive(Debug, PartialEq, Eq)]
pub struct Stage {
    /// Short name, as in `--stage stage1`.
    pub name: String,
    /// What the player reads.
    pub title: String,
    /// 1 and up; 0 for endless.
    pub number: u8,
    /// Whether waves come from the seed, without end, rather than from `spawns`.
    pub endless: bool,
    /// Scrolling in sub-pixels per step.
    pub scroll: i32,
    /// Enemies fire only after the stage has scrolled so far, the first time that it is played.
    pub quiet_px: u32,
    /// Length of the map in pixels; scrolling stops when its right edge is reached. 0 for endless.
    pub length_px: u32,
    /// What kills on touch.
    pub terrain: Terrain,
    /// The same as rectangles, sorted by their left edges.
    pub walls: Vec<Wall>,
    /// What comes, sorted by `x_px`.
    pub spawns: Vec<Spawn>,
    /// Courses that spawns may follow.
    pub paths: Vec<Path>,
    /// Scroll positions in pixels to which a lost player returns, rising; the first is 0.
    pub checkpoints_px: Vec<u32>,
    /// What they are called, in the same order.
    pub checkpoint_names: Vec<String>,
    /// What is seen behind the stage, from left to right; the first begins at 0. A stage may have none.
    pub zones: Vec<Zone>,
    /// Tells this stage from any other, so that a saved world is not restored into the wrong one.
    pub fingerprint: u64,
}

/// A part of a stage that has a look of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Where it begins, in pixels from the stage's left edge.
    pub x_px: u32,
    pub name: String,
}

/// One enemy, boss or block that the stage brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spawn {
    /// Where in the stage it stands, in pixels from the stage's left edge. It appears when that scrolls into view.
    pub x_px: u32,
    /// Height of its centre in the field, in pixels.
    pub y_px: i32,
    /// What it is: an enemy, a boss's hull or a block.
    pub kind: Kind,
    /// What it drops; carriers only.
    pub item: Option<Kind>,
    /// Where it enters the field.
    pub entrance: Entrance,
    /// The course it follows, as an index into the stage's `paths`.
    pub path: Option<u16>,
}

/// The edge of the field at which something enters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Entrance {
    /// From ahead.
    #[default]
    Right,
    /// From behind.
    Left,
}

/// A course through the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Way points in sub-pixels relative to where the follower entered; the first is (0, 0).
    pub points: Vec<Vec2>,
}

impl Stage {
    /// The built-in stage of that name.
    ///
    /// # Panics
    /// If a built-in stage file is broken, which a test rules out.
    pub fn built_in(name: &str) -> Option<Arc<Stage>> {
        let (name, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        let stage = Stage::read(name, text.as_bytes());
        Some(Arc::new(stage.unwrap_or_else(|error| panic!("a built-in stage is broken: {error}"))))
    }

    /// The stage that makes waves from the seed, forever harder.
    pub fn endless() -> Arc<Stage> {
        Stage::built_in("endless").expect("endless is built in")
    }

    /// The stage that follows one in a campaign through these: the one with the next higher number, after the last the first again.
    /// Stages without an end are not part of it.
    pub fn following(stage: &Arc<Stage>, stages: &[Arc<Stage>]) -> Arc<Stage> {
        let campaign = || stages.iter().filter(|other| !other.endless);
        let next = campaign().filter(|other| other.number > stage.number).min_by_key(|other| other.number);
        next.or_else(|| campaign().min_by_key(|other| other.number)).unwrap_or(stage).clone()
    }

    /// The zone at a place of the stage, in pixels from its left edge.
    pub fn zone_at(&self, x_px: u32) -> Option<&Zone> {
        self.zones.iter().rev().find(|zone| zone.x_px <= x_px)
    }

    /// Puts gates into the stage, in place of those that it has.
    pub fn set_gates(&mut self, gates: Vec<Gate>) {
        self.terrain.set_gates(gates);
        self.walls = walls_of(&self.terrain);
    }

    /// A stage of which no more is known than what it is called and what kills on touch. It does not scroll and nothing comes.
    pub fn of_terrain(name: &str, number: u8, terrain: Terrain) -> Stage {
        Stage {
            name: name.into(),
            title: name.into(),
            number,
            endless: number == 0,
            scroll: 0,
            length_px: terrain.columns() as u32 * TILE_PX as u32,
            walls: walls_of(&terrain),
            terrain,
            spawns: Vec::new(),
            paths: Vec::new(),
            checkpoints_px: vec![0],
            quiet_px: 0,
            checkpoint_names: vec![BEGINNING.into()],
            zones: Vec::new(),
            fingerprint: 0,
        }
    }

    /// A stage drawn in text, for tests and experiments: a line is a row of tiles from the top, `#` is solid, `%` is a
    /// block that can be shot away, anything else is open. It does not scroll and nothing comes.
    pub fn sketch(rows: &[&str]) -> Arc<Stage> {
        let columns = rows.iter().map(|row| row.len()).max().unwrap_or(0);
        let mut terrain = Terrain::open(columns);
        let mut spawns = Vec::new();
        for (row, line) in rows.iter().enumerate() {
            for (column, tile) in line.bytes().enumerate() {
                match tile {
                    b'#' => terrain.place(column, row, 1),
                    b'%' => spawns.push(Spawn::block(column, row)),
                    _ => {}
                }
            }
        }
        spawns.sort_by_key(|spawn| spawn.x_px);
        Arc::new(Stage {
            title: "Sketch".into(),
            spawns,
            fingerprint: xxhash_rust::xxh3::xxh3_64(rows.join("\n").as_bytes()),
            ..Stage::of_terrain("sketch", 1, terrain)
        })
    }
}

impl Spawn {
    /// A destructible block that fills one tile.
    pub fn block(column: usize, row: usize) -> Spawn {
        Spawn {
            x_px: (column as i32 * TILE_PX + TILE_PX / 2) as u32,
            y_px: row as i32 * TILE_PX + TILE_PX / 2,
            kind: Kind::Block,
            item: None,
            entrance: Entrance::Right,
            path: None,
        }
    }
}
