//! `protocol` and `server` do not panic by `unwrap`, `expect`, `panic!` or `unreachable!`; `assert!` is for our own bugs.

use proc_macro2::{TokenStream, TokenTree};

use super::{Breach, tree::Tree};

const GUARDED: [&str; 2] = ["crates/protocol/src/", "crates/server/src/"];
const METHODS: [&str; 2] = ["unwrap", "expect"];
const MACROS: [&str; 2] = ["panic", "unreachable"];

pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in tree.rust().filter(|file| GUARDED.iter().any(|guarded| file.path.starts_with(guarded))) {
        let mut found = Vec::new();
        collect(file.shipped_tokens(), &mut found);
        let what = |call: &str| format!("{call} panics: return an error, count it, or say why it cannot happen");
        breaches.extend(found.into_iter().map(|(line, call)| Breach::new(&file.path, line, what(&call))));
    }
    breaches
}

fn collect(tokens: TokenStream, found: &mut Vec<(usize, String)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(name) => {
                let before = at.checked_sub(1).and_then(|before| tokens.get(before));
                found.extend(
                    call(&name.to_string(), before, tokens.get(at + 1)).map(|call| (name.span().start().line, call)),
                );
            }
            TokenTree::Group(group) => collect(group.stream(), found),
            _ => {}
        }
    }
}

fn call(name: &str, before: Option<&TokenTree>, after: Option<&TokenTree>) -> Option<String> {
    if METHODS.contains(&name) && is_punct(before, '.') && matches!(after, Some(TokenTree::Group(_))) {
        Some(format!("`.{name}()`"))
    } else if MACROS.contains(&name) && is_punct(after, '!') {
        Some(format!("`{name}!`"))
    } else {
        None
    }
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).iter().map(|breach| breach.line).collect()
    }

    const TEXT: &str = "fn f() { a.unwrap(); }\nfn g() { vec![a.expect(\"b\")]; }\nfn h() { panic!(\"c\") }\n\
                        fn i() { unreachable!() }\n";

    #[test]
    fn guarded_crates_do_not_panic() {
        assert_eq!(lines("crates/protocol/src/a.rs", TEXT), [1, 2, 3, 4]);
        assert_eq!(lines("crates/server/src/a/b.rs", TEXT), [1, 2, 3, 4]);
        assert!(lines("crates/toolkit/src/a.rs", TEXT).is_empty());
    }

    #[test]
    fn tests_and_safe_relatives_are_free() {
        assert!(lines("crates/protocol/tests/a.rs", TEXT).is_empty());
        assert!(lines("crates/protocol/src/a.rs", &format!("#[cfg(test)] mod tests {{ {TEXT} }}")).is_empty());
        let safe = "fn expect(a: u8) { a.unwrap_or(1); a.unwrap_or_default(); assert!(a > 0); std::panic::Location; }";
        assert!(lines("crates/protocol/src/a.rs", safe).is_empty());
    }
}
