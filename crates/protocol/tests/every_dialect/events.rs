//! What every dialect reports of players and of things that end.

use game::{Buttons, Entity, EntityId, Event, Frame, Gone, Kind, Seat};
use protocol::{Dialect, End};

use crate::{
    agreement::own_ship,
    follow, for_every_dialect, play,
    simulation::{ClientId, Simulation},
};

/// All that a client was told in a while, tick by tick: how its Frame was before, and the events.
fn told(sim: &mut Simulation, client: ClientId, ms: u64) -> Vec<(Frame, Event)> {
    let mut all = Vec::new();
    let end = sim.now + std::time::Duration::from_millis(ms);
    while sim.now < end {
        tell(sim, client, &mut all);
    }
    all
}

/// Lets a tick pass, and notes what the client was told in it.
fn tell(sim: &mut Simulation, client: ClientId, all: &mut Vec<(Frame, Event)>) {
    let (before, frames) = (sim.seen(client).clone(), sim.clients[client.0].frames);
    sim.tick();
    if sim.clients[client.0].frames > frames {
        all.extend(sim.seen(client).events.iter().map(|event| (before.clone(), *event)));
    }
}

/// Puts something deadly into a ship until it is lost.
fn destroy_ship(sim: &mut Simulation, client: ClientId, mut each_tick: impl FnMut(&mut Simulation)) {
    let seat = sim.seat(client);
    for _ in 0..1_000 {
        let Some(ship) = sim.lobby(client).world.frame().ship(seat).map(|ship| ship.position) else { return };
        sim.lobby_mut(client).world.spawn(Kind::Bomb, ship);
        each_tick(sim);
    }
    panic!("the ship is not lost");
}

fn is_gone(event: &Event, whose: Seat) -> bool {
    matches!(event, Event::Left { seat } | Event::TimedOut { seat } if *seat == whose)
}

#[test]
fn joins_deaths_and_departures_are_events_in_every_dialect() {
    for_every_dialect(|dialect| {
        let name = dialect.name();
        let mut sim = Simulation::new(31);
        let ann = play(&mut sim, dialect, "Ann", None);
        sim.run_ms(500);
        let lobby = sim.lobby(ann).id.to_string();
        let bob = sim.join_lobby(dialect.entry(), "Bob", Some(lobby));
        let mut all = told(&mut sim, ann, 3_000);
        let seat = sim.seat(bob);
        let count = |all: &[(Frame, Event)], event: Event| all.iter().filter(|(_, told)| *told == event).count();
        assert_eq!(count(&all, Event::Joined { seat }), 1, "{name}: who joined");
        assert!(sim.seen(ann).players[seat.index()].is_some(), "{name}");

        destroy_ship(&mut sim, bob, |sim| tell(sim, ann, &mut all));
        all.extend(told(&mut sim, ann, 1_000));
        let is_death = |event: &Event| matches!(event, Event::Killed { seat: whose, .. } if *whose == seat);
        let deaths = |all: &[(Frame, Event)]| all.iter().filter(|(_, event)| is_death(event)).count();
        assert_eq!(deaths(&all), 1, "{name}: who died");
        assert!(!all.iter().any(|(_, event)| is_gone(event, seat)), "{name}: he is still there");
        let bob_seen = sim.seen(ann).players[seat.index()];
        assert!(bob_seen.is_some_and(|player| player.ship.is_none()), "{name}: {bob_seen:?}");
        let own = sim.seen(bob).players[seat.index()];
        assert!(own.is_some_and(|player| player.ship.is_none()), "{name}: one's own death: {own:?}");

        let is_back = |sim: &Simulation| own_ship(sim.seen(ann), seat).is_some();
        while !is_back(&sim) {
            tell(&mut sim, ann, &mut all);
        }
        assert_eq!((deaths(&all), count(&all, Event::Joined { seat })), (1, 1), "{name}: he came back, no more");
        // However that comes about: some dialects have no goodbye, and take minutes to miss a player.
        let now = sim.now;
        sim.node.peer(bob).expect("he has a seat").session.end(now, End::Left);
        sim.kill(bob);
        all.extend(told(&mut sim, ann, 2_000));
        assert_eq!(all.iter().filter(|(_, event)| is_gone(event, seat)).count(), 1, "{name}: who left");
        assert_eq!(sim.seen(ann).players[seat.index()], None, "{name}");
    });
}

#[test]
fn whoever_dies_is_named_to_players_of_the_dialects_that_have_names() {
    let names = [Dialect::Snapshot, Dialect::Volley];
    for (dialect, other) in names.into_iter().flat_map(|dialect| names.map(|other| (dialect, other))) {
        let mut sim = Simulation::new(32);
        let ann = play(&mut sim, dialect, "Ann", None);
        let bob = follow(&mut sim, other, "Bob", ann);
        let seat = sim.seat(bob);
        let mut all = Vec::new();
        destroy_ship(&mut sim, bob, |sim| tell(sim, ann, &mut all));
        all.extend(told(&mut sim, ann, 500));
        let is_death = |(_, event): &(Frame, Event)| matches!(event, Event::Killed { .. });
        assert_eq!(all.iter().filter(|told| is_death(told)).count(), 1, "{dialect:?} {other:?}");
        assert_eq!(sim.seen(ann).names[seat.index()].as_str(), "Bob", "{dialect:?} {other:?}");
    }
}

