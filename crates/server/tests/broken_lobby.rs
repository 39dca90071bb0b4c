//! A lobby in which something panics is closed, and the others never notice.

mod simulated;

use protocol::{Dialect, Status};
use server::core::{Endpoint, PeerKey};
use simulated::{
    Simulation,
    panics::{Panics, When},
};

#[test]
fn a_lobby_that_panics_is_closed_and_the_others_never_notice() {
    for when in [When::Receive, When::Advance, When::Input, When::Publish, When::Poll] {
        let mut sim = Simulation::sharded(1, 100, 2);
        // Two full lobbies of players of all dialects that need no desk.
        let dialects = [Dialect::Snapshot, Dialect::Aecs, Dialect::Rfc53952, Dialect::Snapshot];
        let clients: Vec<_> = dialects.into_iter().cycle().take(8).map(|dialect| sim.join(dialect, None)).collect();
        sim.run(2);
        let before = sim.lobbies();
        assert_eq!((before.len(), sim.players()), (2, 8));
        let victim = PeerKey::at_door(Dialect::Snapshot, clients[0].address());
        let replaced: Vec<bool> =
            sim.shards.iter_mut().map(|core| core.substitute(victim, Box::new(Panics::at(when)))).collect();
        assert_eq!(replaced.iter().filter(|replaced| **replaced).count(), 1);
        clients[..4].iter().for_each(|client| sim.clients[client.0].is_dead = true);
        sim.datagram(victim.endpoint, victim.address, b"anything");
        sim.run(2);
        let after = sim.lobbies();
        assert_eq!(after.len(), 1, "{when:?}");
        assert_eq!(after[0].id, before[1].id);
        assert_eq!(after[0].players.len(), 4);
        assert_eq!(after[0].tick, before[1].tick + 120, "it missed no tick");
        assert_eq!(sim.counters().lobbies_broken, 1);
        // Whose lobby broke may come again, and finds a new one.
        sim.clients[clients[3].0].is_dead = false;
        let again = sim.join(Dialect::Snapshot, None);
        sim.run(2);
        assert_eq!(sim.clients[again.0].session.status(), Status::Playing);
        assert_eq!(sim.lobbies().len(), 2);
    }
}

#[test]
fn a_session_that_panics_in_its_last_words_is_gone_all_the_same() {
    let mut sim = Simulation::new(2, 100);
    let client = sim.join(Dialect::Snapshot, None);
    sim.run(1);
    let peer = PeerKey::at_door(Dialect::Snapshot, client.address());
    assert!(sim.shards[0].substitute(peer, Box::new(Panics::at(When::End))));
    sim.clients[client.0].is_dead = true;
    sim.close_socket(peer);
    assert_eq!((sim.players(), sim.lobbies().len()), (0, 0));
    assert_eq!(sim.counters().lobbies_broken, 1);
}

#[test]
fn the_port_of_a_broken_lobby_is_free_again() {
    let mut sim = Simulation::sharded(3, 100, 2);
    let client = sim.join(Dialect::Rfc2020, None);
    sim.run(2);
    let (&port, &owner) = sim.ports.first_key_value().expect("a lobby's port");
    let peer = PeerKey::new(Endpoint::Lobby(Dialect::Rfc2020, port), client.address());
    assert!(sim.shards[owner.index()].substitute(peer, Box::new(Panics::at(When::Publish))));
    sim.clients[client.0].is_dead = true;
    sim.run(1);
    assert!(sim.ports.is_empty() && sim.lobbies().is_empty());
    sim.join(Dialect::Rfc2020, None);
    sim.run(2);
    assert_eq!((sim.players(), sim.ports.contains_key(&port)), (1, true));
}
