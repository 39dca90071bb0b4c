//! Bosses: several parts, one weak point that opens and closes, and a timer after which they leave.

use game::{
    Buttons, Class, Difficulty, Entity, Event, GameState, Input, Kind, Rules, Stage, tuning, units::px_per_second,
};

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
    challenge_on(Difficulty::Easy, boss, force_level)
}

fn challenge_on(difficulty: Difficulty, boss: &tuning::Boss, force_level: usize) -> Scene {
    let rules = Rules { lives: 9, ..Rules::of(difficulty) };
    let mut scene = Scene::of(Stage::sketch(&[]), rules, 2);
    if force_level > 0 {
        scene.give_docked_force(Kind::RedCrystal, force_level);
    }
    scene.spawn(boss.hull, (tuning::OUTSIDE / game::SUBPIXELS + 480, 135));
    scene.until("it is in its place", |scene| scene.the(boss.hull).position.x <= boss.rest_x);
    scene
}

/// The first player, while in flight, keeps at the height of a part and charges; when it can be hurt, the beam goes.
fn fire_at(scene: &mut Scene, part: Kind) {
    if scene.player_of(ONE).lives < 2 {
        // Somebody else takes the seat, with full lives.
        scene.world.leave(ONE, game::Departure::Left);
        scene.world.join(ONE);
    }
    if let (Some(ship), Some(target)) = (scene.frame().ship(ONE), scene.all_of(part).first()) {
        let way = target.position.y - ship.position.y;
        let can_be_hurt = !tuning::is_weak_point(part) || target.animation != 0;
        let lets_go = ship.charge == 255 && can_be_hurt && way.abs() < game::px(8);
        let held = Buttons::NONE.with(Buttons::UP, way < -512).with(Buttons::DOWN, way > 512);
        scene.inputs[0] = Input::holding(held.with(Buttons::FIRE, !lets_go));
    }
    scene.wait(1);
}

/// The first player, while in flight, keeps at the height of a part and taps fire, for one tick.
fn tap_at(scene: &mut Scene, part: Kind) {
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
            tap_at(&mut scene, boss.parts[0].0);
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
        let mut scene = beat(boss);
        assert_eq!(scene.count(boss.hull), 0, "{} was beaten", boss.hull.name());
        assert!(boss.parts.iter().all(|(kind, _)| scene.count(*kind) == 0), "and no part is left");
        assert_eq!(scene.world.game_state(), GameState::Running, "its end is seen in the clear");
        scene.until("the stage is won", |scene| scene.world.game_state() == GameState::Won);
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
        scene.until("the stage is over", |scene| scene.world.game_state() == GameState::Won);
        assert!(boss.parts.iter().all(|(kind, _)| scene.count(*kind) == 0), "with all its parts");
        assert_eq!(scene.frame().score, 0);
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
        let is_fire = |entity: &Entity| matches!(entity.kind.class(), Class::EnemyShot | Class::Enemy);
        scene.until("its parts attack", |scene| scene.frame().entities.iter().any(is_fire));
        scene.until("its weak point opens", |scene| weak_point(scene, boss).animation == OPEN);
        let weak = weak_point(&scene, boss);
        let fires = |scene: &Scene| {
            let near = |entity: &Entity| (entity.position.x - weak.position.x).abs() < game::px(12);
            scene.frame().entities.iter().any(|entity| entity.kind.class() == Class::EnemyShot && near(entity))
        };
        scene.until("the weak point fires", fires);
    }
}

#[test]
fn a_boss_waits_outside_while_the_players_are_warned() {
    for boss in &tuning::BOSSES {
        let mut scene = Scene::with_players(0);
        scene.spawn(boss.hull, (480 + boss.hull.size_px().0 / 2 + 8, 135));
        scene.wait(ticks_of(tuning::BOSS_WARNING) - 2);
        let view = scene.frame().boss().expect("it is announced");
        assert!(view.is_coming && view.kind == boss.hull && view.health == view.health_max);
        assert!(scene.frame().entities.iter().all(|entity| entity.kind.class() != Class::EnemyShot), "no fire yet");
        scene.until("it is here", |scene| scene.frame().boss().is_some_and(|boss| !boss.is_coming));
    }
}

#[test]
fn a_boss_whose_health_is_not_told_is_still_a_boss() {
    let mut scene = Scene::with_players(0);
    scene.spawn(Kind::Keeper, (400, 135));
    scene.wait(1);
    let mut frame = scene.frame();
    let told = frame.boss().expect("it is there");
    assert!(told.health_max > 0);
    frame.entities.retain(|entity| entity.kind != Kind::KeeperCore);
    let untold = frame.boss().expect("it is there");
    assert_eq!((untold.hull, untold.kind, untold.phase), (told.hull, Kind::Keeper, 0));
    assert_eq!((untold.health, untold.health_max), (0, 0));
}

/// Hurts the weak point until it is in a phase; what is fired meanwhile does not matter.
fn until_phase(scene: &mut Scene, boss: &tuning::Boss, phase: u8) {
    for _ in 0..ticks_of(boss.patience) {
        if scene.frame().boss().is_none_or(|boss| boss.phase >= phase) {
            break;
        }
        fire_at(scene, boss.parts[0].0);
    }
    assert_eq!(scene.frame().boss().map(|boss| boss.phase), Some(phase), "{}", boss.hull.name());
}

#[test]
fn a_boss_goes_through_three_phases_and_closes_between_them() {
    for boss in &tuning::BOSSES {
        let mut scene = challenge(boss, 3);
        for phase in 1..tuning::PHASES as u8 {
            until_phase(&mut scene, boss, phase);
            scene.wait(8);
            let is_shut = |scene: &Scene| weak_point(scene, boss).animation == 0;
            scene.until_within(20, "it closes", is_shut);
        }
    }
}

