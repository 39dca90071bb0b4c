//! Every path that Rust tokens mention (`std::net::UdpSocket`), with `use a::{b, c}` spelt out, and its line.
//!
//! Works on tokens rather than on syntax, so that what is inside a macro call is seen as well.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path as written: `segments` are its names from left to right, `*` for a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    pub segments: Vec<String>,
    pub line: usize,
}

impl Mention {
    /// Whether the path begins with `prefix`, given as `std::net`.
    pub fn begins_with(&self, prefix: &str) -> bool {
        let wanted: Vec<_> = prefix.split("::").collect();
        self.segments.len() >= wanted.len() && self.segments.iter().zip(&wanted).all(|(a, b)| a == b)
    }

    /// Whether any name in the path is `name`.
    pub fn contains(&self, name: &str) -> bool {
        self.segments.iter().any(|segment| segment == name)
    }
}

/// All paths in the tokens, single names included.
pub fn mentions(tokens: TokenStream) -> Vec<Mention> {
    let mut found = Vec::new();
    collect(tokens, &[], &mut found);
    found
}

/// `prefix` is what stands before the braces that we are in: `std` in `use std::{net, time::Instant}`.
fn collect(tokens: TokenStream, prefix: &[String], found: &mut Vec<Mention>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(_) => at = path(&tokens, at, prefix, found),
            TokenTree::Punct(star) if star.as_char() == '*' && !prefix.is_empty() => {
                let segments = [prefix, &["*".to_owned()]].concat();
                found.push(Mention { segments, line: star.span().start().line });
                at += 1;
            }
            TokenTree::Group(group) => {
                collect(group.stream(), &[], found);
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// Reads the path that begins at `at` and returns where it ends.
fn path(tokens: &[TokenTree], mut at: usize, prefix: &[String], found: &mut Vec<Mention>) -> usize {
    let line = tokens[at].span().start().line;
    let mut segments = prefix.to_vec();
    segments.push(tokens[at].to_string());
    at += 1;
    while is_colon(tokens.get(at)) && is_colon(tokens.get(at + 1)) {
        match tokens.get(at + 2) {
            Some(TokenTree::Ident(name)) => segments.push(name.to_string()),
            Some(TokenTree::Punct(star)) if star.as_char() == '*' => segments.push("*".to_owned()),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                collect(group.stream(), &segments, found);
                return at + 3;
            }
            _ => break,
        }
        at += 3;
    }
    found.push(Mention { segments, line });
    at
}

fn is_colon(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let tokens = text.parse().expect("the test's text is Rust");
        mentions(tokens).iter().map(|mention| mention.segments.join("::")).filter(|path| path != "use").collect()
    }

    #[test]
    fn braces_and_globs_are_spelt_out() {
        assert_eq!(
            paths("use std::{net, time::{self, Instant}};"),
            ["std::net", "std::time::self", "std::time::Instant"]
        );
        assert_eq!(paths("use std::time::*; use a::{b::*, *};"), ["std::time::*", "a::b::*", "a::*"]);
    }

    #[test]
    fn macro_calls_are_read_and_text_is_not() {
        assert_eq!(
            paths("assert!(std::env::var(\"std::fs\").is_ok()); // std::thread"),
            ["assert", "std::env::var", "is_ok"]
        );
    }

    #[test]
    fn lines_are_those_of_the_file() {
        let tokens = "use std::{\n    net,\n};".parse().expect("Rust");
        let net = mentions(tokens).into_iter().find(|mention| mention.begins_with("std::net"));
        assert_eq!(net.map(|mention| mention.line), Some(2));
    }
}
