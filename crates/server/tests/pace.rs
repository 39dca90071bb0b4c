//! A player who is alone stops a lobby's time, or slows it; company, a lost link and ten minutes lift that.

mod simulated;

use game::Rules;
use protocol::{ClientSession, Dialect, LobbyRequest, Pace, Refusal, StreamUse};
use server::core::LobbyView;
use simulated::{Simulation, linked::LinkId};

/// On one shard and where everybody's home is another one: somebody plays alone, and has stopped time.
fn paused(check: impl Fn(&mut Simulation, LinkId)) {
    for shards in [1, 3] {
        let mut sim = Simulation::sharded(11, 100, shards);
        let ann = alone(&mut sim);
        sim.ask(ann, LobbyRequest::Pace(Pace::Paused));
        sim.run(1);
        assert_eq!(sim.at(ann).pace, Pace::Paused);
        check(&mut sim, ann);
    }
}

fn alone(sim: &mut Simulation) -> LinkId {
    let wish = LobbyRequest::Create { stage: "endless".into(), rules: Rules::default(), is_private: false };
    let ann = sim.link_asking(1, "Ann", wish);
    sim.ask(ann, LobbyRequest::Start);
    sim.run(1);
    ann
}

fn lobby(sim: &Simulation) -> LobbyView {
    sim.lobbies().first().cloned().expect("a lobby")
}

/// Ticks that the only lobby takes in these seconds.
fn ticks(sim: &mut Simulation, seconds: u64) -> u32 {
    let before = lobby(sim).tick;
    sim.run(seconds);
    lobby(sim).tick - before
}

fn counted(sim: &Simulation) -> u64 {
    sim.shards.iter().map(|core| core.counters().ticks).sum()
}

fn code(sim: &Simulation, id: LinkId) -> protocol::LobbyId {
    sim.at(id).seated().expect("a seat").0
}

#[test]
fn a_player_who_is_alone_stops_the_game_and_lets_it_go_on() {
    paused(|sim, ann| {
        let before = (counted(sim), sim.at(ann).frame.clone());
        assert!(lobby(sim).is_paused);
        assert_eq!(ticks(sim, 60), 0);
        assert_eq!(lobby(sim).state.name(), "running");
        assert_eq!(counted(sim), before.0, "what does not tick is not counted as a tick, nor as late");
        assert!(sim.is_playing(ann), "nobody gave up");
        assert_eq!(sim.at(ann).frame.entities, before.1.entities);
        sim.ask(ann, LobbyRequest::Pace(Pace::Full));
        sim.run(1);
        assert!(!lobby(sim).is_paused);
        assert!(ticks(sim, 2) >= 119);
    });
}

#[test]
fn watchers_count_for_nothing_and_see_what_stands_still() {
    paused(|sim, ann| {
        let watch = LobbyRequest::Watch { code: code(sim, ann) };
        let watcher = sim.link_asking(0, "Wat", watch);
        assert_eq!(ticks(sim, 3), 0);
        assert_eq!(sim.at(watcher).pace, Pace::Paused);
        assert!(sim.at(watcher).frame.tick.0 > 0, "a watcher who comes later sees the paused game");
        sim.ask(watcher, LobbyRequest::Pace(Pace::Full));
        assert_eq!(ticks(sim, 1), 0);
        assert_eq!(sim.at(watcher).refused(), [Refusal::NotNow]);
        sim.ask(ann, LobbyRequest::Pace(Pace::Full));
        assert!(ticks(sim, 2) > 80);
        assert_eq!(sim.at(watcher).pace, Pace::Full);
    });
}

#[test]
fn a_second_player_lifts_it_in_whatever_dialect() {
    // Players who come over a link or by a desk choose the lobby.
    let chooses = |dialect: &Dialect| matches!(dialect.entry().stream, StreamUse::Link(_) | StreamUse::Desk(_));
    for dialect in Dialect::ALL.into_iter().filter(|dialect| !chooses(dialect)) {
        paused(|sim, ann| {
            sim.join(dialect, None);
            assert!(ticks(sim, 4) > 150, "{}", dialect.name());
            assert_eq!((lobby(sim).players.len(), sim.at(ann).pace), (2, Pace::Full));
            sim.ask(ann, LobbyRequest::Pace(Pace::Paused));
            assert!(ticks(sim, 2) >= 119, "in company nobody stops the game");
        });
    }
    paused(|sim, ann| {
        let join = LobbyRequest::Join { code: code(sim, ann) };
        let bob = sim.link_asking(2, "Bob", join);
        assert!(ticks(sim, 2) > 80);
        let now = sim.now;
        sim.links[bob.0].client.leave(now);
        sim.run(1);
        assert_eq!(sim.at(ann).pace, Pace::Paused, "alone again, in a menu that is still open");
        assert_eq!(ticks(sim, 2), 0);
    });
}

