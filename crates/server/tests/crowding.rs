//! Nobody keeps others out of the seats of a node: no host of a lobby, nobody who forges addresses, nobody without a private code.

mod simulated;

use game::{Rules, Seat};
use protocol::{Dialect, LobbyRequest};
use server::core::Endpoint;
use simulated::{ClientId, Simulation, TICK};

const JOIN: &[u8] = b"\x02\0\0\0\0\0\0Bob";

fn create(is_private: bool) -> LobbyRequest {
    LobbyRequest::Create { stage: "endless".into(), rules: Rules::default(), is_private }
}

/// Lets the node run without its clients.
fn run_alone(sim: &mut Simulation, ms: u128) {
    let began = sim.now;
    while sim.now.since(began).as_millis() < ms {
        sim.now = sim.now + TICK;
        sim.advance();
        sim.deliver();
        sim.network.due_to_clients(sim.now);
    }
}

#[test]
fn a_player_whom_the_host_of_a_lobby_kicked_finds_a_seat_elsewhere_and_so_do_others_of_the_same_address() {
    for shards in [1, 3] {
        let mut sim = Simulation::sharded(11, 10, shards);
        let ann = sim.link_asking(0, "Ann", create(false));
        let (bob, other) = (ClientId(300), ClientId(301));
        let door = Endpoint::Door(Dialect::Snapshot);
        sim.datagram(door, bob.address(), JOIN);
        run_alone(&mut sim, 200);
        assert_eq!((sim.lobbies().len(), sim.players()), (1, 2));
        sim.ask(ann, LobbyRequest::Kick { seat: Seat::ALL[1] });
        sim.run(1);
        assert_eq!(sim.players(), 1);
        for client in [bob, other] {
            sim.datagram(door, client.address(), JOIN);
            run_alone(&mut sim, 50);
        }
        let players: Vec<usize> = sim.lobbies().iter().map(|lobby| lobby.players.len()).collect();
        assert_eq!(players, [1, 2], "in another lobby, {shards} shards");
    }
}
