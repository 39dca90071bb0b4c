//! Adds the dialect of `docs/adding-a-dialect.md` to a copy of the project, counts what that touched, and plays with it.
//!
//! The copy stays in `target/new-dialect`, and only files that differ are written again, so that a second run compiles
//! little.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    doors,
    step::{cargo, succeed},
};

const NAME: &str = "example";
const PAGE: &str = "docs/adding-a-dialect.md";
const SOURCE: &str = "crates/protocol/tests/example_dialect";
const FOLDER: &str = "crates/protocol/src/example";
/// Lines outside the folder, at most.
const LINES_MAX: usize = 3;
/// What is not part of the project.
const LEFT_OUT: [&str; 4] = [".git", "target", "corpus", "artifacts"];

/// The contents of files, by their paths from the root.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Adds it, counts, tests and plays. `selection` names packages and features to Cargo: whoever has compiled some already names
/// the same, because with other features most dependencies would be compiled again.
pub fn run(root: &Path, selection: &[&str]) -> Result<()> {
    let before = read(root)?;
    let mut after = with_dialect(&before)?;
    println!("xtask: {}", count(&before, &after)?);
    rename_version(&mut after)?;
    let copy = root.join("target/new-dialect");
    write(&copy, &after)?;
    let in_copy = |arguments: &[&str]| {
        let mut command = cargo(&copy, arguments);
        command.args(selection).env("CARGO_TARGET_DIR", root.join("target"));
        command
    };
    succeed(&mut in_copy(&["test", "--test", "every_dialect"]))?;
    let volley = build(&root.join("target"), &mut in_copy(&["build", "--bin", "volley"]))?;
    explain(&volley)?;
    play(&volley)
}

/// Builds the command line with the dialect, and returns where it is. The project's own stays where it was: both share what they
/// are compiled into, so that little is compiled twice.
fn build(target: &Path, build: &mut Command) -> Result<PathBuf> {
    let (built, own, moved) =
        (target.join("debug/volley"), target.join("debug/volley-own"), target.join("new-dialect/volley-with-it"));
    let has_own = built.exists();
    if has_own {
        fs::rename(&built, &own)?;
    }
    let outcome = succeed(build).and_then(|()| Ok(fs::rename(&built, &moved)?));
    if has_own {
        fs::rename(&own, &built)?;
    }
    outcome.map(|()| moved)
}

