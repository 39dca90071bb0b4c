//! The game as a person meets it: a real node, a real browser, keys, and what the node's API says came of them.
//!
//! Needs Chromium and chromedriver, Firefox, and a node with the web client inside: `cargo xtask test` sees to all of
//! it. `scenes.rs` is what is played.

mod browser;
mod chromium;
mod firefox;
mod host;
mod in_chromium;
mod in_firefox;
mod phone;
mod scenes;
mod screenshot;
