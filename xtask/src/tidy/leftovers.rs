//! Nothing unfinished is committed: no placeholder macro, no skipped test, no note to self.

use proc_macro2::{TokenStream, TokenTree};

use super::{
    Breach,
    tree::{File, Tree},
};

const PLACEHOLDERS: [&str; 2] = ["todo", "unimplemented"];
const NOTES: [&str; 3] = ["TODO", "FIXME", "XXX"];
/// These files have to name what they forbid.
const EXEMPT: &str = "xtask/src/tidy/";

pub fn check(tree: &Tree) -> Vec<Breach> {
    let files = tree.files().iter().filter(|file| !file.path.starts_with(EXEMPT) && !file.path.ends_with(".lock"));
    files.flat_map(|file| [notes(file), gaps(file), placeholders(file)].concat()).collect()
}

/// Paragraphs of a page that are one word in capitals: a place that was to be filled in.
fn gaps(file: &File) -> Vec<Breach> {
    if !file.path.ends_with(".md") {
        return Vec::new();
    }
    let lines: Vec<&str> = file.text.lines().collect();
    let is_blank = |index: Option<usize>| index.and_then(|index| lines.get(index)).is_none_or(|line| line.is_empty());
    let is_word = |line: &str| line.len() > 2 && line.bytes().all(|byte| byte.is_ascii_uppercase());
    let alone = (0..lines.len())
        .filter(|&index| is_word(lines[index]) && is_blank(index.checked_sub(1)) && is_blank(Some(index + 1)));
    alone
        .map(|index| Breach::new(&file.path, index + 1, format!("`{}` stands for a paragraph", lines[index])))
        .collect()
}

fn notes(file: &File) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        for word in words.filter(|word| NOTES.contains(word)) {
            breaches.push(Breach::new(&file.path, index + 1, format!("`{word}` is a note to self")));
        }
    }
    breaches
}

fn placeholders(file: &File) -> Vec<Breach> {
    let mut found = Vec::new();
    collect(file.tokens(), &mut found);
    found.into_iter().map(|(line, what)| Breach::new(&file.path, line, what)).collect()
}

fn collect(tokens: TokenStream, found: &mut Vec<(usize, String)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let what = tokens.get(at + 1).and_then(|next| unfinished(token, next));
        found.extend(what.map(|what| (token.span().start().line, what)));
        if let TokenTree::Group(group) = token {
            collect(group.stream(), found);
        }
    }
}

/// What two neighbouring tokens leave undone: `todo` and `!`, or `#` and `[ignore]`.
fn unfinished(token: &TokenTree, next: &TokenTree) -> Option<String> {
    match (token, next) {
        (TokenTree::Ident(name), TokenTree::Punct(bang)) => {
            let placeholder = bang.as_char() == '!' && PLACEHOLDERS.iter().any(|placeholder| name == placeholder);
            placeholder.then(|| format!("`{name}!` is a placeholder"))
        }
        (TokenTree::Punct(hash), TokenTree::Group(attribute)) if hash.as_char() == '#' => {
            let first = attribute.stream().into_iter().next();
            let skips = matches!(first, Some(TokenTree::Ident(name)) if name == "ignore");
            skips.then(|| "`#[ignore]` skips a test".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).iter().map(|breach| breach.line).collect()
    }

    #[test]
    fn placeholders_skipped_tests_and_notes_are_found() {
        let text = "fn f() { todo!() }\nfn g() { if a { unimplemented!(\"b\") } }\n#[test]\n#[ignore = \"slow\"]\n\
                    fn h() {}\n// TODO: later\n";
        let mut found = lines("crates/game/tests/a.rs", text);
        found.sort();
        assert_eq!(found, [1, 2, 4, 6]);
        assert_eq!(lines("docs/a.md", "fine\nFIXME\n"), [2]);
    }

    #[test]
    fn a_word_in_capitals_that_stands_for_a_paragraph_is_found() {
        assert_eq!(lines("docs/a.md", "# What was run\n\nFIGURES\n\nMore.\n"), [3]);
        assert!(lines("docs/a.md", "UDP\nand more\n\nIn UDP\n\n- TCP\n").is_empty());
    }

    #[test]
    fn ordinary_words_are_fine() {
        let text = "/// Ignore late packets; nothing to do.\nfn ignore(todo: u8) {}\n#[allow(dead_code)]\nfn f() {}\n";
        assert!(lines("crates/game/src/a.rs", text).is_empty());
        assert!(lines("Cargo.lock", "TODO").is_empty());
    }
}
