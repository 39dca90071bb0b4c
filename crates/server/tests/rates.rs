//! What one address may send in a second (ruling C13), at every door, under a seed; and that nobody who forges an address takes it
//! from whoever has it.

mod simulated;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use protocol::{
    Dialect, LobbyRequest, Refusal, Status, Token,
    rfc2020::wire::{FromClient, Message},
};
use server::core::{Drop, Endpoint, PeerKey, ShardId, StreamId};
use simulated::{ClientId, Simulation, linked::LinkId, settings};

/// An address outside the host's own networks, and one inside.
const STRANGER: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 9));
const NEIGHBOUR: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 7);

/// More than an address may send at once.
const FLOOD_BYTES: usize = 5_000_000;

fn limited(sim: &Simulation, dialect: Dialect) -> u64 {
    let counters = sim.counters();
    let of_dialect = counters.dialects().filter(|(other, _)| *other == dialect);
    let drops = of_dialect.flat_map(|(_, counters)| counters.drops());
    drops.filter(|(reason, _)| *reason == Drop::RateLimited).map(|(_, count)| count).sum()
}

fn neighbour(port: u16) -> SocketAddr {
    SocketAddr::from((NEIGHBOUR, port))
}

#[test]
fn c13_of_sixty_joins_of_one_address_in_half_a_second_not_all_are_seated() {
    for shards in [1, 3] {
        let mut sim = Simulation::sharded(7, 60, shards);
        for number in 0..60 {
            sim.datagram(Endpoint::Door(Dialect::Typeuh), neighbour(10_100 + number), b"");
            sim.deliver();
            if number % 2 == 1 {
                sim.tick();
            }
        }
        // Two seconds' worth, and what half a second earns.
        assert!((32..=40).contains(&sim.players()), "{}", sim.players());
        assert_eq!(sim.players() as u64 + limited(&sim, Dialect::Typeuh), 60);
    }
}

#[test]
fn c13_requests_for_a_seat_over_a_link_are_limited_and_a_token_is_not() {
    let mut sim = Simulation::new(7, 10);
    let ann = sim.link_from(STRANGER, "Ann");
    sim.ask(ann, LobbyRequest::Quick);
    (0..4).for_each(|_| sim.tick());
    let token = sim.at(ann).seated().expect("a seat").2;
    let guesses: Vec<LinkId> = (0..60).map(|_| sim.link_from(STRANGER, "Eve")).collect();
    guesses.iter().for_each(|eve| sim.ask(*eve, LobbyRequest::Rejoin { token: Token([9; 16]) }));
    (0..4).for_each(|_| sim.tick());
    let too_fast = guesses.iter().filter(|eve| sim.at(**eve).refused() == [Refusal::TooFast]).count();
    assert!((27..=31).contains(&too_fast), "{too_fast}");
    assert_eq!(too_fast as u64, limited(&sim, Dialect::Volley));
    sim.lose(ann);
    let back = sim.link_from(STRANGER, "Ann");
    sim.ask(back, LobbyRequest::Rejoin { token });
    (0..4).for_each(|_| sim.tick());
    assert!(sim.at(back).seated().is_some(), "{:?}", sim.at(back).refused());
}

#[test]
fn c13_bytes_over_the_stream_that_opened_a_session_are_limited() {
    let mut sim = Simulation::new(7, 10);
    let peer = PeerKey::new(Endpoint::Door(Dialect::Aecs), SocketAddr::new(STRANGER, 10_100));
    let stream = StreamId(40);
    sim.with_core(|core, now| core.stream_opened(now, peer, stream));
    for _ in 0..FLOOD_BYTES / 1_000 {
        sim.with_core(|core, now| core.stream_bytes(now, stream, &[0; 1_000]));
    }
    assert!(limited(&sim, Dialect::Aecs) > 0 && sim.closed.contains(&stream));
}

#[test]
fn c13_bytes_over_the_stream_of_a_link_are_limited_and_the_link_is_closed() {
    let mut sim = Simulation::new(7, 10);
    let ann = sim.link_from(STRANGER, "Ann");
    sim.ask(ann, LobbyRequest::Quick);
    (0..4).for_each(|_| sim.tick());
    for _ in 0..FLOOD_BYTES / 1_000 {
        sim.with_core(|core, now| core.link_bytes(now, ann.stream(), &[0xff; 1_000]));
    }
    assert_eq!(limited(&sim, Dialect::Volley), 1, "then it is not heard any more");
    assert!(sim.closed.contains(&ann.stream()));
}

