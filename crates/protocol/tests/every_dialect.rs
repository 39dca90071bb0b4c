//! What every dialect promises, over an in-memory network with a virtual clock: `for dialect in Dialect::ALL`.
//!
//! A client's Frame is compared with the server's by [`agreement`]: thing by thing, to the precision of the dialect.

mod agreement;
#[path = "every_dialect/events.rs"]
mod events;
mod simulation;

use std::{collections::BTreeSet, sync::LazyLock};

use agreement::{History, own_ship};
use game::{Buttons, Frame, GameState, Kind, Seat};
use protocol::{Dialect, DialectEntry, End, Malformed, Status};
use simulation::{ClientId, Conditions, Simulation};

/// The doors of the simulated node: all there are.
pub static ENTRIES: LazyLock<Vec<&'static DialectEntry>> = LazyLock::new(|| Dialect::ALL.map(Dialect::entry).into());

/// Runs a promise for each dialect, and says which one broke it.
fn for_every_dialect(promise: impl Fn(Dialect)) {
    for dialect in Dialect::ALL {
        println!("{}", dialect.name());
        promise(dialect);
    }
}

/// Whether a client is in the game, knows its seat and sees its own ship.
fn plays(sim: &Simulation, client: ClientId) -> bool {
    let seat = sim.clients[client.0].session.seat();
    sim.status(client) == Status::Playing && seat.is_some_and(|seat| own_ship(sim.seen(client), seat).is_some())
}

/// A client that plays: it has a seat and sees its own ship.
fn play(sim: &mut Simulation, dialect: Dialect, name: &str, lobby: Option<String>) -> ClientId {
    let client = sim.join_lobby(dialect.entry(), name, lobby);
    assert!(sim.run_until(5_000, |sim| plays(sim, client)), "{} does not get into the game", dialect.name());
    sim.clients[client.0].session.start(sim.now);
    client
}

/// Seats a second player in the lobby of the first, whatever their dialects.
fn follow(sim: &mut Simulation, dialect: Dialect, name: &str, friend: ClientId) -> ClientId {
    let lobby = sim.lobby(friend).id.to_string();
    play(sim, dialect, name, Some(lobby))
}

/// Insists that the client sees what the server shows.
fn assert_agrees(sim: &mut Simulation, dialect: Dialect, client: ClientId) {
    let mut history = History::default();
    for _ in 0..agreement::WINDOW_TICKS {
        sim.tick();
        history.push(&sim.lobby(client).scene.frame);
    }
    history.assert_agrees(dialect, sim.seen(client), sim.seat(client));
}

fn converges(sim: &mut Simulation, dialect: Dialect, client: ClientId, within_ms: u64) {
    let mut history = History::default();
    let mut last = Err("nothing seen".to_string());
    let end = sim.now + std::time::Duration::from_millis(within_ms);
    while sim.now < end && last.is_err() {
        sim.tick();
        history.push(&sim.lobby(client).scene.frame);
        last = history.agrees(dialect, sim.seen(client), sim.seat(client));
    }
    assert_eq!(last, Ok(()), "{} does not converge", dialect.name());
}

#[test]
fn a_player_joins_sees_their_ship_and_moves_it() {
    for_every_dialect(|dialect| {
        let mut sim = Simulation::new(1);
        let ann = play(&mut sim, dialect, "Ann", None);
        sim.run_ms(300);
        let before = own_ship(sim.seen(ann), sim.seat(ann)).expect("a ship").position;
        sim.hold(ann, Buttons::RIGHT);
        sim.run_ms(500);
        let after = own_ship(sim.seen(ann), sim.seat(ann)).expect("a ship").position;
        // Half a second at 105 pixels a second, less the way there and back.
        assert!(after.x - before.x > game::px(30), "{}: {before:?} {after:?}", dialect.name());
        assert_eq!(after.y, before.y);
        sim.hold(ann, Buttons::NONE);
        sim.run_ms(300);
        let stopped = own_ship(sim.seen(ann), sim.seat(ann)).expect("a ship").position;
        sim.run_ms(300);
        assert_eq!(own_ship(sim.seen(ann), sim.seat(ann)).expect("a ship").position, stopped, "it does not stop");
        assert_agrees(&mut sim, dialect, ann);
        assert_eq!(sim.clients[ann.0].malformed, 0);
        assert!(sim.node.dropped.is_empty(), "{:?}", sim.node.dropped);
    });
}

