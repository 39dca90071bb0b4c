//! What one step of a busy world costs, and how much heap a world holds.
//!
//! A busy world has 4 armed ships, 30 enemies and 60 shots over terrain. After divan's own table a summary prints the
//! time of a step against a floor measured in the same run: the bare movement of as many points in plain arrays. The busiest
//! scenes of the real stages need bots to play them, which this crate must not know: `crates/bot/examples/busiest.rs`.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::float_arithmetic,
    reason = "a benchmark reads the clock and divides"
)]

mod heap;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use divan::{Bencher, counter::ItemsCount};
use game::{Buttons, Class, Frame, Input, Inputs, Kind, Rules, Seat, Stage, Vec2, World, px};

const WORLDS: [usize; 3] = [1, 100, 1000];
/// Steps that each world takes in one sample. So few that the scene stays as it is.
const STEPS: usize = 8;

fn main() {
    divan::main();
    summarise();
}

#[divan::bench(args = WORLDS)]
fn step(bencher: Bencher, count: usize) {
    bencher
        .counter(ItemsCount::new(count * STEPS))
        .with_inputs(|| busy_worlds(count))
        .bench_local_refs(|worlds| step_all(worlds));
}

#[divan::bench]
fn frame(bencher: Bencher) {
    let world = busy_world(1);
    let mut frame = Frame::default();
    bencher.bench_local(|| world.frame_into(black_box(&mut frame)));
}

#[divan::bench]
fn hash(bencher: Bencher) {
    let world = busy_world(1);
    bencher.bench_local(|| black_box(&world).hash());
}

#[divan::bench]
fn save(bencher: Bencher) {
    let world = busy_world(1);
    bencher.bench_local(|| black_box(&world).save());
}

fn step_all(worlds: &mut [World]) {
    for _ in 0..STEPS {
        for world in worlds.iter_mut() {
            world.step(black_box(&[Input::holding(Buttons::RIGHT); 4]));
        }
    }
}

fn busy_worlds(count: usize) -> Vec<World> {
    let world = busy_world(1);
    let mut worlds = vec![world; count];
    // A clone has tables without room to grow; a world that has run for a while has it.
    step_all(&mut worlds);
    worlds
}

/// 4 ships with Force, missiles and Bits, 30 enemies, 60 shots of both sides, above a floor and below a ceiling.
fn busy_world(seed: u64) -> World {
    let open = ".".repeat(64);
    let rock = "#".repeat(64);
    let mut rows = vec![open.as_str(); 17];
    (rows[0], rows[16]) = (&rock, &rock);
    let mut world = World::new(Stage::sketch(&rows), Rules::default(), seed);
    for seat in Seat::ALL {
        world.join(seat);
    }
    world.start();
    for seat in Seat::ALL {
        let at = world.frame().ship(seat).expect("just joined").position;
        for item in [Kind::RedCrystal, Kind::MissilePack, Kind::BitPack, Kind::BitPack] {
            world.spawn(item, at);
        }
    }
    // Let the Force arrive, then fill the field with shots.
    (0..120).for_each(|_| world.tick(&[Input::IDLE; 4]));
    (0..60).for_each(|step| world.tick(&firing(step)));
    fill(&mut world, Class::Enemy, 30);
    let shots = count(&world, Class::PlayerShot);
    fill(&mut world, Class::EnemyShot, 60usize.saturating_sub(shots));
    world
}

fn firing(step: usize) -> Inputs {
    let input = if step.is_multiple_of(4) { Input::tapping(Buttons::FIRE) } else { Input::IDLE };
    [input; 4]
}

/// Puts enemies or their shots where no ship flies until there are `wanted`.
fn fill(world: &mut World, class: Class, wanted: usize) {
    const ENEMIES: [Kind; 6] = [Kind::Drone, Kind::Seeker, Kind::Turret, Kind::Walker, Kind::Bomber, Kind::Mine];
    for index in 0..wanted {
        let kind = if class == Class::Enemy { ENEMIES[index % ENEMIES.len()] } else { Kind::Pellet };
        let (column, row) = ((index % 10) as i32, (index / 10) as i32);
        world.spawn(kind, Vec2::new(px(200 + column * 27), px(34 + row * 9 + i32::from(class == Class::Enemy) * 190)));
    }
}

fn count(world: &World, class: Class) -> usize {
    world.frame().entities.iter().filter(|entity| entity.kind.class() == class).count()
}

// ---- The summary ----

fn summarise() {
    let world = busy_world(1);
    let shots = count(&world, Class::PlayerShot) + count(&world, Class::EnemyShot);
    println!("\nA busy world: 4 ships, {} enemies, {shots} shots", count(&world, Class::Enemy));
    println!("{:>8} {:>14} {:>14} {:>8} {:>16}", "worlds", "µs per step", "floor µs", "ratio", "heap per world");
    for count in WORLDS {
        let (step, heap) = time_steps(count);
        let floor = time_floor(count);
        let (step, floor) = (per_step_us(step, count), per_step_us(floor, count));
        println!("{count:>8} {step:>14.2} {floor:>14.3} {:>8.1} {:>13.1} KB", step / floor, heap as f64 / 1024.0);
    }
    println!("(floor: as many points moved by their velocities in plain arrays; best of 15 runs each)");
}

fn per_step_us(time: Duration, count: usize) -> f64 {
    time.as_secs_f64() * 1e6 / (count * STEPS) as f64
}

fn time_steps(count: usize) -> (Duration, usize) {
    let before = heap::bytes();
    let worlds = busy_worlds(count);
    let heap = (heap::bytes() - before) / count;
    let best = (0..15).map(|_| {
        let mut worlds = worlds.clone();
        step_all(&mut worlds);
        timed(|| step_all(&mut worlds))
    });
    (best.min().expect("some runs"), heap)
}

fn time_floor(count: usize) -> Duration {
    let points = vec![[(7i32, 3i32); 94]; count];
    let velocities = vec![[(1i32, -1i32); 94]; count];
    let runs = (0..15).map(|_| {
        let mut points = points.clone();
        timed(|| {
            for _ in 0..STEPS {
                for (points, velocities) in black_box(&mut points).iter_mut().zip(black_box(&velocities)) {
                    points.iter_mut().zip(velocities).for_each(|(p, v)| *p = (p.0 + v.0, p.1 + v.1));
                }
            }
        })
    });
    runs.min().expect("some runs")
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
