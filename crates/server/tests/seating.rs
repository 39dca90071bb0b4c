//! Which seats are given to whom: in games that are over, on full nodes, and to peers that may not be there at all.

mod simulated;

use std::{
    fmt::{Debug, Write},
    sync::{Arc, Mutex},
};

use game::{GameState, Seat};
use protocol::{Dialect, End, LobbyId, LobbyRequest, Pace, Refusal, Status};
use server::core::{Endpoint, Order, PeerKey, ShardId, StreamId};
use simulated::{ClientId, Simulation};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

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
fn a_player_who_lost_and_wants_to_start_plays_again_at_once() {
    let mut sim = Simulation::sharded(42, 10, 2);
    let ann = sim.link_asking(0, "Ann", LobbyRequest::Quick);
    sim.run(1);
    sim.ask(ann, LobbyRequest::Start);
    while sim.lobbies()[0].state != GameState::Lost {
        sim.tick();
        assert!(sim.now.since(simulated::START).as_secs() < 600, "nobody loses");
    }
    sim.ask(ann, LobbyRequest::Start);
    (0..10).for_each(|_| sim.tick());
    assert_eq!(sim.lobbies()[0].state, GameState::Running, "long before six seconds have passed");
    assert_eq!(sim.records.len(), 1, "the lost game is recorded all the same");
}

#[test]
fn a_name_that_is_given_after_the_game_was_lost_is_recorded_once() {
    let mut sim = Simulation::sharded(42, 10, 2);
    let nameless = sim.link_asking(0, "", LobbyRequest::Quick);
    sim.run(1);
    sim.ask(nameless, LobbyRequest::Start);
    while sim.lobbies()[0].state != GameState::Lost {
        sim.tick();
        assert!(sim.now.since(simulated::START).as_secs() < 600, "nobody loses");
    }
    for name in ["Ann", "", "Bob", "", "Cid"] {
        sim.ask(nameless, LobbyRequest::Rename { name: name.into() });
        sim.tick();
    }
    let names: Vec<&str> = sim.records.iter().map(|record| record.players[0].name.as_str()).collect();
    assert_eq!(names, ["", "Ann"]);
    assert_eq!(sim.records[0].began, sim.records[1].began, "the second record replaces the first");
}

