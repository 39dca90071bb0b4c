//! Running other programs step by step: what is being done, how long it took, and what to do when it failed.

use std::{
    env,
    io::{self, IsTerminal},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

/// How often a program with a limit is looked at.
const POLL: Duration = Duration::from_millis(20);

/// How often a long step says that it is still going on, where Cargo draws no progress bar.
const SIGN_OF_LIFE: Duration = Duration::from_secs(30);

/// Announces a step, runs it, and says how long it took. `next` tells what to do if it fails.
pub fn step(title: &str, next: &str, work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    println!("xtask: {title} …");
    let start = Instant::now();
    let result = if io::stderr().is_terminal() { work() } else { with_signs_of_life(title, work) };
    let took = start.elapsed();
    match result {
        Ok(()) => println!("xtask: {title}: ok, {:.1} s", took.as_secs_f64()),
        Err(error) => bail!("{title}: failed after {:.1} s: {error:#}\nxtask: next: {next}", took.as_secs_f64()),
    }
    Ok(took)
}

/// Does the work and says now and then how long it has taken so far.
fn with_signs_of_life<T>(title: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    thread::scope(|scope| {
        let (working, end) = mpsc::channel::<()>();
        scope.spawn(move || {
            while end.recv_timeout(SIGN_OF_LIFE) == Err(RecvTimeoutError::Timeout) {
                println!("xtask: {title}: {} s so far", start.elapsed().as_secs());
            }
        });
        let result = work();
        drop(working);
        result
    })
}

/// Cargo at the project's root, without a terminal to ask questions on.
pub fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root).stdin(Stdio::null());
    command
}

/// Runs to the end, with its output where ours goes; an exit code other than 0 is an error.
pub fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", spelled(command)))?;
    if !status.success() {
        bail!("`{}` ended with {status}", spelled(command));
    }
    Ok(())
}

/// As [`succeed`], but stops the program when it takes longer.
pub fn succeed_within(limit: Duration, command: &mut Command) -> Result<()> {
    let spelled = spelled(command);
    let mut child = command.stdin(Stdio::null()).spawn().with_context(|| format!("cannot start {spelled}"))?;
    let start = Instant::now();
    while start.elapsed() < limit {
        match child.try_wait()? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => bail!("`{spelled}` ended with {status}"),
            None => thread::sleep(POLL),
        }
    }
    // It may have ended between the last look and now; then there is nothing to stop.
    let _ = child.kill();
    child.wait()?;
    bail!("`{spelled}` took longer than {} s", limit.as_secs_f32())
}

/// Whether the program is there and content, without showing what it says.
pub fn works(program: &str, arguments: &[&str]) -> bool {
    quietly(Command::new(program).args(arguments))
}

/// Runs without showing anything, and says whether it succeeded.
pub fn quietly(command: &mut Command) -> bool {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// The command as one would type it.
fn spelled(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program()).to_string_lossy().into_owned();
    let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
    std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_says_what_to_do_next() {
        let error = step("lint", "mend it", || bail!("two warnings")).expect_err("the work failed").to_string();
        assert!(error.starts_with("lint: failed after"), "{error}");
        assert!(error.contains("two warnings") && error.ends_with("xtask: next: mend it"), "{error}");
        assert!(step("lint", "mend it", || Ok(())).is_ok());
    }

    #[test]
    fn an_exit_code_is_an_error_that_names_the_command() {
        let root = Path::new(".");
        assert!(succeed(&mut cargo(root, &["--version"])).is_ok());
        let error = succeed(cargo(root, &["no-such-command"]).stderr(Stdio::null())).expect_err("no such command");
        assert!(error.to_string().contains("cargo no-such-command"), "{error}");
    }

    #[test]
    fn a_program_that_takes_too_long_is_stopped() {
        assert!(succeed_within(Duration::from_secs(60), &mut cargo(Path::new("."), &["--version"])).is_ok());
        let forever = succeed_within(Duration::from_millis(50), Command::new("sleep").arg("600"));
        assert!(forever.expect_err("it was stopped").to_string().contains("`sleep 600` took longer than 0.05 s"));
    }

    #[test]
    fn a_program_that_is_not_there_does_not_work() {
        assert!(works("rustc", &["--version"]));
        assert!(!works("no-such-program-of-volley", &[]));
    }
}
