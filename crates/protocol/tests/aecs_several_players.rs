//! Several `aecs` clients of one lobby, which confirm each in their own time, against a model: whoever gets a GAME_CHANGES
//! has then exactly what there was at its tick, whatever got lost before.

use std::collections::BTreeMap;

use game::{Entity, EntityId, Kind, Seat, Vec2, px};
use proptest::{collection::vec, prelude::*};
use protocol::aecs::wire::{Component, FromClient, FromServer, GameState, STATE_OFFSET_BYTES, whole_packet};
use protocol::aecs::{ENTRY, GAME_ENTITY};
use protocol::{Channel, Output, Scale, Scene, ServerSession, Time, Welcome};

/// What happens in a tick.
#[derive(Clone, Debug)]
struct Step {
    /// Entities that are put somewhere, by id, or taken away.
    moves: Vec<(u32, Option<i32>)>,
    /// By how much the tick goes on: 0 shows the same again, and less winds the world back.
    ticks: i32,
    /// Of each client, whether it gets the datagram of this tick, and whether its answer arrives.
    gets: [bool; 3],
    answers: [bool; 3],
}

fn step() -> impl Strategy<Value = Step> {
    let moves = vec((1_u32..60, prop::option::weighted(0.7, 0..480_i32)), 0..30);
    let ticks = prop_oneof![12 => Just(1), 1 => Just(0), 1 => Just(3), 1 => Just(-5)];
    (moves, ticks, any::<[bool; 3]>(), any::<[bool; 3]>()).prop_map(|(moves, ticks, gets, answers)| Step {
        moves,
        ticks,
        gets,
        answers,
    })
}

/// The x of every entity, by id.
type World = BTreeMap<u32, f32>;

struct Player {
    session: Box<dyn ServerSession>,
    tick: u32,
    world: World,
}

impl Player {
    fn join(seat: Seat, scene: &Scene, now: Time) -> Player {
        let mut session = (ENTRY.accept)(Welcome {
            seat,
            now,
            started: now,
            scale: Scale::default(),
            numbers: protocol::Numbers::default(),
        });
        session.publish(now, scene);
        let mut bytes = Vec::new();
        assert_eq!(session.poll(now, &mut bytes), Some(Output::Stream));
        assert_eq!(whole_packet(&bytes, usize::MAX), Ok(Some(bytes.len())));
        let Ok(FromServer::Connected { game_state, .. }) = FromServer::read(&bytes) else { panic!("{bytes:x?}") };
        let mut player = Player { session, tick: game_state.tick, world: World::new() };
        player.carry_out(game_state);
        player.say(now, FromClient::Ping);
        player
    }

    fn carry_out(&mut self, change: GameState) {
        self.tick = change.tick;
        for entity in change.entities.iter().filter(|entity| entity.entity_id != GAME_ENTITY) {
            let x = entity.components.iter().find_map(|component| match component {
                Component::Position { x, .. } => Some(x),
                _ => None,
            });
            match x {
                Some(x) => self.world.insert(entity.entity_id, x),
                None => self.world.remove(&entity.entity_id),
            };
        }
    }

    /// All datagrams of this tick, of which it may get the GAME_CHANGES.
    fn hear(&mut self, now: Time, gets: bool) {
        let mut bytes = Vec::new();
        while let Some(output) = self.session.poll(now, &mut bytes) {
            let (Output::Datagram, Ok(FromServer::GameChanges { changes })) = (output, FromServer::read(&bytes)) else {
                continue;
            };
            assert!(bytes.len() > STATE_OFFSET_BYTES);
            for change in changes.iter().filter(|_| gets) {
                if change.tick.wrapping_sub(self.tick).wrapping_sub(1) < u32::MAX / 2 {
                    self.carry_out(change);
                }
            }
        }
    }

    fn say(&mut self, now: Time, packet: FromClient) {
        let mut bytes = Vec::new();
        packet.write(&mut bytes);
        self.session.receive(now, Channel::Datagram, &bytes).expect("what we write reads");
    }
}

fn put(scene: &mut Scene, id: u32, x: Option<i32>) {
    let entities = &mut scene.frame.entities;
    entities.retain(|entity| entity.id.0 != id);
    entities.extend(x.map(|x| Entity::new(EntityId(id), Kind::Drone, Vec2::new(px(x), 0))));
    entities.sort_by_key(|entity| entity.id);
}

fn world_of(scene: &Scene) -> World {
    let scale = Scale::default();
    scene.frame.entities.iter().map(|entity| (entity.id.0, scale.position(entity.position).0)).collect()
}

proptest! {
    #[test]
    fn a3_a_client_that_gets_a_packet_has_the_world_of_its_tick(steps in vec(step(), 1..60), joins in any::<[u8; 2]>()) {
        let now = Time::from_micros(1_700_000_000_000_000);
        let mut scene = Scene::new("endless");
        scene.frame.tick.0 = u32::MAX - 20;
        let mut players = vec![Player::join(Seat::ALL[0], &scene, now)];
        for (index, step) in steps.iter().enumerate() {
            let before = scene.frame.tick.0;
            scene.frame.tick.0 = before.wrapping_add_signed(step.ticks);
            // What is shown twice is the same twice.
            for &(id, x) in step.moves.iter().filter(|_| step.ticks != 0) {
                put(&mut scene, id, x);
            }
            scene.update(now);
            for (number, player) in players.iter_mut().enumerate() {
                player.session.publish(now, &scene);
                player.hear(now, step.gets[number]);
                if step.gets[number] {
                    prop_assert_eq!(&player.world, &world_of(&scene));
                }
                if step.answers[number] {
                    let tick = player.tick;
                    player.say(now, FromClient::ClientPong { tick });
                }
            }
            if joins.iter().any(|&join| usize::from(join) % 40 == index) && players.len() < 3 {
                players.push(Player::join(Seat::ALL[players.len()], &scene, now));
            }
        }
    }
}
