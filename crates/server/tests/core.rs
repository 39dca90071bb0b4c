//! A node of one shard under a seed: what it does with clients of every dialect, and with everybody else.

mod simulated;

use std::{collections::BTreeMap, net::SocketAddr, time::Duration};

use protocol::{Dialect, LobbyRequest, Status};
use server::core::{Drop, Endpoint, PeerKey, ShardId, StreamId, UnreachableHint};
use simulated::{
    CLOSED_SOCKET_TICKS, ClientId, Simulation, TICK,
    network::{Conditions, Packet},
    settings,
};

#[test]
fn a_minute_of_loss_and_churn_with_twenty_clients_of_all_dialects() {
    for seed in 1..4 {
        let (sim, lobbies) = Simulation::new(seed, 100).churned();
        for client in sim.clients.iter().filter(|client| !client.is_dead) {
            assert_eq!(client.session.status(), Status::Playing, "seed {seed}: {}", client.dialect.name());
        }
        let seated: BTreeMap<&str, usize> =
            lobbies.iter().flat_map(|lobby| &lobby.players).fold(BTreeMap::new(), |mut seated, player| {
                *seated.entry(player.kind.name()).or_default() += 1;
                seated
            });
        for dialect in [Dialect::Aecs, Dialect::Rfc2020, Dialect::Rfc53952] {
            let alive = sim.clients.iter().filter(|client| client.dialect == dialect && !client.is_dead).count();
            assert_eq!(seated.get(dialect.name()).copied().unwrap_or(0), alive, "seed {seed}: {}", dialect.name());
        }
        assert!(lobbies.iter().all(|lobby| lobby.players.len() <= 4));
    }
}

#[test]
fn the_same_seed_gives_the_same_node() {
    let churned = |seed| Simulation::new(seed, 100).churned();
    let ((_, first), (_, second), (_, other)) = (churned(7), churned(7), churned(8));
    assert_eq!(first, second);
    assert_ne!(first, other);
}

#[test]
fn an_empty_lobby_is_closed_and_its_port_is_free_again() {
    let mut sim = Simulation::new(1, 10);
    let ann = sim.join(Dialect::Rfc2020, None);
    sim.run(3);
    assert_eq!((sim.players(), sim.ports.len()), (1, 1));
    sim.clients[ann.0].is_dead = true;
    sim.run(10);
    assert_eq!((sim.players(), sim.lobbies().len()), (0, 1), "it waits half a minute");
    sim.run(30);
    assert_eq!((sim.lobbies().len(), sim.ports.len()), (0, 0));
}

#[test]
fn a2_an_address_that_a_nat_changed_claims_the_oldest_unclaimed_session_after_a_second() {
    let mut sim = Simulation::new(2, 10);
    let ann = sim.join(Dialect::Aecs, None);
    let at = Endpoint::Door(Dialect::Aecs);
    let changed = SocketAddr::from(([127, 0, 0, 1], 10_500));
    let ping = [1, 0, 1];
    sim.clients[ann.0].is_dead = true;
    sim.datagram(at, changed, &ping);
    assert_eq!(sim.network.due_to_clients(sim.now + Duration::from_secs(1)).len(), 0, "too early to claim");
    sim.now = sim.now + Duration::from_millis(1_100);
    sim.with_core(|core, now| core.advance(now));
    sim.datagram(at, changed, &ping);
    let answers = sim.network.due_to_clients(sim.now);
    let pong = answers.iter().find(|packet| packet.bytes == [1, 0, 0x82]);
    assert_eq!(pong.map(|packet| packet.client), Some(ClientId(500)), "{answers:?}");
}

