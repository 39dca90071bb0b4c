//! Words that the project once used, and that its glossary has since replaced, do not come back.
//!
//! Looks at whole words of Rust and Markdown, in names as in sentences: `PeerPurse` and `peer_purse` both hold *purse*. A word
//! that has another meaning too, as *room* for space, is retired only together with what stands before or behind it.

use super::{
    Breach,
    tree::{File, Tree},
};

/// One word or several in small letters, and what to say instead.
const RETIRED: &[(&str, &str)] = &[
    ("a room", "a lobby"),
    ("bereft", "sockets with errors"),
    ("bury", "remove"),
    ("enum room", "a lobby"),
    ("enum talk", "what is said: names, chat"),
    ("enum way", "a direction"),
    ("helm", "keys"),
    ("holdings", "what an address holds"),
    ("lookout", "watcher"),
    ("lounge", "without a lobby"),
    ("misfit", "startup error"),
    ("mod room", "a lobby"),
    ("outbox", "mailbox"),
    ("purse", "budget"),
    ("recollection", "recent peers"),
    ("room member", "member of a lobby"),
    ("rooms", "lobbies"),
    ("sitter", "occupant"),
    ("struct medium", "a trial network"),
    ("struct room", "a lobby"),
    ("struct said", "what was said: chat, totals, fields"),
    ("struct told", "what was told: a value, an event"),
    ("struct way", "a direction, or addresses"),
    ("struct wires", "senders"),
    ("trait medium", "a trial network"),
    ("waiting room", "a lobby that waits"),
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
        let line = format!(" {} ", words(line));
        for (words, instead) in RETIRED.iter().filter(|(words, _)| line.contains(&format!(" {words} "))) {
            let what = format!("`{words}` is no longer said here: say {instead} (docs/glossary.md)");
            breaches.push(Breach::new(&file.path, index + 1, what));
        }
    }
    breaches
}

/// The words of a line in small letters, with a space between: `PeerKey`, `peer_key` and "peer key" are the same.
fn words(line: &str) -> String {
    let mut spaced = String::new();
    let mut before = ' ';
    for c in line.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(if c.is_alphabetic() { c } else { ' ' });
        before = c;
    }
    let words: Vec<String> = spaced.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
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
    fn a_word_with_two_meanings_is_retired_in_one_of_them() {
        let text =
            "//! A.\nstruct Room;\nRoomMember::new();\n// In a room.\nfn in_a_room() {}\nmod room;\n// Two rooms.\n";
        assert_eq!(lines("crates/client/src/a.rs", text), [2, 3, 4, 5, 6, 7]);
        let space =
            "//! A.\n// There is no room for it.\nfn has_room(room: i32) {}\nNotRestored::NoRoom\n// Make room.\n";
        assert_eq!(lines("crates/client/src/a.rs", space).len(), 0);
    }

    #[test]
    fn longer_words_and_other_files_are_fine() {
        assert_eq!(lines("crates/server/src/a.rs", "//! A.\nfn pursed() {} // misfits, babysitter\n").len(), 0);
        assert_eq!(lines("art/a.txt", "purse\n").len(), 0);
    }
}
