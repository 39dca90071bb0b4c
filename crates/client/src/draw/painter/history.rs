//! What the painter remembers of earlier Frames: where entities were when they were hit or destroyed, how long they have been in
//! a state, and where a boss died. It turns the events of a Frame into effects.

use game::{Class, Entity, EntityId, Event, Frame, Gone, Kind, Seat, ShipModel, Vec2, px};

use super::effects::{Burst, Effects, FIRE, Fade, Material, SEAT_FADES, SMOKE, STEEL, Shatter, Shockwave};
use crate::draw::{art::ART, sprite::Sprite};

/// Ticks for which a foe is white after a hit.
const BLINK: u32 = 4;
/// Ticks for which a foe stays lighter after a hit when flashes are off: at most three changes a second.
pub(super) const CALM_BLINK: u32 = 40;
/// The most blinks at once.
const BLINKS_MAX: usize = 128;
/// The most entities that are remembered from the last Frame.
const SEEN_MAX: usize = 1024;
/// Ticks for which everything seems to stop when the player's own ship is lost.
const OWN_HIT_STOP: u32 = 6;
/// Ticks for which everything seems to stop when a boss is destroyed.
pub(super) const HIT_STOP: u32 = 9;
/// Ticks for which a boss burns before it falls to pieces.
pub(crate) const DYING_BOSS_LIFE: u32 = 110;
/// How many pieces are seen of one.
const BOSS_PIECES: i32 = 220;

/// An entity as it was in the last Frame.
#[derive(Clone, Copy, Debug)]
struct LastSeen {
    id: EntityId,
    kind: Kind,
    position: Vec2,
    seat: Option<Seat>,
}

/// A boss that was just destroyed.
#[derive(Clone, Copy, Debug)]
pub(super) struct DyingBoss {
    pub(super) kind: Kind,
    pub(super) position: Vec2,
    pub(super) since: u32,
}

/// The tick since which an entity has been in a state.
#[derive(Clone, Copy, Debug)]
struct StateStart {
    id: EntityId,
    state: u8,
    tick: u32,
}

/// What the painter remembers.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// Sorted by id.
    seen: Vec<LastSeen>,
    blinks: Vec<(EntityId, u32)>,
    states: Vec<StateStart>,
    pub(super) dying_bosses: Vec<DyingBoss>,
    /// The player's own seat: its loss weighs more.
    pub(super) own: Option<Seat>,
    /// Until when everything seems to stop.
    stopped_until: u32,
}

impl History {
    /// Whether everything seems to stop, because something great was destroyed a moment ago.
    pub(super) fn is_stopped(&self, now: u32) -> bool {
        now < self.stopped_until
    }

    /// Remembers where everything is, for when it is gone.
    pub(super) fn remember(&mut self, frame: &Frame) {
        self.seen.clear();
        let seen = |it: &Entity| LastSeen { id: it.id, kind: it.kind, position: it.position, seat: it.seat };
        self.seen.extend(frame.entities.iter().take(SEEN_MAX).map(seen));
        self.seen.sort_unstable_by_key(|seen| seen.id);
    }

    /// Turns an event into effects and blinks.
    pub(super) fn observe(&mut self, event: &Event, frame: &Frame, now: u32, effects: &mut Effects) {
        match *event {
            Event::Fired { seat, shot } => {
                let kind = self.find(shot, frame).map_or(Kind::Shot, |shot| shot.kind);
                effects.muzzle_flash(seat, kind);
                if kind == Kind::Beam {
                    effects.shake_for(4);
                }
            }
            Event::Hit { by, target } => {
                if let Some(target) = self.find(target, frame) {
                    let by = self.find(by, frame).map(|by| by.position);
                    self.observe_hit(by, &target, now, effects);
                }
            }
            Event::Killed { seat, ship, .. } => {
                if let Some(ship) = self.find(ship, frame) {
                    destroy_ship(seat, ship.position, effects);
                    let model = frame.players[seat.index()].map_or(ShipModel::of_seat(seat), |player| player.model);
                    if let Some(image) = ART.ship(model, Some(seat), 0) {
                        effects.shatter(ship.position, image, Shatter::at_speed(120));
                    }
                    if self.own == Some(seat) {
                        effects.mourn();
                        self.stopped_until = now + OWN_HIT_STOP;
                    }
                }
            }
            Event::Destroyed { entity, gone: Gone::Destroyed } => {
                if let Some(entity) = self.find(entity, frame) {
                    self.observe_destroyed(&entity, now, effects);
                }
            }
            Event::Grabbed { ship, object, .. } => self.observe_grab(ship, object, frame, effects),
            Event::Dropped { force, .. } => {
                if let Some(force) = self.find(force, frame) {
                    effects.ring(force.position, Shockwave { pace: 5, life: 12, fade: seat_fade(force.seat) });
                }
            }
            Event::ExtraLife { seat } => {
                if let Some(ship) = frame.ship(seat) {
                    effects.ring(ship.position, Shockwave { pace: 4, life: 30, fade: FIRE });
                    let fade = seat_fade(Some(seat));
                    effects.burst(ship.position, Burst { count: 24, speed_px: 70, fade });
                }
            }
            Event::Spawned { entity } => {
                let shot = frame.entity(entity).filter(|entity| entity.kind.class() == Class::EnemyShot);
                if let Some(shot) = shot {
                    effects.burst(shot.position, Burst { count: 3, speed_px: 50, fade: FIRE });
                }
            }
            Event::Destroyed { .. }
            | Event::Joined { .. }
            | Event::Left { .. }
            | Event::TimedOut { .. }
            | Event::StateChanged { .. } => {}
        }
    }

