//! What is heard of each event and of each change between two Frames.

use game::{Entity, EntityId, Event, GameState, Gone, Kind, Player, Tick, Vec2};

use super::*;

const ANN: Seat = Seat::ALL[0];
const BOB: Seat = Seat::ALL[1];

fn entity(id: u32, kind: Kind) -> Entity {
    Entity::new(EntityId(id), kind, Vec2::new(px(240), px(100)))
}

fn frame(entities: Vec<Entity>) -> Frame {
    Frame { tick: Tick(9), state: GameState::Running, stage: 1, entities, ..Frame::default() }
}

/// What is heard, without its place.
fn heard(before: &Frame, now: &Frame) -> Vec<Cue> {
    cues(before, now, Some(ANN)).into_iter().map(|heard| heard.cue).collect()
}

/// What is heard when this happens to these entities.
fn heard_of(entities: Vec<Entity>, events: Vec<Event>) -> Vec<Cue> {
    let before = frame(entities.clone());
    heard(&before, &Frame { events, ..before.clone() })
}

fn gone(id: u32) -> Event {
    Event::Destroyed { entity: EntityId(id), gone: Gone::Destroyed }
}

fn hit(id: u32) -> Event {
    Event::Hit { by: EntityId(99), target: EntityId(id) }
}

#[test]
fn many_hits_make_few_sounds() {
    assert_eq!(heard_of(vec![entity(1, Kind::Drone)], vec![hit(1); 4]), [Cue::HitMetal, Cue::HitMetal]);
}

#[test]
fn what_is_hit_and_what_bursts_sounds_by_what_it_is_made_of() {
    let all = vec![
        entity(1, Kind::Drone),
        entity(2, Kind::Larva),
        entity(3, Kind::Block),
        entity(4, Kind::Gunship),
        entity(5, Kind::Hive),
    ];
    assert_eq!(heard_of(all.clone(), (1..=3).map(hit).collect()), [Cue::HitMetal, Cue::HitFlesh, Cue::HitRock]);
    let burst = heard_of(all, (1..=5).map(gone).collect());
    let expected = [Cue::ExplosionSmall, Cue::BurstSmall, Cue::Crumble, Cue::ExplosionLarge, Cue::BurstLarge];
    assert_eq!(burst, expected);
    let departed = Event::Destroyed { entity: EntityId(1), gone: Gone::Departed };
    assert_eq!(heard_of(vec![entity(1, Kind::Drone)], vec![departed]), []);
}

#[test]
fn a_cue_is_heard_where_it_happens() {
    let pan = |x: i32| {
        let drone = Entity { position: Vec2::new(px(x), 0), ..entity(1, Kind::Drone) };
        let before = frame(vec![drone]);
        cues(&before, &Frame { events: vec![gone(1)], ..before.clone() }, None)[0].pan
    };
    assert_eq!((pan(240), pan(0), pan(480), pan(-4_000)), (0, -88, 88, -88));
    assert!((40..50).contains(&pan(360)), "{}", pan(360));
}

#[test]
fn each_weapon_has_its_sound() {
    let shot = |kind, animation| {
        let shot = Entity { animation, ..entity(1, kind) };
        heard_of(vec![shot], vec![Event::Fired { seat: ANN, shot: EntityId(1) }])[0]
    };
    let kinds = [Kind::Shot, Kind::RedLaser, Kind::BlueLaser, Kind::YellowLaser].map(|kind| shot(kind, 0));
    assert_eq!(kinds, [Cue::Shot, Cue::RedLaser, Cue::BlueLaser, Cue::YellowLaser]);
    let beams = [0, 1, 2, 3].map(|size| shot(Kind::Beam, size));
    assert_eq!(beams, [Cue::BeamSmall, Cue::BeamLarge, Cue::BeamLarge, Cue::BeamFull]);
    let unseen = heard_of(Vec::new(), vec![Event::Fired { seat: BOB, shot: EntityId(7) }]);
    assert_eq!(unseen, [Cue::Shot], "not every protocol shows what was fired");
    let spawned = |kind| heard_of(vec![entity(1, kind)], vec![Event::Spawned { entity: EntityId(1) }]);
    let enemies = [Kind::Pellet, Kind::Bomb, Kind::Lance, Kind::Missile].map(spawned).concat();
    assert_eq!(enemies, [Cue::EnemyShot, Cue::EnemyBomb, Cue::EnemyLance, Cue::Missile]);
    assert_eq!(spawned(Kind::Drone), []);
}

#[test]
fn each_item_has_its_sound() {
    let taken = |kind| {
        let event = Event::Grabbed { ship: EntityId(9), object: EntityId(1), side: None };
        heard_of(vec![entity(1, kind)], vec![event])[0]
    };
    let all =
        [Kind::RedCrystal, Kind::BlueCrystal, Kind::YellowCrystal, Kind::MissilePack, Kind::BitPack, Kind::SpeedUp];
    let expected = [Cue::ItemRed, Cue::ItemBlue, Cue::ItemYellow, Cue::ItemMissiles, Cue::ItemBit, Cue::ItemSpeed];
    assert_eq!(all.map(taken), expected);
}

#[test]
fn a_chase_is_announced_once_and_from_behind() {
    let grinder = Entity { position: Vec2::new(px(-32), px(134)), ..entity(1, Kind::Grinder) };
    let (before, now) = (frame(Vec::new()), frame(vec![grinder]));
    let announced = cues(&before, &now, None);
    assert!(announced.len() == 1 && announced[0].cue == Cue::Warning && announced[0].pan < -60, "{announced:?}");
    assert_eq!(heard(&now, &now), []);
}

