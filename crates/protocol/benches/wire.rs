//! What reading and writing costs in `typeuh`, `aecs` and `snapshot`: `cargo bench -p protocol --bench wire`.
//!
//! The promise: an input datagram is read in at most 50 ns, and 30 entities are written in at most 2 µs.

use divan::{Bencher, black_box};

/// Entities in a lively scene.
const ENTITIES: u16 = 30;

fn main() {
    divan::main();
}

mod typeuh {
    use protocol::typeuh::component::{Component, ComponentTable};
    use protocol::typeuh::wire::{Instruction, Instructions, KeyEvents};

    use super::{Bencher, ENTITIES, black_box};

    #[divan::bench]
    fn read_input(bencher: Bencher) {
        let datagram = [0x00, 0x08];
        bencher.bench(|| KeyEvents::read(black_box(&datagram)).filter(Result::is_ok).count());
    }

    #[divan::bench]
    fn write_30_entities(bencher: Bencher) {
        let mut out = Vec::with_capacity(4096);
        bencher.bench_local(|| {
            out.clear();
            write(black_box(ENTITIES), &mut out);
            out.len()
        });
    }

    #[divan::bench]
    fn read_30_entities(bencher: Bencher) {
        let table = ComponentTable::own();
        let mut datagram = Vec::new();
        write(ENTITIES, &mut datagram);
        bencher.bench(|| Instructions::read(black_box(&datagram), &table).filter(Result::is_ok).count());
    }

    /// Each entity as it is said again once a second (ruling T5).
    fn write(entities: u16, out: &mut Vec<u8>) {
        for entity_id in 0..entities {
            let x = f32::from(entity_id);
            Instruction::CreateEntity { entity_id }.write(out);
            Instruction::update(entity_id, Component::Kind(30)).write(out);
            Instruction::update(entity_id, Component::Position { x, y: 540.0 }).write(out);
            Instruction::update(entity_id, Component::Velocity { x: -60.0, y: x }).write(out);
            Instruction::update(entity_id, Component::Health { now: 2, max: 3 }).write(out);
            Instruction::update(entity_id, Component::Animation(1)).write(out);
        }
    }
}

mod aecs {
    use protocol::aecs::wire::{
        Component, FromClient, FromServer, GameStateWriter, PACKET_MAX_BYTES, write_game_changes,
    };

    use super::{Bencher, ENTITIES, black_box};

    #[divan::bench]
    fn read_input(bencher: Bencher) {
        let datagram = [0x04, 0x00, 0x00, 0x02, 3, 57];
        bencher.bench(|| FromClient::read(black_box(&datagram)).is_ok());
    }

    #[divan::bench]
    fn write_30_entities(bencher: Bencher) {
        let (mut state, mut out) = (Vec::with_capacity(4096), Vec::with_capacity(4096));
        bencher.bench_local(|| {
            state.clear();
            out.clear();
            write(black_box(ENTITIES), &mut state, &mut out);
            out.len()
        });
    }

    #[divan::bench]
    fn read_30_entities(bencher: Bencher) {
        let (mut state, mut datagram) = (Vec::new(), Vec::new());
        write(ENTITIES, &mut state, &mut datagram);
        bencher.bench(|| components(black_box(&datagram)));
    }

    /// Checks the packet and visits every component.
    fn components(datagram: &[u8]) -> usize {
        let Ok(FromServer::GameChanges { changes }) = FromServer::read(datagram) else { return 0 };
        let entities = changes.iter().flat_map(|change| change.entities.iter());
        entities.map(|entity| entity.components.iter().map(black_box).count()).sum()
    }

    fn write(entities: u16, state: &mut Vec<u8>, out: &mut Vec<u8>) {
        let mut writer = GameStateWriter::begin(1, PACKET_MAX_BYTES, state);
        for entity_id in 0..entities {
            let x = f32::from(entity_id);
            let components = [
                Component::Position { x, y: 540.0 },
                Component::Velocity { x: -60.0, y: x },
                Component::Kind(30),
                Component::Health { now: 2, max: 3 },
                Component::Animation(1),
            ];
            assert!(writer.push(entity_id.into(), components));
        }
        write_game_changes([&state[..]], out);
    }
}

mod snapshot {
    use protocol::snapshot::wire::{Entity, FromClient, FromServer, Header, SnapshotWriter};

    use super::{Bencher, ENTITIES, black_box};

    #[divan::bench]
    fn read_input(bencher: Bencher) {
        let datagram = [0x01, 0, 7, 0, 0, 0, 9, 0, 0x26, 1];
        bencher.bench(|| FromClient::read(black_box(&datagram)).is_ok());
    }

    #[divan::bench]
    fn write_30_entities(bencher: Bencher) {
        let mut out = Vec::with_capacity(4096);
        bencher.bench_local(|| {
            out.clear();
            write(black_box(ENTITIES), &mut out);
            out.len()
        });
    }

    #[divan::bench]
    fn read_30_entities(bencher: Bencher) {
        let mut datagram = Vec::new();
        write(ENTITIES, &mut datagram);
        bencher.bench(|| entities(black_box(&datagram)));
    }

    /// Checks the packet and visits every entity.
    fn entities(datagram: &[u8]) -> usize {
        let Ok((_, FromServer::Snapshot { entities })) = FromServer::read(datagram) else { return 0 };
        entities.iter().map(black_box).count()
    }

    fn write(entities: u16, out: &mut Vec<u8>) {
        let mut snapshot = SnapshotWriter::begin(Header { packet_id: 1, timestamp: 2 }, out);
        for number in 0..entities {
            let entity = Entity {
                entity_id: number as u8,
                position_x: number.into(),
                position_y: 540.0,
                sprite_path: "s/drone",
                rect_pos_x: 0.0,
                rect_pos_y: 16.0,
                rect_size_x: 64.0,
                rect_size_y: 64.0,
            };
            assert!(snapshot.push(&entity));
        }
    }
}
