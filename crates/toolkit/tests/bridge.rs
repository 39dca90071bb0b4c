//! Bridges over real sockets: every pair of dialects, reconnects, lobbies, and what is written for bug reports.

mod bridged;

use std::collections::BTreeMap;

use bridged::{Node, Player, RunningBridge, fly_until};
use game::Seat;
use protocol::{Dialect, End, Status};
use toolkit::bridge::OtherServer;

#[test]
fn a_client_of_every_dialect_plays_on_a_server_of_every_dialect() {
    let node = Node::start(&BTreeMap::new());
    let bridges: Vec<(Dialect, RunningBridge)> =
        Dialect::ALL.into_iter().map(|to| (to, RunningBridge::start(node.target(to), |_| {}))).collect();
    let mut players = Vec::new();
    for (to, bridge) in &bridges {
        for from in Dialect::ALL {
            let mut player = Player::join(from, bridge.door(from), "Ann", None);
            player.what = format!("{} to {}", from.name(), to.name());
            players.push(player);
        }
    }
    fly_until(&mut players, "somebody does not play", |players| players.iter().all(Player::has_flown));
    assert_eq!(node.players(), 36);
    players.iter_mut().for_each(|player| player.connection.leave());
    fly_until(&mut players, "somebody does not leave", |players| {
        players.iter().all(|player| player.status() == Status::Ended(End::Left))
    });
    drop(players);
    fly_until(&mut [], "the server does not learn that they left", |_| node.players() == 0);
    for (to, bridge) in bridges {
        let report = bridge.end();
        assert_eq!((report.players, report.totals.malformed), (6, 0), "{}: {report}", to.name());
        assert!(report.totals.frames > 100, "{}: {report}", to.name());
    }
}

#[test]
fn a_player_is_brought_back_to_a_server_that_was_started_again() {
    let ports = test_ports::reserve(1);
    let at = BTreeMap::from([(Dialect::Snapshot, ports.first())]);
    let node = Node::start(&at);
    let bridge = RunningBridge::start(node.target(Dialect::Snapshot), |_| {});
    let mut players = [Player::join(Dialect::Typeuh, bridge.door(Dialect::Typeuh), "", None)];
    fly_until(&mut players, "nobody plays", |players| players[0].has_flown());
    drop(node);
    let _node = Node::start(&at);
    fly_until(&mut players, "the ship does not go", |players| players[0].connection.frame().entities.is_empty());
    players[0].forget();
    fly_until(&mut players, "nobody is brought back", |players| players[0].has_flown());
    let report = bridge.end();
    assert_eq!((report.players, report.totals.reconnects > 0), (1, true), "{report}");
}

#[test]
fn a_player_whose_server_does_not_answer_is_told_in_their_own_dialect() {
    let nobody = test_ports::reserve(1);
    let to = OtherServer::find(Dialect::Snapshot, "127.0.0.1", nobody.first()).expect("this machine");
    let bridge = RunningBridge::start(to, |_| {});
    let mut players = [Player::join(Dialect::Rfc53952, bridge.door(Dialect::Rfc53952), "", None)];
    fly_until(&mut players, "nobody is told", |players| matches!(players[0].status(), Status::Ended(_)));
    let report = bridge.end();
    assert!(report.errors.iter().any(|error| error.starts_with("player 1: ")), "{report}");
}

#[test]
fn players_of_one_bridge_meet_by_the_code_that_it_gave_out() {
    let node = Node::start(&BTreeMap::new());
    let bridge = RunningBridge::start(node.target(Dialect::Rfc2020), |_| {});
    let door = bridge.door(Dialect::Rfc2020);
    let mut players = vec![Player::join(Dialect::Rfc2020, door, "", None)];
    fly_until(&mut players, "nobody plays", |players| players[0].has_flown());
    let code = players[0].connection.lobby().expect("a lobby was made");
    players.push(Player::join(Dialect::Rfc2020, door, "", Some(code)));
    fly_until(&mut players, "they do not meet", |players| {
        let sees_both = |player: &Player| Seat::ALL.iter().filter(|seat| sees(player, **seat)).count() == 2;
        players.iter().all(sees_both)
    });
}

fn sees(player: &Player, seat: Seat) -> bool {
    player.connection.frame().ship(seat).is_some()
}

#[test]
fn a_dump_tells_everything_that_passed() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("dump.txt");
    let node = Node::start(&BTreeMap::new());
    let bridge = RunningBridge::start(node.target(Dialect::Aecs), |options| options.dump = Some(path.clone()));
    let mut players = [Player::join(Dialect::Snapshot, bridge.door(Dialect::Snapshot), "Ann", None)];
    fly_until(&mut players, "nobody plays", |players| players[0].has_flown());
    assert_eq!(bridge.end().dump_error, None);
    let dump = std::fs::read_to_string(&path).expect("it was written");
    for what in [" 1 in stream ", " 1 in datagram ", " 1 out datagram ", " 1 input 0x", " 1 frame "] {
        assert!(dump.contains(what), "no line has {what:?}");
    }
}
