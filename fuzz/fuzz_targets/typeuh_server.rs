//! Any bytes from a `typeuh` server: no panic, and what reads is written back to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::typeuh::component::ComponentTable;
use protocol::typeuh::wire::{Initialisation, Instructions};

fuzz_target!(|bytes: &[u8]| {
    initialisation(bytes);
    instructions(bytes);
});

fn initialisation(bytes: &[u8]) {
    let Ok(initialisation) = Initialisation::read(bytes) else { return };
    let mut written = Vec::new();
    initialisation.write(&mut written);
    assert_eq!(written, bytes);
    assert!(Initialisation::size(bytes).is_ok_and(|size| size == Some(bytes.len())));
    ComponentTable::new(&initialisation);
}

fn instructions(bytes: &[u8]) {
    let table = ComponentTable::own();
    let (mut written, mut errors) = (Vec::new(), 0);
    for instruction in Instructions::read(bytes, &table) {
        match instruction {
            Ok(instruction) => instruction.write(&mut written),
            Err(_) => errors += 1,
        }
    }
    // Ruling T3: all up to the first error, which is the only one and the last.
    assert!(bytes.starts_with(&written));
    assert_eq!(errors, usize::from(written.len() < bytes.len()));
}
