//! The beam: hold fire and the gauge fills, let go and a beam leaves whose size, damage and piercing grow with it.

use game::{Buttons, Kind, tuning};

use crate::scene::{Scene, ticks_of};

/// Ticks of holding that fill the gauge.
fn full() -> u32 {
    ticks_of(tuning::CHARGE_DELAY + tuning::SHIPS[0].charge_full) + 1
}

/// The size of the beam after holding fire for this many ticks.
fn size_after(ticks: u32) -> Option<u8> {
    let mut scene = Scene::open();
    scene.hold(Buttons::FIRE, ticks);
    scene.wait(1);
    scene.all_of(Kind::Beam).first().map(|beam| beam.animation)
}

#[test]
fn holding_fire_fills_the_gauge() {
    let mut scene = Scene::open();
    scene.hold(Buttons::FIRE, full() / 2);
    let half = scene.ship().charge;
    scene.hold(Buttons::FIRE, full() / 2 + 1);
    assert!((100..160).contains(&half), "half charged is {half}");
    assert_eq!(scene.ship().charge, 255);
}

#[test]
fn letting_go_fires_the_beam_and_empties_the_gauge() {
    let mut scene = Scene::open();
    scene.hold(Buttons::FIRE, full());
    assert_eq!(scene.count(Kind::Beam), 0);
    scene.wait(1);
    assert_eq!((scene.count(Kind::Beam), scene.ship().charge), (1, 0));
}

#[test]
fn the_longer_the_charge_the_larger_the_beam() {
    let sizes: Vec<Option<u8>> = [5, full() / 4, full() / 2, full() * 4 / 5, full()].map(size_after).to_vec();
    assert_eq!(sizes, [None, Some(0), Some(1), Some(2), Some(3)]);
}

#[test]
fn a_larger_beam_does_more_damage() {
    let damage = |ticks| {
        let mut scene = Scene::open();
        let hive = scene.spawn(Kind::Hive, (300, 108));
        scene.hold(Buttons::FIRE, ticks);
        scene.until("the beam is gone", |scene| scene.count(Kind::Beam) == 1);
        scene.until("the beam is gone", |scene| scene.count(Kind::Beam) == 0);
        let health = |entity: game::Entity| entity.health_max - entity.health;
        scene.entity(hive).map_or(u16::MAX, health)
    };
    let damages = [full() / 4, full() / 2, full() * 4 / 5, full()].map(damage);
    assert!(damages.is_sorted_by(|less, more| less < more), "{damages:?}");
}

#[test]
fn a_full_beam_pierces_what_it_destroys() {
    let mut scene = Scene::open();
    let row: Vec<_> = [200, 240, 280].map(|x| scene.spawn(Kind::Mine, (x, 108))).to_vec();
    scene.hold(Buttons::FIRE, full());
    scene.wait(40);
    assert!(row.iter().all(|&mine| !scene.has(mine)));
}

#[test]
fn a_plain_shot_pierces_nothing() {
    let mut scene = Scene::open();
    let (first, second) = (scene.spawn(Kind::Shard, (200, 108)), scene.spawn(Kind::Shard, (200, 108)));
    scene.tap(Buttons::FIRE);
    scene.until("the shot hit", |scene| scene.count(Kind::Shot) == 0);
    assert_eq!((scene.has(first), scene.has(second)), (false, true));
}

#[test]
fn a_beam_stops_at_what_it_cannot_destroy() {
    let mut scene = Scene::open();
    let hive = scene.spawn(Kind::Hive, (260, 108));
    let behind = scene.spawn(Kind::Debris, (420, 108));
    scene.hold(Buttons::FIRE, full() / 2);
    scene.wait(20);
    let hurt = scene.entity(hive).expect("a half beam does not destroy a hive");
    assert!(hurt.health < hurt.health_max);
    let spared = scene.entity(behind).expect("the beam did not get so far");
    assert_eq!(spared.health, spared.health_max);
}

#[test]
fn the_charge_button_charges_without_a_first_shot() {
    let mut scene = Scene::open();
    scene.hold(Buttons::CHARGE, full());
    assert_eq!((scene.count(Kind::Shot), scene.ship().charge), (0, 255));
    scene.wait(1);
    assert_eq!((scene.count(Kind::Shot), scene.count(Kind::Beam)), (0, 1));
}

#[test]
fn a_short_charge_is_an_ordinary_shot() {
    let mut scene = Scene::open();
    scene.hold(Buttons::CHARGE, 4);
    scene.wait(1);
    assert_eq!((scene.count(Kind::Shot), scene.count(Kind::Beam)), (1, 0));
}

#[test]
fn a_lost_ship_loses_its_charge() {
    let mut scene = Scene::with_players(2);
    scene.inputs[0] = game::Input::holding(Buttons::FIRE);
    scene.wait(full());
    scene.kill();
    scene.inputs[0] = game::Input::IDLE;
    scene.until("the ship is back", |scene| scene.flies(crate::scene::ONE));
    assert_eq!((scene.count(Kind::Beam), scene.ship().charge), (0, 0));
}
