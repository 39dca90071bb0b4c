//! What the module said when it failed. A panic ends it in the middle of a call; the page asks here why.

use std::sync::Mutex;

static WORDS: Mutex<String> = Mutex::new(String::new());

/// From now on, keeps what a panic says.
pub fn listen() {
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut words) = WORDS.lock() {
            *words = panic.to_string();
        }
    }));
}

/// Where the words are and how many bytes.
pub fn place() -> (*const u8, usize) {
    WORDS.lock().map_or((std::ptr::null(), 0), |words| (words.as_ptr(), words.len()))
}
