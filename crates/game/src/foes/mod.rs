//! Enemies: how each kind comes to be and what it does in a step. Bosses are in `bosses.rs`.

mod flyers;
mod grounders;

use crate::{
    Class, EntityId, Kind, Vec2, World,
    things::{Foe, Habit},
    tuning::{self, Swing, limits},
};

impl World {
    /// Puts an enemy, a boss with its parts, or a block into the field. Of anything else there is none.
    pub(crate) fn spawn_foe_of(
        &mut self,
        kind: Kind,
        position: Vec2,
        item: Option<Kind>,
        path: Option<u16>,
    ) -> Option<EntityId> {
        let habit = match path {
            // A carrier has its item to remember.
            Some(path) if kind != Kind::Carrier => Habit::Follow { path, next: 0, origin: position },
            _ => habit_of(kind, position, item)?,
        };
        // A boss comes whole or not at all: one without its weak point could not be beaten.
        let parts = tuning::boss(kind).map_or(0, |boss| boss.parts.len());
        if self.state.foe_count as usize + parts >= limits::FOES {
            self.state.refused = self.state.refused.saturating_add(1);
            return None;
        }
        let hull = self.spawn_foe(kind, position, habit)?;
        crate::bosses::spawn_parts(self, kind, hull, position);
        Some(hull)
    }

    pub(crate) fn spawn_foe(&mut self, kind: Kind, position: Vec2, habit: Habit) -> Option<EntityId> {
        let kept_free = if kind.class() == Class::Boss { 0 } else { limits::FOES_FOR_BOSSES };
        let id = self.new_id_within(self.state.foe_count as usize + kept_free, limits::FOES)?;
        self.state.foe_count += 1;
        let health = self.health_of(kind);
        // So that a formation does not fire as one.
        let fire_in = self.state.dice.below(60) as u16 + 30;
        self.state.foes.push(Foe {
            id,
            kind,
            position,
            velocity: first_velocity(kind),
            health,
            health_max: health,
            age: 0,
            fire_in,
            hurt: 0,
            shielded: false,
            killer: None,
            habit,
        });
        Some(id)
    }

    /// Health of a new enemy: more for more players and later loops, except for what one shot destroys anyway.
    fn health_of(&self, kind: Kind) -> u16 {
        let health = tuning::body(kind).health;
        if health <= tuning::SHOT_DAMAGE || kind == Kind::Block {
            return health;
        }
        let sixteenths = tuning::HEALTH_BY_PLAYERS[self.company()] + u16::from(self.hardness()) * tuning::LOOP_HARDER;
        (u32::from(health) * u32::from(sixteenths) / 16).min(u32::from(u16::MAX)) as u16
    }

    /// The steps that an interval of enemy fire lasts for these players in this loop.
    pub(crate) fn paced(&self, interval: u16) -> u16 {
        let sixteenths = tuning::PACE_BY_PLAYERS[self.company()] + u16::from(self.hardness()) * tuning::LOOP_HARDER;
        (u32::from(interval) * 16 / u32::from(sixteenths)) as u16
    }

    /// Players in seats less one, as an index.
    fn company(&self) -> usize {
        self.seated().clamp(1, crate::SEATS) - 1
    }

    /// Loops played, and those that the waves of the endless stage are worth.
    fn hardness(&self) -> u8 {
        let waves = (self.state.waves.number / tuning::WAVES_PER_LOOP).min(u32::from(tuning::LOOPS_MAX)) as u8;
        (self.state.loops + waves).min(tuning::LOOPS_MAX)
    }
}

fn habit_of(kind: Kind, position: Vec2, item: Option<Kind>) -> Option<Habit> {
    let base_y = position.y;
    Some(match kind {
        Kind::Drone => Habit::Weave { base_y, angle: 0 },
        Kind::Dart => Habit::Dive { aimed: false },
        Kind::Walker => Habit::Walk { rightwards: false },
        Kind::Clinger => Habit::Cling { fallen: false },
        Kind::Turret => Habit::Sit,
        Kind::Seeker | Kind::Larva => Habit::Home,
        Kind::Chaser => Habit::Chase { turned: false },
        Kind::Splitter | Kind::Shard | Kind::Warden | Kind::Debris => Habit::Drift,
        Kind::Hive => Habit::Brood { left: tuning::HIVE_BROOD },
        Kind::Carrier => Habit::Carry { item: item.unwrap_or(Kind::SpeedUp), base_y, angle: 0 },
        Kind::Gunship => Habit::Hover { base_y, angle: 0 },
        Kind::Mine => Habit::Lurk,
        Kind::Bomber => Habit::Bomb,
        Kind::Block => Habit::Rest,
        Kind::Salvager | Kind::Keeper => Habit::Command { base_y, angle: 0, leaving: false },
        _ => return None,
    })
}

