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

pub use self::compiler::{Compiler, WasmCompiler};
use crate::{
    metadata,
    step::{step, succeed},
};

/// How the step is called, and what to do if it fails.
pub const TITLE: &str = "web client";
pub const NEXT: &str = "mend the error above, and try `cargo xtask web` alone";

/// A page that is larger than this does not start at once on a phone: the browser compiles all of it first.
const BUNDLE_BYTES_MAX: usize = 2_500_000;
/// And compressed, as the node serves it: what a phone has to load.
const WIRE_BYTES_MAX: usize = 900_000;

/// Builds the bundle with that compiler, or with whatever is there; or says what is missing for it.
pub fn run(root: &Path, way: Option<WasmCompiler>) -> Result<ExitCode> {
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
    let files = files.into_iter().map(BundleFile::new).collect::<Result<Vec<_>>>()?;
    check_size(&files)?;
    println!("xtask: the bundle is in {}", bundle.display());
    replace(bundle, &all_of(files))
}

struct BundleFile {
    name: String,
    bytes: Vec<u8>,
    /// The same compressed, if that makes it smaller.
    compressed: Option<Vec<u8>>,
}

impl BundleFile {
    fn new((name, bytes): (String, Vec<u8>)) -> Result<BundleFile> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&bytes)?;
        let compressed = Some(encoder.finish()?).filter(|compressed| compressed.len() < bytes.len());
        Ok(BundleFile { name, bytes, compressed })
    }

    /// How much of it a browser loads.
    fn wire_bytes(&self) -> usize {
        self.compressed.as_ref().unwrap_or(&self.bytes).len()
    }
}

/// Prints how large everything is, and refuses what is too large.
fn check_size(files: &[BundleFile]) -> Result<()> {
    println!("xtask: {:>9} {:>10}", "bytes", "compressed");
    for file in files {
        println!("xtask: {:>9} {:>10}  {}", file.bytes.len(), file.wire_bytes(), file.name);
    }
    let total: usize = files.iter().map(|file| file.bytes.len()).sum();
    let wire: usize = files.iter().map(BundleFile::wire_bytes).sum();
    println!("xtask: {total:>9} {wire:>10}  in all");
    println!("xtask: {BUNDLE_BYTES_MAX:>9} {WIRE_BYTES_MAX:>10}  at most");
    ensure!(total <= BUNDLE_BYTES_MAX, "the bundle has {total} bytes, more than {BUNDLE_BYTES_MAX}");
    ensure!(wire <= WIRE_BYTES_MAX, "the bundle has {wire} bytes compressed, more than {WIRE_BYTES_MAX}");
    Ok(())
}

/// Names and bytes of all files, with the compressed ones.
fn all_of(files: Vec<BundleFile>) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for file in files {
        if let Some(compressed) = file.compressed {
            all.push((format!("{}.gz", file.name), compressed));
        }
        all.push((file.name, file.bytes));
    }
    all
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
        Some(path) => bail!("{} is not a file; the bundle is flat", path.display()),
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
        let files = [("a.js".to_owned(), vec![b'a'; 1000]), ("b.js".to_owned(), b"b".to_vec())];
        let all = all_of(files.into_iter().map(|file| BundleFile::new(file).expect("compressed")).collect());
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a.js.gz", "a.js", "b.js"]);
        let mut unpacked = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&all[0].1[..]), &mut unpacked).expect("is gzip");
        assert_eq!(unpacked, all[1].1);
    }

    /// A bundle of a page with those bytes.
    fn bundle_with(bytes: Vec<u8>) -> Result<()> {
        let directory = tempfile::tempdir().expect("a place for the test");
        let root = directory.path();
        fs::create_dir(root.join("www")).expect("made");
        fs::write(root.join("www/index.html"), "page").expect("written");
        fs::write(root.join("www/large.js"), bytes).expect("written");
        let wasm = root.join("client.wasm");
        fs::write(&wasm, b"\0asm\x01\0\0\0").expect("written");
        assemble(root, &wasm, &root.join("web"))
    }

    #[test]
    fn a_bundle_that_is_too_large_is_refused() {
        bundle_with(vec![0; BUNDLE_BYTES_MAX - 12]).expect("just fits");
        let error = bundle_with(vec![0; BUNDLE_BYTES_MAX - 11]).expect_err("one byte too many");
        assert!(error.to_string().contains("2500001 bytes, more than 2500000"), "{error}");
    }

    #[test]
    fn a_bundle_that_is_too_large_when_compressed_is_refused() {
        let noise = |bytes: usize| -> Vec<u8> {
            let mut state = 1_u64;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            };
            (0..bytes).map(|_| next()).collect()
        };
        bundle_with(noise(WIRE_BYTES_MAX - 12)).expect("just fits, as noise cannot be compressed");
        let error = bundle_with(noise(WIRE_BYTES_MAX - 11)).expect_err("one byte too many");
        assert!(error.to_string().contains("900001 bytes compressed, more than 900000"), "{error}");
    }
}
