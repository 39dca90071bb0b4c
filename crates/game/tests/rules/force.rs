//! The Force, its whole life: it arrives, docks, blocks, hurts, is launched, holds, fires, is called back, is lost.

use game::{Attached, Buttons, Event, Kind, Side, Vec2, px, tuning};

use crate::scene::{ONE, Scene, TWO, ticks_of};

/// A scene whose ship has a Force of that level, launched from the front and holding its distance.
fn holding(level: usize) -> Scene {
    let mut scene = Scene::open();
    scene.give_docked_force(Kind::RedCrystal, level);
    scene.tap(Buttons::FORCE);
    scene.wait(60);
    scene
}

/// The directions in which a detached Force of that level fires.
fn volley(level: usize) -> Vec<(i32, i32)> {
    let mut scene = holding(level);
    scene.until("a volley was fired", |scene| scene.events.iter().any(|event| matches!(event, Event::Spawned { .. })));
    let spawned = |id| scene.events.contains(&Event::Spawned { entity: id });
    let shots = scene.all_of(Kind::Shot).into_iter().filter(|shot| spawned(shot.id));
    shots.map(|shot| (shot.velocity.x.signum(), shot.velocity.y.signum())).collect()
}

#[test]
fn the_first_crystal_of_any_colour_brings_it_in_from_behind() {
    for crystal in [Kind::RedCrystal, Kind::BlueCrystal, Kind::YellowCrystal] {
        let mut scene = Scene::open();
        assert_eq!(scene.player().force_level, 0);
        scene.give(crystal);
        let force = scene.the(Kind::Force);
        assert!(force.position.x < px(0), "it begins outside, behind the ship");
        assert_eq!((force.attached, force.seat), (None, Some(ONE)));
        assert_eq!(scene.player().force_level, 1);
    }
}

#[test]
fn arriving_from_behind_it_docks_at_the_back() {
    let mut scene = Scene::open();
    scene.give(Kind::RedCrystal);
    scene.until("it docked", |scene| scene.the(Kind::Force).attached.is_some());
    let (ship, force) = (scene.ship(), scene.the(Kind::Force));
    assert_eq!(force.attached, Some(Attached { to: ship.id, side: Side::Back }));
    assert!(force.position.x < ship.position.x);
    assert!(scene.events.contains(&Event::Grabbed { ship: ship.id, object: force.id, side: Some(Side::Back) }));
}

#[test]
fn it_docks_at_the_front_when_it_touches_the_front() {
    let mut scene = holding(1);
    scene.tap(Buttons::FORCE);
    scene.until("it docked", |scene| scene.the(Kind::Force).attached.is_some());
    let (ship, force) = (scene.ship(), scene.the(Kind::Force));
    assert_eq!(force.attached, Some(Attached { to: ship.id, side: Side::Front }));
    assert_eq!(force.position - ship.position, Vec2::new(tuning::FORCE_DOCK_OFFSET, 0));
}

#[test]
fn a_ship_that_flew_past_it_gets_it_at_the_back() {
    let mut scene = holding(1);
    scene.fly_to((64, 255));
    scene.fly_to((400, 255));
    scene.tap(Buttons::FORCE);
    scene.until("it docked", |scene| scene.the(Kind::Force).attached.is_some());
    assert_eq!(scene.the(Kind::Force).attached.map(|it| it.side), Some(Side::Back));
}

#[test]
fn docked_it_moves_with_the_ship() {
    let mut scene = Scene::open();
    scene.give_docked_force(Kind::RedCrystal, 1);
    scene.hold(Buttons::RIGHT | Buttons::DOWN, 40);
    assert_eq!(scene.the(Kind::Force).position - scene.ship().position, Vec2::new(tuning::FORCE_DOCK_OFFSET, 0));
}

#[test]
fn docked_it_fires_from_where_it_is() {
    let mut scene = Scene::open();
    scene.give(Kind::RedCrystal);
    scene.until("it docked at the back", |scene| scene.the(Kind::Force).attached.is_some());
    scene.until("its own shots are gone", |scene| scene.count(Kind::Shot) == 0);
    scene.tap(Buttons::FIRE);
    let mut ways: Vec<i32> = scene.all_of(Kind::Shot).iter().map(|shot| shot.velocity.x.signum()).collect();
    ways.sort_unstable();
    assert_eq!(ways, [-1, 1], "the ship fires ahead, the Force behind");
}

#[test]
fn the_button_launches_it_ahead_until_it_holds_its_distance() {
    let mut scene = Scene::open();
    scene.give_docked_force(Kind::RedCrystal, 1);
    scene.tap(Buttons::FORCE);
    let (ship, force) = (scene.ship(), scene.the(Kind::Force));
    assert!(scene.events.contains(&Event::Dropped { ship: ship.id, force: force.id }));
    scene.wait(120);
    let away = scene.the(Kind::Force).position - scene.ship().position;
    assert_eq!(away, Vec2::new(tuning::FORCE_HOLD_DISTANCE, 0));
    scene.wait(120);
    assert_eq!(scene.the(Kind::Force).position - scene.ship().position, away);
}

#[test]
fn launched_from_the_back_it_flies_out_behind() {
    let mut scene = Scene::open();
    scene.give(Kind::RedCrystal);
    scene.until("it docked at the back", |scene| scene.the(Kind::Force).attached.is_some());
    scene.fly_to((300, 108));
    scene.tap(Buttons::FORCE);
    scene.wait(120);
    let away = scene.the(Kind::Force).position - scene.ship().position;
    assert_eq!(away, Vec2::new(-tuning::FORCE_HOLD_DISTANCE, 0));
}

