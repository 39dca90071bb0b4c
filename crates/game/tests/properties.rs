//! Whatever a lobby does and players press, the game keeps its promises; whatever bytes it restores, it does not panic.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use game::{
    Arms, Class, Crystal, Daily, Departure, Difficulty, EntityId, Event, Frame, Input, Kind, Mode, Practice, RuleSet,
    Rules, Seat, ShipModel, Stage, Vec2, World, px,
    tuning::{self, limits},
};
use proptest::{collection::vec, prelude::*};

/// Something that a lobby or its players do.
#[derive(Clone, Debug)]
enum Deed {
    Play { ticks: u8, bits: [(u8, u8); 4] },
    Join(usize),
    Choose(usize, usize),
    Restart,
    Leave(usize, bool),
    Start,
    Enter(usize),
    Spawn { kind: Kind, x: i32, y: i32 },
    Restore,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        12 => (1..60u8, any::<[(u8, u8); 4]>()).prop_map(|(ticks, bits)| Deed::Play { ticks, bits }),
        2 => (0..4usize).prop_map(Deed::Join),
        1 => (0..4usize, 0..4usize).prop_map(|(seat, model)| Deed::Choose(seat, model)),
        1 => Just(Deed::Restart),
        1 => (0..4usize, any::<bool>()).prop_map(|(seat, silent)| Deed::Leave(seat, silent)),
        1 => Just(Deed::Start),
        1 => (0..4usize).prop_map(Deed::Enter),
        6 => (proptest::sample::select(Kind::ALL), -60..600i32, -60..330i32)
            .prop_map(|(kind, x, y)| Deed::Spawn { kind, x, y }),
        1 => Just(Deed::Restore),
    ]
}

fn rules() -> impl Strategy<Value = Rules> {
    let difficulty = proptest::sample::select(&Difficulty::ALL[..]);
    (any::<bool>(), any::<bool>(), any::<u8>(), difficulty, mode()).prop_map(
        |(arcade, friendly_fire, lives, difficulty, mode)| Rules {
            set: if arcade { RuleSet::Arcade } else { RuleSet::Coop },
            friendly_fire,
            lives,
            difficulty,
            mode,
        },
    )
}

fn mode() -> impl Strategy<Value = Mode> {
    let arms = any::<(u8, bool, u8, u8)>().prop_map(|(force_level, missiles, bits, speed)| Arms {
        force_level,
        crystal: Crystal::Blue,
        missiles,
        bits,
        speed,
    });
    prop_oneof![
        Just(Mode::Campaign),
        Just(Mode::Endless),
        any::<u32>().prop_map(|day| Mode::Daily(Daily::of(day))),
        (any::<u8>(), arms).prop_map(|(checkpoint, arms)| Mode::Practice(Practice { checkpoint, arms })),
    ]
}

/// A short cave that scrolls, with blocks, a checkpoint and a boss at its end.
fn cave() -> Arc<Stage> {
    let ceiling = format!("{}%%%%{}", "#".repeat(30), "#".repeat(46));
    let rows: Vec<&str> = (0..17).map(|row| if row == 0 || row == 16 { ceiling.as_str() } else { "" }).collect();
    let mut stage = Stage::sketch(&rows);
    let own = Arc::get_mut(&mut stage).expect("nobody else has it");
    own.scroll = 256;
    own.number = 2;
    own.checkpoints_px = vec![0, 250];
    own.spawns.push(game::stage::Spawn { x_px: 1200, y_px: 135, kind: Kind::Keeper, ..own.spawns[0] });
    stage
}

fn stages() -> [Arc<Stage>; 4] {
    let first = Stage::built_in("stage1").expect("it is built in");
    [Stage::endless(), cave(), Stage::sketch(&["", "", "", "", "", "", "      %%%####"]), first]
}

/// A world, and what has been seen of it so far.
struct Watch {
    world: World,
    stages: [Arc<Stage>; 4],
    before: BTreeMap<EntityId, Kind>,
    highest: EntityId,
    gone: BTreeSet<EntityId>,
    walls: BTreeSet<EntityId>,
    /// Counts ticks, for what happens in only some of them.
    turn: u8,
}

impl Watch {
    fn new(stage: usize, rules: Rules, seed: u64) -> Watch {
        let stages = stages();
        let world = World::new(stages[stage].clone(), rules, seed);
        // What a stage shows before its first tick is spawned in that tick.
        Watch {
            world,
            stages,
            before: BTreeMap::new(),
            highest: EntityId(0),
            gone: BTreeSet::new(),
            walls: BTreeSet::new(),
            turn: 0,
        }
    }