#[test]
fn c17_nobody_is_seated_in_a_game_that_is_over_until_the_next_begins() {
    let (mut sim, _) = lost_game(10);
    let over = sim.lobbies()[0].id.clone();
    let code = LobbyId::new(&over).expect("an id");
    let newcomers: Vec<ClientId> = Dialect::with_ports().map(|dialect| sim.join(dialect, None)).collect();
    let by_id = sim.join(Dialect::Rfc2020, Some(over.clone()));
    let by_code = sim.link_asking(0, "Bob", LobbyRequest::Join { code });
    let anywhere = sim.link_asking(1, "Cid", LobbyRequest::Quick);
    assert_eq!((players_of_first(&sim), sim.lobbies()[0].state), (1, GameState::Lost));
    assert!(newcomers.iter().all(|client| status(&sim, *client) == Status::Playing));
    assert_eq!(status(&sim, by_id), Status::Ended(End::LobbyFull));
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

/// A game that was lost waits for its only player, and no longer once somebody else asks for a seat.
#[test]
fn a_lost_game_that_waits_for_its_player_goes_on_when_somebody_wants_to_join() {
    for shards in [1, 3] {
        let mut sim = Simulation::sharded(42, 10, shards);
        let ann = sim.link_asking(1, "Ann", LobbyRequest::Quick);
        sim.run(1);
        sim.ask(ann, LobbyRequest::Start);
        while sim.lobbies()[0].state != GameState::Lost {
            sim.tick();
            assert!(sim.now.since(simulated::START).as_secs() < 600, "nobody loses");
        }
        sim.ask(ann, LobbyRequest::Pace(Pace::Paused));
        sim.run(30);
        assert_eq!((sim.lobbies()[0].is_paused, sim.lobbies()[0].state), (true, GameState::Lost));
        let (code, ..) = sim.at(ann).seated().expect("a seat");
        let bob = sim.link_asking(0, "Bob", LobbyRequest::Join { code });
        assert_eq!(sim.at(bob).refused(), [Refusal::NotNow]);
        sim.run(1);
        assert_eq!((sim.lobbies()[0].state, sim.at(ann).pace), (GameState::Running, Pace::Full));
        sim.ask(bob, LobbyRequest::Join { code });
        sim.run(1);
        assert_eq!(players_of_first(&sim), 2, "{shards} shards");
    }
}

#[test]
fn c17_a_node_whose_only_lobby_shows_its_result_is_full_for_as_long() {
    let (mut sim, _) = lost_game(1);
    let early = sim.join(Dialect::Snapshot, None);
    sim.run(1);
    assert_eq!((status(&sim, early), players_of_first(&sim)), (Status::Ended(End::Full), 1));
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
    let (lobby, seat) = (LobbyId::new(&sim.lobbies()[0].id).expect("an id"), Seat::ALL[0]);
    for shard in 0..2 {
        let order = Order::Kick { lobby, seat };
        sim.with_shard(ShardId(shard), |core, now| core.order(now, order));
    }
    assert_eq!((players_of_first(&sim), sim.lobbies()[0].state), (0, GameState::Lost));
    let next = sim.join(Dialect::Aecs, None);
    sim.run(1);
    assert_eq!((status(&sim, next), sim.lobbies()[0].state), (Status::Playing, GameState::Running));
}

/// All that is logged while it lives, a line each.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn count(&self, line: &str) -> usize {
        self.0.lock().expect("no panic").iter().filter(|logged| *logged == line).count()
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut message = Message::default();
        event.record(&mut message);
        self.0.lock().expect("no panic").push(message.0);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// The message of an event, without its fields.
#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            write!(self.0, "{value:?}").expect("a string takes it");
        }
    }
}

/// A full node of one lobby with four `snapshot` players, one of whom is out of lives; the player and the seat.
fn watching_player() -> (Simulation, ClientId, Seat) {
    let mut sim = Simulation::sharded(42, 1, 2);
    let players: [ClientId; 4] = std::array::from_fn(|_| sim.join(Dialect::Snapshot, None));
    sim.run(1);
    let code = LobbyId::new(&sim.lobbies()[0].id).expect("an id");
    let onlooker = sim.link_asking(0, "Onlooker", LobbyRequest::Watch { code });
    let out = |sim: &Simulation| {
        let players = sim.at(onlooker).frame.players;
        Seat::ALL.into_iter().find(|seat| players[seat.index()].is_some_and(|player| player.lives == 0))
    };
    while out(&sim).is_none() || sim.lobbies()[0].state != GameState::Running {
        sim.tick();
        assert!(sim.now.since(simulated::START).as_secs() < 900, "nobody runs out of lives");
    }
    let seat = out(&sim).expect("a seat");
    let player = players.into_iter().find(|player| sim.clients[player.0].session.seat() == Some(seat));
    (sim, player.expect("a player"), seat)
}

/// The last PLAYER_ID_ASSIGNMENT that an endpoint gets for a JOIN.
fn join_by_hand(sim: &mut Simulation, from: ClientId) -> Option<u8> {
    sim.network.due_to_clients(sim.now + std::time::Duration::from_secs(9));
    sim.datagram(Endpoint::Door(Dialect::Snapshot), from.address(), b"\x02\0\0\0\0\0\0Eve");
    sim.deliver();
    let said = sim.network.due_to_clients(sim.now + std::time::Duration::from_secs(9));
    let mut assignments = said.into_iter().filter(|packet| packet.client == from && packet.bytes[0] == 8);
    assignments.next_back().and_then(|packet| packet.bytes.last().copied())
}

