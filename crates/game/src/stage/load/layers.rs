//! Finds the layers that a stage knows by their names.

use tiled::{FiniteTileLayer, Layer, LayerType, Map, ObjectLayer, TileLayer};

use super::{
    error::{Location, StageError, list},
    properties::Fields,
};

pub(super) const TERRAIN: &str = "terrain";
pub(super) const BLOCKS: &str = "blocks";
pub(super) const SPAWNS: &str = "spawns";
pub(super) const PATHS: &str = "paths";
pub(super) const CHECKPOINTS: &str = "checkpoints";
pub(super) const ZONES: &str = "zones";
pub(super) const GATES: &str = "gates";
const KNOWN: [&str; 7] = [TERRAIN, BLOCKS, SPAWNS, PATHS, CHECKPOINTS, ZONES, GATES];
/// A layer whose name begins so is a designer's note.
const NOTE: char = '_';

/// The layers of a map, each of which may be missing.
#[derive(Default)]
pub(super) struct Layers<'map> {
    pub terrain: Option<FiniteTileLayer<'map>>,
    pub blocks: Option<FiniteTileLayer<'map>>,
    pub spawns: Option<ObjectLayer<'map>>,
    pub paths: Option<ObjectLayer<'map>>,
    pub checkpoints: Option<ObjectLayer<'map>>,
    pub zones: Option<ObjectLayer<'map>>,
    pub gates: Option<ObjectLayer<'map>>,
}

impl<'map> Layers<'map> {
    pub fn sort(file: Location, map: &'map Map) -> Result<Layers<'map>, StageError> {
        let mut layers = Layers::default();
        for layer in map.layers().filter(|layer| !layer.name.starts_with(NOTE)) {
            let location = file.layer(&layer.name);
            plain(location, &layer)?;
            layers.take(location, &layer, (map.width, map.height))?;
        }
        Ok(layers)
    }

    fn take(&mut self, location: Location, layer: &Layer<'map>, size: (u32, u32)) -> Result<(), StageError> {
        let twice = match layer.name.as_str() {
            TERRAIN => self.terrain.replace(tiles(location, layer, size)?).is_some(),
            BLOCKS => self.blocks.replace(tiles(location, layer, size)?).is_some(),
            SPAWNS => self.spawns.replace(objects(location, layer)?).is_some(),
            PATHS => self.paths.replace(objects(location, layer)?).is_some(),
            CHECKPOINTS => self.checkpoints.replace(objects(location, layer)?).is_some(),
            ZONES => self.zones.replace(objects(location, layer)?).is_some(),
            GATES => self.gates.replace(objects(location, layer)?).is_some(),
            _ => {
                let known = list(KNOWN.into_iter());
                return Err(location.refuse(format!(
                    "the layer is unknown; known are {known}, and names that begin with {NOTE} are notes"
                )));
            }
        };
        if twice { Err(location.refuse("there are two layers of this name")) } else { Ok(()) }
    }

    /// The name of one layer, if there is any.
    pub fn first_name(&self) -> Option<&'static str> {
        let there = [
            self.terrain.is_some(),
            self.blocks.is_some(),
            self.spawns.is_some(),
            self.paths.is_some(),
            self.checkpoints.is_some(),
            self.zones.is_some(),
            self.gates.is_some(),
        ];
        KNOWN.into_iter().zip(there).find(|(_, there)| *there).map(|(name, _)| name)
    }
}

/// A layer that is moved would be played elsewhere than it is seen in the editor.
fn plain(location: Location, layer: &Layer) -> Result<(), StageError> {
    Fields::read(location, "", &layer.properties, &[])?;
    if layer.offset_x != 0.0 || layer.offset_y != 0.0 {
        return Err(location.refuse("the layer is moved; set its offset to 0, 0"));
    }
    Ok(())
}

fn tiles<'map>(
    location: Location,
    layer: &Layer<'map>,
    (width, height): (u32, u32),
) -> Result<FiniteTileLayer<'map>, StageError> {
    match layer.layer_type() {
        LayerType::Tiles(TileLayer::Finite(tiles)) if (tiles.width(), tiles.height()) == (width, height) => Ok(tiles),
        LayerType::Tiles(_) => Err(location.refuse(format!("the layer is not as large as the map, {width}×{height}"))),
        _ => Err(location.refuse("this must be a tile layer")),
    }
}

fn objects<'map>(location: Location, layer: &Layer<'map>) -> Result<ObjectLayer<'map>, StageError> {
    layer.as_object_layer().ok_or_else(|| location.refuse("this must be an object layer"))
}
