//! Tests write down no port that something is bound to: `test_ports::reserve` gives each test its own, and port 0 leaves
//! the choice to the system. Two tests with the same port fail only when they happen to run at once.

use proc_macro2::{TokenStream, TokenTree};

use super::{
    Breach,
    tree::{File, Tree},
};

/// It names the ports that it gives out.
const EXEMPT: &str = "crates/test_ports/";
/// Names after which a range of ports follows, and calls that bind.
const BEFORE_PORTS: [&str; 3] = ["lobby_ports", "bind", "rfc2020_lobbies"];

pub fn check(tree: &Tree) -> Vec<Breach> {
    let tests = tree.rust().filter(|file| file.is_test() && !file.path.starts_with(EXEMPT));
    tests.flat_map(written_down).collect()
}

fn written_down(file: &File) -> Vec<Breach> {
    let mut found = Vec::new();
    collect(file.tokens(), &mut found);
    let breach = |(line, port): (usize, String)| {
        Breach::new(&file.path, line, format!("`{port}` is a port of its own choice: use test_ports::reserve, or 0"))
    };
    found.into_iter().map(breach).collect()
}

fn collect(tokens: TokenStream, found: &mut Vec<(usize, String)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => collect(group.stream(), found),
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                found.extend(ports_in_text(&text).map(|port| (literal.span().start().line, port)));
            }
            TokenTree::Ident(name) if BEFORE_PORTS.iter().any(|before| name == before) => {
                let number = tokens[at + 1..].iter().take(3).find_map(first_port);
                found.extend(number.map(|number| (name.span().start().line, number)));
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

/// The first number of a port in what follows a name: a literal, or one within parentheses.
fn first_port(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Literal(literal) => Some(literal.to_string()).filter(|text| is_port(&text.replace('_', ""))),
        TokenTree::Group(group) => group.stream().into_iter().find_map(|token| first_port(&token)),
        TokenTree::Ident(_) | TokenTree::Punct(_) => None,
    }
}

/// Ranges such as `FIRST-LAST`, and ports behind an address, in a string literal.
fn ports_in_text(literal: &str) -> Option<String> {
    let text = literal.starts_with(['"', 'r']).then_some(literal)?;
    let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && !"-.:[]".contains(letter));
    words.find(|word| is_range(word) || has_port(word)).map(str::to_owned)
}

fn is_range(word: &str) -> bool {
    word.split_once('-').is_some_and(|(first, last)| is_port(first) && is_port(last))
}

fn has_port(word: &str) -> bool {
    let behind = ["127.0.0.1:", "[::1]:", "localhost:"].iter().find_map(|host| word.split_once(host));
    behind.is_some_and(|(_, port)| is_port(port))
}

/// A number that a socket could be bound to. Shorter ones are something else.
fn is_port(text: &str) -> bool {
    (4..=5).contains(&text.len()) && text.parse::<u16>().is_ok_and(|port| port >= 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).iter().map(|breach| breach.line).collect()
    }

    #[test]
    fn ranges_addresses_and_numbers_to_bind_are_found() {
        let text = "fn f() { start(&[\"--rfc2020-lobbies\", \"44000-44049\"]);\nlet a = \"127.0.0.1:4242\";\n\
                    UdpSocket::bind((LOOPBACK, 40_123));\nS { lobby_ports: 43_800..=43_899 };\n\
                    let b = \"http = 0\\nrfc2020-lobbies = \\\"20200-20299\\\"\"; }";
        assert_eq!(lines("crates/volley/tests/a.rs", text), [1, 2, 3, 4, 5]);
        assert_eq!(lines("crates/server/src/http/tests.rs", text).len(), 5);
    }

    #[test]
    fn port_0_other_numbers_and_what_ships_are_fine() {
        let text = "fn f() { bind((LOOPBACK, 0)); bind(\"127.0.0.1:0\"); seed(42_500);\nlet a = \"2026-11-16 1-2 10-99999\"; \
                    let b = S { lobby_ports: ports.range() }; }";
        assert!(lines("crates/volley/tests/a.rs", text).is_empty());
        assert!(lines("crates/volley/src/a.rs", "const A: &str = \"24500-24999\";").is_empty());
        assert!(lines("crates/test_ports/tests/a.rs", "const A: &str = \"24500-24999\";").is_empty());
    }
}
