//! Difficulty, modes, mutators and the four ships.

use std::sync::Arc;

use game::{
    Arms, Buttons, Crystal, Daily, Difficulty, Event, Frame, Input, Kind, Mode, Mutator, Practice, Rules, Seat,
    ShipModel, Side, Stage, World, tuning,
};

use crate::scene::{ONE, Scene, TWO, ticks_of};

fn rules(difficulty: Difficulty) -> Rules {
    Rules::of(difficulty)
}

fn with(mutator: Mutator) -> Scene {
    // Only a stage of waves has a day's game; what it changes is the same everywhere.
    let day = (0..).find(|&day| Daily::of(day).mutator == mutator).expect("some day has it");
    let mut scene = Scene::of(quiet(), Rules::of_day(day), 1);
    scene.wait(1);
    scene
}

/// A stage of waves whose first one is still to come.
fn quiet() -> Arc<Stage> {
    Stage::endless()
}

fn open(difficulty: Difficulty) -> Scene {
    Scene::of(Stage::sketch(&[]), rules(difficulty), 1)
}

// ---- Difficulty ----

#[test]
fn a_harder_game_has_fewer_lives_and_tougher_enemies() {
    let [easy, normal, hard] = Difficulty::ALL.map(|difficulty| {
        let mut scene = open(difficulty);
        let hive = scene.spawn(Kind::Hive, (400, 240));
        (scene.player().lives, scene.entity(hive).unwrap().health_max)
    });
    assert_eq!([easy.0, normal.0, hard.0], [6, 3, 2]);
    assert!(easy.1 < normal.1 && normal.1 < hard.1);
}

#[test]
fn a_harder_game_is_faster() {
    let [easy, normal, hard] = Difficulty::ALL.map(|difficulty| {
        let mut scene = open(difficulty);
        let drone = scene.spawn(Kind::Drone, (400, 60));
        scene.wait(60);
        400 - scene.place_of(drone).0
    });
    assert!(easy < normal && normal < hard, "{easy} {normal} {hard}");
}

#[test]
fn a_harder_game_fires_more_often_and_its_shots_fly_faster() {
    let [easy, normal, hard] = Difficulty::ALL.map(|difficulty| {
        let mut scene = open(difficulty);
        scene.fly_to((20, 20));
        scene.spawn(Kind::Sentry, (400, 200));
        let next_shot = |scene: &mut Scene| {
            let newest = |scene: &Scene| scene.all_of(Kind::Lance).iter().map(|lance| lance.id).max();
            let before = newest(scene);
            scene.until("it fires", |scene| newest(scene) > before);
            scene.frame().tick.0
        };
        let (first, second) = (next_shot(&mut scene), next_shot(&mut scene));
        (-((second - first) as i32), -scene.all_of(Kind::Lance)[0].velocity.x)
    });
    assert!(easy.0 < normal.0 && normal.0 < hard.0, "{easy:?} {normal:?} {hard:?}");
    assert!(easy.1 < normal.1 && normal.1 < hard.1, "{easy:?} {normal:?} {hard:?}");
}

#[test]
fn an_easy_stage_has_fewer_enemies_and_as_many_items() {
    let count = |difficulty| {
        let stage = Stage::built_in("stage1").expect("it is built in");
        let mut world = World::new(stage, Rules { lives: 9, ..rules(difficulty) }, 1);
        world.start();
        let (mut enemies, mut carriers, mut frame) = (0, 0, Frame::default());
        for _ in 0..4500 {
            world.tick(&Default::default());
            world.frame_into(&mut frame);
            for event in &frame.events {
                let Event::Spawned { entity } = event else { continue };
                let Some(entity) = frame.entity(*entity) else { continue };
                enemies += usize::from(entity.kind.class() == game::Class::Enemy);
                carriers += usize::from(entity.kind == Kind::Carrier);
            }
        }
        (enemies, carriers)
    };
    let (easy, normal) = (count(Difficulty::Easy), count(Difficulty::Normal));
    assert!(easy.0 < normal.0 * 9 / 10 && easy.1 == normal.1, "{easy:?} {normal:?}");
}

#[test]
fn an_easy_boss_has_less_health_and_hardly_less_fire_than_an_easy_enemy_would() {
    let of_keeper = |difficulty| {
        let mut scene = open(difficulty);
        scene.spawn(Kind::Keeper, (405, 135));
        scene.the(Kind::KeeperCore).health_max
    };
    let sixteenths = of_keeper(Difficulty::Easy) * 16 / of_keeper(Difficulty::Normal);
    let easy = &tuning::difficulty::NUMBERS[0];
    assert_eq!(sixteenths, easy.boss_health);
    assert!(easy.boss_health < easy.health && easy.boss_fire_rate > easy.fire_rate);
}