#[test]
fn s10_out_of_lives_a_player_watches_and_keeps_the_slot_until_another_endpoint_joins_a_full_node() {
    let (mut sim, out, seat) = watching_player();
    sim.run(1);
    assert_eq!((sim.players(), status(&sim, out)), (4, Status::Playing), "who is out of lives watches");
    assert_eq!(join_by_hand(&mut sim, out), Some(seat.number()), "a second JOIN gets the same Player ID");
    let next = sim.join(Dialect::Snapshot, None);
    sim.run(1);
    assert_eq!(sim.clients[next.0].session.seat(), Some(seat), "another endpoint gets the slot");
    assert_eq!(status(&sim, next), Status::Playing);
    assert_eq!(status(&sim, out), Status::Ended(End::Dropped), "TIMEOUT of itself");
    assert_eq!((sim.players(), sim.lobbies().len()), (4, 1));
    // Others may be out of lives by now too, and yield to this one; but not the player who has just begun.
    sim.join(Dialect::Snapshot, None);
    sim.run(1);
    assert_eq!(status(&sim, next), Status::Playing, "the slot is given once");
    let gone = PeerKey::at_door(Dialect::Snapshot, next.address());
    sim.clients[next.0].is_dead = true;
    sim.close_socket(gone);
    assert_eq!(sim.players(), 3, "and is free when its new player goes");
}

#[test]
fn s10_killed_and_timed_out_players_are_logged_in_the_words_of_the_document() {
    let log = Log::default();
    tracing::subscriber::with_default(log.clone(), || {
        let mut sim = Simulation::new(42, 1);
        let ann = sim.join(Dialect::Snapshot, None);
        while log.count("Player 0 (Ann) eliminated. Entity: 0") < 2 {
            sim.tick();
            assert!(sim.now.since(simulated::START).as_secs() < 600, "no ship is lost");
        }
        sim.clients[ann.0].is_dead = true;
        sim.run(29);
        assert_eq!(log.count("Player 0 (Ann) timed out. Entity: 0"), 0);
        sim.run(2);
        assert_eq!(log.count("Player 0 (Ann) timed out. Entity: 0"), 1, "after silence");
        let bob = sim.join(Dialect::Snapshot, None);
        sim.run(1);
        sim.clients[bob.0].is_dead = true;
        sim.close_socket(PeerKey::at_door(Dialect::Snapshot, bob.address()));
        assert_eq!(log.count("Player 0 (Ann) timed out. Entity: 0"), 2, "unreachable");
    });
}

#[test]
fn packets_below_seven_bytes_are_left_out_of_the_log_and_unknown_types_are_in_it_a_few_at_a_time() {
    const RUNT: &[u8] = b"\x77\0\0\0\0\0";
    const UNKNOWN: &[u8] = b"\x77\0\0\0\0\0\0";
    let log = Log::default();
    tracing::subscriber::with_default(log.clone(), || {
        let mut sim = Simulation::new(67, 1);
        let ann = sim.join(Dialect::Snapshot, None);
        sim.run(1);
        let door = Endpoint::Door(Dialect::Snapshot);
        let (ann, stranger) = (ann.address(), ClientId(300).address());
        let logged = |log: &Log| {
            let of_ann = log.count("a peer sent something that it should not");
            (of_ann, log.count("a stranger sent a packet of an unknown type"))
        };
        let dropped =
            |sim: &Simulation| sim.counters().dialect(Dialect::Snapshot).drops().map(|(_, count)| count).sum::<u64>();
        let before = dropped(&sim);
        [ann, stranger].into_iter().for_each(|from| sim.datagram(door, from, RUNT));
        assert_eq!(logged(&log), (0, 0), "silently discarded");
        assert_eq!(dropped(&sim), before + 2, "but counted");
        for _ in 0..100 {
            [ann, stranger].into_iter().for_each(|from| sim.datagram(door, from, UNKNOWN));
        }
        assert_eq!(logged(&log), (1, 1));
        sim.run(2);
        [ann, stranger].into_iter().for_each(|from| sim.datagram(door, from, UNKNOWN));
        assert_eq!(logged(&log), (2, 2));
    });
}