#[test]
fn a_player_who_loses_the_link_lifts_it_and_comes_back_to_a_game_that_runs() {
    paused(|sim, ann| {
        let (_, _, token) = sim.at(ann).seated().expect("a seat");
        sim.lose(ann);
        assert!(ticks(sim, 3) >= 179);
        let again = sim.link_asking(0, "Ann", LobbyRequest::Rejoin { token });
        assert!(sim.at(again).seated().is_some() && ticks(sim, 2) >= 119);
        sim.ask(again, LobbyRequest::Pace(Pace::Paused));
        sim.run(1);
        assert_eq!(ticks(sim, 2), 0);
        let now = sim.now;
        sim.links[again.0].client.leave(now);
        sim.run(40);
        assert!(sim.lobbies().is_empty(), "the lobby closes when its player leaves");
    });
}

#[test]
fn after_ten_minutes_the_game_goes_on() {
    let mut sim = Simulation::sharded(11, 100, 1);
    let ann = alone(&mut sim);
    sim.ask(ann, LobbyRequest::Pace(Pace::Paused));
    sim.run(1);
    assert_eq!(ticks(&mut sim, 597), 0);
    assert!(ticks(&mut sim, 5) > 100);
    assert_eq!((sim.at(ann).pace, lobby(&sim).is_paused), (Pace::Full, false));
    sim.ask(ann, LobbyRequest::Pace(Pace::Paused));
    sim.run(1);
    assert_eq!(ticks(&mut sim, 2), 0, "it can be stopped again");
}

#[test]
fn a_game_that_was_slow_for_a_while_is_recorded_as_assisted_and_one_that_stood_still_is_not() {
    for (pace, is_assisted) in [(Pace::Slow, true), (Pace::Paused, false)] {
        let mut sim = Simulation::sharded(11, 100, 3);
        let ann = alone(&mut sim);
        sim.ask(ann, LobbyRequest::Pace(pace));
        sim.run(2);
        sim.ask(ann, LobbyRequest::Pace(Pace::Full));
        // A ship that only charges the beam is lost before long.
        let played = (0..600).find(|_| {
            sim.run(1);
            !sim.records.is_empty()
        });
        assert!(played.is_some(), "the game never ended");
        let record = &sim.records[0];
        assert_eq!(record.is_assisted, is_assisted, "{pace:?}");
        let pauses = if pace == Pace::Paused { 1..=1 } else { 0..=0 };
        assert!(pauses.contains(&record.pauses) && record.paused_seconds < 4, "{record:?}");
    }
}

#[test]
fn pausing_by_turns_and_more_lives_are_recorded_as_assistance() {
    let until_recorded = |sim: &mut Simulation, mut each: Box<dyn FnMut(&mut Simulation)>| {
        let played = (0..3000).find(|_| {
            each(sim);
            !sim.records.is_empty()
        });
        assert!(played.is_some(), "the game never ended");
        sim.records.remove(0)
    };
    let mut sim = Simulation::sharded(11, 100, 1);
    let ann = alone(&mut sim);
    const TURNS: usize = 15;
    let by_turns = move |sim: &mut Simulation| {
        for pace in [Pace::Paused, Pace::Full] {
            sim.ask(ann, LobbyRequest::Pace(pace));
            (0..TURNS).for_each(|_| sim.tick());
        }
    };
    let record = until_recorded(&mut sim, Box::new(by_turns));
    assert!(record.is_assisted && record.pauses > 20 && record.paused_seconds > 5, "{record:?}");
    let mut sim = Simulation::sharded(11, 100, 1);
    let rules = Rules { lives: 5, ..Rules::default() };
    let ann = sim.link_asking(1, "Ann", LobbyRequest::Create { stage: "endless".into(), rules, is_private: false });
    sim.ask(ann, LobbyRequest::Start);
    let record = until_recorded(&mut sim, Box::new(|sim| sim.run(1)));
    assert!(record.is_assisted && record.lives == 5 && record.pauses == 0, "{record:?}");
}

#[test]
fn a_slow_lobby_takes_three_ticks_of_four() {
    let mut sim = Simulation::sharded(11, 100, 1);
    let ann = alone(&mut sim);
    sim.ask(ann, LobbyRequest::Pace(Pace::Slow));
    sim.run(1);
    assert!((449..=451).contains(&ticks(&mut sim, 10)));
    assert!(!lobby(&sim).is_paused);
}
