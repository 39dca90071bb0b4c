//! The attributes of one element, and what they must not say.

use quick_xml::events::BytesStart;

use super::{TILE_FORMAT, Tag, foreign, quoted};

/// Attributes of one element.
const ATTRIBUTES_MAX: usize = 32;
/// Tilesets of one map.
const TILESETS_MAX: usize = 8;
/// Tiles of one tileset: the number of a tile's picture is a byte, and 0 is none.
const TILES_MAX: u32 = 255;

/// The attributes of one element, by local name, because that is how the parser looks them up.
pub(super) struct Attributes(Vec<(String, String)>);

impl Attributes {
    pub fn read(tag: &BytesStart) -> Result<Attributes, String> {
        let mut found = Vec::new();
        for attribute in tag.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| broken(&error))?;
            let value = attribute.unescape_value().map_err(|error| broken(&error))?;
            let name = String::from_utf8_lossy(attribute.key.local_name().as_ref()).into_owned();
            found.push((name, value.into_owned()));
            if found.len() > ATTRIBUTES_MAX {
                return Err(format!("an element has more than {ATTRIBUTES_MAX} attributes"));
            }
        }
        Ok(Attributes(found))
    }

    /// All values of that name: with prefixes there can be several, and each is checked.
    fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn last(&self, name: &str) -> Option<&str> {
        self.all(name).last()
    }

    fn number(&self, element: &str, name: &str) -> Result<u32, String> {
        let value = self.last(name).ok_or_else(|| format!("the {element} has no {name}"))?;
        value.parse().map_err(|_| format!("the {element}'s {name} {} is no whole number", quoted(value)))
    }

    pub fn object(&self) -> String {
        let id: u32 = self.last("id").and_then(|id| id.parse().ok()).unwrap_or(0);
        match self.last("name") {
            None | Some("") => format!("object {id}"),
            Some(name) => format!("object {id} {}", quoted(name)),
        }
    }

    pub fn map(&self) -> Result<Tag, String> {
        if self.all("infinite").any(|value| value != "0") {
            return Err("the map is infinite; switch off Map > Map Properties > Infinite".into());
        }
        Ok(Tag::Other)
    }

    pub fn tileset(&self, nth: usize) -> Result<Tag, String> {
        if self.last("source").is_some() {
            return Err("the tileset is in another file; embed the tileset in the map".into());
        }
        if nth > TILESETS_MAX {
            return Err(format!("there are more than {TILESETS_MAX} tilesets"));
        }
        self.number("tileset", "tilewidth")?;
        self.number("tileset", "tileheight")?;
        self.number("tileset", "columns")?;
        // Tiles below the first tileset's first number would silently be open space.
        if self.number("tileset", "firstgid")? != 1 && nth == 1 {
            return Err("the first tileset's firstgid must be 1".into());
        }
        self.number("tileset", "tilecount")?;
        match self.all("tilecount").find(|value| value.parse().is_ok_and(|count: u32| count > TILES_MAX)) {
            Some(count) => Err(format!("a tileset of {count} tiles is too large; it has at most {TILES_MAX}")),
            None => Ok(Tag::Other),
        }
    }

    pub fn no_template(&self) -> Result<Tag, String> {
        match self.last("template") {
            Some(_) => Err("the object is made from a template in another file; detach it".into()),
            None => Ok(Tag::Other),
        }
    }

    pub fn layer(&self) -> Result<Tag, String> {
        let (width, height) = (self.number("layer", "width")?, self.number("layer", "height")?);
        Ok(Tag::Layer { tiles: u64::from(width) * u64::from(height) })
    }

    pub fn data(&self, tiles: u64) -> Result<Tag, String> {
        let csv = self.all("encoding").all(|value| value == "csv") && self.last("encoding").is_some();
        if !csv || self.last("compression").is_some() {
            return Err(TILE_FORMAT.into());
        }
        Ok(Tag::Data { tiles, found: 0 })
    }
}

fn broken(error: &impl std::fmt::Display) -> String {
    format!("an attribute is broken: {}", foreign(error))
}
