//! Items: carriers drop them, taking one helps, death loses them all.

use game::{Buttons, Class, Event, Kind, px, tuning, units::px_per_second};

use crate::scene::{ONE, Scene, TWO, in_px, scrolling};

#[test]
fn a_carrier_that_is_shot_drops_an_item_that_drifts() {
    let mut scene = Scene::open();
    let carrier = scene.spawn(Kind::Carrier, (200, 108));
    for _ in 0..2 {
        scene.tap(Buttons::FIRE);
        scene.wait(6);
    }
    scene.until("the carrier is gone", |scene| !scene.has(carrier));
    let item = scene.the(Kind::SpeedUp);
    scene.wait(30);
    assert!(scene.the(Kind::SpeedUp).position.x < item.position.x);
}

#[test]
fn a_carrier_that_gets_away_drops_nothing() {
    let mut scene = Scene::open();
    let carrier = scene.spawn(Kind::Carrier, (40, 240));
    scene.until("the carrier is gone", |scene| !scene.has(carrier));
    assert_eq!(scene.count(Kind::SpeedUp), 0);
}

#[test]
fn a_ship_takes_what_it_touches() {
    let mut scene = Scene::open();
    let item = scene.spawn(Kind::SpeedUp, (120, 108));
    scene.hold(Buttons::RIGHT, 40);
    assert!(!scene.has(item));
    assert!(scene.events.contains(&Event::Grabbed { ship: scene.ship().id, object: item, side: None }));
}

#[test]
fn missiles_leave_with_every_shot_and_home_in_on_an_enemy() {
    let mut scene = Scene::open();
    scene.give(Kind::MissilePack);
    assert!(scene.player().missiles);
    let turret = scene.spawn(Kind::Turret, (300, 240));
    let before = scene.entity(turret).unwrap().health;
    scene.tap(Buttons::FIRE);
    assert_eq!(scene.count(Kind::Missile), 2);
    scene.until("a missile hit", |scene| scene.entity(turret).is_none_or(|it| it.health < before));
}

#[test]
fn missiles_do_not_home_in_on_blocks() {
    let mut scene = Scene::open();
    scene.give(Kind::MissilePack);
    let block = scene.spawn(Kind::Block, (300, 200));
    scene.tap(Buttons::FIRE);
    scene.wait(180);
    assert!(scene.has(block));
}

#[test]
fn a_ship_has_no_more_missiles_under_way_than_two() {
    let mut scene = Scene::open();
    scene.give(Kind::MissilePack);
    for _ in 0..3 {
        scene.tap(Buttons::FIRE);
        scene.wait(6);
        assert!(scene.count(Kind::Missile) <= tuning::MISSILES_MAX);
    }
}

#[test]
fn bits_fly_one_above_and_one_below() {
    let mut scene = Scene::open();
    scene.give(Kind::BitPack);
    assert!(scene.the(Kind::Bit).position.y < scene.ship().position.y);
    scene.give(Kind::BitPack);
    let heights: Vec<i32> = scene.all_of(Kind::Bit).iter().map(|bit| bit.position.y).collect();
    assert_eq!(heights, [-1, 1].map(|side| scene.ship().position.y + side * tuning::BIT_OFFSET_Y));
}

#[test]
fn a_third_bit_is_never_given() {
    let mut scene = Scene::open();
    for _ in 0..3 {
        scene.give(Kind::BitPack);
    }
    assert_eq!(scene.count(Kind::Bit), 2);
}

#[test]
fn bits_keep_up_with_the_ship() {
    let mut scene = Scene::open();
    scene.give(Kind::BitPack);
    scene.hold(Buttons::RIGHT, 60);
    scene.wait(5);
    assert_eq!(scene.the(Kind::Bit).position.x, scene.ship().position.x);
}

#[test]
fn bits_block_shots_and_hurt_what_they_touch() {
    let mut scene = Scene::open();
    scene.give(Kind::BitPack);
    let (x, y) = in_px(scene.the(Kind::Bit).position);
    let pellet = scene.spawn(Kind::Pellet, (x + 4, y));
    let drone = scene.spawn(Kind::Turret, (x + 8, y - 5));
    scene.wait(1);
    assert!(!scene.has(pellet));
    let hurt = scene.entity(drone).expect("one touch does not destroy it");
    assert_eq!(hurt.health, hurt.health_max - tuning::BIT_DAMAGE);
}

#[test]
fn each_speed_up_makes_the_ship_faster_up_to_a_limit() {
    let mut scene = Scene::open();
    let mut distances = Vec::new();
    for _ in 0..=tuning::SPEED_UPS_MAX + 1 {
        scene.fly_to((64, 108));
        let before = scene.ship().position.x;
        scene.hold(Buttons::RIGHT, 10);
        distances.push(scene.ship().position.x - before);
        scene.give(Kind::SpeedUp);
    }
    let (last, rising) = distances.split_last().unwrap();
    assert!(rising.is_sorted_by(|slower, faster| slower < faster), "{distances:?}");
    assert_eq!(Some(last), rising.last());
    assert_eq!(scene.player().speed, tuning::SPEED_UPS_MAX);
}

