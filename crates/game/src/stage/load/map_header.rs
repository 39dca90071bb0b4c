//! What the map says of itself: its grid and its properties.

use tiled::{Map, Orientation};

use super::{
    COLUMNS_MAX, COLUMNS_MIN,
    error::{Location, StageError, quoted},
    properties::Fields,
};
use crate::{
    stage::terrain::ROWS,
    units::{TILE_PX, px_per_second},
};

/// Longest title, in characters: what fits on one line of the screen.
const TITLE_MAX: usize = 32;
/// Highest number of a stage.
const NUMBER_MAX: i32 = 250;
/// Fastest scrolling in pixels per second.
const SCROLL_MAX: i32 = 400;
/// Longest beginning without enemy fire, in pixels.
const QUIET_MAX: i32 = 4000;

/// The map's own part of a stage.
pub(super) struct MapHeader {
    pub title: String,
    pub number: u8,
    pub endless: bool,
    /// Sub-pixels per step.
    pub scroll: i32,
    pub quiet_px: u32,
    pub columns: usize,
}

impl MapHeader {
    pub fn read(file: Location, map: &Map) -> Result<MapHeader, StageError> {
        grid(file, map)?;
        let fields = Fields::read(file, "", &map.properties, &["title", "number", "scroll", "quiet", "endless"])?;
        let number = fields.whole("number", 0..=NUMBER_MAX)?.ok_or_else(|| fields.missing("number", "int"))?;
        let scroll = fields.whole("scroll", 1..=SCROLL_MAX)?.ok_or_else(|| fields.missing("scroll", "int"))?;
        let quiet = fields.whole("quiet", 0..=QUIET_MAX)?.unwrap_or(0);
        let endless = fields.flag("endless")?;
        if endless != (number == 0) {
            return Err(fields.refuse("number", "it must be 0 for an endless stage and only there".into()));
        }
        Ok(MapHeader {
            title: title(&fields)?,
            number: number as u8,
            endless,
            scroll: px_per_second(scroll),
            quiet_px: quiet as u32,
            columns: map.width as usize,
        })
    }
}

fn title(fields: &Fields) -> Result<String, StageError> {
    let title = fields.text("title")?.ok_or_else(|| fields.missing("title", "string"))?;
    let length = title.chars().count();
    if title.trim().is_empty() || length > TITLE_MAX || title.chars().any(char::is_control) {
        let reason = format!("{} is not one line of 1 to {TITLE_MAX} characters", quoted(title));
        return Err(fields.refuse("title", reason));
    }
    Ok(title.to_owned())
}

fn grid(file: Location, map: &Map) -> Result<(), StageError> {
    let tile = TILE_PX as u32;
    if map.orientation != Orientation::Orthogonal {
        return Err(file.refuse(format!("the map is {}; it must be orthogonal", map.orientation)));
    }
    if (map.tile_width, map.tile_height) != (tile, tile) {
        let (width, height) = (map.tile_width, map.tile_height);
        return Err(file.refuse(format!("tiles are {width}×{height} pixels; they must be {tile}×{tile}")));
    }
    if map.height as usize != ROWS {
        return Err(file.refuse(format!("the map has {} rows; it must have {ROWS}", map.height)));
    }
    if !(COLUMNS_MIN..=COLUMNS_MAX).contains(&map.width) {
        let width = map.width;
        return Err(file.refuse(format!("the map has {width} columns; it must have {COLUMNS_MIN} to {COLUMNS_MAX}")));
    }
    Ok(())
}
