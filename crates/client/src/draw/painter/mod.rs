//! [`Painter`] draws the game: the backdrop, the terrain, every entity, and effects such as explosions.
//!
//! It remembers only what effects need, and has dice of its own: nothing here matters to the game. Start reading at
//! [`Painter::draw`].

mod backdrop;
mod effects;
mod entities;
mod ghost_ship;
mod history;
mod hit_stop;
mod noise;
mod scenery;
mod terrain;

use game::{Frame, SUBPIXELS, Vec2};

use self::{
    backdrop::Backdrop, effects::Effects, entities::EntityPainter, history::History, hit_stop::HitStop,
    terrain::TerrainPainter,
};
pub use self::{
    ghost_ship::GhostShip,
    terrain::{TileSet, tile_sample},
};
use super::{View, picture::Picture};

/// Draws Frames.
#[derive(Clone, Debug, Default)]
pub struct Painter {
    /// When it last drew.
    clock: Option<u32>,
    backdrop: Backdrop,
    terrain_painter: TerrainPainter,
    effects: Effects,
    history: History,
    hit_stop: HitStop,
    ghost: Option<GhostShip>,
}

/// If more ticks than these passed since the last picture, all effects are over.
const LAPSE_MAX: u32 = 120;

impl Painter {
    /// A painter that has seen nothing yet.
    pub fn new() -> Painter {
        Painter::default()
    }

    /// Takes in the events of a new Frame. Call it once for each.
    pub fn observe(&mut self, frame: &Frame) {
        let now = self.clock.unwrap_or(0);
        for event in &frame.events {
            self.history.observe(event, frame, now, &mut self.effects);
        }
        self.history.remember(frame);
    }

    /// From now on this ship is drawn behind everything that flies, as a shadow of itself, or none.
    pub fn set_ghost(&mut self, ghost: Option<GhostShip>) {
        self.ghost = ghost;
    }

    /// Draws what the view says.
    pub fn draw(&mut self, view: &View, picture: &mut Picture) {
        self.pass_time(view);
        picture.set_palette(view.look.palette);
        let mut hit_stop = std::mem::take(&mut self.hit_stop);
        let is_stopped = view.look.shake && self.history.is_stopped(view.tick);
        self.draw_moment(&hit_stop.view(view, is_stopped), picture);
        self.hit_stop = hit_stop;
    }

    fn draw_moment(&mut self, view: &View, picture: &mut Picture) {
        self.backdrop.draw(view, picture);
        self.terrain_painter.draw(view, picture);
        self.ghost.iter().for_each(|ghost| ghost.draw(picture));
        let mut entities = EntityPainter { view, history: &mut self.history, picture };
        entities.draw_all(&mut self.effects);
        if view.look.shake {
            shake(self.effects.shake_ticks(), view.tick, picture);
        }
    }

    /// Moves the effects on by the ticks since the last picture.
    fn pass_time(&mut self, view: &View) {
        let lapse = self.clock.map_or(0, |clock| view.tick.saturating_sub(clock));
        self.clock = Some(view.tick);
        self.history.own = view.own;
        if lapse > LAPSE_MAX {
            self.effects.clear();
        }
        for _ in 0..lapse.min(LAPSE_MAX) {
            self.effects.fly();
            self.effects.gather(view.frame);
            self.effects.smoulder(view.frame);
        }
        self.history.forget(view.tick, view.frame);
    }
}

/// A position in whole pixels of the picture, limited so that sums never overflow.
fn pixel(position: Vec2) -> (i32, i32) {
    const FAR: i32 = 10_000;
    ((position.x >> SUBPIXELS.ilog2()).clamp(-FAR, FAR), (position.y >> SUBPIXELS.ilog2()).clamp(-FAR, FAR))
}

/// Moves the whole picture by up to three pixels.
fn shake(shake_ticks: u8, tick: u32, picture: &mut Picture) {
    let reach = i32::from(shake_ticks.div_ceil(8).min(3));
    if reach == 0 {
        return;
    }
    let swing = |phase: u32| [1, -1, 0, 1, -1, 1, 0, -1][(tick.wrapping_add(phase) % 8) as usize];
    picture.shift(reach * swing(0), reach * swing(3) / 2);
}
