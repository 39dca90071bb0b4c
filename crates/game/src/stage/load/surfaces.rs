//! Where enemies that stand on floors or hang from ceilings may be placed.

use super::error::{Location, StageError};
use crate::{
    Kind,
    stage::{Terrain, terrain::ROWS},
    tuning::body,
    units::TILE_PX,
};

/// How far a designer's hand may be off the surface, in pixels.
const SNAP_PX: i32 = 16;

/// What a kind holds on to.
struct Surface {
    floor: bool,
    ceiling: bool,
    words: &'static str,
}

/// Whether a kind holds on to terrain.
pub(super) fn needs_surface(kind: Kind) -> bool {
    surface(kind).is_some()
}

/// Every kind that holds on to terrain.
const SURFACES: [(Kind, Surface); 6] = [
    (Kind::Walker, Surface { floor: true, ceiling: false, words: "a floor below it" }),
    (Kind::Clinger, Surface { floor: false, ceiling: true, words: "a ceiling above it" }),
    (Kind::Turret, EITHER),
    (Kind::Polyp, EITHER),
    (Kind::Hatch, EITHER),
    (Kind::Rover, EITHER),
];

const EITHER: Surface = Surface { floor: true, ceiling: true, words: "a floor below it or a ceiling above it" };

fn surface(kind: Kind) -> Option<&'static Surface> {
    SURFACES.iter().find(|(holding, _)| *holding == kind).map(|(_, surface)| surface)
}

/// The height of the centre at which it touches its surface; unchanged for what flies.
pub(super) fn settle(location: Location, kind: Kind, (x, y): (i32, i32), terrain: &Terrain) -> Result<i32, StageError> {
    let Some(surface) = surface(kind) else { return Ok(y) };
    let column = (x / TILE_PX) as usize;
    let half = body(kind).size_px.1 / 2;
    let solid = |row: usize| terrain.picture(column, row) != 0;
    let floors = (1..ROWS).filter(|&row| surface.floor && solid(row) && !solid(row - 1));
    let ceilings = (1..ROWS).filter(|&row| surface.ceiling && solid(row - 1) && !solid(row));
    let heights = floors.map(|row| row as i32 * TILE_PX - half).chain(ceilings.map(|row| row as i32 * TILE_PX + half));
    let nearest = heights.min_by_key(|height| (height - y).abs()).filter(|height| (height - y).abs() <= SNAP_PX);
    nearest.ok_or_else(|| {
        location.refuse(format!("a {} at {x},{y} needs {} within {SNAP_PX} pixels", kind.name(), surface.words))
    })
}