    fn observe_hit(&mut self, by: Option<Vec2>, target: &LastSeen, now: u32, effects: &mut Effects) {
        let at = by.map_or(target.position, |by| contact(by, target));
        let has_health = game::tuning::body(target.kind).health > 0;
        effects.sparks(at, Material::of(target.kind));
        if has_health && target.kind.class() != Class::Player && self.blinks.len() < BLINKS_MAX {
            self.blinks.push((target.id, now));
        }
    }

    fn observe_destroyed(&mut self, gone: &LastSeen, now: u32, effects: &mut Effects) {
        let at = gone.position;
        match gone.kind.class() {
            Class::Boss if game::tuning::boss(gone.kind).is_some() => {
                effects.burst(at, Burst { count: 160, speed_px: 260, fade: FIRE });
                effects.ring(at, Shockwave { pace: 22, life: 44, fade: FIRE });
                effects.ring(at, Shockwave { pace: 12, life: 50, fade: STEEL });
                effects.shake_for(60);
                self.stopped_until = now + HIT_STOP;
                let (width, height) = gone.kind.size_px();
                effects.aftermath(at, (width / 2, height / 2), 14);
                self.dying_bosses.truncate(3);
                self.dying_bosses.push(DyingBoss { kind: gone.kind, position: at, since: now });
            }
            Class::Boss | Class::Enemy => destroy_enemy(gone, effects),
            Class::Block => {
                effects.burst(at, Burst { count: 6, speed_px: 90, fade: SMOKE });
                shatter(gone, 70, effects);
            }
            Class::EnemyShot => effects.burst(at, Burst { count: 3, speed_px: 60, fade: STEEL }),
            // The loss of a ship is an event of its own; the others just vanish.
            Class::Player | Class::Gear | Class::PlayerShot | Class::Item | Class::Wall | Class::Effect => {}
        }
    }

    fn observe_grab(&mut self, ship: EntityId, object: EntityId, frame: &Frame, effects: &mut Effects) {
        let Some(ship) = self.find(ship, frame) else { return };
        let fade = seat_fade(ship.seat);
        let at = self.find(object, frame).map_or(ship.position, |object| object.position);
        effects.ring(at, Shockwave { pace: 5, life: 14, fade });
        effects.burst(at, Burst { count: 10, speed_px: 80, fade });
    }

    fn find(&self, id: EntityId, frame: &Frame) -> Option<LastSeen> {
        if let Some(it) = frame.entity(id) {
            return Some(LastSeen { id, kind: it.kind, position: it.position, seat: it.seat });
        }
        self.seen.binary_search_by_key(&id, |seen| seen.id).ok().map(|index| self.seen[index])
    }

    /// Whether an entity was hit less than `within` ticks ago.
    pub(super) fn was_hit(&self, id: EntityId, now: u32, within: u32) -> bool {
        self.blinks.iter().any(|&(hit, tick)| hit == id && now.saturating_sub(tick) < within)
    }

    /// Whether an entity is white now.
    pub(super) fn blinks(&self, id: EntityId, now: u32) -> bool {
        self.was_hit(id, now, BLINK)
    }