#[test]
fn a2_connecting_again_from_the_same_port_ends_the_old_session_and_gets_a_seat_even_in_a_full_node() {
    let mut sim = Simulation::new(2, 1);
    let ann = sim.join(Dialect::Aecs, None);
    for _ in 0..3 {
        sim.join(Dialect::Snapshot, None);
    }
    sim.run(2);
    assert_eq!((sim.players(), sim.lobbies().len()), (4, 1));
    sim.clients[ann.0].is_dead = true;
    // Before and after its first datagram has come.
    for (again, has_spoken) in [(StreamId(901), true), (StreamId(902), false), (StreamId(903), false)] {
        sim.with_core(|core, now| core.stream_opened(now, PeerKey::at_door(Dialect::Aecs, ann.address()), again));
        let hello = is_connected(&mut sim, again);
        assert!(hello, "{again:?}, has spoken before: {has_spoken}");
        assert_eq!((sim.players(), sim.lobbies().len()), (4, 1));
        assert!(sim.closed.contains(&again), "the hello is all that is said");
    }
    let at = Endpoint::Door(Dialect::Aecs);
    sim.datagram(at, ann.address(), &[1, 0, 1]);
    let pong = sim.network.due_to_clients(sim.now).iter().any(|packet| packet.bytes == [1, 0, 0x82]);
    assert!(pong, "and the new session is the one that is heard");
}

/// Whether CONNECTED comes down a stream within a few ticks of the node alone.
fn is_connected(sim: &mut Simulation, stream: StreamId) -> bool {
    let connected = |packet: &Packet| packet.client.0 as u64 == stream.0 && packet.bytes.get(2) == Some(&0x80);
    (0..3).any(|_| {
        sim.now = sim.now + TICK;
        sim.advance();
        sim.network.due_to_clients(sim.now).iter().any(connected)
    })
}

#[test]
fn a2_whose_port_another_ones_datagrams_come_from_does_not_end_that_session() {
    let mut sim = Simulation::new(2, 10);
    let ann = sim.join(Dialect::Aecs, None);
    sim.clients[ann.0].is_dead = true;
    sim.now = sim.now + Duration::from_millis(1_100);
    let at = Endpoint::Door(Dialect::Aecs);
    let changed = ClientId(500).address();
    sim.datagram(at, changed, &[1, 0, 1]);
    sim.network.due_to_clients(sim.now);
    // A NAT gives ports of TCP and of UDP apart: somebody else may get the same number.
    sim.with_core(|core, now| core.stream_opened(now, PeerKey::at_door(Dialect::Aecs, changed), StreamId(901)));
    assert!(sim.closed.contains(&StreamId(901)));
    assert_eq!(sim.players(), 1);
    sim.datagram(at, changed, &[1, 0, 1]);
    let pong = sim.network.due_to_clients(sim.now).iter().any(|packet| packet.bytes == [1, 0, 0x82]);
    assert!(pong, "the first one plays on");
}

#[test]
fn c5_a_lobby_port_answers_nobody_who_was_not_at_the_desk() {
    let mut sim = Simulation::new(3, 10);
    sim.join(Dialect::Rfc2020, None);
    sim.run(2);
    let port = *sim.ports.first_key_value().expect("a lobby's port").0;
    let stranger = SocketAddr::from(([127, 0, 0, 9], 10_700));
    // JOIN: TYPE 0, METHOD 12, an empty body, a timestamp.
    let mut join = vec![12];
    join.extend([0; 8]);
    join.extend(1_700_000_000_000_000u64.to_be_bytes());
    let before = sim.counters().dialect(Dialect::Rfc2020).datagrams_out;
    let at = Endpoint::Lobby(Dialect::Rfc2020, port);
    sim.datagram(at, stranger, &join);
    assert_eq!(sim.counters().dialect(Dialect::Rfc2020).datagrams_out, before);
    assert_eq!(sim.players(), 1);
}

