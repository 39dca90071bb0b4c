//! "Who" is not used for "whoever", "the player who" or "those who", as in *make room for who waits*.
//!
//! Looks at two words side by side in comments, text and documents. An indirect question ("it says who plays") is plain
//! English; so is a sentence that begins with "Who", often enough, that only a reader can judge it.

use super::{
    Breach,
    tree::{File, Tree},
};

const KINDS: [&str; 4] = [".rs", ".md", ".js", ".html"];
/// After these, "who" stands for somebody and not for a question.
const BEFORE: [&str; 10] = ["let", "of", "for", "by", "to", "from", "with", "when", "if", "as"];
/// This directory has to name what it forbids.
const EXEMPT: &str = "xtask/src/tidy/";

pub fn check(tree: &Tree) -> Vec<Breach> {
    let texts = tree.files().iter().filter(|file| KINDS.iter().any(|kind| file.path.ends_with(kind)));
    texts.filter(|file| !file.path.starts_with(EXEMPT)).flat_map(breaches).collect()
}

fn breaches(file: &File) -> Vec<Breach> {
    let lines = file.text.lines().enumerate().filter(|(_, line)| has_bare_who(line));
    let what = "\"who\" stands alone: say \"whoever\", \"those who\" or \"the player who\"";
    lines.map(|(index, _)| Breach::new(&file.path, index + 1, what)).collect()
}

/// Whether "who" follows one of the words, as in `for who waits`; `for who in list` is Rust.
fn has_bare_who(line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    words.windows(2).enumerate().any(|(at, pair)| {
        let before = pair[0].rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
        pair[1] == "who" && BEFORE.contains(&before.as_str()) && words.get(at + 2) != Some(&"in")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).iter().map(|breach| breach.line).collect()
    }

    #[test]
    fn who_for_whoever_is_found() {
        let text = "//! A.\n// Make room for who waits.\n/// Let who holds most\n//! Of who came.\nfn f() { g(\"as who plays\") }\n";
        assert_eq!(lines("crates/game/src/a.rs", text), [2, 3, 4, 5]);
        assert_eq!(lines("docs/a.md", "Fine.\n\nIt ends (for who waits).\n"), [3]);
        assert_eq!(lines("Cargo.toml", "# for who waits\n").len(), 0);
    }

    #[test]
    fn questions_and_plain_sentences_are_fine() {
        let text = "Those who wait. It says who plays. Who plays?\n\n| Who has a seat |\n\n\"Who is it\"\n\nto whoever, and who has which\n";
        assert_eq!(lines("docs/a.md", text).len(), 0);
        assert_eq!(lines("a.rs", "//! A.\nfn f() { for who in all {} }\n").len(), 0);
    }
}