#[test]
fn death_loses_them_all() {
    let mut scene = Scene::with_players(2);
    for item in [Kind::RedCrystal, Kind::MissilePack, Kind::BitPack, Kind::BitPack, Kind::SpeedUp] {
        scene.give(item);
    }
    scene.kill();
    assert_eq!(scene.count(Kind::Force) + scene.count(Kind::Bit), 0);
    scene.until("the ship is back", |scene| scene.flies(ONE));
    let player = scene.player();
    assert_eq!((player.force_level, player.speed, player.missiles), (0, 0, false));
}

#[test]
fn of_two_ships_only_one_has_it() {
    let mut scene = Scene::with_players(2);
    let (x, y) = in_px(scene.ship_of(ONE).position);
    scene.fly_to_for(TWO, (x, y));
    scene.give(Kind::SpeedUp);
    assert_eq!(scene.player_of(ONE).speed + scene.player_of(TWO).speed, 1);
}

#[test]
fn an_item_that_nobody_takes_leaves_the_field() {
    let mut scene = Scene::open();
    let item = scene.spawn(Kind::SpeedUp, (20, 240));
    scene.until("it is gone", |scene| !scene.has(item));
    assert!(scene.ship().position.x > px(0));
}

#[test]
fn every_item_does_something_for_the_ship_that_takes_it() {
    for &item in Kind::ALL.iter().filter(|kind| kind.class() == Class::Item) {
        let mut scene = Scene::open();
        let gear = |scene: &Scene| {
            let entities = scene.frame().entities;
            let count = entities.iter().filter(|entity| entity.kind.class() == Class::Gear).count();
            (count, scene.player().speed, scene.player().missiles)
        };
        let before = gear(&scene);
        scene.give(item);
        assert_ne!(gear(&scene), before, "{} does nothing: see items.rs", item.name());
    }
}

#[test]
fn an_item_that_the_picture_of_the_ship_touches_is_taken() {
    let tips = [(22, 0), (-22, 0), (0, 18), (0, -18)];
    for (x, y) in tips {
        let mut scene = Scene::open();
        let ship = in_px(scene.ship().position);
        let item = scene.spawn(Kind::RedCrystal, (ship.0 + x, ship.1 + y));
        scene.wait(1);
        assert!(!scene.has(item), "{x},{y}");
    }
    let mut scene = Scene::open();
    let ship = in_px(scene.ship().position);
    let item = scene.spawn(Kind::RedCrystal, (ship.0, ship.1 + 28));
    scene.wait(1);
    assert!(scene.has(item), "that does not touch it");
}

/// A field of tiles, open but for these rectangles of columns and rows.
fn with_wrecks(tile: &str, wrecks: &[(std::ops::Range<usize>, std::ops::Range<usize>)]) -> Vec<String> {
    let is_wreck = |column, row| wrecks.iter().any(|(columns, rows)| columns.contains(&column) && rows.contains(&row));
    (0..17).map(|row| (0..60).map(|column| if is_wreck(column, row) { tile } else { " " }).collect()).collect()
}

/// Whether no corner of an item's box is inside a wreck.
fn is_clear(scene: &Scene, item: game::Entity) -> bool {
    let half = tuning::body(item.kind).hit_px.1 / 2 - 1;
    let solid = |dx: i32, dy: i32| {
        let scroll = i64::from(scene.frame().scroll_px) * i64::from(px(1));
        scene.world.stage().terrain.is_solid(scroll, item.position + game::Vec2::new(px(dx), px(dy)))
    };
    [(-half, -half), (half, -half), (-half, half), (half, half)].iter().all(|&(dx, dy)| !solid(dx, dy))
}

#[test]
fn items_rise_or_sink_out_of_the_way_of_terrain() {
    // As in the first stage: a platform above, a hull below, each met at its edge.
    for (wreck, y, rises) in [((32..42, 12..15), 200, true), ((32..42, 2..5), 68, false)] {
        let rows = with_wrecks("#", &[wreck]);
        let stage = scrolling(&rows.iter().map(String::as_str).collect::<Vec<_>>(), px_per_second(48), &[0]);
        let mut scene = Scene::of(stage, game::Rules::default(), 0);
        let item = scene.spawn(Kind::RedCrystal, (300, y));
        for _ in 0..500 {
            scene.wait(1);
            assert!(scene.entity(item).is_none_or(|item| is_clear(&scene, item)), "{y}: it is inside");
        }
        let now = scene.place_of(item).1;
        assert!(if rises { now < y } else { now > y }, "{y} {now}");
    }
}

#[test]
fn an_item_that_comes_to_be_inside_terrain_comes_out_of_it() {
    let rows = with_wrecks("#", &[(10..30, 11..14)]);
    let mut scene = Scene::drawn(&rows.iter().map(String::as_str).collect::<Vec<_>>());
    let item = scene.spawn(Kind::SpeedUp, (400, 190));
    scene.until("it is in the open", |scene| is_clear(scene, scene.entity(item).unwrap()));
    assert!(scene.place_of(item).1 < 176, "at the nearer side");
}

#[test]
fn items_keep_out_of_blocks_and_drift_level_where_nothing_is() {
    let rows = with_wrecks("%", &[(12..14, 8..12)]);
    let mut scene = Scene::drawn(&rows.iter().map(String::as_str).collect::<Vec<_>>());
    let (item, other) = (scene.spawn(Kind::SpeedUp, (180, 150)), scene.spawn(Kind::SpeedUp, (400, 220)));
    scene.until("it has given way", |scene| scene.place_of(item).1 < 128);
    assert_eq!(scene.place_of(other).1, 220);
}
