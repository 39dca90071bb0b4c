//! Enemies: how each kind comes to be and what it does in a step. Bosses are in `bosses.rs`.

mod flyers;
mod grounders;
mod steering;

pub(crate) use flyers::weaving;

use crate::{
    Class, EntityId, Kind, Mutator, Vec2, World,
    blocks::Blocks,
    foe::{Foe, Habit},
    tuning::{self, Swing, limits, waves as numbers},
};

/// A foe that is to come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub kind: Kind,
    pub position: Vec2,
    /// What a carrier carries.
    pub item: Option<Kind>,
    /// Which of the stage's paths it follows.
    pub path: Option<u16>,
}

impl World {
    /// Puts an enemy, a boss with its parts, or a block into the field. Nothing else can come like this.
    pub(crate) fn spawn_foe_of(&mut self, arrival: Arrival) -> Option<EntityId> {
        let Arrival { kind, position, item, path } = arrival;
        let (own_habit, speed) = first_habit(kind, position, item)?;
        let habit = match path {
            // A carrier has its item to remember.
            Some(path) if kind != Kind::Carrier => Habit::Follow { path, next: 0, origin: position },
            _ => own_habit,
        };
        // A boss comes whole or not at all: one without its weak point could not be beaten.
        let parts = tuning::boss(kind).map_or(0, |boss| boss.parts.len());
        if self.state.foe_count as usize + parts >= limits::FOES {
            self.state.refused = self.state.refused.saturating_add(1);
            return None;
        }
        let pace = self.state.rules.pace(speed);
        let foe = self.spawn_foe(kind, position, habit)?;
        foe.velocity = Vec2::new(-pace, 0);
        let hull = foe.id;
        crate::bosses::spawn_parts(self, kind, hull, position);
        Some(hull)
    }

    pub(crate) fn spawn_foe(&mut self, kind: Kind, position: Vec2, habit: Habit) -> Option<&mut Foe> {
        let kept_free = if kind.class() == Class::Boss { 0 } else { limits::FOES_FOR_BOSSES };
        let id = self.new_id_within(self.state.foe_count as usize + kept_free, limits::FOES)?;
        self.state.foe_count += 1;
        let health = self.health_of(kind);
        // So that a formation does not fire as one.
        let first_fire = self.state.dice.below(tuning::FIRST_FIRE_SPREAD) as u16 + tuning::FIRST_FIRE;
        let fire_in = if habit == Habit::Lurk { tuning::MINE_UNLIT } else { first_fire };
        self.state.foes.push(Foe {
            id,
            kind,
            position,
            velocity: Vec2::ZERO,
            health,
            health_max: health,
            age: 0,
            fire_in,
            hurt: 0,
            shielded: false,
            killer: None,
            habit,
        });
        self.state.foes.last_mut()
    }

    /// Health of a new enemy: more for more players and later loops, except for what one shot destroys anyway.
    fn health_of(&self, kind: Kind) -> u16 {
        let health = tuning::body(kind).health;
        if health <= tuning::SHOT_DAMAGE || matches!(kind.class(), Class::Block) {
            return health;
        }
        let rules = &self.state.rules;
        let swarm = if rules.has(Mutator::Swarm) { tuning::mutators::SWARM_HEALTH } else { 16 };
        let sixteenths = tuning::HEALTH_BY_PLAYERS[self.company()] + u16::from(self.toughness()) * tuning::LOOP_HARDER;
        let numbers = rules.numbers();
        let difficulty = if kind.class() == Class::Boss { numbers.boss_health } else { numbers.health };
        let factors = [sixteenths, difficulty, swarm];
        let health = factors.into_iter().fold(u32::from(health), |health, factor| health * u32::from(factor) / 16);
        health.clamp(1, u32::from(u16::MAX)) as u16
    }

    /// The steps that an interval of fire of a kind lasts for these players in this loop.
    pub(crate) fn fire_interval(&self, kind: Kind, interval: u16) -> u16 {
        let sixteenths =
            tuning::FIRE_RATE_BY_PLAYERS[self.company()] + u16::from(self.fierceness()) * tuning::LOOP_HARDER;
        let interval = u32::from(interval) * 16 / u32::from(sixteenths);
        let numbers = self.state.rules.numbers();
        let rate = if kind.class() == Class::Boss { numbers.boss_fire_rate } else { numbers.fire_rate };
        (interval * 16 / u32::from(rate)) as u16
    }

    /// Whether enemies hold their fire: at the beginning of a stage that teaches, and of a game of waves.
    fn is_quiet(&self) -> bool {
        let is_taught = self.scroll_px() < self.stage.quiet_px && self.state.loops == 0;
        is_taught || self.stage.endless && self.is_opening(numbers::OPENING)
    }

