//! Crates depend in one direction; [`ALLOWED`] is the crate map of ARCHITECTURE.md.

use std::borrow::Cow;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Breach, tree::Tree};

/// A crate, and the crates of this workspace that it may use.
const ALLOWED: &[(&str, &[&str])] = &[
    ("game", &[]),
    ("bot", &["game"]),
    ("network", &[]),
    ("replay", &["game", "bot"]),
    ("protocol", &["game", "network"]),
    ("server", &["game", "bot", "replay", "network", "protocol", "test_ports"]),
    ("client", &["game", "bot", "replay", "network", "protocol"]),
    ("browser", &["game", "bot", "replay", "protocol", "client"]),
    ("desktop", &["game", "bot", "replay", "network", "protocol", "server", "client", "toolkit", "test_ports"]),
    ("test_ports", &[]),
    ("toolkit", &["game", "bot", "replay", "network", "protocol", "server", "client", "test_ports"]),
    ("volley", &["game", "bot", "replay", "network", "protocol", "server", "client", "toolkit", "test_ports"]),
    ("xtask", &[]),
];

const TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

pub fn check(tree: &Tree) -> Vec<Breach> {
    let manifests = tree.files().iter().filter_map(|file| Some((file, crate_of(&file.path)?)));
    manifests.flat_map(|(file, name)| wrong_arrows(&file.path, &file.text, name)).collect()
}

/// The crate whose manifest it is.
fn crate_of(path: &str) -> Option<&str> {
    let directory = path.strip_suffix("/Cargo.toml")?;
    let name = directory.strip_prefix("crates/").unwrap_or(directory);
    (name == "xtask" || (directory.starts_with("crates/") && !name.contains('/'))).then_some(name)
}

fn wrong_arrows(path: &str, text: &str, name: &str) -> Vec<Breach> {
    let manifest = match DeTable::parse(text) {
        Ok(manifest) => manifest,
        Err(error) => return vec![Breach::new(path, 1, format!("is not a manifest: {}", error.message()))],
    };
    let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| *known == name) else {
        let what = format!("crate `{name}` is not on the crate map: add it to ARCHITECTURE.md and xtask's arrows.rs");
        return vec![Breach::new(path, 1, what)];
    };
    let used = dependencies(manifest.get_ref());
    let wrong = used.into_iter().filter(|(used, _)| is_ours(used) && !allowed.contains(&used.as_str()));
    let breach = |(used, at): (String, usize)| {
        let line = text[..at.min(text.len())].lines().count().max(1);
        Breach::new(path, line, format!("`{name}` must not use `{used}`"))
    };
    wrong.map(breach).collect()
}

fn is_ours(name: &str) -> bool {
    ALLOWED.iter().any(|(known, _)| *known == name)
}

/// Names of all packages that the manifest's dependency tables name, and the byte just after each key.
fn dependencies(manifest: &DeTable<'_>) -> Vec<(String, usize)> {
    let mut found: Vec<_> = TABLES.iter().filter_map(|name| table(manifest.get(*name)?)).flat_map(names).collect();
    if let Some(targets) = manifest.get("target").and_then(table) {
        found.extend(targets.values().filter_map(table).flat_map(dependencies));
    }
    found
}

fn table<'a, 'text>(value: &'a Spanned<DeValue<'text>>) -> Option<&'a DeTable<'text>> {
    value.get_ref().as_table()
}

fn names(dependencies: &DeTable<'_>) -> Vec<(String, usize)> {
    let named = |(key, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
        let renamed = table(value).and_then(|table| table.get("package")?.get_ref().as_str());
        (renamed.unwrap_or(key.get_ref()).to_owned(), key.span().end)
    };
    dependencies.iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<(usize, String)> {
        check(&Tree::of(&[(path, text)])).into_iter().map(|breach| (breach.line, breach.what)).collect()
    }

    #[test]
    fn arrows_point_towards_game() {
        let text = "[package]\nname = \"x\"\n\n[dependencies]\nanyhow = \"1\"\ngame.workspace = true\n";
        assert!(found("crates/protocol/Cargo.toml", text).is_empty());
        assert!(found("crates/volley/Cargo.toml", text).is_empty());
        assert_eq!(found("crates/game/Cargo.toml", text), [(6, "`game` must not use `game`".to_owned())]);
        assert_eq!(found("xtask/Cargo.toml", text).len(), 1);
    }

    #[test]
    fn every_kind_of_dependency_counts() {
        let text = "[dev-dependencies]\ntoolkit = { path = \"../toolkit\" }\n[build-dependencies]\n\
                    t = { package = \"volley\", path = \"../volley\" }\n\
                    [target.'cfg(unix)'.dependencies.server]\nworkspace = true\n";
        let lines: Vec<_> = found("crates/protocol/Cargo.toml", text).into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [2, 4, 5]);
    }

    #[test]
    fn an_unknown_crate_and_a_broken_manifest_are_reported() {
        assert_eq!(found("crates/engine/Cargo.toml", "[package]\n").len(), 1);
        assert_eq!(found("crates/game/Cargo.toml", "[package\n").len(), 1);
        assert!(found("fuzz/Cargo.toml", "[dependencies]\ngame = \"1\"\n").is_empty());
    }
}