#[test]
fn detached_it_follows_the_height_of_the_ship() {
    let mut scene = holding(1);
    scene.fly_to((64, 220));
    scene.wait(240);
    assert_eq!(scene.the(Kind::Force).position.y, scene.ship().position.y);
}

#[test]
fn detached_it_keeps_its_distance_when_the_ship_flies_away() {
    let mut scene = Scene::open();
    scene.give_docked_force(Kind::RedCrystal, 1);
    scene.fly_to((250, 108));
    scene.tap(Buttons::FORCE);
    scene.wait(60);
    scene.fly_to((30, 108));
    scene.wait(120);
    assert_eq!(scene.the(Kind::Force).position.x - scene.ship().position.x, tuning::FORCE_HOLD_DISTANCE);
}

#[test]
fn detached_it_does_not_flee_from_the_ship() {
    let mut scene = holding(1);
    let before = scene.the(Kind::Force).position.x;
    scene.fly_to((160, 108));
    assert_eq!(scene.the(Kind::Force).position.x, before);
}

#[test]
fn detached_it_stays_in_the_field() {
    let mut scene = Scene::open();
    scene.give_docked_force(Kind::RedCrystal, 1);
    scene.fly_to((440, 108));
    scene.tap(Buttons::FORCE);
    scene.wait(120);
    assert!(scene.the(Kind::Force).position.x < px(480));
}

#[test]
fn a_ship_that_flies_into_it_picks_it_up() {
    let mut scene = holding(1);
    scene.hold(Buttons::RIGHT, 120);
    assert_eq!(scene.the(Kind::Force).attached.map(|it| it.side), Some(Side::Front));
}

#[test]
fn detached_at_level_1_it_fires_one_shot_ahead() {
    assert_eq!(volley(1), [(1, 0)]);
}

#[test]
fn detached_at_level_2_it_fires_two_in_a_v() {
    assert_eq!(volley(2), [(1, -1), (1, 1)]);
}

#[test]
fn detached_at_level_3_it_also_fires_up_and_down() {
    assert_eq!(volley(3), [(1, -1), (1, 1), (0, -1), (0, 1)]);
}

#[test]
fn it_keeps_firing_on_its_own_without_the_button() {
    let mut scene = holding(1);
    scene.wait(ticks_of(tuning::FORCE_FIRE_EVERY) * 4);
    let spawned = scene.events.iter().filter(|event| matches!(event, Event::Spawned { .. })).count();
    assert!((3..=4).contains(&spawned), "{spawned} shots in four intervals");
}

#[test]
fn docked_it_does_not_fire_on_its_own() {
    let mut scene = Scene::open();
    scene.give_docked_force(Kind::RedCrystal, 3);
    scene.wait(120);
    assert!(!scene.events.iter().any(|event| matches!(event, Event::Spawned { .. })));
}

#[test]
fn called_back_it_homes_to_the_ship_wherever_that_is() {
    let mut scene = holding(1);
    assert_eq!(scene.the(Kind::Force).attached, None, "it is away");
    scene.tap(Buttons::FORCE);
    scene.hold(Buttons::DOWN, 40);
    scene.until("it docked", |scene| scene.the(Kind::Force).attached.is_some());
}

#[test]
fn further_crystals_raise_it_to_level_three_and_no_further() {
    let mut scene = Scene::open();
    let levels = [1, 2, 3, 3].map(|_| {
        scene.give(Kind::BlueCrystal);
        scene.player().force_level
    });
    assert_eq!(levels, [1, 2, 3, 3]);
    assert_eq!(scene.count(Kind::Force), 1, "a ship never has a second");
}

#[test]
fn it_blocks_enemy_shots() {
    let mut scene = Scene::open();
    scene.give_docked_force(Kind::RedCrystal, 1);
    let place = scene.the(Kind::Force).position;
    let pellet = scene.world.spawn(Kind::Pellet, place + Vec2::new(px(8), 0)).unwrap();
    scene.wait(1);
    assert!(!scene.has(pellet) && scene.flies(ONE));
    assert_eq!(scene.count(Kind::Force), 1, "and is indestructible");
}

#[test]
fn it_hurts_what_it_touches_again_and_again() {
    let mut scene = Scene::open();
    scene.give_docked_force(Kind::RedCrystal, 1);
    scene.fly_to((30, 108));
    let hive = scene.spawn(Kind::Hive, (70, 108));
    scene.wait(1);
    let first = scene.entity(hive).unwrap();
    assert_eq!(first.health, first.health_max - tuning::FORCE_DAMAGE);
    scene.wait(ticks_of(tuning::TOUCH_EVERY) + 1);
    assert_eq!(scene.entity(hive).unwrap().health, first.health - tuning::FORCE_DAMAGE);
    assert_eq!(scene.count(Kind::Force), 1, "and takes no harm");
}

#[test]
fn death_loses_it() {
    let mut scene = Scene::with_players(2);
    scene.give(Kind::RedCrystal);
    let force = scene.the(Kind::Force).id;
    scene.kill();
    assert!(!scene.has(force));
    scene.until("the ship is back", |scene| scene.flies(ONE));
    assert_eq!((scene.player().force_level, scene.count(Kind::Force)), (0, 0));
}

#[test]
fn everyone_has_their_own() {
    let mut scene = Scene::with_players(2);
    scene.give_to(ONE, Kind::RedCrystal);
    scene.give_to(TWO, Kind::BlueCrystal);
    let owners: Vec<_> = scene.all_of(Kind::Force).iter().map(|force| force.seat).collect();
    assert_eq!(owners, [Some(ONE), Some(TWO)]);
}
