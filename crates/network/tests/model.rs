//! The model, measured: what is set is what happens, over many datagrams and for more than one seed.

use std::time::Duration;

use network::{
    Binding, Bursts, Chance, Conditions, Counters, Delivery, Direction, Faults, IN_FLIGHT_MAX, Jitter, Message,
    Network, Outages, Rate, Rebinding, Reorder,
};

const SEEDS: [u64; 3] = [1, 77, 0xdead_beef];
/// As often as a client sends.
const TICK: Duration = Duration::from_micros(16_667);

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn both(faults: Faults) -> Conditions {
    Conditions::both(faults)
}

/// Sends numbered datagrams of 100 bytes up, one each `gap`.
fn send(seed: u64, conditions: Conditions, count: u32, gap: Duration) -> (Vec<Delivery<(), u32>>, Counters) {
    let mut network = Network::new(seed, conditions);
    let mut arrivals = Vec::new();
    for number in 0..count {
        network.send_up(gap * number, (), Message::datagram(100, number));
        arrivals.extend(std::iter::from_fn(|| network.poll(gap * number)));
    }
    arrivals.extend(std::iter::from_fn(|| network.poll(Duration::MAX)));
    (arrivals, *network.counters(Direction::Up))
}

/// What each datagram took, of those that arrived.
fn delays_ms(arrivals: &[Delivery<(), u32>], gap: Duration) -> Vec<f64> {
    arrivals.iter().map(|arrival| (arrival.at - gap * arrival.payload).as_secs_f64() * 1e3).collect()
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// How much each number says about the one `lag` later: 1 all, 0 nothing.
fn correlation(numbers: &[f64], lag: usize) -> f64 {
    let mean = mean(numbers);
    let product = |pair: (&f64, &f64)| (pair.0 - mean) * (pair.1 - mean);
    let together: f64 = numbers.iter().zip(&numbers[lag..]).map(product).sum();
    let alone: f64 = numbers.iter().zip(numbers).map(product).sum();
    together / alone
}

fn numbers(arrivals: &[Delivery<(), u32>]) -> Vec<u32> {
    arrivals.iter().map(|arrival| arrival.payload).collect()
}

#[track_caller]
fn assert_near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value}, expected {expected} ± {tolerance}");
}

#[test]
fn a_perfect_network_delivers_everything_at_once_and_in_order() {
    let (arrivals, counters) = send(1, Conditions::PERFECT, 1000, TICK);
    assert_eq!(numbers(&arrivals), (0..1000).collect::<Vec<_>>());
    assert!(delays_ms(&arrivals, TICK).iter().all(|delay| *delay == 0.0));
    assert_eq!(counters, Counters { sent: 1000, delivered: 1000, ..Counters::default() });
}

#[test]
fn as_much_is_lost_as_was_set_and_never_in_a_rhythm() {
    for (seed, percent) in SEEDS.into_iter().zip([2, 10, 30]) {
        let (arrivals, counters) = send(seed, Conditions::PERFECT.loss_percent(percent), 50_000, TICK);
        assert_near(counters.lost() as f64 / 500.0, percent.into(), 0.7);
        assert_eq!(counters.lost(), counters.lost_by_chance);
        let mut arrived = vec![0.0; 50_000];
        arrivals.iter().for_each(|arrival| arrived[arrival.payload as usize] = 1.0);
        (1..5).for_each(|lag| assert_near(correlation(&arrived, lag), 0.0, 0.02));
    }
}

#[test]
fn bursts_are_as_long_and_as_frequent_as_set() {
    let bursts = Bursts { begin: Chance::percent(1), end: Chance::percent(20), loss: Chance::ALWAYS };
    for seed in SEEDS {
        let (arrivals, counters) = send(seed, both(Faults { bursts: Some(bursts), ..Faults::NONE }), 200_000, TICK);
        // 1 / (1 + 20) of the time, five datagrams each.
        assert_near(counters.lost_in_bursts as f64 / 2_000.0, 100.0 / 21.0, 0.4);
        let numbers = numbers(&arrivals);
        let gaps = numbers.windows(2).filter(|pair| pair[1] - pair[0] > 1).count();
        assert_near(counters.lost_in_bursts as f64 / gaps as f64, 5.0, 0.3);
    }
}

#[test]
fn a_burst_that_loses_half_loses_half() {
    let bursts = Bursts { begin: Chance::percent(10), end: Chance::percent(10), loss: Chance::percent(50) };
    let (_, counters) = send(3, both(Faults { bursts: Some(bursts), ..Faults::NONE }), 100_000, TICK);
    assert_near(counters.lost() as f64 / 1_000.0, 25.0, 1.0);
}

