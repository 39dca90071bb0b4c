//! [`Painter`] draws the game: what is behind, the terrain, every entity, and what flies about when something blows up.

use game::{Class, Entity, Frame, SUBPIXELS};

use super::{View, palette::Colour, picture::Picture};

/// Draws Frames. It remembers what is needed to make them feel alive, and nothing that matters to the game.
#[derive(Clone, Debug, Default)]
pub struct Painter {}

impl Painter {
    /// A painter who has seen nothing yet.
    pub fn new() -> Painter {
        Painter::default()
    }

    /// Takes in the events of a new Frame. Call it once for each.
    pub fn observe(&mut self, _frame: &Frame) {}

    /// Draws what the view says.
    pub fn draw(&mut self, view: &View, picture: &mut Picture) {
        picture.set_palette(view.look.palette);
        picture.clear(Colour::VOID);
        for entity in &view.frame.entities {
            draw_entity(entity, picture);
        }
    }
}

fn draw_entity(entity: &Entity, picture: &mut Picture) {
    let (width, height) = entity.kind.size_px();
    let (x, y) = (entity.position.x / SUBPIXELS - width / 2, entity.position.y / SUBPIXELS - height / 2);
    let colour = match (entity.kind.class(), entity.seat) {
        (Class::EnemyShot, _) => Colour::PERIL[0],
        (Class::Enemy | Class::Boss, _) => Colour::RED,
        (_, Some(seat)) => Colour::SEATS[seat.index()],
        _ => Colour::GREY,
    };
    picture.rect(x, y, width, height, colour);
}
