//! `cargo xtask play`: builds the web client and a node that has it inside, and runs the node.
//!
//! Where no compiler for browsers can be had, the node runs all the same, and its page says how to add the client.

use std::{
    ffi::OsString,
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::Result;

use crate::{
    metadata,
    step::{cargo, step, succeed},
    web,
};

/// Builds everything and runs `volley serve` in our place: it says where to click, and Ctrl-C is for it.
pub fn run(root: &Path, options: &[OsString]) -> Result<ExitCode> {
    println!("xtask: {}", forecast(&metadata::target_directory(root)?));
    web::build_if_possible(root)?;
    step("building volley", "mend the error above", || {
        succeed(&mut cargo(root, &["build", "--release", "--package", "volley"]))
    })?;
    println!("xtask: starting a node: {} (Ctrl-C ends it)\n", command_line(options));
    let mut serve = cargo(root, &["run", "--quiet", "--release", "--package", "volley", "--", "serve"]);
    serve.args(options);
    become_it(serve)
}

/// What is run, as one would type it.
fn command_line(options: &[OsString]) -> String {
    let words = options.iter().map(|option| option.to_string_lossy());
    ["volley serve".into()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

/// How long building will take, from what is there already.
fn forecast(target: &Path) -> &'static str {
    let program = target.join("release").join(format!("volley{}", std::env::consts::EXE_SUFFIX));
    if program.exists() {
        "building a node and its web page: seconds if nothing has changed, otherwise a minute or two"
    } else {
        "building a node and its web page for the first time: five to ten minutes on two cores, \
         the last crate alone one or two; after that, seconds"
    }
}

/// Cargo does the same with what it runs: a signal meets the node and nobody else.
#[cfg(unix)]
fn become_it(mut command: Command) -> Result<ExitCode> {
    use std::os::unix::process::CommandExt;

    Err(anyhow::Error::new(command.exec()).context("cannot start volley"))
}

#[cfg(not(unix))]
fn become_it(mut command: Command) -> Result<ExitCode> {
    let status = command.status()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX).into())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_run_is_shown_with_its_options() {
        assert_eq!(command_line(&[]), "volley serve");
        assert_eq!(command_line(&["--bind".into(), "0.0.0.0".into()]), "volley serve --bind 0.0.0.0");
    }

    #[test]
    fn the_first_build_is_announced_as_long() {
        let target = tempfile::tempdir().expect("a place for the test");
        assert!(forecast(target.path()).contains("first time"));
        fs::create_dir(target.path().join("release")).expect("made");
        fs::write(target.path().join("release").join(format!("volley{}", std::env::consts::EXE_SUFFIX)), "")
            .expect("written");
        assert!(!forecast(target.path()).contains("first time"));
    }
}
