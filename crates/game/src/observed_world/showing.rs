//! What enemies show of what they are about to do: a weak point or a hatch that is open, a lancer that glows. When that begins
//! and ends follows from their time, which is not seen, but follows from what is shown.

use super::bounded;
use crate::{
    Frame, World, bosses,
    foe::{Foe, Habit},
    tuning::{self, Boss},
};

/// What a Frame shows of a foe that opens and closes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Showing {
    Open,
    Closed,
    /// It was just hurt, or is shielded: that hides the rest.
    Hidden,
}

impl Showing {
    fn of(animation: u8) -> Showing {
        match animation {
            3 => Showing::Open,
            0 => Showing::Closed,
            _ => Showing::Hidden,
        }
    }
}

/// Brings a foe's time in line with what it shows.
pub(super) fn follow(foe: &mut Foe, animation: u8, world: &World) {
    let showing = Showing::of(animation);
    if showing == Showing::Hidden {
        return;
    }
    let is_open = showing == Showing::Open;
    if let Habit::Release { left, .. } = foe.habit {
        follow_hatch(foe, is_open);
        foe.habit = Habit::Release { left, open: is_open };
    } else if let Habit::Joust { .. } = foe.habit {
        follow_lancer(foe, is_open, world);
        foe.habit = Habit::Joust { glowing: is_open };
    } else if foe.habit == Habit::Lurk && foe.is_lit() != is_open {
        foe.fire_in = if is_open { tuning::MINE_FUSE } else { tuning::MINE_UNLIT };
    }
}

fn follow_hatch(foe: &mut Foe, is_open: bool) {
    let was_open = foe.age % (tuning::HATCH_OPEN + tuning::HATCH_CLOSED) < tuning::HATCH_OPEN;
    if was_open != is_open {
        foe.age = if is_open { 0 } else { tuning::HATCH_OPEN };
    }
}

fn follow_lancer(foe: &mut Foe, is_glowing: bool, world: &World) {
    let looks = world.fire_interval(foe.kind, tuning::LANCER_LOOKS);
    let since = foe.age % (looks + tuning::LANCER_GLOWS + tuning::LANCER_FIRES);
    if foe.age <= tuning::LANCER_STAY && (since >= looks) != is_glowing {
        foe.age = foe.age - since + if is_glowing { looks } else { 0 };
    }
}

/// Holds the parts of a boss at its hull, and tells the hull its phase and how long its weak point has been open or closed.
pub(super) fn join_boss(foes: &mut [Foe], frame: &Frame) {
    let Some(view) = frame.boss() else { return };
    let Some((boss, hull)) = tuning::boss(view.kind).zip(frame.entity(view.hull)) else { return };
    let is_part = |foe: &Foe| boss.parts.iter().any(|(part, _)| *part == foe.kind);
    let weak_point = frame.entities.iter().find(|entity| entity.kind == boss.parts[0].0);
    let showing = weak_point.map_or(Showing::Hidden, |seen| Showing::of(seen.animation));
    let parts = foes.iter().filter(|foe| is_part(foe) && foe.kind != boss.parts[0].0).count();
    let remains = bosses::Remains { phase: view.phase.into(), parts: parts as u16 };
    let Some(is_open) =
        foes.iter_mut().find(|foe| foe.id == view.hull).and_then(|foe| turn(foe, boss, remains, showing))
    else {
        return;
    };
    for foe in foes.iter_mut().filter(|foe| is_part(foe)) {
        let open = is_open || foe.kind != boss.parts[0].0;
        let offset = foe.position - bounded(hull.position);
        foe.habit = Habit::Part { hull: view.hull, offset, open };
    }
}

/// Gives a hull the turn that its weak point shows. Returns whether the weak point is open.
fn turn(foe: &mut Foe, boss: &Boss, remains: bosses::Remains, showing: Showing) -> Option<bool> {
    let Habit::Command { base_y, angle, leaving, phase: before, turn } = foe.habit else { return None };
    let closed = bosses::closed_steps(boss, &boss.phases[remains.phase], remains);
    let turn = if usize::from(before) == remains.phase { turn } else { 0 };
    let turn = match showing {
        Showing::Open => turn.max(closed),
        Showing::Closed if turn >= closed => 0,
        Showing::Closed | Showing::Hidden => turn,
    };
    foe.habit = Habit::Command { base_y, angle, leaving, phase: remains.phase as u8, turn };
    Some(turn >= closed)
}
