//! Where the node seats people of different dialects: whoever comes meets whoever is there.

mod simulated;

use game::{Entity, GameState, Rules};
use protocol::{Dialect, LobbyRequest, StreamUse};
use server::core::LobbyView;
use simulated::Simulation;

/// Somebody comes over that dialect and wants a seat; in a lobby of their own where that is all the dialect offers.
fn come(sim: &mut Simulation, dialect: Dialect) {
    match dialect.entry().stream {
        StreamUse::Link(_) => _ = sim.link_asking(0, "Ann", LobbyRequest::Quick),
        StreamUse::None | StreamUse::OpensSession | StreamUse::Desk(_) => _ = sim.join(dialect, None),
    }
    sim.run(2);
}

fn dialects(lobby: &LobbyView) -> Vec<Dialect> {
    lobby.players.iter().filter_map(|player| player.kind.dialect()).collect()
}

fn has_desk(dialect: &Dialect) -> bool {
    matches!(dialect.entry().stream, StreamUse::Desk(_))
}

#[test]
fn c1_two_people_who_connect_to_an_empty_node_meet_whatever_their_dialects() {
    for first in Dialect::ALL {
        // One that asks at a desk makes a lobby of its own.
        for second in Dialect::ALL.into_iter().filter(|dialect| !has_desk(dialect)) {
            let mut sim = Simulation::new(11, 4);
            come(&mut sim, first);
            come(&mut sim, second);
            let seated: Vec<_> = sim.lobbies().iter().map(dialects).collect();
            assert_eq!(seated, [[first, second]]);
        }
    }
}

#[test]
fn c1_a_fifth_player_opens_the_next_lobby_whatever_the_dialects() {
    let mut sim = Simulation::new(10, 4);
    let (at_desks, others): (Vec<_>, Vec<_>) = Dialect::ALL.into_iter().partition(has_desk);
    let all: Vec<Dialect> = at_desks.into_iter().chain(others).collect();
    all.iter().for_each(|&dialect| come(&mut sim, dialect));
    let seated: Vec<_> = sim.lobbies().iter().map(dialects).collect();
    assert_eq!(seated, all.chunks(4).collect::<Vec<_>>());
}

#[test]
fn c11_a_player_without_lobbies_starts_a_waiting_lobby() {
    let has_no_lobbies =
        |dialect: &Dialect| matches!(dialect.entry().stream, StreamUse::None | StreamUse::OpensSession);
    for dialect in Dialect::ALL.into_iter().filter(has_no_lobbies) {
        let mut sim = Simulation::new(12, 4);
        let create = LobbyRequest::Create { stage: "endless".into(), rules: Rules::default(), is_private: false };
        sim.link_asking(0, "Ann", create);
        sim.run(1);
        assert_eq!(sim.lobbies()[0].state, GameState::Waiting);
        come(&mut sim, dialect);
        let lobbies = sim.lobbies();
        assert_eq!((lobbies.len(), lobbies[0].state), (1, GameState::Running), "{}", dialect.name());
    }
}

/// Half of all numbers of 16 bits have passed after nine minutes, and all of them after eighteen.
#[test]
fn nobody_is_held_up_or_loses_their_seat_in_twenty_minutes() {
    let mut sim = Simulation::new(13, 8);
    Dialect::ALL.into_iter().for_each(|dialect| come(&mut sim, dialect));
    let seats = |sim: &Simulation| sim.lobbies().iter().map(dialects).collect::<Vec<_>>();
    let begun = seats(&sim);
    let mut before = shown(&sim);
    let mut still_s = vec![0; before.len()];
    for second in 0..20 * 60 {
        sim.run(1);
        let now = shown(&sim);
        for (number, still_s) in still_s.iter_mut().enumerate() {
            *still_s = if now[number] == before[number] { *still_s + 1 } else { 0 };
            // After a lost game nothing moves for a while.
            assert!(*still_s < 4 || !is_running(&sim), "after {second} s nothing moves at number {number}");
        }
        assert_eq!(seats(&sim), begun, "after {second} s");
        before = now;
    }
}

fn is_running(sim: &Simulation) -> bool {
    sim.lobbies().iter().all(|lobby| lobby.state == GameState::Running)
}

/// What each player sees.
fn shown(sim: &Simulation) -> Vec<Vec<Entity>> {
    let frames = sim.clients.iter().map(|client| &client.frame).chain(sim.links.iter().map(|link| &link.frame));
    frames.map(|frame| frame.entities.clone()).collect()
}
