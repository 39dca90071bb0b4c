//! `cargo xtask web`: compiles the client for browsers and puts it, with the files of `www/`, into `target/web/`.
//!
//! The build script of `server` takes the bundle from there into the node, each file as it is and compressed. Whatever
//! is already as it should be is left alone, so that a second run is quick and the node is not built again. Start with
//! [`run`]; `compiler.rs` finds a compiler.

mod compiler;
mod names;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail, ensure};
use flate2::{Compression, write::GzEncoder};

pub use self::compiler::{Compiler, Way};
use crate::{
    metadata,
    step::{step, succeed},
};

/// How the step is called, and what to do if it fails.
pub const TITLE: &str = "web client";
pub const NEXT: &str = "mend the error above, and try `cargo xtask web` alone";

/// A page that is larger than this does not load at once on a phone.
const BUNDLE_BYTES_MAX: u64 = 2_500_000;

/// Builds the bundle with that compiler, or with whatever is there; or says what is missing for it.
pub fn run(root: &Path, way: Option<Way>) -> Result<ExitCode> {
    let compiler = Compiler::find(way)?;
    step(TITLE, NEXT, || build(root, &compiler))?;
    Ok(ExitCode::SUCCESS)
}

/// Builds the bundle if there is a compiler for it; if not, says why, and how to get one.
pub fn build_if_possible(root: &Path) -> Result<()> {
    match Compiler::find(None) {
        Ok(compiler) => {
            step(TITLE, NEXT, || build(root, &compiler))?;
        }
        Err(reason) => println!("xtask: WITHOUT THE WEB CLIENT: {reason:#}"),
    }
    Ok(())
}

pub fn build(root: &Path, compiler: &Compiler) -> Result<()> {
    let target = metadata::target_directory(root)?;
    println!("xtask: compiling the web client with {compiler}");
    succeed(&mut compiler.build(root))?;
    assemble(root, &target.join(compiler::OUTPUT), &target.join("web"))
}

/// Makes the bundle hold exactly the files of `www/` and the compiled client.
fn assemble(root: &Path, wasm: &Path, bundle: &Path) -> Result<()> {
    let mut files = vec![(String::from("volley.wasm"), names::without(&read(wasm)?)?)];
    for path in list(&root.join("www"))? {
        files.push((name(&path)?, read(&path)?));
    }
    let total: u64 = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    for (name, bytes) in &files {
        println!("xtask: {:>9} bytes  {name}", bytes.len());
    }
    println!("xtask: {total:>9} bytes in all, of {BUNDLE_BYTES_MAX} at most, in {}", bundle.display());
    ensure!(total <= BUNDLE_BYTES_MAX, "the bundle has {total} bytes, more than {BUNDLE_BYTES_MAX}");
    replace(bundle, &with_compressed(files)?)
}

/// Each file, and beside it the same compressed, if that makes it smaller.
fn with_compressed(files: Vec<(String, Vec<u8>)>) -> Result<Vec<(String, Vec<u8>)>> {
    let mut all = Vec::new();
    for (name, bytes) in files {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&bytes)?;
        let compressed = encoder.finish()?;
        if compressed.len() < bytes.len() {
            all.push((format!("{name}.gz"), compressed));
        }
        all.push((name, bytes));
    }
    Ok(all)
}

/// Writes what differs and removes what does not belong. A file that is right keeps its time.
fn replace(bundle: &Path, files: &[(String, Vec<u8>)]) -> Result<()> {
    fs::create_dir_all(bundle).with_context(|| format!("cannot make {}", bundle.display()))?;
    for path in list(bundle)? {
        if files.iter().all(|(known, _)| path.file_name().is_none_or(|name| name != known.as_str())) {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    for (name, bytes) in files {
        let path = bundle.join(name);
        if fs::read(&path).is_ok_and(|old| old == *bytes) {
            continue;
        }
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The files of a directory, sorted. The bundle is flat: a directory inside is a mistake.
fn list(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory).with_context(|| format!("cannot list {}", directory.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    match paths.iter().find(|path| !path.is_file()) {
        Some(path) => bail!("{} is no file; the bundle is flat", path.display()),
        None => Ok(paths),
    }
}

fn name(path: &Path) -> Result<String> {
    let name = path.file_name().and_then(|name| name.to_str());
    Ok(name.with_context(|| format!("{} has no plain name", path.display()))?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_holds_exactly_its_files_and_keeps_those_that_are_right() {
        let directory = tempfile::tempdir().expect("a place for the test");
        let bundle = directory.path().join("web");
        let files = |page: &str| vec![("index.html".to_owned(), page.as_bytes().to_vec()), ("a.js".into(), vec![1])];
        replace(&bundle, &files("one")).expect("written");
        fs::write(bundle.join("old.js"), "old").expect("written");
        let written = |name: &str| fs::metadata(bundle.join(name)).and_then(|file| file.modified()).expect("is there");
        let before = written("a.js");
        replace(&bundle, &files("two")).expect("written again");
        assert_eq!(fs::read_to_string(bundle.join("index.html")).expect("is there"), "two");
        assert!(!bundle.join("old.js").exists());
        assert_eq!(written("a.js"), before);
    }

    #[test]
    fn what_shrinks_is_there_compressed_as_well() {
        let files = vec![("a.js".to_owned(), vec![b'a'; 1000]), ("b.js".to_owned(), b"b".to_vec())];
        let all = with_compressed(files).expect("compressed");
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a.js.gz", "a.js", "b.js"]);
        let mut unpacked = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&all[0].1[..]), &mut unpacked).expect("is gzip");
        assert_eq!(unpacked, all[1].1);
    }

    #[test]
    fn a_bundle_that_is_too_large_is_refused() {
        let directory = tempfile::tempdir().expect("a place for the test");
        let root = directory.path();
        fs::create_dir(root.join("www")).expect("made");
        fs::write(root.join("www/index.html"), "page").expect("written");
        let wasm = root.join("client.wasm");
        fs::write(&wasm, b"\0asm\x01\0\0\0").expect("written");
        let page = |bytes: u64| fs::write(root.join("www/large.js"), vec![0; bytes as usize]).expect("written");
        page(BUNDLE_BYTES_MAX - 12);
        assemble(root, &wasm, &root.join("web")).expect("just fits");
        page(BUNDLE_BYTES_MAX - 11);
        let error = assemble(root, &wasm, &root.join("web")).expect_err("one byte too many");
        assert!(error.to_string().contains("2500001 bytes, more than 2500000"), "{error}");
    }
}
