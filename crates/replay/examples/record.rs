//! Records the games in the repository again, after the rules have changed:
//!
//! ```sh
//! cargo run -p replay --example record
//! ```
//!
//! It refuses while `RULES_VERSION` is still that of recordings which can no longer be played: then the rules have changed, and the
//! version has to rise first. `CONTRIBUTING.md` says more.

#[path = "../tests/games/mod.rs"]
mod games;

use std::{fs, path::Path, process::ExitCode};

use games::RECORDINGS;
use replay::{EXTENSION, Replay, ReplayError, verify};

#[allow(clippy::disallowed_methods, reason = "this is not part of the pure machine: it writes files")]
fn main() -> ExitCode {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings");
    for (name, _) in RECORDINGS {
        let known = fs::read(directory.join(format!("{name}.{EXTENSION}"))).ok();
        let result = known.map(|bytes| Replay::read(bytes).and_then(|replay| verify(&replay)));
        if let Some(Err(error)) = result.filter(|result| !matches!(result, Err(ReplayError::OtherRules(_)))) {
            eprintln!("{name}: {error}");
            eprintln!(
                "the rules have changed: raise RULES_VERSION in crates/game/src/rules_version.rs, then run this again"
            );
            return ExitCode::FAILURE;
        }
    }
    for (name, game) in RECORDINGS {
        let (bytes, path) = (game(), directory.join(format!("{name}.{EXTENSION}")));
        println!("{}: {} bytes", path.display(), bytes.len());
        if let Err(error) = fs::write(&path, bytes) {
            eprintln!("cannot write {}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
