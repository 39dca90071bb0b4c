//! No module is called by a word that says nothing about what is in it.

use proc_macro2::{TokenStream, TokenTree};

use super::{Breach, tree::Tree};

const EMPTY_WORDS: [&str; 9] = ["utils", "util", "helpers", "helper", "common", "misc", "manager", "managers", "stuff"];

pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in tree.rust() {
        for part in file.path.trim_end_matches(".rs").split('/').filter(|part| is_empty_word(part)) {
            breaches.push(Breach::new(&file.path, 1, format!("`{part}` is not a name for a module")));
        }
        let mut inline = Vec::new();
        inline_modules(file.tokens(), &mut inline);
        for (name, line) in inline.into_iter().filter(|(name, _)| is_empty_word(name)) {
            breaches.push(Breach::new(&file.path, line, format!("`{name}` is not a name for a module")));
        }
    }
    breaches
}

fn is_empty_word(name: &str) -> bool {
    name.split(['_', '-']).any(|word| EMPTY_WORDS.contains(&word))
}

/// Names after the word `mod`, with their lines.
fn inline_modules(tokens: TokenStream, found: &mut Vec<(String, usize)>) {
    let mut after_mod = false;
    for token in tokens {
        match &token {
            TokenTree::Ident(name) if after_mod => found.push((name.to_string(), name.span().start().line)),
            TokenTree::Group(group) => inline_modules(group.stream(), found),
            _ => {}
        }
        after_mod = matches!(&token, TokenTree::Ident(word) if word == "mod");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&Tree::of(&[(path, text)])).len()
    }

    #[test]
    fn words_that_say_nothing_are_refused() {
        assert_eq!(count("crates/game/src/utils.rs", ""), 1);
        assert_eq!(count("crates/game/tests/common/mod.rs", ""), 1);
        assert_eq!(count("crates/game/src/entity_manager.rs", ""), 1);
        assert_eq!(count("crates/game/src/a.rs", "mod inner { mod helpers {} }"), 1);
    }

    #[test]
    fn nouns_are_welcome() {
        assert_eq!(count("crates/game/src/force.rs", "mod commonwealth {} fn utils() {} use misc::A;"), 0);
    }
}