#[test]
fn r2_a_late_repeat_of_an_old_join_seats_nobody_and_a_repeated_leave_is_confirmed() {
    let mut sim = Simulation::new(9, 10);
    sim.join(Dialect::Rfc2020, None);
    sim.run(2);
    let at = Endpoint::Lobby(Dialect::Rfc2020, *sim.ports.first_key_value().expect("a lobby's port").0);
    let from = ClientId(300).address();
    let request = |method: u8, body: &[u8]| {
        [&[method][..], &(body.len() as u64).to_be_bytes(), &1_700_000_000_000_000u64.to_be_bytes(), body].concat()
    };
    let (join, leave) = (request(12, &[]), request(13, &1u64.to_be_bytes()));
    sim.datagram(at, from, &join);
    // A few ticks of the node alone: the newcomer is played by hand.
    for _ in 0..3 {
        sim.now = sim.now + TICK;
        sim.with_core(|core, now| core.advance(now));
    }
    assert_eq!(sim.players(), 2);
    for _ in 0..2 {
        sim.network.due_to_clients(sim.now + Duration::from_secs(9));
        sim.datagram(at, from, &leave);
        let answers = sim.network.due_to_clients(sim.now + Duration::from_secs(9));
        assert!(answers.iter().any(|packet| packet.bytes[0] == 0x4d), "LEAVE is confirmed, each time");
        sim.now = sim.now + TICK;
        sim.with_core(|core, now| core.advance(now));
    }
    sim.datagram(at, from, &join);
    assert_eq!(sim.players(), 1, "the host only");
}

#[test]
fn the_maker_of_a_lobby_finds_a_seat_in_it_however_many_come_first() {
    let mut sim = Simulation::new(12, 10);
    let maker = sim.join(Dialect::Rfc2020, None);
    // The lobby is made, but the first JOIN of its maker is lost, and the others are quicker.
    sim.network.conditions = Conditions::SILENT;
    sim.run(1);
    assert_eq!(sim.lobbies().len(), 1);
    sim.network.conditions = Conditions::PERFECT;
    for _ in 0..5 {
        sim.join(Dialect::Snapshot, None);
    }
    sim.run(2);
    assert_eq!(sim.clients[maker.0].session.status(), Status::Playing);
    let seats: Vec<usize> = sim.lobbies().iter().map(|lobby| lobby.players.len()).collect();
    assert_eq!(seats, [4, 2]);
}

#[test]
fn r5_a_lobby_without_a_port_is_not_created() {
    let mut sim = Simulation::new(10, 10);
    sim.ports.extend((24_500..=24_999).map(|port| (port, ShardId(9))));
    sim.join(Dialect::Rfc2020, None);
    sim.run(2);
    assert_eq!(sim.lobbies(), []);
}

#[test]
fn a2_noise_claims_no_session() {
    let mut sim = Simulation::new(11, 10);
    let ann = sim.join(Dialect::Aecs, None);
    sim.clients[ann.0].is_dead = true;
    sim.now = sim.now + Duration::from_millis(1_500);
    let at = Endpoint::Door(Dialect::Aecs);
    let (noisy, true_one) = (ClientId(501).address(), ClientId(502).address());
    sim.datagram(at, noisy, b"zz");
    sim.datagram(at, true_one, &[1, 0, 1]);
    let answered: Vec<ClientId> = sim.network.due_to_clients(sim.now).iter().map(|packet| packet.client).collect();
    assert_eq!(answered, [ClientId(502)]);
}

#[test]
fn c5_public_addresses_are_not_served_where_nothing_proves_them() {
    let mut sim = Simulation::new(4, 10);
    let public = SocketAddr::from(([203, 0, 113, 5], 10_800));
    for dialect in [Dialect::Typeuh, Dialect::Snapshot, Dialect::Rfc53952] {
        let at = Endpoint::Door(dialect);
        sim.datagram(at, public, b"\x02\0\0\0\0\0\0Ann");
    }
    assert_eq!((sim.players(), sim.network.delivered()), (0, 0));
}

#[test]
fn c1_a_full_node_opens_no_more_lobbies() {
    let mut sim = Simulation::new(5, 1);
    for _ in 0..6 {
        sim.join(Dialect::Snapshot, None);
    }
    sim.run(3);
    assert_eq!((sim.players(), sim.lobbies().len()), (4, 1));
}

