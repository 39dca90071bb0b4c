//! Puts the web client, if `cargo xtask web` has built it, into the node: a table of its files for `http/pages.rs`.
//!
//! The bundle lies in `web/` of Cargo's target directory, or where `VOLLEY_WEB` says. Without one the table is empty.

use std::{
    env,
    error::Error,
    fmt::Write,
    fs,
    hash::{DefaultHasher, Hasher},
    path::{Path, PathBuf},
};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=VOLLEY_WEB");
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("Cargo sets OUT_DIR")?);
    let places = match env::var_os("VOLLEY_WEB") {
        Some(chosen) => vec![PathBuf::from(chosen)],
        None => places(&out),
    };
    for place in &places {
        // Cargo would run this script each time if it were to watch what is not there.
        fs::create_dir_all(place)?;
        println!("cargo::rerun-if-changed={}", place.display());
    }
    let bundle = places.iter().find(|place| place.join("index.html").is_file());
    let table = bundle.map_or(Ok("&[]".into()), |bundle| table(bundle))?;
    fs::write(out.join("bundle.rs"), table)?;
    Ok(())
}

/// Cargo writes the first only into a target directory that it made itself, and not, say, into a mounted one.
const MARKS: [&str; 2] = ["CACHEDIR.TAG", ".rustc_info.json"];

/// Where the bundle may lie: the output directory is `target/<profile>/build/…`, or `target/<triple>/<profile>/build/…`.
fn places(out: &Path) -> Vec<PathBuf> {
    let build = out.ancestors().find(|path| path.file_name().is_some_and(|name| name == "build"));
    let above_profile = build.into_iter().flat_map(Path::ancestors).skip(2).take(2);
    let is_target = |path: &&Path| MARKS.iter().any(|mark| path.join(mark).is_file());
    above_profile.filter(is_target).map(|target| target.join("web")).collect()
}

/// The table as the source of a slice of `PageFile`s.
fn table(bundle: &Path) -> Result<String, Box<dyn Error>> {
    let mut paths = fs::read_dir(bundle)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    paths.sort();
    let mut table = String::from("&[\n");
    for path in paths.iter().filter(|path| path.extension().is_none_or(|extension| extension != "gz")) {
        let name = path.file_name().and_then(|name| name.to_str()).ok_or("a name that is not text")?;
        let bytes = fs::read(path)?;
        let compressed = path.with_file_name(format!("{name}.gz"));
        let gzip = if compressed.is_file() { format!("Some(include_bytes!({compressed:?}))") } else { "None".into() };
        writeln!(
            table,
            "PageFile {{ name: {name:?}, kind: {:?}, tag: 0x{:016x}, bytes: include_bytes!({path:?}), gzip: {gzip} }},",
            kind(name)?,
            tag(&bytes)
        )?;
    }
    Ok(table + "]\n")
}

/// The content type, which browsers insist on for scripts and wasm.
fn kind(name: &str) -> Result<&'static str, String> {
    Ok(match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        _ => return Err(format!("{name} in the web client: add its content type to crates/server/build.rs")),
    })
}

/// Changes whenever the bytes do.
fn tag(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
