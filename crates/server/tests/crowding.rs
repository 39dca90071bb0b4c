//! Nobody keeps others out of the seats of a node: no host of a lobby, nobody who forges addresses, nobody without a private code.

mod simulated;

use std::{
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use game::{Rules, Seat};
use protocol::{
    Dialect, LobbyId, LobbyRequest, Refusal, Status,
    rfc2020::wire::{FromClient, MapName, Message},
};
use server::core::{Endpoint, PeerKey, Settings, StreamId};
use simulated::{ClientId, Simulation, TICK, linked::LinkId, settings};

const JOIN: &[u8] = b"\x02\0\0\0\0\0\0Bob";

fn create(is_private: bool) -> LobbyRequest {
    LobbyRequest::Create { stage: "endless".into(), rules: Rules::default(), is_private }
}

/// Lets the node run without its clients.
fn run_alone(sim: &mut Simulation, ms: u128) {
    let began = sim.now;
    while sim.now.since(began).as_millis() < ms {
        sim.now = sim.now + TICK;
        sim.advance();
        sim.deliver();
        sim.network.due_to_clients(sim.now);
    }
}

#[test]
fn a_player_whom_the_host_of_a_lobby_kicked_finds_a_seat_elsewhere_and_so_do_others_of_the_same_address() {
    for shards in [1, 3] {
        let mut sim = Simulation::sharded(11, 10, shards);
        let ann = sim.link_asking(0, "Ann", create(false));
        let (bob, other) = (ClientId(300), ClientId(301));
        let door = Endpoint::Door(Dialect::Snapshot);
        sim.datagram(door, bob.address(), JOIN);
        run_alone(&mut sim, 200);
        assert_eq!((sim.lobbies().len(), sim.players()), (1, 2));
        sim.ask(ann, LobbyRequest::Kick { seat: Seat::ALL[1] });
        sim.run(1);
        assert_eq!(sim.players(), 1);
        for client in [bob, other] {
            sim.datagram(door, client.address(), JOIN);
            run_alone(&mut sim, 50);
        }
        let players: Vec<usize> = sim.lobbies().iter().map(|lobby| lobby.players.len()).collect();
        assert_eq!(players, [1, 2], "in another lobby, {shards} shards");
    }
}

/// A host who kicks all who come, with players of several addresses, and one lobby after the other.
#[test]
fn a_host_who_kicks_everybody_is_soon_sent_nobody_and_everybody_plays_elsewhere() {
    for (shards, lobbies) in [(1, 1), (1, 3), (3, 2)] {
        let mut sim = Simulation::sharded(11, 40, shards);
        let door = Endpoint::Door(Dialect::Snapshot);
        let (mut kicked, ann, mut made) = (0, sim.link_asking(0, "Ann", create(false)), 1);
        let victims: Vec<SocketAddr> = (0..40).map(|network| SocketAddr::from(([10, network, 7, 1], 12_000))).collect();
        // Twice: who was kicked first comes again.
        for (number, victim) in victims.iter().chain(&victims).enumerate() {
            sim.datagram(door, *victim, JOIN);
            run_alone(&mut sim, 50);
            let code = sim.at(ann).seated().expect("a seat").0;
            let seats = |sim: &Simulation| {
                sim.lobbies().iter().find(|it| it.id == code.to_string()).map_or(0, |it| it.players.len())
            };
            if seats(&sim) > 1 {
                kicked += 1;
                sim.ask(ann, LobbyRequest::Kick { seat: Seat::ALL[1] });
                sim.run(1);
                assert_eq!(seats(&sim), 1, "{number}");
            }
            if made < lobbies && number >= 10 * made {
                sim.ask(ann, LobbyRequest::LeaveLobby);
                sim.run(1);
                sim.ask(ann, create(false));
                sim.run(1);
                made += 1;
            }
            // It is answered where it is now, or gets another seat.
            sim.datagram(door, *victim, JOIN);
            run_alone(&mut sim, 50);
        }
        assert_eq!(kicked, 4, "{lobbies} lobbies, {shards} shards");
        assert_eq!(sim.players(), 1 + victims.len(), "all of them play elsewhere");
    }
}

/// Sends what takes a seat at each door that cannot prove an address, from many addresses.
fn ask_at_unproved_doors(sim: &mut Simulation, sources: u16) {
    let mut hi_server = Vec::new();
    let hi = protocol::rfc53952::wire::FromClient::HiServer;
    protocol::rfc53952::wire::Packet { timestamp: 1, data: hi }.write(&mut hi_server);
    for source in 0..sources {
        let from = SocketAddr::from(([10, (source >> 8) as u8, source as u8, 1], 12_000));
        for (dialect, bytes) in
            [(Dialect::Typeuh, &b""[..]), (Dialect::Snapshot, JOIN), (Dialect::Rfc53952, &hi_server)]
        {
            sim.datagram(Endpoint::Door(dialect), from, bytes);
        }
    }
    sim.deliver();
}

#[test]
fn c14_those_who_cannot_prove_their_address_leave_a_quarter_of_the_seats_to_those_who_can() {
    for shards in [1, 3] {
        let mut sim = Simulation::sharded(14, 10, shards);
        for _ in 0..4 {
            ask_at_unproved_doors(&mut sim, 100);
            run_alone(&mut sim, 150);
        }
        assert_eq!(sim.players(), 30, "three quarters of 40, {shards} shards");
        let clients = [Dialect::Aecs, Dialect::Rfc2020].map(|dialect| sim.join(dialect, None));
        let link = sim.link_asking(0, "Ann", LobbyRequest::Quick);
        sim.run(2);
        for client in clients {
            assert_eq!(sim.clients[client.0].session.status(), Status::Playing, "{client:?}");
        }
        assert!(sim.at(link).seated().is_some(), "{:?}", sim.at(link).refused());
    }
}

#[test]
fn a_small_node_seats_players_of_any_dialect_in_all_its_seats() {
    for dialect in [Dialect::Typeuh, Dialect::Snapshot, Dialect::Rfc53952] {
        let mut sim = Simulation::new(14, 1);
        let players: [ClientId; 4] = std::array::from_fn(|_| sim.join(dialect, None));
        sim.run(2);
        for player in players {
            assert_eq!(sim.clients[player.0].session.status(), Status::Playing, "{}", dialect.name());
        }
    }
}

#[test]
fn c14_a_seat_yields_at_the_port_of_its_lobby_however_many_older_ones_there_are() {
    let mut sim = Simulation::new(14, 40);
    // 80 seats, the half of all, are as many as single datagrams may take at one door.
    for (dialect, bytes) in [(Dialect::Typeuh, &b""[..]), (Dialect::Snapshot, JOIN)] {
        for source in 0..80 {
            let from = SocketAddr::from(([10, dialect as u8, source, 1], 12_000));
            sim.datagram(Endpoint::Door(dialect), from, bytes);
        }
    }
    let taken = sim.players();
    (taken..160).for_each(|_| _ = sim.join(Dialect::Aecs, None));
    sim.run(4);
    assert_eq!(sim.players(), 160, "the node is full");
    let last = sim.lobbies().into_iter().rfind(|lobby| {
        lobby.players.iter().all(|player| player.kind.dialect() == Some(Dialect::Snapshot)) && lobby.players.len() == 4
    });
    let last = last.expect("a lobby of those who may not be there").id;
    let ann = sim.join(Dialect::Rfc2020, Some(last));
    sim.run(2);
    assert_eq!(sim.clients[ann.0].session.status(), Status::Playing);
}

/// A message of `rfc2020`, as a client of any address says it.
fn message(number: u64, body: FromClient) -> Vec<u8> {
    let mut bytes = Vec::new();
    Message { creation_timestamp: number, body }.write(&mut bytes);
    bytes
}

/// Asks for a lobby at the desk, which proves the address.
fn ask_at_desk(sim: &mut Simulation, from: SocketAddr, number: u64, lobby_id: LobbyId) {
    let (peer, stream) = (PeerKey::at_door(Dialect::Rfc2020, from), StreamId(900 + number));
    sim.with_core(|core, now| core.stream_opened(now, peer, stream));
    let ask = message(number, FromClient::AskJoin { lobby_id });
    sim.with_core(|core, now| core.stream_bytes(now, stream, &ask));
    sim.deliver();
}

#[test]
fn nobody_is_seated_in_a_private_lobby_at_its_port_without_having_named_its_code() {
    for shards in [1, 3] {
        let mut sim = Simulation::sharded(11, 10, shards);
        let ann = sim.link_asking(0, "Ann", create(true));
        let (code, ..) = sim.at(ann).seated().expect("a seat");
        let bob = sim.join(Dialect::Rfc2020, Some(code.to_string()));
        sim.run(2);
        assert_eq!(sim.clients[bob.0].session.status(), Status::Playing, "Bob was told the code");
        let port = Endpoint::Lobby(Dialect::Rfc2020, *sim.ports.keys().next().expect("a lobby"));
        let eve = SocketAddr::from(([10, 0, 0, 66], 12_000));
        ask_at_desk(&mut sim, eve, 1, LobbyId::from_number(7));
        sim.datagram(port, eve, &message(2, FromClient::Join));
        sim.deliver();
        assert_eq!(sim.players(), 2, "Eve only found the port");
        let (_, answer) = sim.last_sent.iter().find(|(key, _)| key.address == eve).expect("she is refused");
        assert!(answer.windows(8).any(|id| id == [0xff; 8]), "R6: {answer:?}");
        ask_at_desk(&mut sim, eve, 3, code);
        sim.datagram(port, eve, &message(4, FromClient::Join));
        sim.deliver();
        assert_eq!(sim.players(), 3, "now she knows the code");
    }
}

#[test]
fn c15_time_that_the_node_lost_makes_no_provisional_seat_yield() {
    let mut sim = Simulation::new(14, 1);
    let door = Endpoint::Door(Dialect::Snapshot);
    for taker in (300..304).map(ClientId) {
        sim.datagram(door, taker.address(), JOIN);
    }
    run_alone(&mut sim, 200);
    // The node is stopped.
    sim.now = sim.now + Duration::from_secs(10);
    run_alone(&mut sim, 200);
    let eve = ClientId(310);
    for _ in 0..3 {
        sim.datagram(door, eve.address(), JOIN);
        run_alone(&mut sim, 150);
    }
    let is_seated = |sim: &Simulation, client: ClientId| {
        let sessions = sim.shards.iter().flat_map(server::core::Core::sessions);
        sessions.into_iter().any(|session| session.address == client.address())
    };
    assert!(!is_seated(&sim, eve), "for three seconds they are seats like any other");
    run_alone(&mut sim, 3_000);
    for _ in 0..3 {
        sim.datagram(door, eve.address(), JOIN);
        run_alone(&mut sim, 150);
    }
    assert!(is_seated(&sim, eve));
}

/// Makes a lobby at the desk, and never comes to it.
fn create_at_desk(sim: &mut Simulation, from: SocketAddr, number: u64) {
    let (peer, stream) = (PeerKey::at_door(Dialect::Rfc2020, from), StreamId(900 + number));
    sim.with_core(|core, now| core.stream_opened(now, peer, stream));
    let create = message(number, FromClient::Create { map_name: MapName::new("endless").expect("a name") });
    sim.with_core(|core, now| core.stream_bytes(now, stream, &create));
    sim.deliver();
}

#[test]
fn c13_lobbies_that_nobody_plays_in_give_their_ports_to_others() {
    for shards in [1, 3] {
        // tidy: allow(ports) nothing is opened
        let few = Settings { lobby_ports: 24_500..=24_503, ..settings(11, 100) };
        let mut sim = Simulation::with_settings(few, shards);
        for number in 0..12 {
            create_at_desk(&mut sim, SocketAddr::from(([10, 0, number, 7], 12_000)), u64::from(number));
        }
        for players in 1..=3 {
            sim.join(Dialect::Rfc2020, None);
            sim.run(1);
            assert_eq!(sim.players(), players, "{shards} shards");
        }
    }
}

#[test]
fn c15_the_maker_of_a_lobby_keeps_the_seat_through_time_that_the_node_lost() {
    let mut sim = Simulation::new(14, 1);
    let maker = SocketAddr::from(([10, 0, 0, 7], 12_000));
    let (peer, stream) = (PeerKey::at_door(Dialect::Rfc2020, maker), StreamId(900));
    sim.with_core(|core, now| core.stream_opened(now, peer, stream));
    let create = message(1, FromClient::Create { map_name: MapName::new("endless").expect("a name") });
    sim.with_core(|core, now| core.stream_bytes(now, stream, &create));
    assert_eq!(sim.ports.len(), 1);
    sim.now = sim.now + Duration::from_secs(20);
    run_alone(&mut sim, 50);
    for taker in (300..304).map(ClientId) {
        sim.datagram(Endpoint::Door(Dialect::Snapshot), taker.address(), JOIN);
    }
    let port = Endpoint::Lobby(Dialect::Rfc2020, *sim.ports.keys().next().expect("a lobby"));
    sim.datagram(port, maker, &message(2, FromClient::Join));
    let dialects: Vec<_> = sim.lobbies()[0].players.iter().filter_map(|player| player.kind.dialect()).collect();
    assert_eq!((dialects.len(), dialects.contains(&Dialect::Rfc2020)), (4, true), "{dialects:?}");
}

#[test]
fn c13_one_address_takes_a_quarter_of_the_watchers_places_at_most() {
    let mut sim = Simulation::new(11, 10);
    let ann = sim.link_asking(0, "Ann", create(false));
    let (code, ..) = sim.at(ann).seated().expect("a seat");
    let stranger = IpAddr::from([203, 0, 113, 9]);
    let crowd: Vec<LinkId> = (0..20).map(|_| sim.link_from(stranger, "Eve")).collect();
    crowd.iter().for_each(|eve| sim.ask(*eve, LobbyRequest::Watch { code }));
    sim.run(1);
    let refused = crowd.iter().filter(|eve| sim.at(**eve).refused() == [Refusal::Full]).count();
    assert_eq!(refused, 12, "8 of 32 are an address's share");
    let bob = sim.link_asking(0, "Bob", LobbyRequest::Watch { code });
    assert_eq!(sim.at(bob).refused(), []);
}
