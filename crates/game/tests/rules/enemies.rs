//! Enemies have habits, not only paths: one test for each habit of each kind.

use game::{Buttons, Class, Entity, Kind, Stage, Vec2, px, tuning};

use crate::scene::{ONE, Scene, TWO, in_px, ticks_of, with_floor};

/// The height of an entity in each of the next ticks.
fn heights(scene: &mut Scene, id: game::EntityId, ticks: usize) -> Vec<i32> {
    let mut heights = Vec::new();
    for _ in 0..ticks {
        scene.wait(1);
        heights.extend(scene.entity(id).map(|it| it.position.y));
    }
    heights
}

/// Whether a velocity points at a place, within a few degrees.
fn points_at(velocity: Vec2, way: Vec2) -> bool {
    let length = 1000;
    let off = velocity.with_length(length) - way.with_length(length);
    off.x.abs() + off.y.abs() < 150
}

/// A drawn stage with nobody in it, so that nobody is hit.
fn deserted(rows: &[String]) -> Scene {
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    Scene::of(Stage::sketch(&rows), game::Rules::default(), 0)
}

fn floored() -> Scene {
    let rows = with_floor(40);
    Scene::drawn(&rows.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn there_are_at_least_twenty_four_kinds_and_all_of_them_can_come() {
    let mut scene = Scene::open();
    let enemies: Vec<Kind> = Kind::ALL.iter().copied().filter(|kind| kind.class() == Class::Enemy).collect();
    assert!(enemies.len() >= 24);
    for kind in enemies {
        scene.spawn(kind, (440, 200));
        scene.wait(1);
        assert_eq!(scene.count(kind), 1, "{}", kind.name());
        assert!(tuning::body(kind).score > 0 && tuning::body(kind).health > 0);
    }
}

#[test]
fn every_enemy_can_be_shot_down() {
    // A mine this near bursts by itself, and a grinder comes from behind; shooting them has tests of its own.
    let is_shot_ahead = |kind: &&Kind| kind.class() == Class::Enemy && !matches!(kind, Kind::Mine | Kind::Grinder);
    for &kind in Kind::ALL.iter().filter(is_shot_ahead) {
        let mut scene = Scene::open();
        scene.give_docked_force(Kind::RedCrystal, 3);
        scene.fly_to((40, 108));
        let foe = scene.spawn(kind, (66 + tuning::body(kind).hit_px.0 / 2, 108));
        let before = scene.frame().score;
        for _ in 0..60 {
            scene.tap(Buttons::FIRE);
        }
        assert!(!scene.has(foe) && scene.frame().score > before, "{} gave points", kind.name());
    }
}

#[test]
fn every_enemy_kills_what_it_touches() {
    for &kind in Kind::ALL.iter().filter(|kind| kind.class() == Class::Enemy && **kind != Kind::Mine) {
        let mut scene = Scene::open();
        let place = in_px(scene.ship().position);
        scene.spawn(kind, place);
        scene.wait(1);
        assert!(scene.has_died(ONE), "{}", kind.name());
    }
}

#[test]
fn drones_fly_in_sine_formation() {
    let mut scene = Scene::open();
    let lead = scene.spawn(Kind::Drone, (440, 135));
    scene.wait(12);
    let next = scene.spawn(Kind::Drone, (440, 135));
    let first = heights(&mut scene, lead, 140);
    assert!(first.iter().any(|y| *y > px(135 + 25)) && first.iter().any(|y| *y < px(135 - 25)), "it weaves");
    let mut again = Scene::open();
    let lone = again.spawn(Kind::Drone, (440, 135));
    let lone = heights(&mut again, lone, 128);
    assert_eq!(&first[..116], &lone[12..], "each is where the one before it was");
    assert!(scene.has(next));
}

#[test]
fn darts_aim_once_then_dive_straight() {
    let mut scene = Scene::open();
    let dart = scene.spawn(Kind::Dart, (440, 240));
    scene.wait(ticks_of(tuning::DART_AIM) - 2);
    assert_eq!(scene.entity(dart).unwrap().velocity.y, 0, "it cruises first");
    scene.wait(4);
    let dive = scene.entity(dart).unwrap();
    assert!(points_at(dive.velocity, scene.ship().position - dive.position));
    scene.hold(Buttons::DOWN, 30);
    assert_eq!(scene.entity(dart).unwrap().velocity, dive.velocity, "and never turns again");
}

#[test]
fn walkers_walk_on_terrain_and_turn_at_edges() {
    let rows: Vec<String> = (0..17)
        .map(|row| if row == 12 { format!("{}{}", " ".repeat(18), "#".repeat(6)) } else { String::new() })
        .collect();
    let mut scene = deserted(&rows);
    let walker = scene.spawn(Kind::Walker, (340, 180));
    let mut ways = Vec::new();
    for _ in 0..600 {
        scene.wait(1);
        let at = scene.entity(walker).expect("it never falls");
        assert!(at.position.y < px(12 * 16), "it stands on the terrain");
        if ways.last() != Some(&at.velocity.x.signum()) && at.velocity.x != 0 {
            ways.push(at.velocity.x.signum());
        }
    }
    assert!(ways.len() >= 3 && ways[..3] == [-1, 1, -1], "{ways:?}");
}

#[test]
fn walkers_turn_at_walls() {
    let mut rows = with_floor(40);
    rows[14] = format!("{:20}#", "");
    let mut scene = deserted(&rows);
    let walker = scene.spawn(Kind::Walker, (380, 229));
    scene.until("it turned", |scene| scene.entity(walker).is_some_and(|it| it.velocity.x > 0));
    assert!(scene.place_of(walker).0 > 336);
}

#[test]
fn walkers_fall_when_there_is_nothing_below() {
    let mut scene = deserted(&with_floor(40));
    let walker = scene.spawn(Kind::Walker, (400, 100));
    scene.until("it landed", |scene| scene.entity(walker).is_some_and(|it| it.velocity.y == 0 && it.velocity.x != 0));
    assert!((225..235).contains(&scene.place_of(walker).1));
}

#[test]
fn clingers_cling_until_a_ship_is_below_then_drop_and_burst_on_the_floor() {
    let mut scene = floored();
    let clinger = scene.spawn(Kind::Clinger, (200, 10));
    scene.wait(120);
    assert_eq!(scene.place_of(clinger), (200, 10));
    scene.fly_to((180, 108));
    scene.wait(2);
    scene.hold(Buttons::LEFT, 60);
    assert!(scene.entity(clinger).is_none_or(|it| it.velocity.y > 0), "it drops");
    scene.until("it burst", |scene| !scene.has(clinger));
    assert!(scene.count(Kind::Explosion) == 1 && in_px(scene.the(Kind::Explosion).position).1 < 245);
}

#[test]
fn turrets_sit_and_aim() {
    let mut scene = Scene::open();
    let turret = scene.spawn(Kind::Turret, (300, 240));
    scene.until("it fired", |scene| scene.count(Kind::Pellet) > 0);
    let pellet = scene.the(Kind::Pellet);
    assert!(points_at(pellet.velocity, scene.ship().position - Vec2::new(px(300), px(240))));
    assert_eq!(scene.place_of(turret), (300, 240));
}

#[test]
fn aimed_fire_is_held_at_point_blank_range() {
    let mut scene = Scene::open();
    scene.spawn(Kind::Turret, (90, 120));
    scene.wait(300);
    assert_eq!(scene.count(Kind::Pellet), 0);
}

#[test]
fn seekers_and_larvae_home_in_on_the_nearest_ship() {
    for kind in [Kind::Seeker, Kind::Larva] {
        let mut scene = Scene::open();
        scene.fly_to((64, 20));
        let foe = scene.spawn(kind, (440, 240));
        scene.wait(30);
        let first = scene.entity(foe).unwrap();
        assert!(points_at(first.velocity, scene.ship().position - first.position));
        scene.fly_to((64, 250));
        scene.wait(20);
        let then = scene.entity(foe).unwrap();
        assert!(points_at(then.velocity, scene.ship().position - then.position), "{} turns after it", kind.name());
    }
}

#[test]
fn chasers_come_from_behind_and_fly_back_at_the_height_of_the_ship() {
    let mut scene = Scene::open();
    scene.fly_to((64, 40));
    let chaser = scene.spawn(Kind::Chaser, (-16, 240));
    scene.wait(30);
    assert!(scene.entity(chaser).unwrap().velocity.x > 0);
    scene.until("it turned", |scene| scene.entity(chaser).is_some_and(|it| it.velocity.x < 0));
    assert!(scene.place_of(chaser).0 > 390 && scene.entity(chaser).unwrap().velocity.y < 0);
}

/// Where a grinder comes in.
const GRINDER_ENTERS: (i32, i32) = (-32, 134);

#[test]
fn a_grinder_shows_itself_before_it_can_hurt_anybody_then_closes_in_and_falls_back() {
    let mut scene = Scene::open();
    scene.fly_to((14, 134));
    let grinder = scene.spawn(Kind::Grinder, GRINDER_ENTERS);
    scene.wait(ticks_of(tuning::GRINDER_WARNING) - 2);
    let nose = |scene: &Scene| scene.place_of(grinder).0 + tuning::body(Kind::Grinder).size_px.0 / 2;
    assert!(nose(&scene) >= 12 && scene.flies(ONE), "it is seen, and reaches nobody");
    scene.fly_to((300, 134));
    scene.until("it has closed in", |scene| scene.place_of(grinder).0 == tuning::GRINDER_REACH / game::SUBPIXELS);
    scene.wait(60);
    assert_eq!(scene.entity(grinder).unwrap().velocity, Vec2::ZERO, "no further than that");
    scene.until_within(1200, "it falls back", |scene| scene.entity(grinder).is_some_and(|it| it.velocity.x < 0));
    scene.until_within(600, "it is gone", |scene| !scene.has(grinder));
    assert!(scene.flies(ONE));
}

#[test]
fn a_grinder_kills_whoever_stays_and_the_slowest_ship_keeps_ahead_of_it() {
    let mut scene = Scene::open();
    scene.fly_to((14, 134));
    scene.spawn(Kind::Grinder, GRINDER_ENTERS);
    scene.until_within(600, "it reaches the ship", |scene| scene.has_died(ONE));
    let slowest = tuning::SHIPS.iter().map(|ship| ship.speeds[0]).min().unwrap();
    let fastest = tuning::difficulty::NUMBERS[2].pace * tuning::GRINDER_SPEED / 16;
    assert!(fastest * 3 < slowest);
}

#[test]
fn a_force_at_the_back_hurts_a_grinder_and_one_that_stays_in_touch_destroys_it() {
    let mut scene = Scene::open();
    // It comes from behind, and docks there.
    (0..3).for_each(|_| scene.give(Kind::RedCrystal));
    scene.until("it docked", |scene| scene.the(Kind::Force).attached.is_some());
    scene.fly_to((300, 134));
    let grinder = scene.spawn(Kind::Grinder, GRINDER_ENTERS);
    scene.tap(Buttons::FIRE);
    scene.until("it is hurt", |scene| scene.entity(grinder).is_some_and(|it| it.health < it.health_max));
    // The Force is 9 pixels high and wide around a point 19 pixels behind the ship.
    let touching = |scene: &Scene| scene.place_of(grinder).0 + tuning::body(Kind::Grinder).hit_px.0 / 2 + 19 + 6;
    let before = scene.frame().score;
    for _ in 0..1000 {
        if scene.has(grinder) && scene.ship().position.x > px(touching(&scene)) {
            scene.hold(Buttons::LEFT | Buttons::FIRE, 1);
        } else {
            scene.hold(Buttons::RIGHT, 1);
        }
    }
    assert!(!scene.has(grinder) && scene.frame().score > before);
}

#[test]
fn a_lost_ship_returns_inside_the_field_wherever_a_grinder_is() {
    let mut scene = Scene::open();
    let place = in_px(scene.ship().position);
    scene.spawn(Kind::Grinder, (600, 134));
    scene.spawn(Kind::Mine, place);
    scene.until("the ship is lost", |scene| scene.has_died(ONE));
    scene.until_within(600, "it is back", |scene| scene.flies(ONE));
    let (x, _) = in_px(scene.ship().position);
    assert!(x < game::FIELD_WIDTH_PX, "{x}");
}

#[test]
fn a_lost_ship_returns_ahead_of_a_grinder() {
    let mut scene = Scene::with_players(2);
    let grinder = scene.spawn(Kind::Grinder, GRINDER_ENTERS);
    scene.fly_to_for(TWO, (400, 134));
    scene.fly_to((400, 100));
    scene.until_within(1200, "it has closed in", |scene| scene.place_of(grinder).0 > 100);
    scene.kill();
    scene.until("it returns", |scene| scene.flies(ONE));
    let nose = scene.entity(grinder).unwrap().position.x + px(tuning::body(Kind::Grinder).size_px.0 / 2);
    assert!(scene.ship().position.x >= nose + px(60));
}

#[test]
fn splitters_split_when_shot() {
    let mut scene = Scene::open();
    scene.give_docked_force(Kind::RedCrystal, 3);
    let splitter = scene.spawn(Kind::Splitter, (300, 108));
    scene.tap(Buttons::FIRE);
    scene.until("it is shot", |scene| !scene.has(splitter));
    assert_eq!(scene.count(Kind::Shard), usize::from(tuning::SHARDS));
    let mut rises: Vec<i32> = scene.all_of(Kind::Shard).iter().map(|shard| shard.velocity.y.signum()).collect();
    rises.sort_unstable();
    assert_eq!(rises, [-1, 0, 1], "in a fan");
}

#[test]
fn a_splitter_that_leaves_does_not_split() {
    let mut scene = Scene::open();
    let splitter = scene.spawn(Kind::Splitter, (-40, 240));
    scene.until("it left", |scene| !scene.has(splitter));
    assert_eq!(scene.count(Kind::Shard), 0);
}

#[test]
fn wardens_shield_the_enemies_near_them() {
    let mut scene = Scene::open();
    let (warden, drone) = (scene.spawn(Kind::Warden, (300, 150)), scene.spawn(Kind::Turret, (280, 108)));
    let far = scene.spawn(Kind::Turret, (400, 20));
    scene.tap(Buttons::FIRE);
    scene.until("the shot is gone", |scene| scene.count(Kind::Shot) == 0);
    let shielded = scene.entity(drone).unwrap();
    assert_eq!((shielded.health, shielded.animation), (shielded.health_max, 2));
    assert_eq!(scene.entity(far).unwrap().animation, 0);
    scene.until("the warden has gone by", |scene| scene.place_of(warden).0 < 200);
    scene.tap(Buttons::FIRE);
    scene.until("the shot is gone", |scene| scene.count(Kind::Shot) == 0);
    assert!(scene.entity(drone).unwrap().health < shielded.health);
}

#[test]
fn wardens_do_not_shield_themselves_or_each_other() {
    let mut scene = Scene::open();
    let warden = scene.spawn(Kind::Warden, (300, 108));
    scene.spawn(Kind::Warden, (300, 140));
    scene.tap(Buttons::FIRE);
    scene.until("the shot is gone", |scene| scene.count(Kind::Shot) == 0);
    assert!(scene.entity(warden).is_some_and(|it| it.health < it.health_max));
}

#[test]
fn hives_spawn_larvae_until_their_brood_is_out() {
    let mut scene = Scene::with_players(0);
    scene.spawn(Kind::Hive, (470, 135));
    let mut larvae = std::collections::BTreeSet::new();
    for _ in 0..1500 {
        scene.wait(1);
        larvae.extend(scene.all_of(Kind::Larva).iter().map(|larva| larva.id));
    }
    assert_eq!(larvae.len(), usize::from(tuning::HIVE_BROOD));
}

#[test]
fn gunships_hover_at_the_right_fire_fans_and_leave() {
    let mut scene = Scene::open();
    scene.fly_to((30, 260));
    let gunship = scene.spawn(Kind::Gunship, (490, 60));
    scene.until("it fired a fan", |scene| scene.count(Kind::Pellet) == 3);
    let mut rises: Vec<i32> = scene.all_of(Kind::Pellet).iter().map(|pellet| pellet.velocity.y.signum()).collect();
    rises.sort_unstable();
    assert_eq!(rises, [-1, 0, 1]);
    scene.wait(120);
    let hover = scene.place_of(gunship).0;
    scene.wait(120);
    assert_eq!(scene.place_of(gunship).0, hover, "it stays");
    scene.until_within(1200, "it left", |scene| !scene.has(gunship));
}

#[test]
fn mines_drift_and_burst_into_a_ring_when_a_ship_comes_near() {
    let mut scene = Scene::open();
    let mine = scene.spawn(Kind::Mine, (200, 108));
    scene.wait(30);
    assert!(scene.place_of(mine).0 < 200 && scene.count(Kind::Pellet) == 0);
    scene.until("it burst", |scene| !scene.has(mine));
    let pellets = scene.all_of(Kind::Pellet);
    assert_eq!(pellets.len(), usize::from(tuning::MINE_PELLETS));
    let sum = pellets.iter().fold(Vec2::ZERO, |sum, pellet| sum + pellet.velocity);
    assert!(sum.x.abs() + sum.y.abs() < 32, "in all directions alike: {sum:?}");
}

#[test]
fn a_mine_shows_its_fuse_before_it_bursts_whatever_the_difficulty() {
    for difficulty in game::Difficulty::ALL {
        let mut scene = Scene::of(Stage::sketch(&[]), game::Rules::of(difficulty), 1);
        let mine = scene.spawn(Kind::Mine, (140, 108));
        let look = |scene: &Scene| scene.entity(mine).map(|mine| mine.animation);
        assert_eq!(look(&scene), Some(0), "nobody is near");
        scene.until("its fuse is lit", |scene| look(scene) == Some(3));
        let mut glows = 0;
        while look(&scene) == Some(3) {
            assert_eq!(scene.count(Kind::Pellet), 0);
            scene.wait(1);
            glows += 1;
        }
        assert_eq!((look(&scene), glows), (None, ticks_of(tuning::MINE_FUSE)));
        assert_eq!(scene.count(Kind::Pellet), usize::from(tuning::MINE_PELLETS));
    }
}

#[test]
fn a_mine_that_is_shot_does_not_burst() {
    let mut scene = Scene::open();
    let mine = scene.spawn(Kind::Mine, (300, 108));
    for _ in 0..3 {
        scene.tap(Buttons::FIRE);
        scene.wait(6);
    }
    scene.until("it is shot", |scene| !scene.has(mine));
    assert_eq!(scene.count(Kind::Pellet), 0);
}

#[test]
fn bombers_fly_level_and_drop_bombs_that_fall() {
    let mut scene = Scene::open();
    let bomber = scene.spawn(Kind::Bomber, (440, 24));
    scene.until("it dropped one", |scene| scene.count(Kind::Bomb) > 0);
    let bomb = scene.all_of(Kind::Bomb)[0];
    scene.wait(20);
    let later = scene.entity(bomb.id).expect("it falls for a while");
    assert!(later.position.y > bomb.position.y && later.velocity.y > bomb.velocity.y);
    assert_eq!(scene.place_of(bomber).1, 24);
}

#[test]
fn debris_is_only_in_the_way() {
    let mut scene = Scene::open();
    let debris = scene.spawn(Kind::Debris, (440, 240));
    let heights = heights(&mut scene, debris, 200);
    assert!(heights.iter().all(|height| *height == px(240)));
    assert_eq!(scene.count(Kind::Pellet), 0);
}

#[test]
fn carriers_come_slowly_and_weave() {
    let mut scene = Scene::open();
    let carrier = scene.spawn(Kind::Carrier, (440, 200));
    let heights = heights(&mut scene, carrier, 128);
    assert!(heights.iter().any(|y| *y > px(205)) && heights.iter().any(|y| *y < px(195)));
    assert!(scene.place_of(carrier).0 > 300);
}

#[test]
fn enemies_out_of_view_hold_their_fire() {
    let mut scene = Scene::open();
    scene.spawn(Kind::Turret, (500, 100));
    scene.wait(300);
    assert_eq!(scene.count(Kind::Pellet), 0);
}

#[test]
fn spores_drift_and_burst_into_slow_pellets_only_when_they_are_shot() {
    let mut scene = Scene::open();
    let spore = scene.spawn(Kind::Spore, (400, 108));
    let heights = heights(&mut scene, spore, 130);
    assert!(heights.iter().any(|y| *y > px(108 + 12)) && heights.iter().any(|y| *y < px(108 - 12)), "it swings");
    assert_eq!(scene.count(Kind::Pellet), 0);
    let mut scene = Scene::open();
    scene.give_docked_force(Kind::RedCrystal, 3);
    let shot = scene.spawn(Kind::Spore, (300, 108));
    scene.tap(Buttons::FIRE);
    scene.until("it is shot", |scene| !scene.has(shot));
    let pellets = scene.all_of(Kind::Pellet);
    assert_eq!(pellets.len(), usize::from(tuning::SPORE_PELLETS));
    let sum = pellets.iter().fold(Vec2::ZERO, |sum, pellet| sum + pellet.velocity);
    assert!(sum.x.abs() + sum.y.abs() < 32, "in all directions alike: {sum:?}");
    assert!(pellets.iter().all(|pellet| pellet.velocity.x.abs() < 2 * tuning::PELLET_SPEED), "slower than others");
}

#[test]
fn leeches_wriggle_one_behind_the_other_and_never_fire() {
    let mut scene = Scene::with_players(0);
    let lead = scene.spawn(Kind::Leech, (440, 135));
    let lead = heights(&mut scene, lead, 100);
    assert!(lead.iter().any(|y| *y > px(135 + 35)) && lead.iter().any(|y| *y < px(135 - 35)), "they wriggle");
    let next = scene.spawn(Kind::Leech, (440, 135));
    assert_eq!(lead, heights(&mut scene, next, 100), "each on the same course");
    assert_eq!(scene.count(Kind::Pellet), 0);
}

#[test]
fn polyps_lob_arcs_from_the_floor_and_let_them_drop_from_the_ceiling() {
    let mut scene = floored();
    scene.spawn(Kind::Polyp, (300, 231));
    scene.until("it spat", |scene| scene.count(Kind::Bomb) > 0);
    let bomb = scene.the(Kind::Bomb);
    assert!(bomb.velocity.y < 0 && bomb.velocity.x < 0, "up, and towards the ship");
    scene.until("it comes down", |scene| scene.entity(bomb.id).is_some_and(|bomb| bomb.velocity.y > 0));
    let mut scene = Scene::open();
    scene.spawn(Kind::Polyp, (300, 9));
    scene.until("it let one drop", |scene| scene.count(Kind::Bomb) > 0);
    assert!(scene.the(Kind::Bomb).velocity.y >= 0);
}

#[test]
fn mites_are_drawn_to_a_ship_overshoot_and_at_last_give_up() {
    let mut scene = Scene::open();
    scene.fly_to((64, 40));
    let mite = scene.spawn(Kind::Mite, (440, 240));
    scene.wait(60);
    assert!(scene.entity(mite).expect("it is there").velocity.y < 0, "up to the ship");
    scene.fly_to((64, 250));
    scene.wait(90);
    let turned = |scene: &Scene| scene.entity(mite).is_none_or(|mite| mite.velocity.y > 0);
    scene.until("it turned after the ship or hit it", turned);
    let mut calm = Scene::with_players(0);
    let mite = calm.spawn(Kind::Mite, (440, 135));
    calm.until("without a ship it flies on", |scene| !scene.has(mite));
}

#[test]
fn lancers_take_a_ships_height_glow_and_only_then_fire_along_it() {
    let mut scene = Scene::open();
    scene.fly_to((64, 60));
    let lancer = scene.spawn(Kind::Lancer, (490, 200));
    let glows = |scene: &Scene| scene.entity(lancer).is_some_and(|lancer| lancer.animation == 3);
    scene.until("it glows", glows);
    assert_eq!(scene.count(Kind::Lance), 0, "the player is warned");
    let height = scene.place_of(lancer).1;
    assert!(height < 150, "it came to the ship's height");
    scene.hold(Buttons::DOWN, 30);
    assert_eq!(scene.place_of(lancer).1, height, "and stays where it took aim");
    scene.until("it fired", |scene| scene.count(Kind::Lance) > 1);
    let level = |lance: &Entity| lance.velocity.y == 0 && lance.velocity.x < 0 && in_px(lance.position).1 == height;
    assert!(scene.all_of(Kind::Lance).iter().all(level));
    scene.until_within(1200, "it left", |scene| !scene.has(lancer));
}

#[test]
fn hatches_release_darts_while_open_and_cannot_be_hurt_while_closed() {
    let mut scene = Scene::with_players(0);
    let hatch = scene.spawn(Kind::Hatch, (300, 263));
    let mut darts = std::collections::BTreeSet::new();
    let (mut opened, mut closed) = (0, 0);
    for _ in 0..1800 {
        let before = darts.len();
        scene.wait(1);
        darts.extend(scene.all_of(Kind::Dart).iter().map(|dart| dart.id));
        let is_open = scene.entity(hatch).expect("nobody shoots").animation == 3;
        assert!(is_open || darts.len() == before, "nothing comes out of a closed hatch");
        if is_open { opened += 1 } else { closed += 1 }
    }
    assert_eq!(darts.len(), usize::from(tuning::HATCH_DARTS), "until it has no more");
    assert!(opened > 300 && closed > 300, "{opened} {closed}");
    let mut scene = Scene::open();
    let hatch = scene.spawn(Kind::Hatch, (300, 108));
    scene.until("it closed", |scene| scene.entity(hatch).is_some_and(|hatch| hatch.animation == 0));
    let health = scene.entity(hatch).expect("it is there").health;
    scene.tap(Buttons::FIRE);
    scene.wait(25);
    assert_eq!(scene.entity(hatch).expect("still there").health, health);
}

#[test]
fn rovers_ride_on_floor_and_ceiling_turn_at_edges_and_aim() {
    let rows: Vec<String> = (0..17)
        .map(|row| if row == 8 { format!("{}{}", " ".repeat(18), "#".repeat(6)) } else { String::new() })
        .collect();
    for height in [8 * 16 - 7, 9 * 16 + 7] {
        let mut scene = deserted(&rows);
        let rover = scene.spawn(Kind::Rover, (340, height));
        let mut ways = Vec::new();
        for _ in 0..400 {
            scene.wait(1);
            let at = scene.entity(rover).expect("it never leaves its rail");
            assert_eq!(in_px(at.position).1, height);
            if ways.last() != Some(&at.velocity.x.signum()) && at.velocity.x != 0 {
                ways.push(at.velocity.x.signum());
            }
        }
        assert!(ways.len() >= 3 && ways[..3] == [-1, 1, -1], "{ways:?}");
    }
    let mut scene = floored();
    scene.spawn(Kind::Rover, (400, 233));
    scene.until("it fired", |scene| scene.count(Kind::Pellet) > 0);
}
