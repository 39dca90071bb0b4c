//! Whether the package does what an administrator expects: it installs, its service runs, an upgrade and a removal keep
//! data and configuration, and a purge leaves nothing. All of it for real, on this machine, as root.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use super::{Release, VOLLEY, debian, list, name};
use crate::{
    doors,
    step::{succeed, works},
    toolchain,
};

const CONFIGURATION: &str = "/etc/volley/volley.toml";
const DATA: &str = "/var/lib/volley";
/// All that a purge has to remove.
const TRACES: [&str; 5] = ["/etc/volley", DATA, "/var/lib/private/volley", "/usr/bin/volley", "/usr/share/doc/volley"];
const UNITS: [&str; 2] = ["/usr/lib/systemd/system/volley.service", "/lib/systemd/system/volley.service"];

/// What an administrator writes into the configuration.
const REMARK: &str = "\n# mine\n";

/// Far more than a node takes to say goodbye when nobody plays.
const END_MAX: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(50);

pub fn run(release: &Release, packages: &[PathBuf]) -> Result<()> {
    let first =
        packages.iter().find(|path| name(path).starts_with("volley_")).context("there is no package to check")?;
    ensure!(toolchain::is_root(), "the check installs a package: run it as root, on a machine where that does no harm");
    ensure!(!works("dpkg", &["--status", "volley"]), "a package volley is installed here already: purge it first");
    let result = life(release, first);
    if result.is_err() {
        // Whatever went wrong, this machine is left as it was. The first error is the one that says what.
        let _ = dpkg(&["--purge", "volley"]);
    }
    result
}

/// Installs, runs, upgrades, removes and purges.
fn life(release: &Release, first: &Path) -> Result<()> {
    install(first)?;
    succeed(Command::new("/usr/bin/volley").arg("--version"))?;
    verify_unit()?;
    let configuration = fs::read_to_string(CONFIGURATION)? + REMARK + &free_ports()?;
    fs::write(CONFIGURATION, &configuration)?;
    run_service()?;
    let data = contents(Path::new(DATA))?;
    ensure!(!data.is_empty(), "the service has kept nothing in {DATA}");
    said(&format!("the service ran and wrote {}", data.keys().map(|path| name(path)).collect::<Vec<_>>().join(", ")));

    let kept = || -> Result<()> {
        ensure!(contents(Path::new(DATA))? == data, "the files in {DATA} are not the same");
        ensure!(fs::read_to_string(CONFIGURATION)? == configuration, "{CONFIGURATION} is not the same");
        Ok(())
    };
    install(&debian::package(release, &VOLLEY, "2")?)?;
    kept().context("after the upgrade")?;
    run_service().context("after the upgrade")?;
    said("the upgrade kept data and configuration, and the service runs");
    let data_now = contents(Path::new(DATA))?;
    ensure!(data.keys().all(|file| data_now.contains_key(file)), "the new version removed data");

    dpkg(&["--remove", "volley"])?;
    ensure!(Path::new(DATA).exists() && Path::new(CONFIGURATION).exists(), "a removal took data or configuration");
    said("the removal kept data and configuration");
    dpkg(&["--purge", "volley"])?;
    let left: Vec<&str> = TRACES.into_iter().chain(UNITS).filter(|path| Path::new(path).exists()).collect();
    ensure!(left.is_empty(), "a purge left {}", left.join(", "));
    said("the purge left nothing");
    Ok(())
}

/// Lines of configuration that give every door any free port, so that nothing on this machine is in the way.
fn free_ports() -> Result<String> {
    let doors = doors::of(Path::new("/usr/bin/volley"))?;
    Ok(doors.iter().map(|door| format!("{door} = 0\n")).collect())
}

fn said(what: &str) {
    println!("xtask: package check: {what}");
}

fn install(package: &Path) -> Result<()> {
    let path = package.to_str().context("a package has an odd path")?;
    dpkg(&["--install", path])?;
    said(&format!("installed {}", name(package)));
    Ok(())
}

fn dpkg(arguments: &[&str]) -> Result<()> {
    succeed(Command::new("dpkg").env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null()).args(arguments))
}

fn unit() -> Result<&'static str> {
    UNITS.into_iter().find(|path| Path::new(path).exists()).context("the package has no unit for systemd")
}

fn verify_unit() -> Result<()> {
    if !works("systemd-analyze", &["--version"]) {
        toolchain::install(&["systemd"], "its systemd-analyze checks the unit")?;
    }
    succeed(Command::new("systemd-analyze").args(["verify", unit()?]))?;
    said("systemd-analyze verify accepts the unit and finds its man page");
    Ok(())
}

/// Runs what the unit's `ExecStart` says, asks whether it is well, and ends it as systemd does.
fn run_service() -> Result<()> {
    let text = fs::read_to_string(unit()?)?;
    let line = text.lines().find_map(|line| line.strip_prefix("ExecStart=")).context("the unit starts nothing")?;
    let mut words = line.split_whitespace();
    let program = words.next().context("the unit starts nothing")?;
    let mut node = Command::new(program);
    let mut node = node.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("cannot start it")?;
    let health = healthy(&mut node);
    let end = end(&mut node);
    health.and(end)
}

/// Ends it with the signal that systemd uses.
fn end(node: &mut Child) -> Result<()> {
    succeed(Command::new("kill").arg(node.id().to_string()))?;
    let start = Instant::now();
    while start.elapsed() < END_MAX {
        match node.try_wait()? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => bail!("the service ended with {status}"),
            None => thread::sleep(POLL),
        }
    }
    node.kill()?;
    bail!("the service did not end within {} s", END_MAX.as_secs())
}

/// Waits until the node says where its HTTP is, and asks there.
fn healthy(node: &mut Child) -> Result<()> {
    let output = node.stdout.take().context("the service has no output")?;
    for line in BufReader::new(output).lines() {
        if let ["http", port, ..] = line?.split_whitespace().collect::<Vec<_>>()[..] {
            let mut stream = TcpStream::connect(("127.0.0.1", port.parse::<u16>()?))?;
            stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            ensure!(answer.starts_with("HTTP/1.1 200"), "the service is not well: {answer}");
            return Ok(());
        }
    }
    bail!("the service ended without saying where its HTTP is")
}

/// Every file below a directory, with its bytes.
fn contents(directory: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for path in list(directory)? {
        if path.is_dir() {
            files.append(&mut contents(&path)?);
        } else {
            let bytes = fs::read(&path)?;
            files.insert(path, bytes);
        }
    }
    Ok(files)
}
