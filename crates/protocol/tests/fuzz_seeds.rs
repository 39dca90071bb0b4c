//! The seeds of the fuzz targets are the golden vectors: `[server …]` of `<dialect>.txt` seeds `<dialect>_server`.
//!
//! The first of each section also seeds `field_tables`. After a change of the vectors: `cargo test -p protocol --test fuzz_seeds -- --ignored`.

#![allow(clippy::disallowed_methods, reason = "the crate itself has no files; its tests do")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[allow(dead_code, reason = "only the parsing of the vectors is needed here")]
mod vectors;

#[test]
fn every_vector_is_a_seed() {
    for (path, bytes) in seeds() {
        let seed = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(seed, bytes, "{}: not what the vector says", path.display());
    }
}

#[test]
// tidy: allow(leftovers) it proves nothing: it writes what the test above compares
#[ignore = "writes fuzz/seeds"]
fn write_the_seeds() {
    let seeds = seeds();
    for target in seeds.keys().filter_map(|path| path.parent()) {
        fs::create_dir_all(target).expect("fuzz/seeds can be written");
    }
    for (path, bytes) in seeds {
        fs::write(path, bytes).expect("fuzz/seeds can be written");
    }
}

/// What the target `field_tables` reads first: the dialect, the end and the channel.
fn choice(dialect: &str, section: &str) -> u8 {
    let number = protocol::Dialect::ALL.iter().position(|known| known.name() == dialect).expect("a dialect");
    let (is_server, is_stream) = (section.starts_with("server"), section.ends_with("stream"));
    (number as u8) << 2 | u8::from(is_stream) << 1 | u8::from(is_server)
}

fn seeds() -> BTreeMap<PathBuf, Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let mut seeds = BTreeMap::new();
    for file in fs::read_dir(vectors::directory()).expect("the vectors are there") {
        let file = file.expect("the vectors are there").path();
        let dialect = file.file_stem().and_then(|stem| stem.to_str()).expect("a file is named after its dialect");
        for (index, vector) in vectors::load(&file).into_iter().enumerate() {
            let direction = vector.section.split(' ').next().expect("a section has a name");
            let path = root.join(format!("{dialect}_{direction}")).join(format!("vector-{:03}", index + 1));
            let seed =
                root.join("field_tables").join(format!("{dialect}-{}", vector.section.replace([' ', '\''], "-")));
            // The first of each section is enough: what differs between vectors is quickly found.
            seeds.entry(seed).or_insert_with(|| [&[choice(dialect, &vector.section)], &vector.bytes[..]].concat());
            seeds.insert(path, vector.bytes);
        }
    }
    seeds
}
