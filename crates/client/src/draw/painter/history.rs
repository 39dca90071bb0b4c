//! What the painter keeps of earlier Frames: who was where when it was struck or went, since when an explosion is seen,
//! and where a boss died. It turns the events of a Frame into effects.

use game::{Class, Entity, EntityId, Event, Frame, Gone, Kind, Seat, Vec2, px};

use super::effects::{Effects, FIRE, SEAT_FADES, SMOKE, STEEL};

/// Ticks for which something is white after a hit.
const BLINK: u32 = 4;
/// Ticks for which something stays light after a hit when flashes are off: at most three changes in a second.
pub(super) const CALM_BLINK: u32 = 40;
/// Blinks kept at once.
const BLINKS_MAX: usize = 128;
/// Things remembered from the last Frame.
const SEEN_MAX: usize = 1024;
/// Ticks for which everything seems to stop when a boss dies.
pub(super) const HIT_STOP: u32 = 9;
/// Ticks for which a dead boss is seen to fall apart.
pub(super) const DYING_BOSS_LIFE: u32 = 80;

#[derive(Clone, Copy, Debug)]
struct LastSeen {
    id: EntityId,
    kind: Kind,
    position: Vec2,
    seat: Option<Seat>,
}

/// A boss that just died.
#[derive(Clone, Copy, Debug)]
pub(super) struct DyingBoss {
    pub(super) kind: Kind,
    pub(super) position: Vec2,
    pub(super) since: u32,
}

/// StateStart when something is in a state.
#[derive(Clone, Copy, Debug)]
struct StateStart {
    id: EntityId,
    state: u8,
    tick: u32,
}

/// What is remembered.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// Sorted by id.
    seen: Vec<LastSeen>,
    blinks: Vec<(EntityId, u32)>,
    states: Vec<StateStart>,
    pub(super) dying_bosses: Vec<DyingBoss>,
}

impl History {
    /// Remembers where things are, for when they are gone.
    pub(super) fn look_at(&mut self, frame: &Frame) {
        self.seen.clear();
        let seen = |it: &Entity| LastSeen { id: it.id, kind: it.kind, position: it.position, seat: it.seat };
        self.seen.extend(frame.entities.iter().take(SEEN_MAX).map(seen));
        self.seen.sort_unstable_by_key(|seen| seen.id);
    }

    /// Turns an event into effects, blinks and tremors.
    pub(super) fn note(&mut self, event: &Event, frame: &Frame, now: u32, effects: &mut Effects) {
        match *event {
            Event::Fired { seat, shot } => {
                let kind = self.find(shot, frame).map_or(Kind::Shot, |shot| shot.kind);
                effects.muzzle_flash(seat, kind);
                if kind == Kind::Beam {
                    effects.shake_for(4);
                }
            }
            Event::Hit { by, target } => self.note_hit(by, target, frame, now, effects),
            Event::Killed { seat, ship } => self.note_death(seat, ship, frame, effects),
            Event::Destroyed { entity, gone: Gone::Destroyed } => self.note_end(entity, frame, now, effects),
            Event::Grabbed { ship, object, .. } => self.note_grab(ship, object, frame, effects),
            Event::Dropped { force, .. } => {
                if let Some(force) = self.find(force, frame) {
                    effects.ring(force.position, 5, 12, SEAT_FADES[force.seat.map_or(0, Seat::index)]);
                }
            }
            Event::ExtraLife { seat } => {
                if let Some(ship) = frame.ship(seat) {
                    effects.ring(ship.position, 4, 30, FIRE);
                    effects.burst(ship.position, 24, 70, SEAT_FADES[seat.index()]);
                }
            }
            _ => {}
        }
    }

    fn note_hit(&mut self, by: EntityId, target: EntityId, frame: &Frame, now: u32, effects: &mut Effects) {
        let Some(struck) = self.find(target, frame) else { return };
        let at = self.find(by, frame).map_or(struck.position, |by| contact(by.position, &struck));
        let has_health = game::tuning::body(struck.kind).health > 0;
        effects.burst(at, if has_health { 5 } else { 3 }, 130, if has_health { FIRE } else { STEEL });
        if has_health && struck.kind.class() != Class::Player && self.blinks.len() < BLINKS_MAX {
            self.blinks.push((target, now));
        }
    }

