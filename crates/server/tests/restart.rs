//! A node that is killed and started again under a seed: games go on, and nobody but the players notices (ruling C16).

mod simulated;

use std::time::Duration;

use game::Rules;
use protocol::{
    ClientSession, Dialect, End, LobbyId, LobbyRequest, Refusal, Status, aecs::wire::FromServer as AecsPacket,
    snapshot::wire::FromServer as SnapshotPacket,
};
use server::core::{Core, Endpoint, LobbyView, NotRestored, Order, Outcome, PeerKey};
use simulated::{ClientId, Simulation, linked::LinkId, network::Conditions, settings};

/// The time that a node is away, in ticks.
const AWAY: u64 = 40;

/// A node of two shards that saves its lobbies, with a player of a dialect who has played for a while.
fn playing(seed: u64, dialect: Dialect) -> (Simulation, ClientId) {
    let mut sim = Simulation::sharded(seed, 10, 2);
    sim.keep_saves();
    let ann = sim.join(dialect, None);
    sim.run(7);
    assert_eq!(sim.clients[ann.0].session.status(), Status::Playing, "{}", dialect.name());
    (sim, ann)
}

fn only_lobby(sim: &Simulation) -> LobbyView {
    let lobbies = sim.lobbies();
    assert_eq!(lobbies.len(), 1);
    lobbies[0].clone()
}

/// Whether what a client sees is what there is: its ship where it is, and nothing that is not there.
fn sees_the_truth(sim: &Simulation, client: ClientId) -> Result<(), String> {
    let (lobby, client) = (only_lobby(sim), &sim.clients[client.0]);
    let seat = client.session.seat().ok_or("no seat")?;
    let player = lobby.players.iter().find(|player| player.seat == seat.number()).ok_or("nobody sits there")?;
    let (shown, there) = (client.frame.entities.len(), lobby.entities);
    if shown > there + 6 {
        return Err(format!("{shown} things are shown, and {there} are there"));
    }
    if let (Some(x), Some(y)) = (player.x, player.y) {
        let ship = client.frame.ship(seat).ok_or("no ship")?.position;
        let (off_x, off_y) = ((ship.x / game::SUBPIXELS - x).abs(), (ship.y / game::SUBPIXELS - y).abs());
        if off_x > 12 || off_y > 12 {
            return Err(format!("the ship is {off_x} and {off_y} pixels off"));
        }
    }
    Ok(())
}

#[test]
fn c16_a_lobby_that_goes_on_makes_no_room_while_somebody_plays_in_it() {
    let mut sim = Simulation::sharded(3, 1, 2);
    sim.keep_saves();
    let bob = sim.join(Dialect::Rfc53952, None);
    let ann = sim.join(Dialect::Rfc53952, None);
    sim.run(3);
    sim.restart(AWAY);
    sim.run(3);
    sim.clients[bob.0].session.leave(sim.now);
    sim.run(1);
    let create = LobbyRequest::Create { stage: "endless".into(), rules: Rules::default(), is_private: false };
    let link = sim.link_asking(0, "Eve", create);
    assert_eq!(sim.at(link).refused(), [Refusal::NodeFull]);
    assert_eq!((only_lobby(&sim).players.len(), sim.clients[ann.0].session.status()), (1, Status::Playing));
}

#[test]
fn c14_a_seat_that_was_provisional_is_so_after_a_restart() {
    let mut sim = Simulation::new(3, 1);
    sim.keep_saves();
    for port in 10_100..10_104 {
        let forged = std::net::SocketAddr::from(([10, 0, 0, 7], port));
        sim.datagram(Endpoint::Door(Dialect::Typeuh), forged, b"");
    }
    sim.run(2);
    assert_eq!(sim.players(), 4);
    sim.restart(AWAY);
    sim.run(4);
    let ann = sim.join(Dialect::Aecs, None);
    sim.run(3);
    assert_eq!(sim.clients[ann.0].session.status(), Status::Playing, "one of them yields");
    assert_eq!(sim.players(), 4);
}