/// The decoder and the dissectors know the dialect too.
fn explain(volley: &Path) -> Result<()> {
    let folder = volley.with_file_name("dissectors");
    succeed(Command::new(volley).args(["dissector", "--out"]).arg(&folder).stdout(Stdio::null()))?;
    let file = folder.join(format!("rtype_{NAME}.lua"));
    ensure!(file.is_file(), "no dissector was written for {NAME}");
    let mut decode = Command::new(volley);
    decode.args(["decode", "-", "--dialect", NAME]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = decode.spawn().context("cannot start the decoder")?;
    child.stdin.take().context("the decoder has no input")?.write_all(b"client 00\n")?;
    let said = child.wait_with_output()?;
    let text = String::from_utf8_lossy(&said.stdout);
    ensure!(said.status.success() && text.contains(NAME), "the decoder does not know {NAME}: {text}");
    Ok(())
}

/// The project with the folder and the lines that the page tells.
fn with_dialect(before: &Files) -> Result<Files> {
    let mut after = before.clone();
    for (path, bytes) in before {
        if let Ok(file) = path.strip_prefix(SOURCE) {
            after.insert(Path::new(FOLDER).join(file), bytes.clone());
        }
    }
    let page = String::from_utf8_lossy(before.get(Path::new(PAGE)).with_context(|| format!("{PAGE} is missing"))?);
    let lines = lines(&page)?;
    for (file, behind, line) in lines {
        let text =
            after.get_mut(Path::new(&file)).with_context(|| format!("{PAGE} names {file}, which is not there"))?;
        *text = insert(std::str::from_utf8(text)?, &behind, &line).with_context(|| file.clone())?.into_bytes();
    }
    Ok(after)
}

/// Gives the packages of the copy another version. Cargo names what it compiles by a package's version and its path in the workspace, which
/// are the same here and there: without this, what the copy left would pass for the project's own.
fn rename_version(files: &mut Files) -> Result<()> {
    let manifest = files.get_mut(Path::new("Cargo.toml")).context("there is no Cargo.toml")?;
    let text = std::str::from_utf8(manifest)?;
    let (before, version, after) = workspace_version(text).context("Cargo.toml has no version of the workspace")?;
    *manifest = format!("{before}{version}-with-example{after}").into_bytes();
    Ok(())
}

/// The text before the version that all packages have, that version, and the text behind it.
fn workspace_version(text: &str) -> Option<(&str, &str, &str)> {
    const KEY: &str = "\nversion = \"";
    let start = text.find("[workspace.package]")?;
    let start = start + text[start..].find(KEY)? + KEY.len();
    let end = start + text[start..].find('"')?;
    Some((&text[..start], &text[start..end], &text[end..]))
}

/// File, the beginning of the line before, and the line, as the page's table has them.
fn lines(page: &str) -> Result<Vec<(String, String, String)>> {
    let row = page.lines().find(|line| line.starts_with(&format!("| [`{NAME}`](")));
    let row = row.context("the page has no row for readers")?;
    let cell = |text: &str| text.trim_matches([' ', '`']).to_owned();
    let rows = page.lines().filter(|line| line.starts_with("| `crates/") || line.starts_with("| `docs/"));
    let lines: Vec<_> = rows
        .map(|line| {
            let [_, file, behind, line, _] = line.split('|').collect::<Vec<_>>()[..] else { bail!("{line}") };
            let is_row = line.contains("see below");
            let behind = if is_row { "| [`volley`](volley.md)".to_owned() } else { cell(behind) };
            Ok((cell(file), behind, if is_row { row.to_owned() } else { cell(line) }))
        })
        .collect::<Result<_>>()?;
    ensure!(!lines.is_empty(), "{PAGE} has no table of lines");
    Ok(lines)
}

/// The text with a line behind the one that begins so, and indented like it.
fn insert(text: &str, behind: &str, line: &str) -> Result<String> {
    let mut found = false;
    let mut out = String::new();
    for old in text.lines() {
        out += &format!("{old}\n");
        if !found && old.trim_start().starts_with(behind) {
            found = true;
            let indent = &old[..old.len() - old.trim_start().len()];
            out += &format!("{indent}{line}\n");
        }
    }
    ensure!(found, "has no line that begins with {behind:?}");
    Ok(out)
}

/// Compares the two, and insists on one folder and few lines.
fn count(before: &Files, after: &Files) -> Result<String> {
    let folders: BTreeSet<_> =
        after.keys().filter(|path| !before.contains_key(*path)).filter_map(|path| path.parent()).collect();
    let changed: Vec<_> = before.iter().filter(|(path, bytes)| after.get(*path) != Some(bytes)).collect();
    let mut lines = 0;
    for (path, old) in &changed {
        let new = &after[*path];
        let count = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
        lines += count(new) - count(old);
    }
    let said = format!("a dialect is {} folder and {lines} lines in {} other files", folders.len(), changed.len());
    ensure!(folders.len() == 1 && lines <= LINES_MAX, "{said}: one folder and {LINES_MAX} lines are allowed");
    Ok(said)
}

/// Starts a node, and lets bots play on it in the dialect.
fn play(volley: &Path) -> Result<()> {
    let mut node = Node::start(volley)?;
    let port = node.port(NAME)?;
    println!("xtask: bots play {NAME} at port {port}");
    let port = port.to_string();
    let flag = format!("--{NAME}");
    let bots = ["bots", "--dialect", NAME, &flag, &port, "--count", "4", "--seconds", "5"];
    succeed(Command::new(volley).args(bots).stdin(Stdio::null()))
}

/// A node, for as long as it is held.
struct Node(Child);

impl Node {
    /// One with every door at a free port.
    fn start(volley: &Path) -> Result<Node> {
        let doors = doors::of(volley)?.into_iter().flat_map(|door| [format!("--{door}"), "0".into()]);
        let mut command = Command::new(volley);
        command.arg("serve").args(doors).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        Ok(Node(command.spawn().context("cannot start a node")?))
    }

    /// The port of a door, as the node's table says it.
    fn port(&mut self, name: &str) -> Result<u16> {
        let table = self.0.stdout.as_mut().context("the node has no output")?;
        for line in BufReader::new(table).lines() {
            let line = line?;
            let mut words = line.split_whitespace();
            if words.next() == Some(name) {
                return words.next().and_then(|port| port.parse().ok()).with_context(|| line.clone());
            }
        }
        bail!("the node opened no door for {name}")
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn read(root: &Path) -> Result<Files> {
    let mut files = Files::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            if LEFT_OUT.iter().any(|name| entry.file_name() == *name) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(root.join(&path)).with_context(|| path.display().to_string())?;
                files.insert(path, bytes);
            }
        }
    }
    Ok(files)
}

/// Makes a folder hold exactly these files, and touches none that is right already.
fn write(folder: &Path, files: &Files) -> Result<()> {
    fs::create_dir_all(folder)?;
    let old = read(folder)?;
    for path in old.keys().filter(|path| !files.contains_key(*path)) {
        fs::remove_file(folder.join(path))?;
    }
    for (path, bytes) in files.iter().filter(|(path, bytes)| old.get(*path) != Some(bytes)) {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().context("a file has a folder")?)?;
        fs::write(path, bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_behind_the_one_that_it_names_and_is_indented_like_it() {
        assert_eq!(
            insert("a\n  b => b,\nc\n", "b =>", "d => d,").ok().as_deref(),
            Some("a\n  b => b,\n  d => d,\nc\n")
        );
        assert!(insert("a\n", "b", "c").is_err());
    }

    #[test]
    fn more_than_one_folder_or_three_lines_are_too_many() {
        let files = |texts: &[(&str, &str)]| -> Files {
            texts.iter().map(|(path, text)| (path.into(), text.as_bytes().to_vec())).collect()
        };
        let before = files(&[("lib.rs", "a\n")]);
        let counted = |after: &[(&str, &str)]| count(&before, &files(after)).is_ok();
        assert!(counted(&[("lib.rs", "a\nb\nc\nd\n"), ("x/mod.rs", ""), ("x/wire.rs", "")]));
        assert!(!counted(&[("lib.rs", "a\nb\nc\nd\ne\n"), ("x/mod.rs", "")]));
        assert!(!counted(&[("lib.rs", "a\n"), ("x/mod.rs", ""), ("y/mod.rs", "")]));
    }
}
