//! What is wrong with a server, as the player reads it: in `typeuh`, an initialisation that fails its checks, or that has
//! components that nobody here knows. The pictures are left in `target/tmp/faults`, to be looked at.

mod kept_picture;

use std::{collections::BTreeSet, time::Duration};

use client::{
    Client, Options, Task,
    draw::{Colour, Font, Picture},
};
use protocol::{Channel, Dialect, Time, typeuh::wire::write_own_initialisation};

const TICK: Duration = Duration::from_micros(16_667);

struct Player {
    client: Client,
    now: Time,
}

impl Player {
    /// One who has connected, and hears this.
    fn hearing(bytes: &[u8], language: &str) -> Player {
        let now = Time::from_micros(1_700_000_000_000_000);
        let settings = format!("language = {language}\n");
        let options = Options { quick: true, settings, ..Options::new(Dialect::Typeuh) };
        let mut player = Player { client: Client::new(now, options), now };
        player.run_ms(50);
        player.hear(bytes);
        player
    }

    fn hear(&mut self, bytes: &[u8]) {
        self.client.receive(self.now, Channel::Datagram, bytes);
        self.run_ms(50);
    }

    fn run_ms(&mut self, ms: u64) {
        let end = self.now + Duration::from_millis(ms);
        let mut buffer = Vec::new();
        while self.now < end {
            self.now = self.now + TICK;
            self.client.advance(self.now);
            while let Some(task) = self.client.poll(self.now, &mut buffer) {
                if task == Task::Connect {
                    self.client.connected(self.now);
                }
            }
        }
    }

    /// Keeps the picture, and gives the text of its upper half: the backdrop has other colours.
    fn keep(&mut self, name: &str) -> Vec<(i32, i32)> {
        let mut picture = Picture::new();
        self.client.draw(self.now, &mut picture);
        kept_picture::keep("faults", name, &mut picture);
        let is_text =
            |&(x, y): &(i32, i32)| matches!(picture.at(x, y), Some(Colour::RED | Colour::GOLD | Colour::PALE));
        (48..152).flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y))).filter(is_text).collect()
    }
}

fn own() -> Vec<u8> {
    let mut bytes = Vec::new();
    write_own_initialisation(&mut bytes);
    bytes
}

/// An initialisation of these names, padded to the longest.
fn initialisation(names: &[&str]) -> Vec<u8> {
    let length = names.iter().map(|name| name.len()).max().unwrap_or(0);
    let mut bytes = (names.len() as u16).to_be_bytes().to_vec();
    bytes.push(length as u8);
    for name in names {
        bytes.extend(name.bytes());
        bytes.resize(bytes.len() + length - name.len(), 0);
    }
    bytes.extend([0xff, 0xff]);
    bytes
}

/// The five checks, each failed by one byte or by a part.
fn failing() -> [(&'static str, Vec<u8>); 5] {
    let changed = |at: usize, byte: u8| {
        let mut bytes = own();
        bytes[at] = byte;
        bytes
    };
    let last = own().len() - 1;
    [
        ("count", changed(1, 1)),
        ("padding", changed(4, 0)),
        ("characters", changed(3, b'!')),
        ("end_mark", changed(last, 0)),
        ("missing_part", own()[..50].to_vec()),
    ]
}

#[test]
fn an_initialisation_that_fails_a_check_is_told_with_the_check_in_both_languages() {
    let mut pictures = BTreeSet::new();
    for language in ["english", "french"] {
        for (check, bytes) in failing() {
            let mut player = Player::hearing(&bytes, language);
            let told = player.keep(&format!("{check}-{language}"));
            assert!(pictures.insert(told.clone()), "{check} in {language} looks like another");
            player.run_ms(30_000);
            let later = player.keep(&format!("{check}-later-{language}"));
            assert!(later == told, "{check} in {language}: it stays, for nothing has changed");
            player.run_ms(100);
            player.hear(&own());
            let is_gone = player.keep("good").len() < told.len() / 2;
            assert!(is_gone, "a good one makes up for it");
        }
    }
}

#[test]
fn components_that_are_not_known_are_named_for_a_while() {
    let mut pictures = BTreeSet::new();
    for language in ["english", "french"] {
        let known = Player::hearing(&own(), language).keep("known").len();
        for names in [&["Kind", "Hitbox"][..], &["Kind", "Shield", "Hitbox"], &["a", "b", "c", "d", "e", "f", "g"]] {
            let mut player = Player::hearing(&initialisation(names), language);
            let told = player.keep(&format!("unknown-{}-{language}", names.len()));
            let pixels = told.len();
            assert!(pixels > known + 200 && pictures.insert(told), "{names:?} in {language}: {pixels}");
            // The server goes on, or the session would end.
            for _ in 0..12 {
                player.run_ms(1_000);
                player.hear(&[]);
                player.hear(&initialisation(names));
            }
            let later = player.keep("later").len();
            assert!(later < known + 100, "{names:?}: it is in the way no longer");
        }
    }
}

#[test]
fn a_server_with_thousands_of_long_names_is_shown_in_one_line() {
    let long: Vec<String> = (0..250).map(|number| format!("{number:0>255}")).collect();
    let names: Vec<&str> = long.iter().map(String::as_str).collect();
    let bytes = initialisation(&names);
    let mut player = Player::hearing(&[], "french");
    bytes.chunks(1200).for_each(|part| player.hear(part));
    let told = player.keep("unknown-many-french");
    let rows: BTreeSet<i32> = told.iter().map(|(_, y)| *y).collect();
    let (first, last) = (*rows.first().expect("it is told"), *rows.last().expect("it is told"));
    // The heading, and one line of names below it.
    assert!(last - first < 2 * Font::Small.line_height(), "rows {first} to {last} are more than two lines");
    assert!(told.iter().all(|(x, _)| (1..Picture::WIDTH - 1).contains(x)), "it ends before the edge");
}
