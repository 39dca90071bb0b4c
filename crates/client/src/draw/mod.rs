//! Drawing: a picture of 480 × 270 pixels, made in software, the same on every machine.
//!
//! [`Painter`] draws a Frame, [`hud`] the score and lives in front of it, [`widgets`] the parts of menus, all on a
//! [`Picture`]. `kinds.rs` says how each kind is drawn. Nothing here knows a clock other than a count of ticks, chance
//! other than its own seed, or the network. Entities are drawn where the Frame says: interpolation happens before.

pub mod announcements;
mod area;
mod art;
pub mod chain_meter;
pub mod controls;
mod font;
pub mod hud;
mod kinds;
mod painter;
mod palette;
mod picture;
pub mod rank_letter;
mod scaling;
pub mod scoreboard;
mod sheets;
pub mod ship_card;
mod sprite;
pub mod widgets;
mod zone;

pub use area::Area;
pub use font::Font;
pub(crate) use painter::DYING_BOSS_LIFE;
pub use painter::{GhostShip, Painter, TileSet, tile_sample};
pub use palette::{COLOURS, Colour, Palette};
pub use picture::Picture;
pub use scaling::Scaling;
pub use sheets::sheet;
pub use sprite::{Sprite, SpriteError};
pub use zone::{ZoneLook, ZoneStart};

use game::{Frame, SEATS, Seat, stage::Terrain};

/// How the player wants things to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether the picture shakes when something large blows up.
    pub shake: bool,
    /// Whether things flash. If not, nothing large changes its brightness more than three times a second.
    pub flashes: bool,
    pub palette: Palette,
}

impl Default for Look {
    fn default() -> Self {
        Look { shake: true, flashes: true, palette: Palette::Default }
    }
}

/// What the painter draws.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The entities, at the positions where they are drawn.
    pub frame: &'a Frame,
    /// The player's seat; none for a watcher.
    pub own: Option<Seat>,
    /// The terrain of the stage, if it is known and has one.
    pub terrain: Option<&'a Terrain>,
    /// Where the zones of the stage begin, from left to right; empty if that is not known.
    pub zones: &'a [ZoneStart],
    /// How far the stage has scrolled, in sub-pixels.
    pub scroll: i64,
    /// The names of the players by seat; empty for an open seat.
    pub names: [&'a str; SEATS],
    /// A clock for animations, 60 a second. It never goes back.
    pub tick: u32,
    /// Shaking, flashes, palette.
    pub look: Look,
}
