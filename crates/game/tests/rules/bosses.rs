//! Bosses: several parts, one weak point that opens and closes, and a timer after which they leave.

use game::{Buttons, Entity, Event, GameState, Input, Kind, Rules, Stage, tuning, units::px_per_second};

use crate::scene::{ONE, Scene, scrolling, ticks_of};

/// How a weak point that is open looks.
const OPEN: u8 = 3;

/// Brings a boss to its place. Nobody is there to be hit.
fn face(boss: &tuning::Boss) -> Scene {
    let mut scene = Scene::with_players(0);
    scene.spawn(boss.hull, (tuning::OUTSIDE / game::SUBPIXELS + 480, 135));
    let rest = boss.rest_x;
    scene.until("it is in its place", |scene| scene.the(boss.hull).position.x <= rest);
    scene
}

fn weak_point(scene: &Scene, boss: &tuning::Boss) -> Entity {
    scene.the(boss.parts[0].0)
}

/// Brings a boss to two players with lives to spare, the first of whom has a Force of that level.
fn challenge(boss: &tuning::Boss, force_level: usize) -> Scene {
    let mut scene = Scene::of(Stage::sketch(&[]), Rules { lives: 9, ..Rules::default() }, 2);
    if force_level > 0 {
        scene.give_docked_force(Kind::RedCrystal, force_level);
    }
    scene.spawn(boss.hull, (tuning::OUTSIDE / game::SUBPIXELS + 480, 135));
    scene.until("it is in its place", |scene| scene.the(boss.hull).position.x <= boss.rest_x);
    scene
}

/// The first player, while in flight, keeps at the height of a part and taps fire, for one tick.
fn fire_at(scene: &mut Scene, part: Kind) {
    if let (Some(ship), Some(target)) = (scene.frame().ship(ONE), scene.all_of(part).first()) {
        let way = target.position.y - ship.position.y;
        let held = Buttons::NONE.with(Buttons::UP, way < -512).with(Buttons::DOWN, way > 512);
        scene.inputs[0] = Input { held, pressed: Buttons::FIRE };
    }
    scene.wait(1);
    scene.inputs[0] = Input::IDLE;
}

#[test]
fn every_boss_has_several_parts_and_exactly_one_weak_point() {
    for boss in &tuning::BOSSES {
        let scene = face(boss);
        let parts: usize = boss.parts.iter().map(|(kind, _)| scene.count(*kind)).sum();
        assert!(parts >= boss.parts.len() && boss.parts.len() >= 3);
        assert_eq!(scene.count(boss.parts[0].0), 1);
    }
}

#[test]
fn the_weak_point_opens_and_closes() {
    for boss in &tuning::BOSSES {
        let mut scene = face(boss);
        for _ in 0..2 {
            scene.until("it opened", |scene| weak_point(scene, boss).animation == OPEN);
            scene.until("it closed", |scene| weak_point(scene, boss).animation != OPEN);
        }
    }
}

#[test]
fn the_weak_point_can_be_hit_by_plain_shots_while_open_and_only_then() {
    for boss in &tuning::BOSSES {
        let mut scene = challenge(boss, 0);
        let (mut hurt_open, mut hurt_closed, mut hits_closed) = (0, 0, 0);
        for _ in 0..1500 {
            let before = weak_point(&scene, boss);
            fire_at(&mut scene, boss.parts[0].0);
            if scene.count(boss.hull) == 0 {
                break;
            }
            let after = weak_point(&scene, boss);
            let hit =
                scene.events.iter().any(|event| matches!(event, Event::Hit { target, .. } if *target == after.id));
            let closed = before.animation == 0 && after.animation == 0;
            hurt_open += u32::from(!closed && after.health < before.health);
            hurt_closed += u32::from(closed && after.health < before.health);
            hits_closed += u32::from(closed && hit);
        }
        assert!(hurt_open > 5, "{}: hit {hurt_open} times while open", boss.hull.name());
        assert!(hits_closed > 0, "{}: was shot at while closed", boss.hull.name());
        assert_eq!(hurt_closed, 0, "{}", boss.hull.name());
    }
}

