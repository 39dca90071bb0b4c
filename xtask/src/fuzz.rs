//! `cargo xtask fuzz`: coverage-guided fuzzing with stable Rust and a C++ compiler.
//!
//! Builds `fuzz/` as `cargo fuzz --sanitizer none` would, with libFuzzer and LLVM's coverage counters, and runs each
//! file of `fuzz/fuzz_targets/`. New inputs go to `fuzz/corpus/`, which is not committed; `fuzz/seeds/` is.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, SystemTime},
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    arguments::{self, FuzzLimit},
    step::{cargo, succeed},
    toolchain,
};

/// What `cargo fuzz` passes to the compiler, without a sanitizer, which stable Rust has none of.
const RUSTFLAGS: [&str; 9] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg=fuzzing",
    "-Cdebug-assertions",
    "-Coverflow-checks",
    "-Ccodegen-units=1",
];

/// More than any reader may need.
const MEMORY_MAX_MB: u32 = 1024;
/// Longer than any input may take.
const INPUT_SECONDS_MAX: u32 = 5;

/// Fuzzes what the options say, with all that libFuzzer prints.
pub fn run(root: &Path, options: &arguments::Fuzz) -> Result<ExitCode> {
    let fuzzer = Fuzzer::build(root, Profile::Release)?;
    let targets = match &options.target {
        Some(target) => vec![fuzzer.target(target)?],
        None => fuzzer.targets.clone(),
    };
    for target in &targets {
        match &options.replay {
            Some(file) => fuzzer.replay(target, file)?,
            None => fuzzer.fuzz(target, options.limit, Output::All)?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Fuzzes every target for a moment, as many at once as there are cores, with a line for each and all of libFuzzer's words where one
/// fails.
pub fn all(root: &Path, seconds: u64) -> Result<()> {
    let fuzzer = Fuzzer::build(root, Profile::Brief)?;
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let fuzz_the_rest = || {
        while let Some(target) = fuzzer.targets.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(error) = fuzzer.fuzz(target, FuzzLimit::Seconds(seconds), Output::Summary) {
                failures.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{error:#}"));
            }
        }
    };
    thread::scope(|scope| (0..toolchain::cores()).for_each(|_| drop(scope.spawn(fuzz_the_rest))));
    let failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    ensure!(failures.is_empty(), "{}", failures.join("; "));
    Ok(())
}

/// How the targets are compiled; a profile of `fuzz/Cargo.toml`.
#[derive(Clone, Copy)]
enum Profile {
    /// For long runs.
    Release,
    /// For a moment: compiling would take longer than fuzzing.
    Brief,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Profile::Release => "release",
            Profile::Brief => "brief",
        }
    }

    /// A moment always begins alike, so that a test does not depend on luck; a search by hand goes a new way each time.
    fn seed(self) -> Option<&'static str> {
        match self {
            Profile::Release => None,
            Profile::Brief => Some("-seed=1"),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Output {
    All,
    Summary,
}

/// The built targets and where their files are.
struct Fuzzer {
    directory: PathBuf,
    binaries: PathBuf,
    targets: Vec<String>,
    profile: Profile,
}

impl Fuzzer {
    fn build(root: &Path, profile: Profile) -> Result<Fuzzer> {
        toolchain::cpp_compiler()?;
        let directory = root.join("fuzz");
        let host = toolchain::host()?;
        let targets = targets(&directory)?;
        // With --target, Cargo keeps the flags away from build scripts and procedural macros.
        let mut build = cargo(&directory, &["build", "--profile", profile.name(), "--bins", "--target", &host]);
        // Cargo joins encoded flags by this byte; a space would do until a path has one.
        build.env("CARGO_ENCODED_RUSTFLAGS", RUSTFLAGS.join("\x1f")).env("CARGO_TARGET_DIR", directory.join("target"));
        succeed(&mut build)?;
        Ok(Fuzzer { binaries: directory.join("target").join(host).join(profile.name()), directory, targets, profile })
    }

    fn target(&self, name: &str) -> Result<String> {
        let known = self.targets.iter().find(|target| *target == name);
        known.cloned().with_context(|| format!("no fuzz target {name}: there are {}", self.targets.join(", ")))
    }

    fn fuzz(&self, target: &str, limit: FuzzLimit, output: Output) -> Result<()> {
        let artifacts = self.directory.join("artifacts").join(target);
        fs::create_dir_all(&artifacts)?;
        let start = SystemTime::now();
        let mut fuzz = self.command(target, limit, &artifacts)?;
        let passed = match output {
            Output::All => fuzz.status().context("cannot start the fuzz target")?.success(),
            Output::Summary => summarised(target, &mut fuzz)?,
        };
        if passed {
            return Ok(());
        }
        for artifact in files(&artifacts)?.iter().filter(|file| is_younger(file, start)) {
            println!("xtask: {target} failed on {}", artifact.display());
            println!("xtask: replay it with: cargo xtask fuzz {target} --replay {}", artifact.display());
        }
        bail!("fuzz target {target} failed")
    }

    fn command(&self, target: &str, limit: FuzzLimit, artifacts: &Path) -> Result<Command> {
        let corpus = self.directory.join("corpus").join(target);
        fs::create_dir_all(&corpus)?;
        let mut command = Command::new(self.binaries.join(target));
        command
            .arg(match limit {
                FuzzLimit::Seconds(seconds) => format!("-max_total_time={seconds}"),
                FuzzLimit::Runs(runs) => format!("-runs={runs}"),
            })
            .arg(format!("-rss_limit_mb={MEMORY_MAX_MB}"))
            .arg(format!("-malloc_limit_mb={MEMORY_MAX_MB}"))
            .arg(format!("-timeout={INPUT_SECONDS_MAX}"))
            .args(self.profile.seed())
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .stdin(Stdio::null());
        let dictionary = self.directory.join("dictionaries").join(format!("{target}.dict"));
        if dictionary.exists() {
            command.arg(format!("-dict={}", dictionary.display()));
        }
        // libFuzzer writes what it finds to the first directory and only reads the others.
        command.arg(corpus);
        let seeds = self.directory.join("seeds").join(target);
        if seeds.exists() {
            command.arg(seeds);
        }
        Ok(command)
    }

    fn replay(&self, target: &str, file: &Path) -> Result<()> {
        ensure!(file.is_file(), "there is no file {}", file.display());
        succeed(Command::new(self.binaries.join(target)).arg(file))
    }
}

/// Runs and prints one line, or everything if it failed; says whether it passed.
fn summarised(target: &str, fuzz: &mut Command) -> Result<bool> {
    let output = fuzz.output().context("cannot start the fuzz target")?;
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        println!("{log}");
        return Ok(false);
    }
    ensure!(
        counters(&log) > 0,
        "fuzz target {target} was built without coverage counters: it would search blindly\n{log}"
    );
    let last = log.lines().rev().find(|line| line.contains("DONE")).unwrap_or("nothing to say");
    println!("fuzz {target}: {}", last.trim());
    Ok(true)
}

/// How many coverage counters libFuzzer says that it found.
fn counters(log: &str) -> u64 {
    let line = log.lines().find(|line| line.contains("inline 8-bit counters"));
    let number = line.and_then(|line| line.split_once('(')?.1.split_whitespace().next()?.parse().ok());
    number.unwrap_or(0)
}

/// Names of the files in `fuzz_targets`, sorted.
fn targets(directory: &Path) -> Result<Vec<String>> {
    let files = files(&directory.join("fuzz_targets"))?;
    let rust = files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let names: Vec<_> = rust.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
    ensure!(!names.is_empty(), "there is no fuzz target in {}", directory.display());
    Ok(names)
}

/// Whether the file was written since. An old artefact is rewritten when the same bytes fail again.
fn is_younger(file: &Path, since: SystemTime) -> bool {
    // File systems take their time from a clock that ticks less often than ours.
    let since = since - Duration::from_secs(1);
    file.metadata().and_then(|metadata| metadata.modified()).is_ok_and(|written| written >= since)
}

fn files(directory: &Path) -> Result<BTreeSet<PathBuf>> {
    let entries = fs::read_dir(directory).with_context(|| format!("cannot list {}", directory.display()))?;
    entries.map(|entry| Ok(entry?.path())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found_in_the_directory() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the project");
        assert!(targets(&root.join("fuzz")).expect("fuzz is there").contains(&"stage_read".to_owned()));
    }

    #[test]
    fn coverage_counters_are_read_from_what_libfuzzer_says() {
        let log = "INFO: Seed: 1\nINFO: Loaded 1 modules   (2953 inline 8-bit counters): 2953 [0x55, 0x66), \n";
        assert_eq!(counters(log), 2953);
        assert_eq!(counters("INFO: Seed: 1\nINFO: A corpus is not provided\n"), 0);
    }
}