#[test]
fn copies_arrive_as_often_as_set() {
    let (arrivals, counters) = send(5, Conditions::PERFECT.duplicate_percent(20), 50_000, TICK);
    assert_near(counters.duplicated as f64 / 500.0, 20.0, 0.7);
    assert_eq!(arrivals.len() as u64, counters.delivered);
    assert_eq!(counters.delivered, 50_000 + counters.duplicated);
}

#[test]
fn jitter_has_the_mean_that_was_set_and_a_long_tail_to_the_right() {
    let jitter = Jitter { mean: ms(20), memory: Duration::ZERO };
    for seed in SEEDS {
        // A second apart, so that keeping the order changes nothing.
        let gap = Duration::from_secs(1);
        let (arrivals, _) = send(seed, both(Faults { delay: ms(50), jitter, ..Faults::NONE }), 50_000, gap);
        let mut delays = delays_ms(&arrivals, gap);
        assert_near(mean(&delays), 70.0, 0.5);
        delays.sort_by(f64::total_cmp);
        assert!(delays[0] >= 50.0);
        // Of an exponential distribution: the median at 0.69 means, one in a hundred beyond 4.6.
        assert_near(delays[25_000], 50.0 + 0.693 * 20.0, 0.7);
        assert_near(delays[49_500], 50.0 + 4.605 * 20.0, 6.0);
    }
}

#[test]
fn jitter_lasts_as_long_as_its_memory() {
    let correlation_of = |memory| {
        let jitter = Jitter { mean: ms(1), memory };
        // 16 ms apart: the order is kept anyway.
        let (arrivals, _) = send(9, both(Faults { jitter, ..Faults::NONE }), 100_000, TICK);
        correlation(&delays_ms(&arrivals, TICK), 1)
    };
    assert_near(correlation_of(Duration::ZERO), 0.0, 0.02);
    // A half of the state is left after the memory, and the delay goes with its square.
    assert_near(correlation_of(TICK), 0.25, 0.03);
    assert_near(correlation_of(10 * TICK), 0.83, 0.03);
}

#[test]
fn jitter_alone_changes_no_order() {
    let (arrivals, _) = send(9, Conditions::PERFECT.jitter_ms(80), 20_000, TICK);
    assert_eq!(numbers(&arrivals), (0..20_000).collect::<Vec<_>>());
}

#[test]
fn as_many_are_held_back_and_overtaken_as_was_set() {
    let reorder = Reorder { chance: Chance::percent(10), at_most: ms(100) };
    let (arrivals, counters) = send(4, both(Faults { delay: ms(30), reorder, ..Faults::NONE }), 50_000, TICK);
    assert_near(counters.held_back as f64 / 500.0, 10.0, 0.6);
    // Five of six holds are longer than a tick.
    let numbers = numbers(&arrivals);
    let overtaken =
        (0..numbers.len()).filter(|&at| numbers[..at].iter().rev().take(12).any(|n| *n > numbers[at])).count();
    assert_near(overtaken as f64 / 500.0, 10.0 * 5.0 / 6.0, 0.7);
    assert!(delays_ms(&arrivals, TICK).iter().all(|delay| (30.0..=130.0).contains(delay)));
}

#[test]
fn a_slow_line_carries_its_rate_and_its_queue_adds_delay_up_to_its_length() {
    // 100 bytes each millisecond on a line for half of it.
    let rate = Rate { bytes_per_second: 50_000, queue_bytes: 5_000 };
    let (arrivals, counters) = send(4, both(Faults { rate: Some(rate), ..Faults::NONE }), 10_000, ms(1));
    assert_near(arrivals.len() as f64, 5_000.0, 60.0);
    assert_eq!(counters.lost(), counters.lost_in_queue);
    let delays = delays_ms(&arrivals, ms(1));
    assert_near(delays[0], 2.0, 0.01);
    assert_near(*delays.last().expect("some arrive"), 100.0, 3.0);
    assert!(delays.iter().all(|delay| *delay <= 100.0));
}

#[test]
fn a_line_that_is_fast_enough_holds_nothing_up() {
    let rate = Rate { bytes_per_second: 1_000_000, queue_bytes: 5_000 };
    let (arrivals, counters) = send(4, both(Faults { rate: Some(rate), ..Faults::NONE }), 1_000, ms(1));
    assert_eq!(counters.lost(), 0);
    assert!(delays_ms(&arrivals, ms(1)).iter().all(|delay| *delay <= 0.11));
}

#[test]
fn outages_come_once_in_a_period_and_last_as_long_as_set() {
    let outages = Outages { every: Duration::from_secs(10), lasting: ms(500) };
    for seed in SEEDS {
        let (arrivals, counters) = send(seed, both(Faults { outages: Some(outages), ..Faults::NONE }), 100_000, ms(10));
        assert_near(counters.lost_in_outages as f64, 5_000.0, 100.0);
        let numbers = numbers(&arrivals);
        let gaps: Vec<u32> = numbers.windows(2).map(|pair| pair[1] - pair[0] - 1).filter(|gap| *gap > 0).collect();
        assert!(gaps.len() >= 98 && gaps.iter().all(|gap| (49..=101).contains(gap)), "{gaps:?}");
    }
}

