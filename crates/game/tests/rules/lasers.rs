//! The three lasers, fired by a docked Force of level 2 or more.

use game::{Buttons, Entity, Kind, Side, Vec2, px, tuning};

use crate::scene::{Scene, ticks_of, with_floor};

/// A scene whose ship has that laser at the front.
fn armed(rows: &[&str], crystal: Kind) -> Scene {
    let mut scene = Scene::drawn(rows);
    scene.give_docked_force(crystal, 2);
    scene
}

/// Where one entity was, tick by tick, until it was gone.
fn track(scene: &mut Scene, first: Entity) -> Vec<Vec2> {
    let mut track = vec![first.position];
    while let Some(now) = scene.entity(first.id) {
        track.push(now.position);
        scene.wait(1);
    }
    track
}

/// The field with a ceiling and a floor, as rows of tiles.
fn tunnel() -> Vec<String> {
    (0..17).map(|row| if row == 0 || row == 16 { "#".repeat(40) } else { String::new() }).collect()
}

fn lines(rows: &[String]) -> Vec<&str> {
    rows.iter().map(String::as_str).collect()
}

const LASERS: [(Kind, Kind); 3] = [
    (Kind::RedCrystal, Kind::RedLaser),
    (Kind::BlueCrystal, Kind::BlueLaser),
    (Kind::YellowCrystal, Kind::YellowLaser),
];

#[test]
fn each_crystal_gives_its_own_laser() {
    for (crystal, laser) in LASERS {
        let mut scene = armed(&[], crystal);
        scene.tap(Buttons::FIRE);
        assert!(scene.count(laser) > 0, "{}", laser.name());
        assert_eq!(scene.count(Kind::Shot), 0, "instead of shots");
    }
}

#[test]
fn the_crystal_taken_last_decides() {
    let mut scene = armed(&[], Kind::RedCrystal);
    scene.give(Kind::BlueCrystal);
    scene.tap(Buttons::FIRE);
    assert_eq!((scene.count(Kind::RedLaser), scene.count(Kind::BlueLaser)), (0, 3));
}

#[test]
fn at_level_1_there_is_none() {
    for (crystal, laser) in LASERS {
        let mut scene = Scene::open();
        scene.give_docked_force(crystal, 1);
        scene.tap(Buttons::FIRE);
        assert_eq!((scene.count(laser), scene.count(Kind::Shot)), (0, 2));
    }
}

#[test]
fn while_the_force_is_away_there_is_none() {
    for (crystal, laser) in LASERS {
        let mut scene = armed(&[], crystal);
        scene.tap(Buttons::FORCE);
        scene.tap(Buttons::FIRE);
        assert_eq!((scene.count(laser), scene.count(Kind::Shot)), (0, 1));
    }
}

#[test]
fn docked_at_the_back_it_fires_backwards() {
    for (crystal, laser) in LASERS {
        let mut scene = Scene::drawn(&lines(&tunnel()));
        scene.give(crystal);
        scene.give(crystal);
        scene.until("it docked", |scene| scene.the(Kind::Force).attached.is_some());
        assert_eq!(scene.the(Kind::Force).attached.map(|it| it.side), Some(Side::Back));
        scene.fly_to((240, 108));
        scene.tap(Buttons::FIRE);
        scene.until("it flies backwards", |scene| {
            let all = scene.all_of(laser);
            !all.is_empty() && all.iter().all(|part| part.velocity.x < 0)
        });
        assert!(scene.all_of(Kind::Shot).iter().any(|shot| shot.velocity.x > 0), "the ship has its own gun ahead");
    }
}