    /// Players in seats less one, as an index.
    fn company(&self) -> usize {
        self.seated().clamp(1, crate::SEATS) - 1
    }

    /// The velocity of a new enemy shot in this loop.
    pub(crate) fn shot_velocity(&self, velocity: Vec2) -> Vec2 {
        let sixteenths = 16 + i32::from(self.fierceness()) * tuning::LOOP_FASTER;
        let pace = |speed: i32| self.state.rules.shot_pace(speed) * sixteenths / 16;
        Vec2::new(pace(velocity.x), pace(velocity.y))
    }

    /// Loops played, and those that the waves of the endless stage are worth, as far as health goes.
    fn toughness(&self) -> u8 {
        let waves = (self.state.waves.number / tuning::WAVES_PER_LOOP).min(u32::from(tuning::LOOPS_MAX)) as u8;
        (self.state.loops + waves).min(tuning::LOOPS_MAX)
    }

    /// The same, as far as fire goes.
    fn fierceness(&self) -> u8 {
        let number = self.state.waves.number;
        let waves = (number / numbers::WAVES_PER_FIERCER).min(numbers::FIERCER_MAX);
        let late = number.saturating_sub(numbers::FIERCER_IN_COMPANY_FROM).min(1000) * self.company() as u32;
        let company = (late / numbers::WAVES_PER_FIERCER_IN_COMPANY).min(numbers::FIERCER_IN_COMPANY_MAX);
        self.state.loops + (waves + company) as u8
    }
}

/// The habit with which a foe comes, and the speed to the left that it keeps if its habit sets none. A boss's parts come
/// with their hull, and what is not a foe has no habit.
pub(crate) fn first_habit(kind: Kind, position: Vec2, item: Option<Kind>) -> Option<(Habit, i32)> {
    let base_y = position.y;
    Some(match kind {
        Kind::Drone => (Habit::Weave { base_y, angle: 0 }, 0),
        Kind::Dart => (Habit::Dive { aimed: false }, 0),
        Kind::Walker => (Habit::Walk { rightwards: false }, 0),
        Kind::Clinger => (Habit::Cling { fallen: false }, 0),
        Kind::Turret => (Habit::Sit, 0),
        Kind::Seeker | Kind::Larva => (Habit::Home, 0),
        Kind::Chaser => (Habit::Chase { turned: false }, 0),
        Kind::Splitter => (Habit::Drift, tuning::SPLITTER_SPEED),
        Kind::Shard => (Habit::Drift, 0),
        Kind::Warden => (Habit::Drift, tuning::WARDEN_SPEED),
        Kind::Hive => (Habit::Brood { left: tuning::HIVE_BROOD }, 0),
        Kind::Carrier => (Habit::Carry { item: item.unwrap_or(Kind::SpeedUp), base_y, angle: 0 }, 0),
        Kind::Gunship => (Habit::Hover { base_y, angle: 0 }, 0),
        Kind::Mine => (Habit::Lurk, tuning::MINE_SPEED),
        Kind::Bomber => (Habit::Bomb, tuning::BOMBER_SPEED),
        Kind::Debris => (Habit::Drift, tuning::DEBRIS_SPEED),
        Kind::Sentry => (Habit::Guard, tuning::SENTRY_SPEED),
        Kind::Spore | Kind::Leech => (Habit::Weave { base_y, angle: 0 }, 0),
        Kind::Polyp => (Habit::Spit, 0),
        Kind::Mite => (Habit::Swarm, tuning::MITE_SPEED),
        Kind::Lancer => (Habit::Joust { glowing: false }, 0),
        Kind::Hatch => (Habit::Release { left: tuning::HATCH_DARTS, open: true }, 0),
        Kind::Rover => (Habit::Ride { rightwards: false }, 0),
        Kind::Grinder => (Habit::Pursue, 0),
        Kind::Salvager | Kind::Keeper | Kind::Brood | Kind::Matriarch | Kind::Gatehouse | Kind::Heart => {
            (Habit::Command { base_y, angle: 0, leaving: false, phase: 0, turn: 0 }, 0)
        }
        Kind::Block => (Habit::Rest, 0),
        Kind::SalvagerClaw | Kind::SalvagerEye | Kind::KeeperGun | Kind::KeeperCore => return None,
        Kind::BroodSac | Kind::BroodMaw | Kind::MatriarchArm | Kind::MatriarchEye => return None,
        Kind::GatehouseGun | Kind::GatehouseLock | Kind::HeartCoil | Kind::HeartCore => return None,
        Kind::Player | Kind::Force | Kind::Bit => return None,
        Kind::Shot | Kind::Beam | Kind::RedLaser | Kind::BlueLaser | Kind::YellowLaser | Kind::Missile => return None,
        Kind::RedCrystal | Kind::BlueCrystal | Kind::YellowCrystal => return None,
        Kind::MissilePack | Kind::BitPack | Kind::SpeedUp => return None,
        Kind::Pellet | Kind::Bomb | Kind::Lance => return None,
        Kind::Wall | Kind::Explosion | Kind::BigExplosion => return None,
    })
}