// ---- Ships ----

#[test]
fn ships_differ_in_speed_and_charge() {
    let figures = ShipModel::ALL.map(|model| {
        let mut world = World::new(Stage::sketch(&[]), Rules::default(), 1);
        world.join_with(ONE, model);
        world.start();
        let held = Input::holding(Buttons::RIGHT | Buttons::FIRE);
        (0..60).for_each(|_| world.tick(&[held; 4]));
        let frame = world.frame();
        let ship = frame.ship(ONE).expect("it flies");
        (ship.position.x, ship.charge, frame.players[0].expect("a player").model)
    });
    for (index, (x, charge, model)) in figures.iter().enumerate() {
        assert_eq!(*model, ShipModel::ALL[index], "a Frame tells it");
        let same = |other: &&(i32, u8, ShipModel)| other.0 == *x && other.1 == *charge;
        assert_eq!(figures.iter().filter(same).count(), 1, "{figures:?}");
    }
}

#[test]
fn beams_differ_in_damage() {
    let dealt = ShipModel::ALL.map(|model| {
        let mut world = World::new(Stage::sketch(&[]), Rules::default(), 1);
        world.join_with(ONE, model);
        world.start();
        let hive = world.spawn(Kind::Hive, game::Vec2::new(game::px(300), game::px(108))).expect("there is room");
        let full = ticks_of(tuning::CHARGE_DELAY + model.numbers().charge_full) + 1;
        (0..full).for_each(|_| world.tick(&[Input::holding(Buttons::CHARGE); 4]));
        let before = world.frame().entity(hive).expect("it is there").health;
        (0..40).for_each(|_| world.tick(&[Input::IDLE; 4]));
        before - world.frame().entity(hive).map_or(0, |hive| hive.health)
    });
    // A hive has 48: only the weaker beams leave something of it.
    let expected = ShipModel::ALL.map(|model| (80 * model.numbers().beam / 16).min(48));
    assert_eq!(dealt, expected);
}

#[test]
fn a_ship_is_that_of_the_seat_unless_it_is_chosen() {
    let mut world = World::new(Stage::sketch(&[]), Rules::default(), 1);
    Seat::ALL.into_iter().for_each(|seat| assert!(world.join(seat)));
    assert_eq!(Seat::ALL.map(|seat| world.chosen_ship(seat)), ShipModel::ALL.map(Some));
    world.choose_ship(TWO, ShipModel::Anvil);
    assert_eq!(world.frame().players[1].map(|player| player.model), Some(ShipModel::Anvil), "before the game at once");
    world.start();
    world.choose_ship(TWO, ShipModel::Lynx);
    assert_eq!(world.frame().players[1].map(|player| player.model), Some(ShipModel::Anvil), "in a game not yet");
    assert_eq!(world.chosen_ship(TWO), Some(ShipModel::Lynx));
}

#[test]
fn the_next_ship_is_the_one_that_was_chosen() {
    let mut scene = Scene::with_players(2);
    scene.world.choose_ship(TWO, ShipModel::Anvil);
    scene.kill_of(TWO);
    scene.until("it is back", |scene| scene.flies(TWO));
    assert_eq!(scene.player_of(TWO).model, ShipModel::Anvil);
}

// ---- Daily ----

#[test]
fn a_day_is_the_same_game_whatever_the_seed_and_again_at_each_try() {
    let kinds = |world: &mut World| -> Vec<Kind> {
        let (mut kinds, mut frame) = (Vec::new(), Frame::default());
        for _ in 0..2400 {
            world.tick(&Default::default());
            world.frame_into(&mut frame);
            let spawned = frame.events.iter().filter_map(|event| match event {
                Event::Spawned { entity } => frame.entity(*entity).map(|entity| entity.kind),
                _ => None,
            });
            kinds.extend(spawned);
        }
        kinds
    };
    let day = |seed| {
        let mut world = World::new(Stage::endless(), Rules::of_day(20_500), seed);
        world.start();
        world
    };
    let mut first = day(1);
    let came = kinds(&mut first);
    assert!(came.len() > 20);
    assert_eq!(came, kinds(&mut day(2)));
    first.restart();
    assert_eq!(came, kinds(&mut first));
    let mut endless = World::new(Stage::endless(), Rules::default(), 1);
    endless.start();
    let came = kinds(&mut endless);
    endless.restart();
    assert_ne!(came, kinds(&mut endless), "another try at endless is another game");
}

