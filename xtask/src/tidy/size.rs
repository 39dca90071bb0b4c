//! Files and functions stay short enough to be read in one go. Tests may be as long as they need.

use syn::{
    spanned::Spanned,
    visit::{self, Visit},
};

use super::{
    Breach,
    tree::{File, Tree},
};

const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 70;

pub fn check(tree: &Tree) -> Vec<Breach> {
    tree.rust()
        .filter(|file| !file.is_test())
        .flat_map(|file| [long_file(file), long_functions(file)].concat())
        .collect()
}

fn long_file(file: &File) -> Vec<Breach> {
    let lines = file.text.lines().count();
    let breach = || Breach::new(&file.path, 1, format!("{lines} lines in a file, more than {FILE_LINES_MAX}"));
    if lines > FILE_LINES_MAX { vec![breach()] } else { Vec::new() }
}

fn long_functions(file: &File) -> Vec<Breach> {
    let mut functions = Functions::default();
    if let Some(syntax) = file.shipped() {
        functions.visit_file(syntax);
    }
    let long = functions.found.into_iter().filter(|function| function.lines > FUNCTION_LINES_MAX);
    let what = |f: &Function| format!("`{}` has {} lines, more than {FUNCTION_LINES_MAX}", f.name, f.lines);
    long.map(|function| Breach::new(&file.path, function.line, what(&function))).collect()
}

struct Function {
    name: String,
    line: usize,
    lines: usize,
}

#[derive(Default)]
struct Functions {
    found: Vec<Function>,
}

impl Functions {
    /// Counts from the word `fn` to the closing brace.
    fn add(&mut self, signature: &syn::Signature, body: &syn::Block) {
        let line = signature.fn_token.span().start().line;
        let lines = body.span().end().line + 1 - line;
        self.found.push(Function { name: signature.ident.to_string(), line, lines });
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(body) = &function.default {
            self.add(&function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&Tree::of(&[(path, text)])).len()
    }

    fn function(lines: usize) -> String {
        format!("fn f() {{\n{}}}\n", "    x();\n".repeat(lines - 2))
    }

    #[test]
    fn a_file_of_600_lines_is_short_enough() {
        assert_eq!(count("crates/game/src/a.rs", &"// a\n".repeat(FILE_LINES_MAX)), 0);
        assert_eq!(count("crates/game/src/a.rs", &"// a\n".repeat(FILE_LINES_MAX + 1)), 1);
        assert_eq!(count("crates/game/tests/a.rs", &"// a\n".repeat(FILE_LINES_MAX + 1)), 0);
    }

    #[test]
    fn a_function_of_70_lines_is_short_enough() {
        let (short, long) = (function(FUNCTION_LINES_MAX), function(FUNCTION_LINES_MAX + 1));
        assert_eq!(count("a.rs", &short), 0);
        assert_eq!(count("a.rs", &long), 1);
        assert_eq!(count("a.rs", &format!("impl A {{ {long} }} trait B {{ {long} fn g(); }} mod c {{ {long} }}")), 3);
        assert_eq!(count("a.rs", &format!("#[cfg(test)] mod tests {{ {long} }}")), 0);
    }
}
