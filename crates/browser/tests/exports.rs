//! Every export, called as the page calls it, and as a page with mistakes might: wrong lengths, times and numbers, in any order.
//! `docs/security.md` says how to run this under valgrind and with the address sanitizer, which see what no assertion can.

// What JavaScript does through the module's memory is done through pointers here.
#![allow(unsafe_code)]

use std::{fs, path::Path};

const START_MS: f64 = 1_700_000_000_000.0;
const PICTURE_BYTES: usize = 480 * 270 * 4;
/// No export is to be given more.
const INPUT_BYTES_MAX: usize = 16 << 20;

/// Writes bytes where the next call reads them, as `www/machine.js` does. False: they are too many.
fn put(bytes: &[u8]) -> bool {
    let space = browser::buffer(bytes.len());
    if space.is_null() {
        return false;
    }
    // SAFETY: `buffer` made space for this many bytes, and nothing was called since.
    unsafe { std::slice::from_raw_parts_mut(space, bytes.len()) }.copy_from_slice(bytes);
    true
}

fn bytes_at(place: *const u8, length: usize) -> Vec<u8> {
    if length == 0 {
        return Vec::new();
    }
    // SAFETY: the export that returned them says that there are this many, and nothing was called since.
    unsafe { std::slice::from_raw_parts(place, length) }.to_vec()
}

fn output() -> Vec<u8> {
    bytes_at(browser::output(), browser::output_length())
}

/// The sum of all bytes: none of them may be uninitialised.
fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte)).sum()
}

fn picture(now: f64) -> u64 {
    sum(&bytes_at(browser::draw(now), PICTURE_BYTES))
}

fn start(now: f64, lobby: &str, settings: &str, flags: u32) {
    assert!(put(format!("{lobby}{settings}en-GB\nhttps://example.net/").as_bytes()));
    browser::start(now, lobby.len(), settings.len(), flags);
}

/// Does the tasks of the client, as far as they are only bytes. How many there were.
fn drain(now: f64) -> usize {
    let mut tasks = 0;
    while browser::poll(now) >= 0 {
        tasks += usize::from(sum(&output()) < u64::MAX);
        assert!(tasks < 10_000, "the tasks never end");
    }
    while browser::cue() >= 0 {}
    tasks
}

fn recording() -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../replay/recordings");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("recordings").map(|file| file.expect("a file").path()).collect();
    files.sort();
    fs::read(files.first().expect("a recording")).expect("it can be read")
}

#[test]
fn the_page_starts_plays_and_shows_a_replay() {
    start(START_MS, "", "music = 3\n", 1);
    browser::advance(START_MS);
    assert!(drain(START_MS) > 0, "it wants a connection");
    assert!(picture(START_MS) > 0);
    browser::connected(START_MS + 20.0);
    assert!(drain(START_MS + 20.0) > 0, "it says hello");
    for (number, code) in ["ArrowUp", "Enter", "Escape", "KeyZ"].into_iter().enumerate() {
        let now = START_MS + 100.0 * number as f64;
        for down in [true, false] {
            assert!(put(code.as_bytes()));
            browser::key(now, code.len(), down);
        }
        browser::advance(now);
        assert!(picture(now) > 0);
        drain(now);
    }
    browser::disconnected(START_MS + 1000.0);
    let file = recording();
    assert!(put(&file));
    assert!(browser::open_replay(START_MS + 1100.0, file.len()) && browser::is_replaying());
    for tick in 0..30 {
        let now = START_MS + 1100.0 + f64::from(tick) * 16.7;
        browser::advance(now);
        assert!(picture(now) > 0);
        drain(now);
    }
    assert!(put(&file[..file.len() / 2]));
    assert!(!browser::open_replay(START_MS + 2000.0, file.len()), "half of it");
    assert!(!output().is_empty(), "why");
    browser::quit(START_MS + 2100.0);
    drain(START_MS + 2100.0);
}

#[test]
fn every_sound_is_made() {
    assert_eq!((browser::sample_rate(), browser::hum()), (44_100, 0));
    for number in 0.. {
        if !browser::render_cue(number) {
            assert!(number > usize::try_from(browser::hum_cue()).expect("a number"));
            break;
        }
        // An odd byte would be half a sample.
        assert!(output().len().is_multiple_of(2) && sum(&output()) > 0);
    }
    assert!(!browser::render_cue(usize::MAX) && !browser::begin_song(usize::MAX) && !browser::make_song(100));
    assert!(browser::begin_song(0) && browser::make_song(1000));
    assert!(output().len() == 4000 && sum(&output()) > 0);
    assert!(browser::make_song(0) && output().is_empty());
    assert!(browser::make_song(usize::MAX) && output().len() == 4 * 4 * 44_100, "four seconds at most");
}

