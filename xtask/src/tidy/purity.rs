//! `game`, `network`, `protocol` and `replay` name no clock, socket, thread, environment, file or hash table; `game` no float either.
//!
//! `clippy.toml` in these crates says the same about calls; this also sees types, imports and macro bodies.

use proc_macro2::{Literal, TokenStream, TokenTree};

use super::{
    Breach,
    mentions::{Mention, mentions},
    tree::{File, Tree},
};

const PURE: [&str; 4] = ["crates/game/src/", "crates/network/src/", "crates/protocol/src/", "crates/replay/src/"];
const WITHOUT_FLOATS: &str = "crates/game/src/";
/// Tiled writes positions as decimal fractions: its reader has to take them.
const MAY_READ_FLOATS: [&str; 2] = ["crates/game/src/stage/load.rs", "crates/game/src/stage/load/"];

/// Beginnings of paths, and what to do instead.
const MODULES: [(&str, &str); 5] = [
    ("std::net", "sockets belong to server and toolkit; core::net has the addresses"),
    ("std::thread", "threads belong to server"),
    ("std::env", "settings are passed in"),
    ("std::fs", "bytes are passed in"),
    ("std::time::*", "time is passed in: import what you need by name"),
];

/// Names that are suspicious wherever they stand in a path.
const NAMES: [(&str, &str); 4] = [
    ("Instant", "time is passed in"),
    ("SystemTime", "time is passed in"),
    ("HashMap", "its order differs from run to run: use BTreeMap or a sorted Vec"),
    ("HashSet", "its order differs from run to run: use BTreeSet or a sorted Vec"),
];

pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in tree.rust().filter(|file| PURE.iter().any(|pure| file.path.starts_with(pure))) {
        let tokens = file.shipped_tokens();
        for mention in mentions(tokens.clone()) {
            breaches.extend(impurity(&mention).map(|what| Breach::new(&file.path, mention.line, what)));
        }
        if file.path.starts_with(WITHOUT_FLOATS) && !MAY_READ_FLOATS.iter().any(|reader| file.path.starts_with(reader))
        {
            breaches.extend(floats(file, tokens));
        }
    }
    breaches
}

fn impurity(mention: &Mention) -> Option<String> {
    let module = MODULES.iter().find(|(prefix, _)| mention.begins_with(prefix));
    let name = || NAMES.iter().find(|(name, _)| mention.contains(name));
    let (what, instead) = module.or_else(name)?;
    Some(format!("names `{what}`: {instead}"))
}

fn floats(file: &File, tokens: TokenStream) -> Vec<Breach> {
    let mut lines = Vec::new();
    float_lines(tokens, &mut lines);
    let breach = |(line, text)| {
        Breach::new(&file.path, line, format!("`{text}` is a float: use sub-pixels or another fixed-point unit"))
    };
    lines.into_iter().map(breach).collect()
}

fn float_lines(tokens: TokenStream, lines: &mut Vec<(usize, String)>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => float_lines(group.stream(), lines),
            TokenTree::Ident(name) if name == "f32" || name == "f64" => {
                lines.push((name.span().start().line, name.to_string()));
            }
            TokenTree::Literal(literal) if is_float(&literal) => {
                lines.push((literal.span().start().line, literal.to_string()));
            }
            _ => {}
        }
    }
}

fn is_float(literal: &Literal) -> bool {
    matches!(syn::Lit::new(literal.clone()), syn::Lit::Float(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).iter().map(|breach| breach.line).collect()
    }

    #[test]
    fn the_world_outside_is_named_nowhere_in_a_pure_crate() {
        let text = "use std::{net::UdpSocket, fmt};\nuse std::time::Instant;\nfn f() { std::env::var(\"A\"); }\n\
                    type T = HashMap<u8, u8>;\nfn g() { std::thread::yield_now(); std::fs::read(\"a\"); }\n\
                    use std::time::*;";
        assert_eq!(lines("crates/protocol/src/a.rs", text), [1, 2, 3, 4, 5, 5, 6]);
        assert_eq!(lines("crates/network/src/a.rs", text), [1, 2, 3, 4, 5, 5, 6]);
        assert!(lines("crates/server/src/a.rs", text).is_empty());
    }

    #[test]
    fn durations_tests_comments_and_text_are_not_breaches() {
        let text = "use std::time::Duration;\n// std::net, HashMap\nconst A: &str = \"std::fs\";\n\
                    #[cfg(test)]\nmod tests { use std::collections::HashSet; }";
        assert!(lines("crates/game/src/a.rs", text).is_empty());
        assert!(lines("crates/game/tests/a.rs", "use std::fs;").is_empty());
    }

    #[test]
    fn floats_are_for_the_tiled_reader_and_the_dialects() {
        let text = "fn f(a: f32) {}\nconst A: i32 = 0x1f32;\nconst B: X = x(1.5);\nfn g(t: (u8, u8)) { t.0; 1..2; }";
        assert_eq!(lines("crates/game/src/a.rs", text), [1, 3]);
        assert!(lines("crates/game/src/stage/load.rs", text).is_empty());
        assert!(lines("crates/game/src/stage/load/objects.rs", text).is_empty());
        assert_eq!(lines("crates/game/src/stage/loader.rs", text), [1, 3]);
        assert!(lines("crates/protocol/src/a.rs", text).is_empty());
    }
}
