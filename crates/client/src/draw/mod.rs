//! Everything that is seen: 480 × 270 pixels drawn in software, the same on every machine.
//!
//! [`Painter`] draws a Frame, [`hud`] what stands in front of it, [`widgets`] what menus are made of, all on a
//! [`Picture`]. Nothing here knows time beside a count of ticks, chance beside its own seed, or anything of a network.
//! It draws what it is told: interpolation happens before.

mod art;
mod font;
pub mod hud;
mod painter;
mod palette;
mod picture;
mod sprite;
pub mod widgets;

pub use font::Font;
pub use painter::Painter;
pub use palette::{COLOURS, Colour, Palette};
pub use picture::Picture;
pub use sprite::{Sprite, SpriteError};

use game::{Frame, SEATS, Seat, stage::Terrain};

/// How the player wants things to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether the picture shakes when something large blows up.
    pub shake: bool,
    /// Whether things flash. Without, nothing changes its brightness more than three times a second.
    pub flashes: bool,
    /// What the colours look like.
    pub palette: Palette,
}

impl Default for Look {
    fn default() -> Self {
        Look { shake: true, flashes: true, palette: Palette::Default }
    }
}

/// What the painter is to show.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The entities, where they are to be seen.
    pub frame: &'a Frame,
    /// The seat of who is looking, unless they are only watching.
    pub own: Option<Seat>,
    /// The terrain of the stage, if it is known and has one.
    pub terrain: Option<&'a Terrain>,
    /// How far the stage has scrolled, in sub-pixels.
    pub scroll: i64,
    /// The names of the players by seat; empty where nobody sits.
    pub names: [&'a str; SEATS],
    /// A clock for animations: 60 a second, never backwards.
    pub tick: u32,
    /// How the player wants it.
    pub look: Look,
}