    fn perform(&mut self, deed: &Deed) {
        match deed {
            Deed::Play { ticks, bits } => (0..*ticks).for_each(|_| self.tick(bits)),
            Deed::Join(seat) => {
                self.world.join(Seat::ALL[*seat]);
            }
            Deed::Leave(seat, silent) => {
                let why = if *silent { Departure::TimedOut } else { Departure::Left };
                self.world.leave(Seat::ALL[*seat], why);
            }
            Deed::Choose(seat, model) => self.world.choose_ship(Seat::ALL[*seat], ShipModel::ALL[*model]),
            Deed::Restart => self.world.restart(),
            Deed::Start => self.world.start(),
            Deed::Enter(stage) => self.world.enter(self.stages[*stage].clone()),
            Deed::Spawn { kind, x, y } => {
                self.world.spawn(*kind, Vec2::new(px(*x), px(*y)));
            }
            Deed::Restore => {
                let restored = World::restore(self.world.stage().clone(), &self.world.save()).expect("a whole save");
                assert_eq!(restored, self.world);
                self.world = restored;
            }
        }
    }

    fn tick(&mut self, bits: &[(u8, u8); 4]) {
        self.turn = self.turn.wrapping_add(1);
        let inputs = bits.map(|(held, pressed)| Input {
            held: game::Buttons::from_bits(held),
            // Tapping now and then, rather than in every tick.
            pressed: game::Buttons::from_bits(if self.turn.is_multiple_of(9) { pressed } else { 0 }),
        });
        self.world.tick(&inputs);
        self.check(&self.world.frame());
    }

    fn check(&mut self, frame: &Frame) {
        check_limits(frame);
        check_players(frame);
        self.check_events(frame);
    }

    /// Each entity that appeared has its event, each that vanished too, and no id ever comes again.
    fn check_events(&mut self, frame: &Frame) {
        let mut now: BTreeMap<EntityId, Kind> = frame.entities.iter().map(|entity| (entity.id, entity.kind)).collect();
        assert_eq!(now.len(), frame.entities.len(), "an id is there twice");
        let walls = now.iter().filter(|(_, kind)| **kind == Kind::Wall).map(|(id, _)| *id).collect();
        now.retain(|_, kind| *kind != Kind::Wall);
        self.check_walls(walls);
        let (mut spawned, mut destroyed) = (BTreeSet::new(), BTreeSet::new());
        for event in &frame.events {
            match event {
                Event::Spawned { entity } => {
                    assert!(*entity > self.highest, "ids rise: {entity:?} after {:?}", self.highest);
                    self.highest = *entity;
                    spawned.insert(*entity);
                }
                Event::Destroyed { entity, .. } => assert!(destroyed.insert(*entity), "{entity:?} goes once"),
                _ => {}
            }
        }
        for id in now.keys() {
            assert!(self.before.contains_key(id) || spawned.contains(id), "{id:?} appeared unannounced");
            assert!(!self.gone.contains(id) && !destroyed.contains(id), "{id:?} is back");
        }
        for id in self.before.keys().chain(&spawned).filter(|id| !now.contains_key(*id)) {
            assert!(destroyed.contains(id), "{id:?} vanished unannounced");
        }
        for id in &destroyed {
            assert!(self.before.contains_key(id) || spawned.contains(id), "{id:?} was never there");
        }
        self.gone.extend(destroyed);
        self.before = now;
    }

    /// Walls come and go without events, but none comes back under the same id.
    fn check_walls(&mut self, walls: BTreeSet<EntityId>) {
        self.gone.extend(self.walls.difference(&walls));
        assert!(self.gone.is_disjoint(&walls), "a wall is back");
        self.walls = walls;
    }
}

fn check_limits(frame: &Frame) {
    assert!(frame.entities.iter().filter(|entity| entity.kind == Kind::Wall).count() <= limits::WALLS);
    let count = |class: Class| frame.entities.iter().filter(|entity| entity.kind.class() == class).count();
    assert!(count(Class::Enemy) + count(Class::Boss) + count(Class::Block) <= limits::FOES);
    assert!(count(Class::PlayerShot) <= limits::SHOTS && count(Class::EnemyShot) <= limits::BULLETS);
    assert!(count(Class::Item) <= limits::ITEMS && count(Class::Effect) <= limits::EFFECTS);
    assert!(frame.events.len() <= limits::EVENTS);
    for entity in frame.entities.iter().filter(|entity| entity.kind != Kind::Wall) {
        let (x, y) = (entity.position.x, entity.position.y);
        assert!((-tuning::OUTSIDE..=px(480 + 80) + tuning::OUTSIDE).contains(&x), "{entity:?}");
        assert!((-tuning::OUTSIDE..=px(270) + tuning::OUTSIDE).contains(&y), "{entity:?}");
        assert!(entity.health <= entity.health_max);
    }
}