#[test]
fn an_outage_is_one_of_both_directions() {
    let outages = Outages { every: Duration::from_secs(10), lasting: ms(500) };
    let mut network = Network::new(2, both(Faults { outages: Some(outages), ..Faults::NONE }));
    for number in 0..10_000u32 {
        let now = ms(10) * number;
        network.send_up(now, (), Message::datagram(1, number));
        network.send_down(now, (), Binding(0), Message::datagram(1, number));
    }
    let mut arrived = |direction| -> Vec<u32> {
        std::iter::from_fn(|| network.poll_direction(Duration::MAX, direction)).map(|arrival| arrival.payload).collect()
    };
    let up = arrived(Direction::Up);
    assert!(up.len() < 10_000);
    assert_eq!(up, arrived(Direction::Down));
}

#[test]
fn a_stream_is_whole_and_in_order_whatever_the_network() {
    let outages = Outages { every: Duration::from_secs(5), lasting: ms(700) };
    let faults = Faults {
        delay: ms(30),
        jitter: Jitter { mean: ms(20), memory: Duration::ZERO },
        loss: Chance::percent(30),
        duplicate: Chance::percent(30),
        reorder: Reorder { chance: Chance::percent(50), at_most: ms(100) },
        rate: Some(Rate { bytes_per_second: 5_000, queue_bytes: 100 }),
        outages: Some(outages),
        ..Faults::NONE
    };
    let mut network = Network::new(8, both(faults));
    for number in 0..1_000u32 {
        network.send_up(TICK * number, (), Message::stream(100, number));
    }
    let arrivals: Vec<_> = std::iter::from_fn(|| network.poll(Duration::MAX)).collect();
    assert_eq!(numbers(&arrivals), (0..1_000).collect::<Vec<_>>());
    // 100,000 bytes at 5,000 a second.
    assert!(arrivals[999].at >= Duration::from_secs(20));
}

#[test]
fn a_lost_piece_of_a_stream_comes_late() {
    let mut network = Network::new(8, Conditions::SILENT.delay_ms(10));
    network.send_up(ms(5), (), Message::stream(1, ()));
    assert_eq!(network.next_arrival(), Some(ms(215)));
}

#[test]
fn rebinding_changes_the_address_and_loses_what_goes_to_the_old_one() {
    let rebinding = Some(Rebinding { every: Duration::from_secs(10) });
    let mut network = Network::new(6, Conditions { rebinding, ..Conditions::PERFECT });
    let mut bindings = Vec::new();
    for number in 0..6_000u64 {
        let now = ms(10 * number);
        network.send_down(now, (), bindings.last().copied().unwrap_or_default(), Message::datagram(1, ()));
        network.send_up(now, (), Message::datagram(1, ()));
        while let Some(arrival) = network.poll(now) {
            if arrival.direction == Direction::Up && bindings.last() != Some(&arrival.binding) {
                bindings.push(arrival.binding);
            }
        }
    }
    assert_eq!(bindings, (0..=6).map(Binding).collect::<Vec<_>>(), "one in each of six periods");
    assert_eq!(network.counters(Direction::Down).lost_as_forgotten, 6, "each once, until the client was heard again");
}

#[test]
fn a_test_can_rebind_when_it_wants() {
    let mut network = Network::new(6, Conditions::PERFECT);
    network.send_up(ms(1), 'a', Message::datagram(1, ()));
    network.rebind(ms(2), 'a');
    network.send_up(ms(3), 'a', Message::datagram(1, ()));
    network.send_up(ms(3), 'b', Message::datagram(1, ()));
    let bindings: Vec<_> = std::iter::from_fn(|| network.poll(ms(3))).map(|it| (it.peer, it.binding)).collect();
    assert_eq!(bindings, [('a', Binding(0)), ('a', Binding(1)), ('b', Binding(0))]);
}

/// Everything at once.
fn wild() -> Faults {
    Faults {
        delay: ms(40),
        jitter: Jitter { mean: ms(10), memory: ms(50) },
        loss: Chance::percent(5),
        bursts: Some(Bursts { begin: Chance::percent(1), end: Chance::percent(20), loss: Chance::percent(80) }),
        duplicate: Chance::percent(3),
        reorder: Reorder { chance: Chance::percent(5), at_most: ms(60) },
        rate: Some(Rate { bytes_per_second: 20_000, queue_bytes: 3_000 }),
        outages: Some(Outages { every: Duration::from_secs(7), lasting: ms(300) }),
    }
}

