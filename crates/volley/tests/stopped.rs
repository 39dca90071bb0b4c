//! A node that was stopped for a while (ruling C15), over real sockets and links: it loses nobody.
#![cfg(unix)]

mod node;

use std::{thread, time::Duration};

use game::Input;
use protocol::{Dialect, Status};

use self::node::{Node, metric, player::Player, until};

/// Longer than any silence that a dialect allows but one.
const STOPPED_FOR: Duration = Duration::from_secs(11);

/// After this many ticks of every game, all clients have been told something.
const TICKS_HEARD: u64 = 30;

#[test]
fn c15_a_node_that_was_stopped_for_ten_seconds_loses_nobody_in_any_dialect() {
    let node = Node::start(&["--shards", "2"]);
    let mut players: Vec<Player> = (0..2)
        .flat_map(|_| Dialect::ALL)
        .map(|dialect| {
            // A player who comes over a link finds the door of HTTP.
            let port = node.ports.get(dialect.name()).copied().unwrap_or(node.ports["http"]);
            Player::join_port(port, dialect)
        })
        .collect();
    let count = players.len();
    node.lobbies(count);
    node.signal("STOP");
    thread::sleep(STOPPED_FOR);
    node.signal("CONT");
    // A client that looks before the node has said anything has a right to give it up.
    let ticks = |node: &Node| node.lobbies_now().iter().filter_map(|lobby| lobby["tick"].as_u64()).min().unwrap_or(0);
    let first = ticks(&node);
    until("all games go on", || ticks(&node) > first + TICKS_HEARD);
    // Everybody goes on, as a program does that was not stopped.
    for _ in 0..250 {
        for player in &mut players {
            let _ = player.connection.turn(Input::IDLE);
        }
        thread::sleep(Duration::from_millis(8));
    }
    let lost: Vec<Status> = players.iter().map(|player| player.connection.status()).collect();
    assert!(lost.iter().all(|status| *status == Status::Playing), "{lost:?}");
    until("the node still has everybody", || metric(&node, "volley_shard_sessions") > 0.0);
    assert_eq!(
        node.lobbies_now().iter().map(|lobby| lobby["players"].as_array().map_or(0, Vec::len)).sum::<usize>(),
        count
    );
}
