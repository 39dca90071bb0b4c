//! Several players: told apart by their seat, harmless to each other unless they choose otherwise, and harder to please.

use game::{Buttons, Kind, Rules, Seat, Stage, World, px, tuning};

use crate::scene::{ONE, Scene, TWO, in_px};

#[test]
fn four_ships_are_told_apart_by_their_seats() {
    let scene = Scene::with_players(4);
    let seats: Vec<_> = scene.all_of(Kind::Player).iter().map(|ship| ship.seat).collect();
    assert_eq!(seats, Seat::ALL.map(Some));
    let places: std::collections::BTreeSet<i32> = Seat::ALL.map(|seat| scene.ship_of(seat).position.y).into();
    assert_eq!(places.len(), 4, "and begin at places of their own");
}

#[test]
fn everyone_flies_by_their_own_input() {
    let mut scene = Scene::with_players(4);
    let before = Seat::ALL.map(|seat| scene.ship_of(seat).position);
    scene.hold_for(Seat::ALL[2], Buttons::RIGHT, 10);
    for (seat, before) in Seat::ALL.into_iter().zip(before) {
        assert_eq!(scene.ship_of(seat).position.x > before.x, seat == Seat::ALL[2]);
    }
}

#[test]
fn shots_carry_the_seat_of_the_player_that_fired() {
    let mut scene = Scene::with_players(2);
    scene.tap_for(TWO, Buttons::FIRE);
    assert_eq!(scene.the(Kind::Shot).seat, Some(TWO));
}

/// The second player's ship in front of the first one's gun.
fn in_the_line_of_fire(friendly_fire: bool) -> Scene {
    let rules = Rules { friendly_fire, ..Rules::default() };
    let mut scene = Scene::of(Stage::sketch(&[]), rules, 2);
    let (x, y) = in_px(scene.ship_of(ONE).position);
    scene.fly_to_for(TWO, (x + 100, y));
    scene.tap_for(ONE, Buttons::FIRE);
    scene.wait(30);
    scene
}

#[test]
fn friendly_fire_is_off() {
    let scene = in_the_line_of_fire(Rules::default().friendly_fire);
    assert!(scene.flies(TWO));
}

#[test]
fn a_rule_turns_friendly_fire_on() {
    let scene = in_the_line_of_fire(true);
    assert!(scene.has_died(TWO) && scene.flies(ONE));
    assert_eq!(scene.count(Kind::Shot), 0, "and the shot is used up");
}

#[test]
fn nobody_is_hit_by_their_own_shots() {
    let rules = Rules { friendly_fire: true, ..Rules::default() };
    let mut scene = Scene::of(Stage::sketch(&[]), rules, 1);
    scene.hold(Buttons::FIRE | Buttons::RIGHT, 120);
    scene.wait(60);
    assert!(scene.flies(ONE));
}

#[test]
fn ships_fly_through_each_other() {
    let mut scene = Scene::with_players(2);
    let place = in_px(scene.ship_of(ONE).position);
    scene.fly_to_for(TWO, place);
    scene.wait(10);
    assert!(scene.flies(ONE) && scene.flies(TWO));
}

#[test]
fn enemies_stand_more_the_more_players_there_are() {
    let healths = [1, 2, 3, 4].map(|players| {
        let mut scene = Scene::with_players(players);
        let hive = scene.spawn(Kind::Hive, (400, 240));
        scene.entity(hive).unwrap().health_max
    });
    assert_eq!(healths[0], tuning::body(Kind::Hive).health);
    assert!(healths.is_sorted_by(|fewer, more| fewer < more), "{healths:?}");
}

#[test]
fn what_falls_to_one_shot_always_does() {
    let mut scene = Scene::with_players(4);
    let drone = scene.spawn(Kind::Drone, (400, 240));
    assert_eq!(scene.entity(drone).unwrap().health_max, tuning::SHOT_DAMAGE);
}

#[test]
fn enemies_fire_faster_the_more_players_there_are() {
    let volleys = [1, 4].map(|players| {
        let mut scene = Scene::with_players(players);
        for seat in Seat::ALL.into_iter().take(players) {
            scene.fly_to_for(seat, (20, 20 + 4 * i32::from(seat.number())));
        }
        scene.spawn(Kind::Turret, (400, 250));
        let mut pellets = std::collections::BTreeSet::new();
        for _ in 0..1200 {
            scene.wait(1);
            pellets.extend(scene.all_of(Kind::Pellet).iter().map(|pellet| pellet.id));
        }
        pellets.len()
    });
    assert!(volleys[1] > volleys[0], "{volleys:?}");
}

#[test]
fn an_input_for_an_empty_seat_is_ignored() {
    let mut world = World::new(Stage::sketch(&[]), Rules::default(), 1);
    world.start();
    world.tick(&[game::Input::holding(Buttons::ALL); 4]);
    assert!(world.frame().entities.is_empty());
    assert!(px(0) == 0 && world.frame().players.iter().all(Option::is_none));
}