#[test]
fn a_boss_that_lost_its_parts_opens_sooner_and_fires_from_its_hull() {
    for boss in &tuning::BOSSES {
        let closed_for = |scene: &mut Scene| {
            scene.until("it opened", |scene| weak_point(scene, boss).animation == OPEN);
            scene.until("it closed", |scene| weak_point(scene, boss).animation == 0);
            let mut ticks = 0;
            while weak_point(scene, boss).animation == 0 {
                scene.wait(1);
                ticks += 1;
            }
            ticks
        };
        let (whole, bare) = (closed_for(&mut face(boss)), closed_for(&mut without_parts(boss)));
        assert!(bare * 2 <= whole, "{}: closed for {bare} and for {whole} ticks", boss.hull.name());
    }
}

/// A boss after somebody has shot off all of its parts but the weak point.
fn without_parts(boss: &tuning::Boss) -> Scene {
    let mut scene = challenge(boss, 3);
    for &(part, _) in &boss.parts[1..] {
        for _ in 0..6000 {
            if scene.count(part) == 0 {
                break;
            }
            fire_at(&mut scene, part);
        }
        assert_eq!(scene.count(part), 0, "the {} can be shot off", part.name());
    }
    scene
}

#[test]
fn plain_shots_do_little_to_a_weak_point_but_on_easy() {
    for boss in &tuning::BOSSES {
        assert_eq!(damage_of_a_tap(Difficulty::Easy, boss), tuning::SHOT_DAMAGE, "{}", boss.hull.name());
        let armoured = tuning::SHOT_DAMAGE / tuning::ARMOUR;
        assert_eq!(damage_of_a_tap(Difficulty::Normal, boss), armoured, "{}", boss.hull.name());
    }
}

/// The damage of the first plain shot that hits a weak point.
fn damage_of_a_tap(difficulty: Difficulty, boss: &tuning::Boss) -> u16 {
    let mut scene = challenge_on(difficulty, boss, 0);
    loop {
        let before = weak_point(&scene, boss).health;
        tap_at(&mut scene, boss.parts[0].0);
        let damage = before - weak_point(&scene, boss).health;
        if damage > 0 {
            return damage;
        }
    }
}

#[test]
fn nothing_spoils_a_victory() {
    let boss = &tuning::BOSSES[0];
    let mut scene = beat(boss);
    scene.spawn(Kind::Pellet, (300, 200));
    let ship = *scene.frame().ship(ONE).expect("the winner has a ship");
    scene.spawn(Kind::Drone, crate::scene::in_px(ship.position));
    scene.wait(1);
    assert!(!scene.has_died(ONE), "nobody is lost after the last boss");
    scene.until("the stage is won", |scene| scene.world.game_state() == GameState::Won);
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

#[test]
fn nothing_of_a_boss_is_hurt_or_aimed_at_before_it_is_in_the_field() {
    for boss in &tuning::BOSSES {
        let mut scene = Scene::open();
        scene.give(Kind::MissilePack);
        scene.give_docked_force(Kind::RedCrystal, 3);
        scene.fly_to((440, 100));
        // Where a stage brings it in: so near the edge that shots which leave the field reach it.
        scene.spawn(boss.hull, (480 + boss.hull.size_px().0 / 2 + 8, 135));
        let is_hurt = |scene: &Scene| {
            let parts = scene.frame().entities.into_iter().filter(|it| it.kind.class() == Class::Boss);
            parts.into_iter().any(|part| part.health < part.health_max)
        };
        for tick in 0..ticks_of(tuning::BOSS_WARNING) {
            // Beams, missiles and lasers.
            scene.inputs[0] = Input::holding(Buttons::NONE.with(Buttons::FIRE, tick % 50 != 0));
            scene.wait(1);
            assert!(!is_hurt(&scene), "{}: hurt while it waits", boss.hull.name());
        }
        let way = |missile: &Entity| missile.velocity.y.signum();
        scene.inputs[0] = Input::IDLE;
        scene.tap(Buttons::FIRE);
        let before: Vec<i32> = scene.all_of(Kind::Missile).iter().map(way).collect();
        scene.wait(6);
        let after: Vec<i32> = scene.all_of(Kind::Missile).iter().map(way).collect();
        assert_eq!(before, after, "{}: missiles turn to nothing", boss.hull.name());
    }
}

/// Brings a boss to a ship with a Force in front, missiles and two Bits that stays at a height and fires beams; whether it is lost.
fn is_lost_without_moving(boss: &tuning::Boss, height: i32) -> bool {
    let rules = Rules { lives: 3, ..Rules::default() };
    let mut scene = Scene::of(Stage::sketch(&[]), rules, 1);
    for item in [Kind::MissilePack, Kind::BitPack, Kind::BitPack] {
        scene.give(item);
    }
    scene.give_docked_force(Kind::RedCrystal, 3);
    scene.fly_to((64, height));
    scene.outlast_invulnerability();
    let lives = scene.player_of(ONE).lives;
    scene.spawn(boss.hull, (tuning::OUTSIDE / game::SUBPIXELS + 480, 135));
    let mut tick = 0;
    while scene.count(boss.hull) > 0 && scene.player_of(ONE).lives == lives {
        tick += 1;
        scene.inputs[0] = Input::holding(Buttons::NONE.with(Buttons::FIRE, tick % 130 < 112));
        scene.wait(1);
    }
    scene.player_of(ONE).lives < lives
}

#[test]
fn whoever_never_moves_is_lost_to_every_boss() {
    for boss in &tuning::BOSSES {
        for height in [40, 70, 100, 135, 170, 200, 230] {
            assert!(is_lost_without_moving(boss, height), "{} at {height}", boss.hull.name());
        }
    }
}
