//! A machine with several addresses and interfaces: answers leave from the address that was spoken to, and only the host's own
//! networks are neighbours.
#![cfg(target_os = "linux")]

mod namespace;
mod node;

use std::{
    fs,
    net::{IpAddr, UdpSocket},
    time::Duration,
};

use protocol::{Dialect, Status};

use self::{
    namespace::Namespace,
    node::{Node, drops, metric, player::Player, until},
};

/// Everybody plays: one of each dialect at each of these addresses.
fn all_can_play(node: &Node, addresses: &[&str]) {
    let mut players: Vec<Player> = Vec::new();
    for address in addresses {
        let address: IpAddr = address.parse().expect("an address");
        for dialect in Dialect::with_ports() {
            let mut player = Player::join_at(address, node, dialect);
            player.until("a second Frame", |connection| !connection.frame().entities.is_empty());
            players.push(player);
        }
    }
    for player in &players {
        assert_eq!(player.connection.status(), Status::Playing);
    }
}

/// Linux has all of 127.0.0.0/8 on its loopback interface.
#[test]
fn every_dialect_works_at_every_address_of_a_node_that_is_bound_to_none() {
    for (bind, addresses) in [("0.0.0.0", &["127.0.0.1", "127.0.0.2"][..]), ("::", &["127.0.0.1", "127.0.0.2", "::1"])]
    {
        let node = Node::start(&["--bind", bind, "--shards", "2"]);
        all_can_play(&node, addresses);
        assert_eq!(drops(&node, "typeuh", "unsendable"), 0.0, "{bind}");
    }
}

#[test]
fn a_machine_with_two_addresses_answers_from_the_one_that_was_spoken_to() {
    let (Some(host), Some(guest)) = (Namespace::new("two-h"), Namespace::new("two-g")) else { return };
    host.connect("lan", "192.168.7.1/24", &guest, "192.168.7.9/24");
    host.ip("addr add 192.168.7.2/24 dev lan");
    host.ip("addr add fd07::1/64 dev lan nodad");
    host.ip("addr add fd07::2/64 dev lan nodad");
    guest.ip("addr add fd07::9/64 dev lan nodad");
    let node = host.run(|| Node::start(&["--bind", "::", "--shards", "2"]));
    guest.run(|| all_can_play(&node, &["192.168.7.1", "192.168.7.2", "fd07::1", "fd07::2"]));
}

#[test]
fn a_forged_private_source_from_outside_is_not_a_neighbour() {
    let (Some(host), Some(inside), Some(outside)) =
        (Namespace::new("own-h"), Namespace::new("own-i"), Namespace::new("own-o"))
    else {
        return;
    };
    host.connect("lan", "192.168.8.1/24", &inside, "192.168.8.9/24");
    host.connect("wan", "203.0.113.1/24", &outside, "203.0.113.9/24");
    // Whoever is outside may write any source, and knows the way to the host.
    outside.ip("addr add 192.168.8.77/32 dev lo");
    outside.ip("addr add 10.9.9.9/32 dev lo");
    // Else the system itself drops some of it, which is as good; but then the node has nothing to count.
    let reaches_the_node = host.run(|| {
        ["all", "wan"].iter().all(|name| fs::write(format!("/proc/sys/net/ipv4/conf/{name}/rp_filter"), "0").is_ok())
    });
    let node = host.run(|| Node::start(&["--bind", "0.0.0.0"]));
    let knock = |from: &str, to: &str| {
        let socket = UdpSocket::bind((from, 0)).expect("a socket");
        for _ in 0..5 {
            socket.send_to(b"", (to, node.ports["typeuh"])).expect("it is sent");
        }
        socket.set_read_timeout(Some(Duration::from_millis(300))).expect("it can be set");
        assert!(socket.recv(&mut [0; 2048]).is_err(), "{from} was answered");
    };
    outside.run(|| {
        knock("192.168.8.77", "203.0.113.1");
        knock("10.9.9.9", "203.0.113.1");
        knock("203.0.113.9", "203.0.113.1");
    });
    host.run(|| {
        until("strangers are counted", || drops(&node, "typeuh", "not_served") >= 5.0);
        if reaches_the_node {
            until("forged sources are counted", || drops(&node, "typeuh", "not_own_network") >= 5.0);
        }
        assert_eq!(metric(&node, "volley_players{dialect=\"typeuh\"}"), 0.0);
    });
    inside.run(|| all_can_play(&node, &["192.168.8.1"]));
}
