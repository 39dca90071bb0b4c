//! A test that a document names between backticks exists: a reader who is sent to it finds it.
//!
//! Names of tests are sentences, so whatever has this many words is taken for one. Metrics have as many, and are left out.

use std::collections::BTreeSet;

use super::{
    Breach,
    tree::{File, Tree},
};

/// Words of the shortest name that is looked for.
const WORDS_MIN: usize = 4;
/// What the names of metrics begin with.
const METRIC: &str = "volley_";
/// History names what there was.
const EXEMPT: &str = "CHANGELOG.md";

pub fn check(tree: &Tree) -> Vec<Breach> {
    let functions: BTreeSet<&str> = tree.rust().flat_map(functions).collect();
    let documents = tree.files().iter().filter(|file| file.path.ends_with(".md") && file.path != EXEMPT);
    documents.flat_map(|file| breaches(file, &functions)).collect()
}

fn breaches(file: &File, functions: &BTreeSet<&str>) -> Vec<Breach> {
    let mentions = file.text.lines().enumerate().flat_map(|(index, line)| names(line).map(move |name| (index, name)));
    let missing = mentions.filter(|(_, name)| !functions.contains(name));
    missing.map(|(index, name)| Breach::new(&file.path, index + 1, format!("there is no test `{name}`"))).collect()
}

/// The functions that a file defines.
fn functions(file: &File) -> impl Iterator<Item = &str> {
    let definitions = file.text.lines().filter_map(|line| line.split_once("fn ")).map(|(_, rest)| rest);
    definitions.map(|rest| rest.split(|letter: char| !is_of_name(letter)).next().unwrap_or_default())
}

/// What a line names between backticks that reads like a test, without the modules before it.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2).map(|path| path.rsplit("::").next().unwrap_or(path));
    quoted.filter(|name| {
        name.split('_').count() >= WORDS_MIN && !name.starts_with(METRIC) && name.chars().all(is_of_name)
    })
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let source = ("a.rs", "//! A.\n#[test]\nfn a_ship_can_be_lost() {}\n");
        check(&Tree::of(&[(path, text), source])).iter().map(|breach| breach.line).collect()
    }

    #[test]
    fn a_test_that_does_not_exist_is_found() {
        assert_eq!(lines("docs/a.md", "See `a_ship_can_be_lost`.\n`rules::a_ship_can_be_won` and\n"), [2]);
        assert_eq!(lines("docs/a.md", "| `a_ship_can_be_lost`, `a_ship_can_be_sold` |\n"), [1]);
    }

    #[test]
    fn metrics_short_names_and_history_are_fine() {
        assert_eq!(lines("docs/a.md", "`volley_a_b_total`, `size_px`, `A_B_C_D`, `a b_c_d_e`\n").len(), 0);
        assert_eq!(lines("CHANGELOG.md", "`what_was_once_tested`\n").len(), 0);
    }
}
