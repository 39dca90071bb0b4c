//! Any bytes as a stage file: refused or read, never a panic.

#![no_main]

use game::Stage;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = Stage::read("fuzz", bytes);
});
