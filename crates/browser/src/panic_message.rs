//! Why the module failed. A panic ends it in the middle of a call; the page then reads the message here.

use std::sync::Mutex;

static MESSAGE: Mutex<String> = Mutex::new(String::new());

/// From now on, records the message of a panic.
pub fn record() {
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut message) = MESSAGE.lock() {
            *message = panic.to_string();
        }
    }));
}

/// Where the message is, and its length in bytes.
pub fn location() -> (*const u8, usize) {
    MESSAGE.lock().map_or((std::ptr::null(), 0), |message| (message.as_ptr(), message.len()))
}
