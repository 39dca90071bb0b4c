//! Which seats are given to whom: in games that are over, on full nodes, and to peers that may not be there at all.

mod simulated;

use game::GameState;
use protocol::{Dialect, End, LobbyId, LobbyRequest, Refusal, Status};
use simulated::{ClientId, Simulation};

/// A node of two shards with one lobby, whose only player has just lost.
fn lost_game(lobbies_max: usize) -> (Simulation, ClientId) {
    let mut sim = Simulation::sharded(42, lobbies_max, 2);
    let loser = sim.join(Dialect::Snapshot, None);
    while sim.lobbies().first().is_none_or(|lobby| lobby.state != GameState::Lost) {
        sim.tick();
        assert!(sim.now.since(simulated::START).as_secs() < 600, "nobody loses");
    }
    (sim, loser)
}

fn players_of_first(sim: &Simulation) -> usize {
    sim.lobbies()[0].players.len()
}

fn status(sim: &Simulation, client: ClientId) -> Status {
    sim.clients[client.0].session.status()
}

#[test]
fn c17_nobody_is_seated_in_a_game_that_is_over_until_the_next_begins() {
    let (mut sim, _) = lost_game(10);
    let over = sim.lobbies()[0].id.clone();
    let code = LobbyId::new(&over).expect("an id");
    let newcomers = Dialect::WITH_PORTS.map(|dialect| sim.join(dialect, None));
    let by_id = sim.join(Dialect::Rfc2020, Some(over.clone()));
    let by_code = sim.link_asking(0, "Bob", LobbyRequest::Join { code });
    let anywhere = sim.link_asking(1, "Cid", LobbyRequest::Quick);
    assert_eq!((players_of_first(&sim), sim.lobbies()[0].state), (1, GameState::Lost));
    assert!(newcomers.iter().all(|client| status(&sim, *client) == Status::Playing));
    assert_eq!(status(&sim, by_id), Status::Ended(End::Refused));
    assert_eq!((sim.at(by_code).seated(), sim.at(by_code).refused()), (None, vec![Refusal::NotNow]));
    assert_ne!(sim.at(anywhere).seated().map(|(lobby, ..)| lobby), Some(code));
    sim.run(5);
    assert_eq!(sim.lobbies()[0].state, GameState::Running, "after six seconds it goes on");
    sim.ask(by_code, LobbyRequest::Join { code });
    sim.run(1);
    sim.join(Dialect::Snapshot, None);
    sim.run(1);
    assert_eq!(players_of_first(&sim), 3, "and is open again, the oldest first");
}

#[test]
fn c17_a_node_whose_only_lobby_shows_its_result_is_full_for_as_long() {
    let (mut sim, _) = lost_game(1);
    let early = sim.join(Dialect::Snapshot, None);
    sim.run(1);
    assert_eq!((status(&sim, early), players_of_first(&sim)), (Status::Ended(End::Refused), 1));
    sim.run(6);
    let late = sim.join(Dialect::Snapshot, None);
    sim.run(1);
    assert_eq!((status(&sim, late), players_of_first(&sim)), (Status::Playing, 2));
}

#[test]
fn c17_with_nobody_left_in_a_game_that_is_over_the_next_begins_at_once() {
    let (mut sim, loser) = lost_game(1);
    sim.clients[loser.0].is_dead = true;
    // TIMEOUT would take 30 s; the host is quicker.
    let (lobby, seat) = (LobbyId::new(&sim.lobbies()[0].id).expect("an id"), game::Seat::ALL[0]);
    for shard in 0..2 {
        let order = server::core::Order::Kick { lobby, seat };
        sim.with_shard(server::core::ShardId(shard), |core, now| core.order(now, order));
    }
    assert_eq!((players_of_first(&sim), sim.lobbies()[0].state), (0, GameState::Lost));
    let next = sim.join(Dialect::Aecs, None);
    sim.run(1);
    assert_eq!((status(&sim, next), sim.lobbies()[0].state), (Status::Playing, GameState::Running));
}
