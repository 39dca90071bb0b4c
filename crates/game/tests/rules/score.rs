//! Score: of all together, of each, and the lives that it brings.

use game::{Buttons, Event, Kind, tuning};

use crate::scene::{ONE, Scene, TWO, in_px, ticks_of};

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
fn a_last_shot_scores_nothing_once_the_game_is_lost() {
    let rules = game::Rules { lives: 1, ..Default::default() };
    let mut scene = Scene::of(game::Stage::sketch(&[]), rules, 1);
    let (x, y) = in_px(scene.ship().position);
    let shard = scene.spawn(Kind::Shard, (x + 200, y));
    scene.tap(Buttons::FIRE);
    scene.spawn(Kind::Pellet, (x, y));
    scene.until("the game is lost", |scene| scene.frame().state == game::GameState::Lost);
    assert!(scene.has(shard), "the shot is on its way");
    scene.until("it is shot down", |scene| !scene.has(shard));
    assert_eq!((scene.frame().score, scene.player().score), (0, 0));
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
    scene.wait(1 + ticks_of(tuning::MINE_FUSE));
    assert!(!scene.has(mine));
    assert_eq!(scene.frame().score, 0);
}

/// Takes crystals until the score is at least this high.
fn collect(scene: &mut Scene, score: u32) {
    while scene.frame().score < score {
        scene.give(Kind::RedCrystal);
    }
}

#[test]
fn at_thirty_thousand_everybody_in_the_game_gets_a_life() {
    let mut scene = Scene::with_players(2);
    collect(&mut scene, tuning::EXTRA_LIFE_FIRST - 500);
    assert_eq!(scene.player().lives, tuning::LIVES_AT_FIRST);
    scene.give(Kind::RedCrystal);
    assert_eq!((scene.player_of(ONE).lives, scene.player_of(TWO).lives), (4, 4));
    assert!(scene.events.contains(&Event::ExtraLife { seat: TWO }));
}

#[test]
fn further_lives_come_less_often_in_company() {
    for players in [1, 2] {
        let mut scene = Scene::with_players(players);
        let second = tuning::EXTRA_LIFE_FIRST + tuning::EXTRA_LIFE_EVERY * players as u32;
        collect(&mut scene, second - 500);
        assert_eq!(scene.player().lives, tuning::LIVES_AT_FIRST + 1);
        scene.give(Kind::RedCrystal);
        assert_eq!(scene.player().lives, tuning::LIVES_AT_FIRST + 2);
    }
}

