//! A node of several shards under a seed, in one thread: players meet whichever shard they knock at, and nobody notices
//! where they live.

mod simulated;

use std::{collections::BTreeSet, net::SocketAddr, time::Duration};

use game::SEATS;
use protocol::{Dialect, Status};
use server::core::{Endpoint, PeerKey, ShardId, StreamId};
use simulated::{ClientId, Simulation, TICK, settings};

/// A client whose datagrams arrive at that shard.
fn join_at(sim: &mut Simulation, shard: u8, dialect: Dialect, lobby: Option<String>) -> ClientId {
    // Addresses go by the number of the client, so others who never say anything take the numbers between.
    while sim.shard_of(Endpoint::Door(dialect), ClientId(sim.clients.len()).address()) != ShardId(shard) {
        let silent = sim.join(Dialect::Snapshot, None);
        sim.clients[silent.0].is_dead = true;
    }
    sim.join(dialect, lobby)
}

fn is_playing(sim: &Simulation, client: ClientId) -> bool {
    sim.clients[client.0].session.status() == Status::Playing
}

/// The shard that a lobby lives on.
fn home(sim: &Simulation, id: &str) -> ShardId {
    let has = |number: &usize| sim.shards[*number].lobbies().iter().any(|lobby| lobby.id == id);
    ShardId((0..sim.shards.len()).find(has).expect("it lives somewhere") as u8)
}

fn routes(sim: &Simulation) -> Vec<usize> {
    sim.shards.iter().map(|core| core.routes()).collect()
}

#[test]
fn a_minute_of_loss_and_churn_over_three_shards() {
    for seed in 1..4 {
        let (sim, lobbies) = Simulation::sharded(seed, 100, 3).churned();
        for client in sim.clients.iter().filter(|client| !client.is_dead) {
            assert_eq!(client.session.status(), Status::Playing, "seed {seed}: {}", client.dialect.name());
        }
        for dialect in [Dialect::Aecs, Dialect::Rfc2020, Dialect::Rfc53952] {
            let players = lobbies.iter().flat_map(|lobby| &lobby.players);
            let seated = players.filter(|player| player.kind.dialect() == Some(dialect)).count();
            let alive = sim.clients.iter().filter(|client| client.dialect == dialect && !client.is_dead).count();
            assert_eq!(seated, alive, "seed {seed}: {}", dialect.name());
        }
        assert!(lobbies.iter().all(|lobby| lobby.players.len() <= 4));
        assert!(sim.counters().handovers > 1000, "seed {seed}: most of them live elsewhere");
    }
}

#[test]
fn the_same_seed_gives_the_same_node() {
    let churned = |seed| Simulation::sharded(seed, 100, 3).churned();
    let ((first_sim, first), (second_sim, second), (_, other)) = (churned(7), churned(7), churned(8));
    assert_eq!(first, second);
    assert_eq!(first_sim.handed_over, second_sim.handed_over);
    assert_ne!(first, other);
}

#[test]
fn one_shard_hands_nothing_over() {
    let mut sim = Simulation::new(1, 100);
    for dialect in Dialect::with_ports() {
        sim.join(dialect, None);
    }
    sim.run(3);
    assert_eq!((sim.players(), sim.handed_over), (Dialect::with_ports().count(), 0));
}

#[test]
fn c1_strangers_who_come_to_different_shards_meet_in_one_lobby() {
    let mut sim = Simulation::sharded(2, 100, 3);
    sim.is_passive = true;
    let met: Vec<ClientId> = [(2, Dialect::Snapshot), (0, Dialect::Aecs), (1, Dialect::Typeuh), (0, Dialect::Rfc53952)]
        .map(|(shard, dialect)| {
            let client = join_at(&mut sim, shard, dialect, None);
            sim.run(1);
            client
        })
        .into();
    sim.run(2);
    let lobbies = sim.lobbies();
    assert_eq!(lobbies.len(), 1);
    assert_eq!(lobbies[0].players.len(), 4);
    assert_eq!(home(&sim, &lobbies[0].id), ShardId(2), "where the first one knocked");
    for client in met {
        assert!(is_playing(&sim, client));
        let ships = sim.clients[client.0].frame.entities.iter().filter(|entity| entity.kind == game::Kind::Player);
        assert_eq!(ships.count(), 4, "{}", sim.clients[client.0].dialect.name());
    }
}

#[test]
fn a_desk_finds_a_lobby_of_another_shard_and_its_port_is_opened_there() {
    let mut sim = Simulation::sharded(3, 100, 2);
    join_at(&mut sim, 1, Dialect::Snapshot, None);
    sim.run(1);
    let id = sim.lobbies()[0].id.clone();
    assert_eq!(home(&sim, &id), ShardId(1));
    let guest = sim.join(Dialect::Rfc2020, Some(id.clone()));
    sim.run(2);
    assert!(is_playing(&sim, guest));
    assert_eq!(sim.lobbies()[0].players.len(), 2);
    assert_eq!(sim.ports.values().copied().collect::<Vec<_>>(), [ShardId(1)]);
    // A second one is told the same port.
    let another = sim.join(Dialect::Rfc2020, Some(id));
    sim.run(2);
    assert!(is_playing(&sim, another));
    assert_eq!((sim.ports.len(), sim.players()), (1, 3));
}