    /// For how many ticks an entity has been in that state.
    pub(super) fn ticks_in_state(&mut self, id: EntityId, state: u8, now: u32) -> u32 {
        match self.states.iter_mut().find(|since| since.id == id) {
            Some(since) if since.state == state => now.saturating_sub(since.tick),
            Some(since) => {
                (since.state, since.tick) = (state, now);
                0
            }
            None => {
                if self.states.len() < BLINKS_MAX {
                    self.states.push(StateStart { id, state, tick: now });
                }
                0
            }
        }
    }

    /// Bosses that were destroyed burn for a tick, and in their last one fall to pieces.
    pub(super) fn burn(&self, now: u32, effects: &mut Effects) {
        for boss in &self.dying_bosses {
            let age = now.saturating_sub(boss.since);
            let (width, height) = boss.kind.size_px();
            if age > HIT_STOP && age.is_multiple_of(6) {
                let burst = Burst { count: 14, speed_px: 110, fade: FIRE };
                effects.burst_within(boss.position, (width / 2, height / 2), burst);
            }
            if age == DYING_BOSS_LIFE {
                effects.burst(boss.position, Burst { count: 120, speed_px: 220, fade: FIRE });
                effects.ring(boss.position, Shockwave { pace: 16, life: 44, fade: FIRE });
                effects.shake_for(30);
                if let Some(image) = ART.of(boss.kind, 0, false) {
                    effects.shatter(boss.position, image, Shatter { speed_px: 130, most: BOSS_PIECES });
                }
            }
        }
    }

    /// Forgets what is over.
    pub(super) fn forget(&mut self, now: u32, frame: &Frame) {
        self.blinks.retain(|&(_, tick)| now.saturating_sub(tick) < CALM_BLINK);
        self.states.retain(|since| frame.entity(since.id).is_some());
        self.dying_bosses.retain(|dying_boss| now.saturating_sub(dying_boss.since) < DYING_BOSS_LIFE);
    }
}

fn destroy_ship(seat: Seat, at: Vec2, effects: &mut Effects) {
    let fade = seat_fade(Some(seat));
    effects.burst(at, Burst { count: 60, speed_px: 190, fade });
    effects.burst(at, Burst { count: 50, speed_px: 120, fade: FIRE });
    effects.burst(at, Burst { count: 20, speed_px: 50, fade: SMOKE });
    effects.ring(at, Shockwave { pace: 14, life: 26, fade });
    effects.ring(at, Shockwave { pace: 7, life: 30, fade: FIRE });
    effects.aftermath(at, (14, 8), 5);
    effects.shake_for(24);
}

/// The larger the enemy, the larger its explosion.
fn destroy_enemy(gone: &LastSeen, effects: &mut Effects) {
    let (width, _) = gone.kind.size_px();
    let (count, speed_px) = (8 + width.unsigned_abs() / 2, 110 + 2 * width);
    effects.burst(gone.position, Burst { count, speed_px, fade: FIRE });
    effects.burst(gone.position, Burst { count: 5, speed_px: 40, fade: SMOKE });
    shatter(gone, 60 + 2 * width, effects);
    let reach = (width / 2, gone.kind.size_px().1 / 2);
    effects.aftermath(gone.position, reach, (width / 10).clamp(1, 5) as u8);
    if width >= 28 {
        effects.ring(gone.position, Shockwave { pace: 8, life: 18, fade: FIRE });
        effects.shake_for(12);
    }
}

/// Its image falls to pieces.
fn shatter(gone: &LastSeen, speed_px: i32, effects: &mut Effects) {
    let image: Option<&Sprite> = ART.of(gone.kind, 0, false);
    if let Some(image) = image {
        effects.shatter(gone.position, image, Shatter::at_speed(speed_px));
    }
}

/// What belongs to nobody has the colours of the first seat.
fn seat_fade(seat: Option<Seat>) -> Fade {
    SEAT_FADES[seat.map_or(0, Seat::index)]
}

/// Where a shot hit its target: at the shot's position, but within the target's box.
fn contact(by: Vec2, target: &LastSeen) -> Vec2 {
    let (width, height) = target.kind.size_px();
    let near =
        |value: i32, middle: i32, half: i32| value.clamp(middle.saturating_sub(half), middle.saturating_add(half));
    Vec2::new(near(by.x, target.position.x, px(width / 2)), near(by.y, target.position.y, px(height / 2)))
}
