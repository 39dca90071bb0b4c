//! No committed text names a path that exists on somebody's machine only.

use super::{Breach, tree::Tree};

/// Beginnings of absolute paths; a letter has to follow.
const ROOTS: [&str; 5] = ["/work/", "/root/", "/tmp/", "/home/", "/Users/"];
/// This directory has to name what it forbids.
const EXEMPT: &str = "xtask/src/tidy/";

pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in tree.files().iter().filter(|file| !file.path.starts_with(EXEMPT)) {
        for (index, line) in file.text.lines().enumerate() {
            for root in ROOTS.iter().filter(|root| names_path(line, root)) {
                breaches.push(Breach::new(&file.path, index + 1, format!("names a path under {root}")));
            }
        }
    }
    breaches
}

fn names_path(line: &str, root: &str) -> bool {
    line.match_indices(root).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + root.len()..].chars().next();
        // `crates/home/a` and `https://example.org/home/a` go on to the left: they are not absolute.
        let absolute = !before.is_some_and(|c| c.is_alphanumeric() || "._-~$}>/".contains(c));
        absolute && after.is_some_and(char::is_alphabetic)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        check(&Tree::of(&[("README.md", text)])).iter().map(|breach| breach.line).collect()
    }

    #[test]
    fn absolute_paths_of_a_machine_are_found() {
        assert_eq!(lines("see /home/ann/game\nfine\n`/tmp/ann`\n\"/Users/bob\" (/home/bob)\n"), [1, 3, 4, 4]);
    }

    #[test]
    fn other_paths_are_fine() {
        let text = "crates/home/src, https://example.org/home/a, /tmp, /tmp/$USER, ~/home/a, /var/lib/volley";
        assert!(lines(text).is_empty());
    }
}
