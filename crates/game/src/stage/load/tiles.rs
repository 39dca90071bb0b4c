//! The two tile layers: what is solid, and what can be shot away.

use tiled::{FiniteTileLayer, LayerTile};

use super::{
    BLOCK_WINDOW_COLUMNS, BLOCKS_PER_SCREEN_MAX,
    error::{Location, StageError},
    layers::{self, Layers},
};
use crate::stage::{Spawn, Terrain, terrain::ROWS};

/// The solid tiles. A picture is the tile's number in the first tileset, from 1.
pub(super) fn terrain(file: Location, layers: &Layers, columns: usize) -> Result<Terrain, StageError> {
    let mut terrain = Terrain::open(columns);
    let Some(layer) = &layers.terrain else { return Ok(terrain) };
    let location = file.layer(layers::TERRAIN);
    for (column, row, tile) in tiles(layer, columns) {
        terrain.place(column, row, picture(location, column, row, &tile)?);
    }
    Ok(terrain)
}

/// The blocks, from left to right.
pub(super) fn blocks(file: Location, layers: &Layers, terrain: &Terrain) -> Result<Vec<Spawn>, StageError> {
    let Some(layer) = &layers.blocks else { return Ok(Vec::new()) };
    let location = file.layer(layers::BLOCKS);
    let columns = terrain.columns();
    let mut blocks = Vec::new();
    let mut per_column = vec![0; columns];
    for (column, row, tile) in tiles(layer, columns) {
        picture(location, column, row, &tile)?;
        if terrain.picture(column, row) != 0 {
            return Err(location
                .object(&at(column, row))
                .refuse("the terrain is solid here: a tile is one or the other"));
        }
        blocks.push(Spawn::block(column, row));
        per_column[column] += 1;
    }
    not_too_many(location, &per_column)?;
    Ok(blocks)
}

fn not_too_many(location: Location, per_column: &[usize]) -> Result<(), StageError> {
    for (column, window) in per_column.windows(BLOCK_WINDOW_COLUMNS.min(per_column.len())).enumerate() {
        let count: usize = window.iter().sum();
        if count > BLOCKS_PER_SCREEN_MAX {
            return Err(location.refuse(format!(
                "{count} blocks in columns {column} to {} are too many; {BLOCKS_PER_SCREEN_MAX} are left when enemies \
                 have their share",
                column + window.len() - 1
            )));
        }
    }
    Ok(())
}

/// All tiles that are not empty, column after column.
fn tiles<'map>(
    layer: &FiniteTileLayer<'map>,
    columns: usize,
) -> impl Iterator<Item = (usize, usize, LayerTile<'map>)> + use<'map> {
    let layer = *layer;
    (0..columns * ROWS).filter_map(move |index| {
        let (column, row) = (index / ROWS, index % ROWS);
        Some((column, row, layer.get_tile(column as i32, row as i32)?))
    })
}

fn picture(location: Location, column: usize, row: usize, tile: &LayerTile) -> Result<u8, StageError> {
    let refuse = |reason: &str| Err(location.object(&at(column, row)).refuse(reason));
    let Ok(number) = u8::try_from(u64::from(tile.id()) + 1) else { return refuse("the tileset has no such tile") };
    if tile.tileset_index() != 0 {
        return refuse("the tile is not from the first tileset");
    }
    if tile.id() >= tile.get_tileset().tilecount {
        return refuse("the tileset has no such tile");
    }
    if tile.flip_h || tile.flip_v || tile.flip_d {
        return refuse("the tile is flipped or rotated, which the game does not draw");
    }
    Ok(number)
}

fn at(column: usize, row: usize) -> String {
    format!("tile {column},{row}")
}