/// The velocity of what keeps the one it came with.
fn first_velocity(kind: Kind) -> Vec2 {
    let leftwards = match kind {
        Kind::Splitter => tuning::SPLITTER_SPEED,
        Kind::Warden => tuning::WARDEN_SPEED,
        Kind::Debris => tuning::DEBRIS_SPEED,
        Kind::Mine => tuning::MINE_SPEED,
        Kind::Bomber => tuning::BOMBER_SPEED,
        _ => 0,
    };
    Vec2::new(-leftwards, 0)
}

/// Lets wardens protect the enemies near them; they do not protect each other, nor bosses and blocks.
pub(crate) fn shield(world: &mut World) {
    let reach = i64::from(tuning::WARDEN_REACH / crate::SUBPIXELS);
    let state = &mut world.state;
    let wardens: Vec<Vec2> =
        state.foes.iter().filter(|foe| foe.kind == Kind::Warden).map(|warden| warden.position).collect();
    if wardens.is_empty() {
        state.foes.iter_mut().for_each(|foe| foe.shielded = false);
        return;
    }
    for foe in &mut state.foes {
        let can_be = foe.kind.class() == Class::Enemy && foe.kind != Kind::Warden;
        let is_near = |warden: &Vec2| (*warden - foe.position).length_squared_px() <= reach * reach;
        foe.shielded = can_be && wardens.iter().any(is_near);
    }
}

/// Lets every foe but bosses act for one step.
pub(crate) fn fly(world: &mut World) {
    // New foes are pushed to the emptied table, and go behind the old ones: their ids are higher.
    let mut foes = std::mem::take(&mut world.state.foes);
    for foe in &mut foes {
        foe.age = foe.age.saturating_add(1);
        foe.fire_in = foe.fire_in.saturating_sub(1);
        foe.hurt = foe.hurt.saturating_sub(1);
        act(world, foe);
        foe.position += foe.velocity;
    }
    foes.append(&mut world.state.foes);
    world.state.foes = foes;
}

/// Decides the velocity of a foe for this step, and what it fires or spawns.
fn act(world: &mut World, foe: &mut Foe) {
    match foe.habit {
        Habit::Weave { .. } => flyers::weave(world, foe),
        Habit::Dive { .. } => flyers::dive(world, foe),
        Habit::Home => flyers::home(world, foe),
        Habit::Chase { .. } => flyers::chase(world, foe),
        Habit::Carry { .. } => flyers::carry(foe),
        Habit::Hover { .. } => flyers::hover(world, foe),
        Habit::Lurk => flyers::lurk(world, foe),
        Habit::Bomb => flyers::bomb(world, foe),
        Habit::Follow { .. } => flyers::follow(world, foe),
        Habit::Walk { .. } => grounders::walk(world, foe),
        Habit::Cling { .. } => grounders::cling(world, foe),
        Habit::Sit => grounders::sit(world, foe),
        Habit::Brood { .. } => grounders::brood(world, foe),
        Habit::Rest => foe.velocity = Vec2::new(-world.state.scrolled, 0),
        Habit::Drift | Habit::Command { .. } | Habit::Part { .. } => {}
    }
}

/// The velocity that brings a foe to its place on a sine about a height.
fn swing(foe: &Foe, base_y: i32, angle: u8, swing: Swing) -> i32 {
    base_y + swing.height(angle) - foe.position.y
}

/// Whether it is time to fire; if so, the time of the next shot is set.
pub(crate) fn may_fire(world: &World, foe: &mut Foe, interval: u16) -> bool {
    let in_view = (0..crate::px(crate::FIELD_WIDTH_PX)).contains(&foe.position.x);
    if foe.fire_in > 0 || !in_view {
        return false;
    }
    foe.fire_in = world.paced(interval);
    true
}
