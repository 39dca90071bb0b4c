//! The layer `spawns`: which enemies and bosses come, and where.

use tiled::Object;

use super::{
    SPAWNS_MAX,
    error::{Location, StageError, list, quoted},
    is_boss,
    layers::{self, Layers},
    length_px, objects,
    properties::Fields,
    surfaces,
};
use crate::{
    Class, Kind, SUBPIXELS,
    stage::{Entrance, Path, Spawn, Terrain},
    units::{FIELD_HEIGHT_PX, px},
};

/// Most enemies that one object stands for.
const COUNT_MAX: i32 = 12;
/// Distance between them unless the object says otherwise, in pixels.
const GAP_PX: i32 = 24;
/// Largest distance between them, in pixels.
const GAP_MAX_PX: i32 = 480;

/// Everything that the layer brings, in the order of the file.
pub(super) fn read(
    file: Location,
    layers: &Layers,
    terrain: &Terrain,
    paths: &[(String, Path)],
) -> Result<Vec<Spawn>, StageError> {
    let mut spawns = Vec::new();
    let Some(layer) = &layers.spawns else { return Ok(spawns) };
    for object in layer.objects() {
        let label = objects::label(&object);
        let location = file.layer(layers::SPAWNS).object(&label);
        let request = SpawnRequest::read(location, &label, &object, paths)?;
        spawns.extend(request.spawns(location, &object, terrain)?);
        if spawns.len() > SPAWNS_MAX {
            return Err(location.refuse(format!("with this there are more than {SPAWNS_MAX} enemies")));
        }
    }
    Ok(spawns)
}

/// What an object asks for.
struct SpawnRequest {
    kind: Kind,
    item: Option<Kind>,
    entrance: Entrance,
    path: Option<u16>,
    count: i32,
    gap_px: i32,
}

impl SpawnRequest {
    fn read(
        location: Location,
        label: &str,
        object: &Object,
        paths: &[(String, Path)],
    ) -> Result<SpawnRequest, StageError> {
        let kind = kind(location, object)?;
        let fields = Fields::read(location, label, &object.properties, &["item", "count", "gap", "entrance", "path"])?;
        let count = fields.whole("count", 1..=COUNT_MAX)?.unwrap_or(1);
        if count > 1 && is_boss(kind) {
            return Err(fields.refuse("count", "a boss comes alone".into()));
        }
        Ok(SpawnRequest {
            kind,
            item: item(&fields, kind)?,
            entrance: entrance(&fields, kind)?,
            path: path(&fields, kind, paths)?,
            count,
            gap_px: fields.whole("gap", 1..=GAP_MAX_PX)?.unwrap_or(GAP_PX),
        })
    }

    fn spawns(&self, location: Location, object: &Object, terrain: &Terrain) -> Result<Vec<Spawn>, StageError> {
        let mut spawns = Vec::new();
        let (first, y) = objects::centre(location, object)?;
        for nth in 0..self.count {
            let x = first + nth * self.gap_px;
            inside(location, (x, y), terrain)?;
            let y_px = surfaces::settle(location, self.kind, (x, y), terrain)?;
            if self.entrance == Entrance::Right && terrain.solid_at(i64::from(x * SUBPIXELS), px(y_px)) {
                return Err(location.refuse(format!("a {} at {x},{y_px} is inside solid terrain", self.kind.name())));
            }
            let SpawnRequest { kind, item, entrance, path, .. } = *self;
            spawns.push(Spawn { x_px: x as u32, y_px, kind, item, entrance, path });
        }
        Ok(spawns)
    }
}

fn inside(location: Location, (x, y): (i32, i32), terrain: &Terrain) -> Result<(), StageError> {
    let length = length_px(terrain) as i32;
    if !(0..length).contains(&x) {
        return Err(location.refuse(format!("x {x} is outside the map, which is {length} pixels long")));
    }
    if !(0..FIELD_HEIGHT_PX).contains(&y) {
        return Err(location.refuse(format!("y {y} is outside the field, which is {FIELD_HEIGHT_PX} pixels high")));
    }
    Ok(())
}

/// Shards and larvae come out of others, and a boss's parts come with its hull.
fn placeable(kind: Kind) -> bool {
    (kind.class() == Class::Enemy && !matches!(kind, Kind::Shard | Kind::Larva)) || is_boss(kind)
}

fn kind(location: Location, object: &Object) -> Result<Kind, StageError> {
    let word = if object.user_type.is_empty() { &object.name } else { &object.user_type };
    if word.is_empty() {
        return Err(location.refuse("it has no class, which must be the kind of enemy"));
    }
    let found = Kind::from_name(word);
    found.filter(|&kind| placeable(kind)).ok_or_else(|| {
        let known = list(Kind::ALL.iter().filter(|kind| placeable(**kind)).map(|kind| kind.name()));
        let what = if found.is_some() { "cannot be placed" } else { "is unknown" };
        location.refuse(format!("kind {} {what}; known are {known}", quoted(word)))
    })
}

fn item(fields: &Fields, kind: Kind) -> Result<Option<Kind>, StageError> {
    let word = match (fields.text("item")?, kind) {
        (None, Kind::Carrier) => return Err(fields.missing("item", "string")),
        (None, _) => return Ok(None),
        (Some(_), kind) if kind != Kind::Carrier => {
            return Err(fields.refuse("item", format!("only a carrier carries an item, not a {}", kind.name())));
        }
        (Some(word), _) => word,
    };
    let item = Kind::from_name(word).filter(|item| item.class() == Class::Item);
    item.map(Some).ok_or_else(|| {
        let items = Kind::ALL.iter().filter(|kind| kind.class() == Class::Item);
        let known = list(items.map(|kind| kind.name()));
        fields.refuse("item", format!("item {} is unknown; known are {known}", quoted(word)))
    })
}

fn entrance(fields: &Fields, kind: Kind) -> Result<Entrance, StageError> {
    match fields.text("entrance")? {
        Some("left") if kind == Kind::Grinder => Ok(Entrance::Left),
        _ if kind == Kind::Grinder => {
            Err(fields.refuse("entrance", "a grinder comes from behind: \"left\"".to_owned()))
        }
        None | Some("right") => Ok(Entrance::Right),
        Some("left") if surfaces::needs_surface(kind) || is_boss(kind) => {
            Err(fields.refuse("entrance", format!("a {} comes from the right", kind.name())))
        }
        Some("left") => Ok(Entrance::Left),
        Some(word) => Err(fields.refuse("entrance", format!("{} is unknown; known are right, left", quoted(word)))),
    }
}

fn path(fields: &Fields, kind: Kind, paths: &[(String, Path)]) -> Result<Option<u16>, StageError> {
    let Some(word) = fields.text("path")? else { return Ok(None) };
    // A carrier keeps to its own leisurely way, so that its item can be got.
    if surfaces::needs_surface(kind) || is_boss(kind) || kind == Kind::Carrier {
        return Err(fields.refuse("path", format!("a {} does not follow paths", kind.name())));
    }
    match paths.iter().position(|(name, _)| name == word) {
        Some(index) => Ok(Some(index as u16)),
        None => Err(fields.refuse("path", format!("the layer \"paths\" has no path {}", quoted(word)))),
    }
}
