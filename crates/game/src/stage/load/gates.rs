//! The layer `gates`: terrain that moves.

use tiled::{Object, ObjectShape};

use super::{
    GATES_MAX,
    error::{Location, StageError},
    layers::{self, Layers},
    objects,
    properties::Fields,
};
use crate::{
    stage::Gate,
    units::{FIELD_HEIGHT_PX, TILE_PX},
};

/// Longest side of a gate, in pixels.
const SIDE_MAX_PX: i32 = 240;
/// Furthest way of a gate, in pixels.
const TRAVEL_MAX_PX: i32 = 240;
/// Pixels of scrolling in which a gate goes there and back.
const EVERY_PX: std::ops::RangeInclusive<i32> = 32..=4096;

/// The gates from left to right.
pub(super) fn read(file: Location, layers: &Layers, length_px: u32) -> Result<Vec<Gate>, StageError> {
    let Some(layer) = &layers.gates else { return Ok(Vec::new()) };
    let location = file.layer(layers::GATES);
    if layer.object_data().len() > GATES_MAX {
        return Err(location.refuse(format!("there are more than {GATES_MAX} gates")));
    }
    let mut gates = Vec::new();
    for object in layer.objects() {
        let label = objects::label(&object);
        gates.push(gate(location.object(&label), &label, &object, length_px)?);
    }
    gates.sort_by_key(|gate| gate.x_px);
    Ok(gates)
}

fn gate(location: Location, label: &str, object: &Object, length_px: u32) -> Result<Gate, StageError> {
    let fields = Fields::read(location, label, &object.properties, &["travel", "every", "phase"])?;
    let travel = fields.whole("travel", -TRAVEL_MAX_PX..=TRAVEL_MAX_PX)?;
    let every = fields.whole("every", EVERY_PX)?.ok_or_else(|| fields.missing("every", "int"))?;
    let phase = fields.whole("phase", 0..=*EVERY_PX.end())?.unwrap_or(0);
    let ObjectShape::Rect { width, height } = object.shape else {
        return Err(location.refuse("a gate must be a rectangle"));
    };
    let (x, y) = (objects::pixels(location, object.x)?, objects::pixels(location, object.y)?);
    let (width, height) = (objects::pixels(location, width)?, objects::pixels(location, height)?);
    let sides = TILE_PX..=SIDE_MAX_PX;
    if !sides.contains(&width) || !sides.contains(&height) || object.rotation != 0.0 {
        let reason = format!("a gate has sides of {TILE_PX} to {SIDE_MAX_PX} pixels and is not rotated");
        return Err(location.refuse(reason));
    }
    if x < 0 || x + width > length_px as i32 || !(-SIDE_MAX_PX..FIELD_HEIGHT_PX).contains(&y) {
        return Err(location.refuse(format!("a gate at {x},{y} is outside the map")));
    }
    Ok(Gate {
        x_px: x as u32,
        y_px: y as i16,
        width_px: width as u16,
        height_px: height as u16,
        travel_px: travel.ok_or_else(|| fields.missing("travel", "int"))? as i16,
        every_px: every as u16,
        phase_px: phase as u16,
    })
}
