//! Finds a compiler for `wasm32-unknown-unknown`: the toolchain's own target, which rustup may add; otherwise Debian's
//! packages of Rust for browsers, which bring the standard library as source.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    process::Command,
    str::FromStr,
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    step::{cargo, succeed_within, works},
    toolchain,
};

const TARGET: &str = "wasm32-unknown-unknown";
/// Where Cargo leaves the client, in the target directory.
pub const OUTPUT: &str = "wasm32-unknown-unknown/wasm/browser.wasm";
const BUILD: [&str; 7] = ["build", "--package", "browser", "--lib", "--profile", "wasm", "--target"];

/// Long enough for 20 MB over a slow line; without a way to its server, rustup gives up within seconds.
const RUSTUP_TIME_MAX: Duration = Duration::from_secs(120);

/// What Debian builds its own browsers with: newer than its ordinary Rust. It has no compiled library for this target.
const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

/// What may be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WasmCompiler {
    /// The toolchain's own target.
    Target,
    /// Debian's packages, with the standard library built from source.
    Debian,
}

impl FromStr for WasmCompiler {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<WasmCompiler, &'static str> {
        match name {
            "target" => Ok(WasmCompiler::Target),
            "debian" => Ok(WasmCompiler::Debian),
            _ => Err("is neither target nor debian"),
        }
    }
}

/// A compiler that is there.
pub enum Compiler {
    /// The one that runs xtask.
    Target,
    /// Debian's, with this linker.
    Debian { linker: PathBuf },
}

impl fmt::Display for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Compiler::Target => write!(f, "the toolchain's target {TARGET}"),
            Compiler::Debian { linker } => write!(f, "Debian's {DEBIAN_CARGO}, build-std and {}", linker.display()),
        }
    }
}

impl Compiler {
    /// The first that is there or can be installed.
    pub fn find(way: Option<WasmCompiler>) -> Result<Compiler> {
        match way {
            Some(WasmCompiler::Target) => target().map(|()| Compiler::Target),
            Some(WasmCompiler::Debian) => debian(),
            None => target().map(|()| Compiler::Target).or_else(|first| {
                println!("xtask: {first:#}; trying Debian's packages");
                debian().with_context(|| format!("no compiler for browsers: {first:#}; and Debian's packages"))
            }),
        }
    }

    /// The command that compiles the client.
    pub fn build(&self, root: &Path) -> Command {
        match self {
            Compiler::Target => {
                let mut build = cargo(root, &BUILD);
                build.arg(TARGET);
                build
            }
            Compiler::Debian { linker } => {
                let mut build = Command::new(DEBIAN_CARGO);
                build.current_dir(root).args(BUILD).args([TARGET, "-Zbuild-std=std,panic_abort"]);
                // Building the standard library is not stable; this lets a stable compiler do it all the same.
                build.env("RUSTC_BOOTSTRAP", "1").env("RUSTC", DEBIAN_RUSTC);
                build.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
                build
            }
        }
    }
}

/// Makes sure that the toolchain has the target.
fn target() -> Result<()> {
    if has_target() {
        return Ok(());
    }
    ensure!(works("rustup", &["--version"]), "the toolchain has no target {TARGET}, and there is no rustup to add it");
    println!("xtask: installing the target: rustup target add {TARGET}");
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", TARGET]).env("RUSTUP_MAX_RETRIES", "0").env("RUST_BACKTRACE", "0");
    succeed_within(RUSTUP_TIME_MAX, &mut rustup).context("rustup could not add the target")?;
    ensure!(has_target(), "rustup says that it added {TARGET}, but the toolchain in use does not have it");
    Ok(())
}

fn has_target() -> bool {
    let libraries = printed("rustc", &["--print", "target-libdir", "--target", TARGET]);
    libraries.is_ok_and(|path| Path::new(&path).is_dir())
}

/// Makes sure that Debian's packages are there.
fn debian() -> Result<Compiler> {
    let source = || {
        let sysroot = printed(DEBIAN_RUSTC, &["--print", "sysroot"])?;
        let library = Path::new(&sysroot).join("lib/rustlib/src/rust/library/Cargo.lock");
        ensure!(library.is_file(), "there is no {}", library.display());
        Ok(())
    };
    if !works(DEBIAN_CARGO, &["--version"]) || source().is_err() {
        toolchain::install(&DEBIAN_PACKAGES, "the web client can be compiled with Debian's packages")?;
        source().context("the packages are installed, but the source of Rust's library is not where it should be")?;
    }
    Ok(Compiler::Debian { linker: linker()? })
}

/// LLVM's linker, of the version that the compiler has; failing that, the one that the toolchain brings.
fn linker() -> Result<PathBuf> {
    let major = llvm_major(&printed(DEBIAN_RUSTC, &["-vV"])?)?;
    let debians = PathBuf::from(format!("/usr/bin/wasm-ld-{major}"));
    if debians.exists() {
        return Ok(debians);
    }
    if let Ok(Some(own)) = rust_lld() {
        return Ok(own);
    }
    toolchain::install(&[&format!("lld-{major}")], "linking the web client takes LLVM's linker")?;
    ensure!(debians.exists(), "lld-{major} is installed, but there is no {}", debians.display());
    Ok(debians)
}

/// The `rust-lld` that comes with a toolchain of rustup's.
fn rust_lld() -> Result<Option<PathBuf>> {
    let libraries = PathBuf::from(printed("rustc", &["--print", "target-libdir"])?);
    let lld = libraries.parent().map(|host| host.join("bin/rust-lld"));
    Ok(lld.filter(|lld| fs::metadata(lld).is_ok()))
}

/// The `22` of `LLVM version: 22.1.8`.
fn llvm_major(about: &str) -> Result<u32> {
    let version = about.lines().find_map(|line| line.strip_prefix("LLVM version: "));
    let major = version.and_then(|version| version.split('.').next()?.trim().parse().ok());
    major.with_context(|| format!("{DEBIAN_RUSTC} -vV does not say which LLVM it has"))
}

/// What a program prints, without the line's end.
fn printed(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).output().with_context(|| format!("cannot start {program}"))?;
    if !output.status.success() {
        bail!("`{program} {}` ended with {}", arguments.join(" "), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linker_is_chosen_by_the_compilers_llvm() {
        let about = "rustc 1.96.0\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nLLVM version: 22.1.8\n";
        assert_eq!(llvm_major(about).expect("it says so"), 22);
        assert!(llvm_major("rustc 1.96.0\n").is_err());
    }

    #[test]
    fn what_a_program_prints_is_taken_only_if_it_succeeded() {
        assert!(printed("rustc", &["--version"]).expect("rustc is here").starts_with("rustc "));
        assert!(printed("rustc", &["--no-such-option"]).is_err());
        assert!(printed("no-such-program-of-volley", &[]).is_err());
    }
}
