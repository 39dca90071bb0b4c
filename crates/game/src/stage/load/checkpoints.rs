//! The layer `checkpoints`: where a lost player finds the stage again.

use super::{
    CHECKPOINTS_MAX,
    error::{Location, StageError},
    layers::{self, Layers},
    length_px, objects,
    properties::Fields,
};
use crate::{
    Kind, SUBPIXELS,
    stage::{BEGINNING, Spawn, Terrain},
    tuning::{SHIP_START_X, SHIP_START_YS, body},
    units::{FIELD_WIDTH_PX, TILE_PX},
};

/// Letters of a checkpoint's name that are kept.
const NAME_MAX_CHARS: usize = 32;
/// Free space around a ship that begins, in pixels.
const START_MARGIN_PX: i32 = 8;

/// The scroll positions, rising, with their names. The first is the stage's beginning.
pub(super) fn read(
    file: Location,
    layers: &Layers,
    terrain: &Terrain,
    blocks: &[Spawn],
) -> Result<Vec<(u32, String)>, StageError> {
    let location = file.layer(layers::CHECKPOINTS);
    start_is_free(location.object("the stage's beginning"), 0, terrain, blocks)?;
    let mut found = vec![(0, BEGINNING.to_owned())];
    let Some(layer) = &layers.checkpoints else { return Ok(found) };
    if layer.object_data().len() > CHECKPOINTS_MAX {
        return Err(location.refuse(format!("there are more than {CHECKPOINTS_MAX} checkpoints")));
    }
    let last = length_px(terrain) as i32 - FIELD_WIDTH_PX;
    for object in layer.objects() {
        let label = objects::label(&object);
        let location = location.object(&label);
        Fields::read(location, &label, &object.properties, &[])?;
        let (x, _) = objects::centre(location, &object)?;
        if !(0..=last).contains(&x) {
            return Err(location.refuse(format!("x {x} is not within 0 to {last}, one screen before the stage's end")));
        }
        start_is_free(location, x, terrain, blocks)?;
        let name: String = object.name.chars().filter(|letter| !letter.is_control()).take(NAME_MAX_CHARS).collect();
        found.push((x as u32, name.trim().to_owned()));
    }
    found.sort_by_key(|(x_px, _)| *x_px);
    found.dedup_by_key(|(x_px, _)| *x_px);
    Ok(found)
}

/// Every ship must be able to begin when the left edge of the screen is at `scroll_px`.
fn start_is_free(location: Location, scroll_px: i32, terrain: &Terrain, blocks: &[Spawn]) -> Result<(), StageError> {
    let x = scroll_px + SHIP_START_X / SUBPIXELS;
    for y in SHIP_START_YS.map(|y| y / SUBPIXELS) {
        if let Some((column, row)) = first_obstacle((x, y), terrain, blocks) {
            return Err(location.refuse(format!("a ship begins at {x},{y}, but the tile {column},{row} is in its way")));
        }
    }
    Ok(())
}

fn first_obstacle((x, y): (i32, i32), terrain: &Terrain, blocks: &[Spawn]) -> Option<(i32, i32)> {
    let (width, height) = body(Kind::Player).size_px;
    let (reach_x, reach_y) = (width / 2 + START_MARGIN_PX, height / 2 + START_MARGIN_PX);
    let tiles =
        |middle: i32, reach: i32| (middle - reach).div_euclid(TILE_PX)..=(middle + reach - 1).div_euclid(TILE_PX);
    tiles(x, reach_x)
        .flat_map(|column| tiles(y, reach_y).map(move |row| (column, row)))
        .filter(|&(column, row)| column >= 0 && row >= 0)
        .find(|&(column, row)| {
            let block = Spawn::block(column as usize, row as usize);
            terrain.picture(column as usize, row as usize) != 0 || blocks.contains(&block)
        })
}