#[test]
fn glass_doubles_the_damage_and_leaves_one_life() {
    let mut scene = with(Mutator::Glass);
    assert_eq!(scene.player().lives, 1);
    let hive = scene.spawn(Kind::Hive, (160, 108));
    let before = scene.entity(hive).unwrap().health;
    scene.tap(Buttons::FIRE);
    scene.until("it is hit", |scene| scene.entity(hive).unwrap().health < before);
    assert_eq!(before - scene.entity(hive).unwrap().health, 2 * tuning::SHOT_DAMAGE);
}

#[test]
fn overcharge_halves_the_time_and_the_shots() {
    let mut scene = with(Mutator::Overcharge);
    let half = ticks_of(tuning::CHARGE_DELAY + tuning::SHIPS[0].charge_full) / 2 + 1;
    scene.hold(Buttons::FIRE, half);
    assert_eq!(scene.ship().charge, 255);
    scene.wait(2);
    scene.until("the beam is gone", |scene| scene.count(Kind::Beam) == 0);
    let hive = scene.spawn(Kind::Hive, (160, 108));
    let before = scene.entity(hive).unwrap().health;
    scene.tap(Buttons::FIRE);
    scene.until("it is hit", |scene| scene.entity(hive).unwrap().health < before);
    assert_eq!(before - scene.entity(hive).unwrap().health, tuning::SHOT_DAMAGE / 2);
}

#[test]
fn revenge_lets_an_enemy_fire_a_last_shot() {
    let mut scene = with(Mutator::Revenge);
    let shard = scene.spawn(Kind::Shard, (200, 108));
    scene.tap(Buttons::FIRE);
    scene.until("it is shot down", |scene| !scene.has(shard));
    assert_eq!(scene.count(Kind::Pellet), 1);
}

#[test]
fn haste_is_faster_and_a_swarm_weaker() {
    let way = |scene: &mut Scene| {
        let drone = scene.spawn(Kind::Drone, (400, 220));
        scene.wait(30);
        400 - scene.place_of(drone).0
    };
    let usual = way(&mut with(Mutator::Glass));
    assert!(way(&mut with(Mutator::Haste)) > usual);
    let health = |mutator| {
        let mut scene = with(mutator);
        let hive = scene.spawn(Kind::Hive, (400, 220));
        scene.entity(hive).unwrap().health_max
    };
    assert_eq!(health(Mutator::Swarm) * 2, health(Mutator::Glass));
}

// ---- Practice ----

fn practice(checkpoint: u8) -> World {
    let arms = Arms { force_level: 2, crystal: Crystal::Blue, missiles: true, bits: 1, speed: 3 };
    let rules = Rules { mode: Mode::Practice(Practice { checkpoint, arms }), ..Rules::default() };
    let mut world = World::new(Stage::built_in("stage1").expect("it is built in"), rules, 1);
    world.join(ONE);
    world.start();
    world
}

#[test]
fn practice_begins_at_its_checkpoint_with_its_arms() {
    let mut world = practice(4);
    let stage = world.stage().clone();
    assert_eq!(stage.checkpoint_names[4], "salvager");
    assert_eq!(world.frame().scroll_px, stage.checkpoints_px[4]);
    world.tick(&Default::default());
    let player = world.frame().players[0].expect("a player");
    assert_eq!((player.force_level, player.missiles, player.speed), (2, true, 3));
    let frame = world.frame();
    let count = |kind| frame.entities.iter().filter(|entity| entity.kind == kind).count();
    assert_eq!((count(Kind::Force), count(Kind::Bit)), (1, 1));
    assert_eq!(force_side(&frame), Some(Side::Front));
}

/// Where the Force is docked.
fn force_side(frame: &Frame) -> Option<Side> {
    let force = frame.entities.iter().find(|entity| entity.kind == Kind::Force)?;
    Some(force.attached?.side)
}

#[test]
fn practice_arms_every_new_ship_and_begins_again_at_the_same_place() {
    let mut world = practice(3);
    let start = world.frame().scroll_px;
    let mut killed = false;
    for _ in 0..20_000 {
        world.tick(&Default::default());
        killed |= world.events().iter().any(|event| matches!(event, Event::Killed { .. }));
        if killed && let Some(player) = world.frame().players[0].filter(|player| player.ship.is_some()) {
            assert_eq!(player.force_level, 2, "a new ship has its arms");
            assert_eq!(force_side(&world.frame()), Some(Side::Front), "in front, as at first");
            break;
        }
    }
    assert!(killed, "who does nothing is lost some day");
    world.restart();
    assert_eq!(world.frame().scroll_px, start);
    assert!(!world.rules().is_scored());
}