#[test]
fn what_a_door_says_that_it_tells_is_what_its_client_learns() {
    for_every_dialect(|dialect| {
        let mut sim = Simulation::new(2);
        let ann = play(&mut sim, dialect, "Ann", None);
        let (tells, seat) = (dialect.entry().tells, sim.seat(ann));
        sim.hold(ann, Buttons::FIRE);
        sim.run_ms(900);
        let charge = own_ship(sim.seen(ann), seat).expect("a ship").charge;
        assert!(own_ship(&sim.lobby(ann).scene.frame, seat).expect("a ship").charge > 0);
        assert_eq!(charge > 0, tells.charge, "{}: a charge of {charge}", dialect.name());
        sim.hold(ann, Buttons::NONE);
        let ahead =
            own_ship(&sim.lobby(ann).scene.frame, seat).expect("a ship").position + game::Vec2::new(game::px(200), 0);
        sim.lobby_mut(ann).world.spawn(Kind::Shard, ahead);
        let scores = |sim: &mut Simulation| {
            sim.tap(ann, Buttons::FIRE);
            sim.run_ms(150);
            sim.lobby(ann).scene.frame.score > 0
        };
        assert!((0..200).any(|_| scores(&mut sim)), "{}: nothing was hit", dialect.name());
        sim.run_ms(300);
        let truth = sim.lobby(ann).scene.frame.clone();
        let (score, player) = (sim.seen(ann).score, sim.seen(ann).players[seat.index()].expect("a player"));
        assert_eq!(score > 0, tells.score, "{}: a score of {score}", dialect.name());
        let lives = truth.players[seat.index()].expect("a player").lives;
        assert!(lives > 1, "one life is what a client assumes");
        assert_eq!(player.lives == lives, tells.lives, "{}: {} lives", dialect.name(), player.lives);
    });
}

#[test]
fn a_tap_of_fire_becomes_a_shot_and_of_force_reaches_the_game() {
    for_every_dialect(|dialect| {
        let mut sim = Simulation::new(2);
        let ann = play(&mut sim, dialect, "Ann", None);
        sim.run_ms(500);
        let shots = |sim: &Simulation| {
            sim.lobby(ann).scene.frame.entities.iter().filter(|entity| entity.kind == Kind::Shot).count()
        };
        assert_eq!(shots(&sim), 0);
        sim.tap(ann, Buttons::FIRE);
        assert!(sim.run_until(300, |sim| shots(sim) == 1), "{}: no shot", dialect.name());
        // A tap is one shot, not two.
        sim.run_ms(400);
        assert!(shots(&sim) <= 1, "{}: more than one shot", dialect.name());
    });
}

#[test]
fn c10_a_tap_of_a_direction_moves_the_ship() {
    for_every_dialect(|dialect| {
        let mut sim = Simulation::new(15);
        let ann = play(&mut sim, dialect, "Ann", None);
        sim.run_ms(300);
        let seat = sim.seat(ann);
        let place = |sim: &Simulation| sim.lobby(ann).scene.frame.ship(seat).expect("it flies").position;
        let before = place(&sim);
        sim.tap(ann, Buttons::RIGHT);
        sim.run_ms(500);
        let way = place(&sim) - before;
        assert!(way.x > game::px(1) && way.x < game::px(12) && way.y == 0, "{}: {way:?}", dialect.name());
    });
}

#[test]
fn holding_fire_charges_and_letting_go_fires_the_beam() {
    for_every_dialect(|dialect| {
        let mut sim = Simulation::new(3);
        let ann = play(&mut sim, dialect, "Ann", None);
        sim.hold(ann, Buttons::FIRE);
        sim.run_ms(1_500);
        sim.hold(ann, Buttons::NONE);
        let beam =
            |sim: &mut Simulation| sim.lobby(ann).scene.frame.entities.iter().any(|entity| entity.kind == Kind::Beam);
        assert!(sim.run_until(400, beam), "{}: no beam", dialect.name());
    });
}

#[test]
fn two_clients_see_each_other() {
    for_every_dialect(|dialect| {
        let mut sim = Simulation::new(4);
        let ann = play(&mut sim, dialect, "Ann", None);
        let bob = follow(&mut sim, dialect, "Bob", ann);
        sim.hold(bob, Buttons::UP);
        sim.run_ms(700);
        assert_ne!(sim.seat(ann), sim.seat(bob));
        for (who, other) in [(ann, bob), (bob, ann)] {
            let ship = own_ship(sim.seen(who), sim.seat(other));
            let there = sim.lobby(other).scene.frame.ship(sim.seat(other)).expect("it flies").position;
            let way = ship.expect("the other is seen").position - there;
            assert!(way.x.abs() <= game::px(1) && way.y.abs() <= game::px(6), "{}: {way:?}", dialect.name());
        }
    });
}

