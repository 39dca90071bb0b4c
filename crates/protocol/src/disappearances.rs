//! How an entity disappeared of which a server says no more. The documents tell only that it is gone; whether it burst or
//! flew away is found by where it was last seen, and by the explosion that our game leaves where an enemy was destroyed.

use std::time::Duration;

use game::{Class, Entity, EntityId, FIELD_HEIGHT_PX, FIELD_WIDTH_PX, Frame, Gone, Kind, Vec2, px};

use crate::Time;

/// How long after the end of what exploded its explosion may come: each may have a datagram of its own.
const EXPLODES_WITHIN: Duration = Duration::from_millis(100);
/// How near an explosion must be to what exploded: the last known place may be a few ticks old.
const NEAR: i32 = px(24);
/// Disappearances that wait for their explosion. The oldest are decided first.
const WAITING_MAX: usize = 256;

/// What disappeared, and may have exploded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disappearances {
    waiting: Vec<(Entity, Time)>,
    /// A server that was never seen to show an explosion shows none.
    has_explosions: bool,
    /// Whether explosions may be left out for want of room.
    is_crowded: bool,
}

impl Disappearances {
    pub fn appeared(&mut self, entity: &Entity) {
        self.has_explosions |= is_explosion(entity.kind);
    }

    /// Whether what the server shows may leave out explosions, so that their absence means nothing.
    pub fn set_crowded(&mut self, is_crowded: bool) {
        self.is_crowded = is_crowded;
    }

    /// An entity disappeared. How, if that is plain; if not, [`Disappearances::decide`] will tell.
    pub fn disappeared(&mut self, now: Time, entity: &Entity) -> Option<Gone> {
        let leaves_explosion = matches!(entity.kind.class(), Class::Enemy | Class::Boss | Class::Block);
        match () {
            () if entity.kind.class() == Class::Effect || !is_on_screen(entity) => Some(Gone::Departed),
            () if !leaves_explosion || !self.has_explosions || self.is_crowded => Some(Gone::Destroyed),
            () => {
                self.waiting.push((*entity, now));
                None
            }
        }
    }

    /// Tells how things disappeared that exploded by now, or will not.
    pub fn decide(&mut self, now: Time, frame: &Frame, mut tell: impl FnMut(EntityId, Gone)) {
        let excess = self.waiting.len().saturating_sub(WAITING_MAX);
        let mut index = 0;
        self.waiting.retain(|(entity, since)| {
            index += 1;
            let exploded = has_exploded(frame, entity.position);
            let is_over = now.since(*since) >= EXPLODES_WITHIN || index <= excess;
            if exploded || is_over {
                tell(entity.id, if exploded { Gone::Destroyed } else { Gone::Departed });
            }
            !exploded && !is_over
        });
    }
}

/// Whether there is an explosion at about that place.
pub(crate) fn has_exploded(frame: &Frame, at: Vec2) -> bool {
    let is_near = |to: Vec2| (to.x - at.x).abs() <= NEAR && (to.y - at.y).abs() <= NEAR;
    frame.entities.iter().any(|entity| is_explosion(entity.kind) && is_near(entity.position))
}

fn is_explosion(kind: Kind) -> bool {
    matches!(kind, Kind::Explosion | Kind::BigExplosion)
}

/// Whether any of it can be seen.
fn is_on_screen(entity: &Entity) -> bool {
    let (width, height) = entity.kind.size_px();
    let (x, y) = (px(width) / 2, px(height) / 2);
    let Vec2 { x: at_x, y: at_y } = entity.position;
    at_x + x >= 0 && at_x - x <= px(FIELD_WIDTH_PX) && at_y + y >= 0 && at_y - y <= px(FIELD_HEIGHT_PX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Time = Time::from_micros(1_000_000);

    fn at(id: u32, kind: Kind, x_px: i32) -> Entity {
        Entity::new(EntityId(id), kind, Vec2::new(px(x_px), px(100)))
    }

    fn decided(gone: &mut Disappearances, after_ms: u64, frame: &Frame) -> Vec<(u32, Gone)> {
        let mut told = Vec::new();
        gone.decide(START + Duration::from_millis(after_ms), frame, |id, gone| told.push((id.0, gone)));
        told
    }

    #[test]
    fn what_leaves_the_screen_departs_and_what_vanishes_on_it_is_destroyed() {
        let mut gone = Disappearances::default();
        assert_eq!(gone.disappeared(START, &at(1, Kind::Drone, -40)), Some(Gone::Departed));
        assert_eq!(gone.disappeared(START, &at(1, Kind::Shot, 500)), Some(Gone::Departed));
        assert_eq!(gone.disappeared(START, &at(1, Kind::Explosion, 100)), Some(Gone::Departed));
        assert_eq!(gone.disappeared(START, &at(1, Kind::Pellet, 100)), Some(Gone::Destroyed));
        assert_eq!(gone.disappeared(START, &at(1, Kind::Drone, 100)), Some(Gone::Destroyed), "no explosions are known");
    }

    #[test]
    fn where_explosions_are_known_an_enemy_without_one_was_not_destroyed() {
        let mut gone = Disappearances::default();
        let explosion = at(9, Kind::Explosion, 110);
        gone.appeared(&explosion);
        assert_eq!(gone.disappeared(START, &at(1, Kind::Drone, 100)), None);
        assert_eq!(gone.disappeared(START, &at(2, Kind::Drone, 200)), None);
        let frame = Frame { entities: vec![explosion], ..Frame::default() };
        assert_eq!(decided(&mut gone, 20, &frame), [(1, Gone::Destroyed)]);
        assert_eq!(decided(&mut gone, 40, &Frame::default()), []);
        assert_eq!(decided(&mut gone, 100, &Frame::default()), [(2, Gone::Departed)]);
        assert_eq!(decided(&mut gone, 200, &frame), [], "each is told once");
        gone.set_crowded(true);
        assert_eq!(
            gone.disappeared(START, &at(3, Kind::Drone, 100)),
            Some(Gone::Destroyed),
            "its explosion had no room"
        );
    }

    #[test]
    fn a_server_that_removes_without_end_does_not_fill_our_memory() {
        let mut gone = Disappearances::default();
        gone.appeared(&at(9, Kind::Explosion, 110));
        (0..1000).for_each(|id| assert_eq!(gone.disappeared(START, &at(id, Kind::Drone, 300)), None));
        assert_eq!(decided(&mut gone, 0, &Frame::default()).len(), 1000 - WAITING_MAX);
        assert_eq!(gone.waiting.len(), WAITING_MAX);
    }
}
