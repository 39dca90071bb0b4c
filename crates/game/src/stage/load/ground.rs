//! Where those who stand on floors or hang from ceilings may be placed.

use super::error::{Place, StageError};
use crate::{
    Kind,
    stage::{Terrain, terrain::ROWS},
    tuning::body,
    units::TILE_PX,
};

/// How far a designer's hand may be off the surface, in pixels.
const SNAP_PX: i32 = 16;

/// What a kind needs to hold on to.
struct Hold {
    floor: bool,
    ceiling: bool,
    words: &'static str,
}

/// Whether a kind holds on to terrain.
pub(super) fn holds(kind: Kind) -> bool {
    hold(kind).is_some()
}

fn hold(kind: Kind) -> Option<Hold> {
    match kind {
        Kind::Walker => Some(Hold { floor: true, ceiling: false, words: "a floor below it" }),
        Kind::Clinger => Some(Hold { floor: false, ceiling: true, words: "a ceiling above it" }),
        Kind::Turret => Some(Hold { floor: true, ceiling: true, words: "a floor below it or a ceiling above it" }),
        _ => None,
    }
}

/// The height of the centre at which it touches its surface; unchanged for those who fly.
pub(super) fn settle(place: Place, kind: Kind, (x, y): (i32, i32), terrain: &Terrain) -> Result<i32, StageError> {
    let Some(hold) = hold(kind) else { return Ok(y) };
    let column = (x / TILE_PX) as usize;
    let half = body(kind).size_px.1 / 2;
    let solid = |row: usize| terrain.picture(column, row) != 0;
    let floors = (1..ROWS).filter(|&row| hold.floor && solid(row) && !solid(row - 1));
    let ceilings = (1..ROWS).filter(|&row| hold.ceiling && solid(row - 1) && !solid(row));
    let heights = floors.map(|row| row as i32 * TILE_PX - half).chain(ceilings.map(|row| row as i32 * TILE_PX + half));
    let nearest = heights.min_by_key(|height| (height - y).abs()).filter(|height| (height - y).abs() <= SNAP_PX);
    nearest.ok_or_else(|| {
        place.refuse(format!("a {} at {x},{y} needs {} within {SNAP_PX} pixels", kind.name(), hold.words))
    })
}
