//! Death and return, alone and in company; joining, leaving and watching.

use game::{
    Buttons, Departure, Event, GameState, Gone, Killer, Kind, RuleSet, Rules, Seat, Stage, World, tuning,
    units::px_per_second,
};

use crate::scene::{ONE, Scene, TWO, in_px, scrolling, ticks_of, with_floor};

/// Open space that scrolls, with a checkpoint every 100 pixels.
fn travelling(rules: Rules, players: usize) -> Scene {
    let row = " ".repeat(120);
    let stage = scrolling(&[&row], px_per_second(30), &[0, 100, 200]);
    Scene::of(stage, rules, players)
}

fn arcade() -> Rules {
    Rules { set: RuleSet::Arcade, ..Rules::default() }
}

fn with_lives(lives: u8) -> Rules {
    Rules { lives, ..Rules::default() }
}

/// Lets the time pass after which a lost ship is back.
fn await_return(scene: &mut Scene) {
    scene.wait(ticks_of(tuning::RETURN_DELAY) + 1);
}

#[test]
fn a_loss_takes_one_life() {
    let mut scene = Scene::open();
    let before = scene.player().lives;
    scene.kill();
    assert_eq!(scene.player().lives, before - 1);
    assert_eq!(scene.player().ship, None);
}

#[test]
fn alone_a_loss_leads_back_to_the_last_checkpoint() {
    let mut scene = travelling(Rules::default(), 1);
    scene.until("the second checkpoint is well behind", |scene| scene.frame().scroll_px >= 170);
    scene.spawn(Kind::Drone, (400, 40));
    scene.kill();
    await_return(&mut scene);
    assert!((100..105).contains(&scene.frame().scroll_px), "{}", scene.frame().scroll_px);
    assert!(scene.flies(ONE));
    assert_eq!(scene.count(Kind::Drone), 0, "the field is empty again");
}

#[test]
fn before_any_checkpoint_it_is_the_beginning() {
    let mut scene = travelling(Rules::default(), 1);
    scene.kill();
    await_return(&mut scene);
    assert!(scene.frame().scroll_px < 5 && scene.flies(ONE));
}

#[test]
fn in_company_the_ship_returns_after_two_seconds_at_the_left_edge_and_nothing_scrolls_back() {
    let mut scene = travelling(Rules::default(), 2);
    scene.until("a checkpoint is well behind", |scene| scene.frame().scroll_px >= 170);
    scene.kill();
    scene.wait(119);
    assert!(!scene.flies(ONE), "not before");
    scene.wait(2);
    assert!(scene.flies(ONE));
    assert_eq!(scene.ship().position.x, tuning::SHIP_START_X);
    assert!(scene.frame().scroll_px > 200);
}

#[test]
fn returned_it_is_invulnerable_for_two_seconds_more() {
    let mut scene = Scene::with_players(2);
    scene.kill();
    await_return(&mut scene);
    for _ in 0..25 {
        let place = scene.ship().position;
        scene.world.spawn(Kind::Bomb, place).unwrap();
        scene.wait(4);
        assert!(scene.flies(ONE));
    }
    scene.wait(20);
    scene.kill();
}

#[test]
fn an_invulnerable_ship_looks_different() {
    let mut scene = Scene::with_players(2);
    assert_eq!(scene.ship().animation, 0);
    scene.kill();
    await_return(&mut scene);
    assert_eq!(scene.ship().animation, 3);
}

#[test]
fn out_of_lives_a_player_stays_seated_and_watches() {
    let mut scene = Scene::of(Stage::sketch(&[]), with_lives(1), 2);
    scene.kill();
    scene.wait(600);
    assert_eq!((scene.player().lives, scene.player().ship), (0, None));
    assert!(scene.world.is_seated(ONE) && scene.flies(TWO));
    assert_eq!(scene.world.game_state(), GameState::Running);
}