#[test]
fn a_player_who_leaves_is_gone_for_the_others() {
    for_every_dialect(|dialect| {
        let mut sim = Simulation::new(5);
        let ann = play(&mut sim, dialect, "Ann", None);
        let bob = follow(&mut sim, dialect, "Bob", ann);
        let seat = sim.seat(bob);
        sim.clients[bob.0].session.leave(sim.now);
        sim.run_ms(100);
        sim.kill(bob);
        // Dialects without a goodbye learn of it by silence, the slowest after five minutes.
        assert!(sim.run_until(310_000, |sim| !sim.node.ended.is_empty()), "{}: never missed", dialect.name());
        assert_eq!(sim.node.ended[0].0, bob);
        let gone = |sim: &mut Simulation| own_ship(sim.seen(ann), seat).is_none();
        assert!(sim.run_until(1_000, gone), "{}: the ship stays", dialect.name());
        assert_eq!(sim.status(ann), Status::Playing);
    });
}

#[test]
fn silence_ends_a_session_and_frees_its_seat() {
    for_every_dialect(|dialect| {
        let mut sim = Simulation::new(6);
        let ann = play(&mut sim, dialect, "Ann", None);
        sim.kill(ann);
        assert!(sim.run_until(310_000, |sim| !sim.node.ended.is_empty()), "{}", dialect.name());
        assert_eq!(sim.node.ended, [(ann, End::TimedOut)]);
        assert!(!sim.node.lobbies[0].world.is_seated(Seat::ALL[0]));
        let lobby = sim.node.lobbies[0].id.to_string();
        let again = play(&mut sim, dialect, "Ann", Some(lobby));
        assert_eq!(sim.seat(again), Seat::ALL[0]);
    });
}

#[test]
fn a_client_notices_that_the_server_is_gone() {
    for_every_dialect(|dialect| {
        let mut sim = Simulation::new(7);
        let ann = play(&mut sim, dialect, "Ann", None);
        sim.network.conditions = Conditions::SILENT;
        let over = |sim: &mut Simulation| matches!(sim.status(ann), Status::Ended(_));
        assert!(sim.run_until(60_000, over), "{}: it waits for ever", dialect.name());
    });
}

#[test]
fn c1_a_full_node_refuses_in_the_dialects_own_way_and_takes_the_next_when_a_seat_is_free() {
    for_every_dialect(|dialect| {
        let mut sim = Simulation::new(8);
        sim.node.lobbies_max = 1;
        let first = play(&mut sim, dialect, "1", None);
        let others: Vec<ClientId> = (0..3).map(|_| follow(&mut sim, dialect, "n", first)).collect();
        let lobby = sim.lobby(first).id.to_string();
        let fifth = sim.join_lobby(dialect.entry(), "5", Some(lobby.clone()));
        sim.run_ms(3_000);
        let is_refused = matches!(sim.status(fifth), Status::Opening | Status::Ended(End::Full | End::LobbyFull));
        assert!(is_refused, "{}", dialect.name());
        assert_eq!(sim.clients[fifth.0].session.seat(), None);
        assert_eq!(sim.node.peers.len(), 4);
        sim.kill(fifth);
        sim.node.peer(others[1]).expect("seated").session.end(sim.now, End::Unreachable);
        sim.run_ms(100);
        let sixth = play(&mut sim, dialect, "6", Some(lobby));
        assert_eq!(sim.seat(sixth), Seat::ALL[2], "{}: the seat that became free", dialect.name());
    });
}

