//! Why `game` keeps its entities in plain tables sorted by id rather than in an entity-component library.
//!
//! The same small game twice, 94 entities and 1,000 worlds: once in tables, once in hecs. Both move everything, test
//! shots against enemies in the order of their ids (so that the outcome does not depend on history), and remove and add
//! a shot a step. hecs iterates in an order that depends on history, so it must sort where order matters.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::float_arithmetic,
    reason = "a benchmark reads the clock and divides"
)]

mod heap;

use std::{hint::black_box, time::Instant};

const WORLDS: usize = 1000;
const STEPS: usize = 8;
const RUNS: usize = 15;
const FOES: u32 = 30;
const SHOTS: u32 = 60;
const SHIPS: u32 = 4;

#[derive(Clone, Copy)]
struct Id(u32);
#[derive(Clone, Copy)]
struct Position(i32, i32);
#[derive(Clone, Copy)]
struct Velocity(i32, i32);
#[derive(Clone, Copy)]
struct Health(u16);
#[derive(Clone, Copy)]
struct Power(u16);
/// As much as a real foe or shot remembers besides.
#[derive(Clone, Copy)]
struct Memory([u32; 5]);

fn main() {
    let (tables_us, tables_heap) = measure(Tables::new, Tables::step);
    let (hecs_us, hecs_heap) = measure(Hecs::new, Hecs::step);
    println!("{WORLDS} worlds of {} entities, best of {RUNS} runs", FOES + SHOTS + SHIPS);
    println!("{:>8} {:>12} {:>16}", "", "µs per step", "heap per world");
    println!("{:>8} {tables_us:>12.2} {:>13.1} KB", "tables", tables_heap as f64 / 1024.0);
    println!("{:>8} {hecs_us:>12.2} {:>13.1} KB", "hecs", hecs_heap as f64 / 1024.0);
    println!(
        "ratio hecs / tables: {:.1} in time, {:.1} in memory",
        hecs_us / tables_us,
        hecs_heap as f64 / tables_heap as f64
    );
}

fn measure<W>(new: impl Fn(u32) -> W, step: impl Fn(&mut W)) -> (f64, usize) {
    let before = heap::bytes();
    let mut worlds: Vec<W> = (0..WORLDS as u32).map(&new).collect();
    let run = |worlds: &mut Vec<W>| {
        let start = Instant::now();
        for _ in 0..STEPS {
            worlds.iter_mut().for_each(|world| step(black_box(world)));
        }
        start.elapsed().as_secs_f64() * 1e6 / (WORLDS * STEPS) as f64
    };
    run(&mut worlds);
    let heap = (heap::bytes() - before) / WORLDS;
    let best = (0..RUNS).map(|_| run(&mut worlds)).fold(f64::MAX, f64::min);
    (best, heap)
}

/// Where entity `n` of a class starts: spread out so that hardly anything is hit.
fn place(n: u32, class: i32) -> Position {
    Position((n as i32 % 10) * 12_000, class * 30_000 + (n as i32 / 10) * 4_000)
}

fn touches(a: Position, b: Position) -> bool {
    ((a.0 - b.0).abs() < 3_000) & ((a.1 - b.1).abs() < 2_000)
}

// ---- Plain tables, sorted by id ----

struct Thing {
    id: Id,
    position: Position,
    velocity: Velocity,
    strength: u16,
    memory: Memory,
}

struct Tables {
    next_id: u32,
    ships: Vec<Thing>,
    foes: Vec<Thing>,
    shots: Vec<Thing>,
}

impl Tables {
    fn new(seed: u32) -> Tables {
        let mut next_id = 0;
        let mut table = |count: u32, class: i32| -> Vec<Thing> {
            (0..count)
                .map(|n| {
                    next_id += 1;
                    thing(next_id, place(n, class), seed)
                })
                .collect()
        };
        let (ships, foes, shots) = (table(SHIPS, 0), table(FOES, 1), table(SHOTS, 2));
        Tables { next_id, ships, foes, shots }
    }

