//! In the steady state a shard allocates nothing for a datagram: not for one that arrives, not for one that is handed over,
//! not for one that it sends.
#![allow(unsafe_code, reason = "an allocator that counts")]

mod carried;
mod simulated;
mod websockets;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use game::{Rules, Skill};
use protocol::{Dialect, LobbyRequest, StreamUse};
use server::{
    core::{Core, Counters, DialectCounters, NamesAndChat, RecordedGames},
    edge::{Admission, LinkRules},
    sockets::{Doors, Node},
};
use simulated::{AT_WORK, Simulation, network::Conditions, settings};

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

/// What shards did in some time.
#[derive(Clone, Copy, Default)]
struct Work {
    allocations: u64,
    ticks: u64,
    datagrams: u64,
    handovers: u64,
}

impl Work {
    /// All that this thread's shards did, which have counted this.
    fn so_far(counters: &Counters) -> Work {
        let datagrams = |(_, of): (Dialect, &DialectCounters)| of.datagrams_in + of.datagrams_out;
        Work {
            allocations: ALLOCATIONS.get(),
            ticks: counters.ticks,
            datagrams: counters.dialects().map(datagrams).sum(),
            handovers: counters.handovers,
        }
    }

    fn since(self, before: Work) -> Work {
        Work {
            allocations: self.allocations - before.allocations,
            ticks: self.ticks - before.ticks,
            datagrams: self.datagrams - before.datagrams,
            handovers: self.handovers - before.handovers,
        }
    }

    /// Asserts that there were no more allocations than these in a hundred ticks.
    fn assert_is_quiet(self, whose: &str, allocations_max: u64) {
        let Work { allocations, ticks, datagrams, handovers } = self;
        println!("{whose}: {allocations} in {ticks} ticks, {datagrams} datagrams, {handovers} handed over");
        assert!(allocations * 100 <= allocations_max * ticks, "{whose}");
    }
}

/// The game makes a list now and then, when something is destroyed or appears, whoever plays: this many in a hundred ticks. With as
/// much as one allocation in each tick of a lobby, this would be passed.
const GAME_ALLOCATIONS: u64 = 60;

/// What the shards of a node do in ten seconds, once everybody has played for a minute.
fn steady(dialects: &[Dialect], shards: u8, conditions: Conditions) -> Work {
    let mut sim = Simulation::sharded(1, 100, shards);
    for (number, dialect) in dialects.iter().enumerate() {
        come(&mut sim, *dialect, number as u8);
        sim.run(1);
    }
    sim.network.conditions = conditions;
    sim.run(60);
    let before = Work::so_far(&sim.counters());
    sim.run(10);
    assert_eq!(sim.players(), dialects.len());
    let work = Work::so_far(&sim.counters()).since(before);
    assert!(work.datagrams > 1_000);
    work
}

/// Lets a player come, over a link if the dialect has such. Links come to the shards in turn.
fn come(sim: &mut Simulation, dialect: Dialect, number: u8) {
    if !matches!(dialect.entry().stream, StreamUse::Link(_)) {
        sim.join(dialect, None);
        return;
    }
    let link = sim.link_asking(number, "Ann", LobbyRequest::Quick);
    sim.ask(link, LobbyRequest::Ready(true));
    sim.ask(link, LobbyRequest::Start);
}

#[test]
fn a_shard_of_any_dialect_allocates_nothing_for_a_datagram() {
    for dialect in Dialect::ALL {
        let work = steady(&[dialect; 4], 1, Conditions::PERFECT);
        work.assert_is_quiet(dialect.name(), GAME_ALLOCATIONS);
    }
}

#[test]
fn a_shard_of_all_dialects_allocates_nothing_for_a_datagram() {
    steady(&Dialect::ALL, 1, Conditions::PERFECT).assert_is_quiet("all", GAME_ALLOCATIONS);
}

#[test]
fn recording_a_game_allocates_nothing_for_a_datagram() {
    let mut sim = Simulation::sharded(1, 100, 1);
    sim.keep_recordings(RecordedGames::All(NamesAndChat::LeftOut));
    (0..4).for_each(|number| come(&mut sim, Dialect::Volley, number));
    sim.run(60);
    let (before, pieces) = (Work::so_far(&sim.counters()), sim.pieces.len());
    sim.run(60);
    assert!(sim.pieces.len() >= pieces + 2, "two blocks");
    Work::so_far(&sim.counters()).since(before).assert_is_quiet("recorded", GAME_ALLOCATIONS);
}