#[test]
fn a_bad_network_is_survived_and_healed() {
    let bad = [
        Conditions::PERFECT.delay_ms(30).shuffle_ms(20).loss_percent(5).duplicate_percent(5),
        Conditions::PERFECT.delay_ms(40).shuffle_ms(60).loss_percent(30).duplicate_percent(10),
        Conditions::PERFECT.delay_ms(300).loss_percent(5),
    ];
    for conditions in bad {
        for_every_dialect(|dialect| {
            let mut sim = Simulation::new(9);
            let ann = play(&mut sim, dialect, "Ann", None);
            let bob = follow(&mut sim, dialect, "Bob", ann);
            sim.network.conditions = conditions;
            wander(&mut sim, &[ann, bob], 60);
            assert!(sim.node.ended.is_empty(), "{} {conditions:?}: {:?}", dialect.name(), sim.node.ended);
            sim.network.conditions = Conditions::PERFECT;
            converges(&mut sim, dialect, ann, 2_000);
            converges(&mut sim, dialect, bob, 2_000);
            assert_eq!(sim.status(ann), Status::Playing);
            assert!(sim.node.dropped.is_empty(), "{:?}", sim.node.dropped);
        });
    }
}

/// Players fly about and fire for some seconds.
fn wander(sim: &mut Simulation, clients: &[ClientId], seconds: usize) {
    let moves = [Buttons::UP, Buttons::RIGHT, Buttons::DOWN, Buttons::LEFT, Buttons::UP | Buttons::FIRE];
    for turn in 0..seconds * 2 {
        for (index, &client) in clients.iter().enumerate() {
            sim.hold(client, moves[(turn * 3 + index) % moves.len()]);
            sim.tap(client, if turn % 3 == 0 { Buttons::FIRE } else { Buttons::NONE });
        }
        sim.run_ms(500);
    }
    clients.iter().for_each(|&client| sim.hold(client, Buttons::NONE));
}

#[test]
fn joining_works_on_a_bad_network() {
    for_every_dialect(|dialect| {
        for seed in 20..24 {
            let mut sim = Simulation::new(seed);
            sim.network.conditions =
                Conditions::PERFECT.delay_ms(100).shuffle_ms(100).loss_percent(30).duplicate_percent(10);
            let ann = sim.join(dialect.entry(), "Ann");
            assert!(sim.run_until(15_000, |sim| plays(sim, ann)), "{} seed {seed}", dialect.name());
            assert_eq!(sim.node.peers.len(), 1, "one session, however often it knocked");
        }
    });
}

#[test]
fn six_dialects_in_two_lobbies_agree_on_the_world() {
    let mut sim = Simulation::new(10);
    let host = play(&mut sim, Dialect::Rfc2020, "", None);
    let mut players = vec![(Dialect::Rfc2020, host)];
    for dialect in [Dialect::Typeuh, Dialect::Aecs, Dialect::Volley, Dialect::Rfc53952, Dialect::Snapshot] {
        players.push((dialect, play(&mut sim, dialect, dialect.name(), None)));
    }
    let lobbies: Vec<usize> = players.iter().map(|(_, client)| sim.node.lobby_of(*client).expect("seated")).collect();
    assert_eq!(lobbies, [0, 0, 0, 0, 1, 1], "C1: four seats a lobby, whatever the dialects");
    let clients: Vec<ClientId> = players.iter().map(|(_, client)| *client).collect();
    wander(&mut sim, &clients, 15);
    sim.run_ms(500);
    for &(dialect, client) in &players {
        converges(&mut sim, dialect, client, 2_000);
        assert_eq!(sim.lobby(client).scene.frame.state, GameState::Running);
    }
}

#[test]
fn c7_bad_bytes_never_end_a_session_and_are_never_answered() {
    for_every_dialect(|dialect| {
        let mut sim = Simulation::new(13);
        let ann = play(&mut sim, dialect, "Ann", None);
        let peer = sim.node.peer(ann).expect("seated");
        let mut noise = 0x9e37_79b9_u32;
        let mut refused: Vec<Malformed> = Vec::new();
        for length in 1..400 {
            let bytes: Vec<u8> = (0..length)
                .map(|_| {
                    noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (noise >> 24) as u8
                })
                .collect();
            refused.extend(peer.session.receive(sim.now, protocol::Channel::Datagram, &bytes).err());
        }
        assert!(refused.len() > 350, "{}: noise was understood: {}", dialect.name(), refused.len());
        sim.run_ms(1_000);
        assert_eq!(sim.status(ann), Status::Playing, "{}", dialect.name());
        assert!(sim.node.ended.is_empty());
    });
}

