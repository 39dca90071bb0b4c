//! From stage to stage: players, score and lives go along; going round again is harder.

use std::sync::Arc;

use game::{Event, GameState, Kind, Rules, Stage, stage::Spawn, tuning};

use crate::scene::{ONE, Scene, TWO};

fn stage(number: u8) -> Arc<Stage> {
    let mut stage = Stage::sketch(&[]);
    Arc::get_mut(&mut stage).expect("nobody else has it").number = number;
    stage
}

#[test]
fn the_next_stage_keeps_players_score_and_lives() {
    let mut scene = Scene::of(stage(1), Rules::default(), 2);
    scene.give(Kind::RedCrystal);
    scene.kill_of(TWO);
    scene.world.enter(stage(2));
    scene.wait(1);
    let frame = scene.frame();
    assert_eq!((frame.stage, frame.state, frame.score, frame.scroll_px), (2, GameState::Running, 500, 0));
    assert_eq!((scene.player_of(ONE).lives, scene.player_of(TWO).lives), (3, 2));
    assert_eq!(scene.player_of(ONE).force_level, 1, "and what their ships carry");
    assert_eq!(scene.world.loops(), 0);
}

#[test]
fn a_lost_ship_flies_again_and_a_player_out_of_lives_stays_out() {
    let mut scene = Scene::of(stage(1), Rules { lives: 2, ..Rules::default() }, 2);
    scene.kill_of(ONE);
    scene.until("the ship is back", |scene| scene.flies(ONE));
    scene.outlast_invulnerability();
    scene.kill_of(ONE);
    scene.kill_of(TWO);
    scene.world.enter(stage(2));
    scene.wait(1);
    assert!(!scene.flies(ONE) && scene.flies(TWO));
    assert_eq!(scene.player_of(ONE).lives, 0);
}

#[test]
fn a_campaign_goes_through_all_stages_by_number_and_begins_again() {
    let stages = [Stage::endless(), stage(7), stage(2), stage(3)];
    let next = |number: u8| Stage::following(&stage(number), &stages).number;
    assert_eq!([2, 3, 7].map(next), [3, 7, 2], "gaps do not matter");
    assert_eq!(Stage::following(&Stage::endless(), &stages).number, 2);
    assert_eq!(Stage::following(&stage(5), &[Stage::endless()]).number, 5, "a stage that is alone follows itself");
}

#[test]
fn nothing_of_the_old_stage_is_left() {
    let mut scene = Scene::of(stage(1), Rules::default(), 1);
    let old = [Kind::Drone, Kind::SpeedUp, Kind::Pellet].map(|kind| scene.spawn(kind, (400, 200)));
    scene.world.enter(stage(2));
    scene.wait(1);
    for entity in old {
        assert!(!scene.has(entity));
        assert!(scene.events.contains(&Event::Destroyed { entity, gone: game::Gone::Departed }));
    }
}

#[test]
fn a_won_game_goes_on_in_the_next_stage() {
    let mut scene = Scene::of(stage(1), Rules::default(), 1);
    let hull = scene.spawn(Kind::Salvager, (600, 20));
    scene.world.leave(ONE, game::Departure::Left);
    scene.until_within(6000, "the boss left", |scene| !scene.has(hull));
    scene.until("the stage is won", |scene| scene.world.game_state() == GameState::Won);
    scene.world.enter(stage(2));
    scene.wait(1);
    assert!(scene.events.contains(&Event::StateChanged { state: GameState::Running }));
}

#[test]
fn going_round_again_is_harder() {
    let mut scene = Scene::of(stage(3), Rules::default(), 1);
    let health = |scene: &mut Scene| {
        let hive = scene.spawn(Kind::Hive, (400, 240));
        scene.entity(hive).unwrap().health_max
    };
    let first = health(&mut scene);
    scene.world.enter(stage(1));
    assert_eq!(scene.world.loops(), 1);
    assert!(health(&mut scene) > first);
}

#[test]
fn after_the_last_harder_round_it_gets_no_harder() {
    let mut scene = Scene::of(stage(1), Rules::default(), 1);
    for _ in 0..300 {
        scene.world.enter(stage(1));
    }
    assert_eq!(scene.world.loops(), tuning::LOOPS_MAX);
}

#[test]
fn a_stage_is_won_even_if_its_boss_stands_at_a_checkpoint() {
    let mut own = Stage::sketch(&[&" ".repeat(60)]);
    let stage = Arc::get_mut(&mut own).expect("nobody else has it");
    stage.scroll = game::units::px_per_second(60);
    stage.checkpoints_px = vec![0, 100];
    stage.spawns = vec![Spawn { x_px: 100 + 480 + 16, y_px: 135, kind: Kind::Salvager, ..Spawn::block(0, 0) }];
    let mut scene = Scene::of(own, Rules::default(), 1);
    scene.until("the boss is here", |scene| scene.count(Kind::Salvager) == 1);
    scene.kill();
    scene.wait(180);
    assert_eq!(scene.count(Kind::Salvager), 1, "it comes again");
}

#[test]
fn a_lost_game_begins_again_with_full_lives_no_score_and_new_ids() {
    let mut scene = Scene::of(stage(1), Rules { lives: 1, ..Rules::default() }, 2);
    scene.give(Kind::RedCrystal);
    let drone = scene.spawn(Kind::Drone, (400, 200));
    scene.kill_of(ONE);
    scene.kill_of(TWO);
    assert_eq!(scene.world.game_state(), GameState::Lost);
    scene.world.restart();
    scene.wait(1);
    let frame = scene.frame();
    assert_eq!((frame.state, frame.score), (GameState::Running, 0));
    assert!(scene.flies(ONE) && scene.flies(TWO) && !scene.has(drone));
    assert_eq!((scene.player_of(ONE).lives, scene.player_of(ONE).force_level), (1, 0));
    assert!(frame.entities.iter().all(|entity| entity.id > drone), "ids are never used again");
}
