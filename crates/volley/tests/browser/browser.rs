//! What the tests ask of a browser, whoever made it. `chromium.rs` and `firefox.rs` are the two that there are.

use std::{
    fs,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};

/// Far more than anything takes; a slow machine should not fail a test.
pub const PATIENCE: Duration = Duration::from_secs(90);
pub const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A place in the page, in its own pixels.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub x: f64,
    pub y: f64,
}

/// A browser with one tab or more; it ends with the test.
pub trait Browser {
    /// What its screenshots are called after.
    fn name(&self) -> &'static str;

    /// Shows exactly this many pixels of the page.
    fn resize(&self, width: u32, height: u32);

    fn open(&self, url: &str);

    /// Opens another tab and goes there.
    fn new_tab(&self);

    /// What the body of a function returns in the page.
    fn run(&self, script: &str) -> Value;

    /// Runs before anything else in every page that is opened from now on.
    fn before_each_page(&self, script: &str);

    /// Does something with a keyboard, a mouse or a finger, as WebDriver spells it.
    fn act(&self, device: Value);

    /// What the console has said since it was last asked, warnings and worse.
    fn console(&self) -> Vec<String>;

    /// What is seen of the page, as a PNG in base 64.
    fn look(&self) -> String;

    /// The value of a script, once it is what is waited for.
    fn wait_for(&self, what: &str, script: &str, is_right: &dyn Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let value = self.run(script);
            if is_right(&value) {
                return value;
            }
            assert!(began.elapsed() < PATIENCE, "{what}: it is {value}; the console says {:?}", self.console());
            thread::sleep(LOOK_EVERY);
        }
    }

    /// Presses a key, as a person does: WebDriver's code of it, or its character.
    fn press(&self, key: &str) {
        self.hold(key);
        thread::sleep(LOOK_EVERY);
        self.release(key);
    }

    fn hold(&self, key: &str) {
        self.act(keyboard("keyDown", key));
    }

    fn release(&self, key: &str) {
        self.act(keyboard("keyUp", key));
    }

    fn click(&self, at: Place) {
        self.act(pointer("mouse", json!([moved(at), { "type": "pointerDown", "button": 0 }])));
        self.act(pointer("mouse", json!([{ "type": "pointerUp", "button": 0 }])));
    }

    /// Puts a finger down.
    fn touch(&self, at: Place) {
        self.act(pointer("touch", json!([moved(at), { "type": "pointerDown", "button": 0 }])));
    }

    /// Moves the finger that is down.
    fn drag(&self, to: Place) {
        self.act(pointer("touch", json!([moved(to)])));
    }

    fn lift(&self) {
        self.act(pointer("touch", json!([{ "type": "pointerUp", "button": 0 }])));
    }

    /// Keeps a screenshot under `target/artifacts/` and returns its bytes.
    fn screenshot(&self, of: &str) -> Vec<u8> {
        let png = BASE64_STANDARD.decode(self.look()).expect("in base 64");
        let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).with_file_name("artifacts");
        fs::create_dir_all(&directory).expect("a place for artefacts");
        fs::write(directory.join(format!("{}-{of}.png", self.name())), &png).expect("kept");
        png
    }
}

fn keyboard(what: &str, key: &str) -> Value {
    json!({ "type": "key", "id": "keyboard", "actions": [{ "type": what, "value": key }] })
}

fn pointer(kind: &str, actions: Value) -> Value {
    json!({ "type": "pointer", "id": kind, "parameters": { "pointerType": kind }, "actions": actions })
}

fn moved(to: Place) -> Value {
    json!({ "type": "pointerMove", "x": to.x.round() as i64, "y": to.y.round() as i64 })
}