/// What a shard does in ten seconds for a lobby whose host has added bots of that skill.
fn lobby_with(bots: usize, skill: Skill) -> Work {
    let mut sim = Simulation::sharded(1, 100, 1);
    let rules = Rules { lives: 9, ..Rules::default() };
    let create = LobbyRequest::Create { stage: "endless".into(), rules, is_private: false };
    let ann = sim.link_asking(0, "Ann", create);
    (0..bots).for_each(|_| sim.ask(ann, LobbyRequest::AddBot(skill)));
    sim.ask(ann, LobbyRequest::Start);
    sim.run(60);
    let before = Work::so_far(&sim.counters());
    sim.run(10);
    assert_eq!(sim.shards[0].bot_count(), bots);
    Work::so_far(&sim.counters()).since(before)
}

#[test]
fn a_lobby_with_bots_allocates_no_more_than_one_without() {
    for bots in [0, 1, 3] {
        for skill in Skill::ALL {
            lobby_with(bots, skill).assert_is_quiet(&format!("{bots} {} bots", skill.name()), GAME_ALLOCATIONS);
        }
    }
}

#[test]
fn handing_over_allocates_nothing() {
    for dialects in [&[Dialect::Aecs; 4][..], &[Dialect::Volley; 4], &Dialect::ALL] {
        let work = steady(dialects, 2, Conditions::PERFECT);
        work.assert_is_quiet("two shards", GAME_ALLOCATIONS);
        assert!(work.handovers > 500);
    }
}

#[test]
fn what_is_confirmed_late_or_lost_allocates_nothing() {
    let far = Conditions::PERFECT.delay_ms(60).shuffle_ms(20).loss_percent(2);
    steady(&[Dialect::Volley; 4], 1, far).assert_is_quiet("volley from afar", GAME_ALLOCATIONS);
}

/// Over real WebSockets a few things more are allocated: pings over the stream, and buffers that are not as long yet as
/// they come to be. One for each datagram would still be four more a tick.
const WITH_STREAMS: u64 = 400;
/// What takes five seconds is broken if it is not done by then.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn what_goes_over_a_real_link_allocates_nothing_on_its_shard() {
    let doors = Doors { bind: IpAddr::V4(Ipv4Addr::LOCALHOST), ports: BTreeMap::new() };
    let mut node = Node::open(&doors, &settings(1, 10), 1).expect("a node");
    let wake_handle = node.wake_handles()[0].clone();
    let (admission, arrivals) =
        Admission::new(Dialect::Volley, LinkRules::default(), &[Arc::new(move || wake_handle.wake())]);
    node.take_links(arrivals);
    let (stop, seen) = (AtomicBool::new(false), Mutex::new(Work::default()));
    let look = |_, core: &Core| {
        // From here on its thread counts.
        AT_WORK.set(true);
        *seen.lock().expect("no panic") = Work::so_far(core.counters());
    };
    let work = thread::scope(|scope| {
        scope.spawn(|| node.run(&stop, look));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let work = runtime.block_on(async { tokio::time::timeout(PATIENCE, played(admission, &seen)).await });
        stop.store(true, Ordering::Relaxed);
        work
    });
    let work = work.expect("everybody plays");
    work.assert_is_quiet("over WebSockets", WITH_STREAMS);
}

/// What the shard does in about two seconds, once four have played for about three.
async fn played(admission: Admission, seen: &Mutex<Work>) -> Work {
    let address = websockets::serve(admission).await;
    (0..4).for_each(|number| drop(tokio::spawn(carried::play(address, number))));
    let before = after(seen, 1_500).await;
    after(seen, 2_500).await.since(before)
}

/// What was done by the time of this many datagrams.
async fn after(seen: &Mutex<Work>, datagrams: u64) -> Work {
    loop {
        let work = *seen.lock().expect("no panic");
        if work.datagrams >= datagrams {
            return work;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
