//! Any text as a player's settings: as much of it as can be understood, which is written and read as the same.

#![no_main]

use client::settings::{NAME_MAX, Settings};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let settings = Settings::read(&text, "fr_FR.UTF-8");
    assert_eq!(Settings::read(&settings.write(), "en"), settings);
    assert!(settings.name.chars().count() <= NAME_MAX);
});
