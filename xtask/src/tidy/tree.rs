//! The project's files, read once: their text and, for Rust, their syntax with and without tests.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};

use super::Breach;

/// Directories that no walk enters when there is no git to ask.
const NOT_OURS: [&str; 4] = [".git", "target", "corpus", "artifacts"];

/// Every text file of the project, and the paths of all files.
pub struct Tree {
    files: Vec<File>,
    paths: BTreeSet<String>,
}

/// One text file.
pub struct File {
    /// Relative to the project's root, with `/`.
    pub path: String,
    pub text: String,
    rust: Option<Result<Rust, syn::Error>>,
}

/// A Rust file's syntax.
struct Rust {
    whole: TokenStream,
    shipped: syn::File,
}

impl Tree {
    /// Reads what git knows or would add; without git, what lies under `root`.
    pub fn read(root: &Path) -> Result<Tree> {
        let paths = match from_git(root) {
            Some(paths) => paths,
            None => from_disk(root)?,
        };
        let mut files = Vec::new();
        for path in &paths {
            let bytes = fs::read(root.join(path)).with_context(|| format!("cannot read {path}"))?;
            if let Ok(text) = String::from_utf8(bytes) {
                files.push(File::new(path, text));
            }
        }
        Ok(Tree { files, paths })
    }

    /// A tree out of thin air.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Tree {
        Tree {
            files: files.iter().map(|(path, text)| File::new(path, (*text).to_owned())).collect(),
            paths: files.iter().map(|(path, _)| (*path).to_owned()).collect(),
        }
    }

    pub fn files(&self) -> &[File] {
        &self.files
    }

    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Rust files, tests included.
    pub fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.rust.is_some())
    }

    /// Whether there is a file or a directory of that path.
    pub fn holds(&self, path: &str) -> bool {
        let inside = format!("{path}/");
        path.is_empty() || self.paths.contains(path) || self.paths.iter().any(|known| known.starts_with(&inside))
    }
}

impl File {
    fn new(path: &str, text: String) -> File {
        let rust = path.ends_with(".rs").then(|| Rust::parse(&text));
        File { path: path.to_owned(), text, rust }
    }

    /// All tokens of a Rust file; nothing if it is not Rust.
    pub fn tokens(&self) -> TokenStream {
        self.parsed().map(|rust| rust.whole.clone()).unwrap_or_default()
    }

    /// A Rust file without what only tests compile; `None` for a file of tests and for what is not Rust.
    pub fn shipped(&self) -> Option<&syn::File> {
        if self.is_test() { None } else { self.parsed().map(|rust| &rust.shipped) }
    }

    /// The tokens of [`File::shipped`].
    pub fn shipped_tokens(&self) -> TokenStream {
        self.shipped().map(ToTokens::to_token_stream).unwrap_or_default()
    }

    /// Whether the whole file is for tests, benchmarks or examples.
    pub fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs")
            || self.path.split('/').any(|part| matches!(part, "tests" | "benches" | "examples"))
    }

    fn parsed(&self) -> Option<&Rust> {
        self.rust.as_ref()?.as_ref().ok()
    }
}

impl Rust {
    fn parse(text: &str) -> Result<Rust, syn::Error> {
        let mut shipped = syn::parse_file(text)?;
        let whole = shipped.to_token_stream();
        WithoutTests.visit_file_mut(&mut shipped);
        Ok(Rust { whole, shipped })
    }
}

/// Files that claim to be Rust and are not.
pub fn unreadable(tree: &Tree) -> Vec<Breach> {
    let errors = tree.files.iter().filter_map(|file| match &file.rust {
        Some(Err(error)) => Some(Breach::new(&file.path, error.span().start().line, error.to_string())),
        _ => None,
    });
    errors.collect()
}

struct WithoutTests;

