//! In the steady state a shard allocates nothing for a datagram: not for one that arrives, not for one that is handed over,
//! not for one that it sends.
#![allow(unsafe_code, reason = "an allocator that counts")]

mod simulated;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use protocol::Dialect;
use server::core::DialectCounters;
use simulated::{AT_WORK, Simulation};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is the system's allocator's work; only a number of this thread is changed besides.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn count() {
    if AT_WORK.get() {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What the shards of a node do in ten seconds, once everybody has played for a minute.
struct Steady {
    allocations: u64,
    ticks: u64,
    datagrams: u64,
    handovers: u64,
}

fn steady(dialects: &[Dialect], shards: u8) -> Steady {
    let mut sim = Simulation::sharded(1, 100, shards);
    for dialect in dialects {
        sim.join(*dialect, None);
        sim.run(1);
    }
    sim.run(60);
    let datagrams = |sim: &Simulation| {
        let of = |(_, counters): (Dialect, &DialectCounters)| counters.datagrams_in + counters.datagrams_out;
        sim.counters().dialects().map(of).sum::<u64>()
    };
    let (before, counters, sent) = (ALLOCATIONS.get(), sim.counters(), datagrams(&sim));
    sim.run(10);
    assert_eq!(sim.players(), dialects.len());
    Steady {
        allocations: ALLOCATIONS.get() - before,
        ticks: sim.counters().ticks - counters.ticks,
        datagrams: datagrams(&sim) - sent,
        handovers: sim.counters().handovers - counters.handovers,
    }
}

/// The game makes a list in each of a tick's two steps, and now and then another one, whoever plays. Nothing else may
/// allocate: with as much as one allocation a player more, this would be passed.
const GAME_ALLOCATIONS_A_TICK: u64 = 3;

#[test]
fn a_shard_of_any_dialect_allocates_nothing_for_a_datagram() {
    for dialect in Dialect::WITH_PORTS {
        let steady = steady(&[dialect; 4], 1);
        println!(
            "{}: {} in {} ticks, {} datagrams",
            dialect.name(),
            steady.allocations,
            steady.ticks,
            steady.datagrams
        );
        assert!(steady.datagrams > 1_000);
        assert!(steady.allocations <= GAME_ALLOCATIONS_A_TICK * steady.ticks, "{}", dialect.name());
    }
}

#[test]
fn handing_over_allocates_nothing() {
    let steady = steady(&[Dialect::Aecs; 4], 2);
    println!("{} in {} ticks, {} handed over", steady.allocations, steady.ticks, steady.handovers);
    assert!(steady.handovers > 500);
    assert!(steady.allocations <= GAME_ALLOCATIONS_A_TICK * steady.ticks);
}
