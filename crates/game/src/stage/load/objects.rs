//! Objects of a map: their names in messages and their places in whole pixels.
//!
//! This is the only place where a float of the parser becomes a number of the game.

use tiled::{Object, ObjectAlignment, ObjectShape};

use super::error::{Location, StageError, quoted};

/// No coordinate is further out, in pixels; the longest map has 32,768.
const PIXELS_MAX: f32 = 100_000.0;

/// What messages call an object.
pub(super) fn label(object: &Object) -> String {
    match object.name.as_str() {
        "" => format!("object {}", object.id()),
        name => format!("object {} {}", object.id(), quoted(name)),
    }
}

/// The nearest whole pixel.
pub(super) fn pixels(location: Location, value: f32) -> Result<i32, StageError> {
    // Of a NaN this is not true.
    if value.abs() <= PIXELS_MAX {
        Ok(value.round() as i32)
    } else {
        Err(location.refuse(format!("the coordinate {value} is not a number of pixels within the map")))
    }
}

/// The middle of a point, a rectangle, an ellipse or a tile.
pub(super) fn centre(location: Location, object: &Object) -> Result<(i32, i32), StageError> {
    let (x, y) = (pixels(location, object.x)?, pixels(location, object.y)?);
    let (width, height) = match object.shape {
        ObjectShape::Point(..) => return Ok((x, y)),
        ObjectShape::Rect { width, height }
        | ObjectShape::Ellipse { width, height }
        | ObjectShape::Capsule { width, height } => (pixels(location, width)?, pixels(location, height)?),
        _ => return Err(location.refuse("this must be a point, not a line, a polygon or a text")),
    };
    if width < 0 || height < 0 {
        return Err(location.refuse("the object's size is negative"));
    }
    if object.rotation != 0.0 {
        return Err(location.refuse("the object is rotated; set its rotation to 0"));
    }
    match object.get_tile() {
        None => Ok((x + width / 2, y + height / 2)),
        // The editor holds a tile by its lower left corner unless the tileset says otherwise.
        Some(tile) => match tile.get_tileset().object_alignment {
            ObjectAlignment::Unspecified | ObjectAlignment::BottomLeft => Ok((x + width / 2, y - height / 2)),
            _ => Err(location.refuse("the tileset's object alignment must be Unspecified or Bottom Left")),
        },
    }
}
