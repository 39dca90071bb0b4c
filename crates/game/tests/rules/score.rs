//! Score: of all together, of each, and the lives that it brings.

use game::{Buttons, Event, Kind, tuning};

use crate::scene::{ONE, Scene, TWO, in_px};

/// Shoots down one drone in front of a player.
fn shoot_one(scene: &mut Scene, seat: game::Seat) {
    let (x, y) = in_px(scene.ship_of(seat).position);
    let drone = scene.spawn(Kind::Shard, (x + 60, y));
    scene.tap_for(seat, Buttons::FIRE);
    scene.until("it is shot down", |scene| !scene.has(drone));
}

#[test]
fn shooting_an_enemy_down_gives_its_points_to_all_and_to_the_player_who_did_it() {
    let mut scene = Scene::with_players(2);
    shoot_one(&mut scene, TWO);
    let points = u32::from(tuning::body(Kind::Shard).score);
    assert_eq!(scene.frame().score, points);
    assert_eq!((scene.player_of(ONE).score, scene.player_of(TWO).score), (0, points));
}

#[test]
fn shares_add_up_to_the_score() {
    let mut scene = Scene::with_players(2);
    shoot_one(&mut scene, ONE);
    shoot_one(&mut scene, TWO);
    scene.give(Kind::SpeedUp);
    assert_eq!(scene.frame().score, scene.player_of(ONE).score + scene.player_of(TWO).score);
}

#[test]
fn a_shot_whose_player_has_left_scores_for_nobody() {
    let mut scene = Scene::with_players(2);
    let (x, y) = in_px(scene.ship_of(TWO).position);
    let shard = scene.spawn(Kind::Shard, (x + 60, y));
    scene.tap_for(TWO, Buttons::FIRE);
    assert!(scene.has(shard), "the shot is on its way");
    scene.world.leave(TWO, game::Departure::Left);
    scene.until("it is shot down", |scene| !scene.has(shard));
    assert_eq!((scene.frame().score, scene.player_of(ONE).score), (0, 0));
}

#[test]
fn an_enemy_that_leaves_gives_nothing() {
    let mut scene = Scene::open();
    let drone = scene.spawn(Kind::Drone, (20, 240));
    scene.until("it left", |scene| !scene.has(drone));
    assert_eq!(scene.frame().score, 0);
}

#[test]
fn items_give_points() {
    let mut scene = Scene::open();
    scene.give(Kind::RedCrystal);
    assert_eq!(scene.frame().score, u32::from(tuning::body(Kind::RedCrystal).score));
}

#[test]
fn a_mine_that_bursts_by_itself_gives_nothing() {
    let mut scene = Scene::open();
    let mine = scene.spawn(Kind::Mine, (100, 108));
    scene.wait(1);
    assert!(!scene.has(mine));
    assert_eq!(scene.frame().score, 0);
}

/// Takes crystals until the score is at least so high.
fn collect(scene: &mut Scene, score: u32) {
    while scene.frame().score < score {
        scene.give(Kind::RedCrystal);
    }
}

#[test]
fn at_twenty_thousand_everybody_in_the_game_gets_a_life() {
    let mut scene = Scene::with_players(2);
    collect(&mut scene, tuning::EXTRA_LIFE_FIRST - 500);
    assert_eq!(scene.player().lives, tuning::LIVES_AT_FIRST);
    scene.give(Kind::RedCrystal);
    assert_eq!((scene.player_of(ONE).lives, scene.player_of(TWO).lives), (4, 4));
    assert!(scene.events.contains(&Event::ExtraLife { seat: TWO }));
}

#[test]
fn further_lives_come_at_every_sixty_thousand_more() {
    let mut scene = Scene::open();
    collect(&mut scene, tuning::EXTRA_LIFE_FIRST + tuning::EXTRA_LIFE_EVERY);
    assert_eq!(scene.player().lives, tuning::LIVES_AT_FIRST + 2);
}

#[test]
fn nobody_has_more_than_nine_lives() {
    let rules = game::Rules { lives: 9, ..Default::default() };
    let mut scene = Scene::of(game::Stage::sketch(&[]), rules, 1);
    collect(&mut scene, tuning::EXTRA_LIFE_FIRST);
    assert_eq!(scene.player().lives, tuning::LIVES_MAX);
    assert!(!scene.events.contains(&Event::ExtraLife { seat: ONE }));
}

#[test]
fn a_player_out_of_lives_gets_no_extra_life() {
    let rules = game::Rules { lives: 1, ..Default::default() };
    let mut scene = Scene::of(game::Stage::sketch(&[]), rules, 2);
    scene.kill_of(TWO);
    collect(&mut scene, tuning::EXTRA_LIFE_FIRST);
    assert_eq!((scene.player_of(ONE).lives, scene.player_of(TWO).lives), (2, 0));
}
