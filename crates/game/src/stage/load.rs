//! Reads a stage from a Tiled map.
//!
//! `xml_check` refuses what would be dangerous to parse, the `tiled` crate parses, and the rest turns its map into a [`Stage`]
//! and refuses what would be dangerous to play. Nothing is opened but the bytes that were handed in. The conventions of
//! the map are described for designers in `docs/stages.md`. Start reading at [`Stage::read`].

mod checkpoints;
mod error;
mod gates;
mod layers;
mod map_header;
mod objects;
mod paths;
mod properties;
mod source;
mod spawns;
mod surfaces;
mod tiles;
mod xml_check;
mod zones;

pub use error::StageError;

use error::Location;
use layers::Layers;
use map_header::MapHeader;
use xxhash_rust::xxh3::xxh3_64;

use super::{BEGINNING, Spawn, Stage, Terrain};
use crate::{
    Kind,
    tuning::{self, limits},
    units::{FIELD_WIDTH_PX, TILE_PX},
};

/// A larger file is not looked at, in bytes. The longest stage that the other limits allow is well below.
const FILE_BYTES_MAX: usize = 1 << 20;
/// Columns of tiles in a map: eleven minutes at 48 pixels per second.
const COLUMNS_MAX: u32 = 2048;
/// Columns of one screen, the shortest map that can be played.
const COLUMNS_MIN: u32 = (FIELD_WIDTH_PX / TILE_PX) as u32;
/// Enemies and bosses in one map, blocks not counted.
const SPAWNS_MAX: usize = 1024;
/// Blocks within [`BLOCK_WINDOW_COLUMNS`]: two thirds of all foes, so that enemies still find room.
const BLOCKS_PER_SCREEN_MAX: usize = limits::FOES / 3 * 2;
/// A screen, and what is still remembered to its left and already there to its right.
const BLOCK_WINDOW_COLUMNS: usize = COLUMNS_MIN as usize + 2 * (tuning::OUTSIDE / crate::px(TILE_PX)) as usize;
/// Paths in one map.
const PATHS_MAX: usize = 64;
/// Way points of one path.
const PATH_POINTS_MAX: usize = 128;
/// Checkpoints in one map.
const CHECKPOINTS_MAX: usize = 32;
/// Zones in one map.
const ZONES_MAX: usize = 16;
/// Gates in one map.
const GATES_MAX: usize = 64;

impl Stage {
    /// Reads a stage from the bytes of a Tiled map (`.tmx`). `name` is the stage's name, and what errors call the file;
    /// of a path, the stage is called by its last part without the ending.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Stage, StageError> {
        let file = Location::file(name);
        xml_check::check(file, bytes)?;
        let map = source::parse(file, bytes)?;
        let head = MapHeader::read(file, &map)?;
        let layers = Layers::sort(file, &map)?;
        let fingerprint = xxh3_64(bytes);
        if head.endless { endless(file, head, &layers, fingerprint) } else { finite(file, head, &layers, fingerprint) }
    }
}

fn endless(file: Location, head: MapHeader, layers: &Layers, fingerprint: u64) -> Result<Stage, StageError> {
    if let Some(layer) = layers.first_name() {
        return Err(file.layer(layer).refuse("an endless stage has no layers: its waves come from the seed"));
    }
    Ok(Stage {
        name: short_name(file.file),
        title: head.title,
        number: head.number,
        endless: true,
        scroll: head.scroll,
        length_px: 0,
        terrain: Terrain::default(),
        walls: Vec::new(),
        spawns: Vec::new(),
        paths: Vec::new(),
        checkpoints_px: vec![0],
        quiet_px: head.quiet_px,
        checkpoint_names: vec![BEGINNING.into()],
        zones: Vec::new(),
        fingerprint,
    })
}

fn finite(file: Location, head: MapHeader, layers: &Layers, fingerprint: u64) -> Result<Stage, StageError> {
    let mut terrain = tiles::terrain(file, layers, head.columns)?;
    let gates = gates::read(file, layers, length_px(&terrain))?;
    terrain.set_gates(gates);
    let blocks = tiles::blocks(file, layers, &terrain)?;
    let paths = paths::read(file, layers)?;
    let enemies = spawns::read(file, layers, &terrain, &paths)?;
    let checkpoints = checkpoints::read(file, layers, &terrain, &blocks)?;
    let zones = zones::read(file, layers, length_px(&terrain))?;
    let mut spawns: Vec<Spawn> = enemies.into_iter().chain(blocks).collect();
    spawns.sort_by_key(|spawn| spawn.x_px);
    boss_is_last(file, &spawns)?;
    Ok(Stage {
        name: short_name(file.file),
        title: head.title,
        number: head.number,
        endless: false,
        scroll: head.scroll,
        length_px: length_px(&terrain),
        walls: super::walls::walls(&terrain),
        terrain,
        spawns,
        paths: paths.into_iter().map(|(_, path)| path).collect(),
        checkpoints_px: checkpoints.iter().map(|(x_px, _)| *x_px).collect(),
        quiet_px: head.quiet_px,
        checkpoint_names: checkpoints.into_iter().map(|(_, name)| name).collect(),
        zones,
        fingerprint,
    })
}

/// The stage is won when its last boss is gone, so what came later would never be met.
fn boss_is_last(file: Location, spawns: &[Spawn]) -> Result<(), StageError> {
    let layer = file.layer(layers::SPAWNS);
    let boss = spawns.iter().rev().find(|spawn| is_boss(spawn.kind));
    let boss = boss.ok_or_else(|| layer.refuse(format!("no boss ends the stage; bosses are {}", boss_names())))?;
    let last = spawns.last().unwrap_or(boss);
    if last.x_px > boss.x_px || (last.x_px == boss.x_px && !is_boss(last.kind)) {
        return Err(layer.refuse(format!(
            "a {} at x {} is not before the last boss, the {} at x {}; the stage is won when that is gone",
            last.kind.name(),
            last.x_px,
            boss.kind.name(),
            boss.x_px
        )));
    }
    Ok(())
}

fn is_boss(kind: Kind) -> bool {
    tuning::boss(kind).is_some()
}

fn boss_names() -> String {
    error::list(tuning::BOSSES.iter().map(|boss| boss.hull.name()))
}

fn length_px(terrain: &Terrain) -> u32 {
    terrain.columns() as u32 * TILE_PX as u32
}

/// `stages/mine.tmx` is the stage `mine`.
fn short_name(file: &str) -> String {
    let last = file.rsplit(['/', '\\']).next().unwrap_or(file);
    last.strip_suffix(".tmx").unwrap_or(last).to_owned()
}
