//! The glossary keeps its own promise: no word has two entries, and every type that it explains is there.

use std::collections::BTreeMap;

use super::{Breach, tree::Tree};

const GLOSSARY: &str = "docs/glossary.md";
/// What may stand before the name of a type where it is defined.
const DEFINITIONS: [&str; 6] = ["struct", "enum", "trait", "type", "const", "static"];

pub fn check(tree: &Tree) -> Vec<Breach> {
    let Some(glossary) = tree.file(GLOSSARY) else { return Vec::new() };
    let mut first_lines = BTreeMap::new();
    let mut breaches = Vec::new();
    for (index, line) in glossary.text.lines().enumerate() {
        let line_number = index + 1;
        for word in words(line) {
            if let Some(first) = first_lines.insert(word, line_number) {
                breaches.push(Breach::new(GLOSSARY, line_number, format!("{word} has an entry in line {first} too")));
            }
            if let Some(name) = type_name(word).filter(|name| !is_defined(tree, name)) {
                breaches.push(Breach::new(GLOSSARY, line_number, format!("there is no type `{name}`")));
            }
        }
    }
    breaches
}

/// The words that a line of a table explains; none for its head and for anything that is not a table.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let first_cell = line.strip_prefix('|').and_then(|cells| cells.split('|').next()).unwrap_or_default();
    let is_head = first_cell.starts_with("--") || ["word", "file", "type"].contains(&first_cell.trim());
    let words = if is_head { "" } else { first_cell };
    words.split(',').map(str::trim).filter(|word| !word.is_empty())
}

fn type_name(word: &str) -> Option<&str> {
    let name = word.strip_prefix('`')?.strip_suffix('`')?;
    (name.starts_with(char::is_uppercase)).then_some(name)
}

fn is_defined(tree: &Tree, name: &str) -> bool {
    let rust = tree.files().iter().filter(|file| file.path.ends_with(".rs"));
    rust.flat_map(|file| file.text.lines()).any(|line| defines(line, name))
}

fn defines(line: &str, name: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.any(|word| DEFINITIONS.contains(&word)) && words.next() == Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(glossary: &str) -> Vec<usize> {
        let source = ("crates/a/src/lib.rs", "pub(crate) struct Plan<'a> {}\npub const ENTRY: u8 = 1;\n");
        check(&Tree::of(&[(GLOSSARY, glossary), source])).iter().map(|breach| breach.line).collect()
    }

    #[test]
    fn a_word_with_two_entries_is_found() {
        let glossary =
            "| word | meaning |\n|---|---|\n| order, turn | a |\n| tick | b |\n\n| word | meaning |\n| order | c |\n";
        assert_eq!(lines(glossary), [7]);
    }

    #[test]
    fn a_type_that_is_not_there_is_found() {
        let glossary = "| type | meaning |\n|---|---|\n| `Plan`, `ENTRY` | a |\n| `Gone` | b |\n| `file.rs` | c |\n";
        assert_eq!(lines(glossary), [4]);
    }
}
