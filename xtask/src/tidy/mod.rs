//! `cargo xtask tidy`: the invariants of ARCHITECTURE.md that a machine can check.
//!
//! [`RULES`] is the whole list. A rule reads the [`Tree`] and returns breaches; it never changes a file. One line may
//! be excused by a comment on it or on the line above, with a reason: `// tidy: allow(<rule>) <reason>`.

mod arrows;
mod dialect;
mod fuzz_targets;
mod glossary;
mod leftovers;
mod links;
mod machine_paths;
mod mentions;
mod module_docs;
mod module_names;
mod named_tests;
mod panics;
mod plain_english;
mod ports;
mod purity;
mod retired_words;
mod size;
mod tree;

use std::{fmt, path::Path};

use anyhow::Result;
use tree::Tree;

/// One thing that the project promises, and how to see whether it holds.
struct Rule {
    name: &'static str,
    reason: &'static str,
    check: fn(&Tree) -> Vec<Breach>,
}

#[rustfmt::skip]
const RULES: &[Rule] = &[
    Rule { name: "parses", check: tree::unreadable,
           reason: "the other rules can only judge what they can read" },
    Rule { name: "purity", check: purity::check,
           reason: "game and protocol are pure machines: the same inputs give the same outputs everywhere" },
    Rule { name: "dialect", check: dialect::check,
           reason: "a dialect is matched on in one place, crates/protocol/src/dialect.rs, so that differences cannot leak" },
    Rule { name: "arrows", check: arrows::check,
           reason: "crates depend in one direction: game <- protocol <- {server, client} <- toolkit <- volley" },
    Rule { name: "module-names", check: module_names::check,
           reason: "a module is named after what it is about" },
    Rule { name: "leftovers", check: leftovers::check,
           reason: "what is committed is finished; what is missing is said in the changelog or the issues" },
    Rule { name: "size", check: size::check,
           reason: "short files and functions with few parameters are read, long ones are skimmed" },
    Rule { name: "module-docs", check: module_docs::check,
           reason: "a file opens with what it is, what it never does and where to start reading" },
    Rule { name: "panics", check: panics::check,
           reason: "bytes from outside never bring a server down" },
    Rule { name: "ports", check: ports::check,
           reason: "tests that run at once must not meet at a port" },
    Rule { name: "machine-paths", check: machine_paths::check,
           reason: "what is committed works on every machine" },
    Rule { name: "links", check: links::check,
           reason: "a reader who follows a link arrives" },
    Rule { name: "named-tests", check: named_tests::check,
           reason: "a document that names a test says where to look" },
    Rule { name: "plain-english", check: plain_english::check,
           reason: "a sentence that nobody would say aloud makes a tired reader stop" },
    Rule { name: "retired-words", check: retired_words::check,
           reason: "one word for one thing: docs/glossary.md" },
    Rule { name: "glossary", check: glossary::check,
           reason: "one thing for one word, and a reader who looks a word up finds what there is" },
    Rule { name: "fuzz-targets", check: fuzz_targets::check,
           reason: "a fuzz target that is not built finds nothing" },
];

/// Where the project breaks one of its promises.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Breach {
    file: String,
    line: usize,
    what: String,
}

impl Breach {
    fn new(file: &str, line: usize, what: impl Into<String>) -> Breach {
        Breach { file: file.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

/// Prints every breach under `root` and returns whether there was none.
pub fn run(root: &Path) -> Result<bool> {
    let tree = Tree::read(root)?;
    let breaches = breaches(&tree);
    for breach in &breaches {
        println!("{breach}");
    }
    match breaches.len() {
        0 => println!("tidy: {} rules hold in {} files", RULES.len(), tree.files().len()),
        count => println!("tidy: {count} breaches"),
    }
    Ok(breaches.is_empty())
}

/// All breaches that no comment excuses, sorted by file and line.
fn breaches(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for rule in RULES {
        let found = (rule.check)(tree).into_iter().filter(|breach| !excused(tree, breach, rule.name));
        breaches.extend(
            found.map(|breach| Breach { what: format!("{} [{}: {}]", breach.what, rule.name, rule.reason), ..breach }),
        );
    }
    breaches.sort();
    breaches
}

fn excused(tree: &Tree, breach: &Breach, rule: &str) -> bool {
    let Some(file) = tree.file(&breach.file) else { return false };
    let mark = format!("tidy: allow({rule})");
    let first = breach.line.saturating_sub(2);
    file.text.lines().take(breach.line).skip(first).any(|line| has_reason(line, &mark))
}

/// Whether the line holds the mark and, after it, at least a word of reason.
fn has_reason(line: &str, mark: &str) -> bool {
    line.split_once(mark).is_some_and(|(_, reason)| reason.chars().filter(|c| c.is_alphabetic()).count() >= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNWRAP: &str = "//! Doc.\nfn f() {\n    Some(1).unwrap();\n}\n";

    fn lines(path: &str, text: &str) -> Vec<String> {
        breaches(&Tree::of(&[(path, text)])).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_breach_reads_file_line_and_reason() {
        let found = lines("crates/protocol/src/a.rs", UNWRAP);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("crates/protocol/src/a.rs:3: `.unwrap()` "), "{found:?}");
        assert!(found[0].ends_with("[panics: bytes from outside never bring a server down]"), "{found:?}");
    }

    #[test]
    fn a_comment_with_a_reason_excuses_its_own_rule_only() {
        let excuse = |comment: &str| UNWRAP.replace("    Some", &format!("    // {comment}\n    Some"));
        let on = |comment: &str| lines("crates/protocol/src/a.rs", &excuse(comment)).len();
        assert_eq!(on("tidy: allow(panics) one is one"), 0);
        assert_eq!(on("tidy: allow(panics)"), 1, "no reason");
        assert_eq!(on("tidy: allow(size) one is one"), 1, "another rule");
        let same_line = UNWRAP.replace("unwrap();", "unwrap(); // tidy: allow(panics) one is one");
        assert_eq!(lines("crates/protocol/src/a.rs", &same_line).len(), 0);
    }

    #[test]
    fn breaches_are_sorted_by_file_and_line() {
        let tree = Tree::of(&[("b.rs", "fn f() {}\n"), ("a.rs", "//! A.\nmod utils {}\nfn f() { todo!() }\n")]);
        let places: Vec<_> = breaches(&tree).into_iter().map(|breach| (breach.file, breach.line)).collect();
        assert_eq!(places, [("a.rs".to_owned(), 2), ("a.rs".to_owned(), 3), ("b.rs".to_owned(), 1)]);
    }

    #[test]
    fn rule_names_are_unique() {
        let mut names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), RULES.len());
    }
}
