//! Which cues the events of a tick trigger, and their captions.

use game::{Class, Event, Frame, GameState, Kind, Seat, tuning};

use crate::{language::Phrase, sound::Cue};

/// The most equal cues in one tick: more would only be louder.
const SAME_MAX: usize = 2;

/// The cues of events, given the Frame that is shown now and the one before.
pub fn cues(events: &[Event], before: &Frame, now: &Frame) -> Vec<Cue> {
    let mut cues: Vec<Cue> = Vec::new();
    for cue in events.iter().filter_map(|event| cue(event, before, now)) {
        if cues.iter().filter(|other| **other == cue).count() < SAME_MAX {
            cues.push(cue);
        }
    }
    let had_boss = before.entities.iter().any(is_hull);
    if !had_boss && now.entities.iter().any(is_hull) {
        cues.push(Cue::Warning);
    }
    cues
}

/// How loud the player's own charging beam hums, 0 to 255.
pub fn hum(frame: &Frame, own: Option<Seat>) -> u8 {
    own.and_then(|seat| frame.ship(seat)).map_or(0, |ship| ship.charge)
}

/// A cue as text, for players who cannot hear it. Shots and hits are obvious from the picture.
pub fn caption(cue: Cue) -> Option<Phrase> {
    Some(match cue {
        Cue::Beam => Phrase::CaptionBeam,
        Cue::ExplosionLarge => Phrase::CaptionExplosion,
        Cue::Item => Phrase::CaptionItem,
        Cue::ForceDock | Cue::ForceLaunch => Phrase::CaptionForce,
        Cue::Death => Phrase::CaptionDeath,
        Cue::ExtraLife => Phrase::CaptionExtraLife,
        Cue::Warning => Phrase::CaptionWarning,
        Cue::Shot
        | Cue::ChargeHum
        | Cue::Hit
        | Cue::ExplosionSmall
        | Cue::MenuMove
        | Cue::MenuChoose
        | Cue::Chat
        | Cue::StageClear
        | Cue::GameOver => return None,
    })
}

fn is_hull(entity: &game::Entity) -> bool {
    tuning::boss(entity.kind).is_some()
}

fn cue(event: &Event, before: &Frame, now: &Frame) -> Option<Cue> {
    let seen = |id| now.entity(id).or_else(|| before.entity(id));
    Some(match *event {
        Event::Fired { shot, .. } if seen(shot).is_some_and(|shot| shot.kind == Kind::Beam) => Cue::Beam,
        Event::Fired { .. } => Cue::Shot,
        Event::Hit { target, .. } => match seen(target)?.kind.class() {
            Class::Enemy | Class::Boss | Class::Block => Cue::Hit,
            Class::Player | Class::Gear | Class::PlayerShot | Class::EnemyShot => return None,
            Class::Item | Class::Wall | Class::Effect => return None,
        },
        Event::Destroyed { entity, gone: game::Gone::Destroyed } => {
            let kind = before.entity(entity)?.kind;
            match kind.class() {
                Class::Boss => Cue::ExplosionLarge,
                Class::Enemy | Class::Block if kind.size_px().0 >= 28 => Cue::ExplosionLarge,
                Class::Enemy | Class::Block => Cue::ExplosionSmall,
                // The death of a ship is an event of its own.
                Class::Player | Class::Gear | Class::PlayerShot | Class::EnemyShot => return None,
                Class::Item | Class::Wall | Class::Effect => return None,
            }
        }
        Event::Killed { .. } => Cue::Death,
        Event::Grabbed { side: Some(_), .. } => Cue::ForceDock,
        Event::Grabbed { .. } => Cue::Item,
        Event::Dropped { .. } => Cue::ForceLaunch,
        Event::ExtraLife { .. } => Cue::ExtraLife,
        Event::StateChanged { state: GameState::Won } => Cue::StageClear,
        Event::StateChanged { state: GameState::Lost } => Cue::GameOver,
        Event::StateChanged { state: GameState::Waiting | GameState::Running | GameState::TimedOut } => return None,
        Event::Spawned { .. } | Event::Destroyed { gone: game::Gone::Departed, .. } => return None,
        Event::Joined { .. } | Event::Left { .. } | Event::TimedOut { .. } => return None,
    })
}

#[cfg(test)]
mod tests {
    use game::{Entity, EntityId, Gone, Vec2};

    use super::*;

    #[test]
    fn many_hits_make_few_sounds_and_large_enemies_explode_louder() {
        let entity = |id, kind| Entity::new(EntityId(id), kind, Vec2::ZERO);
        let before = Frame { entities: vec![entity(1, Kind::Drone), entity(2, Kind::Gunship)], ..Frame::default() };
        let gone = |id| Event::Destroyed { entity: EntityId(id), gone: Gone::Destroyed };
        let hit = Event::Hit { by: EntityId(9), target: EntityId(1) };
        let heard = cues(&[hit, hit, hit, hit, gone(1), gone(2)], &before, &Frame::default());
        assert_eq!(heard, [Cue::Hit, Cue::Hit, Cue::ExplosionSmall, Cue::ExplosionLarge]);
    }

    #[test]
    fn a_boss_is_announced_once() {
        let boss = Entity::new(EntityId(1), Kind::Keeper, Vec2::ZERO);
        let with = Frame { entities: vec![boss], ..Frame::default() };
        assert_eq!(cues(&[], &Frame::default(), &with), [Cue::Warning]);
        assert_eq!(cues(&[], &with, &with), []);
    }
}
