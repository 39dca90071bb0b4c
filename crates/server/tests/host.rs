//! What a host orders, and what is recorded of games, under a seed and with several shards.

mod simulated;

use std::sync::Arc;

use game::Seat;
use protocol::{Dialect, LobbyId, Status};
use server::core::{Bans, Drop, Order, Outcome, PeerKey, Range, ShardId};
use simulated::{ClientId, Simulation};

/// As `OrderSender` does: every shard gets every order.
fn tell(sim: &mut Simulation, order: &Order) {
    for number in 0..sim.shards.len() {
        sim.with_shard(ShardId(number as u8), |core, now| core.order(now, order.clone()));
    }
    sim.deliver();
}

fn bans(ranges: &[&str]) -> Order {
    let ranges: Vec<Range> = ranges.iter().map(|range| range.parse().expect("a range")).collect();
    Order::Ban(Arc::new(Bans::new(&ranges)))
}

fn status(sim: &Simulation, client: ClientId) -> Status {
    sim.clients[client.0].session.status()
}

fn first_lobby(sim: &Simulation) -> LobbyId {
    LobbyId::new(&sim.lobbies()[0].id).expect("an id")
}

fn dropped(sim: &Simulation, why: Drop) -> u64 {
    let counters = sim.counters();
    let drops = counters.dialects().flat_map(|(_, counters)| counters.drops());
    drops.filter(|(reason, _)| *reason == why).map(|(_, count)| count).sum()
}

/// Somebody closes their window: their system says that nobody listens there any more (ruling C6).
fn leave(sim: &mut Simulation, client: ClientId) {
    sim.clients[client.0].is_dead = true;
    let peer = PeerKey::at_door(sim.clients[client.0].dialect, client.address());
    sim.close_socket(peer);
}

#[test]
fn a_kicked_player_is_told_and_stays_out_for_a_while_whichever_shard_they_ask() {
    for dialect in [Dialect::Typeuh, Dialect::Snapshot] {
        let mut sim = Simulation::sharded(42, 10, 2);
        let stays = sim.join(dialect, None);
        let goes = sim.join(dialect, None);
        sim.run(2);
        assert_eq!(sim.players(), 2);
        let seat = sim.clients[goes.0].session.seat().expect("a seat");
        let lobby = first_lobby(&sim);
        tell(&mut sim, &Order::Kick { lobby, seat });
        sim.run(3);
        assert_eq!(sim.players(), 1, "{}", dialect.name());
        assert_eq!(status(&sim, stays), Status::Playing);
        assert!(sim.shards.iter().all(|core| core.routes() <= 1), "nobody knows the way to them");
    }
}

#[test]
fn a_ban_ends_present_sessions_and_answers_nobody_new_until_it_is_lifted() {
    let mut sim = Simulation::sharded(42, 10, 2);
    for dialect in Dialect::with_ports() {
        sim.join(dialect, None);
    }
    sim.run(2);
    assert_eq!(sim.players(), Dialect::with_ports().count());
    tell(&mut sim, &bans(&["127.0.0.0/8"]));
    assert_eq!(sim.players(), 0);
    let late = sim.join(Dialect::Snapshot, None);
    sim.run(2);
    assert_eq!((sim.players(), status(&sim, late)), (0, Status::Opening));
    assert!(dropped(&sim, Drop::Banned) > 0);
    tell(&mut sim, &bans(&["192.0.2.0/24"]));
    sim.run(2);
    assert_eq!(status(&sim, late), Status::Playing);
}

#[test]
fn a_lobby_that_the_host_closes_is_gone_with_its_port_and_its_sessions() {
    let mut sim = Simulation::sharded(42, 1, 2);
    let player = sim.join(Dialect::Rfc2020, None);
    sim.run(2);
    assert_eq!((sim.players(), sim.ports.len()), (1, 1));
    let lobby = first_lobby(&sim);
    tell(&mut sim, &Order::CloseLobby(lobby));
    assert_eq!((sim.lobbies().len(), sim.ports.len()), (0, 0));
    sim.run(1);
    assert_ne!(status(&sim, player), Status::Playing);
    // There may be one lobby, and there is room for it again.
    let next = sim.join(Dialect::Snapshot, None);
    sim.run(2);
    assert_eq!(status(&sim, next), Status::Playing);
}