/// Lets the node run without anybody else.
fn run_alone(sim: &mut Simulation, ms: u128) {
    let began = sim.now;
    while sim.now.since(began).as_millis() < ms {
        sim.now = sim.now + simulated::TICK;
        sim.advance();
        sim.deliver();
        sim.network.due_to_clients(sim.now);
    }
}

#[test]
fn c14_on_a_full_node_a_seat_that_one_datagram_took_yields_after_three_seconds_to_a_peer_that_is_there() {
    let mut sim = Simulation::new(14, 1);
    let takers = [300, 301, 302, 303].map(ClientId);
    for (number, taker) in (0..).zip(takers) {
        assert_eq!(join_by_hand(&mut sim, taker), Some(number));
    }
    run_alone(&mut sim, 200);
    assert_eq!(join_by_hand(&mut sim, takers[1]), Some(1), "a second sign of life");
    let eve = ClientId(310);
    assert_eq!(join_by_hand(&mut sim, eve), Some(255), "for three seconds they are seats like any other");
    run_alone(&mut sim, 3_000);
    assert_eq!(join_by_hand(&mut sim, eve), None, "the first ask stays unanswered");
    run_alone(&mut sim, 50);
    assert_eq!(join_by_hand(&mut sim, eve), None, "and one that may be its echo");
    run_alone(&mut sim, 100);
    assert_eq!(join_by_hand(&mut sim, eve), Some(0));
    sim.with_core(|core, now| {
        let peer = PeerKey::at_door(Dialect::Aecs, ClientId(311).address());
        core.stream_opened(now, peer, StreamId(311));
    });
    let seats = |sim: &Simulation| {
        sim.lobbies()[0].players.iter().filter_map(|player| player.kind.dialect()).collect::<Vec<_>>()
    };
    let snapshot = Dialect::Snapshot;
    assert_eq!(seats(&sim), [snapshot, snapshot, Dialect::Aecs, snapshot], "TCP proves an address at once");
    sim.network.due_to_clients(sim.now);
    let link = sim.link(0, "Ann");
    sim.ask(link, LobbyRequest::Quick);
    for _ in 0..4 {
        sim.tick();
    }
    assert_eq!(sim.at(link).seated().map(|(_, seat, _)| seat), Some(Seat::ALL[3]), "and so does a link");
    assert_eq!(join_by_hand(&mut sim, ClientId(312)), Some(255), "those who are left have shown that they are there");
}

#[test]
fn c14_a_provisional_seat_is_kept_while_the_node_has_room() {
    let mut sim = Simulation::new(14, 2);
    let calm = ClientId(300);
    sim.datagram(Endpoint::Door(Dialect::Typeuh), calm.address(), b"");
    run_alone(&mut sim, 60_000);
    (301..308).for_each(|number| assert!(join_by_hand(&mut sim, ClientId(number)).is_some_and(|seat| seat < 4)));
    let dialects: Vec<Dialect> = sim.lobbies()[0].players.iter().filter_map(|player| player.kind.dialect()).collect();
    assert_eq!((sim.players(), dialects[0]), (8, Dialect::Typeuh), "a calm player of typeuh says nothing");
}

#[test]
fn c14_a_seat_yields_at_the_port_of_its_lobby_too() {
    let mut sim = Simulation::new(14, 1);
    for (number, taker) in (0..).zip([300, 301, 302, 303].map(ClientId)) {
        assert_eq!(join_by_hand(&mut sim, taker), Some(number));
    }
    run_alone(&mut sim, 3_500);
    let lobby = sim.lobbies()[0].id.clone();
    let ann = sim.join(Dialect::Rfc2020, Some(lobby));
    sim.run(2);
    assert_eq!(sim.clients[ann.0].session.status(), Status::Playing, "TCP proves an address");
    assert_eq!(sim.clients[ann.0].session.seat(), Some(Seat::ALL[0]));
}
