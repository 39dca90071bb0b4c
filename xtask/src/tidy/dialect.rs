//! A dialect is matched on in exactly one file, where a session is opened.
//!
//! Looks for `Dialect::Variant` in patterns, in comparisons, in macros that match, and imported bare. Passing a variant
//! on as a value is fine anywhere.

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    spanned::Spanned,
    visit::{self, Visit},
};

use super::{
    Breach,
    mentions::{Mention, mentions},
    tree::Tree,
};

const THE_PLACE: &str = "crates/protocol/src/dialect.rs";
/// Macros whose arguments hold patterns or comparisons.
const MATCHING: [&str; 5] = ["matches", "assert_matches", "debug_assert_matches", "assert_eq", "assert_ne"];

pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in tree.rust().filter(|file| file.path != THE_PLACE) {
        let Some(syntax) = file.shipped() else { continue };
        let mut finder = Finder::default();
        finder.visit_file(syntax);
        finder.lines.dedup();
        let what = "decides by dialect: give `Dialect` a method for it";
        breaches.extend(finder.lines.into_iter().map(|line| Breach::new(&file.path, line, what)));
    }
    breaches
}

#[derive(Default)]
struct Finder {
    lines: Vec<usize>,
}

impl Finder {
    fn look_in(&mut self, tokens: TokenStream) {
        self.lines.extend(mentions(tokens).iter().filter(|mention| is_variant(mention)).map(|mention| mention.line));
    }

    fn look_at(&mut self, path: &syn::Path) {
        let segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let mention = Mention { segments, line: path.span().start().line };
        if is_variant(&mention) {
            self.lines.push(mention.line);
        }
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_pat(&mut self, pattern: &'ast syn::Pat) {
        match pattern {
            syn::Pat::Path(pattern) => self.look_at(&pattern.path),
            syn::Pat::TupleStruct(pattern) => self.look_at(&pattern.path),
            syn::Pat::Struct(pattern) => self.look_at(&pattern.path),
            _ => {}
        }
        visit::visit_pat(self, pattern);
    }

    fn visit_expr_binary(&mut self, comparison: &'ast syn::ExprBinary) {
        if matches!(comparison.op, syn::BinOp::Eq(_) | syn::BinOp::Ne(_)) {
            for side in [&comparison.left, &comparison.right] {
                if let syn::Expr::Path(path) = &**side {
                    self.look_at(&path.path);
                }
            }
        }
        visit::visit_expr_binary(self, comparison);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if call.path.segments.last().is_some_and(|name| MATCHING.iter().any(|matching| name.ident == matching)) {
            self.look_in(call.tokens.clone());
        } else {
            self.look_for_arms(call.tokens.clone());
        }
    }

    fn visit_item_use(&mut self, import: &'ast syn::ItemUse) {
        self.look_in(quote::ToTokens::to_token_stream(&import.tree));
    }
}

impl Finder {
    /// In a macro's tokens, `Dialect::Variant =>` is an arm whatever the macro is.
    fn look_for_arms(&mut self, tokens: TokenStream) {
        let mut latest: Vec<TokenTree> = Vec::new();
        for token in tokens {
            if let TokenTree::Group(group) = &token {
                self.look_for_arms(group.stream());
            }
            let arrow = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '>')
                && matches!(latest.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == '=');
            if arrow {
                self.look_in(latest.drain(..).collect());
            }
            latest.push(token);
        }
    }
}

/// `Dialect::Typeuh` or `Dialect::*`, but neither `Dialect::ALL` nor `Dialect::parse`.
fn is_variant(mention: &Mention) -> bool {
    let [.., owner, name] = mention.segments.as_slice() else { return false };
    owner == "Dialect" && (name == "*" || is_camel_case(name))
}

fn is_camel_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains(|c: char| c.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).iter().map(|breach| breach.line).collect()
    }

    const DECISIONS: &str = "fn f(d: Dialect) {\nmatch d {\nDialect::Typeuh => 1,\n_ => 2 };\n\
        if let protocol::Dialect::Aecs = d {}\nif d == Dialect::Aecs {}\nmatches!(d, Dialect::Aecs);\n\
        tokio::select! { x = match d { Dialect::Aecs => 1 } => {} }\n}\nuse protocol::Dialect::{Aecs};\nuse Dialect::*;\n";

    #[test]
    fn deciding_by_dialect_is_for_one_file() {
        assert_eq!(lines("crates/server/src/a.rs", DECISIONS), [3, 5, 6, 7, 8, 10, 11]);
        assert!(lines("crates/protocol/src/dialect.rs", DECISIONS).is_empty());
        assert!(lines("crates/server/tests/a.rs", DECISIONS).is_empty());
    }

    #[test]
    fn values_constants_and_other_enums_are_not_decisions() {
        let text = "fn f() { open(Dialect::Typeuh); for d in Dialect::ALL {} Dialect::parse(\"a\"); }\n\
                    fn g(k: Kind) { match k { Kind::Ship => 1, _ => 2 }; vec![Dialect::Aecs]; }";
        assert!(lines("crates/volley/src/main.rs", text).is_empty());
    }
}
