//! A file in `fuzz/fuzz_targets/` and an entry in `fuzz/Cargo.toml` come in pairs.
//!
//! `cargo xtask fuzz` finds the files; Cargo and `cargo fuzz` need the entries.

use std::collections::BTreeSet;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Breach, tree::Tree};

const MANIFEST: &str = "fuzz/Cargo.toml";

pub fn check(tree: &Tree) -> Vec<Breach> {
    let Some(manifest) = tree.file(MANIFEST) else { return Vec::new() };
    let entries = match DeTable::parse(&manifest.text) {
        Ok(manifest) => paths(manifest.get_ref().get("bin").map(Spanned::get_ref)),
        Err(error) => return vec![Breach::new(MANIFEST, 1, format!("is not a manifest: {}", error.message()))],
    };
    let targets = tree.rust().filter_map(|file| file.path.strip_prefix("fuzz/"));
    let files: BTreeSet<_> = targets.filter(|path| path.starts_with("fuzz_targets/")).map(str::to_owned).collect();
    let no_entry = |path| Breach::new(&format!("fuzz/{path}"), 1, "has no [[bin]] in fuzz/Cargo.toml");
    let no_file = |path| Breach::new(MANIFEST, 1, format!("names fuzz/{path}, which is not there"));
    files.difference(&entries).map(no_entry).chain(entries.difference(&files).map(no_file)).collect()
}

fn paths(bins: Option<&DeValue<'_>>) -> BTreeSet<String> {
    let bins = bins.and_then(DeValue::as_array).into_iter().flat_map(|bins| bins.iter());
    bins.filter_map(|bin| Some(bin.get_ref().get("path")?.get_ref().as_str()?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST_TEXT: &str = "[package]\nname = \"f\"\n[[bin]]\nname = \"a\"\npath = \"fuzz_targets/a.rs\"\n";

    #[test]
    fn files_and_entries_come_in_pairs() {
        let with = |path| check(&Tree::of(&[(MANIFEST, MANIFEST_TEXT), (path, "//! A.\n")])).len();
        assert_eq!(with("fuzz/fuzz_targets/a.rs"), 0);
        assert_eq!(with("fuzz/fuzz_targets/b.rs"), 2, "b has no entry, a no file");
    }
}
