//! What a server sees of a game, Frame by Frame, with what it can tell of how each thing goes on.

use game::{Entity, Frame, Kind, tuning};

use super::{
    wire::motion::Motion,
    wire::view::{Scroll, ViewedEntity, WorldView, head},
};

/// The newest Frame, and what was learned from those before it.
#[derive(Debug, Default)]
pub struct ServerView {
    view: WorldView,
    /// The one before, for its memory.
    before: WorldView,
    /// Since which tick and pixel it scrolls as it does.
    steady: (u32, u32),
}

impl ServerView {
    /// The newest Frame.
    pub fn view(&self) -> &WorldView {
        &self.view
    }

    /// Takes a new Frame.
    pub fn update(&mut self, frame: &Frame) {
        std::mem::swap(&mut self.view, &mut self.before);
        let is_next = frame.tick.0 == self.before.head.tick.0.wrapping_add(1);
        self.view.head = head(frame);
        self.view.scroll = self.learn_scroll(frame);
        let mut known = self.before.entities.iter().peekable();
        // The client has the whole terrain: it needs no walls.
        let entities = frame.entities.iter().filter(|entity| entity.kind != Kind::Wall).map(|entity| {
            while known.next_if(|viewed| viewed.entity.id < entity.id).is_some() {}
            let old = known.next_if(|viewed| viewed.entity.id == entity.id);
            old.filter(|_| is_next).map_or_else(|| first_seen(entity), |old| learn(old, entity))
        });
        self.view.entities.clear();
        self.view.entities.extend(entities);
    }

    /// The longer the speed lasts, the more precisely it is known: to a whole pixel over that time.
    fn learn_scroll(&mut self, frame: &Frame) -> Scroll {
        let before = &self.before;
        let (expected_px, expected) = before.scrolled(1);
        if expected_px == frame.scroll_px {
            return expected;
        }
        let (tick, scroll_px) = self.steady;
        let (ticks, pixels) = (frame.tick.0.wrapping_sub(tick), frame.scroll_px.wrapping_sub(scroll_px));
        let is_steady = before.head.scroll_px.abs_diff(frame.scroll_px) <= 4 && ticks > 0 && pixels <= ticks * 4;
        let speed = if is_steady { u64::from(pixels) * 256 / u64::from(ticks) } else { 0 };
        // It stood still, or jumped: it is measured again from here.
        if !is_steady || expected_px.abs_diff(frame.scroll_px) > 1 || speed.abs_diff(before.scroll.speed.into()) > 64 {
            self.steady = (frame.tick.0, frame.scroll_px);
        }
        let is_behind = expected_px < frame.scroll_px;
        Scroll { part: if is_behind { 0 } else { 255 }, speed: speed.min(1024) as u16 }
    }
}

/// What a thing does can only be guessed when it is first seen.
fn first_seen(entity: &Entity) -> ViewedEntity {
    let guess = swing(entity.kind).and_then(|(reach_px, winding)| newborn_swing(entity, reach_px, winding));
    let motion = if entity.kind == Kind::Bomb { Some(Motion::Fall) } else { guess };
    ViewedEntity { entity: *entity, motion: motion.unwrap_or_default(), age: 0 }
}

/// The youngest swing that has this velocity.
fn newborn_swing(entity: &Entity, reach_px: u8, winding: u8) -> Option<Motion> {
    let motion = |angle| Motion::Swing { reach_px, winding, angle };
    (1..=8)
        .map(|steps| winding.wrapping_mul(steps))
        .flat_map(|angle| [angle, angle.wrapping_add(128)])
        .map(motion)
        .find(|motion| {
            let Motion::Swing { angle, .. } = *motion else { return false };
            let mut before = Motion::Swing { reach_px, winding, angle: angle.wrapping_sub(2 * winding) };
            let mut copy = *entity;
            before.advance(&mut copy, 1);
            copy.velocity.y == entity.velocity.y
        })
}

fn learn(old: &ViewedEntity, entity: &Entity) -> ViewedEntity {
    let mut guess = *old;
    guess.motion.advance(&mut guess.entity, 1);
    let holds = (guess.entity.position, guess.entity.velocity) == (entity.position, entity.velocity);
    let motion =
        if holds { Some(guess.motion) } else { Motion::find(&old.entity, entity, swing(entity.kind).as_slice()) };
    ViewedEntity { entity: *entity, motion: motion.unwrap_or_default(), age: old.age.saturating_add(1) }
}

/// How the things of a kind may swing: how far in pixels, how fast in 1/256 turns a step.
fn swing(kind: Kind) -> Option<(u8, u8)> {
    tuning::swing(kind).map(|swing| (swing.reach_px, swing.winding))
}
