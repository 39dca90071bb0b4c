//! What one address, one network, one door or one player may have and send (rulings C5 and C13), under a seed.

mod simulated;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use game::Rules;
use protocol::{
    Dialect, LobbyRequest,
    rfc2020::wire::{FromClient, Message},
};
use server::core::{Drop, Endpoint, PeerKey, Settings, ShardId};
use simulated::{ClientId, Simulation, linked::LinkId, settings};

/// An address outside the host's own networks.
const STRANGER: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 9));

fn dropped(sim: &Simulation, why: Drop) -> u64 {
    let counters = sim.counters();
    let drops = counters.dialects().flat_map(|(_, counters)| counters.drops());
    drops.filter(|(reason, _)| *reason == why).map(|(_, count)| count).sum()
}

fn some_ticks(sim: &mut Simulation) {
    (0..8).for_each(|_| sim.tick());
}

fn create(sim: &mut Simulation, link: LinkId) {
    let (stage, rules) = ("endless".into(), Rules::default());
    sim.ask(link, LobbyRequest::Create { stage, rules, is_private: true });
    some_ticks(sim);
}

/// Somebody else can still make a lobby, and nothing of what was closed for it is left behind.
fn assert_there_is_room(sim: &mut Simulation, lobbies_max: usize) {
    let bob = sim.link(2, "Bob");
    create(sim, bob);
    assert!(sim.at(bob).seated().is_some(), "{:?}", sim.at(bob).refused());
    assert!(sim.lobbies().len() <= lobbies_max, "{}", sim.lobbies().len());
}

#[test]
fn c13_creating_and_leaving_lobbies_by_turns_fills_no_node() {
    for shards in [1, 3] {
        let mut sim = Simulation::sharded(7, 20, shards);
        let ann = sim.link(1, "Ann");
        for _ in 0..60 {
            create(&mut sim, ann);
            sim.ask(ann, LobbyRequest::LeaveLobby);
            some_ticks(&mut sim);
        }
        assert_eq!(sim.at(ann).refused(), []);
        assert_there_is_room(&mut sim, 20);
    }
}

#[test]
fn c13_lobbies_whose_only_player_is_away_make_room_for_others() {
    for shards in [1, 3] {
        let mut sim = Simulation::sharded(7, 20, shards);
        for number in 0..40 {
            let link = sim.link(number, "Ann");
            create(&mut sim, link);
            assert!(sim.at(link).seated().is_some(), "{number}");
            sim.lose(link);
            some_ticks(&mut sim);
        }
        assert_there_is_room(&mut sim, 20);
    }
}

#[test]
fn c13_a_lobby_that_somebody_plays_in_makes_no_room() {
    let mut sim = Simulation::sharded(7, 4, 3);
    let links: Vec<LinkId> = (0..5).map(|number| sim.link(number, "Ann")).collect();
    links.iter().for_each(|link| create(&mut sim, *link));
    let seated = links.iter().filter(|link| sim.at(**link).seated().is_some()).count();
    assert_eq!((seated, sim.at(links[4]).refused().len()), (4, 1));
}

#[test]
fn c13_lobbies_of_one_address_leave_room_though_somebody_plays_in_each() {
    for shards in [1, 3] {
        // Of 48 seats, as many as twelve lobbies have, an address may hold 16 if it is not ours: four lobbies.
        let mut sim = Simulation::sharded(7, 12, shards);
        let strangers: Vec<LinkId> = (0..8).map(|_| sim.link_from(STRANGER, "Ann")).collect();
        strangers.iter().for_each(|link| create(&mut sim, *link));
        let seated = strangers.iter().filter(|link| sim.at(**link).seated().is_some()).count();
        assert_eq!((seated, sim.lobbies().len()), (4, 4));
        assert_there_is_room(&mut sim, 12);
    }
}

#[test]
fn c13_a_lobby_that_made_room_gives_its_port_back() {
    let mut sim = Simulation::sharded(7, 20, 3);
    for _ in 0..40 {
        let asks = sim.join(Dialect::Rfc2020, None);
        some_ticks(&mut sim);
        some_ticks(&mut sim);
        sim.clients[asks.0].session.leave(sim.now);
        some_ticks(&mut sim);
        sim.clients[asks.0].is_dead = true;
    }
    assert!(sim.lobbies().len() <= 20 && sim.ports.len() <= 20, "{}", sim.ports.len());
    let ann = sim.join(Dialect::Rfc2020, None);
    sim.run(2);
    assert!(sim.clients[ann.0].session.seat().is_some());
}

#[test]
fn c13_a_flood_of_one_player_is_dropped_and_the_player_plays_on() {
    for dialect in Dialect::with_ports().filter(|dialect| *dialect != Dialect::Rfc2020) {
        let mut sim = Simulation::new(7, 10);
        let ann = sim.join(dialect, None);
        sim.run(2);
        (0..20_000).for_each(|_| sim.datagram(Endpoint::Door(dialect), ann.address(), &[0x11; 12]));
        assert!(dropped(&sim, Drop::Flooded) > 15_000, "{}: {}", dialect.name(), dropped(&sim, Drop::Flooded));
        sim.run(6);
        assert_eq!(sim.players(), 1, "{}", dialect.name());
        assert_eq!(sim.clients[ann.0].session.status(), protocol::Status::Playing, "{}", dialect.name());
    }
}

