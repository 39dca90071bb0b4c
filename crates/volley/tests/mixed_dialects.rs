//! Players of different dialects in one lobby of the real node, over real sockets: each learns by name what becomes of the other,
//! and those who can be told are told when the node ends.

mod node;

use std::{
    thread,
    time::{Duration, Instant},
};

use game::{Buttons, Event, Input, Name, SEATS, Seat};
use protocol::{Dialect, End, Status};
use toolkit::connection::Connection;

use self::node::{LOOPBACK, Node};

/// Far more than anything takes; a slow machine should not fail a test.
const PATIENCE: Duration = Duration::from_secs(60);

/// A player, and all that was told to them.
struct Player {
    connection: Connection,
    held: Buttons,
    events: Vec<Event>,
    /// The name of the player whom each event is about, when it came; empty if it is about none.
    names: Vec<String>,
    /// The names in the Frame before.
    known: [Name; SEATS],
}

impl Player {
    fn join(node: &Node, dialect: Dialect, name: &str, lobby: Option<String>) -> Player {
        let door = if dialect == Dialect::Volley { "http" } else { dialect.name() };
        let connection = Connection::open(dialect, (LOOPBACK, node.ports[door]), name, lobby).expect("it connects");
        let mut player = Player {
            connection,
            held: Buttons::NONE,
            events: Vec::new(),
            names: Vec::new(),
            known: [Name::NONE; SEATS],
        };
        together(&mut [&mut player], "a ship", |players| players[0].flies());
        player
    }

    fn seat(&self) -> Seat {
        self.connection.seat().expect("a seat")
    }

    fn flies(&self) -> bool {
        self.connection.seat().is_some_and(|seat| self.connection.frame().ship(seat).is_some())
    }

    fn turn(&mut self) {
        if self.connection.turn(Input::holding(self.held)).expect("the loopback works") {
            let (frame, before) = (self.connection.frame(), self.known);
            for event in &frame.events {
                let seat = seat_of(event);
                let name = seat.map(|seat| (frame.names[seat.index()], before[seat.index()]));
                let name = name.map(|(now, before)| if now.is_empty() { before } else { now });
                self.names.push(name.unwrap_or_default().as_str().to_owned());
                self.events.push(*event);
            }
            self.known = frame.names;
        }
    }

    /// Whether they know by name that this happened to the player in that seat.
    fn learned(&self, seat: Seat, name: &str, is_it: impl Fn(&Event) -> bool) -> bool {
        let about = self.events.iter().zip(&self.names).filter(|(event, _)| seat_of(event) == Some(seat));
        about.into_iter().any(|(event, known)| is_it(event) && known == name)
    }
}

/// Lets all of them play until something holds.
fn together(players: &mut [&mut Player], what: &str, holds: impl Fn(&[&mut Player]) -> bool) {
    let began = Instant::now();
    while !holds(players) {
        assert!(began.elapsed() < PATIENCE, "timed out waiting for {what}");
        players.iter_mut().for_each(|player| player.turn());
        thread::sleep(Duration::from_millis(10));
    }
}

/// Whom an event is about.
fn seat_of(event: &Event) -> Option<Seat> {
    match *event {
        Event::Killed { seat, .. } | Event::Joined { seat } | Event::Left { seat } | Event::TimedOut { seat } => {
            Some(seat)
        }
        _ => None,
    }
}

fn is_killed(whose: Seat) -> impl Fn(&Event) -> bool {
    move |event| matches!(event, Event::Killed { seat, .. } if *seat == whose)
}

fn is_timed_out(whose: Seat) -> impl Fn(&Event) -> bool {
    move |event| *event == Event::TimedOut { seat: whose }
}

#[test]
fn players_of_snapshot_and_of_volley_learn_each_others_names_deaths_and_ends() {
    let node = Node::start(&["--stage", "stage1"]);
    let mut ann = Player::join(&node, Dialect::Snapshot, "Ann", None);
    let lobby = node.lobbies(1)[0]["id"].as_str().expect("an id").to_owned();
    let mut bob = Player::join(&node, Dialect::Volley, "Bob", Some(lobby));
    assert_eq!(node.lobbies(2).len(), 1, "they are in one lobby");
    let (anns, bobs) = (ann.seat(), bob.seat());
    together(&mut [&mut ann, &mut bob], "Bob's arrival", |players| {
        players[0].events.contains(&Event::Joined { seat: bobs })
    });
    assert_eq!(bob.connection.frame().names[anns.index()].as_str(), "Ann");

    // Below there is the floor of the stage.
    (ann.held, bob.held) = (Buttons::DOWN, Buttons::DOWN);
    together(&mut [&mut ann, &mut bob], "two deaths by name", |players| {
        players[0].learned(bobs, "Bob", is_killed(bobs)) && players[1].learned(anns, "Ann", is_killed(anns))
    });
    let cause = bob.events.iter().find_map(|event| match event {
        Event::Killed { by, .. } => *by,
        _ => None,
    });
    assert!(cause.is_some(), "volley tells what it was");

    drop(ann);
    together(&mut [&mut bob], "Ann's end by name", |players| players[0].learned(anns, "Ann", is_timed_out(anns)));
    let mut cleo = Player::join(&node, Dialect::Snapshot, "Cleo", None);
    bob.connection.leave();
    together(&mut [&mut bob, &mut cleo], "Bob's end by name", |players| {
        players[1].learned(bobs, "Bob", is_timed_out(bobs))
    });
}

#[test]
fn when_the_node_ends_a_volley_player_is_told_to_come_back_and_a_snapshot_player_that_it_is_over() {
    let node = Node::start(&["--drain-seconds", "0"]);
    let mut ann = Player::join(&node, Dialect::Snapshot, "Ann", None);
    let lobby = node.lobbies(1)[0]["id"].as_str().expect("an id").to_owned();
    let mut bob = Player::join(&node, Dialect::Volley, "Bob", Some(lobby));
    node.signal("TERM");
    together(&mut [&mut ann, &mut bob], "their ends", |players| {
        players.iter().all(|player| matches!(player.connection.status(), Status::Ended(_)))
    });
    assert_eq!(ann.connection.status(), Status::Ended(End::Dropped));
    assert_eq!(bob.connection.status(), Status::Ended(End::Restarting));
}
