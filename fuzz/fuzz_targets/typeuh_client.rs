//! Any bytes from a `typeuh` client: no panic, and what reads is written back to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::typeuh::wire::KeyEvents;

fuzz_target!(|bytes: &[u8]| {
    let (mut written, mut errors) = (Vec::new(), 0);
    for event in KeyEvents::read(bytes) {
        match event {
            Ok(event) => event.write(&mut written),
            Err(_) => errors += 1,
        }
    }
    // Ruling T3: all up to the first error, which is the only one and the last.
    assert!(bytes.starts_with(&written));
    assert_eq!(errors, usize::from(written.len() < bytes.len()));
});