#[test]
fn a_drain_opens_no_lobby_but_free_seats_are_still_taken() {
    let mut sim = Simulation::sharded(42, 10, 2);
    sim.join(Dialect::Typeuh, None);
    sim.run(1);
    tell(&mut sim, &Order::Drain);
    let more: Vec<ClientId> = (0..4).map(|_| sim.join(Dialect::Snapshot, None)).collect();
    let maker = sim.join(Dialect::Rfc2020, None);
    sim.run(3);
    assert_eq!((sim.lobbies().len(), sim.players()), (1, 4));
    assert_eq!(more.iter().filter(|client| status(&sim, **client) == Status::Playing).count(), 3);
    assert_ne!(status(&sim, maker), Status::Playing);
}

#[test]
fn the_end_of_the_node_ends_everybody_and_records_their_games() {
    let mut sim = Simulation::sharded(42, 10, 3);
    for _ in 0..2 {
        for dialect in Dialect::with_ports() {
            sim.join(dialect, None);
        }
    }
    sim.run(60);
    let lobbies = sim.lobbies();
    let with_score = lobbies.iter().filter(|lobby| lobby.score > 0 && !lobby.players.is_empty()).count();
    assert!(with_score > 0, "{lobbies:?}");
    let before = sim.records.len();
    tell(&mut sim, &Order::CloseAll);
    assert_eq!((sim.players(), sim.lobbies().len(), sim.ports.len()), (0, 0, 0));
    let abandoned = &sim.records[before..];
    assert!(abandoned.iter().all(|record| record.outcome == Outcome::Abandoned && record.score > 0));
    assert!(!abandoned.is_empty() && abandoned.len() <= with_score, "{abandoned:?}");
}

#[test]
fn a_lost_game_is_recorded_once_with_its_players_and_the_next_one_on_its_own() {
    let mut sim = Simulation::new(42, 10);
    sim.join(Dialect::Snapshot, None);
    for _ in 0..600 {
        sim.run(1);
        if sim.records.len() >= 2 {
            break;
        }
    }
    let [first, second, ..] = &sim.records[..] else { panic!("{:?}", sim.records) };
    assert_eq!((first.outcome, first.stage.as_str()), (Outcome::Lost, "endless"));
    let player = &first.players[0];
    assert_eq!((player.name.as_str(), player.kind.name(), player.seat), ("Ann", "snapshot", Seat::ALL[0]));
    assert!(first.ticks > 60 && first.began < first.ended, "{first:?}");
    assert_eq!(first.lobby, second.lobby);
    assert!(second.began > first.ended, "another game");
}

#[test]
fn every_player_of_an_abandoned_game_is_in_its_record_though_none_has_a_name() {
    let mut sim = Simulation::new(7, 10);
    let players: Vec<ClientId> = (0..4).map(|_| sim.join(Dialect::Aecs, None)).collect();
    let scores = |sim: &Simulation| sim.lobbies()[0].score;
    for _ in 0..60 {
        sim.run(1);
        if scores(&sim) > 0 {
            break;
        }
    }
    let score = scores(&sim);
    assert!(score > 0 && sim.records.is_empty(), "{:?}", sim.records);
    players.into_iter().for_each(|player| leave(&mut sim, player));
    let record = sim.records.last().expect("it is recorded");
    assert_eq!(record.players.iter().map(|player| player.score).sum::<u32>(), record.score, "{record:?}");
    assert!(record.players.len() > 1, "{record:?}");
}

#[test]
fn an_abandoned_game_names_the_players_who_left_and_is_recorded_when_the_last_one_goes() {
    let mut sim = Simulation::new(7, 10);
    let players = [sim.join(Dialect::Snapshot, None), sim.join(Dialect::Snapshot, None)];
    for _ in 0..60 {
        sim.run(1);
        let lobby = &sim.lobbies()[0];
        if lobby.score > 0 {
            break;
        }
    }
    assert!(sim.lobbies()[0].score > 0 && sim.records.is_empty(), "{:?}", sim.records);
    leave(&mut sim, players[0]);
    assert!(sim.records.is_empty(), "one still plays");
    leave(&mut sim, players[1]);
    assert_eq!(sim.records.len(), 1, "{:?}", sim.lobbies());
    let record = &sim.records[0];
    assert_eq!(record.outcome, Outcome::Abandoned);
    let own: u32 = record.players.iter().map(|player| player.score).sum();
    assert!(record.score > 0 && own > 0, "{record:?}");
}