#[test]
fn one_address_does_not_take_all_seats() {
    let mut settings = settings(5, 100);
    settings.limits.joins_per_address = 1_000;
    let mut sim = Simulation::with_settings(settings, 1);
    for number in 0..300u16 {
        let from = SocketAddr::from(([203, 0, 113, 5], 10_000 + number));
        let stream = StreamId(900 + u64::from(number));
        sim.with_core(|core, now| core.stream_opened(now, PeerKey::at_door(Dialect::Aecs, from), stream));
    }
    assert_eq!((sim.players(), sim.lobbies().len(), sim.closed.len()), (100, 25, 200), "a quarter of all");
    let other = SocketAddr::from(([203, 0, 113, 6], 10_000));
    sim.with_core(|core, now| core.stream_opened(now, PeerKey::at_door(Dialect::Aecs, other), StreamId(1)));
    assert_eq!(sim.players(), 101);
}

#[test]
fn one_address_does_not_make_all_lobbies_and_leave_them_empty() {
    let mut sim = Simulation::new(5, 100);
    // CREATE: TYPE 0, METHOD 1, a body of seven bytes, a timestamp, MAP_NAME.
    let create = [&[1][..], &7u64.to_be_bytes(), &1_700_000_000_000_000u64.to_be_bytes(), b"endless"].concat();
    let mut ask = |number: u64, ip: [u8; 4]| {
        let (stream, from) = (StreamId(900 + number), SocketAddr::from((ip, 10_000 + number as u16)));
        sim.with_core(|core, now| core.stream_opened(now, PeerKey::at_door(Dialect::Rfc2020, from), stream));
        sim.with_core(|core, now| core.stream_bytes(now, stream, &create));
        sim.lobbies().len()
    };
    let opened = (0..30).map(|number| ask(number, [203, 0, 113, 5])).last();
    assert_eq!(opened, Some(25), "a quarter of all; then the oldest goes");
    assert_eq!(ask(30, [203, 0, 113, 6]), 26, "others may");
    for _ in 0..32 {
        sim.now = sim.now + Duration::from_secs(1);
        sim.advance();
    }
    assert_eq!(sim.lobbies().len(), 0);
}

