//! Automation: `cargo xtask --help`.

fn main() {}
