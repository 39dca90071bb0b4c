//! The endless stage: waves from the seed, forever harder, with bosses, without end.

use std::collections::BTreeSet;

use game::{Class, Event, Frame, GameState, Kind, Rules, Stage, World, tuning};

/// From the top: where names and lives end, and where the score begins, in pixels.
const HUD_PX: (i32, i32) = (22, 258);

/// Plays endless without players: nothing is shot, everything passes by.
fn watch(seed: u64, ticks: u32, mut see: impl FnMut(&World, &Frame)) -> World {
    let mut world = World::new(Stage::endless(), Rules::default(), seed);
    world.start();
    let mut frame = Frame::default();
    for _ in 0..ticks {
        world.tick(&Default::default());
        world.frame_into(&mut frame);
        see(&world, &frame);
    }
    world
}

/// The kinds of enemies in the order in which they come.
fn coming(seed: u64, ticks: u32) -> Vec<Kind> {
    let mut kinds = Vec::new();
    watch(seed, ticks, |_, frame| {
        for event in &frame.events {
            if let Event::Spawned { entity } = event
                && let Some(entity) = frame.entity(*entity)
            {
                kinds.push(entity.kind);
            }
        }
    });
    kinds
}

#[test]
fn the_same_seed_brings_the_same_waves_and_another_seed_others() {
    let (first, again, other) = (coming(1, 3600), coming(1, 3600), coming(2, 3600));
    assert_eq!(first, again);
    assert_ne!(first, other);
    assert!(first.len() > 30);
}

#[test]
fn the_first_wave_brings_a_carrier() {
    for seed in 0..10 {
        assert_eq!(coming(seed, 600).iter().find(|kind| kind.class() == Class::Enemy), Some(&Kind::Carrier));
    }
}

#[test]
fn later_it_is_harder() {
    let mut per_minute = [0; 10];
    let mut tick = 0;
    watch(3, 36_000, |_, frame| {
        let spawned = frame.events.iter().filter(|event| matches!(event, Event::Spawned { .. })).count();
        per_minute[tick / 3600] += spawned;
        tick += 1;
    });
    let (early, late): (usize, usize) = (per_minute[..2].iter().sum(), per_minute[8..].iter().sum());
    assert!(late > early, "{per_minute:?}");
}

#[test]
fn later_enemies_stand_more() {
    let mut healths = Vec::new();
    watch(3, 30_000, |_, frame| {
        healths.extend(frame.entities.iter().filter(|it| it.kind == Kind::Carrier).map(|it| it.health_max));
    });
    assert!(healths.last() > healths.first());
}

#[test]
fn bosses_come_and_it_never_ends() {
    let mut bosses = BTreeSet::new();
    let world = watch(4, 45_000, |_, frame| {
        bosses.extend(frame.entities.iter().map(|it| it.kind).filter(|kind| tuning::boss(*kind).is_some()));
    });
    assert!(bosses.len() >= 2, "{bosses:?}: they take turns");
    assert_eq!(world.game_state(), GameState::Running);
}

#[test]
fn all_kinds_of_enemies_come_in_time() {
    let mut seen = BTreeSet::new();
    for seed in 0..3 {
        watch(seed, 30_000, |_, frame| {
            seen.extend(frame.entities.iter().map(|it| it.kind).filter(|kind| kind.class() == Class::Enemy));
        });
    }
    // Shards are what is left of a splitter that was shot, and here nobody shoots. What holds on to terrain finds none, and
    // without a corridor one could fly round a grinder.
    let stays_away = |kind: Kind| {
        matches!(
            kind,
            Kind::Shard
                | Kind::Walker
                | Kind::Clinger
                | Kind::Turret
                | Kind::Polyp
                | Kind::Hatch
                | Kind::Rover
                | Kind::Grinder
        )
    };
    let missing: Vec<_> = Kind::ALL
        .iter()
        .filter(|kind| kind.class() == Class::Enemy && !stays_away(**kind) && !seen.contains(kind))
        .collect();
    assert!(missing.is_empty(), "{missing:?} never came: put them into tuning/waves.rs");
}

#[test]
fn nothing_flies_where_the_score_is_shown() {
    for seed in 5..8 {
        watch(seed, 30_000, |_, frame| {
            for enemy in frame.entities.iter().filter(|it| it.kind.class() == Class::Enemy) {
                let half = tuning::body(enemy.kind).hit_px.1 / 2;
                let height = enemy.position.y / game::SUBPIXELS;
                let (top, bottom) = (height - half, height + half);
                assert!(top >= HUD_PX.0 && bottom <= HUD_PX.1, "a {} from {top} to {bottom}", enemy.kind.name());
            }
        });
    }
}

#[test]
fn alone_a_loss_begins_the_wave_again() {
    let mut world = World::new(Stage::endless(), Rules { lives: 9, ..Rules::default() }, 1);
    world.join(game::Seat::ALL[0]);
    world.start();
    let mut deaths = 0;
    for _ in 0..7200 {
        world.tick(&Default::default());
        deaths += world.events().iter().filter(|event| matches!(event, Event::Killed { .. })).count();
        if deaths == 1 {
            break;
        }
    }
    assert_eq!(deaths, 1, "a ship that does nothing is hit some day");
    let scroll = world.frame().scroll_px;
    (0..125).for_each(|_| world.tick(&Default::default()));
    let frame = world.frame();
    assert!(frame.ship(game::Seat::ALL[0]).is_some());
    assert!(frame.entities.iter().all(|it| it.kind.class() != Class::Enemy), "the field is empty");
    assert!(frame.scroll_px >= scroll, "there is no way back in what has no checkpoints");
    (0..600).for_each(|_| world.tick(&Default::default()));
    assert!(world.frame().entities.iter().any(|it| it.kind.class() == Class::Enemy), "and the wave comes again");
}
