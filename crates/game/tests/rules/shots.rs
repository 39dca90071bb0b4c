//! The plain shot: what a tap of fire gives.

use game::{Buttons, Event, Gone, Kind, tuning};

use crate::scene::{ONE, Scene, ticks_of};

#[test]
fn a_tap_of_fire_is_one_shot_straight_ahead() {
    let mut scene = Scene::open();
    scene.tap(Buttons::FIRE);
    let shot = scene.the(Kind::Shot);
    assert_eq!(shot.seat, Some(ONE));
    assert_eq!(shot.position.y, scene.ship().position.y);
    assert!(shot.position.x > scene.ship().position.x && shot.velocity.x > 0 && shot.velocity.y == 0);
    assert!(scene.events.contains(&Event::Fired { seat: ONE, shot: shot.id }));
}

#[test]
fn holding_fire_gives_one_shot_only() {
    let mut scene = Scene::open();
    scene.hold(Buttons::FIRE, 20);
    assert_eq!(scene.events.iter().filter(|event| matches!(event, Event::Fired { .. })).count(), 1);
}

#[test]
fn tapping_faster_than_the_gun_gives_no_more() {
    let mut scene = Scene::open();
    scene.tap(Buttons::FIRE);
    scene.tap(Buttons::FIRE);
    assert_eq!(scene.count(Kind::Shot), 1);
    scene.wait(ticks_of(tuning::SHOT_COOLDOWN));
    scene.tap(Buttons::FIRE);
    assert_eq!(scene.count(Kind::Shot), 2);
}

#[test]
fn a_shot_hurts_what_it_hits_and_is_used_up() {
    let mut scene = Scene::open();
    let debris = scene.spawn(Kind::Debris, (200, 108));
    scene.tap(Buttons::FIRE);
    let shot = scene.the(Kind::Shot).id;
    scene.until("the shot is gone", |scene| scene.count(Kind::Shot) == 0);
    let hurt = scene.entity(debris).expect("debris survives one shot");
    assert_eq!(hurt.health, hurt.health_max - tuning::SHOT_DAMAGE);
    assert!(scene.events.contains(&Event::Hit { by: shot, target: debris }));
    assert!(scene.events.contains(&Event::Destroyed { entity: shot, gone: Gone::Destroyed }));
}

#[test]
fn what_was_hit_shows_it_for_a_moment() {
    let mut scene = Scene::open();
    let debris = scene.spawn(Kind::Debris, (120, 108));
    scene.tap(Buttons::FIRE);
    scene.until("it is shown as hurt", |scene| scene.entity(debris).is_some_and(|it| it.animation == 1));
    scene.wait(10);
    assert_eq!(scene.entity(debris).map(|it| it.animation), Some(0));
}

#[test]
fn a_shot_that_hits_nothing_leaves_the_field() {
    let mut scene = Scene::open();
    scene.tap(Buttons::FIRE);
    let shot = scene.the(Kind::Shot).id;
    scene.until("the shot is gone", |scene| scene.count(Kind::Shot) == 0);
    assert!(scene.events.contains(&Event::Destroyed { entity: shot, gone: Gone::Departed }));
}
