//! The licences of everything that is compiled into the programs, taken from the sources of the dependencies.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    path::Path,
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{metadata, toolchain};

/// Our packages that end up in a release; the node has the client for browsers inside.
const ROOTS: [&str; 3] = ["volley", "desktop", "browser"];
/// Beginnings of names of files with a licence in them, in small letters.
const FILES: [&str; 6] = ["license", "licence", "copying", "notice", "copyright", "unlicense"];

struct Package {
    title: String,
    expression: String,
    texts: Vec<String>,
}

/// Writes them all into one file.
pub fn write(root: &Path, file: &Path) -> Result<()> {
    let metadata = metadata::read(root, &["--locked", "--filter-platform", &toolchain::host()?])?;
    let mut packages = Vec::new();
    let shipped = shipped(&metadata)?;
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let ours = package["source"].is_null();
        if !ours && package["id"].as_str().is_some_and(|id| shipped.contains(id)) {
            packages.push(read(package)?);
        }
    }
    ensure!(!packages.is_empty(), "no dependency was found");
    packages.sort_by(|a, b| a.title.cmp(&b.title));
    println!("xtask: licences of {} packages, in {}", packages.len(), file.display());
    Ok(fs::write(file, page(&packages))?)
}

/// Ids of all packages that ours use at run time, directly or through others.
fn shipped(metadata: &Value) -> Result<BTreeSet<&str>> {
    let nodes = metadata["resolve"]["nodes"].as_array().context("cargo metadata resolves nothing")?;
    let nodes: BTreeMap<&str, &Value> = nodes.iter().filter_map(|node| Some((node["id"].as_str()?, node))).collect();
    let packages = metadata["packages"].as_array().context("cargo metadata names no packages")?;
    let is_root = |package: &&Value| {
        package["source"].is_null() && package["name"].as_str().is_some_and(|name| ROOTS.contains(&name))
    };
    let mut open: Vec<&str> = packages.iter().filter(is_root).filter_map(|package| package["id"].as_str()).collect();
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        if found.insert(id) {
            open.extend(nodes.get(id).into_iter().flat_map(|node| used_at_run_time(node)));
        }
    }
    Ok(found)
}

fn used_at_run_time(node: &Value) -> impl Iterator<Item = &str> {
    let uses = node["deps"].as_array().into_iter().flatten();
    // Cargo calls an ordinary dependency `null`, beside `dev` and `build`.
    let ordinary = |used: &&Value| used["dep_kinds"].as_array().is_some_and(|k| k.iter().any(|k| k["kind"].is_null()));
    uses.filter(ordinary).filter_map(|used| used["pkg"].as_str())
}

fn read(package: &Value) -> Result<Package> {
    let text = |key: &str| package[key].as_str().unwrap_or_default();
    let folder = Path::new(text("manifest_path")).parent().context("a manifest has no folder")?;
    let mut texts = Vec::new();
    for path in super::list(folder)?.iter().filter(|path| path.is_file()) {
        let name = super::name(path).to_lowercase();
        if FILES.iter().any(|beginning| name.starts_with(beginning)) {
            texts.push(String::from_utf8_lossy(&fs::read(path)?).replace('\r', "").trim_end().to_owned());
        }
    }
    let title = format!("{} {}", text("name"), text("version"));
    Ok(Package { title, expression: text("license").to_owned(), texts })
}

/// Each text once, below the names of the packages that have it.
fn page(packages: &[Package]) -> String {
    let mut page =
        String::from("Volley contains the packages below. Each is used under the licence beside its name.\n\n");
    let mut owners: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        let _ = writeln!(page, "{}: {}", package.title, package.expression);
        for text in &package.texts {
            owners.entry(text).or_default().push(&package.title);
        }
    }
    let bare: Vec<&str> = packages.iter().filter(|p| p.texts.is_empty()).map(|p| p.title.as_str()).collect();
    if !bare.is_empty() {
        let _ = writeln!(page, "\nThese come without a file that has the text of their licence: {}", bare.join(", "));
    }
    for (text, titles) in owners {
        let _ = write!(page, "\n{}\n{}:\n\n{text}\n", "=".repeat(80), titles.join(", "));
    }
    page
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_runs_is_shipped_also_through_others() {
        let uses = |id: &str, kind: Value| json!({"pkg": id, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [
                {"id": "v", "name": "volley", "source": null},
                {"id": "x", "name": "xtask", "source": null},
            ],
            "resolve": {"nodes": [
                {"id": "v", "deps": [uses("a", Value::Null), uses("t", json!("dev"))]},
                {"id": "a", "deps": [uses("b", Value::Null), uses("c", json!("build"))]},
                {"id": "b", "deps": []},
                {"id": "x", "deps": [uses("d", Value::Null)]},
            ]},
        });
        let found = shipped(&metadata).expect("it is sound");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "b", "v"]);
    }

    #[test]
    fn a_text_that_two_packages_share_stands_there_once() {
        let package = |title: &str, texts: &[&str]| Package {
            title: title.into(),
            expression: "MIT".into(),
            texts: texts.iter().map(ToString::to_string).collect(),
        };
        let page = page(&[package("a 1", &["Be kind."]), package("b 2", &["Be kind."]), package("c 3", &[])]);
        assert_eq!(page.matches("Be kind.").count(), 1);
        assert!(page.contains("a 1, b 2:\n\nBe kind."), "{page}");
        assert!(page.contains("without a file that has the text of their licence: c 3"), "{page}");
    }
}