#[test]
fn the_red_laser_flies_straight_ahead_in_two_entwined_strands() {
    let mut scene = armed(&[], Kind::RedCrystal);
    scene.tap(Buttons::FIRE);
    let height = scene.the(Kind::Force).position.y;
    let mut crossings = 0;
    let mut upper_before = None;
    for _ in 0..24 {
        let [a, b] = scene.all_of(Kind::RedLaser)[..] else { panic!("two strands") };
        assert_eq!((a.position.x, a.position.y - height), (b.position.x, height - b.position.y));
        assert!((a.position.y - height).abs() <= px(i32::from(tuning::RED_SWING.reach_px)));
        let upper = a.position.y < b.position.y;
        crossings += u32::from(upper_before.replace(upper).is_some_and(|before| before != upper));
        scene.wait(1);
    }
    assert!(crossings >= 2, "they cross {crossings} times");
}

#[test]
fn the_red_laser_is_the_strongest() {
    let damage = |crystal| {
        let mut scene = armed(&[], crystal);
        let hive = scene.spawn(Kind::Hive, (160, 108));
        scene.tap(Buttons::FIRE);
        scene.wait(30);
        scene.entity(hive).map_or(u16::MAX, |it| it.health_max - it.health)
    };
    let [red, blue, yellow] = [Kind::RedCrystal, Kind::BlueCrystal, Kind::YellowCrystal].map(damage);
    assert!(red > 2 * tuning::SHOT_DAMAGE && red > blue && red > yellow, "{red} {blue} {yellow}");
}

#[test]
fn every_laser_is_stronger_at_level_3() {
    for damages in [tuning::RED_DAMAGE, tuning::BLUE_DAMAGE, tuning::YELLOW_DAMAGE] {
        assert!(damages[0] < damages[1]);
    }
    let mut scene = armed(&[], Kind::BlueCrystal);
    scene.give(Kind::BlueCrystal);
    let hive = scene.spawn(Kind::Hive, (160, 108));
    scene.tap(Buttons::FIRE);
    scene.wait(30);
    let hurt = scene.entity(hive).expect("one ray does not destroy it");
    assert_eq!(hurt.health_max - hurt.health, tuning::BLUE_DAMAGE[1]);
}

#[test]
fn the_blue_laser_goes_in_three_directions() {
    let mut scene = armed(&[], Kind::BlueCrystal);
    scene.tap(Buttons::FIRE);
    let mut ways: Vec<_> = scene.all_of(Kind::BlueLaser).iter().map(|ray| ray.velocity.y.signum()).collect();
    ways.sort_unstable();
    assert_eq!(ways, [-1, 0, 1]);
}

#[test]
fn the_blue_laser_reflects_off_ceiling_and_floor() {
    let mut scene = armed(&lines(&tunnel()), Kind::BlueCrystal);
    scene.tap(Buttons::FIRE);
    let mut slanting = scene.all_of(Kind::BlueLaser);
    slanting.retain(|ray| ray.velocity.y != 0);
    assert_eq!(slanting.len(), 2, "one ray flies up and one down");
    for ray in slanting {
        let mut own = Scene { world: scene.world.clone(), events: Vec::new(), inputs: scene.inputs };
        let turned = |scene: &Scene| scene.entity(ray.id).is_some_and(|now| now.velocity.y == -ray.velocity.y);
        own.until("it was reflected", turned);
        assert_eq!(own.entity(ray.id).unwrap().velocity.x, ray.velocity.x, "and keeps its way ahead");
        own.until("it was reflected again", |scene| !turned(scene));
    }
}

#[test]
fn the_blue_laser_reflects_off_a_wall() {
    let wall: Vec<String> = (0..17).map(|_| format!("{}#", " ".repeat(25))).collect();
    let mut scene = armed(&lines(&wall), Kind::BlueCrystal);
    scene.tap(Buttons::FIRE);
    let ray = scene.all_of(Kind::BlueLaser)[0];
    scene.until("it came back", |scene| scene.entity(ray.id).is_some_and(|now| now.velocity.x < 0));
    assert!(scene.entity(ray.id).unwrap().position.x < px(400));
}