#[test]
fn c13_lobbies_that_an_address_made_count_after_a_restart() {
    let stranger = std::net::IpAddr::from([203, 0, 113, 9]);
    let create = || LobbyRequest::Create { stage: "endless".into(), rules: Rules::default(), is_private: true };
    let mut sim = Simulation::new(3, 12);
    sim.keep_saves();
    for _ in 0..4 {
        let link = sim.link_from(stranger, "Eve");
        sim.ask(link, create());
        sim.run(1);
        assert!(sim.at(link).seated().is_some());
    }
    sim.run(2);
    sim.restart(AWAY);
    assert_eq!(sim.lobbies().len(), 4);
    let link = sim.link_from(stranger, "Eve");
    sim.ask(link, create());
    sim.run(1);
    assert_eq!((sim.at(link).refused(), sim.lobbies().len()), (vec![Refusal::NodeFull], 4));
}

#[test]
fn c16_the_bots_of_a_lobby_are_in_their_seats_again() {
    let mut sim = Simulation::sharded(4, 10, 2);
    sim.keep_saves();
    let create = LobbyRequest::Create { stage: "endless".into(), rules: Rules::default(), is_private: false };
    let (ann, code) = seated(&mut sim, 1, create);
    for skill in [game::Skill::Good, game::Skill::Easy] {
        sim.ask(ann, LobbyRequest::AddBot(skill));
        sim.run(1);
    }
    sim.ask(ann, LobbyRequest::Start);
    sim.run(4);
    let members = |sim: &Simulation, link: LinkId| sim.at(link).lobby().expect("a lobby").members.clone();
    let before = members(&sim, ann);
    assert_eq!(before.iter().filter(|member| member.kind.bot().is_some()).count(), 2);
    let token = sim.at(ann).seated().expect("a seat").2;
    sim.restart(AWAY);
    let back = sim.link_asking(0, "Ann", LobbyRequest::Rejoin { token });
    sim.run(4);
    let seat = |(code, seat, _): (LobbyId, game::Seat, protocol::Token)| (code, seat);
    assert_eq!(sim.at(back).seated().map(seat), Some((code, before[0].seat)));
    assert_eq!(members(&sim, back), before);
    let ships = before.iter().filter(|member| sim.at(back).frame.ship(member.seat).is_some()).count();
    assert!(ships > 0 && sim.is_playing(back), "{ships}");
}

#[test]
fn c16_a_client_of_any_dialect_plays_on_without_knowing() {
    for dialect in Dialect::with_ports() {
        for seed in 1..4 {
            let name = format!("{}, seed {seed}", dialect.name());
            let (mut sim, ann) = playing(seed, dialect);
            let before = only_lobby(&sim);
            sim.restart(AWAY);
            let restored = only_lobby(&sim);
            assert_eq!((&restored.id, restored.players.len()), (&before.id, 1), "{name}");
            assert!(before.tick - restored.tick <= 62, "{name}: {} ticks are lost", before.tick - restored.tick);
            assert!(restored.score <= before.score, "{name}");
            sim.run(6);
            assert_eq!(sim.clients[ann.0].session.status(), Status::Playing, "{name}");
            let after = only_lobby(&sim);
            assert!(after.tick > restored.tick + 200, "{name}: it stood still until {}", after.tick);
            assert_eq!(
                (after.players[0].seat, &after.players[0].name),
                (before.players[0].seat, &before.players[0].name)
            );
            sees_the_truth(&sim, ann).unwrap_or_else(|why| panic!("{name}: {why}"));
            let sessions = sim.counters().dialects().map(|(_, counters)| counters.sessions).sum::<u64>();
            assert_eq!(sessions, 1, "{name}: the session went on");
        }
    }
}