    /// Death is a moment.
    fn note_death(&mut self, seat: Seat, ship: EntityId, frame: &Frame, effects: &mut Effects) {
        let Some(lost) = self.find(ship, frame) else { return };
        effects.burst(lost.position, 60, 190, SEAT_FADES[seat.index()]);
        effects.burst(lost.position, 50, 120, FIRE);
        effects.burst(lost.position, 20, 50, SMOKE);
        effects.ring(lost.position, 14, 26, SEAT_FADES[seat.index()]);
        effects.ring(lost.position, 7, 30, FIRE);
        effects.shake_for(24);
    }

    fn note_end(&mut self, entity: EntityId, frame: &Frame, now: u32, effects: &mut Effects) {
        let Some(gone) = self.find(entity, frame) else { return };
        let (width, _) = gone.kind.size_px();
        match gone.kind.class() {
            Class::Boss if game::tuning::boss(gone.kind).is_some() => {
                effects.burst(gone.position, 160, 260, FIRE);
                effects.ring(gone.position, 22, 44, FIRE);
                effects.ring(gone.position, 12, 50, STEEL);
                effects.shake_for(60);
                self.dying_bosses.truncate(3);
                self.dying_bosses.push(DyingBoss { kind: gone.kind, position: gone.position, since: now });
            }
            Class::Boss | Class::Enemy => {
                effects.burst(gone.position, 8 + width.unsigned_abs() / 2, 110 + 2 * width, FIRE);
                effects.burst(gone.position, 5, 40, SMOKE);
                if width >= 28 {
                    effects.ring(gone.position, 8, 18, FIRE);
                    effects.shake_for(12);
                }
            }
            Class::Block => effects.burst(gone.position, 10, 90, SMOKE),
            Class::EnemyShot => effects.burst(gone.position, 3, 60, STEEL),
            _ => {}
        }
    }

    fn note_grab(&mut self, ship: EntityId, object: EntityId, frame: &Frame, effects: &mut Effects) {
        let Some(ship) = self.find(ship, frame) else { return };
        let fade = SEAT_FADES[ship.seat.map_or(0, Seat::index)];
        let at = self.find(object, frame).map_or(ship.position, |object| object.position);
        effects.ring(at, 5, 14, fade);
        effects.burst(at, 10, 80, fade);
    }

    fn find(&self, id: EntityId, frame: &Frame) -> Option<LastSeen> {
        if let Some(it) = frame.entity(id) {
            return Some(LastSeen { id, kind: it.kind, position: it.position, seat: it.seat });
        }
        self.seen.binary_search_by_key(&id, |seen| seen.id).ok().map(|index| self.seen[index])
    }

    /// How many ticks ago something was struck, if that was lately.
    pub(super) fn struck(&self, id: EntityId, now: u32, within: u32) -> bool {
        self.blinks.iter().any(|&(struck, tick)| struck == id && now.saturating_sub(tick) < within)
    }

    /// Whether something is white now.
    pub(super) fn blinks(&self, id: EntityId, now: u32) -> bool {
        self.struck(id, now, BLINK)
    }

    /// For how many ticks something has been in that state.
    pub(super) fn lasting(&mut self, id: EntityId, state: u8, now: u32) -> u32 {
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

    /// Forgets what is over.
    pub(super) fn forget(&mut self, now: u32, frame: &Frame) {
        self.blinks.retain(|&(_, tick)| now.saturating_sub(tick) < CALM_BLINK);
        self.states.retain(|since| frame.entity(since.id).is_some());
        self.dying_bosses.retain(|dying_boss| now.saturating_sub(dying_boss.since) < DYING_BOSS_LIFE);
    }
}

/// Where a shot met what it struck: its own place, but inside the other's outline.
fn contact(by: Vec2, struck: &LastSeen) -> Vec2 {
    let (width, height) = struck.kind.size_px();
    let near =
        |value: i32, middle: i32, half: i32| value.clamp(middle.saturating_sub(half), middle.saturating_add(half));
    Vec2::new(near(by.x, struck.position.x, px(width / 2)), near(by.y, struck.position.y, px(height / 2)))
}
