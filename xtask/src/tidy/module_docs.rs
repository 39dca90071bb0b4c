//! Every Rust file opens with a module doc, before any attribute or import.

use super::{Breach, tree::Tree};

pub fn check(tree: &Tree) -> Vec<Breach> {
    let silent = tree.rust().filter(|file| !opens_with_doc(&file.text));
    silent.map(|file| Breach::new(&file.path, 1, "does not open with `//!`")).collect()
}

fn opens_with_doc(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| line.strip_prefix("//!").is_some_and(|doc| !doc.trim().is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_it_is_first() {
        let count = |text| check(&Tree::of(&[("a.rs", text)])).len();
        assert_eq!(count("//! The Force.\n\nuse a::b;\n"), 0);
        assert_eq!(count("//!\nuse a::b;\n"), 1);
        assert_eq!(count("use a::b;\n"), 1);
        assert_eq!(count("// The Force.\n"), 1);
        assert_eq!(count(""), 1);
    }
}