fn check_players(frame: &Frame) {
    let owned = |kind: Kind, seat: Seat| {
        frame.entities.iter().filter(|entity| entity.kind == kind && entity.seat == Some(seat)).count()
    };
    assert!(frame.entities.iter().filter(|entity| entity.kind == Kind::Player).count() <= 4);
    for seat in Seat::ALL {
        let flies = usize::from(frame.players[seat.index()].is_some_and(|player| player.ship.is_some()));
        assert_eq!(owned(Kind::Player, seat), flies);
        assert!(owned(Kind::Force, seat) <= flies && owned(Kind::Bit, seat) <= tuning::BITS_MAX * flies);
        if let Some(player) = frame.players[seat.index()] {
            assert!(player.lives <= tuning::LIVES_MAX && player.force_level <= tuning::FORCE_LEVEL_MAX);
            assert!(player.lives > 0 || player.ship.is_none(), "a player who flies has a life");
        }
    }
}

/// A busy game to take saves from.
fn busy_save(seed: u64, stage: usize) -> (Arc<Stage>, Vec<u8>) {
    let mut watch = Watch::new(stage, Rules { lives: 9, ..Rules::default() }, seed);
    (0..4).for_each(|seat| watch.perform(&Deed::Join(seat)));
    watch.perform(&Deed::Start);
    for item in [Kind::RedCrystal, Kind::BitPack, Kind::MissilePack, Kind::BlueCrystal, Kind::YellowCrystal] {
        for y in [108, 162, 72, 198] {
            watch.perform(&Deed::Spawn { kind: item, x: 64, y });
        }
        watch.perform(&Deed::Play { ticks: 3, bits: [(0, 0x10); 4] });
    }
    for (index, &kind) in Kind::ALL.iter().enumerate() {
        watch.perform(&Deed::Spawn { kind, x: 460, y: 20 + index as i32 * 4 });
    }
    watch.perform(&Deed::Play {
        ticks: 40 + (seed % 60) as u8,
        bits: [(0x12, 0x10), (0x08, 0x30), (0, 0x10), (0x04, 0)],
    });
    (watch.world.stage().clone(), watch.world.save())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_lobby_does_the_game_keeps_its_promises(
        stage in 0..4usize,
        rules in rules(),
        seed in any::<u64>(),
        deeds in vec(deed(), 1..80),
    ) {
        let mut watch = Watch::new(stage, rules, seed);
        watch.perform(&Deed::Join(0));
        watch.perform(&Deed::Start);
        deeds.iter().for_each(|deed| watch.perform(deed));
        watch.perform(&Deed::Restore);
    }

    #[test]
    fn a_world_restored_from_mutated_bytes_does_not_panic(
        seed in 0..8u64,
        stage in 0..4usize,
        mutations in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        bits in any::<[(u8, u8); 4]>(),
    ) {
        let (stage, mut save) = busy_save(seed, stage);
        for (place, byte) in mutations {
            // The version and the fingerprint are tested elsewhere: these mutations are to get past them.
            let place = 9 + place.index(save.len() - 9);
            save[place] = byte;
        }
        if let Ok(mut world) = World::restore(stage, &save) {
            let again = World::restore(world.stage().clone(), &world.save());
            prop_assert_eq!(again.as_ref(), Ok(&world));
            for tick in 0..150u8 {
                world.tick(&bits.map(|(held, pressed)| Input {
                    held: game::Buttons::from_bits(held ^ (tick / 16)),
                    pressed: game::Buttons::from_bits(pressed ^ (tick / 8)),
                }));
                check_limits(&world.frame());
                check_players(&world.frame());
            }
            world.enter(Stage::endless());
            (0..30).for_each(|_| world.tick(&Default::default()));
        }
    }
}

#[test]
fn every_truncated_save_is_refused() {
    let (stage, save) = busy_save(1, 1);
    for length in 0..save.len() {
        assert!(World::restore(stage.clone(), &save[..length]).is_err(), "{length} bytes of {}", save.len());
    }
    let longer = [&save[..], &[0]].concat();
    assert!(World::restore(stage.clone(), &longer).is_err(), "nor is one with a byte too many");
    assert!(World::restore(stage, &save).is_ok());
}

#[test]
fn a_full_field_that_goes_at_once_is_told_in_full() {
    let mut watch = Watch::new(2, Rules { set: RuleSet::Arcade, ..Rules::default() }, 1);
    (0..4).for_each(|seat| watch.perform(&Deed::Join(seat)));
    watch.perform(&Deed::Start);
    for (kind, count) in [(Kind::Warden, 96), (Kind::Lance, 128), (Kind::SpeedUp, 16), (Kind::Block, 96)] {
        (0..count).for_each(|index| watch.perform(&Deed::Spawn { kind, x: 300 + index, y: 200 }));
    }
    watch.perform(&Deed::Play { ticks: 2, bits: [(0, 0x10); 4] });
    watch.perform(&Deed::Enter(1));
    watch.perform(&Deed::Play { ticks: 2, bits: [(0, 0); 4] });
    assert!(watch.world.refused() > 0, "the limits were reached");
}