#[test]
fn the_blue_laser_ends_after_its_last_reflection() {
    let mut scene = armed(&lines(&with_two_walls()), Kind::BlueCrystal);
    scene.tap(Buttons::FIRE);
    assert_eq!(scene.count(Kind::BlueLaser), 3, "three rays were fired");
    scene.until("every ray ended", |scene| scene.count(Kind::BlueLaser) == 0);
}

fn with_two_walls() -> Vec<String> {
    (0..17).map(|row| if row == 0 || row == 16 { "#".repeat(30) } else { format!("#{}#", " ".repeat(28)) }).collect()
}

#[test]
fn the_yellow_laser_falls_to_ceiling_and_floor_and_crawls_along_them() {
    let mut scene = armed(&lines(&tunnel()), Kind::YellowCrystal);
    scene.tap(Buttons::FIRE);
    scene.wait(30);
    let [up, down] = scene.all_of(Kind::YellowLaser)[..] else { panic!("one flame up, one down") };
    assert!((px(16)..px(22)).contains(&up.position.y) && (px(250)..px(256)).contains(&down.position.y));
    scene.wait(10);
    for (before, after) in [up, down].iter().zip(scene.all_of(Kind::YellowLaser)) {
        assert_eq!(after.position.y, before.position.y);
        assert_eq!(after.position.x - before.position.x, 20 * tuning::YELLOW_SPEED);
    }
}

/// A floor with a step up and a step down again, so that a flame meets two inner and two outer corners.
fn hill() -> Vec<String> {
    let mut rows = with_floor(40);
    for row in [13, 14] {
        rows[row] = format!("{}######", " ".repeat(9));
    }
    rows
}

#[test]
fn the_yellow_laser_crawls_round_inner_and_outer_corners_and_down_again() {
    let mut scene = armed(&lines(&hill()), Kind::YellowCrystal);
    scene.tap(Buttons::FIRE);
    let flame = *scene.all_of(Kind::YellowLaser).last().expect("the one to the floor");
    let track = track(&mut scene, flame);
    let near = |x: i32, y: i32| track.iter().any(|at| (at.x - px(x)).abs() <= px(7) && (at.y - px(y)).abs() <= px(7));
    for (x, y, what) in [
        (120, 240, "the floor before the hill"),
        (144, 222, "its left side"),
        (190, 208, "its top"),
        (240, 225, "its right side"),
        (260, 240, "the floor behind it"),
    ] {
        assert!(near(x, y), "the flame never crawled along {what}: {track:?}");
    }
    assert!(track.iter().all(|at| at.y < px(240)), "it never enters the ground");
}

#[test]
fn the_yellow_laser_crawls_round_a_ledge_and_back_under_it() {
    let mut rows = vec![String::new(); 17];
    rows[12] = "#".repeat(12);
    let mut scene = armed(&lines(&rows[..13]), Kind::YellowCrystal);
    scene.tap(Buttons::FIRE);
    let flame = *scene.all_of(Kind::YellowLaser).last().expect("the one to the ledge");
    let track = track(&mut scene, flame);
    assert!(track.iter().any(|at| at.y >= px(208) && at.x < px(170)), "it came back below: {track:?}");
}

#[test]
fn the_yellow_laser_crawls_along_the_edge_of_an_open_field_too() {
    let mut scene = armed(&[], Kind::YellowCrystal);
    scene.tap(Buttons::FIRE);
    scene.wait(40);
    let flames = scene.all_of(Kind::YellowLaser);
    assert_eq!(flames.iter().map(|flame| flame.velocity.x.signum()).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn a_yellow_flame_goes_out_in_the_end() {
    let mut scene = armed(&lines(&with_two_walls()), Kind::YellowCrystal);
    scene.tap(Buttons::FIRE);
    // One tick of their life has passed.
    scene.wait(ticks_of(tuning::YELLOW_LIFE) - 2);
    assert_eq!(scene.count(Kind::YellowLaser), 2, "both flames burn to the end of their life");
    scene.wait(3);
    assert_eq!(scene.count(Kind::YellowLaser), 0);
}
