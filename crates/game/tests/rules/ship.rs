//! The ship and how it answers to the stick.

use game::{Buttons, FIELD_HEIGHT_PX, FIELD_WIDTH_PX, Vec2, px, tuning};

use crate::scene::Scene;

#[test]
fn the_ship_answers_in_the_very_next_frame() {
    for (buttons, x, y) in [
        (Buttons::RIGHT, 1, 0),
        (Buttons::LEFT, -1, 0),
        (Buttons::UP, 0, -1),
        (Buttons::DOWN, 0, 1),
        (Buttons::UP | Buttons::RIGHT, 1, -1),
    ] {
        let mut scene = Scene::open();
        let before = scene.ship().position;
        scene.hold(buttons, 1);
        let way = scene.ship().position - before;
        assert_eq!((way.x.signum(), way.y.signum()), (x, y));
    }
}

#[test]
fn it_stops_when_the_stick_is_let_go() {
    let mut scene = Scene::open();
    scene.hold(Buttons::RIGHT, 10);
    let before = scene.ship().position;
    scene.wait(10);
    assert_eq!(scene.ship().position, before);
}

#[test]
fn opposite_directions_cancel() {
    let mut scene = Scene::open();
    let before = scene.ship().position;
    scene.hold(Buttons::LEFT | Buttons::RIGHT | Buttons::UP | Buttons::DOWN, 10);
    assert_eq!(scene.ship().position, before);
}

#[test]
fn flying_diagonally_is_no_faster() {
    let mut scene = Scene::open();
    let start = scene.ship().position;
    scene.hold(Buttons::RIGHT, 30);
    let straight = scene.ship().position - start;
    let corner = scene.ship().position;
    scene.hold(Buttons::RIGHT | Buttons::DOWN, 30);
    let diagonal = scene.ship().position - corner;
    let [fast, slow] = [straight, diagonal].map(|way| way.x * way.x + way.y * way.y);
    assert!(slow <= fast && slow > fast / 10 * 9, "{slow} against {fast} square sub-pixels");
}

#[test]
fn it_never_leaves_the_field() {
    let mut scene = Scene::open();
    for (buttons, corner) in [
        (Buttons::LEFT | Buttons::UP, Vec2::ZERO),
        (Buttons::RIGHT | Buttons::DOWN, Vec2::new(px(FIELD_WIDTH_PX), px(FIELD_HEIGHT_PX))),
    ] {
        scene.hold(buttons, 600);
        let (x, y) = tuning::SHIP_MARGIN;
        let away = scene.ship().position - corner;
        assert_eq!((away.x.abs(), away.y.abs()), (x, y));
    }
}

#[test]
fn two_buttons_are_enough_fire_and_force() {
    let mut scene = Scene::open();
    scene.tap(Buttons::FIRE);
    assert_eq!(scene.count(game::Kind::Shot), 1);
    scene.give(game::Kind::RedCrystal);
    scene.until("the Force docked", |scene| scene.the(game::Kind::Force).attached.is_some());
    scene.tap(Buttons::FORCE);
    assert_eq!(scene.the(game::Kind::Force).attached, None);
}
