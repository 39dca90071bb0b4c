//! Gates: terrain that moves as the stage scrolls. It kills, stops shots, and is shown as a wall.

use std::sync::Arc;

use game::{Buttons, Entity, Kind, Rules, Stage, px, stage::Gate, units::px_per_second};

use crate::scene::{ONE, Scene, scrolling};

const GATE: Gate =
    Gate { x_px: 700, y_px: -64, width_px: 32, height_px: 64, travel_px: 200, every_px: 400, phase_px: 0 };

fn gated(gate: Gate) -> Arc<Stage> {
    let row = " ".repeat(120);
    let mut stage = scrolling(&[&row], px_per_second(60), &[0]);
    let own = Arc::get_mut(&mut stage).expect("nobody else has it");
    own.set_gates(vec![gate]);
    stage
}

fn wall(scene: &Scene) -> Option<Entity> {
    scene.frame().entities.iter().find(|entity| entity.kind == Kind::Wall).copied()
}

#[test]
fn a_gate_is_told_as_a_wall_with_a_velocity_of_its_own() {
    let mut scene = Scene::of(gated(GATE), Rules::default(), 0);
    scene.until_within(1200, "it comes", |scene| wall(scene).is_some());
    let (mut down, mut up) = (0, 0);
    while let Some(before) = wall(&scene) {
        scene.wait(1);
        let Some(after) = wall(&scene) else { break };
        assert_eq!(after.position, before.position + after.velocity, "it says how it moves");
        assert_eq!(after.size_px, Some((32, 64)));
        down += usize::from(after.velocity.y > 0);
        up += usize::from(after.velocity.y < 0);
    }
    assert!(down > 100 && up > 100, "{down} {up}");
}

#[test]
fn a_gate_kills_and_stops_shots() {
    let still = Gate { y_px: 60, height_px: 120, travel_px: 1, ..GATE };
    let mut scene = Scene::of(gated(still), Rules::default(), 1);
    scene.until_within(1200, "it is near", |scene| wall(scene).is_some_and(|wall| wall.position.x < px(300)));
    scene.tap(Buttons::FIRE);
    let far = |scene: &Scene| scene.all_of(Kind::Shot).iter().any(|shot| shot.position.x > px(340));
    for _ in 0..60 {
        scene.wait(1);
        assert!(!far(&scene), "no shot passes it");
    }
    scene.until_within(1200, "the ship is lost", |scene| !scene.flies(ONE));
}

#[test]
fn a_gate_is_in_the_same_place_in_every_try() {
    let heights = |wait: u32| {
        let mut scene = Scene::of(gated(GATE), Rules::default(), 0);
        scene.wait(wait);
        scene.world.restart();
        scene.until_within(1200, "it comes", |scene| wall(scene).is_some());
        scene.wait(100);
        wall(&scene).map(|wall| wall.position)
    };
    assert_eq!(heights(0), heights(77));
}
