//! What flies keeps out of terrain, or bursts on it.

use std::{ops::Range, sync::Arc};

use game::{
    Buttons, Class, Departure, Difficulty, Entity, Event, GameState, Input, Kind, Rules, SEATS, Seat, Stage, World, px,
    tuning, units::px_per_second,
};

use crate::scene::{Scene, in_px, scrolling};

/// A field of tiles, open but for a wreck.
fn with_wreck(columns: Range<usize>, rows: Range<usize>) -> Arc<Stage> {
    let tile = |column, row| if columns.contains(&column) && rows.contains(&row) { '#' } else { ' ' };
    let lines: Vec<String> = (0..17).map(|row| (0..60).map(|column| tile(column, row)).collect()).collect();
    scrolling(&lines.iter().map(String::as_str).collect::<Vec<_>>(), px_per_second(48), &[0])
}

/// Whether the middle of something is inside a solid tile.
fn is_inside(world: &World, entity: &Entity) -> bool {
    let scroll = i64::from(world.frame().scroll_px) * i64::from(px(1));
    world.stage().terrain.solid_at(scroll + i64::from(entity.position.x), entity.position.y)
}

#[test]
fn what_weaves_hovers_or_flies_level_goes_round_terrain() {
    let swings = [Kind::Drone, Kind::Leech, Kind::Spore, Kind::Carrier, Kind::Gunship];
    let level = [Kind::Warden, Kind::Splitter, Kind::Mine, Kind::Bomber, Kind::Sentry, Kind::Lancer];
    for kind in swings.into_iter().chain(level) {
        let mut scene = Scene::of(with_wreck(20..44, 5..9), Rules::default(), 0);
        let flier = scene.spawn(kind, (490, 60));
        let below = scene.spawn(kind, (490, 165));
        for _ in 0..700 {
            scene.wait(1);
            for entity in [flier, below].into_iter().filter_map(|id| scene.entity(id)) {
                assert!(!is_inside(&scene.world, &entity), "{} at {:?}", kind.name(), entity.position);
            }
        }
    }
}

#[test]
fn what_meets_nothing_flies_as_ever() {
    let course = |stage| {
        let mut scene = Scene::of(stage, Rules::default(), 0);
        let drone = scene.spawn(Kind::Drone, (490, 60));
        let mut places = Vec::new();
        for _ in 0..240 {
            scene.wait(1);
            places.extend(scene.entity(drone).map(|drone| drone.position));
        }
        places
    };
    assert_eq!(course(with_wreck(0..0, 0..0)), course(with_wreck(0..60, 12..17)));
}

#[test]
fn what_aims_swarms_or_tumbles_bursts_on_terrain_and_brings_no_points() {
    for kind in tuning::BURST_ON_TERRAIN {
        let mut scene = Scene::of(with_wreck(20..44, 5..9), Rules::default(), 1);
        // Its middle is inside: there it comes to be seen for a moment only.
        let flier = scene.spawn(kind, (330, 110));
        scene.wait(1);
        assert!(!scene.has(flier), "{}", kind.name());
        assert_eq!((scene.count(Kind::Explosion), scene.frame().score), (1, 0), "{}", kind.name());
    }
}

#[test]
fn what_aims_swarms_or_tumbles_bursts_on_blocks_too() {
    for kind in tuning::BURST_ON_TERRAIN {
        let mut scene = Scene::with_players(1);
        let block = scene.spawn(Kind::Block, (328, 104));
        let flier = scene.spawn(kind, (330, 106));
        scene.wait(1);
        assert!(!scene.has(flier) && scene.has(block), "{}", kind.name());
    }
}