#[test]
fn a_boss_is_announced_once_and_its_fight_can_be_heard() {
    let with = |animation, health| {
        let core = Entity { animation, health, health_max: 300, ..entity(2, Kind::KeeperCore) };
        frame(vec![entity(1, Kind::Keeper), core, entity(3, Kind::KeeperGun)])
    };
    assert_eq!(heard(&frame(Vec::new()), &with(0, 300)), [Cue::Warning]);
    assert_eq!(heard(&with(0, 300), &with(0, 300)), []);
    assert_eq!(heard(&with(0, 300), &with(3, 300)), [Cue::CoreOpens]);
    assert_eq!(heard(&with(3, 300), &with(0, 300)), [Cue::CoreCloses]);
    assert_eq!(heard(&with(3, 300), &with(1, 290)), [], "a hit does not close it");
    assert_eq!(heard(&with(3, 201), &with(3, 199)), [Cue::BossPhase]);
    assert_eq!(heard(&with(3, 199), &with(3, 150)), []);
    let during = |event: Event, animation| {
        let before = with(animation, 300);
        heard(&before, &Frame { events: vec![event], ..before.clone() })
    };
    assert_eq!((during(hit(2), 3), during(hit(2), 0)), (vec![Cue::HitCore], vec![Cue::HitArmour]));
    assert_eq!((during(hit(1), 0), during(hit(3), 0)), (vec![Cue::HitArmour], vec![Cue::HitMetal]));
    assert_eq!(
        (during(gone(3), 0), during(gone(2), 3), during(gone(1), 0)),
        (vec![Cue::PartBreaks], vec![], vec![Cue::BossDestroyed])
    );
}

#[test]
fn a_gate_is_heard_when_it_begins_to_move() {
    let wall = |speed| frame(vec![Entity { velocity: Vec2::new(-99, speed), ..entity(1, Kind::Wall) }]);
    assert_eq!(heard(&wall(0), &wall(40)), [Cue::Gate]);
    assert_eq!((heard(&wall(40), &wall(40)), heard(&frame(vec![]), &wall(40))), (vec![], vec![]));
}

/// The player's ship with this charge.
fn ship(charge: u8) -> Entity {
    Entity { seat: Some(ANN), charge, ..entity(1, Kind::Player) }
}

#[test]
fn a_full_gauge_pings_once() {
    let with = |charge| frame(vec![ship(charge)]);
    assert_eq!((heard(&with(250), &with(255)), heard(&with(255), &with(255))), (vec![Cue::ChargeFull], vec![]));
}

#[test]
fn a_shot_that_passes_narrowly_is_heard_once() {
    let with = |x: i32| {
        let pellet = Entity { position: Vec2::new(px(x), px(108)), ..entity(2, Kind::Pellet) };
        frame(vec![ship(0), pellet])
    };
    assert_eq!((heard(&with(280), &with(260)), heard(&with(260), &with(250))), (vec![Cue::NearMiss], vec![]));
    assert_eq!(heard(&with(400), &with(390)), []);
}

#[test]
fn a_force_that_is_called_is_heard() {
    let with = |speed: i32| {
        let force = Entity {
            seat: Some(ANN),
            position: Vec2::new(px(400), px(100)),
            velocity: Vec2::new(speed, 0),
            ..entity(2, Kind::Force)
        };
        frame(vec![ship(0), force])
    };
    let called = -px(300) / 60;
    assert_eq!((heard(&with(0), &with(called)), heard(&with(called), &with(called))), (vec![Cue::ForceRecall], vec![]));
    assert_eq!(heard(&with(0), &with(px(420) / 60)), [], "it is launched");
}

#[test]
fn chains_grow_and_end() {
    let with = |chain| {
        let mut players = [None; 4];
        players[0] = Some(Player { chain, ..Player::of(ANN) });
        Frame { players, ..frame(vec![ship(0)]) }
    };
    assert_eq!((heard(&with(4), &with(5)), heard(&with(5), &with(6))), (vec![Cue::ChainUp], vec![]));
    assert_eq!((heard(&with(9), &with(0)), heard(&with(3), &with(0))), (vec![Cue::ChainLost], vec![]));
}

#[test]
fn ships_of_this_player_and_of_others_are_lost_and_come_back() {
    let killed = |seat| heard_of(vec![ship(0)], vec![Event::Killed { seat, ship: EntityId(1), by: None }]);
    assert_eq!((killed(ANN), killed(BOB)), (vec![Cue::Death], vec![Cue::AllyLost]));
    let mut lost = frame(Vec::new());
    lost.players[0] = Some(Player::of(ANN));
    let back = Frame { entities: vec![ship(0)], ..lost.clone() };
    assert_eq!(heard(&lost, &back), [Cue::Return]);
    let begins = Frame { events: vec![Event::StateChanged { state: GameState::Running }], ..back };
    assert_eq!(heard(&lost, &begins), [Cue::StageStart]);
}

#[test]
fn waves_and_company_are_heard() {
    let wave = |wave| Frame { wave, stage: 0, ..frame(Vec::new()) };
    assert_eq!((heard(&wave(1), &wave(2)), heard(&wave(0), &wave(1))), (vec![Cue::Wave], vec![]));
    let company = vec![Event::Joined { seat: BOB }, Event::Left { seat: BOB }, Event::Joined { seat: ANN }];
    assert_eq!(heard_of(Vec::new(), company), [Cue::Join, Cue::Leave]);
}