impl VisitMut for WithoutTests {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        file.items.retain(|item| !only_for_tests(item));
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        if let Some((_, items)) = &mut module.content {
            items.retain(|item| !only_for_tests(item));
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_item_impl_mut(&mut self, block: &mut syn::ItemImpl) {
        block.items.retain(|item| !matches!(item, syn::ImplItem::Fn(function) if has_cfg_test(&function.attrs)));
        visit_mut::visit_item_impl_mut(self, block);
    }
}

fn only_for_tests(item: &syn::Item) -> bool {
    match item {
        syn::Item::Mod(item) => has_cfg_test(&item.attrs),
        syn::Item::Fn(item) => has_cfg_test(&item.attrs),
        syn::Item::Impl(item) => has_cfg_test(&item.attrs),
        syn::Item::Use(item) => has_cfg_test(&item.attrs),
        syn::Item::Const(item) => has_cfg_test(&item.attrs),
        syn::Item::Static(item) => has_cfg_test(&item.attrs),
        syn::Item::Struct(item) => has_cfg_test(&item.attrs),
        syn::Item::Enum(item) => has_cfg_test(&item.attrs),
        syn::Item::Macro(item) => has_cfg_test(&item.attrs),
        _ => false,
    }
}

fn has_cfg_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.to_token_stream().to_string().replace(' ', "") == "#[cfg(test)]")
}

fn from_git(root: &Path) -> Option<BTreeSet<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    if !output.status.success() {
        return None;
    }
    let listing = String::from_utf8_lossy(&output.stdout);
    // The index still lists what was deleted a moment ago, and links, which are other files' second names.
    Some(listing.split('\0').filter(|path| is_plain_file(&root.join(path))).map(str::to_owned).collect())
}

fn from_disk(root: &Path) -> Result<BTreeSet<String>> {
    let mut paths = BTreeSet::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).with_context(|| format!("cannot list {}", directory.display()))? {
            let path = entry?.path();
            if is_plain_file(&path) {
                paths.insert(path.strip_prefix(root)?.to_string_lossy().replace('\\', "/"));
            } else if path.is_dir() && !path.is_symlink() && !NOT_OURS.iter().any(|name| path.ends_with(name)) {
                open.push(path);
            }
        }
    }
    Ok(paths)
}

fn is_plain_file(path: &Path) -> bool {
    path.is_file() && !path.is_symlink()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_not_shipped() {
        let text =
            "//! A.\nfn kept() {}\n#[cfg(test)]\nmod tests { fn dropped() {} }\nimpl A { #[cfg(test)] fn gone() {} }";
        let tree = Tree::of(&[("a.rs", text), ("tests/b.rs", "fn dropped() {}"), ("a/tests.rs", "fn dropped() {}")]);
        let shipped: String = tree.rust().map(|file| file.shipped_tokens().to_string()).collect();
        assert!(shipped.contains("kept"), "{shipped}");
        assert!(!shipped.contains("dropped") && !shipped.contains("gone"), "{shipped}");
        assert!(tree.files()[0].tokens().to_string().contains("dropped"));
    }

    #[test]
    fn what_is_not_rust_is_reported_with_its_line() {
        let tree = Tree::of(&[("a.rs", "//! A.\nfn f( {}\n"), ("b.rs", "//! B.\n")]);
        let found = unreadable(&tree);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].file.as_str(), found[0].line), ("a.rs", 2));
    }

    #[test]
    fn this_project_is_listed_with_and_without_git() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the project");
        let disk = from_disk(root).expect("the project can be listed");
        assert!(disk.contains("xtask/src/tidy/tree.rs"));
        assert!(!disk.iter().any(|path| path.starts_with("target/")));
        if root.join(".git").exists() {
            let git = from_git(root).expect("git lists its own work tree");
            assert!(git.contains("xtask/src/tidy/tree.rs"));
            assert!(git.is_subset(&disk), "{:?}", git.difference(&disk).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_directory_is_held_if_a_file_is_in_it() {
        let tree = Tree::of(&[("docs/protocols/a.md", "")]);
        assert!(tree.holds("docs/protocols") && tree.holds("docs/protocols/a.md"));
        assert!(!tree.holds("docs/proto") && !tree.holds("art"));
    }
}