#[test]
fn when_all_are_out_of_lives_the_game_is_lost() {
    let mut scene = Scene::of(Stage::sketch(&[]), with_lives(1), 2);
    scene.kill_of(ONE);
    scene.kill_of(TWO);
    assert_eq!(scene.world.game_state(), GameState::Lost);
    assert!(scene.events.contains(&Event::StateChanged { state: GameState::Lost }));
}

#[test]
fn when_the_last_flying_player_leaves_the_game_is_lost_for_those_out_of_lives() {
    let mut scene = Scene::of(Stage::sketch(&[]), with_lives(1), 2);
    scene.kill_of(ONE);
    scene.world.leave(TWO, Departure::Left);
    scene.wait(1);
    assert_eq!(scene.world.game_state(), GameState::Lost);
}

#[test]
fn under_arcade_rules_everyone_goes_back() {
    let mut scene = travelling(arcade(), 2);
    scene.fly_to_for(TWO, (200, 200));
    scene.until("a checkpoint is well behind", |scene| scene.frame().scroll_px >= 170);
    scene.kill();
    await_return(&mut scene);
    assert!((100..105).contains(&scene.frame().scroll_px));
    assert!(scene.flies(ONE));
    assert_eq!(scene.ship_of(TWO).position.x, tuning::SHIP_START_X);
}

#[test]
fn going_back_costs_the_others_neither_ship_nor_gear() {
    let mut scene = travelling(arcade(), 2);
    scene.give_to(TWO, Kind::BitPack);
    let (ship, bit) = (scene.ship_of(TWO).id, scene.the(Kind::Bit).id);
    scene.fly_to_for(TWO, (400, 200));
    scene.kill();
    await_return(&mut scene);
    assert!(scene.has(ship) && scene.has(bit));
    assert_eq!(scene.player_of(TWO).lives, tuning::LIVES_AT_FIRST);
    let away = scene.the(Kind::Bit).position - scene.ship_of(TWO).position;
    assert_eq!((away.x, away.y), (0, -tuning::BIT_OFFSET_Y), "what it carries comes along at once");
}

#[test]
fn two_losses_at_once_are_one_way_back() {
    let mut scene = travelling(arcade(), 2);
    scene.kill_of(ONE);
    scene.wait(60);
    scene.kill_of(TWO);
    scene.wait(62);
    assert!(scene.flies(ONE) && scene.flies(TWO));
    scene.wait(20);
    assert!(scene.frame().scroll_px > 5, "it goes on");
}

#[test]
fn a_loss_in_company_is_no_way_back_when_somebody_joins_later() {
    let mut scene = travelling(Rules::default(), 1);
    assert!(scene.world.join(TWO));
    scene.outlast_invulnerability();
    let before = scene.frame().scroll_px;
    scene.kill();
    await_return(&mut scene);
    assert!(scene.frame().scroll_px > before);
}

#[test]
fn one_may_join_in_mid_game() {
    let mut scene = Scene::open();
    assert!(scene.world.join(TWO));
    assert!(!scene.world.join(TWO), "a seat is taken once");
    scene.wait(1);
    assert!(scene.flies(TWO) && scene.events.contains(&Event::Joined { seat: TWO }));
    assert_eq!(scene.ship_of(TWO).animation, 3, "and is invulnerable at first");
}

#[test]
fn a_player_who_leaves_takes_everything_along() {
    for (why, said) in
        [(Departure::Left, Event::Left { seat: TWO }), (Departure::TimedOut, Event::TimedOut { seat: TWO })]
    {
        let mut scene = Scene::with_players(2);
        scene.give_to(TWO, Kind::RedCrystal);
        scene.give_to(TWO, Kind::BitPack);
        let own: Vec<_> = scene.frame().entities.into_iter().filter(|entity| entity.seat == Some(TWO)).collect();
        assert_eq!(own.len(), 3);
        scene.world.leave(TWO, why);
        scene.wait(1);
        assert!(scene.events.contains(&said));
        for entity in own {
            assert!(scene.events.contains(&Event::Destroyed { entity: entity.id, gone: Gone::Departed }));
        }
        assert!(!scene.flies(TWO) && scene.flies(ONE));
    }
}