/// Lets wardens protect the enemies near them; they do not protect each other, nor bosses and blocks.
pub(crate) fn shield(world: &mut World) {
    let reach = i64::from(tuning::WARDEN_REACH / crate::SUBPIXELS);
    let foes = &mut world.state.foes;
    let first = foes.iter().position(|foe| foe.kind == Kind::Warden);
    for index in 0..foes.len() {
        let foe = &foes[index];
        let is_near = |warden: &Foe| (warden.position - foe.position).length_squared_px() <= reach * reach;
        let can_be = foe.kind.class() == Class::Enemy && foe.kind != Kind::Warden;
        let mut wardens = foes[first.unwrap_or(foes.len())..].iter().filter(|foe| foe.kind == Kind::Warden);
        let is_shielded = can_be && wardens.any(is_near);
        foes[index].shielded = is_shielded;
    }
}

/// Lets every foe but bosses act for one step.
pub(crate) fn fly(world: &mut World) {
    let blocks = Blocks::of(world);
    // New foes are pushed to the emptied table, and go behind the old ones: their ids are higher.
    let mut foes = std::mem::take(&mut world.state.foes);
    // Waiting begins when the quiet ends, so that they do not all fire at once then.
    let waited = u16::from(!world.is_quiet());
    for foe in &mut foes {
        foe.age = foe.age.saturating_add(1);
        foe.fire_in = foe.fire_in.saturating_sub(waited);
        foe.hurt = foe.hurt.saturating_sub(1);
        act(world, foe);
        steering::keep_clear(world, foe);
        foe.position += foe.velocity;
        let is_inside = |point: Vec2| world.is_terrain(point) || blocks.has(point);
        if tuning::BURST_ON_TERRAIN.contains(&foe.kind) && is_inside(foe.position) {
            // Nobody's doing: it brings no points.
            foe.health = 0;
        }
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
        Habit::Carry { .. } => flyers::carry(world, foe),
        Habit::Hover { .. } => flyers::hover(world, foe),
        Habit::Lurk => flyers::lurk(world, foe),
        Habit::Bomb => flyers::bomb(world, foe),
        Habit::Guard => flyers::guard(world, foe),
        Habit::Swarm => flyers::swarm(world, foe),
        Habit::Pursue => flyers::pursue(world, foe),
        Habit::Joust { .. } => flyers::joust(world, foe),
        Habit::Spit => grounders::spit(world, foe),
        Habit::Release { .. } => grounders::release(world, foe),
        Habit::Ride { .. } => grounders::ride(world, foe),
        Habit::Follow { .. } => flyers::follow(world, foe),
        Habit::Walk { .. } => grounders::walk(world, foe),
        Habit::Cling { .. } => grounders::cling(world, foe),
        Habit::Sit => grounders::sit(world, foe),
        Habit::Brood { .. } => grounders::brood(world, foe),
        Habit::Rest => foe.velocity = Vec2::new(-world.state.scrolled, 0),
        Habit::Drift | Habit::Command { .. } | Habit::Part { .. } => {}
    }
}

/// The velocity that brings a foe to where it should be on its swing about a height.
fn swing(foe: &Foe, base_y: i32, angle: u8, swing: Swing) -> i32 {
    base_y + swing.height(angle) - foe.position.y
}

/// Whether it is time to fire; if so, the time of the next shot is set.
pub(crate) fn may_fire(world: &World, foe: &mut Foe, interval: u16) -> bool {
    let in_view = (0..crate::px(crate::FIELD_WIDTH_PX)).contains(&foe.position.x);
    if foe.fire_in > 0 || !in_view {
        return false;
    }
    foe.fire_in = world.fire_interval(foe.kind, interval);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rules, Seat, Stage};

    fn fierceness(players: usize, wave: u32) -> u8 {
        let mut world = World::new(Stage::endless(), Rules::default(), 1);
        Seat::ALL[..players].iter().for_each(|&seat| assert!(world.join(seat)));
        world.state.waves.number = wave;
        world.fierceness()
    }

    #[test]
    fn late_waves_are_fiercer_in_company() {
        assert_eq!(fierceness(1, numbers::FIERCER_IN_COMPANY_FROM), fierceness(4, numbers::FIERCER_IN_COMPANY_FROM));
        assert_eq!([1, 2, 3, 4].map(|players| fierceness(players, 27)), [13, 15, 17, 19]);
        assert_eq!([1, 4].map(|players| fierceness(players, u32::MAX)), [24, 48]);
    }
}
