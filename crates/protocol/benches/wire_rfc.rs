//! What the bytes of `rfc2020` and `rfc53952` cost: reading one input of a player, writing one tick of moving entities.
//!
//! `cargo bench -p protocol --bench wire_rfc`

use divan::{Bencher, black_box};
use protocol::{rfc2020, rfc53952};

/// Entities that move in a busy tick.
const MOVING: u32 = 30;

fn main() {
    divan::main();
}

mod rfc2020_wire {
    use super::*;
    use rfc2020::entity_json::{Described, EntityJson};
    use rfc2020::wire::{Direction, FromClient, FromServer, Message};

    #[divan::bench]
    fn read_move(bencher: Bencher) {
        let mut bytes = Vec::new();
        let body = FromClient::Move { entity_id: 2, direction: Direction::Right, state: true };
        Message { creation_timestamp: 1_604_707_200_000_000, body }.write(&mut bytes);
        bencher.bench(|| Message::<FromClient>::read(black_box(&bytes)));
    }

    #[divan::bench]
    fn write_30_positions(bencher: Bencher) {
        let mut out = Vec::with_capacity(4096);
        bencher.bench_local(|| {
            out.clear();
            for index in 0..black_box(MOVING) {
                let (entity_id, at) = (u64::from(index) + 4, i64::from(index) * 16);
                let body = FromServer::Position { entity_id, x_coordinate: at, y_coordinate: 540 - at };
                Message { creation_timestamp: 1_604_707_200_000_000 + entity_id, body }.write(&mut out);
            }
            black_box(out.len())
        });
    }

    #[divan::bench]
    fn write_spawn(bencher: Bencher) {
        let mut out = Vec::with_capacity(256);
        let described = drone();
        bencher.bench_local(|| {
            out.clear();
            let text = black_box(&described).to_string();
            let entity_json = EntityJson::new(&text).expect("it is short");
            Message { creation_timestamp: 1, body: FromServer::Spawn { entity_id: 4, entity_json } }.write(&mut out);
            black_box(out.len())
        });
    }

    #[divan::bench]
    fn parse_entity_json(bencher: Bencher) {
        let text = drone().to_string();
        bencher.bench(|| EntityJson::new(black_box(&text)).and_then(EntityJson::parse));
    }

    fn drone() -> Described<'static> {
        let (vx, vy, health) = (Some(-240), Some(0), Some(3));
        Described { kind: "drone".into(), x: 1900, y: 540, vx, vy, health, seat: None, owner: None, w: None, h: None }
    }
}

mod rfc53952_wire {
    use super::*;
    use rfc53952::description::ClientEvent;
    use rfc53952::wire::{FromClient, FromServer, Packet, Text};

    #[divan::bench]
    fn read_client_events(bencher: Bencher) {
        let mut bytes = Vec::new();
        let description = Text::new("left").expect("a good text");
        Packet { timestamp: 1_700_000_000, data: FromClient::ClientEvents { id_event: 1, description } }
            .write(&mut bytes);
        bencher.bench(|| match Packet::<FromClient>::read(black_box(&bytes)) {
            Ok(Packet { data: FromClient::ClientEvents { id_event, description }, .. }) => {
                Some(ClientEvent::read(id_event, description))
            }
            _ => None,
        });
    }

    #[divan::bench]
    fn write_30_move_entities(bencher: Bencher) {
        let mut out = Vec::with_capacity(4096);
        bencher.bench_local(|| {
            out.clear();
            for network_id in 0..black_box(MOVING) {
                let at = network_id as f32 * 16.0;
                let data =
                    FromServer::MoveEntity { network_id, x: at, y: 540.0 - at, direction_x: -240.0, direction_y: 0.5 };
                Packet { timestamp: 1_700_000_000, data }.write(&mut out);
            }
            black_box(out.len())
        });
    }
}