#[test]
fn c13_nobody_who_forges_a_players_address_takes_anything_from_that_player() {
    let mut sim = Simulation::sharded(7, 10, 3);
    let door = Endpoint::Door(Dialect::Typeuh);
    sim.datagram(door, neighbour(10_100), b"");
    sim.deliver();
    assert_eq!(sim.players(), 1);
    for port in 0..FLOOD_BYTES / 1_000 {
        sim.datagram(door, neighbour(10_200 + port as u16), &[0xff; 1_000]);
    }
    let before = limited(&sim, Dialect::Typeuh);
    assert!(before > 0, "the flood is dropped");
    (0..30).for_each(|_| sim.datagram(door, neighbour(10_100), &[0xff; 12]));
    sim.deliver();
    assert_eq!(limited(&sim, Dialect::Typeuh), before, "what the player says is heard");
}

#[test]
fn c13_nobody_who_forges_an_address_keeps_it_from_a_lobby_port() {
    let mut settings = settings(7, 10);
    settings.limit_loopback = true;
    let mut sim = Simulation::with_settings(settings, 1);
    let ann = sim.join(Dialect::Rfc2020, None);
    sim.run(1);
    let port = *sim.ports.keys().next().expect("a lobby");
    let mut join = Vec::new();
    Message { creation_timestamp: 1, body: FromClient::Join }.write(&mut join);
    let at_port = Endpoint::Lobby(Dialect::Rfc2020, port);
    // Bob has not been at the desk yet. Eve writes his address at the port, and at a door that cannot prove one.
    let bob = SocketAddr::from(([127, 0, 0, 1], 10_700));
    for number in 0..500 {
        let forged = SocketAddr::from(([127, 0, 0, 1], 20_000 + number));
        sim.datagram(Endpoint::Door(Dialect::Snapshot), forged, &[0; 20]);
    }
    assert!(limited(&sim, Dialect::Snapshot) > 0);
    sim.datagram(at_port, bob, &join);
    sim.deliver();
    assert_eq!((sim.players(), limited(&sim, Dialect::Rfc2020)), (2, 0));
    let _ = ann;
}

#[test]
fn c13_at_a_lobby_port_whoever_was_not_at_the_desk_uses_nothing_up() {
    let mut sim = Simulation::new(7, 10);
    let ann = sim.join(Dialect::Rfc2020, None);
    sim.run(1);
    assert_eq!(sim.clients[ann.0].session.status(), Status::Playing);
    let port = *sim.ports.keys().next().expect("a lobby");
    let at_port = Endpoint::Lobby(Dialect::Rfc2020, port);
    (0..2_000).for_each(|number| sim.datagram(at_port, SocketAddr::new(STRANGER, 10_100 + number), &[0; 17]));
    assert_eq!(limited(&sim, Dialect::Rfc2020), 0, "each is dropped because it is not proved");
    assert_eq!(sim.shards[ShardId(0).index()].lobbies()[0].players.len(), 1);
    assert_eq!(ClientId(0), ann);
}

#[test]
fn c13_desks_of_one_address_in_a_second_are_limited_and_one_that_is_gone_leaves_nothing_to_look_at() {
    let mut settings = settings(7, 10);
    settings.limit_loopback = true;
    let mut sim = Simulation::with_settings(settings, 1);
    let peer = PeerKey::at_door(Dialect::Rfc2020, ClientId(0).address());
    (0..100).for_each(|number| sim.with_core(|core, now| core.stream_opened(now, peer, StreamId(number))));
    assert_eq!((limited(&sim, Dialect::Rfc2020), sim.closed.len()), (36, 36));
    sim.now = sim.now + std::time::Duration::from_secs(1);
    (100..200).for_each(|number| sim.with_core(|core, now| core.stream_opened(now, peer, StreamId(number))));
    assert_eq!(limited(&sim, Dialect::Rfc2020), 36 + 84);
    assert!(sim.shards[0].next_timeout().is_some());
    (0..200).for_each(|number| sim.with_core(|core, now| core.stream_closed(now, StreamId(number))));
    assert_eq!(sim.shards[0].next_timeout(), None);
}
