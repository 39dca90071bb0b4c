//! One busy picture, drawn: 4 ships, 30 enemies, 60 shots, explosions, terrain and HUD, against a floor in the same run.
//!
//! The floor fills the 64-colour picture and copies as many bytes as the finished one has: `cargo bench -p client`.

#[path = "../tests/scenes/mod.rs"]
#[allow(dead_code, reason = "the gallery and the tests use the rest")]
mod scenes;

use std::{hint::black_box, time::Instant};

use client::draw::{Colour, Painter, Picture, hud};

fn main() {
    print_ratio();
    divan::main();
}

struct Bench {
    painter: Painter,
    picture: Picture,
    frame: game::Frame,
    stage: std::sync::Arc<game::Stage>,
    tick: u32,
}

impl Bench {
    fn new() -> Bench {
        let frame = scenes::busy_frame(1);
        Bench { painter: Painter::new(), picture: Picture::new(), frame, stage: scenes::stage_one(), tick: 0 }
    }

    fn draw(&mut self) -> u8 {
        self.tick += 1;
        if self.tick.is_multiple_of(20) {
            // Something blows up three times a second.
            let entity = game::EntityId(13 + self.tick / 20 % 30);
            self.frame.events = vec![game::Event::Destroyed { entity, gone: game::Gone::Destroyed }];
            self.painter.observe(&self.frame);
        }
        let view = scenes::view_of(&self.frame, &self.stage, self.tick);
        self.painter.draw(&view, &mut self.picture);
        hud::draw(&scenes::hud_of(&view), &mut self.picture);
        self.picture.rgba()[0]
    }
}

#[divan::bench]
fn busy_picture(bencher: divan::Bencher) {
    let mut bench = Bench::new();
    bencher.bench_local(|| bench.draw());
}

#[divan::bench]
fn floor(bencher: divan::Bencher) {
    let (mut picture, mut floor) = (Picture::new(), Floor::new());
    bencher.bench_local(|| floor.pass(&mut picture));
}

/// The least that any drawing of a picture does.
struct Floor {
    from: Vec<u8>,
    to: Vec<u8>,
}

impl Floor {
    fn new() -> Floor {
        let bytes = 4 * (Picture::WIDTH * Picture::HEIGHT) as usize;
        Floor { from: vec![1; bytes], to: vec![0; bytes] }
    }

    fn pass(&mut self, picture: &mut Picture) {
        picture.clear(black_box(Colour::VOID));
        self.to.copy_from_slice(black_box(&self.from));
        black_box(&self.to);
    }
}

fn print_ratio() {
    const ROUNDS: u32 = 300;
    let (mut bench, mut picture, mut floor) = (Bench::new(), Picture::new(), Floor::new());
    let median = |mut work: Box<dyn FnMut() + '_>| {
        let mut times: Vec<u128> = (0..ROUNDS)
            .map(|_| {
                let begin = Instant::now();
                work();
                begin.elapsed().as_nanos()
            })
            .collect();
        times.sort_unstable();
        times[times.len() / 2]
    };
    let drawn = median(Box::new(|| {
        black_box(bench.draw());
    }));
    let least = median(Box::new(|| floor.pass(&mut picture)));
    println!("busy picture {} µs, floor {} µs, ratio {}", drawn / 1000, least / 1000, drawn / least.max(1));
}
