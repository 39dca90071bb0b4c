//! A player for tests, in any dialect.

use std::{
    net::IpAddr,
    thread,
    time::{Duration, Instant},
};

use game::{Buttons, Input};
use protocol::Dialect;
use toolkit::connection::Connection;

use super::{LOOPBACK, Node, PATIENCE, json};

/// Somebody who plays on until they are asked to stop, on a thread of their own.
pub struct Player {
    pub connection: Connection,
}

impl Player {
    pub fn join(node: &Node, dialect: Dialect) -> Player {
        Player::join_at(LOOPBACK, node, dialect)
    }

    pub fn join_at(host: IpAddr, node: &Node, dialect: Dialect) -> Player {
        Player::join_door(host, node.ports[dialect.name()], dialect)
    }

    /// Joins by a door of this machine.
    pub fn join_port(port: u16, dialect: Dialect) -> Player {
        Player::join_door(LOOPBACK, port, dialect)
    }

    fn join_door(host: IpAddr, port: u16, dialect: Dialect) -> Player {
        let connection = Connection::open(dialect, (host, port), "Ann", None).expect("it connects");
        let mut player = Player { connection };
        player.until("a ship", |connection| {
            connection.seat().is_some_and(|seat| connection.frame().ship(seat).is_some())
        });
        player
    }

    pub fn until(&mut self, what: &str, holds: impl Fn(&Connection) -> bool) {
        let began = Instant::now();
        while !holds(&self.connection) {
            assert!(began.elapsed() < PATIENCE * 3, "{what}: {:?}", self.connection.status());
            // Up and down, firing: sooner or later something is hit.
            let held = if (began.elapsed().as_millis() / 700).is_multiple_of(2) { Buttons::UP } else { Buttons::DOWN };
            let fire = if (began.elapsed().as_millis() / 50).is_multiple_of(2) { Buttons::FIRE } else { Buttons::NONE };
            let _ = self.connection.turn(Input::holding(held | fire));
            thread::sleep(Duration::from_millis(8));
        }
    }

    /// Plays until something is hit, in a dialect that sends the score.
    pub fn scores(&mut self) {
        self.until("a score", |connection| connection.frame().score > 0);
    }

    /// The same in any dialect: the node knows.
    pub fn scores_on(&mut self, node: &Node) {
        self.until("a score", |_| json(node, "/api/lobbies")[0]["score"].as_u64().is_some_and(|score| score > 0));
    }
}
