//! A press and release within one tick is still a press, for every button that is pressed rather than held.

use game::{Buttons, Input, Kind, tuning};

use crate::scene::{ONE, Scene, ticks_of};

#[test]
fn a_tap_of_fire_within_one_tick_is_a_shot() {
    let mut scene = Scene::open();
    scene.tap(Buttons::FIRE);
    assert_eq!(scene.count(Kind::Shot), 1);
}

#[test]
fn a_tap_of_charge_within_one_tick_is_a_shot() {
    let mut scene = Scene::open();
    scene.tap(Buttons::CHARGE);
    assert_eq!(scene.count(Kind::Shot), 1);
}

#[test]
fn a_tap_of_force_within_one_tick_launches_it() {
    let mut scene = Scene::open();
    scene.give_docked_force(Kind::RedCrystal, 1);
    scene.tap(Buttons::FORCE);
    assert_eq!(scene.the(Kind::Force).attached, None);
}

#[test]
fn a_tap_of_a_direction_within_one_tick_flies_for_that_tick() {
    for (button, (x, y)) in
        [(Buttons::LEFT, (-1, 0)), (Buttons::RIGHT, (1, 0)), (Buttons::UP, (0, -1)), (Buttons::DOWN, (0, 1))]
    {
        let mut scene = Scene::open();
        let from = scene.ship().position;
        scene.tap(button);
        scene.wait(5);
        let way = scene.ship().position - from;
        let tick = tuning::SHIPS[0].speeds[0] * 2;
        assert_eq!((way.x, way.y), (x * tick, y * tick), "{button:?}");
    }
}

#[test]
fn a_button_held_on_counts_as_pressed_once() {
    let mut scene = Scene::open();
    scene.give_docked_force(Kind::RedCrystal, 1);
    scene.hold(Buttons::FORCE, 30);
    assert_eq!(scene.the(Kind::Force).attached, None);
    assert!(scene.the(Kind::Force).position.x > scene.ship().position.x);
}

#[test]
fn letting_go_and_pressing_again_within_one_tick_fires_the_beam() {
    for button in [Buttons::FIRE, Buttons::CHARGE] {
        let mut scene = Scene::open();
        scene.inputs[ONE.index()] = Input::holding(button);
        scene.wait(ticks_of(tuning::CHARGE_DELAY + tuning::SHIPS[0].charge_full) + 1);
        scene.inputs[ONE.index()] = Input { held: button, pressed: button };
        scene.wait(1);
        scene.inputs[ONE.index()] = Input::holding(button);
        assert_eq!(scene.count(Kind::Beam), 1, "{button:?}");
        assert!(scene.ship().charge < 5, "the gauge is empty");
        scene.wait(60);
        assert!(scene.ship().charge > 50, "it goes on charging");
    }
}