#[test]
fn other_parts_can_be_shot_off() {
    for boss in &tuning::BOSSES {
        let mut scene = challenge(boss, 3);
        let part = scene.all_of(boss.parts[1].0)[0];
        for _ in 0..1500 {
            fire_at(&mut scene, part.kind);
        }
        assert!(!scene.has(part.id), "{} can be shot off", part.kind.name());
        assert_eq!(scene.count(boss.hull), 1, "and the boss goes on without it");
    }
}

#[test]
fn the_hull_stops_shots_and_takes_no_harm() {
    let mut scene = Scene::open();
    scene.fly_to((250, 109));
    scene.spawn(Kind::Keeper, (405, 135));
    scene.tap(Buttons::FIRE);
    scene.until("the shot is gone", |scene| scene.count(Kind::Shot) == 0);
    assert!(scene.events.iter().any(|event| matches!(event, Event::Hit { .. })));
    assert_eq!(scene.count(Kind::Keeper), 1);
}

/// Shoots at a boss until it is beaten or gone.
fn beat(boss: &tuning::Boss) -> Scene {
    let mut scene = challenge(boss, 3);
    while scene.count(boss.hull) > 0 {
        fire_at(&mut scene, boss.parts[0].0);
    }
    scene
}

#[test]
fn a_beaten_boss_goes_with_all_its_parts_and_the_stage_is_won() {
    for boss in &tuning::BOSSES {
        let scene = beat(boss);
        assert_eq!(scene.count(boss.hull), 0, "{} was beaten", boss.hull.name());
        assert!(boss.parts.iter().all(|(kind, _)| scene.count(*kind) == 0), "and no part is left");
        assert_eq!(scene.world.game_state(), GameState::Won);
        assert!(scene.frame().score >= u32::from(tuning::body(boss.hull).score));
    }
}

#[test]
fn a_boss_that_is_not_beaten_in_time_leaves_and_gives_nothing() {
    for boss in &tuning::BOSSES {
        let mut scene = Scene::with_players(0);
        scene.spawn(boss.hull, (500, 135));
        scene.wait(ticks_of(boss.patience) - 10);
        assert_eq!(scene.count(boss.hull), 1, "not before");
        scene.until("it left", |scene| scene.count(boss.hull) == 0);
        scene.wait(180);
        assert!(boss.parts.iter().all(|(kind, _)| scene.count(*kind) == 0), "with all its parts");
        assert_eq!((scene.world.game_state(), scene.frame().score), (GameState::Won, 0));
    }
}

#[test]
fn scrolling_stops_while_a_boss_lives() {
    let row = " ".repeat(300);
    let stage = scrolling(&[&row], px_per_second(60), &[0]);
    let mut scene = Scene::of(stage, Rules::default(), 0);
    scene.spawn(Kind::Salvager, (500, 135));
    let before = scene.frame().scroll_px;
    scene.wait(300);
    assert!(before > 0 && scene.frame().scroll_px == before);
}

#[test]
fn a_boss_fires() {
    for boss in &tuning::BOSSES {
        let mut scene = challenge(boss, 3);
        scene.until("a gun fired", |scene| scene.count(Kind::Pellet) > 0);
        scene.until("the weak point fired", |scene| scene.count(Kind::Lance) > 0);
    }
}

#[test]
fn a_boss_finds_room_in_a_full_field() {
    let mut scene = Scene::open();
    while scene.world.spawn(Kind::Block, game::Vec2::new(game::px(300), game::px(250))).is_some() {}
    assert!(scene.world.refused() > 0);
    scene.spawn(Kind::Keeper, (500, 135));
    scene.wait(1);
    assert_eq!((scene.count(Kind::Keeper), scene.count(Kind::KeeperCore), scene.count(Kind::KeeperGun)), (1, 1, 2));
}