#[test]
fn c2_no_datagram_is_longer_than_it_may_be() {
    for_every_dialect(|dialect| {
        let mut sim = Simulation::new(14);
        let ann = play(&mut sim, dialect, "Ann", None);
        for _ in 0..3 {
            follow(&mut sim, dialect, "n", ann);
        }
        let limit = match dialect {
            Dialect::Snapshot => 1_024,
            // One CLIENT_PONG confirms a whole tick, so a merged change cannot be said in two datagrams.
            Dialect::Aecs => protocol::aecs::DATAGRAM_LIMIT_BYTES,
            _ => 1_200,
        };
        let clients: Vec<ClientId> = (0..sim.clients.len()).map(ClientId).collect();
        wander(&mut sim, &clients, 30);
        let longest = sim.network.longest_datagram;
        assert!(longest >= 40, "{}: {longest}", dialect.name());
        assert!(longest <= limit, "{}: {longest}", dialect.name());
    });
}

/// The page has a row for each dialect: a forgotten one is said by its name.
#[test]
fn names_and_doors_are_the_documented_ones() {
    let page = include_str!("../../../docs/protocols/README.md");
    for dialect in Dialect::ALL {
        let (name, entry) = (dialect.name(), dialect.entry());
        let row = page.lines().find(|line| line.starts_with(&format!("| [`{name}`](")));
        let row = row.unwrap_or_else(|| panic!("{name} has no row in docs/protocols/README.md"));
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, _, document, description, transport, port, ..] = cells[..] else { panic!("{name}: {row}") };
        assert_eq!((document, description), (entry.document, entry.description), "{name}");
        let first_transport = entry.stream.transports().split(' ').next();
        assert_eq!(transport.split([' ', ',']).next(), first_transport, "{name}: {transport}");
        let documented = port.split([' ', ',']).next().and_then(|port| port.parse().ok());
        assert_eq!(documented, Some(entry.port), "{name}: {port}");
    }
}

#[test]
fn every_dialect_has_a_name_and_a_port_of_its_own() {
    let (names, ports): (BTreeSet<&str>, BTreeSet<u16>) =
        Dialect::ALL.map(|dialect| (dialect.name(), dialect.entry().port)).into_iter().unzip();
    assert_eq!((names.len(), ports.len()), (Dialect::ALL.len(), Dialect::ALL.len()));
    for dialect in Dialect::ALL {
        assert_eq!(Dialect::from_name(dialect.name()), Some(dialect));
    }
    assert_eq!(Dialect::from_name("morse"), None);
}

/// The walls of a Frame: size, and centre in pixels, from left to right.
fn walls(frame: &Frame) -> Vec<((u16, u16), i32, i32)> {
    let walls = frame.entities.iter().filter(|entity| entity.kind == Kind::Wall);
    let px = |subpixels: i32| subpixels / game::SUBPIXELS;
    let mut walls: Vec<_> =
        walls.filter_map(|wall| Some((wall.size_px?, px(wall.position.x), px(wall.position.y)))).collect();
    walls.sort_unstable_by_key(|&(size, x, y)| (x, y, size));
    walls
}

/// `volley` sends the whole terrain of a stage instead.
#[test]
fn c12_walls_are_told_with_their_size_and_move_as_they_do_in_every_document() {
    // Those of the ruling, by name: a dialect that is added may tell terrain in another way.
    let told = ["typeuh", "aecs", "snapshot", "rfc2020", "rfc53952"];
    for dialect in told.map(|name| Dialect::from_name(name).expect(name)) {
        let mut sim = Simulation::new(12);
        let ann = play(&mut sim, dialect, "Ann", None);
        let stage = game::Stage::built_in("stage1").expect("built in");
        sim.lobby_mut(ann).world.enter(stage);
        // Until the first wreck is in view.
        sim.run_ms(6_000);
        let mut checked = 0;
        for _ in 0..120 {
            sim.tick();
            let (told, seen) = (walls(&sim.lobby(ann).scene.frame), walls(sim.seen(ann)));
            // What comes and goes at the edges is on its way; and nothing is older than a tenth of a second and the way.
            let is_inside = |&(size, x, _): &((u16, u16), i32, i32)| {
                let half = i32::from(size.0) / 2;
                x + half > 60 && x - half < 460
            };
            for (size, x, y) in told.into_iter().filter(is_inside) {
                let is_it =
                    |&(own, at, height): &((u16, u16), i32, i32)| own == size && height == y && (at - x).abs() <= 24;
                assert!(seen.iter().any(is_it), "{}: {size:?} at {x}, {y} is not in {seen:?}", dialect.name());
                checked += 1;
            }
        }
        assert!(checked >= 120, "{}: {checked} walls", dialect.name());
        assert_eq!(sim.clients[ann.0].malformed, 0);
    }
}
