//! One busy picture, drawn: 4 ships, 30 enemies, 60 shots, explosions, terrain and HUD, against a floor in the same run.
//!
//! The floor fills the 64-colour picture and copies as many bytes as the finished one has: `cargo bench -p client`. The same scene is
//! then drawn in every zone of every stage, and half way from each zone to the next, where two backdrops are mixed.

#[path = "../tests/scenes/mod.rs"]
#[allow(dead_code, reason = "the gallery and the tests use the rest")]
mod scenes;

use std::{hint::black_box, sync::Arc, time::Instant};

use client::draw::{Colour, Painter, Picture, View, ZoneStart, hud};
use game::{SUBPIXELS, Stage};

fn main() {
    print_ratio();
    print_zones();
    divan::main();
}

struct Bench {
    painter: Painter,
    picture: Picture,
    frame: game::Frame,
    stage: Arc<Stage>,
    zones: Vec<ZoneStart>,
    /// Where in the stage it is drawn; none: where scenes are.
    x_px: Option<i64>,
    tick: u32,
}

impl Bench {
    fn new() -> Bench {
        Bench::in_stage(scenes::stage_one(), None)
    }

    fn in_stage(stage: Arc<Stage>, x_px: Option<i64>) -> Bench {
        let (painter, picture, frame) = (Painter::new(), Picture::new(), scenes::busy_frame(1));
        let zones = x_px.map_or_else(Vec::new, |_| ZoneStart::all_of(&stage));
        Bench { painter, picture, frame, stage, zones, x_px, tick: 0 }
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
        let scroll = self.x_px.map_or(view.scroll, |x_px| x_px * i64::from(SUBPIXELS));
        let view = View { scroll, zones: &self.zones, ..view };
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

const ROUNDS: u32 = 300;

/// The median of many rounds, in nanoseconds.
fn median(mut work: impl FnMut()) -> u128 {
    let timed = |_| {
        let begin = Instant::now();
        work();
        begin.elapsed().as_nanos()
    };
    let mut times: Vec<u128> = (0..ROUNDS).map(timed).collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn print_ratio() {
    let (mut bench, mut picture, mut floor) = (Bench::new(), Picture::new(), Floor::new());
    let drawn = median(|| _ = black_box(bench.draw()));
    let least = median(|| floor.pass(&mut picture));
    println!("busy picture {} µs, floor {} µs, ratio {}", drawn / 1000, least / 1000, drawn / least.max(1));
}

/// The same scene in each zone, and where the next zone has come in by half a picture.
fn print_zones() {
    println!("{:<9} {:<14} {:>7} {:>9}", "stage", "zone", "µs", "next, µs");
    for name in ["stage1", "stage2", "stage3", "endless"] {
        let stage = Stage::built_in(name).expect("it is built in");
        for (zone, start) in stage.zones.iter().zip(ZoneStart::all_of(&stage)) {
            let width = i64::from(Picture::WIDTH);
            let [inside, before] = [start.x_px + width / 4, (start.x_px - width / 2).max(0)].map(|x_px| {
                let mut bench = Bench::in_stage(stage.clone(), Some(x_px));
                median(|| _ = black_box(bench.draw())) / 1000
            });
            println!("{name:<9} {:<14} {inside:>7} {before:>9}", zone.name);
        }
    }
}