fn with(limits: impl FnOnce(&mut Settings), shards: u8) -> Simulation {
    let mut settings = settings(7, 10);
    limits(&mut settings);
    Simulation::with_settings(settings, shards)
}

#[test]
fn c13_an_address_has_its_share_of_seats_and_no_more_whichever_shard_it_comes_to() {
    let mut sim = with(|settings| settings.limits.seats_per_address = Some(3), 3);
    let clients: Vec<ClientId> = (0..5).map(|_| sim.join(Dialect::Snapshot, None)).collect();
    sim.run(2);
    assert_eq!(sim.players(), 3);
    assert!(dropped(&sim, Drop::ShareTaken) >= 2);
    let link = sim.link(0, "Ann");
    create(&mut sim, link);
    assert!(sim.at(link).seated().is_none(), "over a link neither");
    let elsewhere = SocketAddr::from(([10, 0, 0, 7], 12_000));
    sim.datagram(Endpoint::Door(Dialect::Typeuh), elsewhere, b"");
    sim.deliver();
    assert_eq!((sim.players(), clients.len()), (4, 5), "another address has its own");
}

#[test]
fn c14_single_datagrams_at_one_door_take_half_of_the_seats_at_most() {
    let mut sim = Simulation::new(7, 10);
    for number in 0..100 {
        let from = SocketAddr::from(([10, 0, number, 1], 12_000));
        sim.datagram(Endpoint::Door(Dialect::Typeuh), from, b"");
    }
    assert_eq!(sim.players(), 20);
    let ann = sim.join(Dialect::Aecs, None);
    sim.run(1);
    assert_eq!(sim.clients[ann.0].session.status(), protocol::Status::Playing);
}

#[test]
fn c5_a_private_source_from_outside_the_hosts_networks_is_not_served_and_speaks_for_no_neighbour() {
    let mut sim = Simulation::new(7, 10);
    let neighbour = PeerKey::at_door(Dialect::Typeuh, SocketAddr::from(([192, 168, 1, 5], 12_000)));
    let forged = PeerKey { is_neighbour: false, ..neighbour };
    sim.with_core(|core, now| core.datagram(now, forged, b""));
    assert_eq!((sim.players(), dropped(&sim, Drop::NotOwnNetwork)), (0, 1));
    sim.with_core(|core, now| core.datagram(now, neighbour, b""));
    assert_eq!(sim.players(), 1);
    sim.with_core(|core, now| core.datagram(now, forged, &[0x7f; 20]));
    assert_eq!((sim.players(), dropped(&sim, Drop::NotOwnNetwork)), (1, 2), "nor can it say anything in its name");
}

/// Bytes that were sent to a peer in the session that it has now.
fn sent_to(sim: &Simulation, peer: SocketAddr) -> (u64, bool) {
    let sessions = sim.shards.iter().flat_map(server::core::Core::sessions);
    let session = sessions.into_iter().find(|session| session.address == peer).expect("a session");
    (session.bytes_out, session.is_proved)
}

#[test]
fn c5_another_port_of_a_proved_address_gets_three_times_what_it_sent_until_it_confirms_something() {
    let mut sim = Simulation::new(7, 10);
    let ann = sim.join(Dialect::Rfc2020, None);
    sim.run(3);
    assert!(sent_to(&sim, ann.address()).1, "who confirms is proved");
    let port = *sim.ports.keys().next().expect("a lobby");
    let other = ClientId(900).address();
    let mut join = Vec::new();
    Message { creation_timestamp: 1, body: FromClient::Join }.write(&mut join);
    sim.datagram(Endpoint::Lobby(Dialect::Rfc2020, port), other, &join);
    for _ in 0..180 {
        sim.tick();
    }
    let (sent, is_proved) = sent_to(&sim, other);
    assert!(sent > 0 && sent <= 3 * join.len() as u64 && !is_proved, "{sent}");
    // There is something to say in every third tick at least.
    assert!(dropped(&sim, Drop::HeldBack) > 60, "{}", dropped(&sim, Drop::HeldBack));
    assert_eq!(sim.shards[ShardId(0).index()].lobbies()[0].players.len(), 2);
}

#[test]
fn r7_a_player_who_says_nothing_after_join_is_told_game_state_4_within_three_times_what_was_sent() {
    let mut sim = Simulation::new(7, 10);
    let ann = sim.join(Dialect::Rfc2020, None);
    let door = sim.clients[ann.0].port;
    while sim.clients[ann.0].port == door {
        sim.tick();
    }
    // The JOIN is on its way.
    sim.clients[ann.0].is_dead = true;
    sim.run(4);
    let (sent, is_proved) = sent_to(&sim, ann.address());
    assert_eq!((is_proved, sent > 0), (false, true), "{sent}");
    sim.run(2);
    assert_eq!(sim.players(), 0);
    let peer = |key: &PeerKey| matches!(key.endpoint, Endpoint::Lobby(..)) && key.address == ann.address();
    let (_, last) = sim.last_sent.iter().find(|(key, _)| peer(key)).expect("something was sent");
    assert_eq!((last[0], last[17..].to_vec()), (2, vec![4]), "GAME_STATE 4");
    // JOIN, and ASK_JOIN or CREATE before it.
    assert!(sent + last.len() as u64 <= 3 * (17 + 17 + 7), "{sent}");
}