#[test]
fn a_goodbye_that_comes_again_is_answered_again() {
    let mut sim = Simulation::new(6, 10);
    let ann = sim.join(Dialect::Rfc53952, None);
    sim.run(3);
    assert_eq!(sim.players(), 1);
    sim.clients[ann.0].is_dead = true;
    // AdiosServer: Length 15, Type 3, Timestamp 5, Datasize 0.
    let adios = [15, 0, 0, 0, 3, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let at = Endpoint::Door(Dialect::Rfc53952);
    for said in 0..3 {
        sim.network.due_to_clients(sim.now + Duration::from_secs(9));
        sim.datagram(at, ann.address(), &adios);
        let answers = sim.network.due_to_clients(sim.now + Duration::from_secs(9));
        let validated = answers.iter().any(|packet| packet.bytes.get(4) == Some(&10));
        assert!(validated, "said {said} times before");
        sim.run(1);
    }
    assert_eq!(sim.players(), 0);
}

#[test]
fn s4_datagrams_to_a_peer_that_comes_again_from_the_same_address_are_counted_on_whichever_shard_has_them() {
    let mut sim = Simulation::sharded(5, 100, 2);
    let ann = sim.join(Dialect::Snapshot, None);
    sim.run(2);
    sim.clients[ann.0].is_dead = true;
    let at = Endpoint::Door(Dialect::Snapshot);
    let join = |sim: &mut Simulation, from| {
        sim.datagram(at, from, b"\x02\0\0\0\0\0\0Ann");
        sim.deliver();
        let later = sim.now + Duration::from_secs(9);
        let said = sim.network.due_to_clients(later);
        u16::from_be_bytes([said.last().expect("an answer").bytes[1], said.last().expect("an answer").bytes[2]])
    };
    let before = join(&mut sim, ann.address());
    assert!(before > 100, "one a tick, and the answers: {before}");
    sim.close_socket(PeerKey::new(at, ann.address()));
    assert_eq!(sim.players(), 0);
    let after = join(&mut sim, ann.address());
    let passed = before + CLOSED_SOCKET_TICKS;
    assert!((passed - 25..passed + 10).contains(&after), "{after} after {before} and a second");
    assert_eq!(join(&mut sim, ClientId(7).address()), 0, "another address is another peer");
}

#[test]
fn s4_refusals_count_as_datagrams_too() {
    let mut sim = Simulation::new(5, 1);
    let players: Vec<ClientId> = (0..4).map(|_| sim.join(Dialect::Snapshot, None)).collect();
    sim.run(1);
    let (at, late) = (Endpoint::Door(Dialect::Snapshot), ClientId(9).address());
    let join = |sim: &mut Simulation| {
        sim.datagram(at, late, b"\x02\0\0\0\0\0\0Bob");
        let answers = sim.network.due_to_clients(sim.now + Duration::from_secs(9));
        let [_, high, low, .., player_id] = answers.last().expect("an answer").bytes[..] else { panic!("{answers:?}") };
        (u16::from_be_bytes([high, low]), player_id)
    };
    assert_eq!([join(&mut sim), join(&mut sim)], [(0, 255), (1, 255)]);
    let gone = players[2].address();
    sim.clients[players[2].0].is_dead = true;
    sim.close_socket(PeerKey::new(at, gone));
    assert_eq!(join(&mut sim), (2, 2));
}

#[test]
fn c6_hints_end_nobody_who_speaks_and_forged_ones_end_nobody_at_all() {
    let mut sim = Simulation::new(6, 10);
    let ann = sim.join(Dialect::Snapshot, None);
    let bob = sim.join(Dialect::Typeuh, None);
    sim.run(2);
    let (ann_key, bob_key) =
        (PeerKey::at_door(Dialect::Snapshot, ann.address()), PeerKey::at_door(Dialect::Typeuh, bob.address()));
    sim.clients[bob.0].is_dead = true;
    for _ in 0..5 {
        // Ann is there, whatever anybody says; Bob has gone, but nobody who could know says so.
        sim.hint_unreachable(ShardId(0), ann_key);
        let third = Some([192, 0, 2, 1].into());
        let forged = [UnreachableHint::new(third, b""), UnreachableHint::new(Some(bob_key.ip()), b"a guess")];
        forged.into_iter().for_each(|hint| sim.with_core(|core, now| core.unreachable(now, bob_key, hint)));
        sim.run(1);
    }
    assert_eq!(sim.players(), 2);
    sim.close_socket(bob_key);
    assert_eq!(sim.players(), 1);
    assert_eq!(sim.clients[ann.0].session.status(), Status::Playing);
}

#[test]
fn c15_time_that_the_node_itself_lost_is_nobodys_silence() {
    for shards in [1, 2] {
        let mut sim = Simulation::sharded(15, 10, shards);
        for dialect in Dialect::with_ports() {
            sim.join(dialect, None);
        }
        let link = sim.link_asking(1, "Ann", LobbyRequest::Quick);
        sim.run(3);
        let seated = sim.players();
        assert_eq!(seated, 6);
        sim.clients.iter_mut().for_each(|client| client.is_dead = true);
        sim.links[link.0].is_dead = true;
        // The silence before counts, and that after; what lies between does not, however often it happens.
        for _ in 0..3 {
            sim.run(1);
            sim.now = sim.now + Duration::from_secs(3_600);
            sim.advance();
            sim.deliver();
            assert_eq!(sim.players(), seated, "{shards} shards");
        }
        sim.run(3);
        assert_eq!(sim.players(), seated - 3, "aecs, rfc2020 and rfc53952 end after four or five seconds");
    }
}

#[test]
fn c15_while_one_shard_stands_still_nobody_on_another_is_silent() {
    let mut sim = Simulation::sharded(15, 10, 2);
    let join = |sim: &mut Simulation, count: usize| (0..count).for_each(|_| _ = sim.join(Dialect::Rfc53952, None));
    join(&mut sim, 4);
    sim.run(1);
    // Somebody whose port leads to the second shard opens the second lobby there.
    sim.datagram(Endpoint::Door(Dialect::Typeuh), ClientId(901).address(), b"");
    join(&mut sim, 3);
    sim.run(2);
    let (all, runs) = (sim.players(), ShardId(1));
    assert_eq!((all, sim.shards[runs.index()].lobbies()[0].players.len()), (8, 4));
    // The first is not scheduled for ten seconds, and what it should have handed over is with it.
    for _ in 0..600 {
        sim.now = sim.now + TICK;
        sim.with_shard(runs, |core, now| core.advance(now));
    }
    assert_eq!(sim.players(), all);
    sim.advance();
    assert_eq!(sim.players(), all, "nor is anybody on the one that runs again");
}

#[test]
fn c15_a_shard_whose_last_peer_has_gone_sleeps_and_nobodys_silence_is_forgotten_for_it() {
    let mut sim = Simulation::sharded(15, 10, 2);
    let players = [(); 2].map(|()| sim.join(Dialect::Rfc53952, None));
    sim.run(2);
    let hosts = |shard: &ShardId| !sim.shards[shard.index()].lobbies().is_empty();
    let runs = [ShardId(0), ShardId(1)].into_iter().find(hosts).expect("a lobby");
    let sleeps = ShardId(1 - runs.0);
    let at = Endpoint::Door(Dialect::Rfc53952);
    let gone = players.into_iter().find(|player| sim.shard_of(at, player.address()) == sleeps).expect("two ports");
    sim.clients[gone.0].is_dead = true;
    let mut ticks = 0;
    while sim.shards[sleeps.index()].next_due().is_some() {
        sim.tick();
        ticks += 1;
        assert!(ticks < 600, "the shard keeps a peer that is gone");
    }
    assert_eq!(sim.players(), 1);
    // The shard sleeps from here on, and the other player says nothing more.
    sim.with_shard(sleeps, |core, now| assert_eq!(core.begin_rest(now), None));
    for _ in 0..600 {
        sim.now = sim.now + TICK;
        sim.with_shard(runs, |core, now| core.advance(now));
    }
    assert_eq!(sim.players(), 0, "four seconds of silence have ended the session");
}

#[test]
fn c13_a_flood_from_one_address_is_dropped_unanswered_and_counted_and_loopback_is_not_limited() {
    let mut sim = Simulation::new(13, 1);
    let at = Endpoint::Door(Dialect::Snapshot);
    let flood = |sim: &mut Simulation, ip: [u8; 4]| {
        (0..5_000).for_each(|port| sim.datagram(at, SocketAddr::from((ip, 10_000 + port)), b"\x02\0\0\0\0\0\0Eve"));
        let answered = sim.network.due_to_clients(sim.now + Duration::from_secs(9)).len();
        let counters = sim.counters();
        let limited = counters.dialect(Dialect::Snapshot).drops().find(|(why, _)| *why == Drop::RateLimited);
        (answered, limited.map_or(0, |(_, count)| count))
    };
    assert_eq!(flood(&mut sim, [127, 0, 0, 1]), (5_000, 0), "every JOIN is answered: four seats, and 255");
    assert_eq!(flood(&mut sim, [192, 168, 1, 7]), (32, 4_968), "a burst of JOINs is answered");
    assert_eq!(flood(&mut sim, [192, 168, 1, 8]), (32, 2 * 4_968), "another address has a burst of its own");
    sim.now = sim.now + Duration::from_secs(1);
    assert_eq!(flood(&mut sim, [192, 168, 1, 7]).0, 16);
}

#[test]
fn c15_after_a_stop_timestamps_are_those_of_the_clock_again() {
    let mut sim = Simulation::new(15, 10);
    let ann = sim.join(Dialect::Rfc53952, None);
    sim.run(2);
    sim.now = sim.now + Duration::from_secs(3_600);
    sim.advance();
    sim.deliver();
    sim.run(2);
    let packet = &sim.last_sent[&PeerKey::at_door(Dialect::Rfc53952, ann.address())];
    // Length u32, Type u8, Timestamp u64 in seconds since 1970, little-endian (ruling F1).
    let timestamp = u64::from_le_bytes(packet[5..13].try_into().expect("a header"));
    assert!(sim.now.seconds().abs_diff(timestamp) <= 1, "{timestamp} at {}", sim.now.seconds());
}
