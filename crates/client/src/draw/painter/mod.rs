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

pub(crate) use self::history::DYING_BOSS_LIFE;
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
        self.draw_scenery(view, picture);
        self.draw_entities(view, picture);
    }

    /// Draws what is behind everything that flies. [`Painter::draw_entities`] follows, with the same view; what is drawn between the two
    /// hides nothing.
    pub fn draw_scenery(&mut self, view: &View, picture: &mut Picture) {
        self.pass_time(view);
        picture.set_palette(view.look.palette);
        self.draw_moment(view, |painter, moment| {
            painter.backdrop.draw(moment, picture);
            painter.terrain_painter.draw(moment, picture);
            painter.ghost.iter().for_each(|ghost| ghost.draw(picture));
        });
    }

    /// Draws everything that flies, and shakes the picture.
    pub fn draw_entities(&mut self, view: &View, picture: &mut Picture) {
        self.draw_moment(view, |painter, moment| {
            let mut entities = EntityPainter { view: moment, history: &mut painter.history, picture };
            entities.draw_all(&mut painter.effects);
            if moment.look.shake {
                shake(painter.effects.shake_ticks(), moment.tick, picture);
            }
        });
    }

    /// Draws the view, or the moment at which the picture has stopped.
    fn draw_moment(&mut self, view: &View, draw: impl FnOnce(&mut Painter, &View)) {
        let mut hit_stop = std::mem::take(&mut self.hit_stop);
        let is_stopped = view.look.shake && self.history.is_stopped(view.tick);
        draw(self, &hit_stop.view(view, is_stopped));
        self.hit_stop = hit_stop;
    }

    /// Moves the effects on by the ticks since the last picture.
    fn pass_time(&mut self, view: &View) {
        let lapse = self.clock.map_or(0, |clock| view.tick.saturating_sub(clock));
        self.clock = Some(view.tick);
        self.history.own = view.own;
        if lapse > LAPSE_MAX {
            self.effects.clear();
        }
        for ago in (0..lapse.min(LAPSE_MAX)).rev() {
            self.history.burn(view.tick - ago, &mut self.effects);
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
