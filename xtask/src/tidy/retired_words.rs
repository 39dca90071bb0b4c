//! Words that the project once used, and that its glossary has since replaced, do not come back.
//!
//! Looks at whole words of Rust and Markdown, in names as in sentences: `PeerPurse` and `peer_purse` both hold *purse*.

use super::{
    Breach,
    tree::{File, Tree},
};

/// A word in small letters, and what to say instead.
const RETIRED: &[(&str, &str)] = &[
    ("bereft", "sockets with errors"),
    ("misfit", "startup error"),
    ("purse", "budget"),
    ("recollection", "recent peers"),
    ("sitter", "occupant"),
    ("whence", "peer key"),
    ("whereabouts", "location"),
];
/// This file has to name what it forbids.
const EXEMPT: &str = "xtask/src/tidy/retired_words.rs";

pub fn check(tree: &Tree) -> Vec<Breach> {
    let texts = tree.files().iter().filter(|file| file.path.ends_with(".rs") || file.path.ends_with(".md"));
    texts.filter(|file| file.path != EXEMPT).flat_map(breaches).collect()
}

fn breaches(file: &File) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for (word, instead) in RETIRED.iter().filter(|(word, _)| words(line).any(|found| found == *word)) {
            let what = format!("`{word}` is no longer a word here: say {instead} (docs/glossary.md)");
            breaches.push(Breach::new(&file.path, index + 1, what));
        }
    }
    breaches
}

/// The words of a line in small letters: `PeerKey`, `peer_key` and "peer key" have the same two.
fn words(line: &str) -> impl Iterator<Item = String> {
    let mut spaced = String::new();
    let mut before = ' ';
    for c in line.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(if c.is_alphabetic() { c } else { ' ' });
        before = c;
    }
    spaced.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).iter().map(|breach| breach.line).collect()
    }

    #[test]
    fn a_retired_word_is_found_in_names_and_in_sentences() {
        let text = "//! A.\nstruct Whence;\nfn peer_purse() {}\n// A misfit.\nlet aSitter = 1;\n";
        assert_eq!(lines("crates/server/src/a.rs", text), [2, 3, 4, 5]);
        assert_eq!(lines("docs/a.md", "Its whereabouts.\n"), [1]);
    }

    #[test]
    fn longer_words_and_other_files_are_fine() {
        assert_eq!(lines("crates/server/src/a.rs", "//! A.\nfn pursed() {} // misfits, babysitter\n").len(), 0);
        assert_eq!(lines("art/a.txt", "purse\n").len(), 0);
    }
}