#[test]
fn blocks_stop_enemy_shots() {
    // A wall with a hole.
    let mut scene = Scene::with_players(1);
    for row in (2..14).filter(|row| *row != 8) {
        scene.spawn(Kind::Block, (248, 16 * row + 8));
    }
    let lances_beyond = |scene: &mut Scene, y: i32| {
        scene.fly_to((60, 30));
        let sentry = scene.spawn(Kind::Sentry, (440, y));
        let mut beyond = 0;
        for _ in 0..180 {
            scene.wait(1);
            let lances = scene.all_of(Kind::Lance);
            beyond += lances.iter().filter(|lance| in_px(lance.position).0 < 230).count();
        }
        assert!(scene.has(sentry), "it is still there");
        beyond
    };
    assert_eq!(lances_beyond(&mut scene, 72), 0);
    assert!(lances_beyond(&mut scene, 136) > 0, "through the hole they come");
}

/// Everybody flies up and down and fires at nothing; who is out begins again.
fn press_on(world: &mut World, tick: u32) {
    for (seat, player) in Seat::ALL.into_iter().zip(world.frame().players) {
        if player.is_none_or(|player| player.lives == 0) {
            world.leave(seat, Departure::Left);
            world.join(seat);
        }
    }
    let inputs = std::array::from_fn::<_, SEATS, _>(|seat| {
        let up = (tick / 40 + seat as u32).is_multiple_of(2);
        Input::holding(if up { Buttons::UP } else { Buttons::DOWN })
    });
    world.tick(&inputs);
}

/// The ticks that fliers and items spent inside solid tiles of a stage in which nobody fires, and those of each kind.
fn ticks_inside(name: &str, difficulty: Difficulty) -> (u32, Vec<(Kind, u32)>) {
    let stage = Stage::built_in(name).expect("it is built in");
    let mut world = World::new(stage, Rules { lives: 9, ..Rules::of(difficulty) }, 5);
    Seat::ALL.into_iter().for_each(|seat| assert!(world.join(seat)));
    world.start();
    let mut of_kinds: Vec<(Kind, u32)> = Vec::new();
    for tick in 0..20 * 60 * 60 {
        press_on(&mut world, tick);
        if world.game_state() != GameState::Running {
            break;
        }
        for entity in world.frame().entities {
            let flies = matches!(entity.kind.class(), Class::Enemy | Class::Item);
            let in_view = (0..px(480)).contains(&entity.position.x);
            if flies && in_view && is_inside(&world, &entity) {
                match of_kinds.iter_mut().find(|(kind, _)| *kind == entity.kind) {
                    Some((_, ticks)) => *ticks += 1,
                    None => of_kinds.push((entity.kind, 1)),
                }
            }
        }
    }
    assert_eq!(world.game_state(), GameState::Won, "{name} {}: it was seen to its end", difficulty.name());
    (of_kinds.iter().map(|(_, ticks)| ticks).sum(), of_kinds)
}

/// In the whole of a stage, of some 200 enemies: about a second and a half.
const TICKS_INSIDE_MAX: u32 = 100;

#[test]
fn in_no_stage_do_fliers_or_items_pass_through_terrain() {
    for name in ["stage1", "stage2", "stage3"] {
        for difficulty in Difficulty::ALL {
            let (ticks, of_kinds) = ticks_inside(name, difficulty);
            println!("{name} {:<7} {ticks} ticks inside solid tiles {of_kinds:?}", difficulty.name());
            assert!(ticks <= TICKS_INSIDE_MAX, "{name} {}: {ticks} ticks {of_kinds:?}", difficulty.name());
        }
    }
}

/// The first seconds of the first stage, nobody touching anything.
#[test]
fn drones_that_harm_nobody_come_at_least_every_five_seconds_at_first() {
    let mut world = World::new(Stage::built_in("stage1").expect("it is built in"), Rules::default(), 1);
    assert!(world.join(Seat::ALL[0]));
    world.start();
    let mut came = vec![0];
    for tick in 0..15 * 60 {
        world.tick(&Default::default());
        let is_enemy = |event: &Event| match event {
            Event::Spawned { entity } => world.frame().entity(*entity).is_some_and(|it| it.kind == Kind::Drone),
            _ => false,
        };
        if world.events().iter().any(is_enemy) {
            came.push(tick);
        }
    }
    let longest = came.windows(2).map(|pair| pair[1] - pair[0]).max();
    assert!(longest.is_some_and(|ticks| ticks < 5 * 60), "{came:?}");
}
