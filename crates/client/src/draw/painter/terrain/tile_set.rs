//! The sets of tiles, one for each kind of place, and which zone has which.

use super::{
    armour::{Armour, Conduits},
    flesh::Flesh,
    site::Spot,
    wreck::Metal,
};
use crate::draw::{palette::Colour, sprite::CLEAR, zone::ZoneLook};

/// What terrain is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileSet {
    /// Plates of dead ships, dented and torn.
    Wreck,
    /// Plates of docks, with stripes that warn.
    Dock,
    /// The hard gums of the cave's mouth.
    Gum,
    /// The walls of its gut.
    Gut,
    /// Where it breeds.
    Nest,
    /// The armour of the warship.
    Armour,
    /// The machinery inside it.
    Machinery,
    /// The walls around its core.
    Reactor,
}

impl TileSet {
    pub const ALL: [TileSet; 8] = [
        TileSet::Wreck,
        TileSet::Dock,
        TileSet::Gum,
        TileSet::Gut,
        TileSet::Nest,
        TileSet::Armour,
        TileSet::Machinery,
        TileSet::Reactor,
    ];

    /// The tiles of a zone.
    pub const fn of(zone: ZoneLook) -> TileSet {
        match zone {
            ZoneLook::Void
            | ZoneLook::Belt
            | ZoneLook::Nebula
            | ZoneLook::Rings
            | ZoneLook::Debris
            | ZoneLook::Graveyard => TileSet::Wreck,
            ZoneLook::Shipyard => TileSet::Dock,
            ZoneLook::Mouth => TileSet::Gum,
            ZoneLook::Gut => TileSet::Gut,
            ZoneLook::Nest => TileSet::Nest,
            ZoneLook::Approach | ZoneLook::Hull => TileSet::Armour,
            ZoneLook::Inside => TileSet::Machinery,
            ZoneLook::Core => TileSet::Reactor,
        }
    }

    /// Whether it is alive.
    pub(super) const fn is_flesh(self) -> bool {
        match self {
            TileSet::Gum | TileSet::Gut | TileSet::Nest => true,
            TileSet::Wreck | TileSet::Dock | TileSet::Armour | TileSet::Machinery | TileSet::Reactor => false,
        }
    }

    /// The number of the colour of a pixel, or [`CLEAR`].
    pub(super) fn pixel(self, spot: &Spot) -> u8 {
        let letter = match self {
            TileSet::Wreck => Metal { is_striped: false, is_torn: true }.letter(spot),
            TileSet::Dock => Metal { is_striped: true, is_torn: false }.letter(spot),
            TileSet::Gum => Flesh { rim: b"zyxw", body: b"567", vein: b'7' }.letter(spot),
            TileSet::Gut => Flesh { rim: b"vvut", body: b"556", vein: b'7' }.letter(spot),
            TileSet::Nest => Flesh { rim: b"vyut", body: b"5tu", vein: b'6' }.letter(spot),
            TileSet::Armour => Armour.letter(spot),
            TileSet::Machinery => Conduits { glow: [b'A', b'B'] }.letter(spot),
            TileSet::Reactor => Conduits { glow: [b'7', b'8'] }.letter(spot),
        };
        letter.map_or(CLEAR, |letter| Colour::of(letter).number())
    }
}