#[test]
fn on_hard_points_bring_no_lives() {
    let rules = game::Rules::of(game::Difficulty::Hard);
    let mut scene = Scene::of(game::Stage::sketch(&[]), rules, 1);
    collect(&mut scene, tuning::EXTRA_LIFE_FIRST);
    assert_eq!(scene.player().lives, rules.lives);
    assert!(!scene.events.contains(&Event::ExtraLife { seat: ONE }));
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

// ---- Chains ----

/// Shoots down some enemies in front of the first player, one after the other, and returns what each was worth.
fn shoot_row(scene: &mut Scene, count: usize) -> Vec<u32> {
    (0..count)
        .map(|_| {
            let before = scene.frame().score;
            shoot_one(scene, ONE);
            scene.frame().score - before
        })
        .collect()
}

#[test]
fn a_chain_makes_enemies_worth_more() {
    let mut scene = Scene::open();
    let worth = shoot_row(&mut scene, 22);
    let plain = u32::from(tuning::body(Kind::Shard).score);
    let multiples: Vec<u32> = worth.iter().map(|points| points / plain).collect();
    assert_eq!(multiples[..6], [1, 1, 1, 1, 1, 2]);
    assert_eq!((multiples[10], multiples[20], multiples[21]), (3, 5, 5), "and no more than five times");
    assert_eq!(scene.player().chain, 22);
}

#[test]
fn a_chain_ends_when_its_time_is_over_as_the_frame_says() {
    let mut scene = Scene::open();
    shoot_row(&mut scene, 3);
    let player = scene.player();
    let left = player.chain_ends.0 - scene.frame().tick.0;
    assert!(left > 0 && left <= ticks_of(tuning::score::CHAIN_LASTS));
    scene.wait(left - 1);
    assert_eq!((scene.player().chain, scene.player().chain_ends), (3, player.chain_ends), "the end stays where it is");
    scene.wait(1);
    assert_eq!((scene.player().chain, scene.player().chain_ends.0), (0, 0));
    assert_eq!(shoot_row(&mut scene, 1), [u32::from(tuning::body(Kind::Shard).score)]);
}

#[test]
fn a_chain_is_the_players_own_and_ends_with_the_ship() {
    let mut scene = Scene::with_players(2);
    shoot_row(&mut scene, 2);
    assert_eq!((scene.player_of(ONE).chain, scene.player_of(TWO).chain), (2, 0));
    scene.kill();
    assert_eq!(scene.player_of(ONE).chain, 0);
}

#[test]
fn hitting_a_boss_keeps_a_chain_alive() {
    let mut scene = Scene::open();
    shoot_row(&mut scene, 1);
    let hull = scene.spawn(Kind::Keeper, (300, 108));
    let before = scene.player().chain_ends;
    scene.wait(30);
    scene.tap(Buttons::FIRE);
    scene.until("the shot is gone", |scene| scene.count(Kind::Shot) == 0);
    assert!(scene.has(hull) && scene.player().chain == 1 && scene.player().chain_ends > before);
}

#[test]
fn debris_does_not_count_in_a_chain() {
    let mut scene = Scene::open();
    let debris = scene.spawn(Kind::Debris, (160, 108));
    while scene.has(debris) {
        scene.tap(Buttons::FIRE);
        scene.wait(8);
    }
    assert_eq!((scene.player().chain, scene.frame().score), (0, u32::from(tuning::body(Kind::Debris).score)));
}

// ---- Tally and ranks ----

#[test]
fn a_tally_counts_what_a_player_did_in_the_stage_and_in_the_game() {
    let mut scene = Scene::with_players(2);
    shoot_row(&mut scene, 3);
    scene.kill_of(TWO);
    let tally: Vec<_> = scene.world.tally(game::Ranked::Stage).collect();
    assert_eq!((tally[0].stage.kills, tally[0].stage.chain_max, tally[0].stage.deaths), (3, 3, 0));
    assert_eq!((tally[1].stage.kills, tally[1].stage.deaths), (0, 1));
    assert_eq!(tally[0].stage.score, scene.player().score);
    assert!(tally[0].stage.ticks() > 60 && tally[0].game == tally[0].stage);
    let mut next = game::Stage::sketch(&[]);
    std::sync::Arc::get_mut(&mut next).expect("nobody else has it").number = 2;
    scene.world.enter(next);
    shoot_row(&mut scene, 1);
    let tally = scene.world.tally(game::Ranked::Stage).next().expect("a player");
    assert_eq!((tally.stage.kills, tally.game.kills), (1, 4));
    scene.world.restart();
    assert_eq!(scene.world.tally(game::Ranked::Stage).next().expect("a player").game, game::Counts::default());
}

#[test]
fn the_rank_is_better_for_those_who_shoot_down_more_and_lose_less() {
    let rank = |scene: &Scene| scene.world.tally(game::Ranked::Stage).next().expect("a player").rank;
    let mut scene = Scene::open();
    assert_eq!(rank(&scene), game::Rank::D, "for nothing");
    shoot_row(&mut scene, 20);
    // Nothing came that counts: all of it was shot down.
    assert_eq!(rank(&scene), game::Rank::S);
    scene.kill();
    assert!(rank(&scene) > game::Rank::S);
}

#[test]
fn whoever_did_not_fly_in_a_stage_earns_no_rank_there_and_a_worse_one_in_the_game() {
    use game::{Rank, Ranked};
    let mut scene = Scene::of(game::Stage::sketch(&[]), game::Rules { lives: 1, ..Default::default() }, 2);
    shoot_row(&mut scene, 20);
    scene.kill_of(TWO);
    let earned = |scene: &Scene, ranked| -> Vec<Option<Rank>> {
        scene.world.tally(ranked).map(|player| player.earned(ranked)).collect()
    };
    let first = earned(&scene, Ranked::Stage);
    assert_eq!(first, [Some(Rank::S), Some(Rank::B)], "both flew, and one was lost");
    assert_eq!(earned(&scene, Ranked::Game), first, "the first stage is all of the game so far");
    let mut next = game::Stage::sketch(&[]);
    std::sync::Arc::get_mut(&mut next).expect("nobody else has it").number = 2;
    scene.world.enter(next);
    shoot_row(&mut scene, 20);
    assert_eq!(earned(&scene, Ranked::Stage), [Some(Rank::S), None], "a spectator earns nothing");
    assert_eq!(earned(&scene, Ranked::Game), [Some(Rank::S), Some(Rank::C)], "half of what the first stage was worth");
    assert!(scene.world.join(game::Seat::ALL[2]));
    scene.wait(1);
    let joined = scene.world.tally(Ranked::Game).nth(2).expect("a player").earned(Ranked::Game);
    assert_eq!(joined, earned(&scene, Ranked::Stage)[2], "of those who join, the stages before do not count");
    scene.world.restart();
    assert_eq!(earned(&scene, Ranked::Game), [None; 3], "a new game");
}