/// Random numbers from a seed.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Mostly right, else one that no page should pass.
    fn length(&mut self, right: usize) -> usize {
        match self.below(8) {
            0 => 0,
            1 => right + 1,
            2 => INPUT_BYTES_MAX + 1,
            3 => usize::MAX,
            4 => right / 2,
            _ => right,
        }
    }

    fn time(&mut self) -> f64 {
        match self.below(40) {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => -1.0,
            3 => 0.0,
            _ => START_MS + self.below(60_000) as f64 / 7.0,
        }
    }

    /// What a page might put into the buffer.
    fn bytes(&mut self, recording: &[u8]) -> Vec<u8> {
        let mut bytes = match self.below(6) {
            0 => Vec::new(),
            1 => b"KeyX".to_vec(),
            2 => b"campaign\nendless\n1200\tAnn, Bob\tAC\t00ff\ttrue\n-1\t\t\n".to_vec(),
            3 => [b"table\n", recording].concat(),
            4 => recording.to_vec(),
            _ => (0..self.below(600)).map(|_| self.next() as u8).collect(),
        };
        if !bytes.is_empty() && self.below(3) == 0 {
            let place = self.below(bytes.len() as u64) as usize;
            bytes[place] ^= 1 << self.below(8);
            bytes.truncate(bytes.len() - self.below(bytes.len() as u64 / 2 + 1) as usize);
        }
        bytes
    }
}

/// Calls that take bytes from the buffer.
fn call_with_bytes(dice: &mut Dice, recording: &[u8]) {
    let bytes = dice.bytes(recording);
    assert!(put(&bytes));
    let (now, length) = (dice.time(), dice.length(bytes.len()));
    match dice.below(8) {
        0 => browser::start(now, length, dice.length(bytes.len()), dice.next() as u32),
        1 => _ = browser::key(now, length, dice.below(2) == 0),
        2 => browser::receive(now, dice.below(3) as u32, length),
        3 => browser::scores(now, length, dice.below(2) == 0),
        4 => _ = browser::open_replay(now, length),
        5 => browser::recorded(now, length),
        6 => browser::key_labels(length),
        _ => browser::ghost(now, length),
    }
}

/// Calls that take numbers only.
fn call_with_numbers(dice: &mut Dice) {
    let now = dice.time();
    let [x, y] = [(); 2].map(|()| dice.next() as i32 % 600);
    match dice.below(16) {
        0 => browser::text(now, dice.next() as u32 >> dice.below(32)),
        1 => browser::pad(now, f32::from_bits(dice.next() as u32), x as f32 / 300.0, dice.next() as u32),
        2 => browser::touch(now, dice.next() as u32, dice.below(4) as u32, x, y),
        3 => browser::click(now, x, y),
        4 => assert!(!browser::scale(f64::from(x) * 8.0, f64::from(y) * 8.0).is_nan()),
        5 => browser::small_screen(dice.below(2) == 0),
        6 => _ = browser::is_writing() | browser::wants_thumbs() | browser::is_replaying(),
        7 => browser::blur(now),
        8 => browser::connected(now),
        9 => browser::disconnected(now),
        10 if dice.below(2) == 0 => browser::lobby_shared(now, dice.below(2) == 0),
        10 => browser::replay_saved(now, dice.below(2) == 0),
        11 => assert!(browser::song() >= -1 && browser::volume(dice.next() as u32) <= 100 && browser::hum() <= 255),
        12 => assert!(picture(now) < u64::MAX),
        13 => browser::quit(now),
        _ => browser::advance(now),
    }
}

fn call_anything(seed: u64, recording: &[u8]) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    start(START_MS, "", "", seed as u32);
    for _ in 0..150 {
        if dice.below(3) == 0 {
            call_with_bytes(&mut dice, recording);
        } else {
            call_with_numbers(&mut dice);
        }
        drain(dice.time());
        assert!(sum(&output()) < u64::MAX);
    }
}

#[test]
fn any_calls_in_any_order_with_wrong_lengths_times_and_numbers_do_no_harm() {
    let recording = recording();
    for seed in 1..=8 {
        // The module keeps the message of a panic to itself, for the page to read.
        let outcome = std::panic::catch_unwind(|| call_anything(seed, &recording));
        let message = bytes_at(browser::panic_message(), browser::panic_message_length());
        let is_well = outcome.is_ok() && message.is_empty();
        let _ = std::panic::take_hook();
        assert!(is_well, "seed {seed}: {}", String::from_utf8_lossy(&message));
    }
    assert!(browser::buffer(INPUT_BYTES_MAX + 1).is_null() && browser::buffer(usize::MAX).is_null());
    assert!(!browser::buffer(INPUT_BYTES_MAX).is_null());
}

#[test]
fn this_file_calls_every_export() {
    let exports = include_str!("../src/lib.rs").split("pub extern \"C\" fn ").skip(1);
    let names: Vec<&str> = exports.filter_map(|rest| rest.split('(').next()).collect();
    assert!(names.len() > 30, "{names:?}");
    for name in names {
        assert!(include_str!("exports.rs").contains(&format!("browser::{name}(")), "{name} is not called");
    }
}