#[test]
fn a_volley_player_knows_the_names_of_those_who_are_there_and_of_those_who_come() {
    let mut sim = Simulation::new(33);
    let ann = play(&mut sim, Dialect::Snapshot, "Ann", None);
    let lobby = sim.lobby(ann).id.to_string();
    let bob = sim.join_lobby(Dialect::Volley.entry(), "Bob", Some(lobby.clone()));
    sim.run_ms(1_000);
    let names = |sim: &Simulation| sim.seen(bob).names.map(|name| name.as_str().to_owned());
    assert_eq!(names(&sim), ["Ann", "Bob", "", ""]);
    let cleo = sim.join_lobby(Dialect::Snapshot.entry(), "Cleo", Some(lobby));
    let mut all = Vec::new();
    while !all.iter().any(|(_, event)| *event == Event::Joined { seat: Seat::ALL[2] }) {
        tell(&mut sim, bob, &mut all);
    }
    assert_eq!(names(&sim), ["Ann", "Bob", "Cleo", ""], "a player is named in the Frame that tells that they joined");
    sim.kill(cleo);
    while !all.iter().any(|(_, event)| is_gone(event, Seat::ALL[2])) {
        tell(&mut sim, bob, &mut all);
    }
    assert_eq!(names(&sim), ["Ann", "Bob", "", ""]);
}

#[test]
fn shots_are_events_in_every_dialect() {
    for_every_dialect(|dialect| {
        let mut sim = Simulation::new(34);
        let ann = play(&mut sim, dialect, "Ann", None);
        let bob = follow(&mut sim, dialect, "Bob", ann);
        sim.run_ms(500);
        for shooter in [ann, bob] {
            sim.tap(shooter, Buttons::FIRE);
            let all = told(&mut sim, ann, 500);
            let fired = all.iter().filter_map(|(_, event)| match event {
                Event::Fired { seat, .. } => Some(*seat),
                _ => None,
            });
            assert_eq!(fired.collect::<Vec<_>>(), [sim.seat(shooter)], "{}", dialect.name());
        }
    });
}

/// Follows an entity that was just spawned until it is gone, and tells how, as the client sees it.
fn end_of(sim: &mut Simulation, ann: ClientId, spawned: EntityId, mut each_tick: impl FnMut(&mut Simulation)) -> Gone {
    let truth = sim.lobby(ann).world.frame().entity(spawned).copied().expect("it was just spawned");
    let is_it = |entity: &Entity| {
        let way = entity.position - truth.position;
        entity.kind == truth.kind && way.x.abs() < game::px(16) && way.y.abs() < game::px(16)
    };
    let found = |sim: &Simulation| sim.seen(ann).entities.iter().find(|entity| is_it(entity)).map(|entity| entity.id);
    let mut all = Vec::new();
    while found(sim).is_none() {
        tell(sim, ann, &mut all);
    }
    let id = found(sim).expect("it is seen");
    all.clear();
    for _ in 0..600 {
        each_tick(sim);
        tell(sim, ann, &mut all);
        let end = all.iter().find_map(|(_, event)| match event {
            Event::Destroyed { entity, gone } if *entity == id => Some(*gone),
            _ => None,
        });
        if let Some(gone) = end {
            return gone;
        }
    }
    panic!("it is never gone");
}

#[test]
fn what_leaves_the_field_is_told_from_what_is_destroyed_in_every_dialect() {
    for_every_dialect(|dialect| {
        let mut sim = Simulation::new(35);
        let ann = play(&mut sim, dialect, "Ann", None);
        sim.run_ms(300);
        let seat = sim.seat(ann);
        let ship = sim.lobby(ann).world.frame().ship(seat).expect("it flies").position;
        let far = game::Vec2::new(game::px(12), game::px(250));
        let leaving = sim.lobby_mut(ann).world.spawn(Kind::Drone, far).expect("there is room");
        assert_eq!(end_of(&mut sim, ann, leaving, |_| {}), Gone::Departed, "{}", dialect.name());
        let ahead = ship + game::Vec2::new(game::px(120), 0);
        let shot_down = sim.lobby_mut(ann).world.spawn(Kind::Drone, ahead).expect("there is room");
        let fire = |sim: &mut Simulation| sim.tap(ann, Buttons::FIRE);
        assert_eq!(end_of(&mut sim, ann, shot_down, fire), Gone::Destroyed, "{}", dialect.name());
    });
}
