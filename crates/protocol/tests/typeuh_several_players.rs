//! Several `typeuh` players of one lobby. What there is to say is found once for all of them, so here is what each must be
//! told all the same: whose ship is whose, and everything, whenever they come.

use game::{Entity, Seat, Vec2, px};
use protocol::typeuh::ENTRY;
use protocol::typeuh::component::{Component, ComponentName};
use protocol::typeuh::wire::Instruction;
use protocol::{Channel, Scale, Scene, ServerSession, Time, Welcome};

mod typeuh_by_hand;
use typeuh_by_hand::*;

struct Lobby {
    scene: Scene,
    now: Time,
    players: Vec<Box<dyn ServerSession>>,
}

impl Lobby {
    fn new(entities: &[Entity]) -> Lobby {
        let mut scene = Scene::new("endless");
        scene.frame.entities = entities.to_vec();
        Lobby { scene, now: START, players: Vec::new() }
    }

    fn join(&mut self, seat: usize) {
        let welcome = Welcome {
            seat: Seat::ALL[seat],
            now: self.now,
            started: self.now,
            scale: Scale::default(),
            numbers: protocol::Numbers::default(),
        };
        self.players.push((ENTRY.accept)(welcome));
    }

    /// The next tick, and what is said to each in it.
    fn tick(&mut self) -> Vec<Vec<Instruction>> {
        self.now = self.now + TICK;
        self.scene.frame.tick.0 += 1;
        self.scene.update(self.now);
        let (scene, now) = (&self.scene, self.now);
        let listen = |player: &mut Box<dyn ServerSession>| {
            player.publish(now, scene);
            let mut datagrams = datagrams(|buffer| player.poll(now, buffer));
            datagrams.retain(|datagram| *datagram != initialisation());
            read(&datagrams)
        };
        self.players.iter_mut().map(listen).collect()
    }

    fn fly(&mut self, index: usize, x_px: i32) {
        self.scene.frame.entities[index].position = Vec2::new(px(x_px), 0);
    }
}

fn created(said: &[Instruction]) -> Vec<u16> {
    let created = |instruction: &Instruction| match instruction {
        Instruction::CreateEntity { entity_id } => Some(*entity_id),
        _ => None,
    };
    said.iter().filter_map(created).collect()
}

fn deleted(said: &[Instruction]) -> Vec<u16> {
    let deleted = |instruction: &Instruction| match instruction {
        Instruction::DeleteEntity { entity_id } => Some(*entity_id),
        _ => None,
    };
    said.iter().filter_map(deleted).collect()
}

#[test]
fn t4_each_player_learns_which_ship_is_theirs_and_nobody_elses() {
    let mut lobby = Lobby::new(&[ship(5, 0), ship(6, 1), shot(9)]);
    lobby.join(0);
    lobby.join(1);
    // In a second everything is said again.
    for tick in 0..60 {
        let said = lobby.tick();
        for (player, other) in [(0, 1), (1, 0)] {
            let [own, foreign] = [player, other].map(|seat| attach(seat + 1, ComponentName::Own));
            assert!(!said[usize::from(player)].contains(&foreign), "{tick}");
            assert_eq!(
                said[usize::from(player)].contains(&own),
                created(&said[usize::from(player)]).contains(&(player + 1))
            );
        }
    }
}

#[test]
fn a_late_player_is_told_everything_and_the_others_what_changed() {
    let mut lobby = Lobby::new(&[ship(5, 0), shot(9)]);
    lobby.join(0);
    assert_eq!(created(&lobby.tick()[0]), [0, 1, 2]);
    lobby.scene.frame.entities.pop();
    lobby.scene.frame.entities.extend([ship(11, 1), shot(12)]);
    lobby.join(1);
    let said = lobby.tick();
    assert!(created(&said[0]).ends_with(&[3, 4]) && deleted(&said[0]) == [2], "{said:?}");
    assert_eq!(created(&said[1]), [0, 1, 3, 4], "2 is none that it knew");
    assert!(deleted(&said[1]).is_empty());
    lobby.fly(2, 77);
    let moved = Instruction::update(4, Component::Position { x: 77.0 * 4.0, y: 0.0 });
    assert!(lobby.tick().iter().all(|said| said.contains(&moved)));
}

#[test]
fn t1_a_hello_of_one_brings_the_whole_state_to_that_one() {
    let mut lobby = Lobby::new(&[ship(5, 0), ship(6, 1), shot(9)]);
    lobby.join(0);
    lobby.join(1);
    lobby.tick();
    lobby.now = lobby.now + 300 * MS;
    let now = lobby.now;
    lobby.players[1].receive(now, Channel::Datagram, &[]).expect("a hello");
    lobby.scene.frame.entities.pop();
    let said = lobby.tick();
    assert!(!said[0].contains(&attach(1, ComponentName::Kind)), "{:?}", said[0]);
    assert!(said[1].contains(&attach(1, ComponentName::Kind)) && said[1].contains(&attach(2, ComponentName::Own)));
    assert!(said.iter().all(|said| deleted(said) == [3]));
}

#[test]
fn a_player_who_comes_when_nobody_was_there_hears_nothing_of_before() {
    let mut lobby = Lobby::new(&[ship(5, 0), shot(9)]);
    lobby.join(0);
    lobby.tick();
    lobby.players.clear();
    lobby.scene.frame.entities.pop();
    (0..3).for_each(|_| drop(lobby.tick()));
    lobby.join(2);
    for tick in 0..10 {
        let said = lobby.tick();
        assert!(deleted(&said[0]).is_empty(), "{tick}");
        assert!(tick > 0 || created(&said[0]) == [0, 1]);
    }
}
