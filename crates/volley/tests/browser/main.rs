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
#[path = "../node/mod.rs"]
mod node;
#[path = "../other_machine/mod.rs"]
mod other_machine;
mod phone;
mod photographs;
mod replays;
mod scenes;
mod screenshot;
#[path = "../secure_node/mod.rs"]
mod secure_node;
mod server_elsewhere;
