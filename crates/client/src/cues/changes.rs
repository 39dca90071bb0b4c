//! The cues of what differs between two Frames that are shown after each other.

use game::{Class, Entity, Event, Frame, GameState, Kind, Player, Seat, tuning, units::TICKS_PER_SECOND};

use super::at;
use crate::sound::{Cue, Heard};

/// A shot that comes so close to the middle of the player's ship passes narrowly, in pixels.
const NEAR_PX: (i32, i32) = (26, 15);
/// A Force that is away and comes nearer at this speed was called, in sub-pixels a tick: nothing else moves it as fast.
const CALLED_SPEED: i32 = game::px(200) / TICKS_PER_SECOND;
/// What shows that a weak point is open, and that something was just hurt.
const OPEN: u8 = 3;
const JUST_HURT: u8 = 1;

/// The cues of all changes.
pub fn cues(before: &Frame, now: &Frame, own: Option<Seat>) -> Vec<Heard> {
    let mut heard: Vec<Heard> = arrivals(before, now).collect();
    if before.tick.0 == 0 || before.stage != now.stage {
        return heard;
    }
    heard.extend(boss_changes(before, now));
    heard.extend(gate(before, now));
    heard.extend(returns(before, now));
    if now.wave > before.wave && now.wave > 1 {
        heard.push(Heard { cue: Cue::Wave, pan: 0 });
    }
    if let Some(own) = own {
        heard.extend(own_changes(before, now, own));
    }
    heard
}

/// A boss comes, or something that closes in from behind, which is also where it is heard.
fn arrivals(before: &Frame, now: &Frame) -> impl Iterator<Item = Heard> {
    let boss = now.boss().is_some() && before.boss().is_none();
    let pursuer = |frame: &Frame| frame.entities.iter().find(|entity| entity.kind == Kind::Grinder).copied();
    let chase = pursuer(now).filter(|_| pursuer(before).is_none());
    let boss = boss.then_some(Heard { cue: Cue::Warning, pan: 0 });
    boss.into_iter().chain(chase.map(|pursuer| at(Cue::Warning, pursuer.position)))
}

/// Weak points open and close; with each third of its health a boss fights differently.
fn boss_changes(before: &Frame, now: &Frame) -> Vec<Heard> {
    let mut heard = Vec::new();
    for point in now.entities.iter().filter(|entity| tuning::is_weak_point(entity.kind)) {
        let Some(was) = before.entity(point.id) else { continue };
        // Just after a hit it does not show whether it is open.
        let is_known = point.animation != JUST_HURT && was.animation != JUST_HURT;
        match (was.animation == OPEN, point.animation == OPEN) {
            (false, true) if is_known => heard.push(at(Cue::CoreOpens, point.position)),
            (true, false) if is_known => heard.push(at(Cue::CoreCloses, point.position)),
            _ => {}
        }
    }
    heard.extend(next_phase(before, now));
    heard
}

fn next_phase(before: &Frame, now: &Frame) -> Option<Heard> {
    let (was, boss) = (before.boss()?, now.boss()?);
    let is_next = was.hull == boss.hull && was.phase < boss.phase && boss.health > 0;
    is_next.then(|| now.entity(boss.hull).map(|hull| at(Cue::BossPhase, hull.position)))?
}

/// A wall begins to move up or down, in a dialect that shows gates as walls.
fn gate(before: &Frame, now: &Frame) -> Option<Heard> {
    let moves = |entity: &Entity| entity.velocity.y != 0;
    let walls = now.entities.iter().filter(|entity| entity.kind == Kind::Wall && moves(entity));
    let begins = |wall: &&Entity| before.entity(wall.id).is_some_and(|was| !moves(was));
    walls.into_iter().find(begins).map(|wall| at(Cue::Gate, wall.position))
}

/// A ship that was lost is back.
fn returns(before: &Frame, now: &Frame) -> Option<Heard> {
    let is_running = before.state == GameState::Running && now.state == GameState::Running;
    let is_new_game = now.events.iter().any(|event| matches!(event, Event::StateChanged { .. } | Event::Joined { .. }));
    let is_back = |seat: &Seat| before.players[seat.index()].is_some() && before.ship(*seat).is_none();
    let ship = Seat::ALL.into_iter().filter(is_back).find_map(|seat| now.ship(seat))?;
    (is_running && !is_new_game).then(|| at(Cue::Return, ship.position))
}

/// What only the player hears: the full gauge, the Force that comes when called, the chain, and what passes narrowly.
fn own_changes(before: &Frame, now: &Frame, own: Seat) -> Vec<Heard> {
    let mut heard = Vec::new();
    if let (Some(was), Some(ship)) = (before.ship(own), now.ship(own)) {
        if ship.charge == u8::MAX && was.charge < u8::MAX {
            heard.push(at(Cue::ChargeFull, ship.position));
        }
        let force =
            |frame: &Frame| frame.entities.iter().copied().find(|it| it.kind == Kind::Force && it.seat == Some(own));
        if let (Some(force_was), Some(force)) = (force(before), force(now))
            && is_called(&force, ship)
            && force_was.attached.is_none()
            && !is_called(&force_was, was)
        {
            heard.push(at(Cue::ForceRecall, force.position));
        }
        let passing =
            now.entities.iter().filter(|entity| entity.kind.class() == Class::EnemyShot && is_near(entity, ship));
        let narrowly = |shot: &&Entity| before.entity(shot.id).is_some_and(|it| !is_near(it, was));
        heard.extend(passing.into_iter().find(narrowly).map(|shot| at(Cue::NearMiss, shot.position)));
    }
    heard.extend(chain(before.players[own.index()], now.players[own.index()]));
    heard
}

fn is_called(force: &Entity, ship: &Entity) -> bool {
    let way = ship.position - force.position;
    let nearer = i64::from(force.velocity.x) * i64::from(way.x) + i64::from(force.velocity.y) * i64::from(way.y) > 0;
    let speed = i64::from(force.velocity.x).pow(2) + i64::from(force.velocity.y).pow(2);
    force.attached.is_none() && nearer && speed > i64::from(CALLED_SPEED).pow(2)
}

fn is_near(shot: &Entity, ship: &Entity) -> bool {
    let aside = shot.position - ship.position;
    aside.x.abs() < game::px(NEAR_PX.0) && aside.y.abs() < game::px(NEAR_PX.1)
}

/// The chain multiplies by more, or one that multiplied is over.
fn chain(before: Option<Player>, now: Option<Player>) -> Option<Heard> {
    let multiple = |player: Player| tuning::score::multiple(player.chain);
    let (was, is) = (multiple(before?), multiple(now?));
    let cue = match () {
        () if is > was => Cue::ChainUp,
        () if was > 1 && now?.chain == 0 => Cue::ChainLost,
        () => return None,
    };
    Some(Heard { cue, pan: 0 })
}