#[test]
fn lobbies_open_where_there_is_the_least_to_do_and_the_limit_is_the_nodes() {
    let mut settings = settings(4, 40);
    // All of them are behind one address, which may otherwise hold three quarters of the lobbies.
    settings.limits.seats_per_address = Some(40 * SEATS);
    let mut sim = Simulation::with_settings(settings, 2);
    // All of them knock at the first shard.
    for _ in 0..45 {
        join_at(&mut sim, 0, Dialect::Rfc2020, None);
        sim.run(1);
    }
    let by_shard: Vec<usize> = sim.shards.iter().map(|core| core.lobbies().len()).collect();
    assert_eq!(by_shard.iter().sum::<usize>(), 40, "{by_shard:?}");
    assert!(by_shard[1] >= 12, "{by_shard:?}");
    let owners: BTreeSet<ShardId> = sim.ports.values().copied().collect();
    assert_eq!((sim.ports.len(), owners.len()), (40, 2), "each listens at its own lobbies' ports");
}

#[test]
fn the_way_to_another_shard_is_forgotten_when_a_session_ends() {
    let mut sim = Simulation::sharded(5, 100, 3);
    for _ in 0..20 {
        for dialect in Dialect::with_ports() {
            sim.join(dialect, None);
        }
        sim.run(1);
    }
    let known = routes(&sim);
    assert!(known.iter().sum::<usize>() > sim.players(), "some are known to two shards: {known:?}");
    for index in 0..sim.clients.len() {
        let client = &mut sim.clients[index];
        client.session.leave(sim.now);
        sim.tick();
        sim.clients[index].is_dead = true;
    }
    // Those whose dialect has no goodbye are silent for five minutes.
    sim.run(400);
    assert_eq!((sim.players(), routes(&sim)), (0, vec![0, 0, 0]));
    assert!(sim.lobbies().is_empty());
}

#[test]
fn a2_an_address_that_a_nat_changed_claims_its_session_from_whichever_shard_it_comes_to() {
    for shard in 0..3u16 {
        let mut sim = Simulation::sharded(6, 100, 3);
        // Its lobby is another player's, on the second shard.
        join_at(&mut sim, 1, Dialect::Snapshot, None);
        sim.run(1);
        let ann = sim.join(Dialect::Aecs, None);
        sim.clients[ann.0].is_dead = true;
        sim.deliver();
        sim.now = sim.now + Duration::from_millis(1_100);
        let at = Endpoint::Door(Dialect::Aecs);
        let changed = SocketAddr::from(([127, 0, 0, 1], (10_500 / 3) * 3 + shard));
        assert_eq!(sim.shard_of(at, changed), ShardId(shard as u8));
        sim.datagram(at, changed, &[1, 0, 1]);
        sim.deliver();
        let answers = sim.network.due_to_clients(sim.now);
        let pong = answers.iter().find(|packet| packet.bytes == [1, 0, 0x82]);
        let client = ClientId(usize::from(changed.port()) - 10_000);
        assert_eq!(pong.map(|packet| packet.client), Some(client), "shard {shard}");
        // The old address is nobody's any more.
        sim.datagram(at, ann.address(), &[1, 0, 1]);
        sim.deliver();
        assert!(sim.network.due_to_clients(sim.now).iter().all(|packet| packet.client != ann));
    }
}

/// An `aecs` player whose lobby lives on the second of three shards, and who has just died.
fn dead_player_elsewhere() -> (Simulation, ClientId) {
    let mut sim = Simulation::sharded(6, 100, 3);
    join_at(&mut sim, 1, Dialect::Snapshot, None);
    sim.run(1);
    let ann = join_at(&mut sim, 2, Dialect::Aecs, None);
    sim.run(1);
    assert!(is_playing(&sim, ann));
    sim.clients[ann.0].is_dead = true;
    (sim, ann)
}

#[test]
fn a2_connecting_again_from_the_same_port_gets_a_seat_though_the_old_session_lives_elsewhere() {
    let (mut sim, ann) = dead_player_elsewhere();
    let (players, known) = (sim.players(), routes(&sim));
    let again = StreamId(901);
    sim.with_core(|core, now| core.stream_opened(now, PeerKey::at_door(Dialect::Aecs, ann.address()), again));
    sim.with_core(|core, _| assert!(core.stream_ended(again), "a peer that sends no more may still read"));
    sim.deliver();
    let mut said = Vec::new();
    for _ in 0..3 {
        sim.now = sim.now + TICK;
        sim.advance();
        sim.deliver();
        said.extend(sim.network.due_to_clients(sim.now));
    }
    let hello = said.iter().find(|packet| packet.client == ClientId(901)).expect("something over the new stream");
    assert_eq!(hello.bytes.get(2), Some(&0x80), "CONNECTED");
    let at = Endpoint::Door(Dialect::Aecs);
    sim.datagram(at, ann.address(), &[1, 0, 1]);
    sim.deliver();
    let answers = sim.network.due_to_clients(sim.now);
    assert!(answers.iter().any(|packet| packet.client == ann && packet.bytes == [1, 0, 0x82]));
    assert_eq!((sim.players(), routes(&sim)), (players, known), "nothing of the old one is left");
}

