//! What a Frame promises to those who make bytes or pictures of it.

use std::collections::BTreeMap;

use game::{Buttons, Class, Event, Frame, Input, Kind, Rules, Seat, Stage, Vec2, World, px, tuning};

use crate::scene::{ONE, Scene};

/// A lively game: four players in endless, pressing this and that.
fn lively(ticks: u32, mut see: impl FnMut(&Frame)) {
    let mut world = World::new(Stage::endless(), Rules { lives: 9, ..Rules::default() }, 11);
    Seat::ALL.into_iter().for_each(|seat| assert!(world.join(seat)));
    world.start();
    for tick in 0..ticks {
        let inputs = std::array::from_fn(|seat| {
            let bits = (tick / 7 * (seat as u32 + 3)) as u8;
            Input { held: Buttons::from_bits(bits), pressed: Buttons::from_bits(bits << 2) }
        });
        world.tick(&inputs);
        see(&world.frame());
    }
}

#[test]
fn entities_are_sorted_by_id() {
    lively(3000, |frame| assert!(frame.entities.is_sorted_by(|a, b| a.id < b.id)));
}

#[test]
fn everything_is_in_the_coordinates_of_the_field() {
    lively(3000, |frame| {
        for entity in &frame.entities {
            let (x, y) = (entity.position.x, entity.position.y);
            assert!((-tuning::OUTSIDE..=px(480 + 48 + 80)).contains(&x), "{entity:?}");
            assert!((-tuning::OUTSIDE..=px(270) + tuning::OUTSIDE).contains(&y), "{entity:?}");
        }
    });
}

#[test]
fn a_frame_has_the_events_of_both_steps_of_its_tick() {
    let mut world = World::new(Stage::sketch(&[]), Rules::default(), 1);
    world.join(ONE);
    world.start();
    world.tick(&Default::default());
    world.step(&Default::default());
    let drone = world.spawn(Kind::Drone, Vec2::new(px(200), px(100))).unwrap();
    world.step(&Default::default());
    assert!(world.frame().events.contains(&Event::Spawned { entity: drone }));
    world.tick(&Default::default());
    assert!(world.frame().events.is_empty(), "and only those");
}

#[test]
fn what_happens_between_two_ticks_is_in_the_second() {
    let mut scene = Scene::open();
    scene.world.join(Seat::ALL[1]);
    assert!(scene.frame().events.is_empty());
    scene.wait(1);
    assert!(scene.events.contains(&Event::Joined { seat: Seat::ALL[1] }));
}

#[test]
fn velocity_tells_where_a_thing_will_be() {
    // What turns, swings, falls or homes is elsewhere than its last velocity says, but never by much: a larva that
    // turns round in a tick, by twice its way.
    const OFF: i32 = px(4);
    let mut before: BTreeMap<game::EntityId, game::Entity> = BTreeMap::new();
    let mut checked = 0;
    lively(3000, |frame| {
        for now in &frame.entities {
            // A dive or a reflection begins at once, and gear and ships are moved by hand.
            let steady = !matches!(now.kind.class(), Class::Player | Class::Gear)
                && !matches!(now.kind, Kind::Dart | Kind::BlueLaser | Kind::YellowLaser | Kind::Chaser);
            if let Some(then) = before.get(&now.id).filter(|_| steady) {
                let off = now.position - then.position - then.velocity;
                assert!(off.x.abs() <= OFF && off.y.abs() <= OFF, "{then:?} became {now:?}");
                checked += 1;
            }
        }
        before = frame.entities.iter().map(|entity| (entity.id, *entity)).collect();
    });
    assert!(checked > 10_000);
}

#[test]
fn velocity_tells_what_a_ship_really_did() {
    let mut scene = Scene::open();
    scene.hold(Buttons::RIGHT, 5);
    let before = scene.ship().position;
    scene.hold(Buttons::RIGHT, 1);
    assert_eq!(scene.ship().velocity, scene.ship().position - before);
    scene.hold(Buttons::LEFT | Buttons::UP, 600);
    assert_eq!(scene.ship().velocity, Vec2::ZERO, "in the corner it is at rest");
}

#[test]
fn a_crawling_flame_tells_its_velocity_over_the_field() {
    let rows = crate::scene::with_floor(60);
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let stage = crate::scene::scrolling(&rows, game::units::px_per_second(20), &[0]);
    let mut scene = Scene::of(stage, Rules::default(), 1);
    scene.give_docked_force(Kind::YellowCrystal, 2);
    scene.tap(Buttons::FIRE);
    scene.wait(30);
    let before = *scene.all_of(Kind::YellowLaser).last().expect("one is on the floor");
    scene.wait(1);
    assert_eq!(scene.entity(before.id).unwrap().position - before.position, before.velocity);
}

#[test]
fn what_has_no_health_says_so_and_ships_have_one() {
    let mut scene = Scene::open();
    scene.give(Kind::RedCrystal);
    assert_eq!((scene.ship().health, scene.ship().health_max), (1, 1));
    assert_eq!((scene.the(Kind::Force).health, scene.the(Kind::Force).health_max), (0, 0));
    assert_eq!(scene.ship().lives, scene.player().lives);
}
