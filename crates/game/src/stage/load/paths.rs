//! The layer `paths`: courses that enemies may follow.

use tiled::{Object, ObjectShape};

use super::{
    PATH_POINTS_MAX, PATHS_MAX,
    error::{Location, StageError},
    layers::{self, Layers},
    objects,
    properties::Fields,
};
use crate::{Vec2, px, stage::Path};

/// The paths with their names, in the order of the file.
pub(super) fn read(file: Location, layers: &Layers) -> Result<Vec<(String, Path)>, StageError> {
    let Some(layer) = &layers.paths else { return Ok(Vec::new()) };
    let location = file.layer(layers::PATHS);
    if layer.object_data().len() > PATHS_MAX {
        return Err(location.refuse(format!("there are more than {PATHS_MAX} paths")));
    }
    let mut paths: Vec<(String, Path)> = Vec::new();
    for object in layer.objects() {
        let label = objects::label(&object);
        let location = location.object(&label);
        Fields::read(location, &label, &object.properties, &[])?;
        if object.name.is_empty() {
            return Err(location.refuse("a path needs a name by which enemies can follow it"));
        }
        if paths.iter().any(|(name, _)| *name == object.name) {
            return Err(location.refuse("another path has the same name"));
        }
        paths.push((object.name.clone(), Path { points: points(location, &object)? }));
    }
    Ok(paths)
}

fn points(location: Location, object: &Object) -> Result<Vec<Vec2>, StageError> {
    let ObjectShape::Polyline { points } = &object.shape else {
        return Err(location.refuse("a path must be a polyline"));
    };
    if !(2..=PATH_POINTS_MAX).contains(&points.len()) {
        return Err(location.refuse(format!("a path must have 2 to {PATH_POINTS_MAX} points, not {}", points.len())));
    }
    if object.rotation != 0.0 {
        return Err(location.refuse("the object is rotated; set its rotation to 0"));
    }
    let places = points.iter().map(|&(x, y)| Ok((objects::pixels(location, x)?, objects::pixels(location, y)?)));
    let places = places.collect::<Result<Vec<_>, StageError>>()?;
    let (left, top) = places[0];
    Ok(places.iter().map(|(x, y)| Vec2::new(px(x - left), px(y - top))).collect())
}