#[test]
fn a2_a_peer_that_connects_again_and_hangs_up_at_once_has_no_session_any_more() {
    let (mut sim, ann) = dead_player_elsewhere();
    let players = sim.players();
    let again = StreamId(901);
    sim.with_core(|core, now| core.stream_opened(now, PeerKey::at_door(Dialect::Aecs, ann.address()), again));
    sim.with_core(|core, now| core.stream_closed(now, again));
    sim.deliver();
    assert_eq!(sim.players(), players - 1);
    sim.with_core(|core, _| assert!(!core.stream_ended(again)));
}

#[test]
fn c6_a_player_who_is_gone_is_gone_whichever_shard_hears_of_it() {
    for shard in 0..2 {
        let mut sim = Simulation::sharded(7, 100, 2);
        join_at(&mut sim, 0, Dialect::Snapshot, None);
        sim.run(1);
        let goes = join_at(&mut sim, 1, Dialect::Snapshot, None);
        sim.run(1);
        assert_eq!(sim.players(), 2);
        sim.clients[goes.0].is_dead = true;
        // Its last datagrams arrive.
        (0..20).for_each(|_| sim.tick());
        let at = Endpoint::Door(Dialect::Snapshot);
        sim.hint_unreachable(ShardId(shard), PeerKey::new(at, goes.address()));
        (0..58).for_each(|_| sim.tick());
        assert_eq!(sim.players(), 2, "not at once");
        (0..4).for_each(|_| sim.tick());
        assert_eq!(sim.players(), 1);
    }
}

#[test]
fn a_goodbye_that_comes_again_is_answered_again_though_the_player_lived_elsewhere() {
    let mut sim = Simulation::sharded(8, 100, 2);
    join_at(&mut sim, 0, Dialect::Snapshot, None);
    sim.run(1);
    let ann = join_at(&mut sim, 1, Dialect::Rfc53952, None);
    sim.run(2);
    assert_eq!(sim.players(), 2);
    sim.clients[ann.0].is_dead = true;
    // AdiosServer: Length 15, Type 3, Timestamp 5, Datasize 0.
    let adios = [15, 0, 0, 0, 3, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let at = Endpoint::Door(Dialect::Rfc53952);
    for said in 0..3 {
        sim.network.due_to_clients(sim.now + Duration::from_secs(9));
        sim.datagram(at, ann.address(), &adios);
        sim.deliver();
        let answers = sim.network.due_to_clients(sim.now + Duration::from_secs(9));
        assert!(answers.iter().any(|packet| packet.bytes.get(4) == Some(&10)), "said {said} times before");
        sim.run(1);
    }
    assert_eq!(sim.players(), 1);
}

#[test]
fn a4_a_ping_that_comes_before_its_stream_is_answered_once_the_stream_is_there() {
    for shard in 0..2u16 {
        let mut sim = Simulation::sharded(8, 100, 2);
        let at = Endpoint::Door(Dialect::Aecs);
        let early = SocketAddr::from(([127, 0, 0, 1], 10_500 + shard));
        assert_eq!(sim.shard_of(at, early), ShardId(shard as u8));
        sim.datagram(at, early, &[1, 0, 1]);
        assert_eq!(sim.counters().dialect(Dialect::Aecs).drops().count(), 0, "shard {shard}");
        sim.with_shard(ShardId(0), |core, now| {
            core.stream_opened(now, PeerKey::at_door(Dialect::Aecs, early), StreamId(1))
        });
        for _ in 0..2 {
            sim.now = sim.now + Duration::from_millis(3);
            sim.advance();
            sim.deliver();
        }
        let answers = sim.network.due_to_clients(sim.now + Duration::from_secs(1));
        assert!(answers.iter().any(|packet| packet.bytes == [1, 0, 0x82]), "shard {shard}");
    }
}

#[test]
fn a_ping_whose_stream_never_comes_is_a_strangers() {
    let mut sim = Simulation::sharded(9, 100, 2);
    let at = Endpoint::Door(Dialect::Aecs);
    sim.datagram(at, SocketAddr::from(([127, 0, 0, 1], 10_500)), &[1, 0, 1]);
    sim.now = sim.now + Duration::from_millis(40);
    sim.advance();
    assert_eq!(sim.counters().dialect(Dialect::Aecs).drops().map(|(_, count)| count).sum::<u64>(), 1);
}