#[test]
fn a_player_who_returns_to_a_seat_begins_again() {
    let mut scene = Scene::with_players(2);
    scene.kill_of(TWO);
    scene.world.leave(TWO, Departure::Left);
    assert!(scene.world.join(TWO));
    assert_eq!(scene.player_of(TWO).lives, tuning::LIVES_AT_FIRST);
    assert!(scene.flies(TWO));
}

#[test]
fn a_frame_needs_no_seat() {
    let mut world = World::new(Stage::endless(), Rules::default(), 5);
    world.start();
    for _ in 0..600 {
        world.tick(&Default::default());
    }
    let frame = world.frame();
    assert!(frame.players.iter().all(Option::is_none) && !frame.entities.is_empty());
    assert_eq!(frame.state, GameState::Running);
}

#[test]
fn before_the_start_nothing_comes_and_nothing_kills() {
    let floor = "#".repeat(40);
    let rows: Vec<&str> = (0..17).map(|row| if row == 15 { floor.as_str() } else { "" }).collect();
    let mut scene = Scene::waiting(Stage::sketch(&rows), Rules::default(), 1);
    scene.hold(Buttons::DOWN, 300);
    assert!(scene.flies(ONE));
}

#[test]
fn the_start_is_fair_to_a_ship_that_flew_into_terrain_while_waiting() {
    let floor = "#".repeat(40);
    let rows: Vec<&str> = (0..17).map(|row| if row == 15 { floor.as_str() } else { "" }).collect();
    let mut scene = Scene::waiting(Stage::sketch(&rows), Rules::default(), 1);
    scene.hold(Buttons::DOWN, 300);
    scene.world.start();
    scene.wait(300);
    assert!(scene.flies(ONE));
}

#[test]
fn there_are_four_seats_and_no_more() {
    let mut scene = Scene::with_players(4);
    assert!(Seat::ALL.into_iter().all(|seat| !scene.world.join(seat)));
    assert_eq!(Seat::new(4), None);
    scene.wait(1);
    assert_eq!(scene.count(Kind::Player), 4);
}

/// What destroyed the ship of a seat.
fn killer_of(scene: &Scene, whose: Seat) -> Option<Killer> {
    scene.events.iter().find_map(|event| match event {
        Event::Killed { seat, by, .. } if *seat == whose => *by,
        _ => None,
    })
}

#[test]
fn it_is_told_what_destroyed_a_ship() {
    let rammed = |kind: Kind| {
        let mut scene = Scene::open();
        let (x, y) = in_px(scene.ship().position);
        scene.spawn(kind, (x + 2, y));
        scene.until("it is lost", |scene| scene.has_died(ONE));
        killer_of(&scene, ONE)
    };
    for kind in [Kind::Pellet, Kind::Drone, Kind::Debris] {
        assert_eq!(rammed(kind), Some(Killer { kind, seat: None }));
    }
    let rows = with_floor(40);
    let mut scene = Scene::drawn(&rows.iter().map(String::as_str).collect::<Vec<_>>());
    scene.hold(Buttons::DOWN, 120);
    assert_eq!(killer_of(&scene, ONE), Some(Killer { kind: Kind::Wall, seat: None }));
    let mut scene = Scene::of(Stage::sketch(&[]), Rules { friendly_fire: true, ..Rules::default() }, 2);
    let (x, y) = in_px(scene.ship_of(ONE).position);
    scene.fly_to_for(TWO, (x + 100, y));
    scene.tap(Buttons::FIRE);
    scene.until("it is lost", |scene| scene.has_died(TWO));
    assert_eq!(killer_of(&scene, TWO), Some(Killer { kind: Kind::Shot, seat: Some(ONE) }));
}
