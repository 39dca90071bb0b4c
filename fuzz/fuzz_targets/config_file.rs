//! Any text as the file of `--config`: refused in one line that says where, or read as flags.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    match volley::config::parse(&text, "volley.toml") {
        Ok(config) => {
            assert!(config.flags.iter().all(|flag| flag.to_string_lossy().starts_with("--")), "{:?}", config.flags);
        }
        Err((at, what)) => assert!(at <= text.len() && !what.contains('\n'), "at {at}: {what:?}"),
    }
});