#[test]
fn c16_all_dialects_in_one_lobby_play_on_over_a_bad_network_and_again() {
    let mut sim = Simulation::sharded(5, 10, 2);
    sim.keep_saves();
    let first = sim.join(Dialect::Rfc2020, None);
    sim.run(2);
    let code = sim.clients[first.0].session.lobby().expect("a lobby").code.to_string();
    for dialect in [Dialect::Aecs, Dialect::Snapshot, Dialect::Rfc53952] {
        sim.join(dialect, Some(code.clone()));
        sim.run(1);
    }
    sim.network.conditions = Conditions::PERFECT.delay_ms(40).shuffle_ms(20).loss_percent(5).duplicate_percent(2);
    sim.run(5);
    for round in 0..3 {
        let seats: Vec<_> = sim.clients.iter().map(|client| client.session.seat()).collect();
        let before = only_lobby(&sim);
        sim.restart(AWAY);
        sim.run(8);
        let after = only_lobby(&sim);
        assert_eq!((after.id, after.players.len()), (before.id, 4), "round {round}");
        assert_eq!(sim.clients.iter().map(|client| client.session.seat()).collect::<Vec<_>>(), seats);
        for index in 0..4 {
            let name = sim.clients[index].dialect.name();
            assert_eq!(sim.clients[index].session.status(), Status::Playing, "round {round}: {name}");
        }
    }
    sim.network.conditions = Conditions::PERFECT;
    sim.run(4);
    for index in 0..4 {
        let name = sim.clients[index].dialect.name();
        sees_the_truth(&sim, ClientId(index)).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}

/// The newest number that a peer was told.
fn told(sim: &Simulation, dialect: Dialect, ann: ClientId) -> u64 {
    let peer = PeerKey::at_door(dialect, ann.address());
    let bytes = &sim.last_sent[&peer];
    match dialect {
        Dialect::Snapshot => {
            let (header, _) = SnapshotPacket::read(bytes).expect("a packet");
            u64::from(header.packet_id) << 32 | u64::from(header.timestamp)
        }
        _ => match AecsPacket::read(bytes).expect("a packet") {
            AecsPacket::GameChanges { changes } => {
                changes.iter().map(|change| u64::from(change.tick)).max().expect("one")
            }
            _ => 0,
        },
    }
}

#[test]
fn c16_packet_ids_timestamps_and_ticks_go_on_above_all_that_were_sent() {
    for dialect in [Dialect::Snapshot, Dialect::Aecs] {
        let (mut sim, ann) = playing(3, dialect);
        let mut last = told(&sim, dialect, ann);
        for _ in 0..3 {
            sim.restart(AWAY);
            sim.last_sent.clear();
            while sim.last_sent.is_empty() || told(&sim, dialect, ann) == 0 {
                sim.tick();
            }
            let next = told(&sim, dialect, ann);
            assert!(next > last, "{}: {next:x} after {last:x}", dialect.name());
            if dialect == Dialect::Snapshot {
                assert!(next as u32 > last as u32, "the milliseconds go on");
            }
            sim.run(7);
            last = told(&sim, dialect, ann);
        }
    }
}

fn seated(sim: &mut Simulation, home: u8, wish: LobbyRequest) -> (LinkId, LobbyId) {
    let link = sim.link_asking(home, "Ann", wish);
    let (code, ..) = sim.at(link).seated().expect("a seat");
    (link, code)
}

#[test]
fn c16_a_player_of_a_link_comes_back_with_the_token_and_nobody_else_gets_the_seat() {
    let mut sim = Simulation::sharded(4, 10, 2);
    sim.keep_saves();
    let create = LobbyRequest::Create { stage: "endless".into(), rules: Rules::default(), is_private: true };
    let (ann, code) = seated(&mut sim, 1, create);
    sim.ask(ann, LobbyRequest::Start);
    sim.run(4);
    let (_, seat, token) = sim.at(ann).seated().expect("a seat");
    sim.restart(AWAY);
    let stood = only_lobby(&sim).tick;
    let (bob, other) = seated(&mut sim, 0, LobbyRequest::Quick);
    assert_ne!(other, code, "a private lobby stays private");
    let guess = sim.link_asking(0, "Eve", LobbyRequest::Rejoin { token: protocol::Token([9; 16]) });
    assert_eq!(sim.at(guess).refused(), [Refusal::TooLate]);
    let find =
        |sim: &Simulation| sim.lobbies().into_iter().find(|lobby| lobby.id == code.to_string()).expect("it is there");
    assert_eq!((find(&sim).tick, find(&sim).is_private), (stood, true), "it stands still");
    let back = sim.link_asking(0, "Ann", LobbyRequest::Rejoin { token });
    assert_eq!(sim.at(back).seated().map(|(code, seat, _)| (code, seat)), Some((code, seat)));
    sim.run(3);
    assert!(find(&sim).tick > stood + 100 && sim.is_playing(back) && sim.is_playing(bob));
    assert_eq!(find(&sim).players.len(), 1);
}

#[test]
fn c16_while_players_are_awaited_a_newcomer_plays_elsewhere_and_then_with_them() {
    let (mut sim, ann) = playing(6, Dialect::Snapshot);
    sim.clients[ann.0].is_dead = true;
    sim.restart(AWAY);
    let stood = only_lobby(&sim);
    let bob = sim.join(Dialect::Typeuh, None);
    sim.run(3);
    let lobbies = sim.lobbies();
    assert_eq!(lobbies.iter().map(|lobby| lobby.players.len()).collect::<Vec<_>>(), [1, 1]);
    assert_eq!((lobbies[0].id.clone(), lobbies[0].tick), (stood.id.clone(), stood.tick), "it stands still");
    assert_eq!(sim.clients[bob.0].session.status(), Status::Playing);
    sim.clients[ann.0].is_dead = false;
    sim.run(8);
    let cid = sim.join(Dialect::Rfc53952, None);
    sim.run(3);
    assert_eq!(sim.clients[cid.0].session.status(), Status::Playing);
    let first = sim.lobbies().into_iter().find(|lobby| lobby.id == stood.id).expect("it is there");
    assert!(first.tick > stood.tick + 60 && first.players.len() == 2, "{first:?}");
}

#[test]
fn c16_nobody_is_awaited_for_longer_than_a_minute_and_the_game_is_recorded() {
    let (mut sim, ann) = playing(8, Dialect::Aecs);
    while only_lobby(&sim).score == 0 {
        sim.run(1);
    }
    sim.run(2);
    sim.clients[ann.0].is_dead = true;
    sim.restart(AWAY);
    sim.records.clear();
    let score = only_lobby(&sim).score;
    sim.run(58);
    assert_eq!((only_lobby(&sim).players.len(), sim.saves.len(), sim.records.len()), (1, 1, 0));
    sim.run(4);
    assert_eq!((only_lobby(&sim).players.len(), sim.saves.len()), (0, 0), "and its save is forgotten");
    assert_eq!(
        sim.records.iter().map(|record| (record.outcome, record.score)).collect::<Vec<_>>(),
        [(Outcome::Abandoned, score)]
    );
    sim.run(32);
    assert_eq!(sim.lobbies().len(), 0);
}

#[test]
fn a_game_that_goes_on_is_one_game_in_the_records_and_standing_still_is_not_a_pause() {
    let (mut sim, ann) = playing(9, Dialect::Rfc53952);
    while only_lobby(&sim).score == 0 {
        sim.run(1);
    }
    // A save may be more than a second old.
    sim.run(2);
    sim.restart(AWAY);
    sim.run(5);
    sim.clients[ann.0].session.leave(sim.now);
    sim.run(3);
    assert_eq!(sim.records.len(), 1);
    let record = &sim.records[0];
    assert_eq!((record.pauses, record.is_assisted, record.players.len()), (0, false, 1));
    assert!(record.ended.since(record.began) > Duration::from_secs(12), "it began before");
}

#[test]
fn a_lobby_without_players_is_not_saved() {
    let (mut sim, ann) = playing(10, Dialect::Rfc53952);
    assert_eq!(sim.saves.len(), 1);
    sim.clients[ann.0].session.leave(sim.now);
    sim.run(2);
    assert_eq!((sim.saves.len(), sim.lobbies().len()), (0, 1));
    let (mut sim, _) = playing(10, Dialect::Rfc53952);
    let id = LobbyId::new(&only_lobby(&sim).id).expect("a code");
    for number in 0..2 {
        let order = Order::CloseLobby(id);
        sim.with_shard(server::core::ShardId(number), |core, now| core.order(now, order));
    }
    assert_eq!(sim.saves.len(), 0, "nor one that the host closed");
}

#[test]
fn at_a_polite_end_those_who_come_back_by_themselves_are_told_and_nobody_else_is() {
    let (mut sim, ann) = playing(11, Dialect::Snapshot);
    let (bob, _) = seated(&mut sim, 0, LobbyRequest::Quick);
    sim.run(2);
    let token = sim.at(bob).seated().expect("a seat").2;
    sim.saves.clear();
    for number in 0..2 {
        sim.with_shard(server::core::ShardId(number), |core, now| core.order(now, Order::Suspend));
    }
    sim.deliver();
    assert_eq!((sim.saves.len(), sim.lobbies().len()), (1, 0), "the newest state is saved");
    sim.tick();
    assert_eq!(sim.at(bob).client.status(), Status::Ended(End::Restarting));
    assert_eq!(sim.clients[ann.0].session.status(), Status::Playing);
    sim.restart(AWAY);
    let back = sim.link_asking(0, "Bob", LobbyRequest::Rejoin { token });
    sim.run(7);
    assert!(sim.is_playing(back));
    assert_eq!(sim.clients[ann.0].session.status(), Status::Playing);
    assert_eq!(only_lobby(&sim).players.len(), 2);
}

/// A save of a lobby, and a node that could take it up.
fn save() -> (Vec<u8>, impl Fn() -> Core) {
    let (sim, _) = playing(12, Dialect::Snapshot);
    let bytes = sim.saves.values().next().expect("a save").clone();
    let now = sim.now;
    (bytes, move || Core::new(now, settings(1, 10)))
}

#[test]
fn a_save_of_other_rules_or_of_another_stage_is_refused() {
    let (bytes, node) = save();
    let now = simulated::START + Duration::from_secs(60);
    assert_eq!(node().restore(now, &bytes).map(|restored| restored.players), Ok(1));
    let mut core = node();
    assert!(core.restore(now, &bytes).is_ok());
    assert_eq!(core.restore(now, &bytes), Err(NotRestored::NoRoom), "twice");
    let name = bytes.windows(7).position(|window| window == b"endless").expect("the name of the stage");
    let mut renamed = bytes.clone();
    renamed[name] = b'E';
    assert_eq!(node().restore(now, &renamed), Err(NotRestored::NoStage));
    // Behind the name: how long the world is, its version, and the fingerprint of its stage.
    let world = name + 7 + 4;
    let mut older = bytes.clone();
    older[world] ^= 0xff;
    assert_eq!(node().restore(now, &older), Err(NotRestored::World(game::RestoreError::OtherVersion)));
    let mut other = bytes.clone();
    other[world + 1] ^= 1;
    assert_eq!(node().restore(now, &other), Err(NotRestored::World(game::RestoreError::OtherStage)));
}

#[test]
fn a_damaged_save_never_breaks_a_node() {
    let (bytes, node) = save();
    let now = simulated::START + Duration::from_secs(60);
    for length in (0..bytes.len()).step_by(7).chain(bytes.len() - 300..bytes.len()) {
        assert!(node().restore(now, &bytes[..length]).is_err(), "{length}");
    }
    // What a flipped bit makes of it may be a game that can be: then that one is played.
    for bit in (0..bytes.len() * 8).step_by(13) {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let mut core = node();
        if core.restore(now, &flipped).is_ok() {
            core.datagram(now, PeerKey::at_door(Dialect::Snapshot, ClientId(0).address()), &[]);
            (1..4).for_each(|tick| core.advance(now + simulated::TICK * tick));
            while core.poll().is_some() {}
        }
    }
}

#[test]
fn c16_a_calm_player_of_a_lobby_port_is_asked_for_a_sign_of_life() {
    let (mut sim, ann) = playing(13, Dialect::Rfc2020);
    sim.is_passive = true;
    sim.run(2);
    sim.restart(AWAY);
    let stood = only_lobby(&sim).tick;
    sim.run(4);
    assert_eq!(sim.clients[ann.0].session.status(), Status::Playing);
    assert!(only_lobby(&sim).tick > stood + 60);
    let at = |endpoint| matches!(endpoint, Endpoint::Lobby(..));
    assert!(sim.last_sent.keys().any(|peer| at(peer.endpoint)), "at the port that the lobby had");
}
