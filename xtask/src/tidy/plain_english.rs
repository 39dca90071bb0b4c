//! "Who" is not used for "whoever", "the player who" or "those who", as in *make room for who waits*; nor are some other
//! phrases that no native writer would use.
//!
//! Looks at words side by side in comments, text and documents, and at the beginning of names of functions. An indirect question
//! ("it says who plays") is plain English; so is a sentence that begins with "Who", often enough, that only a reader can judge it.

use super::{
    Breach,
    tree::{File, Tree},
};

const KINDS: [&str; 4] = [".rs", ".md", ".js", ".html"];
/// After these, "who" stands for somebody and not for a question.
const BEFORE: [&str; 10] = ["let", "of", "for", "by", "to", "from", "with", "when", "if", "as"];
/// Other phrases, and what to say instead.
const CLUMSY: [(&[&str], &str); 7] = [
    (&["the", "own"], "\"its own\", \"your own\" or \"the player's\""),
    (&["that", "is", "none"], "\"that is not one\", or what it is"),
    (&["that", "are", "none"], "\"that are not\", or what they are"),
    (&["also", "if"], "\"even if\""),
    (&["also", "when"], "\"even when\""),
    (&["anew"], "\"again\""),
    (&["after", "so", "many"], "\"after this many\""),
];
/// Names of functions that begin so have a "who" that stands alone.
const NAMES: [&str; 2] = ["fn who_", "fn whom_"];
/// This directory has to name what it forbids.
const EXEMPT: &str = "xtask/src/tidy/";

pub fn check(tree: &Tree) -> Vec<Breach> {
    let texts = tree.files().iter().filter(|file| KINDS.iter().any(|kind| file.path.ends_with(kind)));
    texts.filter(|file| !file.path.starts_with(EXEMPT)).flat_map(breaches).collect()
}

fn breaches(file: &File) -> Vec<Breach> {
    let lines = file.text.lines().enumerate();
    lines.filter_map(|(index, line)| Some(Breach::new(&file.path, index + 1, mistake(line)?))).collect()
}

/// What is wrong with a line, if anything is.
fn mistake(line: &str) -> Option<String> {
    if has_bare_who(line) || NAMES.iter().any(|name| line.contains(name)) {
        return Some("\"who\" stands alone: say \"whoever\", \"those who\" or \"the player who\"".to_owned());
    }
    let words: Vec<&str> = line.split(' ').collect();
    let clumsy = |phrase: &[&str]| words.windows(phrase.len()).any(|words| is_phrase(words, phrase));
    let (phrase, instead) = CLUMSY.iter().find(|(phrase, _)| clumsy(phrase))?;
    Some(format!("\"{}\" is not plain English: say {instead}", phrase.join(" ")))
}

/// Whether words are a phrase, whatever stands before and behind it, but with nothing between: "also, if" is fine.
fn is_phrase(words: &[&str], phrase: &[&str]) -> bool {
    let spoken = words.join(" ").to_lowercase();
    spoken.trim_matches(|letter: char| !letter.is_alphabetic()) == phrase.join(" ")
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
    fn a_name_that_begins_with_a_bare_who_is_found() {
        assert_eq!(
            lines("a.rs", "//! A.\nfn who_waits_is_served() {}\nfn whom_it_serves() {}\nfn says_who_waits() {}\n"),
            [2, 3]
        );
    }

    #[test]
    fn phrases_that_nobody_would_use_are_found() {
        let text = "/// The own ship.\n// It counts (also if it is late).\n// A text that is none.\n/// Begins anew.\n";
        assert_eq!(lines("a.rs", text), [1, 2, 3, 4]);
        assert_eq!(lines("docs/a.md", "Ends after so many ticks, also when nothing came.\n"), [1]);
        let plain = "The owner. Also, if that is not one: none. Her own. It is also iffy. fn of_the_own_ship() {}\n";
        assert_eq!(lines("docs/a.md", plain).len(), 0);
    }

    #[test]
    fn questions_and_plain_sentences_are_fine() {
        let text = "Those who wait. It says who plays. Who plays?\n\n| Who has a seat |\n\n\"Who is it\"\n\nto whoever, and who has which\n";
        assert_eq!(lines("docs/a.md", text).len(), 0);
        assert_eq!(lines("a.rs", "//! A.\nfn f() { for who in all {} }\n").len(), 0);
    }
}