    fn step(&mut self) {
        for thing in self.ships.iter_mut().chain(&mut self.foes).chain(&mut self.shots) {
            thing.position = Position(thing.position.0 + thing.velocity.0, thing.position.1 + thing.velocity.1);
            thing.memory.0[0] = thing.memory.0[0].wrapping_add(1);
        }
        for shot in &mut self.shots {
            for foe in &mut self.foes {
                if touches(shot.position, foe.position) && shot.strength > 0 {
                    foe.strength = foe.strength.saturating_sub(shot.strength);
                    foe.memory.0[1] = shot.id.0;
                    shot.strength = 0;
                }
            }
        }
        self.shots[0].strength = 0;
        self.shots.retain(|shot| shot.strength > 0);
        while self.shots.len() < SHOTS as usize {
            self.next_id += 1;
            self.shots.push(thing(self.next_id, place(self.next_id % 60, 2), 0));
        }
    }
}

fn thing(id: u32, position: Position, seed: u32) -> Thing {
    Thing { id: Id(id), position, velocity: Velocity(1, 0), strength: 4, memory: Memory([seed; 5]) }
}

// ---- hecs ----

struct Hecs {
    next_id: u32,
    world: hecs::World,
    foes: Vec<(u32, hecs::Entity, Position)>,
    shots: Vec<(u32, hecs::Entity, Position)>,
}

impl Hecs {
    fn new(seed: u32) -> Hecs {
        let mut hecs = Hecs { next_id: 0, world: hecs::World::new(), foes: Vec::new(), shots: Vec::new() };
        for n in 0..SHIPS {
            hecs.next_id += 1;
            hecs.world.spawn((Id(hecs.next_id), place(n, 0), Velocity(1, 0), Memory([seed; 5])));
        }
        for n in 0..FOES {
            hecs.next_id += 1;
            hecs.world.spawn((Id(hecs.next_id), place(n, 1), Velocity(1, 0), Health(4), Memory([seed; 5])));
        }
        (0..SHOTS).for_each(|n| hecs.spawn_shot(n, seed));
        hecs
    }

    fn spawn_shot(&mut self, n: u32, seed: u32) {
        self.next_id += 1;
        self.world.spawn((Id(self.next_id), place(n, 2), Velocity(1, 0), Power(4), Memory([seed; 5])));
    }

    fn step(&mut self) {
        for (position, velocity, memory) in self.world.query_mut::<(&mut Position, &Velocity, &mut Memory)>() {
            *position = Position(position.0 + velocity.0, position.1 + velocity.1);
            memory.0[0] = memory.0[0].wrapping_add(1);
        }
        self.gather();
        self.collide();
        let first = self.shots[0].1;
        self.world.despawn(first).expect("a shot just gathered");
        let spent: Vec<hecs::Entity> = self
            .world
            .query_mut::<(hecs::Entity, &Power)>()
            .into_iter()
            .filter(|(_, power)| power.0 == 0)
            .map(|(entity, _)| entity)
            .collect();
        spent.iter().for_each(|&entity| self.world.despawn(entity).expect("a shot just seen"));
        (0..=spent.len() as u32).for_each(|_| self.spawn_shot(self.next_id % 60, 0));
    }

    /// Order decides who is hit, so both sides are sorted by id.
    fn gather(&mut self) {
        self.foes.clear();
        self.shots.clear();
        let foes = self.world.query_mut::<(hecs::Entity, &Id, &Position, &Health)>();
        self.foes.extend(foes.into_iter().map(|(entity, id, position, _)| (id.0, entity, *position)));
        let shots = self.world.query_mut::<(hecs::Entity, &Id, &Position, &Power)>();
        self.shots.extend(shots.into_iter().map(|(entity, id, position, _)| (id.0, entity, *position)));
        self.foes.sort_unstable_by_key(|foe| foe.0);
        self.shots.sort_unstable_by_key(|shot| shot.0);
    }

    fn collide(&mut self) {
        for &(_, shot, at) in &self.shots {
            for &(_, foe, foe_at) in &self.foes {
                if touches(at, foe_at) {
                    let power = std::mem::take(&mut self.world.get::<&mut Power>(shot).expect("a shot").0);
                    let mut health = self.world.get::<&mut Health>(foe).expect("a foe");
                    health.0 = health.0.saturating_sub(power);
                }
            }
        }
    }
}
