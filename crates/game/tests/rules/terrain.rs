//! Terrain: it kills, stops shots, scrolls; some blocks can be shot away.

use game::{Buttons, Event, Gone, Kind, Rules, Vec2, px, units::px_per_second};

use crate::scene::{ONE, Scene, in_px, scrolling, with_floor};

fn lines(rows: &[String]) -> Vec<&str> {
    rows.iter().map(String::as_str).collect()
}

/// A wall of one column from top to bottom, 192 pixels from the left.
fn wall(tile: char) -> Vec<String> {
    (0..17).map(|_| format!("{}{tile}", " ".repeat(12))).collect()
}

#[test]
fn terrain_kills() {
    let mut scene = Scene::drawn(&lines(&with_floor(40)));
    scene.hold(Buttons::DOWN, 120);
    assert!(scene.has_died(ONE));
}

#[test]
fn a_ship_beside_terrain_lives() {
    let mut scene = Scene::drawn(&lines(&with_floor(40)));
    scene.fly_to((64, 234));
    scene.wait(60);
    assert!(scene.flies(ONE));
}

#[test]
fn a_new_ship_may_touch_terrain_but_not_for_long() {
    let mut scene = Scene::waiting(game::Stage::sketch(&lines(&with_floor(40))), Rules::default(), 1);
    scene.world.start();
    scene.hold(Buttons::DOWN, 80);
    assert!(scene.flies(ONE) && in_px(scene.ship().position).1 > 240);
    scene.wait(45);
    assert!(scene.has_died(ONE));
}

#[test]
fn terrain_scrolls_past_and_kills_a_ship_that_stays() {
    let mut rows = wall('#');
    rows.iter_mut().for_each(|row| *row = format!("{}{row}{}", " ".repeat(10), " ".repeat(60)));
    let mut scene = Scene::of(scrolling(&lines(&rows), px_per_second(60), &[0]), Rules::default(), 1);
    assert!(scene.frame().scroll_px > 100);
    scene.until_within(900, "the wall came", |scene| scene.has_died(ONE));
}

#[test]
fn scrolling_stops_at_the_end_of_the_stage() {
    let rows = vec![" ".repeat(40)];
    let mut scene = Scene::of(scrolling(&lines(&rows), px_per_second(60), &[0]), Rules::default(), 1);
    scene.wait(600);
    assert_eq!(scene.frame().scroll_px, 40 * 16 - 480);
}

#[test]
fn shots_stop_at_terrain() {
    let mut scene = Scene::drawn(&lines(&wall('#')));
    let behind = scene.spawn(Kind::Debris, (260, 108));
    scene.tap(Buttons::FIRE);
    scene.wait(30);
    assert_eq!(scene.count(Kind::Shot), 0);
    assert_eq!(scene.entity(behind).map(|it| it.health_max - it.health), Some(0));
}

#[test]
fn beams_and_missiles_stop_at_terrain() {
    let mut scene = Scene::drawn(&lines(&wall('#')));
    scene.give(Kind::MissilePack);
    scene.hold(Buttons::FIRE, 115);
    scene.wait(60);
    assert_eq!(scene.count(Kind::Beam) + scene.count(Kind::Missile), 0);
    assert_eq!(scene.frame().score, 300, "only the missiles themselves gave points");
}

#[test]
fn enemy_shots_stop_at_terrain() {
    let mut scene = Scene::drawn(&lines(&with_floor(40)));
    let bomb = scene.spawn(Kind::Bomb, (300, 200));
    scene.until("it is gone", |scene| !scene.has(bomb));
    assert!(scene.events.contains(&Event::Destroyed { entity: bomb, gone: Gone::Destroyed }), "it did not fall out");
}

#[test]
fn blocks_can_be_shot_away() {
    let mut scene = Scene::drawn(&lines(&wall('%')));
    let in_the_way = |scene: &Scene| {
        let near = |block: &game::Entity| (block.position.y - scene.ship().position.y).abs() < px(12);
        scene.all_of(Kind::Block).iter().filter(|block| near(block)).count()
    };
    let before = in_the_way(&scene);
    assert!(before > 0 && scene.count(Kind::Block) == 17);
    for _ in 0..8 {
        scene.tap(Buttons::FIRE);
        scene.wait(10);
    }
    assert_eq!((before, in_the_way(&scene)), (1, 0));
}

#[test]
fn blocks_kill_until_they_are_gone() {
    let mut scene = Scene::drawn(&lines(&wall('%')));
    scene.hold(Buttons::RIGHT, 120);
    assert!(scene.has_died(ONE));
}

#[test]
fn blocks_scroll_with_the_terrain() {
    let rows: Vec<String> = wall('%').iter().map(|row| format!("{row:<60}")).collect();
    let mut scene = Scene::of(scrolling(&lines(&rows), px_per_second(30), &[0]), Rules::default(), 1);
    let (before, scrolled) = (scene.all_of(Kind::Block)[0], scene.frame().scroll_px);
    scene.wait(40);
    let moved = before.position.x - scene.entity(before.id).unwrap().position.x;
    assert_eq!(moved / px(1), (scene.frame().scroll_px - scrolled) as i32);
}

#[test]
fn a_ship_returns_clear_of_terrain() {
    // Every height at which a ship prefers to begin is filled, and a pillar stands just ahead of another.
    let mut rows = vec![" ".repeat(40); 17];
    for row in [4, 6, 7, 9, 10, 12] {
        rows[row] = "#".repeat(40);
    }
    rows[..4].iter_mut().for_each(|row| row.replace_range(5..6, "#"));
    for seat in 0..4 {
        let mut world = game::World::new(game::Stage::sketch(&lines(&rows)), Rules::default(), 1);
        let seat = game::Seat::ALL[seat];
        world.join(seat);
        world.start();
        let mut scene = Scene { world, events: Vec::new(), inputs: Default::default() };
        scene.outlast_invulnerability();
        scene.hold_for(seat, Buttons::RIGHT, 30);
        assert!(scene.flies(seat), "seat {seat:?} is clear and has room ahead");
    }
}

#[test]
fn nothing_is_put_where_no_game_could_hold_it() {
    let mut scene = Scene::open();
    assert_eq!(scene.world.spawn(Kind::Drone, Vec2::new(i32::MAX, i32::MIN)), None);
    assert_eq!(scene.world.spawn(Kind::SpeedUp, Vec2::new(px(2000), 0)), None);
}
