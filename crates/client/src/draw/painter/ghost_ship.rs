//! The ship of the player's best run: a grey shadow through which one sees, unlike any player and any enemy.

use game::{ShipModel, Vec2};

use super::pixel;
use crate::draw::{
    art::ART,
    palette::Colour,
    picture::{Ink, Picture},
};

/// A ship that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GhostShip {
    pub position: Vec2,
    pub model: ShipModel,
    /// As of any ship: the first three are how it banks.
    pub animation: u8,
}

impl GhostShip {
    pub(super) fn draw(&self, picture: &mut Picture) {
        let Some(sprite) = ART.ship(self.model, None, self.animation % 3) else { return };
        let (x, y) = pixel(self.position);
        picture.stamp((x - sprite.width() / 2, y - sprite.height() / 2), sprite, Ink::Veil(Colour::GREY));
    }
}
