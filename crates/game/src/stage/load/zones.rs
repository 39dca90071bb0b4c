//! The layer `zones`: what is seen behind the stage, and from where on.

use super::{
    ZONES_MAX,
    error::{Location, StageError, quoted},
    layers::{self, Layers},
    objects,
    properties::Fields,
};
use crate::stage::Zone;

/// Longest name of a zone, in characters.
const NAME_MAX_CHARS: usize = 32;

/// The zones from left to right.
pub(super) fn read(file: Location, layers: &Layers, length_px: u32) -> Result<Vec<Zone>, StageError> {
    let Some(layer) = &layers.zones else { return Ok(Vec::new()) };
    let location = file.layer(layers::ZONES);
    if layer.object_data().len() > ZONES_MAX {
        return Err(location.refuse(format!("there are more than {ZONES_MAX} zones")));
    }
    let mut zones: Vec<Zone> = Vec::new();
    for object in layer.objects() {
        let label = objects::label(&object);
        let location = location.object(&label);
        Fields::read(location, &label, &object.properties, &[])?;
        let (x, _) = objects::centre(location, &object)?;
        if !(0..length_px as i32).contains(&x) {
            return Err(location.refuse(format!("x {x} is outside the map, which is {length_px} pixels long")));
        }
        zones.push(Zone { x_px: x as u32, name: name(location, &object.name)? });
    }
    zones.sort_by_key(|zone| zone.x_px);
    match zones.first() {
        Some(first) if first.x_px > 0 => Err(location.refuse("the first zone must begin at x 0")),
        _ => Ok(zones),
    }
}

/// A word that programs can compare: lower case, digits and underscores.
fn name(location: Location, name: &str) -> Result<String, StageError> {
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    if name.is_empty() || name.len() > NAME_MAX_CHARS || !name.chars().all(is_plain) {
        let reason = format!(
            "{} is not a valid zone name: use 1 to {NAME_MAX_CHARS} lower-case letters, digits and underscores",
            quoted(name)
        );
        return Err(location.refuse(reason));
    }
    Ok(name.to_owned())
}