#[test]
fn one_seed_is_one_schedule() {
    let run = |seed| send(seed, both(wild()), 20_000, TICK).0;
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn one_fault_leaves_the_schedule_of_the_others_alone() {
    let lost = |faults: Faults| {
        let arrivals = send(1, both(faults), 5_000, TICK).0;
        let mut arrived = vec![false; 5_000];
        arrivals.iter().for_each(|arrival| arrived[arrival.payload as usize] = true);
        arrived
    };
    let plain = Faults { loss: Chance::percent(10), ..Faults::NONE };
    let late = Faults { loss: plain.loss, bursts: None, rate: None, outages: None, ..wild() };
    assert_eq!(lost(plain), lost(late));
    // What 5 % lose, 10 % lose too.
    let (less, more) = (lost(Faults { loss: Chance::percent(5), ..plain }), lost(plain));
    assert!(less.iter().zip(&more).all(|(less, more)| *less || !*more));
}

#[test]
fn a_client_meets_the_same_fate_whatever_others_send() {
    let of_first = |others: u32| {
        let mut network = Network::new(3, both(wild()));
        for number in 0..2_000 {
            for peer in 0..=others {
                network.send_up(TICK * number, peer, Message::datagram(100, number));
            }
        }
        let arrivals = std::iter::from_fn(|| network.poll(Duration::MAX));
        arrivals.filter(|arrival| arrival.peer == 0).map(|arrival| (arrival.at, arrival.payload)).collect::<Vec<_>>()
    };
    assert_eq!(of_first(0), of_first(3));
}

#[test]
fn streams_do_not_shift_the_fate_of_datagrams() {
    let faults = Faults { rate: None, ..wild() };
    let datagrams = |with_streams: bool| {
        let mut network = Network::new(3, both(faults));
        for number in 0..2_000 {
            if with_streams {
                network.send_up(TICK * number, (), Message::stream(9, None));
            }
            network.send_up(TICK * number, (), Message::datagram(100, Some(number)));
        }
        let arrivals = std::iter::from_fn(|| network.poll(Duration::MAX));
        arrivals.filter_map(|arrival| Some((arrival.at, arrival.payload?))).collect::<Vec<_>>()
    };
    assert_eq!(datagrams(false), datagrams(true));
}

#[test]
fn directions_have_conditions_of_their_own() {
    let up = Faults { delay: ms(10), ..Faults::NONE };
    let mut network = Network::new(3, Conditions { up, down: Faults::NONE, rebinding: None });
    network.send_up(ms(1), (), Message::datagram(1, "up"));
    network.send_down(ms(2), (), Binding(0), Message::datagram(1, "down"));
    let arrivals: Vec<_> = std::iter::from_fn(|| network.poll(ms(20))).map(|it| (it.at, it.payload)).collect();
    assert_eq!(arrivals, [(ms(2), "down"), (ms(11), "up")]);
}

#[test]
fn what_is_under_way_has_a_limit() {
    let mut network = Network::new(3, Conditions::PERFECT.delay_ms(1_000));
    for _ in 0..IN_FLIGHT_MAX + 10 {
        network.send_up(ms(1), (), Message::datagram(1, ()));
    }
    assert_eq!(network.counters(Direction::Up).lost_in_queue, 10);
    assert_eq!(std::iter::from_fn(|| network.poll(Duration::MAX)).count(), IN_FLIGHT_MAX);
}

#[test]
fn no_number_is_too_large_or_too_small() {
    for (time, number) in [(Duration::MAX, u32::MAX), (Duration::ZERO, 0), (Duration::from_nanos(1), 1)] {
        let chance = Chance::millionths(number);
        let faults = Faults {
            delay: time,
            jitter: Jitter { mean: time, memory: time },
            loss: Chance::percent(50),
            bursts: Some(Bursts { begin: chance, end: chance, loss: Chance::percent(50) }),
            duplicate: chance,
            reorder: Reorder { chance, at_most: time },
            rate: Some(Rate { bytes_per_second: number, queue_bytes: number }),
            outages: Some(Outages { every: time, lasting: ms(1) }),
        };
        for faults in [faults, Faults { outages: None, ..faults }, Faults { outages: None, rate: None, ..faults }] {
            let mut network =
                Network::new(1, Conditions { rebinding: Some(Rebinding { every: time }), ..both(faults) });
            for now in [Duration::ZERO, ms(1), Duration::from_secs(1 << 40), Duration::MAX] {
                network.send_up(now, (), Message::datagram(usize::MAX, ()));
                network.send_down(now, (), Binding(0), Message::stream(usize::MAX, ()));
                network.poll(now);
            }
            let [up, down] = [Direction::Up, Direction::Down].map(|direction| *network.counters(direction));
            assert_eq!((up.sent, down.sent), (4, 4));
        }
    }
}
