//! Bosses: a hull that nothing hurts, parts that can be shot off, and one weak point that opens and closes. What they do
//! depends on the phase and on which parts are left. A boss that is not beaten in time leaves.
//!
//! Start reading at [`fly`]; the numbers are in `tuning/bosses.rs`.

use crate::{
    EntityId, Kind, Vec2, World,
    bullets::{self, Fan, Ring},
    foe::{Foe, Habit},
    foes::{Arrival, may_fire},
    player_state::Ship,
    tuning::{
        self, Attack, BOSS_WARNING, Boss, CURTAIN_STEP_PX, CURTAIN_WANDERS, Phase, RELEASED_MAX, SideAttack, Volley,
        is_weak_point,
    },
    units::{FIELD_HEIGHT_PX, FIELD_WIDTH_PX, px},
};

/// Where a hull is and what its parts need to know of it.
pub(crate) struct HullState {
    id: EntityId,
    position: Vec2,
    velocity: Vec2,
    boss: &'static Boss,
    phase: &'static Phase,
    open: bool,
    /// Whether it is in its place and fights.
    fights: bool,
}

/// What is left of a boss.
#[derive(Clone, Copy)]
pub(crate) struct Remains {
    /// The index of its phase.
    pub phase: usize,
    /// Parts beside the weak point.
    pub parts: u16,
}

/// Where a boss comes in: outside the field with all its width.
pub(crate) fn entrance_x(hull: Kind) -> i32 {
    px(FIELD_WIDTH_PX + tuning::body(hull).size_px.0 / 2 + 8)
}

/// Adds the parts of a boss to its hull; for any other kind there are none.
pub(crate) fn spawn_parts(world: &mut World, kind: Kind, hull: EntityId, position: Vec2) {
    let Some(boss) = tuning::boss(kind) else { return };
    for &(part, (x, y)) in boss.parts {
        let offset = Vec2::new(px(x), px(y));
        // Only the weak point is ever closed.
        let open = part != boss.parts[0].0;
        world.spawn_foe(part, position + offset, Habit::Part { hull, offset, open });
    }
}

/// Moves hulls, then their parts with them, and fires their guns.
pub(crate) fn fly(world: &mut World) {
    if !world.boss_is_here() {
        return;
    }
    let mut foes = std::mem::take(&mut world.state.foes);
    let mut hulls = std::mem::take(&mut world.scratch.hulls);
    hulls.clear();
    for index in 0..foes.len() {
        if let Some(boss) = tuning::boss(foes[index].kind) {
            let remains = remains_of(&foes, foes[index].id);
            hulls.extend(command_hull(world, &mut foes[index], boss, remains));
        }
    }
    for foe in &mut foes {
        let Habit::Part { hull, offset, .. } = foe.habit else { continue };
        // Parts whose hull has just left the field drift after it.
        if let Some(hull) = hulls.iter().find(|known| known.id == hull) {
            follow_hull(world, foe, hull, offset);
        }
    }
    world.scratch.hulls = hulls;
    foes.append(&mut world.state.foes);
    world.state.foes = foes;
}

fn remains_of(foes: &[Foe], hull: EntityId) -> Remains {
    let parts = foes.iter().filter(|foe| matches!(foe.habit, Habit::Part { hull: own, .. } if own == hull));
    let mut remains = Remains { phase: 0, parts: 0 };
    for part in parts {
        if is_weak_point(part.kind) {
            remains.phase = Boss::phase_at(part.health, part.health_max);
        } else {
            remains.parts += 1;
        }
    }
    remains
}

/// Steers a hull, opens and closes its weak point, and lets a hull without parts fire.
fn command_hull(world: &mut World, foe: &mut Foe, boss: &'static Boss, remains: Remains) -> Option<HullState> {
    let Habit::Command { base_y, angle, leaving, phase: before, turn } = foe.habit else { return None };
    let phase = &boss.phases[remains.phase];
    let leaving = leaving || foe.age >= boss.patience;
    let angle = if foe.age.is_multiple_of(phase.sways_every) { angle.wrapping_add(boss.sway.winding) } else { angle };
    let x = speed_ahead(foe, boss, phase, leaving);
    foe.velocity = Vec2::new(x, base_y + boss.sway.height(angle) - foe.position.y);
    let fights = !leaving && foe.age >= BOSS_WARNING && foe.position.x <= boss.rest_x;
    let closed = closed_steps(boss, phase, remains);
    // With a new phase it closes at once, so that the change is seen.
    let turn = match turn.saturating_add(1) {
        _ if !fights || usize::from(before) != remains.phase => 0,
        turn if turn >= closed + phase.open => 0,
        turn => turn,
    };
    foe.habit = Habit::Command { base_y, angle, leaving, phase: remains.phase as u8, turn };
    if fights && remains.parts == 0 && may_fire(world, foe, phase.bare.every) {
        fire(world, foe, phase.bare);
    }
    if fights && foe.age.is_multiple_of(tuning::SIDE_ATTACKS_EVERY) {
        attack_from_the_side(world, foe.position, phase.side_attack);
    }
    let open = fights && turn >= closed;
    Some(HullState { id: foe.id, position: foe.position, velocity: foe.velocity, boss, phase, open, fights })
}

