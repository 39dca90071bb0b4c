//! `cargo xtask dist`: a release in `target/dist/`: a folder and an archive of it, Debian packages, and their checksums.
//!
//! Everything is made from what is committed here: man pages and completions from the command definitions, licences from
//! the sources of the dependencies. `--check` installs, upgrades and purges the package on this machine.

mod check;
mod debian;
mod licences;
mod policy;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, ensure};

use crate::{
    desktop, metadata,
    report::is_ci,
    step::{cargo, step, succeed},
    toolchain,
    web::{self, Compiler},
};

/// Where cargo-deb takes what is not a program from: it finds `target/release/` wherever Cargo builds.
const STAGED: &str = "release/package";
const LICENCES: &str = "THIRD-PARTY-LICENCES.txt";

/// A program of the release.
struct Program {
    name: &'static str,
    package: &'static str,
    /// What makes it write man pages and completions into the directory that follows.
    generate: &'static str,
}

const VOLLEY: Program = Program { name: "volley", package: "volley", generate: "generate" };
const DESKTOP: Program = Program { name: "volley-desktop", package: "desktop", generate: "--generate" };

/// What is released, and where it is put together.
struct Release<'a> {
    root: &'a Path,
    target: PathBuf,
    version: String,
    host: String,
    programs: Vec<Program>,
}

/// Makes the release; with `check`, installs it as well, to see that it works.
pub fn run(root: &Path, check: bool) -> Result<ExitCode> {
    println!(
        "xtask: a release takes about ten minutes on two cores, and as long again where cargo-deny is not installed"
    );
    let start = Instant::now();
    step("dependencies", "change deny.toml or the dependency; CONTRIBUTING.md says how", || policy::check(root))?;
    let release = Release::new(root)?;
    release.build()?;
    step("man pages and completions", "mend the error above", || release.generate())?;
    step("licences", "mend the error above", || licences::write(root, &release.staged().join(LICENCES)))?;
    step("folder and archive", "mend the error above", || release.assemble())?;
    let packages = debian::packages(&release)?;
    step("checksums", "install coreutils", || release.checksums())?;
    if check {
        step("package check", "mend the package; nothing of it is left installed", || check::run(&release, &packages))?;
    }
    println!("xtask: {} is ready, {:.0} s in all", release.dist().display(), start.elapsed().as_secs_f64());
    Ok(ExitCode::SUCCESS)
}

impl<'a> Release<'a> {
    fn new(root: &'a Path) -> Result<Release<'a>> {
        let mut programs = vec![VOLLEY];
        match desktop::prepare_build() {
            Ok(()) => programs.push(DESKTOP),
            Err(missing) if is_ci() => return Err(missing),
            Err(missing) => println!("xtask: WITHOUT THE CLIENT IN A WINDOW: {missing:#}"),
        }
        let metadata = metadata::read(root, &["--no-deps"])?;
        let packages = metadata["packages"].as_array().context("cargo metadata names no packages")?;
        let volley = packages.iter().find(|package| package["name"] == VOLLEY.package);
        let version = volley.and_then(|package| package["version"].as_str()).context("volley has no version")?;
        let target = metadata["target_directory"].as_str().context("cargo metadata names no target directory")?;
        let (version, target) = (version.to_owned(), PathBuf::from(target));
        Ok(Release { root, target, version, host: toolchain::host()?, programs })
    }

    fn dist(&self) -> PathBuf {
        self.target.join("dist")
    }

    fn staged(&self) -> PathBuf {
        self.target.join(STAGED)
    }

    fn built(&self, program: &Program) -> PathBuf {
        self.target.join("release").join(program.name)
    }

    /// Builds the web client, the node with it inside, and the client in a window where that is possible.
    fn build(&self) -> Result<()> {
        let compiler = Compiler::find(None).context("a release has the web client inside")?;
        step(web::TITLE, web::NEXT, || web::build(self.root, &compiler))?;
        step("building the programs", "mend the error above", || {
            // In one command, so that what they share is built once.
            let packages = self.programs.iter().flat_map(|program| ["--package", program.package]);
            succeed(cargo(self.root, &["build", "--release", "--locked"]).args(packages))
        })?;
        Ok(())
    }

    fn generate(&self) -> Result<()> {
        clear(&self.staged())?;
        self.programs.iter().try_for_each(|program| {
            let directory = self.staged().join(program.name);
            succeed(Command::new(self.built(program)).arg(program.generate).arg(directory).stdin(Stdio::null()))
        })
    }

    /// The folder that becomes the archive: stripped programs and all that goes with them.
    fn assemble(&self) -> Result<()> {
        clear(&self.dist())?;
        let name = format!("volley-{}-{}", self.version, self.host);
        let folder = self.dist().join(&name);
        for directory in ["bin", "man", "completions", "systemd"] {
            fs::create_dir_all(folder.join(directory))?;
        }
        for program in &self.programs {
            let stripped = folder.join("bin").join(program.name);
            copy(&self.built(program), &stripped)?;
            succeed(Command::new("strip").arg(&stripped)).context("binutils has to be installed")?;
            for kind in ["man", "completions"] {
                copy_all(&self.staged().join(program.name).join(kind), &folder.join(kind))?;
            }
        }
        copy(&self.staged().join(LICENCES), &folder.join(LICENCES))?;
        copy(&self.root.join("packaging/volley.service"), &folder.join("systemd/volley.service"))?;
        copy(&self.root.join("packaging/volley.toml"), &folder.join("volley.toml"))?;
        for document in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            copy(&self.root.join(document), &folder.join(document))?;
        }
        let mut archive = Command::new("tar");
        archive.args(["--create", "--gzip", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--file"]);
        succeed(archive.arg(format!("{name}.tar.gz")).arg(&name).current_dir(self.dist()))
    }

    fn checksums(&self) -> Result<()> {
        let names: Vec<String> =
            list(&self.dist())?.iter().filter(|path| path.is_file()).map(|path| name(path)).collect();
        let output = Command::new("sha256sum").args(&names).current_dir(self.dist()).output();
        let output = output.context("cannot start sha256sum")?;
        ensure!(output.status.success(), "sha256sum ended with {}", output.status);
        print!("{}", String::from_utf8_lossy(&output.stdout));
        Ok(fs::write(self.dist().join("SHA256SUMS"), output.stdout)?)
    }
}

/// Makes the directory, empty.
fn clear(directory: &Path) -> Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory).with_context(|| format!("cannot remove {}", directory.display()))?;
    }
    fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn copy_all(from: &Path, to: &Path) -> Result<()> {
    list(from)?.iter().try_for_each(|file| copy(file, &to.join(name(file))))
}

fn list(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory).with_context(|| format!("cannot list {}", directory.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