/// Waits outside for the warning, comes in, keeps the place of its phase, and goes when its time is over.
fn speed_ahead(foe: &Foe, boss: &Boss, phase: &Phase, leaving: bool) -> i32 {
    if leaving {
        return boss.speed;
    }
    if foe.age < BOSS_WARNING {
        return 0;
    }
    (boss.rest_x - phase.ahead - foe.position.x).clamp(-boss.speed, boss.speed)
}

/// Every part that is shot off shortens the time for which the weak point is closed.
pub(crate) fn closed_steps(boss: &Boss, phase: &Phase, remains: Remains) -> u16 {
    phase.closed * (1 + remains.parts) / boss.parts.len() as u16
}

fn follow_hull(world: &mut World, part: &mut Foe, hull: &HullState, offset: Vec2) {
    let is_weak_point = part.kind == hull.boss.parts[0].0;
    let open = !is_weak_point || hull.open;
    part.habit = Habit::Part { hull: hull.id, offset, open };
    part.position = hull.position + offset;
    part.velocity = hull.velocity;
    let volley = if is_weak_point { hull.phase.weak_point } else { hull.phase.parts };
    if hull.fights && open && may_fire(world, part, volley.every) {
        fire(world, part, volley);
    }
}

fn fire(world: &mut World, from: &Foe, volley: Volley) {
    let (position, speed) = (from.position, tuning::PELLET_SPEED);
    // Which volley it is, about: enough to turn patterns by.
    let nth = (from.age / volley.every.max(1)) as u8;
    match volley.attack {
        Attack::Aimed { pellets, apart } => bullets::aim_fan(world, position, Fan { pellets, apart }),
        Attack::Fan { pellets, apart } => bullets::fan(world, position, Vec2::new(-speed, 0), Fan { pellets, apart }),
        Attack::Ring { pellets } => {
            bullets::ring(world, position, Ring { pellets, turned: nth.wrapping_mul(7), speed })
        }
        Attack::Spiral { arms: pellets, turn } => {
            bullets::ring(world, position, Ring { pellets, turned: nth.wrapping_mul(turn), speed });
        }
        Attack::Lance => {
            world.spawn_bullet(Kind::Lance, position, Vec2::new(-tuning::LANCE_SPEED, 0));
        }
        Attack::Lob { bombs } => lob(world, position, bombs),
        Attack::Curtain { gap_px } => curtain(world, position, gap_px, nth),
        Attack::Release(kind) => release(world, position, kind),
    }
}

/// Bombs in arcs to the left, each further than the one before.
fn lob(world: &mut World, from: Vec2, bombs: u8) {
    for bomb in 1..=i32::from(bombs) {
        let across = -tuning::LOB_ACROSS_MAX * bomb / i32::from(bombs);
        world.spawn_bullet(Kind::Bomb, from, Vec2::new(across, -tuning::LOB_SPEED));
    }
}

/// A column of pellets with a gap that wanders, so that one can learn where it will be.
fn curtain(world: &mut World, from: Vec2, gap_px: i32, nth: u8) {
    let gap = px(FIELD_HEIGHT_PX / 2) + CURTAIN_WANDERS.height(nth.wrapping_mul(CURTAIN_WANDERS.winding));
    for y_px in (CURTAIN_STEP_PX / 2..FIELD_HEIGHT_PX).step_by(CURTAIN_STEP_PX as usize) {
        if (px(y_px) - gap).abs() > px(gap_px) / 2 {
            let velocity = Vec2::new(-tuning::PELLET_SPEED, 0);
            world.spawn_bullet(Kind::Pellet, Vec2::new(from.x, px(y_px)), velocity);
        }
    }
}

/// Attacks a ship that stays where it is from where no Force protects it.
fn attack_from_the_side(world: &mut World, from: Vec2, attack: SideAttack) {
    let stays = |ship: &Ship| ship.unnoticed == 0 && ship.stays_for >= tuning::STAYS_LONG;
    let Some(ship) = world.ships().find(|(_, ship)| stays(ship)).map(|(_, ship)| ship.position) else { return };
    match attack {
        SideAttack::Mortar { bombs } => mortar(world, from, Salvo { at: ship, bombs }),
        SideAttack::Ambush(kind) => release(world, Vec2::new(-px(tuning::FROM_BEHIND_PX), ship.y), kind),
    }
}

/// Bombs that come down side by side.
struct Salvo {
    at: Vec2,
    bombs: u8,
}

fn mortar(world: &mut World, from: Vec2, salvo: Salvo) {
    let bombs = i32::from(salvo.bombs);
    for bomb in 0..bombs {
        let aside = px(tuning::MORTAR_APART_PX) * (2 * bomb + 1 - bombs) / 2;
        bullets::drop_on(world, from, salvo.at + Vec2::new(aside, 0));
    }
}

fn release(world: &mut World, position: Vec2, kind: Kind) {
    if world.state.foe_count < RELEASED_MAX {
        world.spawn_foe_of(Arrival { kind, position, item: None, path: None });
    }
}

/// Whether the death of this part is the death of the boss; if so, the hull.
pub(crate) fn beaten_hull(part: &Foe) -> Option<EntityId> {
    let Habit::Part { hull, .. } = part.habit else { return None };
    is_weak_point(part.kind).then_some(hull)
}
